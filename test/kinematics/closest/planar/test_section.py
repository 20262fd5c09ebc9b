# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The poses of a plane that are not looked at closely can't be the best in it."""

from dataclasses import replace
from math import dist
from random import Random

from arm_ik import Target
from arm_ik.kinematics.closest.planar.reach import PlanarReach
from judged_arms import ExactArm, random_arm
import pytest


def answers(arm, seed):
    random = Random(seed)
    for _ in range(4):
        position = [random.uniform(-0.4, 0.4) for _ in range(3)]
        near = [random.uniform(low, high) for low, high in zip(arm.lower, arm.upper)]
        yield arm.solve(Target(position, [random.gauss(0.0, 1.0) for _ in range(3)]), near)


def all_that_reach(planar, x, y, elevation):
    poses = [*planar.extreme(x, y), *planar.with_elevation(x, y, elevation)]
    return list(filter(planar.fits, poses))


def all_that_fit(planar, x, y, elevation=None):
    return sorted(filter(planar.fits, planar.every_pose(x, y, elevation)),
                  key=lambda pose: dist((x, y), planar.tip(*pose)))


@pytest.mark.parametrize('kind', ['yaw', 'yaw_wrist_roll'])
@pytest.mark.parametrize('floor', [None, -0.1, 0.0, 0.1])
def test_what_is_left_out_is_not_missed(kind, floor, monkeypatch):
    for seed in range(8):
        arm = random_arm(kind, seed)
        height = None if floor is None else arm.model.base_height + floor
        try:
            arm = ExactArm(replace(arm.model, floor_height=height))
        except ValueError:
            continue  # home is below that floor
        short = list(answers(arm, seed))
        with monkeypatch.context() as patch:
            patch.setattr(PlanarReach, 'least_turned', all_that_reach)
            patch.setattr(PlanarReach, 'nearest', all_that_fit)
            for found, solution in zip(answers(arm, seed), short):
                assert solution.q == pytest.approx(found.q, abs=1e-9)
                assert solution.reason == found.reason
