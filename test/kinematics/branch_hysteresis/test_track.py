# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A path of targets is answered as a whole: the branches that serve it longest, looking ahead."""

from dataclasses import replace
from itertools import product
from math import cos, pi, radians, sin
from random import Random

from arm_ik import InvalidInputError, Status, Target
from arm_ik.kinematics.branch_hysteresis.track import AllowedPose, best_path, PathSearch
from arm_ik.kinematics.forward import heights
from arm_ik.kinematics.position_only.planes import every_pose
from arm_ik.kinematics.ranking import Candidate, Ranking
from continuous_paths import along_joints, TOLERANCE
from judged_arms import (
    EXACT, ExactArm, inside, Judge, KINDS, make_arm, random_arm, random_readings)
import pytest

LEVEL = (1.0, 0.0, 0.0)


def steps(solutions, start):
    """Return the steps from answer to answer, counted here."""
    way = [tuple(start)] + [solution.q for solution in solutions]
    return [max(abs(a - b) for a, b in zip(*pair)) for pair in zip(way, way[1:])]


def followed(arm, targets, start, **options):
    """Return what solving one by one answers."""
    solutions = []
    for target in targets:
        solutions.append(arm.solve(target, start, **options))
        start = solutions[-1].q
    return solutions


def circle(count):
    """Return targets around a circle, to be reached from above."""
    angles = [2.0 * pi * i / count for i in range(count)]
    return [Target((0.17 + 0.03 * cos(a), 0.03 * sin(a), 0.03 * sin(a)), (0.0, 0.0, -1.0))
            for a in angles]


def downwards(count=100):
    """Return a way down along which the lower elbow meets the shoulder's limit."""
    return [Target((0.23, 0.0, 0.1 - 0.22 * i / count), LEVEL) for i in range(count + 1)]


def test_an_empty_path_has_no_answers():
    assert make_arm().track([], (0.0, 0.0, 0.0, 0.0)) == []


def test_each_step_is_counted_from_the_answer_before():
    arm, start = ExactArm.preset('so101'), (0.3, -0.5, 0.5, 0.9, 0.2)
    solutions = arm.track(circle(50), start)
    assert [solution.step_rad for solution in solutions] == steps(solutions, start)
    assert max(solution.step_rad for solution in solutions[1:]) < 0.1


@pytest.mark.parametrize('wrong, allowed', [
    ([circle(1)[0], None], r'targets\[1\] is None; allowed: an arm_ik.Target'),
    (circle(3) + [(0.1, 0.2, 0.3)], r'targets\[3\] is \(0.1, 0.2, 0.3\)'),
    (None, 'targets is None; allowed: a sequence'), (7, 'targets is 7')])
def test_what_is_no_path_is_refused_by_its_place(wrong, allowed):
    with pytest.raises(InvalidInputError, match=allowed):
        make_arm().track(wrong, (0.0, 0.0, 0.0, 0.0))


@pytest.mark.parametrize('option, wrong', [
    ('start', (0.0, 0.0)), ('start', 'home'), ('elbow', 'left'), ('priority', 'speed'),
    ('position_tolerance', -1.0), ('elevation', 'level'), ('branch_tolerance', None),
    ('branch_tolerance', (0.1,))])
def test_an_option_that_is_none_is_refused_by_name(option, wrong):
    options = {'start': (0.0, 0.0, 0.0, 0.0), option: wrong}
    with pytest.raises(InvalidInputError, match=option):
        make_arm().track(circle(2), **options)


def test_it_looks_ahead_for_the_branch_that_lasts():
    arm = make_arm(shoulder=(-0.9, 2.0))
    start, path = (0.0, 0.2, 0.05, 0.0), downwards()
    one_by_one = followed(arm, path, start, branch_tolerance=TOLERANCE)
    tracked = arm.track(path, start)
    assert all(solution.reached for solution in tracked)
    assert one_by_one[-1].reached
    assert max(steps(one_by_one, start)[1:]) > 1.0
    assert max(steps(tracked, start)[1:]) < 0.1


