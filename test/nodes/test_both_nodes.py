# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Both nodes together: what neither can be shown to do alone."""

from random import Random

from arm_ik.testing import SimulatedArm
import numpy as np
import pytest
from urdf_judge import UrdfJudge

pytestmark = pytest.mark.about_time


@pytest.mark.parametrize('name', ['rolling_base', 'open_manipulator_x', 'braccio'])
def test_any_arm_comes_to_rest_at_random_targets_and_opens_its_gripper(name):
    random = Random(11)
    with SimulatedArm(name) as arm:
        judge = UrdfJudge(arm.arm.to_urdf())
        for _ in range(3):
            q = [random.uniform(low, high) for low, high in zip(arm.arm.lower, arm.arm.upper)]
            wanted = judge.pose(dict(zip(arm.arm.joint_names, q)))
            arm.move_to(wanted[:3, 3], up=wanted[:3, 2])
            got = judge.pose(dict(zip(arm.arm.joint_names, arm.q)))
            assert np.linalg.norm(got[:3, 3] - wanted[:3, 3]) < 1e-9
            assert np.linalg.norm(np.cross(got[:3, 2], wanted[:3, 2])) < 1e-9
        for joint in arm.arm.model.extra_joints[:1]:
            assert arm.move_gripper(1.0) == pytest.approx(joint.open, abs=1e-6)
