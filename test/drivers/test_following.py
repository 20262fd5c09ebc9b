# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Trajectories on a driver: followed inside the limits, and how they end."""

from arm_ik.drivers.following import Tolerances
from arm_ik.errors import InvalidInputError
from driven_arm import DrivenArm, LimitsKept
import pytest
from small_arm import HOME

#: A there and back of two joints, with room to its limits.
TIMES = [1.0, 2.0, 3.0]
WAY = [[0.6, 0.0], [0.6, 0.3], [0.1, 0.3]]
NAMES = ['yaw', 'wrist']


def follow(arm, times=TIMES, way=WAY, names=NAMES, velocities=None, **options):
    return arm.driver.follow(names, times, way, velocities or [[]] * len(times), **options)


def run(arm, outcome, seconds=20.0, blocked=()):
    """Let time pass until a trajectory ends; return how it did, when, and the set-points."""
    start, seen, limits = arm.time.now, [], LimitsKept(blocked)
    while not outcome.done() and arm.time.now < start + seconds:
        arm.turn()
        limits.look(arm.set_points)
        seen.append((arm.time.now - start, arm.set_points))
    return outcome.result(0.0), arm.time.now - start, seen


def test_points_are_gone_through_in_time_and_never_passed(arm):
    (code, _), duration, seen = run(arm, follow(arm))
    assert code == 'SUCCESSFUL' and duration == pytest.approx(3.0, abs=0.1)
    for name, index in (('yaw', 0), ('wrist', 1)):
        positions = [set_points[name] for _, set_points in seen]
        points = [HOME[name], *(row[index] for row in WAY)]
        assert min(positions) >= min(points) and max(positions) <= max(points)
    late = {round(time, 2): set_points for time, set_points in seen}
    assert late[1.06]['yaw'] == pytest.approx(0.6, abs=2e-3)
    assert late[0.5]['yaw'] == pytest.approx(0.35, abs=0.02)
    assert arm.driver.condition == ''
    assert arm.assert_stays() == {**HOME, 'yaw': 0.1, 'wrist': 0.3}


def test_points_with_velocities_are_gone_through_to_the_last_digits(arm):
    outcome = follow(arm, [1.0, 2.0, 3.0], [[0.4], [0.8], [1.0]], ['yaw'], [[0.4], [0.3], [0.0]])
    arm.turn(0.0)
    (code, _), duration, seen = run(arm, outcome)
    assert code == 'SUCCESSFUL' and duration == pytest.approx(3.0, abs=0.02)
    late = {round(time, 2): set_points for time, set_points in seen}
    for time, position in ((1.0, 0.4), (2.0, 0.8), (3.0, 1.0)):
        assert late[time]['yaw'] == pytest.approx(position, abs=1e-9)


def test_joints_that_are_not_in_it_stay_and_the_gripper_goes_on(arm, driver):
    driver.open_gripper(1.0)
    run(arm, follow(arm))
    assert arm.turn() == {**HOME, 'yaw': 0.1, 'wrist': 0.3, 'gripper': -0.1, 'slide': 0.04}


def test_one_that_asks_too_much_takes_longer_and_keeps_its_way(arm):
    (code, _), duration, seen = run(arm, follow(
        arm, [0.5, 0.6, 0.7], [[0.1, 1.3], [2.0, 1.3], [2.0, 0.3]],
        velocities=[[0.0, 0.0]] * 3))
    assert code == 'SUCCESSFUL' and duration > 1.5
    for _, set_points in seen:
        yaw, wrist = set_points['yaw'], set_points['wrist']
        # How far from the three sides of its way; braking from 2 and 3 rad/s takes 0.1 and 0.15.
        assert min(yaw - 0.1, 1.3 - wrist, 2.0 - yaw) < 0.31


def test_the_newest_one_takes_the_place_of_the_one_before_on_the_way(arm):
    first = follow(arm)
    arm.run(0.5)
    second = follow(arm, [1.0], [[0.9]], ['yaw'])
    assert first.result(0.0) == ('INVALID_GOAL', 'another trajectory came')
    assert run(arm, second)[0].code == 'SUCCESSFUL'
    assert arm.turn()['yaw'] == 0.9
    assert arm.positions['wrist'] == pytest.approx(0.15, abs=0.05), 'went on'


@pytest.mark.parametrize('command', [
    lambda driver: driver.command(['wrist'], [0.3]),
    lambda driver: driver.command(['wrist'], [0.3], velocities=[0.0])], ids=['goal', 'stream'])
def test_a_command_for_one_of_its_joints_ends_it(arm, driver, command):
    outcome = follow(arm)
    arm.run(0.5)
    command(driver)
    assert outcome.result(0.0) == ('INVALID_GOAL', 'a command came')
    arm.run(2.0)
    assert arm.positions['wrist'] == 0.3
    assert arm.positions['yaw'] < 0.45 and driver.condition == ''


def test_a_gripper_that_is_part_of_it_can_be_opened_meanwhile(arm, driver):
    outcome = follow(arm, [1.0], [[0.6, 1.0]], ['yaw', 'gripper'])
    arm.run(0.5)
    driver.open_gripper(1.0)
    assert outcome.result(0.0) == ('INVALID_GOAL', 'a command came')
    assert arm.run(2.0)['gripper'] == -0.1


