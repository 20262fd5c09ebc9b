# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The closest poses of a tilting wrist: exact as listed, before any polish, and on the fold."""

from math import dist, hypot, inf, pi

from arm_ik import Target
from judged_arms import EXACT, make_arm
import pytest


@pytest.mark.parametrize('e', [(0.3, 0.3, 0.2), (-0.1, 0.3, 0.4)])
def test_at_a_limit_of_the_yaw_the_wrist_is_as_near_as_in_that_plane_it_can_be(e):
    arm = make_arm('tilt', yaw=(0.0, 0.0), lateral=0.08)
    poses = arm.solver.spatial.nearest(e, inf, (0.0, 0.0, 1.0), arm.home)
    # The roll, the second angle of a pose, is not a joint of this arm.
    nearest = min([dist(arm.forward((pose[0], *pose[2:])).position, e) for pose in poses])
    assert nearest == pytest.approx(arm.solve(Target(e)).position_error_m, abs=1e-9)


def test_nearer_to_the_yaw_axis_than_a_tilted_hand_can_be_it_still_meets_the_up_vector():
    arm = make_arm('tilt', wrist_tilt=(0.6, 0.6))
    tip = arm.forward((0.3, pi / 2 + 0.5, -1.0, 0.5, 0.6))
    x, y, z = tip.position
    solution = arm.solve(Target((0.5 * x, 0.5 * y, z), tip.up))
    assert solution.position_error_m == pytest.approx(0.5 * hypot(x, y))
    assert solution.up_error_rad <= EXACT
