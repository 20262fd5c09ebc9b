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

#: Kinds whose base only yaws: the others go one by one.
UPRIGHT = ('yaw', 'yaw_wrist_roll')

#: Positions agree to this [rad]: the elbow of a straight arm is known to no more than 1e-8.
SAME_POSITION = 2e-7

#: Errors agree to this [m, rad]: what counts as a tie.
SAME_ERROR = 1e-9


@pytest.fixture(autouse=True)
def one_by_one(monkeypatch):
    """Make even one row go as a column; return the number of rows that went one by one."""
    monkeypatch.setattr(batch, 'FEW', 0)
    counts, solve = [], batch.RowSolver.solve_one_by_one

    def noted(solver, rows):
        counts.append(rows.stop - rows.start if isinstance(rows, slice) else len(rows))
        solve(solver, rows)

    monkeypatch.setattr(batch.RowSolver, 'solve_one_by_one', noted)
    return counts


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


def above(arm, q):
    """Return the heights of elbow, wrist and tip [m] at rows of positions."""
    return np.array([heights(arm.solver.geometry, row) for row in q.tolist()])


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
    {'elbow': 'up'}, {'elbow': 'down'}, {'priority': 'up'}, {'priority': 'up', 'elbow': 'up'},
    {'branch_tolerance': (0.001, 0.05)}])
