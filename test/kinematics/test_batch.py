# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Many targets at once get the answers they get one by one."""

from dataclasses import replace
from math import nan, pi

from arm_ik import Arm, InvalidInputError, Status, Target
from arm_ik.kinematics.batch import solve as batch
from arm_ik.kinematics.forward import heights
from judged_arms import KINDS, make_arm, random_arm
import numpy as np
import pytest

#: Positions agree to this [rad]: the elbow of a straight arm is known to no more than 1e-8.
SAME_POSITION = 2e-7

#: Errors agree to this [m, rad]: what counts as a tie.
SAME_ERROR = 1e-9


def assert_same_as_one_by_one(arm, positions, ups=None, forwards=None, near=None, **options):
    """Solve as a batch and one by one; return the batch's answer."""
    found = arm.solve_batch(positions, ups, forwards, near, **options)
    options.pop('chunk_size', None)
    shape = found.status.shape
    assert found.q.shape == (*shape, len(arm.home)) and found.status.dtype == np.int8
    arrays = [None if array is None else np.broadcast_to(array, shape + np.shape(array)[-1:])
              for array in (positions, ups, forwards, arm.home if near is None else near)]
    for row in np.ndindex(shape):
        *target, at = [None if array is None else array[row] for array in arrays]
        one = arm.solve(Target(*target), at, **options)
        assert found.status[row] == one.status, (row, target, at, one, found.q[row])
        assert found.q[row] == pytest.approx(one.q, abs=SAME_POSITION), (row, target, at, one)
        for name in ('position_error_m', 'up_error_rad', 'forward_error_rad'):
            # Without an up vector to be met the last link is as good as the positions are.
            loose = ups is None and name == 'forward_error_rad'
            assert getattr(found, name)[row] == pytest.approx(
                getattr(one, name), abs=5 * SAME_POSITION if loose else SAME_ERROR), (
                    name, row, one)
        assert found.step_rad[row] == pytest.approx(one.step_rad, abs=SAME_POSITION)
    return found


def tool_poses(arm, rng, shape):
    """Return random positions inside the limits, and the tool's position, up and forward there."""
    q = rng.uniform(arm.lower, arm.upper, shape + (len(arm.home),))
    pose = arm.forward(q)
    return q, pose.position, pose.up, pose.rotation[..., 0]


def random_near(arm, rng, shape=()):
    """Return random positions, some of them past the limits."""
    lower, upper = np.array(arm.lower), np.array(arm.upper)
    return rng.uniform(lower - 0.5, upper + 0.5, shape + (len(arm.home),))


def directions(rng, shape):
    return rng.normal(size=shape + (3,))


@pytest.mark.parametrize('shape', [(), (1,), (7,), (3, 1, 2), (0,)])
@pytest.mark.parametrize('kind', KINDS)
def test_shapes_are_kept_and_answers_are_those_of_one_by_one(kind, shape):
    rng = np.random.default_rng(1)
    arm = random_arm(kind, 1)
    _, positions, ups, forwards = tool_poses(arm, rng, shape)
    found = assert_same_as_one_by_one(arm, positions, ups, forwards, random_near(arm, rng, shape))
    assert found.reached.all() and found.reached.shape == shape


@pytest.mark.parametrize('kind', KINDS)
def test_reachable_targets_of_random_arms_are_all_reached(kind):
    rng = np.random.default_rng(2)
    for seed in range(12):
        arm = random_arm(kind, seed)
        _, positions, ups, forwards = tool_poses(arm, rng, (60,))
        found = assert_same_as_one_by_one(
            arm, positions, ups, forwards, random_near(arm, rng, (60,)))
        assert found.reached.all()
        assert (found.q >= arm.lower).all() and (found.q <= arm.upper).all()
        pose = arm.forward(found.q)
        assert np.abs(pose.position - positions).max() < 1e-12
        assert np.abs(pose.up - ups).max() < 1e-12


