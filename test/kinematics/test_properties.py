# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What holds for any arm, any numbers and any options, searched for a counterexample."""

from math import isfinite, pi
from random import Random

from arm_ik import Status, Target
from arm_ik.description import preset_names
from hypothesis import assume, given, settings
from hypothesis.strategies import (
    booleans, composite, fixed_dictionaries, floats, integers, none, one_of, sampled_from, tuples)
from judged_arms import EXACT, ExactArm, inside, Judge, KINDS, make_arm, random_arm, step
import numpy as np
from optimum_cases import ARMS

kinds = sampled_from(sorted(KINDS))
#: Angles that degenerate poses are made of turn up as often as others.
angles = one_of(floats(-pi, pi), sampled_from([0.0, pi / 2, -pi / 2, pi, -pi, pi / 4, 1e-9]))
coordinates = one_of(floats(-0.6, 0.6), sampled_from([0.0, 0.12, -0.12, 1e-12, 5.0]))
components = one_of(floats(-1.0, 1.0), sampled_from([0.0, 1.0, -1.0, 1e-9]))
#: Numbers whose squares are infinite or zero, and the ends of the range of floats.
EXTREMES = [sign * value for value in (1e6, 1e160, 1e308, 1e-160, 5e-324) for sign in (1, -1)]
tolerances = sampled_from([1e-9, 1e-6, 1e-3, 0.1])
options = fixed_dictionaries({
    'elbow': sampled_from(['nearest', 'nearest', 'up', 'down']),
    'priority': sampled_from(['position', 'up']),
    'position_tolerance': tolerances, 'up_tolerance': tolerances,
    'elevation': one_of(none(), none(), angles),
    'branch_tolerance': one_of(none(), none(), tuples(tolerances, tolerances))})

PRESETS = [ExactArm.preset(name) for name in preset_names()]


@composite
def arms(draw, floors=booleans()):
    """
    Draw an arm.

    One that comes with the package, one of many random ones, one with limits that are hard on the
    solver, or a plain one, where degenerate poses abound; maybe above a floor.
    """
    kind, seed, sort = draw(kinds), draw(integers(0, 50)), draw(integers(0, 5))
    if sort == 0:
        return draw(sampled_from(PRESETS))
    if sort == 1:
        return random_arm(kind, seed)
    if sort < 4:
        return draw(sampled_from(list(ARMS.values())))(kind, seed, Random(seed), draw(floors))
    return make_arm(kind, shoulder_offset=draw(sampled_from([0.0, 0.03])),
                    base_height=draw(sampled_from([0.0, 0.1])))


@composite
def targets(draw, coordinates=coordinates):
    """Draw any target, reachable or not."""
    position = [draw(coordinates) for _ in range(3)]
    vectors = []
    for _ in range(2):
        vector = [draw(components) for _ in range(3)]
        vectors.append(vector if any(vector) and draw(integers(0, 3)) else None)
    up, forward = vectors
    if up and forward and np.linalg.norm(np.cross(up, forward)) < 1e-6:
        forward = None
    return Target(position, up, forward)


def readings(draw, arm):
    """Draw readings inside the limits, at their ends and at canonical angles of note."""
    q = []
    for joint in arm.model.joints:
        reading = joint.position(draw(angles))
        turned = joint.lower + (reading - joint.lower) % (2 * pi)
        ends = sampled_from([joint.lower, joint.upper])
        q.append(turned if turned <= joint.upper else draw(ends))
    return tuple(q)


@composite
def arms_with_readings(draw, poses=1, floors=booleans()):
    arm = draw(arms(floors))
    return (arm, *[readings(draw, arm) for _ in range(poses)])


def searched(examples):
    """Search the same examples every time; a machine may be busy."""
    return settings(max_examples=examples, deadline=None, derandomize=True)


def above_the_floor(arm, judge, q):
    """Tell whether elbow, wrist and tip are above the arm's floor."""
    floor = arm.model.floor_height
    if floor is None:
        return True
    joints = [joint.name for joint in arm.model.joints if joint.role in ('elbow', 'wrist')]
    lowest = min([judge.pose(q)[2, 3], *[judge.point(q, joint)[2] for joint in joints]])
    return lowest >= floor - EXACT


def assert_measured(arm, judge, target, solution, near, tolerances=(EXACT, EXACT)):
    """Fail unless an answer is finite, inside the limits, and reports its errors correctly."""
    assert len(solution.q) == len(near) and all(map(isfinite, solution.q))
    assert inside(arm, solution.q), (arm.lower, solution.q, arm.upper)
    position, up, forward = judge.errors(solution.q, target)
    along = judge.pose(solution.q)[:3, 2]
    if target.forward and np.linalg.norm(np.cross(along, target.forward)) < 1e-3:
        # Forward along the real up vector: the turn is undefined, or nearly so.
        forward = solution.forward_error_rad
    if up > pi - 1e-3:
        # Of an up vector that is nearly opposite no rotation is the smallest.
        forward = solution.forward_error_rad
    said = solution.position_error_m, solution.up_error_rad, solution.forward_error_rad
    assert np.allclose(said, (position, up, forward), rtol=0.0, atol=1e-12)
    # What is within rounding of a tolerance may be either side of it.
    assume(all(abs(error - tolerance) > 1e-12 for error, tolerance in zip(
        (position, up, forward), (*tolerances, tolerances[1]))))
    expected = Status.REACHED
    if position > tolerances[0]:
        expected = Status.POSITION_RELAXED
    elif up > tolerances[1]:
        expected = Status.UP_RELAXED
    elif forward > tolerances[1] and 'wrist_roll' in arm.model.roles:
        expected = Status.FORWARD_RELAXED
    assert solution.status is expected, (solution, position, up, forward)
    assert solution.reached == (expected is Status.REACHED)
    assert solution.step_rad == step(solution.q, near)
    assert set(solution.limited_by) <= set(arm.joint_names)
    assert len(set(solution.limited_by)) == len(solution.limited_by)


