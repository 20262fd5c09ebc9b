# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The present branch is kept where another is better by less than a tolerance, and only there."""

from dataclasses import replace
from math import cos, pi, radians, sin

from arm_ik import Arm, Status, Target
from arm_ik.kinematics.branch_hysteresis.hysteresis import is_small_gain
from arm_ik.kinematics.ranking import Candidate
from judged_arms import ExactArm, make_arm
import pytest

TOLERANCE = (0.001, radians(2.0))

SO101 = Arm.preset('so101')

#: Elbow up and elbow down are mirror images; either way the wrist can't hold the hand level here.
MIRRORED = make_arm(elbow=(-2.5, 2.5), wrist=(-0.3, 0.3))


def nearly_level(tilt):
    return Target((0.15, 0.0, 0.0), (cos(tilt), 0.0, sin(tilt)))


def test_a_gain_of_a_microradian_does_not_flip_the_elbow():
    below = MIRRORED.solve(nearly_level(-5e-7)).q
    flipped = MIRRORED.solve(nearly_level(5e-7), below)
    kept = MIRRORED.solve(nearly_level(5e-7), below, branch_tolerance=TOLERANCE)
    assert flipped.step_rad > 1.0 and kept.step_rad < 1e-5
    assert kept.up_error_rad - flipped.up_error_rad == pytest.approx(1e-6, abs=1e-9)
    assert kept.status is Status.UP_RELAXED
    assert kept.reason.endswith(
        'kept the present branch: another is 1e-06 rad nearer in its up vector after a step of '
        f'{flipped.step_rad:.2f} rad')


@pytest.mark.parametrize('gain, kept', [(0.99, True), (1.01, False)])
def test_the_branch_is_left_where_another_gains_enough_for_its_travel(gain, kept):
    """One degree, or one millimetre, for each ten degrees that a joint travels."""
    below = MIRRORED.solve(nearly_level(-5e-7)).q
    travel = MIRRORED.solve(nearly_level(0.1), below).step_rad
    tilt = 0.1 * travel * gain / 2.0    # one is as much better as the other is worse
    found = MIRRORED.solve(nearly_level(tilt), below, branch_tolerance=TOLERANCE)
    assert (found.step_rad < 0.2) == kept == ('kept' in found.reason)
    if not kept:
        assert found == MIRRORED.solve(nearly_level(tilt), below)


def test_a_tolerance_of_zero_keeps_no_branch_that_is_worse():
    below = MIRRORED.solve(nearly_level(-5e-7)).q
    assert MIRRORED.solve(nearly_level(1e-3), below, branch_tolerance=(0.0, 0.0)).step_rad > 1.0


def jaws(direction, q, share):
    """Return the answer at a part of a circle of 5 cm, hand down, jaws in a direction."""
    turn = 2.0 * pi * share
    target = Target((0.2 + 0.025 * cos(turn), 0.025 * sin(turn), 0.05), (0.0, 0.0, -1.0),
                    (cos(direction), sin(direction), 0.0))
    return SO101.solve(target, q, branch_tolerance=TOLERANCE)


@pytest.mark.parametrize('number', range(0, 36, 2))
def test_a_roll_at_its_end_does_not_turn_over_for_a_small_gain(number):
    q = SO101.home
    for frame in range(-1, 48):
        found = jaws(number * pi / 18.0, q, max(0, frame) / 47.0)
        assert found.position_error_m < 1e-9
        assert frame < 0 or found.step_rad < radians(15.0)
        q = found.q


@pytest.mark.parametrize('position, up, forward, small', [
    (0.0049, 0.0, 0.0, True), (0.0051, 0.0, 0.0, False), (0.004, 1.9, 0.0, True),
    (0.004, 2.1, 0.0, False), (0.004, 0.0, 1.9, True), (0.004, 0.0, 2.1, False),
    (-0.01, 5.9, 0.0, True), (-0.01, 6.1, -9.0, False), (0.0, 3.1, 3.1, False)])
def test_gains_of_all_errors_count_together_against_sixty_degrees(position, up, forward, small):
    best = Candidate((), 0.02, 0.5, 0.5, radians(60.0), 0.0, 0.0)
    local = best._replace(position=0.02 + position, up=0.5 + radians(up), step=0.1,
                          forward=0.5 + radians(forward))
    assert is_small_gain(local, best) == small
    exact = best._replace(position=0.0, up=0.0, forward=0.0)
    assert not is_small_gain(exact._replace(up=1e-6), exact)


def test_a_target_that_another_branch_meets_is_met_however_far_joints_turn():
    *joints, roll = SO101.model.joints
    arm = Arm(replace(SO101.model, joints=(*joints, replace(roll, upper=roll.lower + 6.2))))
    near, wanted = ((0.0, 0.2, 0.3, 1.0, end) for end in (roll.lower + 6.19, roll.lower + 0.01))
    pose = arm.forward(wanted)
    found = arm.solve(Target(pose.position, pose.up, pose.rotation[:, 0]), near,
                      branch_tolerance=TOLERANCE)
    assert found.q == pytest.approx(wanted) and found.step_rad > 6.0


