# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Goals of a gripper of its own: reached, stalled, cancelled, overtaken, refused."""

from math import inf, nan

from arm_ik.errors import InvalidInputError
from driven_arm import DrivenArm
import pytest
from small_arm import HOME, JOINTS


def grasp(arm, position, *velocities, name='gripper'):
    return arm.driver.grasp(name, [name], [position], velocities)


def run(arm, outcome, seconds=10.0):
    """Let time pass until a grasp ends; return its code, words, and how long it took."""
    start = arm.time.now
    while not outcome.done() and arm.time.now < start + seconds:
        arm.turn()
    return (*outcome.result(0.0), arm.time.now - start)


@pytest.mark.parametrize('name, goal', [('gripper', 0.25), ('slide', 0.03)])
def test_a_goal_is_reached_at_its_velocity(arm, name, goal):
    code, words, took = run(arm, grasp(arm, goal, name=name))
    assert (code, words) == ('SUCCESSFUL', '')
    assert arm.turn() == {**HOME, name: goal}
    slow = JOINTS[name].max_velocity / 5.0
    code, _, longer = run(arm, grasp(arm, HOME[name], slow, name=name))
    assert code == 'SUCCESSFUL' and longer > 3.0 * took


def test_it_is_where_it_is_already(arm):
    assert run(arm, grasp(arm, HOME['gripper']))[0] == 'SUCCESSFUL'


def test_what_is_between_its_fingers_stalls_it_and_it_may_open_again():
    arm = DrivenArm()
    grasp(arm, 0.5)
    arm.run(2.0)
    arm.disturb(blocked='gripper')
    code, words, took = run(arm, grasp(arm, 1.2))
    assert code == 'STALLED' and 'gripper has stalled' in words and took < 5.0
    arm.disturb(blocked='')
    assert run(arm, grasp(arm, 0.2))[0] == 'SUCCESSFUL'


def test_faults_cleared_in_the_turn_in_which_it_stalls_do_not_hide_that():
    arm = DrivenArm()
    grasp(arm, 0.5)
    arm.run(2.0)
    arm.disturb(blocked='gripper')
    outcome = grasp(arm, 1.2)
    for _ in range(200):
        arm.driver.clear_faults()
        arm.turn()
    assert outcome.result(0.0).code == 'STALLED'


def test_without_a_guard_it_has_stalled_after_a_second_and_presses_on():
    arm = DrivenArm(stall_guard='none')
    arm.disturb(blocked='gripper')
    code, words, took = run(arm, grasp(arm, 0.5))
    assert (code, words) == ('STALLED', '') and 1.0 < took < 2.0
    assert arm.run(3.0)['gripper'] == HOME['gripper'] > arm.set_points['gripper'] + 0.1


def test_a_slow_one_has_not_stalled(arm):
    code, _, took = run(arm, grasp(arm, 1.4, 0.01), 20.0)
    assert code == 'SUCCESSFUL' and took > 9.0


@pytest.mark.parametrize('before', [(), (0.01,)])
def test_neither_a_faster_one_before_nor_a_silence_makes_a_slow_one_fast(arm, before):
    grasp(arm, 0.0, *before)
    arm.run(0.1)
    grasp(arm, 0.0, 0.01)
    arm.disturb(dead='gripper')
    arm.run(0.1)
    arm.disturb(dead='')
    there = arm.run(0.5)['gripper']
    assert 0.0 < there - arm.run(1.0)['gripper'] < 0.0101


def test_one_that_rests_a_little_off_has_not_stalled():
    arm = DrivenArm(stall_guard='none')
    grasp(arm, 0.5)
    arm.run(2.0)
    arm.disturb(blocked='gripper')
    assert run(arm, grasp(arm, 0.54))[0] == 'SUCCESSFUL'


def test_a_cancelled_one_stays_where_it_is_and_the_arm_goes_on(arm):
    outcome = grasp(arm, -0.1)
    arm.run(0.3, ['yaw'], [0.5])
    arm.driver.cancel(outcome)
    arm.driver.cancel(outcome)  # twice is once
    assert outcome.result(0.0).code == 'CANCELED'
    there = arm.run(3.0, ['yaw'], [0.5])
    assert 0.5 < there['gripper'] < 1.4 and there['yaw'] == 0.5


@pytest.mark.parametrize('take_away', [
    lambda arm: arm.driver.command(['gripper'], [1.0]),
    lambda arm: arm.driver.command(['gripper'], [1.0], velocities=[0.1]),
    lambda arm: arm.driver.open_gripper(0.5),
    lambda arm: grasp(arm, 1.0),
    lambda arm: arm.driver.follow(['gripper'], [1.0], [[1.0]], [[]]),
    lambda arm: arm.driver.stop(),
    lambda arm: arm.driver.reset(),
    lambda arm: arm.driver.set_torque(False),
    lambda arm: arm.disturb(unplugged=True)])
def test_whatever_else_moves_it_ends_it(arm, take_away):
    outcome = grasp(arm, -0.1)
    arm.run(0.3)
    take_away(arm)
    arm.turn()
    code, words = outcome.result(0.0)
    assert code == 'INVALID_GOAL' and words


def test_what_moves_other_joints_does_not(arm):
    outcome = grasp(arm, -0.1)
    arm.run(0.1, ['yaw'], [0.5])
    arm.driver.follow(['yaw'], [1.0], [[0.3]], [[]])
    other = grasp(arm, 0.02, name='slide')
    assert run(arm, outcome)[0] == 'SUCCESSFUL'
    assert run(arm, other)[0] == 'SUCCESSFUL'


@pytest.mark.parametrize('names, positions, velocities, words', [
    (['gripper'], [nan], [], 'finite'), (['gripper'], [inf], [], 'finite'),
    (['gripper'], [1.7], [], '-0.2 to 1.6'), (['gripper'], [], [], 'for each name'),
    ([], [], [], 'gripper alone'), (['yaw'], [0.0], [], 'gripper alone'),
    (['gripper', 'yaw'], [0.5, 0.0], [], 'gripper alone'),
    (['gripper'], [0.5], [-1.0], 'negative')])
def test_what_is_no_goal_is_refused_and_the_one_before_goes_on(arm, names, positions, velocities,
                                                               words):
    outcome = grasp(arm, 0.5)
    with pytest.raises(InvalidInputError, match=words):
        arm.driver.grasp('gripper', names, positions, velocities)
    assert words in arm.driver.condition
    assert run(arm, outcome)[0] == 'SUCCESSFUL' and arm.turn() == {**HOME, 'gripper': 0.5}


@pytest.mark.parametrize('closed_to_it, words', [
    (lambda arm: arm.driver.stop(), 'stopped'),
    (lambda arm: arm.disturb(dead='gripper'), 'at fault')])
def test_while_stopped_or_at_fault_none_is_taken(arm, closed_to_it, words):
    closed_to_it(arm)
    arm.run(1.0)
    with pytest.raises(InvalidInputError, match=words):
        grasp(arm, 0.5)


@pytest.mark.parametrize('on_exit', ['hold', 'park', 'limp'])
def test_the_end_of_the_driver_ends_it_and_no_other_begins(on_exit):
    arm = DrivenArm(on_exit=on_exit)
    outcome = grasp(arm, -0.1)
    arm.run(0.3)
    arm.driver.close()
    assert outcome.result(0.0).code == 'INVALID_GOAL'
    with pytest.raises(InvalidInputError):
        grasp(arm, 0.5)
