# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Many targets of an arm with a floor get the answers they get one by one, found as arrays."""

from dataclasses import replace
from arm_ik import Arm, Status
from arm_ik.kinematics.batch import solve as batch
from judged_arms import make_arm
import numpy as np
import pytest
from test_batch import assert_same_as_one_by_one, random_near, tool_poses
from test_batch_closest import (
    as_columns, mixed_targets, nearly_symmetric, UPRIGHT, with_limits)

__all__ = ['as_columns']


def with_floor(arm, below=0.05):
    """Return an arm that stands a little above its floor, with a home that does so, too."""
    floor = min(arm.model.base_height, arm.forward(arm.home).position[2]) - below
    rng = np.random.default_rng(0)
    for home in [arm.home, *rng.uniform(arm.lower, arm.upper, (200, len(arm.home))).tolist()]:
        standing = Arm(replace(arm.model, home=home))
        if is_above(standing, np.array(home), floor):
            return Arm(replace(standing.model, floor_height=floor))
    raise AssertionError('no pose above the floor found')


def is_above(arm, q, floor):
    shoulder, elbow, _ = [joint.sign * reading + joint.offset
                          for joint, reading in zip(arm.model.joints, q)][1:4]
    at_elbow = arm.model.base_height + arm.model.upper_arm * np.sin(shoulder)
    at_wrist = at_elbow + arm.model.forearm * np.sin(shoulder + elbow)
    return min(at_elbow, at_wrist, arm.forward(q).position[2]) >= floor


def targets_about(arm, rng, count=24):
    """Return targets in reach and out of it, a third of them below the floor."""
    position, up, forward = mixed_targets(arm, rng, count)
    position[::3, 2] = arm.model.floor_height - rng.uniform(0.0, 0.2, len(position[::3]))
    return position, up, forward


@pytest.mark.parametrize('options', [
    {}, {'elbow': 'up'}, {'position_tolerance': 1e-3, 'up_tolerance': 0.2},
    {'elbow': 'down', 'position_tolerance': 0.02, 'up_tolerance': 0.3}, {'priority': 'up'}])
def test_arms_with_a_floor_are_solved_alike(options, as_columns):
    rng, statuses = np.random.default_rng(1), set()
    for seed, kind in enumerate(UPRIGHT):
        arm = with_floor(nearly_symmetric(kind, seed))
        position, up, forward = targets_about(arm, rng)
        found = assert_same_as_one_by_one(
            arm, position, up, forward if seed % 2 else None, random_near(arm, rng, (24,)),
            **options)
        statuses |= set(found.status.tolist())
    assert statuses >= {Status.REACHED, Status.POSITION_RELAXED}
    assert Status.UP_RELAXED in statuses or options.get('priority') == 'up'


@pytest.mark.parametrize('options', [
    {}, {'elevation': 0.4}, {'elbow': 'up', 'elevation': -1.0}, {'priority': 'up'},
    {'position_tolerance': 1e-3}])
def test_without_an_up_vector_arms_with_a_floor_are_solved_alike(options, as_columns):
    rng, statuses = np.random.default_rng(6), set()
    for seed, kind in enumerate(UPRIGHT):
        arm = with_floor(nearly_symmetric(kind, seed))
        position, _, forward = targets_about(arm, rng)
        found = assert_same_as_one_by_one(
            arm, position, None, forward if seed % 2 else None, random_near(arm, rng, (24,)),
            **options)
        statuses |= set(found.status.tolist())
    assert statuses >= {Status.REACHED, Status.POSITION_RELAXED}


@pytest.mark.parametrize('limits', [
    {'elbow': (0.4, 0.4)}, {'wrist': (-0.3, -0.3)}, {'yaw': (0.2, 0.2)}, {'yaw': (-9.0, 9.0)},
    {'shoulder': (-7.0, 7.0), 'wrist': (-7.0, 7.0)}, {'elbow': (0.5, 2.0)},
    {'elbow': (1.0, 1.0), 'wrist': (0.5, 0.5)}])
def test_limits_of_every_sort_are_kept_alike_above_a_floor(limits, as_columns):
    rng = np.random.default_rng(3)
    for lateral, with_up in ((0.0, False), (0.002, True)):
        arm = with_floor(with_limits(make_arm(
            'yaw', links=(0.13, 0.12, 0.08), lateral=lateral, everywhere=(-2.0, 2.1)), **limits))
        position, up, _ = targets_about(arm, rng)
        found = assert_same_as_one_by_one(
            arm, position, up if with_up else None, None, random_near(arm, rng, (24,)))
        assert (found.q >= arm.lower).all() and (found.q <= arm.upper).all()
        assert all(is_above(arm, q, arm.model.floor_height - 1e-8) for q in found.q)


@pytest.mark.parametrize('name', ['so101', 'px100', 'braccio'])
def test_arms_people_own_are_solved_alike_above_a_table(name, as_columns):
    arm, rng = with_floor(Arm.preset(name), below=0.01), np.random.default_rng(2)
    position, up, _ = targets_about(arm, rng)
    position[5, 2] = arm.model.floor_height
    assert_same_as_one_by_one(arm, position, up, None, random_near(arm, rng))
    assert_same_as_one_by_one(arm, position, (0.0, 0.0, -1.0))
    assert_same_as_one_by_one(arm, position)


def test_without_an_up_vector_the_elbow_may_rest_on_the_floor(as_columns):
    arm = make_arm(shoulder=(-0.91, 1.9), elbow=(-0.67, 1.22), wrist=(-1.14, 1.3),
                   home=(0.0, 0.5, -0.1, 0.0), floor_height=-0.03)
    position = np.random.default_rng(1).uniform((-0.3, -0.2, -0.05), (0.3, 0.2, 0.05), (200, 3))
    found = assert_same_as_one_by_one(arm, position, elevation=1.16)
    on_the_floor = np.abs(0.12 * np.sin(found.q[:, 1]) + 0.03) < 1e-9
    assert (on_the_floor & found.reached).any()


@pytest.mark.parametrize('kind', UPRIGHT)
def test_ordinary_targets_above_a_floor_do_not_take_the_slow_path(kind, monkeypatch):
    ways = []
    monkeypatch.setattr(batch.RowSolver, 'solve_left', lambda _, rows: ways.extend(rows))
    arm = with_floor(make_arm(kind))
    _, position, up, _ = tool_poses(arm, np.random.default_rng(13), (1000,))
    high = position[:, 2] > 0.25
    arm.solve_batch(position[high], up[high])
    assert len(ways) < 0.1 * high.sum()
