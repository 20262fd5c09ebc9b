# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The poses that a person holds an arm in: far apart, inside the limits, clear of all."""

from dataclasses import replace
from math import radians

from arm_ik import Arm
from arm_ik.description.presets import preset_names
from arm_ik.servos.named_poses import named_poses
import pytest


def hanging():
    """Return an arm on a mast, whose upper arm hangs: it could be folded against the mast."""
    model = Arm.preset('simple').model
    joints = [replace(joint, lower=-2.9, upper=-0.3) if joint.role == 'shoulder' else joint
              for joint in model.joints]
    return replace(model, joints=joints, base_height=0.3,
                   home=[0.5 * (joint.lower + joint.upper) for joint in joints])


@pytest.mark.parametrize('model', [*(Arm.preset(name).model for name in preset_names()),
                                   hanging()], ids=[*preset_names(), 'hanging'])
def test_poses_are_far_apart_inside_the_limits_and_clear_of_floor_and_base(model):
    first, second, third = named_poses(model)
    for joint in model.joints:
        assert abs(second.positions[joint.name] - first.positions[joint.name]) >= radians(44.9)
        for pose in (first, second, third):
            assert joint.lower + radians(4.9) <= pose.positions[joint.name] \
                <= joint.upper - radians(4.9)
    assert first.positions != third.positions != second.positions
    for pose in (first, second, third):
        for ahead, height in pose.points[1:]:
            assert abs(ahead) >= 0.079 or height >= model.base_height - 1e-6
            assert height >= 0.029
