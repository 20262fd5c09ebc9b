# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The numeric search for the distance: nothing around its end is nearer, whatever is asked."""

from math import inf
from random import Random

from arm_ik.kinematics.closest.spatial.distance_search import DistanceSearch
from arm_ik.kinematics.forward import ROLES
from judged_arms import angle, EXACT, KINDS, make_arm, random_arm
import numpy as np
import pytest


def readings(arm, pose):
    """Return the readings [rad] of a pose, an unused wrist roll at home."""
    at = dict(zip(ROLES, pose))
    geometry = arm.solver.geometry
    return [limits.sign * (at[role] - limits.offset) if role != 'wrist_roll' or pose[-1] else home
            for role, limits, home in zip(geometry.roles, geometry.limits, arm.home)]


@pytest.mark.parametrize('floor', [None, -0.05])
@pytest.mark.parametrize('kind', KINDS)
def test_no_pose_around_the_nearest_is_nearer(kind, floor):
    rng = np.random.default_rng(1)
    for seed in range(4):
        arm = random_arm(kind, seed)
        goal = np.array([Random(seed).uniform(-0.6, 0.6) for _ in range(3)])
        found = DistanceSearch(arm.solver.geometry).nearest(goal, floor)
        if not found:
            # Hardly any pose of this arm is above the floor.
            assert floor is not None
            continue
        pose = readings(arm, found[0])
        around = np.clip(pose + rng.uniform(-1e-3, 1e-3, (500, len(pose))), arm.lower, arm.upper)
        tips = arm.forward([pose, *around]).position
        away = np.linalg.norm(tips - goal, axis=1)
        lowest = -inf if floor is None else floor
        # Elbow and wrist are not looked at here: their floor only takes poses away.
        assert floor is not None or (away[1:] >= away[0] - 1e-12).all()
        assert tips[0, 2] >= lowest


@pytest.mark.parametrize('up_first', [False, True])
@pytest.mark.parametrize('kind', ['roll', 'tilt'])
def test_in_order_the_first_is_met_and_the_second_no_worse_than_a_pose_that_is_known(
        kind, up_first):
    rng = np.random.default_rng(2)
    for seed in range(12):
        arm = random_arm(kind, seed)
        known = arm.forward(rng.uniform(arm.lower, arm.upper))
        goal, up = known.position, known.up
        if up_first:
            goal = goal + rng.normal(size=3) * 0.02
        else:
            up = up + rng.normal(size=3) * 0.2
            up /= np.linalg.norm(up)
        found = arm.forward([readings(arm, pose) for pose in DistanceSearch(
            arm.solver.geometry).in_order(goal, None, (), up, up_first)])
        costs = [(np.linalg.norm(pose.position - goal, axis=-1),
                  np.linalg.norm(pose.up - up, axis=-1)) for pose in (found, known)]
        (first, second), (_, least) = [pair[::-1] for pair in costs] if up_first else costs
        assert second[first < EXACT].min() <= least + 1e-6, seed


def test_an_up_vector_that_must_be_kept_is_kept():
    arm = make_arm('roll')
    for goal in ((0.2, 0.3, 0.1), (0.0, 0.5, 0.2)):
        up = np.array((0.6, 0.0, 0.8))
        pose = readings(arm, DistanceSearch(arm.solver.geometry).nearest(goal, up=up)[0])
        assert angle(arm.forward(pose).up, up) < 1e-6