@pytest.mark.parametrize('kind', KINDS)
def test_up_and_forward_vectors_that_arms_cannot_serve_are_relaxed_alike(kind):
    rng = np.random.default_rng(3)
    statuses = set()
    for seed in range(4):
        arm = random_arm(kind, seed)
        _, positions, ups, _ = tool_poses(arm, rng, (8,))
        ups[::2] += 0.5 * directions(rng, (4,))
        found = assert_same_as_one_by_one(arm, positions, ups, directions(rng, (8,)))
        statuses |= set(found.status.tolist())
    # The cases are there: without them the test says nothing.
    assert Status.REACHED in statuses or kind.endswith('wrist_roll')
    assert Status.FORWARD_RELAXED in statuses or not kind.endswith('wrist_roll')
    assert statuses & {Status.UP_RELAXED, Status.POSITION_RELAXED}


@pytest.mark.parametrize('options', [
    {'elbow': 'up'}, {'elbow': 'down'}, {'priority': 'up'},
    {'position_tolerance': 1e-4, 'up_tolerance': 0.2}, {'elbow': 'up', 'up_tolerance': 0.2}])
@pytest.mark.parametrize('kind', KINDS)
def test_options_mean_the_same(kind, options):
    rng = np.random.default_rng(4)
    arm = random_arm(kind, 4)
    _, positions, ups, _ = tool_poses(arm, rng, (20,))
    ups[:4] += 0.1 * directions(rng, (4,))
    assert_same_as_one_by_one(arm, positions, ups, None, random_near(arm, rng), **options)


@pytest.mark.parametrize('kind', KINDS)
def test_unreachable_targets_between_reachable_ones_get_their_closest_pose(kind):
    rng = np.random.default_rng(5)
    arm = random_arm(kind, 4)
    _, positions, ups, forwards = tool_poses(arm, rng, (9,))
    positions[4] += 3.0
    positions[7] += (0.0, 0.0, -2.0)
    found = assert_same_as_one_by_one(arm, positions, ups, forwards)
    assert (np.nonzero(found.status == Status.POSITION_RELAXED)[0] == [4, 7]).all()


@pytest.mark.parametrize('kind', KINDS)
def test_where_the_yaw_travels_farthest_the_rest_moves_as_little_as_one_by_one(kind):
    arm, rng = make_arm(kind), np.random.default_rng(17)
    q = rng.uniform(-1.0, 1.0, (40, len(arm.home)))
    pose, near = arm.forward(q), q.copy()
    near[:, 0] += 2.0
    found = assert_same_as_one_by_one(arm, pose.position, pose.up, None, near)
    # Both bends of the elbow tie in the largest step, which is the yaw's: the test is about those.
    assert (np.abs(found.q - near)[:, 0] == found.step_rad).sum() > 5


@pytest.mark.parametrize('kind', ['yaw', 'yaw_wrist_roll'])
def test_the_plane_over_the_back_is_weighed_where_it_is_nearer_than_half_a_turn(kind):
    arm, rng = make_arm(kind, lateral=0.06), np.random.default_rng(18)
    q = np.zeros((200, len(arm.home)))
    q[:, 1], q[:, 2] = rng.uniform(0.3, 2.8, 200), rng.uniform(-2.5, 2.5, 200)
    q[:, 3] = 0.5 * pi - q[:, 1] - q[:, 2]
    pose, near = arm.forward(q), rng.uniform(-1.5, 1.5, q.shape)
    near[:, 0], near[:, 1] = rng.uniform(-pi, pi, 200), near[:, 1] + 0.5 * pi
    found = assert_same_as_one_by_one(arm, pose.position, pose.up, None, near)
    assert 50 < (np.abs(found.q - q)[:, 0] > 0.5).sum() < 150


def test_a_wrist_roll_past_its_limit_counts_as_a_step_too():
    arm, q = make_arm('yaw_wrist_roll', wrist_roll=(-1.0, 1.0)), (0.1, 0.5, -1.0, 0.3)
    pose = arm.forward((*q, 0.0))
    assert arm.solve_batch(pose.position, pose.up, near=(*q, 1.7)).step_rad == pytest.approx(0.7)