def test_a_branch_that_must_be_left_is_left_where_the_jump_is_least():
    # Home is far away, and does not count.
    arm = make_arm(shoulder=(-1.2915, 2.0), home=(2.0, 0.0, 0.0, 0.0))
    path = downwards()[45:]
    start = followed(arm, path[:1], (0.0, 0.0, 1.5, 0.0))[0].q
    assert start[2] > 0.0
    tracked = arm.track(path, start)
    jumps = [step for step in steps(tracked, start) if step > 0.3]
    # The elbow turns over: least where the arm is straightest before the limit.
    bent = []
    for target in path:
        q = arm.solve(target, (0.0, 0.0, 1.5, 0.0)).q
        if q[2] <= 0.0:
            break
        bent.append(q[2])
    assert len(jumps) == 1 and jumps[0] <= 2.0 * min(bent) + 0.05
    assert tracked[-1].reached and tracked[-1].q[2] < 0.0


def test_a_long_way_at_once_is_no_jump_that_a_detour_would_shorten():
    arm, start = make_arm(links=(0.18, 0.06, 0.08)), (0.0, 0.0, -0.14, 0.14)
    path = [Target(arm.forward(q).position, LEVEL) for q in (start, (0.0, -0.5, -1.0, 1.5))]
    assert arm.track(path, start)[0].q == pytest.approx(start)


def test_an_elevation_that_is_asked_for_is_had_from_the_first_target_on():
    arm, start = make_arm(), (0.0, 0.5, -1.2, -0.5)
    (solution,) = arm.track([Target(arm.forward(start).position)], start, elevation=0.0)
    assert sum(solution.q) == pytest.approx(0.0)


def test_an_arm_ten_times_as_large_takes_the_same_way():
    arm = make_arm(shoulder=(-0.9, 2.0))
    large = make_arm(links=(1.2, 1.2, 0.8), shoulder=(-0.9, 2.0))
    path = downwards(3)
    start = arm.solve(path[0], (0.0, 0.0, 1.5, 0.0)).q
    scaled = [Target([10.0 * x for x in target.position], target.up) for target in path]
    for solution, other in zip(arm.track(path, start, branch_tolerance=TOLERANCE), large.track(
            scaled, start, branch_tolerance=(10.0 * TOLERANCE[0], TOLERANCE[1]))):
        assert other.q == pytest.approx(solution.q, abs=1e-6)


def test_a_branch_that_gets_better_later_is_taken_at_once_where_it_is_good_enough():
    arm = make_arm(yaw=(-1.0, 1.0), elbow=(-2.5, 2.5), wrist=(-0.3, 0.3))
    start = (0.0, 0.0, 0.0, 0.0)
    # Neither elbow lets the hand stand as it shall; the better one changes on the way.
    tilts = [radians(0.05 * i - 0.5) for i in range(80)]
    path = [Target((0.15, 0.0, 0.0), (cos(tilt), 0.0, sin(tilt))) for tilt in tilts]
    first = arm.solve(path[0], start)
    solutions = arm.track(path, start)
    assert max(steps(solutions, start)[1:]) < 0.1
    assert max(abs(a - b) for a, b in zip(solutions[0].q, first.q)) > 1.0
    assert solutions[0].up_error_rad == pytest.approx(
        first.up_error_rad + radians(1.0), abs=1e-6)


def test_poses_beyond_the_tolerance_are_not_taken():
    # What counts as reached does not matter here.
    search = PathSearch(make_arm().solver, Ranking(), (0.01, 0.1), None, TOLERANCE)
    costs = [(0.0, 0.0, 0.0), (0.0009, 0.0, 0.0), (0.0, 0.03, 0.0), (0.0011, 0.0, 0.0),
             (0.0, 0.04, 0.0), (0.0005, 0.01, 0.0), (1e-12, 1e-12, 1e-12), (0.0, 0.0, 0.02),
             (0.0, 0.0, 0.04)]
    candidates = [Candidate((float(i),), *cost, 0.0, 0.0, 0.0) for i, cost in enumerate(costs)]
    assert search.allowed(candidates) == [
        AllowedPose((0.0,), 0.0), AllowedPose((1.0,), pytest.approx(0.9, abs=1e-5)),
        AllowedPose((2.0,), pytest.approx(0.03 / TOLERANCE[1])),
        AllowedPose((5.0,), pytest.approx(0.5 + 0.01 / TOLERANCE[1], abs=1e-5)),
        AllowedPose((6.0,), 0.0), AllowedPose((7.0,), pytest.approx(0.02 / TOLERANCE[1]))]


def random_lists(seed):
    random = Random(seed)
    return [[AllowedPose(tuple(random.choice((0.0, 0.2, 0.4, 1.0, 2.0)) + random.uniform(0.0, 0.1)
                               for _ in range(2)), random.choice((0.0, 0.0, 0.3, 0.9)))
             for _ in range(random.randint(1, 4))] for _ in range(5)]


