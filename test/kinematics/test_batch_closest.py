# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The closest poses of many targets at once are those of one by one, and found as arrays."""

from dataclasses import replace
from math import pi

from arm_ik import Arm, Status, Target
from arm_ik.kinematics.batch import solve as batch
from judged_arms import make_arm, random_arm
import numpy as np
import pytest
from test_batch import assert_same_as_one_by_one, directions, random_near, tool_poses

UPRIGHT = ['yaw', 'yaw_wrist_roll']


@pytest.fixture
def as_columns(monkeypatch):
    """Make even one row go as columns; return the rows that went one by one all the same."""
    monkeypatch.setattr(batch, 'FEW', 0)
    monkeypatch.setattr(batch, 'FEW_TO_SEARCH', 0)
    rows, solve_one = [], batch.RowSolver.solve_one

    def noted(chunks, row):
        rows.append(row)
        solve_one(chunks, row)

    monkeypatch.setattr(batch.RowSolver, 'solve_one', noted)
    return rows


def mixed_targets(arm, rng, count=24):
    """Return targets in reach, too far, too near, out of the plane and anywhere."""
    _, position, up, forward = tool_poses(arm, rng, (count,))
    third = count // 3
    position[:third] *= rng.uniform(0.0, 3.0, (third, 1))
    up[third // 2:third + 4] += directions(rng, (third - third // 2 + 4,))
    position[2 * third:] = rng.uniform(-0.6, 0.6, (count - 2 * third, 3))
    return position, up, forward + 0.3 * directions(rng, (count,))


def nearly_symmetric(kind, seed):
    """Return a random arm with its arm plane next to the yaw axis: farther away takes a search."""
    arm = random_arm(kind, seed)
    return Arm(replace(arm.model, lateral=0.02 * arm.model.lateral))


def with_limits(arm, **limits):
    """Return the arm with limits (lower, upper) [rad] by role."""
    joints = [replace(joint, lower=limits[joint.role][0], upper=limits[joint.role][1])
              if joint.role in limits else joint for joint in arm.model.joints]
    home = [min(max(reading, joint.lower), joint.upper)
            for reading, joint in zip(arm.home, joints)]
    return Arm(replace(arm.model, joints=joints, home=home))


@pytest.mark.parametrize('seed, options', list(enumerate([
    {}, {'elbow': 'up'}, {'elbow': 'down'}, {'position_tolerance': 1e-3, 'up_tolerance': 0.2},
    {'elbow': 'up', 'position_tolerance': 1e-4, 'up_tolerance': 0.2},
    {'position_tolerance': 0.02, 'up_tolerance': 0.3}])))
def test_closest_poses_of_random_arms_are_the_same(seed, options, as_columns):
    rng, statuses = np.random.default_rng(1), set()
    for seed in (seed, seed + 3):
        arm = nearly_symmetric(UPRIGHT[seed % 2], seed)
        position, up, forward = mixed_targets(arm, rng)
        found = assert_same_as_one_by_one(
            arm, position, up, forward if seed % 4 else None, random_near(arm, rng, (24,)),
            **options)
        statuses |= set(found.status.tolist())
    assert statuses >= {Status.REACHED, Status.UP_RELAXED, Status.POSITION_RELAXED}
    # None but targets beside the yaw axis or a joint at its very limit.
    assert len(as_columns) <= 6


def test_targets_that_are_too_close_by_less_than_a_tolerance_are_solved_alike():
    arm, rng = make_arm(links=(0.3, 0.1, 0.08)), np.random.default_rng(2)
    position, up = 0.2 * directions(rng, (120,)), directions(rng, (120,))
    assert_same_as_one_by_one(
        arm, position, up, None, position_tolerance=0.03, up_tolerance=0.3)


@pytest.mark.parametrize('name', ['simple', 'so101', 'px100', 'open_manipulator_x', 'braccio'])
def test_closest_poses_of_arms_people_own_are_the_same(name, as_columns):
    arm, rng = Arm.preset(name), np.random.default_rng(2)
    position, up, _ = mixed_targets(arm, rng)
    assert_same_as_one_by_one(arm, position, up, None, random_near(arm, rng))
    assert_same_as_one_by_one(arm, position, (0.0, 0.0, -1.0))
    if arm.model.floor_height is None:
        assert len(as_columns) <= 2


@pytest.mark.parametrize('limits', [
    {'elbow': (0.4, 0.4)}, {'wrist': (-0.3, -0.3)}, {'shoulder': (1.0, 1.0)},
    {'yaw': (0.2, 0.2)}, {'yaw': (-9.0, 9.0)}, {'shoulder': (-7.0, 7.0), 'wrist': (-7.0, 7.0)},
    {'elbow': (0.5, 2.0)}, {'yaw': (1.0, 2.0), 'shoulder': (2.0, 3.0)},
    {'yaw': (-pi, pi), 'elbow': (-pi, pi)}, {'elbow': (1.0, 1.0), 'wrist': (0.5, 0.5)}])
def test_limits_of_every_sort_are_kept_alike(limits, as_columns):
    rng = np.random.default_rng(3)
    for kind, lateral in (('yaw_wrist_roll', 0.002), ('yaw', 0.03)):
        arm = with_limits(make_arm(kind, lateral=lateral, everywhere=(-2.0, 2.0)), **limits)
        position, up, _ = mixed_targets(arm, rng)
        found = assert_same_as_one_by_one(arm, position, up, None, random_near(arm, rng))
        assert (found.q >= arm.lower).all() and (found.q <= arm.upper).all()


@pytest.mark.parametrize('seed, options', list(enumerate([
    {}, {'elevation': 0.4}, {'elbow': 'up', 'elevation': -1.0}, {'priority': 'up'},
    {'position_tolerance': 1e-3}])))
def test_targets_without_an_up_vector_are_solved_alike(seed, options, as_columns):
    rng, statuses = np.random.default_rng(6), set()
    for seed in (seed, seed + 3):
        arm = nearly_symmetric(UPRIGHT[seed % 2], seed)
        position, _, forward = mixed_targets(arm, rng)
        found = assert_same_as_one_by_one(
            arm, position, None, forward if seed % 4 else None, random_near(arm, rng, (24,)),
            **options)
        statuses |= set(found.status.tolist())
    assert statuses >= {Status.REACHED, Status.POSITION_RELAXED}
    assert len(as_columns) <= 6


@pytest.mark.parametrize('kind, seed', [('yaw', 0), ('yaw', 9), ('yaw_wrist_roll', 2)])
def test_planes_far_beside_the_axis_are_solved_alike(kind, seed, as_columns):
    arm, rng = random_arm(kind, seed), np.random.default_rng(9)
    position, up, _ = mixed_targets(arm, rng)
    position[::3, :2] *= 0.3
    for vectors in (up, None):
        assert_same_as_one_by_one(arm, position, vectors, None, random_near(arm, rng, (24,)))


def test_the_present_branch_is_kept_alike(as_columns):
    rng, kept = np.random.default_rng(19), 0
    options = {'branch_tolerance': (0.05, 1.0)}
    for seed in range(12):
        arm = nearly_symmetric('yaw', seed)
        _, position, up, _ = tool_poses(arm, rng, (12,))
        # Near a branch that does not quite meet the target, while another may.
        near = arm.home + np.zeros((12, 4))
        for row in range(12):
            others = [solution.q for solution in arm.solutions(Target(position[row], up[row]))
                      if not solution.reached]
            near[row] = others[0] if others else arm.home
        found = assert_same_as_one_by_one(arm, position, up, None, near, **options)
        kept += (found.q != arm.solve_batch(position, up, near=near).q).any(axis=1).sum()
    assert kept > 5


def test_targets_in_the_centre_of_an_arc_are_solved_alike(as_columns):
    rng = np.random.default_rng(10)
    arm = make_arm('yaw', shoulder_offset=0.05, yaw=(0.0, 0.0), elbow=(0.5, 2.0),
                   wrist=(-1.0, 1.0))
    angle = rng.uniform(0.0, 2.0 * pi, 30)
    up = np.array([np.cos(angle), np.zeros(30), np.sin(angle)]).T
    assert_same_as_one_by_one(arm, [0.05, 0.0, 0.0], up, None, random_near(arm, rng, (30,)))


@pytest.mark.parametrize('limits', [
    {'elbow': (0.4, 0.4)}, {'wrist': (-0.3, -0.3)}, {'yaw': (0.2, 0.2)}, {'yaw': (-9.0, 9.0)},
    {'shoulder': (-7.0, 7.0), 'wrist': (-7.0, 7.0)}, {'yaw': (-pi, pi), 'elbow': (-pi, pi)}])
def test_limits_of_every_sort_are_kept_alike_without_an_up_vector(limits, as_columns):
    rng = np.random.default_rng(7)
    for lateral in (0.0, 0.03):
        arm = with_limits(make_arm('yaw', links=(0.13, 0.12, 0.08), lateral=lateral,
                                   everywhere=(-2.0, 2.1)), **limits)
        position, _, _ = mixed_targets(arm, rng)
        assert_same_as_one_by_one(arm, position, None, None, random_near(arm, rng, (24,)))


@pytest.mark.parametrize('lateral', [0.0, 0.03])
def test_targets_on_the_yaw_axis_and_beside_it_are_solved_alike(lateral, as_columns):
    arm, rng = make_arm('yaw', lateral=lateral), np.random.default_rng(8)
    around = rng.normal(size=(24, 2))
    around *= np.repeat([lateral, lateral + 1e-9, lateral - 1e-9, 0.0, 1e-7, 1e-4], 4)[:, None] \
        / np.hypot(*around.T)[:, None]
    position = np.append(around, rng.uniform(0.1, 0.4, (24, 1)), 1)
    near = random_near(arm, rng, (24,))
    assert_same_as_one_by_one(arm, position, None, None, near)
    assert_same_as_one_by_one(arm, position, directions(rng, (24,)), None, near)


def test_targets_nearer_to_the_axis_than_the_plane_are_solved_alike():
    arm, rng = make_arm('yaw', lateral=0.05), np.random.default_rng(4)
    position = np.append(rng.uniform(-0.03, 0.03, (20, 2)), rng.uniform(-0.3, 0.3, (20, 1)), 1)
    found = assert_same_as_one_by_one(arm, position, directions(rng, (20,)))
    assert (found.status == Status.POSITION_RELAXED).all()


def test_targets_so_far_that_squares_overflow_are_solved_alike(as_columns):
    arm = Arm.preset('simple')
    position = np.array([[1e200, 0.0, 1.0], [3.0, 4.0, 1.0], [0.0, -1e7, 1e300], [1e6, 0.0, 0.0]])
    for up in [1.0, 0.0, 0.0], None:
        with np.errstate(over='ignore'):
            found = arm.solve_batch(position, up)
        assert (found.status == Status.POSITION_RELAXED).all()
        assert np.isfinite(found.q).all() and np.isfinite(found.position_error_m).all()


def test_out_of_reach_without_an_up_vector_the_arm_turns_no_farther_than_it_must(as_columns):
    angle = np.linspace(0.0, 6.0, 24)
    position = np.array([0.4 * np.cos(angle), 0.4 * np.sin(angle), 0.1 * np.sin(3 * angle)]).T
    assert_same_as_one_by_one(make_arm(), position, elevation=1.36)


@pytest.mark.parametrize('priority', ['position', 'up'])
def test_a_forward_vector_that_no_joint_serves_chooses_no_pose(priority, as_columns):
    arm = make_arm(links=(0.12, 0.1, 0.08), yaw=(-3.0, 3.0), elbow=(-2.0, 1.9))
    angle = np.linspace(0.1, 6.0, 24)
    position = np.array([0.2 * np.cos(angle), 0.2 * np.sin(angle), 0.3 * np.sin(3 * angle)]).T
    up, forward = np.array([0.3, 0.2, -0.9]), np.array([0.6, 0.5, 0.1])
    assert_same_as_one_by_one(arm, position, up, forward, (0.3, 0.2, 0.4, 0.1), priority=priority)


@pytest.mark.parametrize('name', ['simple', 'so101'])
def test_many_closest_poses_do_not_take_the_slow_path(name, monkeypatch):
    rows = []
    monkeypatch.setattr(batch.RowSolver, 'solve_one', lambda _, row: rows.append(row))
    arm, rng = Arm.preset(name), np.random.default_rng(5)
    _, position, up, _ = tool_poses(arm, rng, (3000,))
    arm.solve_batch(position * 1.5, up + 0.3 * directions(rng, (3000,)))
    arm.solve_batch(position * 1.5)
    assert len(rows) < 30


@pytest.mark.parametrize('elbow', ['up', 'down'])
def test_a_straight_elbow_is_on_the_wanted_side_whatever_rounding_says(elbow):
    offsets = {'shoulder': 0.7, 'elbow': 0.3, 'wrist': -0.4}
    arm, rng = make_arm(offsets=offsets), np.random.default_rng(2)
    outwards = rng.normal(size=(300, 3))
    outwards /= np.linalg.norm(outwards, axis=1)[:, None]
    for distance in (0.32, 0.5):  # just reached and too far
        for ups in (outwards, None):
            found = arm.solve_batch(distance * outwards, ups, elbow=elbow)
            for i, u in enumerate(outwards):
                target = Target(distance * u, None if ups is None else u)
                one, nearest = arm.solve(target, elbow=elbow), arm.solve(target)
                assert 'wanted side' not in one.reason
                assert one.q == pytest.approx(nearest.q, abs=2e-7)
                assert one.q == pytest.approx(found.q[i], abs=2e-7)


@pytest.mark.parametrize('elbow, sign', [('up', -1), ('down', 1)])
def test_of_two_elbows_as_near_to_a_target_too_close_the_one_asked_for_is_taken(
        elbow, sign, as_columns):
    arm = make_arm(elbow=(-0.5, 0.5), wrist=(-0.1, 0.1), everywhere=(-3.1, 3.1))
    near = 0.0, pi / 4 + 0.2 * sign, -0.5 * sign, -0.1 * sign
    found = assert_same_as_one_by_one(
        arm, [(0.18, 0.0, 0.18)], [(1.0, 0.0, 1.0)], None, [near], elbow=elbow)
    assert found.q[0, 2] == pytest.approx(0.5 * sign)
    assert not as_columns
