# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Poses as targets, and the up vector that a dragged target gets."""

from arm_ik import Arm, Target
from arm_ik.tool_rotation import (
    ANY, FIXED, PLANE, target_of, tool_rotation, with_up, with_up_of)
import numpy as np
import pytest

ARM = Arm.preset('so101')


def turned(vector, angle):
    """Return a vector turned to the left [rad]."""
    (x, y, z), c, s = vector, np.cos(angle), np.sin(angle)
    return c * x - s * y, s * x + c * y, z


@pytest.mark.parametrize('name, rolls', [('so101', True), ('px100', False)])
def test_a_pose_asks_for_all_of_itself_where_the_wrist_rolls(name, rolls):
    arm = Arm.preset(name)
    pose = arm.forward(arm.home)
    target = target_of(arm, pose.position, pose.rotation)
    assert (target.forward is not None) == rolls
    assert tool_rotation(arm, target) == pytest.approx(pose.rotation)


@pytest.mark.parametrize('name', ['so101', 'px100', 'crane_plus'])
def test_with_the_plane_every_position_that_is_reached_is_reached_with_its_elevation(name):
    arm, random = Arm.preset(name), np.random.default_rng(1)
    for _ in range(40):
        tip = arm.forward(random.uniform(arm.lower, arm.upper))
        shifted = Target(tip.position, turned(tip.up, 0.5))
        found = with_up_of(PLANE, arm, shifted, arm.home)
        assert found.position == shifted.position
        again = with_up_of(PLANE, arm, found, arm.home)
        assert np.allclose(again.up, found.up, atol=1e-3)
        solution = arm.solve(found)
        assert solution.position_error_m > 1e-4 or 'arm plane' not in solution.reason
        assert with_up_of(FIXED, arm, shifted, arm.home) is shifted
        free = with_up_of(ANY, arm, shifted, arm.home)
        assert free.up is not None and arm.solve(free, near=arm.home).up_error_rad < 1e-6


def test_an_arm_that_reaches_over_its_back_has_the_plane_of_that():
    """With a lateral offset it is another one than that of the arm that faces the target."""
    q = (1.5, -0.8, -1.5, -1.2, 0.0)
    tip = ARM.forward(q)
    assert tip.position[1] > 0.1        # the other side than that of the yaw
    aside = Target(tip.position, turned(tip.up, 0.2))
    found = with_up_of(PLANE, ARM, aside, q)
    assert ARM.solve(found, near=q).q[0] == pytest.approx(q[0], abs=1e-6)


def test_above_the_base_where_any_plane_will_do_the_up_vector_stays():
    arm = Arm.preset('px100')
    above = Target((0.0, 0.0, 0.1), (0.0, 0.6, 0.8))
    assert with_up_of(PLANE, arm, above, arm.home) is above


@pytest.mark.parametrize('elevation, azimuth', [(-0.3, 0.4), (0.0, 0.0), (np.pi / 2, 0.0)])
def test_an_up_vector_across_the_forward_vector_of_the_target_is_taken_without_it(
        elevation, azimuth):
    target = ARM.target((0.2, 0.1, 0.1), elevation)
    along = Target(target.position, (0.0, 0.8, 0.6), turned(target.up, azimuth))
    assert with_up(ARM, along, elevation, azimuth).up == pytest.approx(along.forward)
