# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The three-link reduction on every kind of arm, judged by the URDF: nothing is missed."""

from itertools import product
from math import asin, cos, degrees, floor, pi, sin
from random import Random

from arm_ik import Status, Target
from judged_arms import (
    all_kinds, assert_meets, each_kind, EXACT, inside, Judge, KINDS, make_arm, random_arm,
    random_readings, step)
import numpy as np
import pytest

TURN = 2 * pi


def whole_turns(arm):
    """Return the same arm with a range of one turn for every joint: no branch is outside."""
    model = arm.model
    limits = {joint.role: (-3.5, 3.5) for joint in model.joints}
    return make_arm(
        next(kind for kind, roles in KINDS.items() if roles == model.roles),
        links=(model.upper_arm, model.forearm, model.hand), base_x=model.base_x,
        base_y=model.base_y, base_height=model.base_height,
        shoulder_offset=model.shoulder_offset, lateral=model.lateral,
        signs={joint.role: joint.sign for joint in model.joints},
        offsets={joint.role: joint.offset for joint in model.joints}, **limits)


@each_kind
def test_where_the_arm_is_is_where_it_stays(kind):
    for seed in range(20):
        arm, random = random_arm(kind, seed), Random(seed)
        judge = Judge(arm, thorough=False)
        for _ in range(5):
            q = random_readings(arm, random)
            for up in (True, False):
                solution = arm.solve(judge.target(q, up), near=q)
                assert step(solution.q, q) < 1e-6, (solution, q)


# All branches.

BRANCHES = {'yaw': 4, 'bent': 4, 'roll': 8, 'tilt': 8}


def branches(arm, target, near=None):
    """Return the exact answers among all branches."""
    return [solution for solution in arm.solutions(target, near) if solution.reached]


def same_angles(a, b, tolerance=1e-6):
    return all(abs((x - y + pi) % TURN - pi) < tolerance for x, y in zip(a, b))


@all_kinds
def test_there_are_four_or_eight_branches_and_each_meets_the_target(kind):
    for seed in range(15):
        # With the shoulder on the yaw axis every branch is within reach.
        random = Random(seed)
        arm = make_arm(kind, links=[random.uniform(0.05, 0.3) for _ in range(3)],
                       everywhere=(-3.2, 3.2), base_x=0.1, base_height=0.2, hand_offset=0.0)
        judge = Judge(arm)
        q = [random.uniform(-3.0, 3.0) for _ in arm.joint_names]
        target = judge.target(q, forward='wrist_roll' in kind)
        found = arm.solutions(target)
        assert len(found) == BRANCHES[kind.split('_')[0]]
        for solution in found:
            assert_meets(arm, judge, target, solution)
        for one, other in product(found, found):
            assert one is other or not same_angles(one.q, other.q)
        assert sum(same_angles(solution.q, q) for solution in found) == 1


@each_kind
def test_the_branch_that_made_a_target_is_among_those_found(kind):
    for seed in range(60):
        arm, random = whole_turns(random_arm(kind, seed)), Random(seed)
        judge = Judge(arm, thorough=False)
        q = [random.uniform(-3.1, 3.1) for _ in arm.joint_names]
        target = judge.target(q, forward='wrist_roll' in kind)
        found = branches(arm, target)
        assert any(same_angles(solution.q, q) for solution in found), (seed, q, found)
        for solution in found:
            assert_meets(arm, judge, target, solution)


# The nearest branch.

def nearest_by_force(arm, target, near):
    """Return the least largest step to any exact branch, over all readings inside the limits."""
    least = float('inf')
    for solution in branches(whole_turns(arm), target):
        steps = []
        for joint, reading, at in zip(arm.model.joints, solution.q, near):
            first = reading + TURN * floor((joint.lower - reading) / TURN)
            inside_limits = [r for r in (first + TURN * i for i in range(4))
                             if joint.lower - EXACT <= r <= joint.upper + EXACT]
            if joint.role == 'wrist_roll' and target.forward is None:
                inside_limits = [min(max(at, joint.lower), joint.upper)]
            steps.append(min([abs(r - at) for r in inside_limits], default=float('inf')))
        least = min(least, max(steps))
    return least


@each_kind
def test_the_branch_nearest_to_where_the_arm_is_is_taken_over_all_turns(kind):
    for seed in range(60):
        arm, random = random_arm(kind, seed), Random(seed)
        judge = Judge(arm, thorough=False)
        target = judge.target(random_readings(arm, random), forward='wrist_roll' in kind)
        for near in (random_readings(arm, random), [random.uniform(-9, 9) for _ in arm.lower]):
            solution = arm.solve(target, near)
            assert solution.step_rad == pytest.approx(
                nearest_by_force(arm, target, near), abs=1e-7), (seed, near, solution)


@pytest.mark.parametrize('near, expected', [
    (0.0, 0.5), (4.0, 0.5 + TURN), (-4.0, 0.5 - TURN), (7.0, 0.5 + TURN), (100.0, 0.5 + TURN),
    (-100.0, 0.5 - TURN)])