def degenerate_targets(arm):
    """Return targets of a plain arm that meet every degenerate case, by rows."""
    reach, up = 0.3, np.array([0.0, 0.0, 1.0])
    at_wrist = np.array(arm.forward(arm.home).position)
    along = np.array([0.6, 0.48, 0.64])
    return [(position, vector) for position, vector in (
        (0.2 * up, up),                                  # e on the yaw axis, u vertical
        (0.2 * up, (1.0, 0.0, 0.0)),                     # e on the yaw axis
        (0.2 * up, (1.0, 0.0, 1.0)),
        ((0.2, 0.0, 0.0), (0.0, 1.0, 0.0)),              # u across the plane
        (0.25 * along, along),                           # p along u
        (0.08 * along, along),                           # p = 0
        ((0.2, 0.1, 0.0), (1.0, -1.0, 0.0)),             # the plane lies flat
        ((0.08, 0.0, 0.2), (1.0, 0.0, 0.0)),             # wrist on the yaw axis
        ((0.1, 0.08, 0.1), (0.0, 1.0, 0.0)),             # hand across the plane
        (at_wrist, (1.0, 0.0, 0.0)),                     # a straight arm
        ((0.32, 0.0, 0.0), (1.0, 0.0, 0.0)),
        (reach * along, along))]


@pytest.mark.parametrize('kind', KINDS)
def test_degenerate_targets_between_ordinary_ones_are_solved_alike(kind):
    rng = np.random.default_rng(6)
    arm = make_arm(kind)
    _, positions, ups, _ = tool_poses(arm, rng, (24,))
    for row, (position, up) in enumerate(degenerate_targets(arm)):
        positions[2 * row], ups[2 * row] = position, up
    near = rng.uniform(-1.0, 1.0, len(arm.home))
    assert_same_as_one_by_one(arm, positions, ups, None, near)


@pytest.mark.parametrize('kind', KINDS)
def test_targets_at_the_very_limits_are_solved_alike(kind):
    rng = np.random.default_rng(7)
    for seed in range(4):
        arm = random_arm(kind, seed)
        q = np.where(rng.random((30, len(arm.home))) < 0.5,
                     rng.uniform(arm.lower, arm.upper, (30, len(arm.home))),
                     np.where(rng.random((30, len(arm.home))) < 0.5, arm.lower, arm.upper))
        pose = arm.forward(q)
        found = assert_same_as_one_by_one(
            arm, pose.position, pose.up, pose.rotation[..., 0], random_near(arm, rng))
        assert found.reached.all()


@pytest.mark.parametrize('kind', ['yaw', 'roll', 'tilt_wrist_roll'])
def test_positions_a_hair_past_a_limit_are_put_on_it(kind):
    rng = np.random.default_rng(8)
    arm = random_arm(kind, 8)
    index = arm.model.roles.index('elbow')
    elbow = arm.model.joints[index]
    middle = 0.5 * (elbow.lower + elbow.upper)
    joints, home = list(arm.model.joints), list(arm.home)
    joints[index], home[index] = replace(elbow, upper=middle), middle
    narrower = Arm(replace(arm.model, joints=joints, home=home))
    q = rng.uniform(narrower.lower, narrower.upper, (20, len(home)))
    q[:, index] = middle + 5e-8
    pose = arm.forward(q)
    found = assert_same_as_one_by_one(narrower, pose.position, pose.up,
                                      position_tolerance=1e-7, up_tolerance=1e-6)
    assert (found.q[:, index] == middle).any()


@pytest.mark.parametrize('kind', KINDS)
def test_a_floor_is_kept_alike(kind):
    rng = np.random.default_rng(9)
    arm = random_arm(kind, 9)
    floor = arm.model.base_height - 0.05
    home = next(q for q in rng.uniform(arm.lower, arm.upper, (200, len(arm.home))).tolist()
                if min(heights(arm.solver.geometry, q)) >= floor)
    arm = Arm(replace(arm.model, home=home, floor_height=floor))
    _, positions, ups, _ = tool_poses(arm, rng, (12,))
    found = assert_same_as_one_by_one(arm, positions, ups)
    assert found.reached.any()


def test_targets_without_an_up_vector_are_solved_alike():
    arm = Arm.preset('so101')
    _, positions, _, _ = tool_poses(arm, np.random.default_rng(10), (5,))
    assert assert_same_as_one_by_one(arm, positions).reached.all()


def test_leading_axes_are_broadcast():
    arm = Arm.preset('simple')
    rng = np.random.default_rng(11)
    _, positions, _, _ = tool_poses(arm, rng, (6,))
    one_up = assert_same_as_one_by_one(arm, positions, (0.0, 0.0, 1.0))
    assert one_up.status.shape == (6,)
    many_near = assert_same_as_one_by_one(
        arm, positions[0], (0.0, 0.0, 1.0), None, random_near(arm, rng, (2, 5)))
    assert many_near.status.shape == (2, 5)


