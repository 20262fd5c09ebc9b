# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from math import pi

from arm_ik import Arm
from arm_ik.description import preset_names
from arm_ik.description.link_frames import link_frames, placed, turned
from arm_ik.description.urdf import links, TOOL_FRAME
import numpy as np
import pytest


def rotation(quaternion):
    x, y, z = (placed(((0.0, 0.0, 0.0), quaternion), axis, (0.0, 0.0, 0.0, 1.0))[0]
               for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    return np.column_stack([x, y, z])


@pytest.mark.parametrize('name', preset_names())
def test_the_tool_frame_is_where_forward_kinematics_has_it(name):
    arm = Arm.preset(name)
    random = np.random.default_rng(8)
    for _ in range(20):
        q = random.uniform(arm.lower, arm.upper)
        where, how = link_frames(
            links(arm.model), dict(zip(arm.joint_names, q.tolist())))[TOOL_FRAME]
        pose = arm.forward(q)
        assert np.linalg.norm(pose.position - where) < 1e-12
        assert np.linalg.norm(pose.rotation - rotation(how)) < 1e-12


def test_a_sliding_finger_moves_outwards_by_its_position():
    arm = Arm.preset('px100')
    finger = arm.model.extra_joints[0]
    assert finger.type == 'prismatic'
    chain = links(arm.model)
    here, there = (
        link_frames(chain, {finger.name: position})[f'{finger.name}_link'][0]
        for position in (finger.closed, finger.open))
    assert np.subtract(there, here) == pytest.approx((0.0, finger.open - finger.closed, 0.0))


def test_turns_about_fixed_axes_come_in_the_order_x_y_z():
    assert rotation(turned((pi / 2, 0.0, pi / 2))) == pytest.approx(
        np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