def test_it_takes_over_from_a_stream(arm, driver):
    for number in range(10):
        driver.command(['yaw'], [0.1 + 0.02 * number], velocities=[1.0])
        arm.run(0.02)
    assert run(arm, follow(arm))[0].code == 'SUCCESSFUL'
    assert driver.condition == '' and arm.assert_stays()['yaw'] == 0.1


def test_a_command_for_another_joint_does_not(arm, driver):
    outcome = follow(arm)
    driver.command(['elbow'], [-0.5])
    driver.open_gripper(1.0)
    assert run(arm, outcome)[0].code == 'SUCCESSFUL'
    assert arm.set_points['elbow'] > -1.0 and arm.set_points['gripper'] == -0.1


@pytest.mark.parametrize('end, words', [
    (lambda arm: arm.driver.stop(), 'held'),
    (lambda arm: arm.driver.reset(), 'held'),
    (lambda arm: arm.driver.follow([], [], [], []), 'empty'),
    (lambda arm: arm.driver.set_torque(False), 'torque'),
    (lambda arm: arm.disturb(brown_out='elbow'), 'held'),
    (lambda arm: arm.disturb(dead='elbow'), 'held'),
    (lambda arm: arm.disturb(unplugged=True), 'unplugged'),
    (lambda arm: arm.driver.close(), 'held')],
    ids=['stop', 'reset', 'empty', 'torque', 'fault', 'missing', 'bus', 'close'])
def test_whatever_holds_the_arm_ends_it(arm, end, words):
    outcome = follow(arm)
    arm.run(0.5)
    end(arm)
    arm.run(0.5)
    code, said = outcome.result(0.0)
    assert code == 'INVALID_GOAL' and words in said
    assert arm.set_points['yaw'] < 0.6


def test_cancelled_it_is_held_on_its_way(arm, driver):
    outcome = follow(arm)
    arm.run(0.5)
    there = arm.set_points
    driver.cancel(outcome)
    assert outcome.result(0.0).code == 'CANCELED'
    rest = arm.come_to_rest()
    assert 0.0 < rest['yaw'] - there['yaw'] < 0.01 and driver.condition == ''
    driver.cancel(outcome)
    second = follow(arm, [1.0], [[0.9]], ['yaw'])
    driver.cancel(outcome)
    assert run(arm, second)[0].code == 'SUCCESSFUL'


def test_an_empty_one_holds_whatever_moves(arm, driver):
    driver.command(['yaw'], [2.0])
    arm.run(0.3)
    assert driver.follow(['yaw'], [], [], []).result(0.0).code == 'INVALID_GOAL'
    arm.come_to_rest()
    assert arm.assert_stays()['yaw'] < 1.0


@pytest.mark.parametrize('given, words', [
    (([], [1.0], [[]], [[]]), 'without joints'),
    ((['knee'], [1.0], [[0.0]], [[]]), 'knee'),
    ((['yaw'], [0.1], [[2.5]], [[]]), 'begins'),
    ((['yaw'], [-1.0], [[0.0]], [[]]), 'point 0')])
def test_a_bad_one_is_refused_whole_and_the_one_before_goes_on(arm, driver, given, words):
    outcome = follow(arm)
    arm.run(0.5)
    with pytest.raises(InvalidInputError, match=words):
        driver.follow(*given)
    assert driver.condition.startswith('refused: ') and words in driver.condition
    assert run(arm, outcome)[0].code == 'SUCCESSFUL'
    assert run(arm, follow(arm, [1.0], [[0.5]], ['yaw']))[0].code == 'SUCCESSFUL'
    assert driver.condition == ''


@pytest.mark.parametrize('before', ['stop', 'torque', 'bus', 'fault', 'stamp'])
def test_one_that_comes_to_an_arm_that_may_not_move_is_refused(arm, driver, before):
    made = arm.time.now
    arm.run(0.1)
    if before == 'stop':
        driver.stop()
    elif before == 'torque':
        driver.set_torque(False)
    elif before == 'bus':
        arm.disturb(unplugged=True)
    elif before == 'fault':
        arm.disturb(dead='elbow')
    else:
        driver.stop()
        driver.reset()
    arm.run(0.5)
    with pytest.raises(InvalidInputError):
        follow(arm, stamp=made if before == 'stamp' else 0.0)
    assert follow_again(arm, before)


def follow_again(arm, before):
    """Tell whether the arm follows again when what was in the way is gone."""
    arm.disturb(unplugged=False, dead='')
    arm.driver.set_torque(True)
    arm.run(0.5)
    arm.driver.reset()
    arm.run(0.1)
    return run(arm, follow(arm))[0].code == 'SUCCESSFUL'


def test_on_fault_continue_leaves_the_healthy_joints_their_trajectories():
    arm = DrivenArm(on_fault='continue')
    arm.disturb(dead='elbow')
    arm.run(0.5)
    with pytest.raises(InvalidInputError, match='fault'):
        follow(arm, [1.0], [[-1.0]], ['elbow'])
    assert run(arm, follow(arm))[0].code == 'SUCCESSFUL'