def test_a_range_of_more_than_a_turn_keeps_to_the_turn_the_arm_is_in(near, expected):
    arm = make_arm(yaw=(-9.0, 9.0), elbow=(0.1, 3.0), shoulder=(-1.0, 1.0))
    target = Judge(arm).target((0.5, 0.2, 0.4, 0.3))
    solution = arm.solve(target, near=(near, 0.2, 0.4, 0.3))
    assert solution.reached and solution.q == pytest.approx((expected, 0.2, 0.4, 0.3))


def test_without_near_the_branch_nearest_to_home_is_taken():
    for home, bend in (((0, 1, -1, 0), -1), ((0, 0, 1, 0), 1), ((3, 2, 1, 0), 1)):
        arm = make_arm(home=home)
        solution = arm.solve(Target((0.2, 0.0, 0.1), (1.0, 0.0, 0.0)))
        assert solution.reached and solution.q[2] * bend > 0.0
        assert solution.step_rad == step(solution.q, home)


# The elbow asked for.

def elbow_height(judge, q):
    """Return how far the elbow is above the line from shoulder to wrist, along gravity [m]."""
    shoulder, elbow, wrist = (judge.point(q, name) for name in ('shoulder', 'elbow', 'wrist'))
    line = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
    return (elbow - shoulder - np.dot(elbow - shoulder, line) * line)[2]


@each_kind
@pytest.mark.parametrize('elbow, sign', [('up', 1.0), ('down', -1.0)])
def test_the_elbow_is_on_the_side_asked_for_where_a_branch_has_it(kind, elbow, sign):
    without = 0
    for seed in range(25):
        arm, random = random_arm(kind, seed), Random(seed)
        judge = Judge(arm, thorough=False)
        target, near = judge.target(random_readings(arm, random)), random_readings(arm, random)
        solution = arm.solve(target, near, elbow=elbow)
        assert solution.reached and inside(arm, solution.q)
        assert max(judge.errors(solution.q, target)) <= EXACT
        options = [s for s in branches(arm, target, near) if sign * elbow_height(judge, s.q) > 0.0]
        if options:
            assert sign * elbow_height(judge, solution.q) > 0.0 and solution.reason == ''
            assert solution.step_rad == pytest.approx(min(s.step_rad for s in options), abs=1e-9)
        else:
            without += 1
            assert 'elbow' in solution.reason
    assert 0 < without < 25


def test_the_elbow_of_an_upright_arm_is_up_when_it_bends_back():
    arm = make_arm()
    for elbow, bend in (('up', -1), ('down', 1)):
        assert arm.solve(Target((0.0, 0.0, 0.28), (0.0, 0.0, 1.0)), elbow=elbow).q[2] * bend > 0


# Joints that cannot move, and a floor.

@all_kinds
def test_a_joint_with_a_range_of_one_point_is_a_bolted_one(kind):
    for role in KINDS[kind]:
        for seed in range(5):
            random = Random(seed)
            bolted = random.uniform(-1.0, 1.0)
            arm = make_arm(kind, base_height=0.1, shoulder_offset=0.02,
                           **{role: (bolted, bolted)})
            judge, index = Judge(arm, thorough=False), KINDS[kind].index(role)
            for _ in range(5):
                q = random_readings(arm, random)
                assert q[index] == bolted
                target = judge.target(q, forward='wrist_roll' in kind)
                assert_meets(arm, judge, target, arm.solve(target, random_readings(arm, random)))


def heights(judge, q):
    return judge.point(q, 'elbow')[2], judge.point(q, 'wrist')[2], judge.pose(q)[2, 3]


@all_kinds
def test_branches_below_the_floor_are_passed_over(kind):
    numbers = {'links': (0.12, 0.15, 0.08), 'base_height': 0.05}
    arm, anywhere = make_arm(kind, floor_height=0.0, **numbers), make_arm(kind, **numbers)
    judge, random = Judge(arm, thorough=False), Random(kind)
    passed_over = 0
    while passed_over < 3:
        q = random_readings(arm, random)
        if min(heights(judge, q)) < 0.0:
            continue
        target, near = judge.target(q), random_readings(arm, random)
        solution = arm.solve(target, near)
        assert_meets(arm, judge, target, solution)
        assert min(heights(judge, solution.q)) >= -EXACT
        above = [s.step_rad for s in branches(anywhere, target, near)
                 if min(heights(judge, s.q)) >= 0.0]
        assert solution.step_rad == pytest.approx(min(above), abs=1e-9)
        passed_over += solution.q != anywhere.solve(target, near).q


def test_a_target_only_met_below_the_floor_is_not_called_reached():
    numbers = {'base_height': 0.1, 'elbow': (0.0, 3.0), 'yaw': (-1.0, 1.0)}
    arm = make_arm(floor_height=0.05, **numbers)
    judge = Judge(arm)
    target = judge.target((0.0, -1.2, 2.0, 0.0))
    assert make_arm(**numbers).solve(target).reached
    solution = arm.solve(target)
    assert not solution.reached and 'floor' in solution.reason
    assert min(heights(judge, solution.q)) >= 0.05 - EXACT
    assert judge.errors(solution.q, target)[:2] == pytest.approx(
        (solution.position_error_m, solution.up_error_rad), abs=1e-12)