@pytest.mark.parametrize('seed', range(60))
def test_no_way_through_the_poses_is_better(seed):
    lists, start = random_lists(seed), (0.1, 0.1)
    bounds, powers = [0.3, 0.3, 1.5, 0.3, 0.3], [1, 2, 2, 1, 2]

    def cost(way):
        before, jumps, size, excess, total = start, 0, 0.0, 0.0, 0.0
        for pose, bound, power in zip(way, bounds, powers):
            step = max(abs(a - b) for a, b in zip(pose.q, before))
            jumps += step > bound
            size += step if step > bound else 0.0
            excess, total, before = excess + pose.excess, total + step ** power, pose.q
        return jumps, round(size, 9), round(excess, 9), round(total, 9)

    chosen = best_path(lists, start, bounds, powers)
    assert cost(chosen) == min(map(cost, product(*lists)))


@pytest.mark.parametrize('kind', ['yaw', 'yaw_wrist_roll', 'roll', 'tilt', 'tilt_wrist_roll'])
@pytest.mark.parametrize('seed', range(1))
def test_every_answer_is_measured_inside_and_within_the_tolerance_of_the_optimum(kind, seed):
    arm, random = random_arm(kind, seed), Random(f'{kind} {seed}')
    ends = [arm.forward([random.uniform(low, high) for low, high in zip(arm.lower, arm.upper)])
            for _ in range(2)]
    path = []
    for i in range(8):
        way = [[a + (b - a) * i / 7 for a, b in zip(*pair)]
               for pair in zip(*[(pose.position, pose.up) for pose in ends])]
        path.append(Target(*way))
    judge, start = Judge(arm), arm.home
    for target, solution in zip(path, arm.track(path, start)):
        position, up, _ = judge.errors(solution.q, target)
        assert solution.position_error_m == pytest.approx(position, abs=EXACT)
        assert solution.up_error_rad == pytest.approx(up, abs=EXACT)
        assert all(low <= q <= high for low, q, high in zip(arm.lower, solution.q, arm.upper))
        best = arm.solve(target, solution.q)
        assert position <= best.position_error_m + TOLERANCE[0] + EXACT
        assert best.position_error_m < position - EXACT \
            or up <= best.up_error_rad + TOLERANCE[1] + EXACT
        assert bool(solution.reason) != solution.reached


def test_tolerances_do_not_choose_poses():
    arm = make_arm(elbow=(-2.5, 2.5), wrist=(-0.3, 0.3))
    path = [Target((0.15, 0.01 * i, 0.0), (1.0, 0.0, 0.05 * i - 0.2) if i % 2 else None)
            for i in range(9)]
    loose = arm.track(path, arm.home, position_tolerance=0.01, up_tolerance=0.1)
    assert [solution.q for solution in loose] == [
        solution.q for solution in arm.track(path, arm.home)]


def test_what_keeping_costs_is_said_in_words():
    arm = make_arm(elbow=(-2.5, 2.5), wrist=(-0.3, 0.3))
    tilts = [0.01 * (i - 10) / 10 for i in range(21)]
    path = [Target((0.15, 0.0, 0.0), (cos(tilt), 0.0, sin(tilt))) for tilt in tilts]
    start = arm.solve(path[0]).q
    solutions = arm.track(path, start)
    assert max(steps(solutions, start)) < 0.1
    assert 'kept the present branch: another is 0.02 rad nearer in its up vector after a step of' \
        in solutions[-1].reason
    assert solutions[-1].status is Status.UP_RELAXED


def test_what_is_missed_is_explained_as_for_a_single_target():
    arm, start = make_arm(wrist=(-0.3, 0.3)), (0.0, 0.1, 0.2, -0.3)
    target = Target((0.15, 0.0, 0.0), (1.0, 0.0, 0.3))
    (tracked,) = arm.track([target], start)
    assert tracked.reason == arm.solve(target, start, branch_tolerance=TOLERANCE).reason
    assert 'wrist at its' in tracked.reason and 'past' in tracked.reason


def test_across_the_edge_of_reach_and_back_the_elbow_keeps_its_side():
    arm, start = make_arm(), (0.0, -0.2, 0.4, -0.2)
    x = arm.forward(start).position[0]
    out = [Target((x + 0.0005 * i, 0.0, 0.0), LEVEL) for i in range(60)]
    solutions = arm.track(out + out[::-1], start)
    assert {solution.status for solution in solutions} == {Status.REACHED,
                                                           Status.POSITION_RELAXED}
    assert max(steps(solutions, start)) < 0.3
    assert solutions[-1].q == pytest.approx(start, abs=1e-6)


