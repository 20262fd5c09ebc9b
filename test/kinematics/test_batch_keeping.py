# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Branches are kept by many targets at once as one by one; what is sure to be kept as arrays."""

from arm_ik import Arm
from judged_arms import random_arm
import numpy as np
import pytest
from test_batch import assert_same_as_one_by_one, tool_poses
from test_batch_closest import as_columns

__all__ = ['as_columns']

TOLERANCE = {'branch_tolerance': (0.001, 0.03)}


def moved(arm, q, most, rng):
    return np.clip(q + rng.uniform(-most, most, q.shape), arm.lower, arm.upper)


@pytest.mark.parametrize('kind', ['yaw', 'yaw_wrist_roll', 'roll'])
def test_branches_are_kept_alike(kind, as_columns):
    rng, ways = np.random.default_rng(9), []
    for seed in range(2 if kind == 'roll' else 6):
        arm = random_arm(kind, seed)
        q, position, up, forward = tool_poses(arm, rng, (12,))
        position[::6] *= 1.3
        # Some are near enough to be no jump, whatever else there is; some may be one.
        near = np.concatenate([moved(arm, q[:6], 0.05, rng), moved(arm, q[6:], 0.4, rng)])
        assert_same_as_one_by_one(
            arm, position, up, forward if seed % 2 else None, near, **TOLERANCE)
        ways.append(len(as_columns))
    assert 0 < ways[-1] < 9 * len(ways)


def test_many_targets_along_a_path_do_not_go_one_by_one(as_columns):
    arm, rng = Arm.preset('so101'), np.random.default_rng(5)
    q, position, up, forward = tool_poses(arm, rng, (1000,))
    near = moved(arm, q, 0.05, rng)
    for vectors in (None, forward):
        found = arm.solve_batch(position, up, vectors, near, **TOLERANCE)
        assert found.step_rad.max() < 0.1
    assert len(as_columns) < 20