# Up vectors that stick out of the plane of an arm whose base only yaws.

def turned_out(judge, arm, random):
    """Return a reachable target with its up vector turned out of the plane, normal and angle."""
    q = random_readings(arm, random)
    pose = judge.pose(q)
    yaw = arm.model.joints[0].canonical(q[0])
    normal = np.array([-sin(yaw), cos(yaw), 0.0])
    out = random.uniform(-1.5, 1.5)
    return Target(pose[:3, 3], cos(out) * pose[:3, 2] + sin(out) * normal), normal, out


@each_kind
def test_what_sticks_out_of_the_plane_is_reported_and_the_rest_met_exactly(kind):
    for seed in range(40):
        random = Random(seed)
        arm = make_arm(kind, links=[random.uniform(0.05, 0.3) for _ in range(3)],
                       base_y=0.1, base_height=0.2, shoulder_offset=random.uniform(-0.05, 0.05))
        judge = Judge(arm)
        target, normal, out = turned_out(judge, arm, random)
        solution = arm.solve(target)
        assert solution.status is Status.UP_RELAXED
        position, error, _ = judge.errors(solution.q, target)
        assert position <= EXACT and error == pytest.approx(solution.up_error_rad, abs=1e-12)
        assert error == pytest.approx(asin(abs(np.dot(target.up, normal))), abs=1e-7)
        assert error == pytest.approx(abs(out), abs=EXACT)
        assert solution.reason == f'up vector {degrees(error):.1f} deg out of the arm plane'
        assert solution.limited_by == ()


@each_kind
def test_of_two_planes_beside_the_axis_the_one_nearer_to_the_up_vector_is_taken(kind):
    other = 0
    for seed in range(40):
        random = Random(seed)
        arm = make_arm(kind, links=(0.3, 0.3, 0.1), lateral=0.04)
        judge = Judge(arm, thorough=False)
        target, _, out = turned_out(judge, arm, random)
        solution = arm.solve(target)
        position, error, _ = judge.errors(solution.q, target)
        assert position <= EXACT and error <= abs(out) + EXACT
        assert solution.reason.startswith(f'up vector {degrees(error):.1f} deg o')
        other += error < abs(out) - EXACT
    assert 0 < other < 40


# Why the plane is made orthogonal to the up vector once more.

@pytest.mark.parametrize('kind', ['roll', 'roll_wrist_roll'])
@pytest.mark.parametrize('beside', [1e-6, 1e-7, 1e-8, 3e-9, 1e-9, 3e-10])
def test_a_hand_almost_in_line_with_the_wrist_is_exact_all_the_same(kind, beside):
    arm = make_arm(kind, base_x=0.03, base_height=0.1)
    judge = Judge(arm)
    for seed in range(8):
        random = Random(seed)
        q = [random.uniform(-2.0, 2.0) for _ in arm.lower]
        # With equal links the wrist stands half-way between the directions of the two.
        q[4] = -q[3] / 2 + beside * random.choice((1, -1))
        target = judge.target(q)
        assert_meets(arm, judge, target, arm.solve(target, random_readings(arm, random)))
        found = branches(arm, target)
        # Nearer than this it is the degenerate case, whose families stand for their planes.
        assert len(found) == 8 or beside < 1e-9
        for solution in found:
            assert_meets(arm, judge, target, solution)


@pytest.mark.parametrize('kind', ['roll', 'roll_wrist_roll'])
@pytest.mark.parametrize('beside', [1e-5, 1e-6, 1e-7, 1e-8, 1e-9])
def test_a_plane_that_almost_lies_flat_has_all_its_branches_exact(kind, beside):
    arm = make_arm(kind, base_x=0.03, base_height=0.1)
    judge = Judge(arm)
    for seed in range(8):
        random = Random(seed)
        q = [random.uniform(-2.0, 2.0) for _ in arm.lower]
        q[1] = random.choice((1, -1)) * (pi / 2 + beside * random.choice((1, -1)))
        target = judge.target(q)
        found = branches(arm, target)
        assert len(found) == 8
        for solution in found:
            assert_meets(arm, judge, target, solution)


@each_kind
@pytest.mark.parametrize('away', [1e8, 1e17, 1e308])
def test_however_far_away_near_is_a_batch_of_reachable_targets_is_met(kind, away):
    arm = make_arm(kind)
    rng = np.random.default_rng(1)
    pose = arm.forward(rng.uniform(arm.lower, arm.upper, (120, len(arm.home))))
    near = rng.choice((-away, away), (120, len(arm.home)))
    for ups in (pose.up, None):
        found = arm.solve_batch(pose.position, ups, near=near)
        assert found.reached.all() and found.position_error_m.max() <= EXACT