@pytest.mark.parametrize('elbow, sign', [('up', -1.0), ('down', 1.0)])
def test_an_elbow_asked_for_is_had_all_along(elbow, sign):
    arm = make_arm()
    for solution in arm.track(circle(20), (0.0, 0.0, 0.0, 0.0), elbow=elbow):
        assert solution.reached and solution.q[2] * sign > 0.0


def test_without_up_vectors_the_hand_may_stand_as_it_does():
    arm = ExactArm.preset('px100')
    path = [Target(target.position) for target in circle(60)]
    solutions = arm.track(path, arm.home)
    assert all(solution.reached for solution in solutions)
    assert max(steps(solutions, arm.home)[1:]) < 0.1


@pytest.mark.parametrize('name, seed', [
    ('so101', 5), ('px100', 2), ('simple', 1), ('yaw', 2), ('yaw_wrist_roll', 0)])
def test_without_up_vectors_no_joint_jumps_where_an_answer_is_continuous(name, seed):
    arm = random_arm(name, seed) if name in KINDS else ExactArm.preset(name)
    way, judge = along_joints(arm, Random(f'{name} {seed}')), Judge(arm)
    path = [Target(arm.forward(q).position) for q in way]
    solutions = arm.track(path, way[0])
    assert max(steps(solutions, way[0])) < 0.3
    for target, solution in zip(path, solutions):
        assert inside(arm, solution.q) and solution.reached
        assert judge.errors(solution.q, target)[0] < EXACT


@pytest.mark.parametrize('name, seed, scale, floor', [
    ('px100', 4, 1.2, None), ('so101', 5, 1.0, 0.0)])
def test_without_up_vectors_no_joint_jumps_out_of_reach_and_above_a_floor(
        name, seed, scale, floor):
    arm = ExactArm.preset(name)
    arm, height = ExactArm(replace(arm.model, floor_height=floor)), arm.model.base_height
    way = along_joints(arm, Random(f'{name} {seed}'), legs=1)
    path = [Target((scale * x, scale * y, height + scale * (z - height)))
            for x, y, z in [arm.forward(q).position for q in way]]
    solutions = arm.track(path, way[0])
    assert 10 < sum(not solution.reached for solution in solutions) < len(path)
    assert max(steps(solutions, way[0])[1:]) < 0.3
    for target, solution in zip(path, solutions):
        best = arm.solve(target, solution.q)
        assert solution.position_error_m <= best.position_error_m + TOLERANCE[0] + EXACT
        assert floor is None or min(heights(arm.solver.geometry, solution.q)) >= floor - EXACT


def test_without_up_vectors_poses_far_apart_are_all_continued_out_of_reach():
    # Continued from the best pose alone it would jump four times, and twice as far in all.
    arm, random = random_arm('yaw', 1198), Random(1198)
    a, b = [[random.uniform(-0.6, 0.6) for _ in range(3)] for _ in range(2)]
    path = [Target([x + (y - x) * i / 14 for x, y in zip(a, b)]) for i in range(15)]
    start = random_readings(arm, random)
    assert sum(step > 0.3 for step in steps(arm.track(path, start), start)) == 3


def test_of_all_elevations_those_with_elbow_or_wrist_below_the_floor_are_left_out():
    arm, position = ExactArm.preset('rx150'), (0.15, 0.05, 0.01)
    lowest = []
    for floor in (None, 0.0):
        solver = ExactArm(replace(arm.model, floor_height=floor)).solver
        poses = every_pose(solver, Target(position), [arm.home])
        lowest.append(min([min(heights(solver.geometry, q)) for q in poses]))
        for q in poses:
            assert arm.forward(q).position == pytest.approx(position, abs=EXACT)
    assert lowest[0] < -0.01 and lowest[1] >= -EXACT


@pytest.mark.parametrize('yaw', [4.0, -2.28])
def test_a_joint_with_more_than_a_turn_keeps_its_reading_over_the_back(yaw):
    arm = make_arm(yaw=(-3.2, 4.5))
    way = [(yaw + 0.01 * i, 2.2, 0.9, 0.2) for i in range(30)]
    path = [Target(arm.forward(q).position) for q in way]
    assert max(steps(arm.track(path, way[0]), way[0])) < 0.1


