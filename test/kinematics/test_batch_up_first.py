# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""With the up vector first many targets get the answers they get one by one, found as arrays."""

from math import cos, pi, sin

from arm_ik import Arm, Status
from arm_ik.kinematics.batch import solve as batch
from judged_arms import make_arm, random_arm
import numpy as np
import pytest
from test_batch import assert_same_as_one_by_one, directions, random_near, tool_poses
from test_batch_closest import as_columns, mixed_targets, nearly_symmetric, UPRIGHT, with_limits

__all__ = ['as_columns']


@pytest.mark.parametrize('options', [
    {}, {'elbow': 'up'}, {'position_tolerance': 1e-3, 'up_tolerance': 0.2},
    {'elbow': 'down', 'position_tolerance': 0.02, 'up_tolerance': 0.3}])
@pytest.mark.parametrize('kind', UPRIGHT)
def test_up_vectors_are_kept_alike(kind, options, as_columns):
    rng, statuses = np.random.default_rng(1), set()
    for seed in range(6):
        # Far beside the axis, too: an up vector that is not upright takes no search.
        arm = (nearly_symmetric if seed % 2 else random_arm)(kind, seed)
        position, up, forward = mixed_targets(arm, rng)
        found = assert_same_as_one_by_one(
            arm, position, up, forward if seed % 3 else None, random_near(arm, rng, (24,)),
            priority='up', **options)
        statuses |= set(found.status.tolist())
    assert statuses >= {Status.REACHED, Status.POSITION_RELAXED}
    assert len(as_columns) <= 10


@pytest.mark.parametrize('limits', [
    {'elbow': (0.4, 0.4)}, {'wrist': (-0.3, -0.3)}, {'yaw': (0.2, 0.2)}, {'yaw': (-9.0, 9.0)},
    {'shoulder': (-7.0, 7.0), 'wrist': (-7.0, 7.0)}, {'yaw': (-pi, pi), 'elbow': (-pi, pi)},
    {'elbow': (1.0, 1.0), 'wrist': (0.5, 0.5)}])
@pytest.mark.parametrize('kind', UPRIGHT)
def test_limits_of_every_sort_are_kept_alike_with_the_up_vector_first(kind, limits, as_columns):
    rng = np.random.default_rng(3)
    for lateral in (0.0, 0.002):
        arm = with_limits(make_arm(kind, lateral=lateral, everywhere=(-2.0, 2.0)), **limits)
        position, up, _ = mixed_targets(arm, rng)
        found = assert_same_as_one_by_one(
            arm, position, up, None, random_near(arm, rng), priority='up')
        assert (found.q >= arm.lower).all() and (found.q <= arm.upper).all()


@pytest.mark.parametrize('name', ['simple', 'px100', 'braccio'])
def test_upright_up_vectors_are_kept_alike(name, as_columns):
    arm, rng = Arm.preset(name), np.random.default_rng(2)
    position, _, _ = mixed_targets(arm, rng)
    for up in ((0.0, 0.0, -1.0), (0.0, 0.0, 1.0)):
        assert_same_as_one_by_one(arm, position, up, None, random_near(arm, rng), priority='up')


def test_upright_up_vectors_beside_the_yaw_axis_are_kept_alike(as_columns):
    arm = make_arm(lateral=0.03, yaw=(-2.0, 1.0))
    position = [(0.4, 0.1, 0.1), (-0.3, 0.2, 0.3), (0.02, 0.0, 0.1), (-0.2, -0.3, -0.2)]
    assert_same_as_one_by_one(arm, position, (0.0, 0.0, 1.0), None, [arm.home], priority='up')


def test_of_planes_whose_up_vectors_are_within_tolerance_the_nearest_is_taken(as_columns):
    arm, position = make_arm(), [(0.5, 0.0, 0.1)]
    for aside in (0.005, -0.005):
        found = assert_same_as_one_by_one(
            arm, position, [(0.5 * cos(aside), 0.5 * sin(aside), 0.1)], None, [arm.home],
            priority='up', up_tolerance=0.01)
        assert found.q[0, 0] == pytest.approx(0.0, abs=1e-9)
    assert not as_columns


def test_many_up_vectors_kept_do_not_go_one_by_one(monkeypatch):
    rows = []
    monkeypatch.setattr(batch.RowSolver, 'solve_one', lambda _, row: rows.append(row))
    arm, rng = Arm.preset('simple'), np.random.default_rng(5)
    _, position, up, _ = tool_poses(arm, rng, (1500,))
    arm.solve_batch(position * 1.5, up + 0.3 * directions(rng, (1500,)), priority='up')
    assert len(rows) < 20