def test_keeping_the_branch_is_not_staying_behind():
    q = MIRRORED.solve(nearly_level(-5e-7)).q
    for i in range(50):
        # Half a millimetre each: staying would do for the tolerance.
        target = Target((0.15 + 0.0005 * i, 0.0, 0.0), (1.0, 0.0, 5e-7))
        solution = MIRRORED.solve(target, q, branch_tolerance=TOLERANCE)
        assert solution.position_error_m < 1e-9 and solution.step_rad < 0.1
        q = solution.q


def test_where_both_bends_are_exact_a_smaller_step_does_not_flip_the_elbow():
    arm, near = ExactArm.preset('simple'), (-1.5858, 3.6968, 0.0667, 2.105)
    pose = arm.forward((-1.669, 3.9065, -0.0142, 1.8841))
    target = Target(pose.position, pose.up)
    nearest = arm.solve(target, near)
    kept = arm.solve(target, near, branch_tolerance=TOLERANCE)
    assert nearest.q[2] == pytest.approx(-0.0142) and kept.q[2] == pytest.approx(0.0142)
    assert kept.step_rad > nearest.step_rad and kept.reached


def test_a_nearly_straight_elbow_keeps_its_side_through_a_large_step_too():
    arm, near = make_arm(links=(0.06, 0.18, 0.08)), (0.275, 0.24, 0.005, 0.0)
    target = Target(arm.forward((0.0, 0.0375, -0.05, 0.2575)).position)
    assert arm.solve(target, near).q[2] < 0.0
    assert arm.solve(target, near, branch_tolerance=TOLERANCE).q[2] > 0.0


@pytest.mark.parametrize('name, near, up', [
    ('so101', (-1.412, -1.177, -1.672, -0.78, 1.671), (0.335, -1.0, -0.592)),
    ('so101', (-1.895, -1.405, -1.176, 0.157, 2.038), (1.0, -0.383, 0.45)),
    ('px100', (-2.327, -0.614, -1.833, -1.477), (1.0, -0.656, -0.373))])
def test_an_up_vector_out_of_the_plane_turns_no_arm_round_that_is_there_already(name, near, up):
    arm = ExactArm.preset(name)
    target = Target(arm.forward(near).position, up)
    best = arm.solve(target, near)
    kept = arm.solve(target, near, branch_tolerance=TOLERANCE)
    assert best.step_rad > 3.0 and 0.3 < kept.step_rad < 1.0
    assert kept.up_error_rad < best.up_error_rad + TOLERANCE[1]


def test_a_target_that_is_reached_needs_no_second_thought():
    arm = ExactArm.preset('so101')
    q = arm.home
    for i in range(100):
        target = Target((0.25, 0.002 * i - 0.1, 0.1), (0.0, 0.0, -1.0))
        solution = arm.solve(target, q, branch_tolerance=TOLERANCE)
        assert solution == arm.solve(target, q)
        q = solution.q


@pytest.mark.parametrize('elbow', [3.0, 3.2, -3.0, -3.2])
def test_an_arm_that_folds_stays_bent_to_the_same_side(elbow):
    arm = make_arm(links=(0.12, 0.2, 0.08), elbow=(-3.3, 3.3))
    too_near = Target((0.13, 0.0, 0.0), (1.0, 0.0, 0.0))
    q = arm.solve(too_near, (0.0, 0.1, elbow, 0.0), branch_tolerance=TOLERANCE).q
    assert abs(abs(q[2]) - pi) < 1e-5 and sin(q[2]) * sin(elbow) > 0.0


TOO_FAR = Target((0.4, 0.0, 0.0), (1.0, 0.0, 0.0))


def straightened(near=(0.0, 0.1, 0.2, -0.3), arm=None, **options):
    return (arm or make_arm()).solve(TOO_FAR, near, branch_tolerance=TOLERANCE, **options)


def test_an_arm_that_straightens_stays_bent_whichever_way_its_elbow_counts():
    mounted_the_other_way = make_arm(signs={'elbow': -1})
    for arm in make_arm(), mounted_the_other_way:
        assert 0.0 < straightened(arm=arm).q[2] < 1e-5


def test_that_bend_costs_neither_a_limit_nor_the_floor():
    assert straightened(arm=make_arm(shoulder=(0.0, 1.0))).q[1] >= 0.0
    assert straightened(arm=make_arm(floor_height=0.0)).q[1] >= -1e-8


