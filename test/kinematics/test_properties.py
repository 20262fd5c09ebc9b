# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What holds for any arm and any numbers, searched for a counterexample."""

from math import isfinite, pi
from random import Random

from arm_ik import Status, Target
from hypothesis import given, settings
from hypothesis.strategies import booleans, composite, floats, integers, one_of, sampled_from
from judged_arms import EXACT, inside, Judge, KINDS, make_arm, random_arm, step
import numpy as np

kinds = sampled_from(sorted(KINDS))
#: Angles that degenerate poses are made of turn up as often as others.
angles = one_of(floats(-pi, pi), sampled_from([0.0, pi / 2, -pi / 2, pi, -pi, pi / 4, 1e-9]))
coordinates = one_of(floats(-0.6, 0.6), sampled_from([0.0, 0.12, -0.12, 1e-12, 5.0]))
components = one_of(floats(-1.0, 1.0), sampled_from([0.0, 1.0, -1.0, 1e-9]))


@composite
def arms(draw):
    """Draw one of many random arms, or a plain one, where degenerate poses abound."""
    kind = draw(kinds)
    if draw(booleans()):
        return random_arm(kind, draw(integers(0, 50)))
    offset = draw(sampled_from([0.0, 0.03]))
    return make_arm(kind, shoulder_offset=offset, base_height=draw(sampled_from([0.0, 0.1])))


@composite
def targets(draw):
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
        reading = joint.reading(draw(angles))
        turned = joint.lower + (reading - joint.lower) % (2 * pi)
        ends = sampled_from([joint.lower, joint.upper])
        q.append(turned if turned <= joint.upper else draw(ends))
    return tuple(q)


@composite
def arms_with_readings(draw, poses=1):
    arm = draw(arms())
    return (arm, *[readings(draw, arm) for _ in range(poses)])


def searched(examples):
    """Search the same examples every time; a machine may be busy."""
    return settings(max_examples=examples, deadline=None, derandomize=True)


@given(arms_with_readings(2))
@searched(250)
def test_what_forward_kinematics_says_solving_undoes(drawn):
    arm, q, near = drawn
    pose = arm.forward(q)
    target = Target(pose.position, pose.up)
    solution = arm.solve(target, near)
    assert solution.status is Status.REACHED, (solution, q, near)
    assert inside(arm, solution.q)
    position, up, _ = Judge(arm, thorough=False).errors(solution.q, target)
    assert max(position, up) <= EXACT


@given(arms_with_readings(), targets())
@searched(100)
def test_every_answer_is_inside_the_limits_measured_and_no_farther_than_at_rest(drawn, target):
    arm, near = drawn
    judge = Judge(arm, thorough=False)
    solution = arm.solve(target, near)
    assert all(map(isfinite, solution.q)) and inside(arm, solution.q)
    measured = judge.errors(solution.q, target)
    for said, found in zip(solution[2:5], measured):
        assert abs(said - found) <= 1e-12
    assert solution.reached == (max(measured[:2]) <= EXACT and (
        'wrist_roll' not in arm.model.roles or measured[2] <= EXACT))
    assert bool(solution.reason) != solution.reached
    assert solution.step_rad == step(solution.q, near)
    for q in (near, arm.home):
        assert solution.position_error_m <= judge.errors(q, target)[0] + EXACT


@given(arms_with_readings(), targets(), sampled_from(['nearest', 'up', 'down']),
       sampled_from(['position', 'up']))
@searched(30)
def test_the_same_question_gets_the_same_answer_and_stays_as_it_was(
        drawn, target, elbow, priority):
    arm, near = drawn
    question = repr((target, near))
    first = arm.solve(target, near, elbow, priority)
    assert arm.solve(target, near, elbow, priority) == first
    assert repr((target, near)) == question


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