@pytest.mark.parametrize('late', [-1.0, 1.2])
def test_its_stamp_says_when_it_starts(arm, late):
    if late > 0.0:
        arm.run(1.0, ['yaw', 'wrist'], [0.6, 0.06])
        arm.run(0.3)
    outcome = follow(arm, stamp=arm.time.now - late)
    (code, _), duration, _ = run(arm, outcome)
    assert code == 'SUCCESSFUL' and duration == pytest.approx(3.0 - late, abs=0.1)


def test_one_that_leaves_its_way_by_more_than_it_may_is_held(arm, driver):
    outcome = follow(arm, tolerances=Tolerances(path={'yaw': 0.05, 'wrist': -1.0}))
    arm.run(0.3)
    arm.disturb(blocked='yaw')
    (code, words), _, _ = run(arm, outcome, blocked=('yaw',))
    assert code == 'PATH_TOLERANCE_VIOLATED' and 'yaw' in words
    assert 'trajectory: yaw is' in driver.condition
    arm.come_to_rest()
    arm.assert_stays()


def test_one_that_is_blocked_is_given_up_and_held(arm, driver):
    outcome = follow(arm)
    arm.run(0.3)
    arm.disturb(blocked='yaw')
    (code, words), duration, seen = run(arm, outcome, blocked=('yaw',))
    assert code == 'GOAL_TOLERANCE_VIOLATED' and 'yaw' in words
    assert duration < 5.0
    assert seen[-1][1]['wrist'] > 0.1, 'went on without the other'
    arm.disturb(blocked='')
    arm.assert_stays()


def test_one_that_is_free_again_goes_on(arm):
    outcome = follow(arm)
    arm.run(0.3)
    arm.disturb(blocked='yaw')
    arm.run(2.2)
    arm.disturb(blocked='')
    (code, _), duration, _ = run(arm, outcome, blocked=('yaw',))
    assert code == 'SUCCESSFUL' and duration > 1.5, 'the clock did not wait'


def test_one_that_must_not_be_late_is_ended_when_it_is(arm):
    outcome = follow(arm, [0.2], [[0.5, 0.1]], tolerances=Tolerances(time=0.02))
    (code, words), duration, _ = run(arm, outcome)
    assert code == 'GOAL_TOLERANCE_VIOLATED' and 'too late' in words
    assert duration == pytest.approx(0.23, abs=0.02)
    outcome = follow(arm, [1.0], [[0.1, 0.3]], stamp=arm.time.now + 1.0,
                     tolerances=Tolerances(time=0.5))
    assert run(arm, outcome)[0].code == 'SUCCESSFUL', 'late before its start'


@pytest.mark.parametrize('far, code', [
    ({}, 'SUCCESSFUL'), ({'elbow': 0.02}, 'GOAL_TOLERANCE_VIOLATED'),
    ({'elbow': -1.0}, 'SUCCESSFUL'), ({'elbow': 0.06}, 'SUCCESSFUL')])
def test_an_arm_that_sags_has_arrived_if_it_may_be_off_so_far(far, code):
    arm = DrivenArm(imperfections={'sag': 0.05})
    outcome = follow(arm, [1.0], [[-1.0]], ['elbow'], tolerances=Tolerances(goal=far))
    assert run(arm, outcome)[0].code == code


def test_a_gripper_that_holds_something_has_arrived(arm):
    arm.disturb(blocked='gripper')
    (code, _), _, _ = run(arm, follow(arm, [1.0], [[0.5, 0.5]], ['yaw', 'gripper']),
                          blocked=('gripper',))
    assert code == 'SUCCESSFUL' and arm.turn()['yaw'] == 0.5


@pytest.mark.parametrize('wrong', [{'knee': 0.1}, {'yaw': float('nan')}])
def test_tolerances_of_nothing_refuse_it(arm, wrong):
    for tolerances in (Tolerances(path=wrong), Tolerances(goal=wrong)):
        with pytest.raises(InvalidInputError, match='tolerance'):
            follow(arm, tolerances=tolerances)


def test_progress_is_told(arm, driver):
    assert driver.progress is None
    outcome = follow(arm)
    arm.run(1.5)
    progress = driver.progress
    assert progress.time == pytest.approx(1.5) and progress.point == 1
    assert progress.desired['yaw'] == (0.6, 0.0)
    assert progress.actual == arm.positions
    run(arm, outcome)
    assert driver.progress is None


def test_a_blocked_joint_of_a_cancelled_one_presses_no_longer():
    arm = DrivenArm()
    arm.disturb(blocked='yaw')
    outcome = follow(arm, [1.0], [[1.0]], ['yaw'])
    arm.run(1.0)
    assert arm.set_points['yaw'] > HOME['yaw'] + 0.1
    arm.driver.cancel(outcome)
    arm.run(1.0)
    assert outcome.result(0.0).code == 'CANCELED' and arm.set_points['yaw'] == HOME['yaw']