@pytest.mark.parametrize('name', ['rolling_base', 'tilt'])
def test_one_joint_more_without_up_vectors_is_answered_target_by_target(name):
    arm = make_arm('tilt') if name == 'tilt' else ExactArm.preset(name)
    way = along_joints(arm, Random(f'{name} 1'), legs=1)[::8]
    path = [Target(arm.forward(q).position) for q in way]
    solutions = arm.track(path, way[0])
    assert [solution.q for solution in solutions] == [
        solution.q for solution in followed(arm, path, way[0], branch_tolerance=TOLERANCE)]
    assert all(solution.reached for solution in solutions)


def test_poses_as_good_as_each_other_do_not_take_turns():
    # The hand may stand as it does, or with the wrist at its limit.
    arm = ExactArm.preset('so101')
    path = [Target((0.2 + 0.0001 * i, 0.05, 0.1)) for i in range(600)]
    solutions = arm.track(path, arm.home)
    assert all(solution.reached for solution in solutions)
    assert max(steps(solutions, arm.home)[1:]) < 0.03


def test_a_target_far_away_is_answered_all_the_same():
    arm = make_arm()
    path = [circle(4)[1], Target((1e300, 0.0, 0.0), LEVEL), circle(4)[3]]
    solutions = arm.track(path, arm.home)
    assert [solution.reached for solution in solutions] == [True, False, True]
    assert solutions[1].position_error_m == pytest.approx(1e300)
    assert solutions[1].reason.startswith('too far by 1e+300 m')


def test_the_work_grows_in_proportion_to_the_path(monkeypatch):
    arm = make_arm(shoulder=(-0.9, 2.0))
    exact, calls = arm.solver.exact, []
    monkeypatch.setattr(arm.solver, 'exact',
                        lambda *arguments: calls.append(1) or exact(*arguments))

    def work(count):
        calls.clear()
        arm.track(downwards(count), (0.0, 0.2, 0.05, 0.0))
        return len(calls)

    assert 100 < work(200) < 2.5 * work(100)


@pytest.mark.parametrize('kind', ['yaw', 'roll', 'tilt'])
def test_without_up_vectors_the_poses_do_not_add_up_from_target_to_target(kind):
    arm = make_arm(kind, everywhere=(-3.5, 3.5))
    search = PathSearch(arm.solver, Ranking(), (EXACT, EXACT), None, TOLERANCE)
    reaches = [0.2] * 6 + [0.4] * 6
    path = [Target((reach * cos(0.1 * i), reach * sin(0.1 * i), 0.1 - 0.05 * (i % 4)))
            for i, reach in enumerate(reaches)]
    listed = search.forwards(path, arm.home)
    search.backwards(path, listed)
    assert max(map(len, listed)) <= (12 if kind == 'yaw' else 1)


def test_a_start_past_its_limits_moves_inward():
    arm = make_arm(elbow=(-2.0, -0.3))
    q = (0.2, 0.7, -0.31, -0.4)
    pose = arm.forward(q)
    solutions = arm.track([Target(pose.position, pose.up)] * 2, (0.2, 0.7, -0.25, -0.4))
    assert solutions[0].q == pytest.approx(q) and solutions[0].step_rad == pytest.approx(0.06)
    assert solutions[1].step_rad == pytest.approx(0.0, abs=1e-9)


def test_however_far_the_tip_has_come_the_branch_is_not_left_for_a_small_miss():
    arm = make_arm(shoulder=(-1.2915, 2.0))
    path = [Target((0.23, 0.0, 0.1 - 0.0019 * i), LEVEL) for i in range(101)]
    assert_kept_with_a_small_miss(arm, path, arm.solve(path[0], (0.0, 0.0, 1.5, 0.0)).q)


def test_however_far_the_hand_has_turned_the_branch_is_not_left_for_a_small_miss():
    arm = make_arm(wrist=(-0.9, 3.15))
    path = [Target((0.2, 0.0, 0.0), (cos(0.012 * i), 0.0, -sin(0.012 * i))) for i in range(101)]
    assert_kept_with_a_small_miss(arm, path, arm.solve(path[0], (0.0, 0.5, -1.0, 0.3)).q)


def assert_kept_with_a_small_miss(arm, path, start):
    """Fail unless the end of a path is missed for the branch's sake, where another meets it."""
    assert arm.solve(path[-1]).reached
    solutions = arm.track(path, start)
    assert max(steps(solutions, start)) < 0.1
    assert 0.0 < solutions[-1].up_error_rad < TOLERANCE[1]