@pytest.mark.parametrize('side', [1.0, -1.0], ids=['elbow down', 'elbow up'])
@pytest.mark.parametrize('times', [1, 3])
def test_an_arm_that_straightens_bends_back_to_the_same_side(side, times):
    arm = make_arm()
    start = (0.0, -0.2 * side, 0.4 * side, -0.2 * side)
    x = arm.forward(start).position[0]
    way = [x + 0.001 * i for i in range(30)]
    assert way[-1] > 0.33 > 0.32 > way[0]
    q, solutions = start, []
    for x in (way + way[::-1]) * times:
        # The hand follows the line: where the arm bends again, either side is as near.
        solutions.append(arm.solve(
            Target((x, 0.0, 0.0), (1.0, 0.0, 0.0)), q, branch_tolerance=TOLERANCE))
        q = solutions[-1].q
        assert q[2] * side > 0.0
    assert q == pytest.approx(start, abs=1e-6)
    assert max(solution.step_rad for solution in solutions) < 0.3
    assert {solution.status for solution in solutions} == {Status.REACHED,
                                                           Status.POSITION_RELAXED}


@pytest.mark.parametrize('rho', [0.15, 3.0], ids=['within reach', 'far out of reach'])
def test_at_a_limit_of_the_yaw_the_arm_does_not_swing_to_the_other_one(rho):
    arm = make_arm(yaw=(-3.0, 3.0), shoulder=(0.0, 1.5), elbow=(-2.0, 0.0), wrist=(-1.0, 1.0))

    def swings(**options):
        q, steps = (3.0, 1.0, -1.5, 0.3), []
        for tenth in range(1720, 1850):
            azimuth = radians(tenth / 10)
            target = Target((rho * cos(azimuth), rho * sin(azimuth), 0.05))
            steps.append(arm.solve(target, q, **options).step_rad)
            q = arm.solve(target, q, **options).q
        return [step for step in steps[1:] if step > 0.1]

    assert swings() == [pytest.approx(6.0, abs=1e-4)]
    assert swings(branch_tolerance=(0.03, pi)) == []


@pytest.mark.parametrize('past', [0.0, 0.02, 0.5, 3.0])
@pytest.mark.parametrize('kind', ['yaw', 'roll', 'tilt'])
def test_a_joint_past_its_limit_only_moves_inward_and_the_others_do_not_jump(kind, past):
    arm = make_arm(kind, elbow=(-1.0, 2.0), wrist=(-2.0, 2.0))
    q = [0.3, 0.7, -0.95, 0.4] if kind == 'yaw' else [0.3, 0.1, 0.7, -0.95, 0.4]
    if kind == 'tilt':
        q = [0.3, 0.7, -0.95, 0.4, 0.1]
    elbow = q.index(-0.95)
    pose = arm.forward(q)
    near = list(q)
    near[elbow] = -1.0 - past
    solution = arm.solve(Target(pose.position, pose.up), near, branch_tolerance=TOLERANCE)
    assert solution.reached and solution.q == pytest.approx(q, abs=1e-6)
    assert solution.q[elbow] > near[elbow]
    assert solution.step_rad == pytest.approx(past + 0.05, abs=1e-6)


@pytest.mark.parametrize('past', [0.01, 0.5])
def test_a_joint_past_its_limit_does_not_cost_the_branch(past):
    below = MIRRORED.solve(nearly_level(-5e-7)).q
    assert below[3] == 0.3
    near = (*below[:3], below[3] + past)
    assert MIRRORED.solve(nearly_level(5e-7), near).step_rad > 1.0
    kept = MIRRORED.solve(nearly_level(5e-7), near, branch_tolerance=TOLERANCE)
    assert kept.q == pytest.approx(below, abs=1e-5) and kept.q[3] <= 0.3


def test_an_elbow_that_is_asked_for_goes_before_the_present_branch():
    # Near a limit of the yaw, where a box is searched before the branch is left.
    arm = make_arm(yaw=(-3.0, 0.5))
    up, down = (0.3, 0.8, -0.7, 0.2), (0.3, 0.1, 0.7, -0.5)
    pose = arm.forward(up)
    target = Target(pose.position, pose.up)
    flipped = arm.solve(target, up, elbow='down', branch_tolerance=TOLERANCE)
    assert flipped.reached and flipped.q == pytest.approx(down, abs=1e-9)
    assert arm.solve(target, down, elbow='up', branch_tolerance=TOLERANCE).q == pytest.approx(up)


def test_the_plane_over_the_back_does_not_cost_the_branch_where_an_elbow_is_asked_for():
    arm, near = make_arm(lateral=0.001), (0.0, 0.31, 0.01, -0.31)
    pose = arm.forward((0.0, 0.31, -0.02, -0.3))
    x, y, z = pose.up
    for aside in 0.2, -0.2:  # one of them is held better over the back
        kept = arm.solve(Target(pose.position, (x, y + aside, z)), near, elbow='up',
                         branch_tolerance=TOLERANCE)
        assert kept.step_rad < 0.3 and kept.q[2] < 0.0