@given(arms_with_readings(2))
@searched(120)
def test_what_forward_kinematics_says_solving_undoes(drawn):
    arm, q, near = drawn
    judge = Judge(arm, thorough=False)
    assume(above_the_floor(arm, judge, q))
    pose = arm.forward(q)
    target = Target(pose.position, pose.up,
                    pose.rotation[:, 0] if 'wrist_roll' in arm.model.roles else None)
    solution = arm.solve(target, near)
    assert solution.status is Status.REACHED, (solution, q, near)
    assert inside(arm, solution.q)
    assert max(judge.errors(solution.q, target)) <= EXACT


@given(arms_with_readings(), targets(), options)
@searched(120)
def test_whatever_is_asked_for_the_answer_is_what_it_says_it_is(drawn, target, options):
    arm, near = drawn
    judge = Judge(arm, thorough=False)
    solution = arm.solve(target, near, **options)
    assert_measured(arm, judge, target, solution, near,
                    (options['position_tolerance'], options['up_tolerance']))
    if solution.reached and options['elbow'] == 'nearest':
        assert solution.reason == '' or (
            options['elevation'] is not None and solution.reason.startswith('elevation '))
    if not solution.reached:
        assert solution.reason
    assert not any(word in solution.reason for word in ('nan', 'inf', 'None'))


@given(arms_with_readings(), targets(), sampled_from(['position', 'up']))
@searched(100)
def test_no_answer_is_farther_off_than_where_the_arm_rests(drawn, target, priority):
    arm, near = drawn
    judge = Judge(arm, thorough=False)
    solution = arm.solve(target, near, priority=priority)
    first = 0 if priority == 'position' else 1
    for q in (near, arm.home):
        if above_the_floor(arm, judge, q):
            assert judge.errors(solution.q, target)[first] <= \
                judge.errors(q, target)[first] + EXACT
            assert above_the_floor(arm, judge, solution.q), (solution, q)


@given(arms(), targets(), integers(0, 1000))
@searched(50)
def test_the_arm_may_be_anywhere_even_past_its_limits(arm, target, seed):
    random = Random(seed)
    near = tuple([random.uniform(-20.0, 20.0) for _ in arm.lower])
    solution = arm.solve(target, near)
    assert_measured(arm, Judge(arm, thorough=False), target, solution, near)


@given(arms_with_readings(), targets(one_of(coordinates, sampled_from(EXTREMES), floats(
    allow_nan=False, allow_infinity=False))), options)
@searched(100)
def test_the_unreachable_is_a_status_and_never_an_exception(drawn, target, options):
    arm, near = drawn
    solution = arm.solve(target, near, **options)
    assert isinstance(solution.status, Status)
    assert inside(arm, solution.q) and all(map(isfinite, solution.q))
    assert not any(error != error for error in solution[2:5])
    reach = arm.model.reach + abs(arm.model.shoulder_offset) + abs(arm.model.lateral)
    base = (arm.model.base_x, arm.model.base_y, arm.model.base_height)
    if max(abs(a - b) for a, b in zip(target.position, base)) > reach + 0.11:
        assert solution.status is Status.POSITION_RELAXED and solution.reason


@given(arms_with_readings(), targets(), options)
@searched(20)
def test_the_same_question_gets_the_same_answer_and_stays_as_it_was(drawn, target, options):
    arm, near = drawn
    home, limits = arm.home, (arm.lower, arm.upper)
    question = repr((target, near))
    first = arm.solve(target, near, **options)
    assert arm.solve(target, near, **options) == first
    assert repr((target, near)) == question
    assert (arm.home, (arm.lower, arm.upper)) == (home, limits)
    # Another arm of the same model knows nothing of what was asked before.
    assert ExactArm(arm.model).solve(target, near, **options) == first


@given(arms_with_readings(), targets())
@searched(60)
def test_every_branch_says_truly_what_it_is(drawn, target):
    arm, near = drawn
    judge = Judge(arm, thorough=False)
    branches = arm.solutions(target, near)
    for solution in branches:
        assert_measured(arm, judge, target, solution, near)
    statuses = [solution.status for solution in branches]
    assert statuses == sorted(statuses)


def test_solving_again_from_the_answer_stays_there():
    # Rounding of the target must not make the arm creep.
    for kind in KINDS:
        for seed in range(3):
            arm, random = random_arm(kind, seed), Random(seed)
            target = Target([random.uniform(-0.3, 0.3) for _ in range(3)],
                            [random.gauss(0, 1) for _ in range(3)])
            first = arm.solve(target)
            again = arm.solve(target, near=first.q)
            assert again.position_error_m <= first.position_error_m + EXACT
            if first.reached:
                assert step(again.q, first.q) < 1e-6