def test_blocks_of_any_size_give_the_same():
    arm = random_arm('yaw', 12)
    _, positions, ups, _ = tool_poses(arm, np.random.default_rng(12), (50,))
    whole = arm.solve_batch(positions, ups)
    for chunk_size in (1, 7, 50, 51):
        blocks = arm.solve_batch(positions, ups, chunk_size=chunk_size)
        for a, b in zip(whole, blocks):
            assert a == pytest.approx(b, abs=1e-12)


@pytest.mark.parametrize('kind', KINDS)
def test_ordinary_targets_do_not_take_the_slow_path(kind, monkeypatch):
    rows = []
    monkeypatch.setattr(batch.RowSolver, 'solve_one', lambda _, row: rows.append(row))
    arm = random_arm(kind, 13)
    _, positions, ups, forwards = tool_poses(arm, np.random.default_rng(13), (1000,))
    arm.solve_batch(positions, ups)
    arm.solve_batch(positions, ups, forwards)
    # Some of many happen to be within a hair of a degenerate one.
    assert len(rows) <= 10


def test_the_input_is_left_as_it_was():
    arm = Arm.preset('so101')
    _, positions, ups, forwards = tool_poses(arm, np.random.default_rng(14), (20,))
    given = [positions, ups * 3.0, forwards * 2.0, np.array(arm.home)]
    copies = [array.copy() for array in given]
    for array in given:
        array.setflags(write=False)
    arm.solve_batch(*given)
    assert all((array == copy).all() for array, copy in zip(given, copies))


def test_vectors_of_any_length_mean_their_direction():
    arm = Arm.preset('so101')
    _, positions, ups, forwards = tool_poses(arm, np.random.default_rng(15), (20,))
    expected = arm.solve_batch(positions, ups, forwards)
    for length in (1e-200, 1e200):
        found = arm.solve_batch(positions, ups * length, forwards * length)
        assert found.reached.all() and found.q == pytest.approx(expected.q, abs=1e-12)


@pytest.mark.parametrize('bad, named', [
    ({'positions': [[0.1, 0.0, 0.1], [0.1, nan, 0.1]]}, 'positions[1, 1]'),
    ({'ups': [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]}, 'ups[1]'),
    ({'ups': [[0.0, np.inf, 1.0], [0.0, 0.0, 1.0]]}, 'ups[0, 1]'),
    ({'forwards': [[0.0, 1.0, 0.0], [0.0, 0.0, -2.0]]}, 'forwards[1]'),
    ({'forwards': [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]}, 'forwards[0]'),
    ({'near': [0.0, 0.0, 0.0]}, 'near'),
    ({'near': [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, nan]]}, 'near[1, 3]'),
    ({'positions': [[0.1, 0.0], [0.1, 0.0]]}, 'positions'),
    ({'positions': 0.1}, 'positions'),
    ({'positions': 'here'}, 'positions'),
    ({'ups': [[0.0, 0.0, 1.0]] * 3}, 'ups'),
    ({'near': [[0.0] * 4] * 5}, 'near'),
    ({'elbow': 'left'}, 'elbow'),
    ({'priority': 'speed'}, 'priority'),
    ({'chunk_size': 0}, 'chunk_size'),
])
def test_bad_input_is_refused_by_name(bad, named):
    good = {'positions': [[0.1, 0.0, 0.1]] * 2, 'ups': [[0.0, 0.0, 1.0]] * 2}
    with pytest.raises(InvalidInputError) as refused:
        Arm.preset('simple').solve_batch(**{**good, **bad})
    assert refused.value.what == named


def test_positions_of_more_than_a_turn_stay_near_row_by_row():
    arm = random_arm('yaw', 16)
    joints = [replace(joint, lower=-4 * pi, upper=4 * pi) for joint in arm.model.joints]
    arm = Arm(replace(arm.model, joints=joints))
    q, positions, ups, _ = tool_poses(arm, np.random.default_rng(16), (40,))
    found = assert_same_as_one_by_one(arm, positions, ups, None, q)
    assert found.step_rad.max() < 1e-6
