# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The fast path gives the general solver's answers, and takes most ordinary targets."""

from math import cos, inf, nan, radians, sin
from random import Random

from arm_ik import Arm, Status, Target
from judged_arms import ExactArm, make_arm, random_arm
import pytest

EXACTLY = (1e-9, 1e-9)
AS_A_NODE = (1e-4, 1e-3)
BRANCH_TOLERANCE = (0.001, radians(2.0))

PRESETS = ('simple', 'so101', 'px100', 'rx150', 'braccio', 'roarm_m3')

up_or_pose = pytest.mark.parametrize('forward', [False, True], ids=['up', 'up and forward'])
hysteresis = pytest.mark.parametrize(
    'branch_tolerance', [None, BRANCH_TOLERANCE], ids=['best', 'branch hysteresis'])


def fast_answer(arm, target, near, tolerances=EXACTLY, branch_tolerance=None):
    return arm.solver.solve_fast(target, near, *tolerances, branch_tolerance)


def both(arm, target, near, tolerances=EXACTLY, branch_tolerance=None):
    """Return the fast answer, None where it leaves the target, and the general one."""
    return (fast_answer(arm, target, near, tolerances, branch_tolerance),
            arm.solver.solve_generally(target, near, 'nearest', 'position', *tolerances, None,
                                       branch_tolerance))


def assert_alike(fast, general):
    assert (fast.status, fast.reason, fast.limited_by) == (
        general.status, general.reason, general.limited_by)
    assert fast.q == pytest.approx(general.q, abs=1e-8)
    assert fast.step_rad == pytest.approx(general.step_rad, abs=1e-8)
    for error in ('position_error_m', 'up_error_rad', 'forward_error_rad'):
        assert getattr(fast, error) == pytest.approx(getattr(general, error), abs=1e-9)


def reachable(arm, seed, count, astray, forward=False):
    """Yield targets inside the limits with positions to stay near to, ``astray`` [rad] off."""
    random = Random(seed)
    for i in range(count):
        q = [random.uniform(low, high) for low, high in zip(arm.lower, arm.upper)]
        if i % 2:
            near = [position + random.uniform(-astray, astray) for position in q]
        else:
            near = [random.uniform(low - astray, high + astray)
                    for low, high in zip(arm.lower, arm.upper)]
        pose = arm.forward(q)
        yield Target(pose.position, pose.up, pose.rotation[:, 0] if forward else None), tuple(near)


def taken(arm, targets, *options):
    """Return how many of targets the fast path takes, each answered as the general solver does."""
    count = 0
    for target, near in targets:
        if fast_answer(arm, target, near, *options) is not None:
            count += 1
            assert_alike(*both(arm, target, near, *options))
    return count


@up_or_pose
@hysteresis
@pytest.mark.parametrize('kind', ['yaw', 'yaw_wrist_roll'])
@pytest.mark.parametrize('astray, tolerances, share', [
    (1.0, EXACTLY, 0.02), (0.3, EXACTLY, 0.45), (0.05, AS_A_NODE, 0.5)])
def test_it_gives_the_general_answers_on_random_arms(
        kind, forward, branch_tolerance, astray, tolerances, share):
    count = 0
    for seed in range(30):
        arm = random_arm(kind, seed)
        count += taken(arm, reachable(arm, seed, 16, astray, forward), tolerances,
                       branch_tolerance)
    assert count > 30 * 16 * (0.9 if branch_tolerance is None else share)


@up_or_pose
@hysteresis
@pytest.mark.parametrize('name', PRESETS)
def test_it_gives_the_general_answers_on_presets(name, forward, branch_tolerance):
    arm = ExactArm.preset(name)
    assert taken(arm, reachable(arm, 3, 100, 0.3, forward), EXACTLY, branch_tolerance) > 45


@up_or_pose
@pytest.mark.parametrize('name', PRESETS)
def test_it_takes_nearly_every_reachable_target_of_a_preset(name, forward):
    arm = ExactArm.preset(name)
    count = sum(fast_answer(arm, target, near) is not None
                for target, near in reachable(arm, 5, 400, 0.0, forward))
    assert count >= 396