@pytest.mark.parametrize('kind', KINDS)
def test_options_mean_the_same(kind, options):
    rng = np.random.default_rng(4)
    arm = random_arm(kind, 4)
    # With a branch tolerance all go one by one.
    count = 4 if 'branch_tolerance' in options else 20
    _, positions, ups, _ = tool_poses(arm, rng, (count,))
    ups[:count // 5 + 1] += 0.1 * directions(rng, (count // 5 + 1,))
    assert_same_as_one_by_one(arm, positions, ups, None, random_near(arm, rng), **options)


def test_an_up_vector_that_comes_first_is_met_in_full_whatever_the_tolerance():
    arm, rng = make_arm(shoulder=(0.2, 3.0)), np.random.default_rng(325)
    _, positions, ups, _ = tool_poses(arm, rng, (20,))
    found = assert_same_as_one_by_one(arm, positions, ups + rng.normal(0.0, 3e-4, ups.shape),
                                      priority='up', up_tolerance=1e-3)
    assert found.up_error_rad.max() < SAME_ERROR


@pytest.mark.parametrize('kind', KINDS)
def test_tolerances_decide_the_status_alone(kind):
    rng = np.random.default_rng(23)
    arm = random_arm(kind, 5)
    _, positions, ups, forwards = tool_poses(arm, rng, (60,))
    exact = arm.solve_batch(positions, ups, forwards, position_tolerance=1e-9, up_tolerance=1e-9)
    loose = arm.solve_batch(positions, ups, forwards, position_tolerance=0.1, up_tolerance=1.0)
    none = arm.solve_batch(positions, ups, forwards, position_tolerance=0.0, up_tolerance=0.0)
    assert (exact.q == loose.q).all() and (exact.q == none.q).all()
    assert exact.reached.all() and loose.reached.all()
    for name, status in (('position_error_m', Status.POSITION_RELAXED),
                         ('up_error_rad', Status.UP_RELAXED)):
        missed = getattr(none, name) > 0.0
        assert missed.any() and (none.status[missed] >= status).all()


@pytest.mark.parametrize('elbow, sign', [('up', -1.0), ('down', 1.0)])
def test_the_elbow_asked_for_is_taken_or_else_the_other(elbow, sign):
    arm = make_arm(elbow=(-1.0, 2.0), everywhere=(-3.1, 3.1))
    q = np.zeros((60, 4))
    q[:, 1], q[:, 2] = 0.5, np.linspace(-0.9, 1.9, 60)
    pose = arm.forward(q)
    found = assert_same_as_one_by_one(arm, pose.position, pose.up, None, q, elbow=elbow)
    both = np.abs(q[:, 2]) < 1.0
    assert (np.sign(found.q[both, 2]) == sign).all() and found.reached.all()
    assert (np.sign(found.q[~both, 2]) == 1.0).all()


@pytest.mark.parametrize('kind', KINDS)
def test_where_the_yaw_travels_farthest_the_rest_moves_as_little_as_one_by_one(kind):
    arm, rng = make_arm(kind), np.random.default_rng(17)
    q = rng.uniform(-1.0, 1.0, (40, len(arm.home)))
    pose, near = arm.forward(q), q.copy()
    near[:, 0] += 2.5
    near[:, 1:] += rng.uniform(-1.2, 1.2, near[:, 1:].shape)
    found = assert_same_as_one_by_one(arm, pose.position, pose.up, None, near)
    # Both bends of the elbow tie in the largest step, which is the yaw's: the test is about those.
    assert (np.abs(found.q - near)[:, 0] == found.step_rad).sum() > 5


@pytest.mark.parametrize('kind', UPRIGHT)
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
    q[:, index] = middle + 5e-9
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


@pytest.mark.parametrize('elevation', [None, 0.4, -1.0])
@pytest.mark.parametrize('kind', ['yaw', 'yaw_wrist_roll', 'roll'])
def test_targets_without_an_up_vector_are_solved_alike(kind, elevation):
    arm, rng = random_arm(kind, 10), np.random.default_rng(10)
    count = 60 if kind != 'roll' else 6
    q, positions, _, forwards = tool_poses(arm, rng, (count,))
    near = q + rng.uniform(-0.1, 0.1, q.shape)
    for vectors in (None, forwards):
        found = assert_same_as_one_by_one(
            arm, positions, None, vectors, near, elevation=elevation)
        assert not (found.status == Status.POSITION_RELAXED).any()


def test_blocks_of_any_size_give_the_same():
    arm = random_arm('yaw', 12)
    _, positions, ups, _ = tool_poses(arm, np.random.default_rng(12), (50,))
    positions[5::20] *= 3.0
    whole = arm.solve_batch(positions, ups)
    for chunk_size in (1, 7, 50, 51):
        blocks = arm.solve_batch(positions, ups, chunk_size=chunk_size)
        for a, b in zip(whole, blocks):
            assert a == pytest.approx(b, abs=1e-12)


@pytest.mark.parametrize('kind', UPRIGHT)
def test_targets_in_reach_do_not_go_one_by_one(kind, one_by_one):
    arm = random_arm(kind, 13)
    _, positions, ups, forwards = tool_poses(arm, np.random.default_rng(13), (1000,))
    arm.solve_batch(positions, ups)
    arm.solve_batch(positions, ups, forwards)
    # Some of many happen to be within a hair of a degenerate one.
    assert sum(one_by_one) <= 10


def test_up_vectors_missed_by_no_more_than_the_plane_must_go_as_columns(one_by_one):
    arm, rng = Arm.preset('so101'), np.random.default_rng(20)
    _, positions, ups, _ = tool_poses(arm, rng, (300,))
    away = positions[:, :2] - (arm.model.base_x, arm.model.base_y)
    away /= np.linalg.norm(away, axis=1)[:, None]
    # Towards or away from the yaw axis; the arm plane passes it at 0.18 mm.
    along = (ups[:, :2] * away).sum(axis=1)
    ups = np.append(away * along[:, None], ups[:, 2:], 1)
    # Aside, so that one plane holds them better than the other, to which the yaw may not get.
    ups[:, :2] += rng.uniform(-2e-3, 2e-3, (300, 1)) * away[:, ::-1] * (1.0, -1.0)
    found = assert_same_as_one_by_one(
        arm, positions, ups, position_tolerance=1e-9, up_tolerance=1e-9)
    # One by one go those for which no branch serves in the better plane.
    assert sum(one_by_one) <= 60
    assert (found.up_error_rad > 1e-5).sum() > 200


def test_few_targets_go_one_by_one_and_many_as_columns(one_by_one, monkeypatch):
    monkeypatch.setattr(batch, 'FEW', 50)
    arm = Arm.preset('so101')
    for count, few in ((50, True), (51, False)):
        _, positions, ups, _ = tool_poses(arm, np.random.default_rng(21), (count,))
        one_by_one.clear()
        arm.solve_batch(positions, ups)
        assert (sum(one_by_one) == count) is few


@pytest.mark.parametrize('limits', [
    {'elbow': (0.4, 0.4)}, {'wrist': (-0.3, -0.3)}, {'shoulder': (1.0, 1.0)}, {'yaw': (0.2, 0.2)},
    {'yaw': (-9.0, 9.0)}, {'shoulder': (-7.0, 7.0), 'wrist': (-7.0, 7.0)},
    {'yaw': (-pi, pi), 'elbow': (-pi, pi)}, {'elbow': (1.0, 1.0), 'wrist': (0.5, 0.5)}])
@pytest.mark.parametrize('floor', [None, -0.05])
def test_limits_of_every_sort_are_kept_alike(limits, floor):
    rng = np.random.default_rng(3)
    for kind, lateral in (('yaw_wrist_roll', 0.002), ('yaw', 0.0)):
        arm = make_arm(kind, lateral=lateral, **{'everywhere': (-2.0, 2.0), **limits})
        if floor is not None and min(heights(arm.solver.geometry, arm.home)) < floor:
            continue
        arm = Arm(replace(arm.model, floor_height=floor))
        _, positions, ups, _ = tool_poses(arm, rng, (16,))
        if floor is None:
            ups[:4] += 0.3 * directions(rng, (4,))
            positions[14:] *= 1.7
        else:
            # Below the floor a closest pose takes long.
            positions[:, 2] = np.maximum(positions[:, 2], floor + 0.01)
        for vectors in (ups, None):
            found = assert_same_as_one_by_one(
                arm, positions, vectors, None, random_near(arm, rng, (16,)))
            assert (found.q >= arm.lower).all() and (found.q <= arm.upper).all()


@pytest.mark.parametrize('lateral', [0.0, 0.03])
def test_targets_on_the_yaw_axis_and_beside_it_are_solved_alike(lateral):
    arm, rng = make_arm('yaw', lateral=lateral), np.random.default_rng(8)
    around = rng.normal(size=(24, 2))
    around *= np.repeat([lateral, lateral + 1e-9, lateral - 1e-9, 0.0, 1e-7, 1e-4], 4)[:, None] \
        / np.hypot(*around.T)[:, None]
    position = np.append(around, rng.uniform(0.1, 0.4, (24, 1)), 1)
    near = random_near(arm, rng, (24,))
    assert_same_as_one_by_one(arm, position, None, None, near)
    assert_same_as_one_by_one(arm, position, directions(rng, (24,)), None, near)


@pytest.mark.parametrize('kind', KINDS)
def test_of_the_branches_those_above_the_floor_are_taken(kind, one_by_one):
    arm, rng = make_arm(kind, base_height=0.02, floor_height=0.0), np.random.default_rng(22)
    free = Arm(replace(arm.model, floor_height=None))
    q = rng.uniform(-2.0, 2.0, (3000, len(arm.home)))
    q = q[above(arm, q).min(axis=1) > 0.01]
    pose, near = arm.forward(q), random_near(arm, rng, (len(q),))
    elbow, _, _ = above(arm, free.solve_batch(pose.position, pose.up, None, near).q).T
    rows = np.flatnonzero(elbow < -0.01)[:15]
    assert len(rows) == 15
    found = assert_same_as_one_by_one(
        arm, pose.position[rows], pose.up[rows], None, near[rows])
    assert found.reached.all() and above(arm, found.q).min() > -1e-8
    assert sum(one_by_one) <= 1 or kind not in UPRIGHT
    # A wrist below the floor, the tip above it: no branch will do.
    found = assert_same_as_one_by_one(arm, [[0.2, 0.0, 0.05]], [[0.0, 0.0, 1.0]], None, near[:1])
    assert not found.reached.any() and above(arm, found.q).min() > -1e-8


def test_targets_so_far_that_squares_overflow_are_solved_alike():
    arm = Arm.preset('simple')
    position = np.array([[1e200, 0.0, 1.0], [3.0, 4.0, 1.0], [0.0, -1e7, 1e300], [1e6, 0.0, 0.0]])
    for up in [1.0, 0.0, 0.0], None:
        found = arm.solve_batch(position, up)
        assert (found.status == Status.POSITION_RELAXED).all()
        assert np.isfinite(found.q).all() and np.isfinite(found.position_error_m).all()


def test_the_input_is_left_as_it_was():
    arm = Arm.preset('so101')
    _, positions, ups, forwards = tool_poses(arm, np.random.default_rng(14), (20,))
    given = [positions, ups * 3.0, forwards * 2.0, np.array(arm.home)]
    copies = [array.copy() for array in given]
    for array in given:
        array.setflags(write=False)
    arm.solve_batch(*given)
    assert all((array == copy).all() for array, copy in zip(given, copies))


@pytest.mark.parametrize('bad, named', [
    ({'positions': [[0.1, 0.0, 0.1], [0.1, nan, 0.1]]}, 'positions[1, 1]'),
    ({'ups': [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]}, 'ups[1]'),
    ({'elbow': 'left'}, 'elbow'),
    ({'priority': 'speed'}, 'priority'),
    ({'chunk_size': 0}, 'chunk_size'),
])
def test_bad_input_is_refused_by_name(bad, named):
    good = {'positions': [[0.1, 0.0, 0.1]] * 2, 'ups': [[0.0, 0.0, 1.0]] * 2}
    with pytest.raises(InvalidInputError) as refused:
        Arm.preset('simple').solve_batch(**{**good, **bad})
    assert refused.value.what == named