def test_a_forward_vector_barely_past_a_limit_does_not_cost_the_branch():
    arm = make_arm('yaw_wrist_roll', wrist_roll=(-2.0, 1.5))
    q = (0.0, 0.5, -1.0, 0.3)
    pose = make_arm('yaw_wrist_roll').forward((*q, 1.51))
    target = Target(pose.position, pose.up, pose.rotation[:, 0])
    assert arm.solve(target, (*q, 1.49)).reached
    kept = arm.solve(target, (*q, 1.49), branch_tolerance=TOLERANCE)
    assert kept.step_rad < 0.3 and kept.forward_error_rad == pytest.approx(0.01)


def test_what_goes_first_counts_in_the_present_branch_too():
    near, first = (0.0, 0.5, -1.0, 0.3), {'priority': 'up', 'branch_tolerance': (0.05, 0.2)}

    def target(yaw, yaw_of_up):
        tip, up = [make_arm().forward((at, *near[1:])) for at in (yaw, yaw_of_up)]
        return Target(tip.position, up.up)

    assert make_arm().solve(target(0.0, 0.05), near, **first).up_error_rad < 1e-9


def test_the_present_branch_is_followed_until_it_gains_nothing_more():
    near = MIRRORED.solve(nearly_level(-5e-7)).q
    kept = MIRRORED.solve(Target((0.19, 0.0, 0.0), (1.0, 0.0, 5e-7)), near,
                          branch_tolerance=(0.02, 0.3))
    assert kept.position_error_m < 1e-9


def test_without_an_up_vector_the_hand_stays_where_the_target_leaves_reach():
    arm = make_arm(yaw=(-0.5, 0.5))
    q = (0.4, 0.6, -1.2, 0.3)
    position = arm.forward(q).position
    rho, elevation = (position[0] ** 2 + position[1] ** 2) ** 0.5, sum(q[1:])
    for i in range(40):
        azimuth = 0.4 + 0.005 * i
        target = Target((rho * cos(azimuth), rho * sin(azimuth), position[2]))
        solution = arm.solve(target, q, branch_tolerance=TOLERANCE)
        assert solution.step_rad < 0.02
        q = solution.q
    assert solution.status is Status.POSITION_RELAXED and q[0] == 0.5
    assert sum(q[1:]) == pytest.approx(elevation, abs=1e-9)


def assert_stays(arm, near, position, up):
    best = arm.solve(Target(position, up), near)
    kept = arm.solve(Target(position, up), near, branch_tolerance=TOLERANCE)
    assert best.step_rad > 2.5 and kept.step_rad < 0.3
    assert kept.position_error_m < 1e-9 and kept.up_error_rad - best.up_error_rad < TOLERANCE[1]


def test_beside_the_yaw_axis_the_plane_over_the_back_may_be_better_by_a_little():
    arm = ExactArm.preset('so101')
    near = (1.43726, -0.48707, 0.11653, -0.96989, -0.60824)
    tip = arm.forward(near).position
    # Its miss is 0.1 deg less: an up vector out of both planes, and one that only it can hold.
    assert_stays(arm, near, tip, (-0.16964, -0.24845, 0.95367))
    over_the_back = arm.solve(Target(tip, (-0.16964, -0.24845, 0.95367)), near)
    assert_stays(arm, near, tip, arm.forward(over_the_back.q).up)


@pytest.mark.parametrize('preset, near, position', [
    # The nearest elevation to the present one is over the back, a step of 3.14 rad.
    ('simple', (-3.003013, 0.781245, 0.373539, 2.589281), (-0.066518, -0.008948, 0.155118)),
    # It is where the elbow is straight, a step of 0.41 rad.
    ('braccio', (1.855300, 1.728683, 1.977932, 1.842521, 2.892130),
     (0.063022, -0.200680, 0.427737))])
def test_without_an_up_vector_the_present_elevation_is_not_worth_a_large_step(
        preset, near, position):
    arm, target = ExactArm.preset(preset), Target(position)
    assert arm.solve(target, near).step_rad > 0.4
    kept = arm.solve(target, near, branch_tolerance=TOLERANCE)
    assert kept.reached and kept.reason == '' and kept.step_rad < 0.31


def test_an_elevation_that_is_asked_for_is_worth_a_large_step():
    arm = ExactArm.preset('simple')
    near = (0.0, 0.5, 1.2, -0.5)
    target, level = Target(arm.forward(near).position), sum(near[1:]) - 1.0
    kept = arm.solve(target, near, elevation=level, branch_tolerance=TOLERANCE)
    assert kept.reached and sum(kept.q[1:]) == pytest.approx(level)