@up_or_pose
@pytest.mark.parametrize('name', PRESETS)
def test_it_takes_nearly_every_target_of_a_stream_with_branch_hysteresis(name, forward):
    arm, random, count = ExactArm.preset(name), Random(6), 0
    for target, near in reachable(arm, 6, 400, 0.1, forward):
        near = arm.solve(target).q
        near = tuple([position + random.uniform(-0.1, 0.1) for position in near])
        count += fast_answer(arm, target, near, EXACTLY, BRANCH_TOLERANCE) is not None
    assert count >= 380


@up_or_pose
def test_it_gives_the_general_answers_where_joints_turn_more_than_once(forward):
    arm = make_arm('yaw_wrist_roll', everywhere=(-7.0, 8.0))
    assert taken(arm, reachable(arm, 6, 300, 0.0, forward)) > 250


@up_or_pose
def test_it_gives_the_general_answers_above_a_floor(forward):
    arm = make_arm('yaw_wrist_roll', floor_height=0.0, base_height=0.1)
    assert 50 < taken(arm, reachable(arm, 8, 300, 0.0, forward)) < 250


def tilted(vector, axis, angle):
    """Return a vector turned by an angle [rad] about an axis across it."""
    x, y, z = vector
    a, b, c = axis
    across = (b * z - c * y, c * x - a * z, a * y - b * x)
    return [cos(angle) * v + sin(angle) * w for v, w in zip(vector, across)]


@up_or_pose
def test_it_gives_the_general_answers_where_the_up_vector_is_within_its_tolerance(forward):
    # Out of the plane by more than the tolerance or less: beside the axis by different angles.
    for lateral in (0.0, 2e-4, 0.03):
        arm, random, count = make_arm('yaw_wrist_roll', lateral=lateral), Random(1), 0
        for target, near in reachable(arm, 7, 200, 0.3, forward):
            x = arm.forward(arm.solve(target).q).rotation[:, 0]
            up = tilted(target.up, x, random.uniform(-2e-3, 2e-3))
            target = Target(target.position, up, target.forward and tuple(x))
            count += taken(arm, [(target, near)], AS_A_NODE)
        assert 20 < count < 180


@pytest.mark.parametrize('upper, relaxed', [(1.0, 20), (3.5, 0)])
def test_it_gives_the_general_answers_where_the_wrist_roll_is_at_a_limit(upper, relaxed):
    # Up to 3.5 rad another plane may serve the forward vector.
    arm, random, statuses = make_arm('yaw_wrist_roll', wrist_roll=(-1.0, upper)), Random(2), []
    for target, near in reachable(arm, 9, 300, 0.3, forward=True):
        roll = random.choice([-1.0, upper]) + random.uniform(-2e-3, 2e-3)
        forward = arm.forward((*arm.solve(target, near).q[:4], roll)).rotation[:, 0]
        target, near = Target(target.position, target.up, forward), (*near[:4], roll)
        taken(arm, [(target, near)], AS_A_NODE)
        statuses.append(arm.solve(
            target, near, position_tolerance=AS_A_NODE[0], up_tolerance=AS_A_NODE[1]).status)
    assert statuses.count(Status.REACHED) > 20
    assert statuses.count(Status.FORWARD_RELAXED) >= relaxed


@pytest.mark.parametrize('joint', [1, 2, 3])
def test_it_gives_the_general_answers_where_a_joint_is_at_a_limit(joint):
    arm, random = make_arm(everywhere=(-1.5, 1.5)), Random(3)
    for target, near in reachable(arm, 4, 100, 0.3):
        q = list(arm.solve(target, near).q)
        q[joint] = 1.5 + random.uniform(-2e-7, 2e-7)
        pose = arm.forward(q)
        taken(arm, [(Target(pose.position, pose.up), tuple(q))], AS_A_NODE)


def test_where_the_wrist_roll_has_the_farthest_to_go_the_yaw_decides():
    arm, differ = make_arm('yaw_wrist_roll'), 0
    for target, near in reachable(arm, 9, 300, 0.0):
        far = (*near[:4], arm.upper[4] + 7.0)
        fast, general = both(arm, target, far)
        if fast is not None:
            assert_alike(fast, general)
        nearest = both(arm, target, near)[1]
        differ += abs(general.q[2] - nearest.q[2]) > 1e-8
    assert differ > 10


def test_where_the_yaw_has_the_farthest_to_go_the_elbow_is_not_flipped():
    arm = make_arm()
    for bend in (0.4, -0.4):
        pose = arm.forward((1.4, 0.4, bend, -0.3))
        target, near = Target(pose.position, pose.up), (0.0, 0.5, bend, -0.2)
        for solution in both(arm, target, near):
            assert solution.q[2] * bend > 0.0
        batch = arm.solve_batch(pose.position, pose.up, near=near)
        assert batch.q[2] * bend > 0.0


def test_branch_hysteresis_keeps_the_bend_where_the_other_is_much_nearer():
    arm, near = make_arm(), (0.2, 1.025, 0.005, 0.325)
    pose = arm.forward((0.2, 1.0, -0.02, 0.3))
    target = Target(pose.position, pose.up)
    for solution in both(arm, target, near, EXACTLY, BRANCH_TOLERANCE):
        assert solution.q == pytest.approx((0.2, 0.98, 0.02, 0.28))


@pytest.mark.parametrize('arm', [make_arm('roll'), make_arm('tilt')])
def test_arms_without_ordinary_targets_have_no_fast_path(arm):
    assert arm.solver.fast is None


def test_what_is_not_ordinary_is_left_to_the_general_solver():
    arm = make_arm()
    straight, folded = (0.3, 0.2, 0.0, 0.4), (0.3, 0.2, 3.1415926, 0.4)
    for q in (straight, folded):
        pose = arm.forward(q)
        assert both(arm, Target(pose.position, pose.up), q)[0] is None
    for target in (Target((0, 0, 0.2), (0, 0, 1)), Target((0.2, 0, 0), (0, 1, 0)),
                   Target((1e300, 0, 0), (1, 0, 0)), Target((0.4, 0, 0.1), (1, 0, 0)),
                   Target((3e-6, 0, 0.2), (0.6, 0, 0.8)), Target((0.2, 0, 0.1))):
        assert both(arm, target, (0.0,) * 4)[0] is None


@pytest.mark.parametrize('bad', [nan, inf])
def test_a_wrist_roll_that_is_nowhere_is_left_to_who_refuses_it(bad):
    arm = make_arm('yaw_wrist_roll')
    pose = arm.forward((0.3, 0.5, 0.6, 0.2, 0.1))
    target = Target(pose.position, pose.up)
    assert fast_answer(arm, target, (0.3, 0.5, 0.6, 0.2, bad)) is None
    with pytest.raises(ValueError, match='finite'):
        arm.solve(target, (0.3, 0.5, 0.6, 0.2, bad))


def test_a_joint_that_is_nowhere_is_left_to_who_refuses_it():
    arm, target = Arm.preset('px100'), Target((0.15, 0.05, 0.1), (0.0, 0.0, -1.0))
    for joint in range(4):
        near = tuple(inf if i == joint else 0.0 for i in range(4))
        with pytest.raises(ValueError, match='finite'):
            arm.solve(target, near)


def test_a_yaw_put_on_its_limit_is_passed_over_for_an_exact_branch():
    arm, azimuth = make_arm(yaw=(-3.0, 1.0)), 1.0 + 5e-8
    target = Target((0.2 * cos(azimuth), 0.2 * sin(azimuth), 0.1), (0.0, 0.0, 1.0))
    solution = Arm(arm.model).solve(target, (1.0, 1.0, -1.0, 1.0))
    assert solution.reached and solution.position_error_m < 1e-12


def test_a_wrist_roll_put_on_its_limit_is_passed_over_for_an_exact_branch():
    arm, near = make_arm('yaw_wrist_roll', wrist_roll=(-2.5, 1.0)), (0.0, 1.0, -1.0, 1.0, 0.9)
    free = make_arm('yaw_wrist_roll').forward((0.0, 1.0, -1.0, 1.5, 1.0 + 5e-8))
    solution = Arm(arm.model).solve(Target(free.position, free.up, free.rotation[:, 0]), near)
    assert solution.reached and solution.forward_error_rad < 1e-12
