# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Hold and stop on servos that are not perfect: they lag, sag, stick and die."""

from arm_ik.bus.simulated import Simulated
from arm_ik.errors import DriverError, InvalidInputError
from driven_arm import DrivenArm, Recorded
import pytest
from small_arm import HOME, JOINTS


def decelerations(arm, turns=40):
    """Return the speeds of the yaw's set-points over some turns."""
    speeds, before = [], arm.set_points['yaw']
    for _ in range(turns):
        arm.turn()
        speeds.append((arm.set_points['yaw'] - before) / 0.01)
        before = arm.set_points['yaw']
    return speeds


def test_stop_tells_the_servos_with_the_very_next_turn_and_brakes_within_limits(arm):
    arm.run(0.5, ['yaw'], [2.9])
    future = arm.driver.stop()
    assert not future.done()
    speeds = [2.0, *decelerations(arm, 15)]
    assert future.result(0.0) is None
    changes = [(after - before) / 0.01 for before, after in zip(speeds, speeds[1:])]
    assert changes[0] < -9.9 and min(changes) > -JOINTS['yaw'].acceleration - 1e-6
    assert speeds[11:] == [0.0] * 5  # 2 rad/s at 20 rad/s^2 and a turn


@pytest.mark.parametrize('known_for', [0.0, 0.1])
@pytest.mark.parametrize('dead', ['yaw', 'elbow'])
def test_a_dead_servo_does_not_keep_the_others_from_being_stopped(arm, dead, known_for):
    arm.run(0.3, ['yaw', 'elbow'], [2.9, -2.4])
    arm.disturb(dead=dead)
    arm.run(known_for)
    future = arm.driver.stop()
    arm.turn()
    assert future.result(0.0) is None
    other = 'elbow' if dead == 'yaw' else 'yaw'
    arm.run(0.3)
    assert arm.assert_stays()[other] == arm.set_points[other] != HOME[other]


def test_a_dead_servo_does_not_keep_the_watchdog_from_stopping_the_others():
    arm = DrivenArm(on_fault='continue')
    arm.run(0.3, ['yaw'], [2.9])
    arm.disturb(dead='wrist')
    arm.run(0.7)
    assert 'wrist: no reply' in arm.driver.condition
    assert arm.assert_stays()['yaw'] < 2.0


def test_a_dead_servo_does_not_keep_a_driver_that_ends_from_stopping_the_others(arm):
    arm.run(0.3, ['yaw'], [2.9])
    arm.disturb(dead='wrist')
    there = arm.turn()['yaw']
    arm.driver.close()
    last = arm.servos.written[-1]['yaw']
    assert there < last < there + 0.2
    assert arm.servos.done[-1][1] == 'close'
    arm.servos.open()
    assert arm.servos.read().positions['yaw'] == last


@pytest.mark.parametrize('latency', [0.03, 0.06])
def test_a_hold_never_goes_back_to_an_old_reading(latency):
    arm = DrivenArm(imperfections={'latency': latency})
    arm.run(0.6, ['yaw'], [2.9])
    arm.driver.stop()
    positions = [arm.turn()['yaw'] for _ in range(60)]
    assert positions == sorted(positions) and positions[-1] < 2.0
    assert min(decelerations(arm)) >= 0.0


def test_five_stops_and_resets_do_not_lower_an_arm_that_sags():
    arm = DrivenArm(imperfections={'sag': 0.06})
    arm.run(1.0, ['yaw'], [0.5])
    there = arm.positions
    for _ in range(5):
        arm.driver.stop()
        arm.run(0.3)
        arm.driver.reset()
        arm.run(0.3)
    assert arm.positions == there


def test_nor_do_silence_or_the_end_lower_it():
    arm = DrivenArm(imperfections={'sag': 0.085})     # 4.9 degrees: more is running
    there = arm.run(2.0, ['yaw'], [0.5])
    assert arm.run(2.0) == there
    assert arm.driver.condition == ''
    written = len(arm.servos.written)
    arm.driver.close()
    assert len(arm.servos.written) == written


def test_hold_does_not_take_a_joint_that_stands_past_its_limit_inwards(arm):
    arm.driver.set_torque(False)
    arm.turn()
    arm.servos.push({'elbow': 0.4})
    arm.driver.set_torque(True)
    arm.turn()
    arm.driver.stop()
    arm.run(0.2)
    arm.driver.close()
    assert arm.positions['elbow'] == 0.4 == arm.servos.written[-1]['elbow']


def test_set_points_of_a_blocked_joint_wait_and_so_do_those_that_go_with_it(arm):
    arm.disturb(blocked='elbow')
    arm.run(3.0, ['yaw', 'elbow'], [2.9, -2.4])
    assert 0.14 < abs(arm.set_points['elbow'] - HOME['elbow']) <= 0.15
    assert arm.positions['yaw'] < 1.0
    assert arm.driver.condition == 'motion waits: elbow behind'
    assert arm.driver.blocked == ('elbow',)
    arm.disturb(blocked='')
    assert arm.run(3.0, ['yaw', 'elbow'], [2.9, -2.4]) == {**HOME, 'yaw': 2.9, 'elbow': -2.4}
    assert arm.driver.condition == ''


def test_a_gripper_with_something_in_it_keeps_no_joint_waiting():
    arm = DrivenArm(stall_guard='none')
    arm.disturb(blocked='gripper')
    there = arm.run(1.7, ['yaw', 'gripper'], [2.9, 0.0])
    assert there == {**HOME, 'yaw': 2.9}
    assert arm.set_points['gripper'] == pytest.approx(HOME['gripper'] - 0.15)


@pytest.mark.parametrize('held', [
    lambda arm: (arm.driver.stop(), arm.run(0.5)), lambda arm: arm.run(1.1),
    lambda arm: arm.driver.close()], ids=['stop', 'silence', 'end'])
@pytest.mark.parametrize('blocked, goal, last', [
    ('elbow', -2.4, HOME['elbow']), ('gripper', 1.4, 1.4)], ids=['joint', 'grip'])
def test_held_a_blocked_joint_is_not_pressed_any_more_and_a_grip_not_let_go(
        held, blocked, goal, last):
    arm = DrivenArm(stall_guard='none')
    arm.disturb(blocked=blocked)
    arm.run(2.0, [blocked, 'yaw'], [goal, 2.0])
    held(arm)
    assert arm.servos.written[-1][blocked] == last


@pytest.mark.parametrize('imperfections', [
    {'lost_replies': 0.2}, {'resolution': 0.0051, 'latency': 0.05, 'sag': 0.05}])
def test_an_arm_of_bad_servos_gets_there(imperfections):
    arm = DrivenArm(imperfections=imperfections)
    arm.run(5.0, ['yaw', 'elbow'], [1.3, -0.5])
    assert (arm.set_points['yaw'], arm.set_points['elbow']) == (1.3, -0.5)
    assert arm.driver.condition == ''


# The end


def test_an_arm_at_rest_is_told_nothing_at_the_end(arm):
    arm.run(2.0, ['yaw'], [0.5])
    told = len(arm.servos.done)
    arm.driver.close()
    assert [verb for _, verb, _ in arm.servos.done[told:]] == ['close']


def test_parked_an_arm_goes_home_slowly_and_holds():
    arm = DrivenArm(on_exit='park')
    arm.run(2.0, ['yaw', 'elbow'], [1.0, -0.5])
    told = len(arm.servos.written)
    arm.driver.close(patience=30.0)
    written = [set_points['yaw'] for set_points in arm.servos.written[told:]]
    steps = [before - after for before, after in zip(written, written[1:])]
    assert written[-1] == HOME['yaw'] and arm.servos.written[-1] == HOME
    assert max(steps) <= 0.25 * JOINTS['yaw'].max_velocity * 0.01 + 1e-9
    assert ('torque', False) not in [(verb, what) for _, verb, what in arm.servos.done]


@pytest.mark.parametrize('spoil', [
    lambda arm: (arm.driver.stop(), arm.run(0.5)),
    lambda arm: (arm.disturb(dead='wrist'), arm.run(0.5)),
    lambda arm: (arm.disturb(dead='wrist'), arm.turn()),
    lambda arm: (arm.disturb(brown_out='wrist'), arm.run(0.5))],
    ids=['stopped', 'missing', 'not heard just now', 'fault'])
def test_an_arm_that_is_stopped_at_fault_or_not_whole_is_not_parked(spoil):
    arm = DrivenArm(on_exit='park')
    arm.run(2.0, ['yaw'], [1.0])
    spoil(arm)
    arm.driver.close()
    assert arm.servos.written[-1]['yaw'] == 1.0


def test_limp_at_the_end_after_the_arm_has_come_to_rest(arm):
    arm.run(0.5, ['yaw'], [2.9])
    arm.driver.on_exit = 'limp'     # as it may be set meanwhile
    arm.driver.close()
    verbs = [(verb, what) for _, verb, what in arm.servos.done[-2:]]
    assert verbs == [('torque', False), ('close', None)]
    written = [set_points['yaw'] for set_points in arm.servos.written[-3:]]
    assert written[-1] - written[-2] < 0.005


def test_servos_without_torque_are_told_nothing_at_the_end(arm):
    arm.driver.set_torque(False)
    arm.turn()
    arm.servos.push({'yaw': 1.0})
    arm.turn()
    told = len(arm.servos.done)
    arm.driver.close()
    assert [verb for _, verb, _ in arm.servos.done[told:]] == ['close']


# Faults


def test_a_dead_servo_is_told_of_and_stops_the_arm_within_half_a_second(arm):
    arm.run(0.3, ['yaw'], [2.9])
    arm.disturb(dead='wrist')
    for _ in range(50):
        try:
            arm.driver.command(['yaw'], [2.9])
        except InvalidInputError:
            break
        arm.turn()
    assert 'wrist: no reply' in arm.driver.condition
    assert 'wrist' not in arm.turn()
    arm.come_to_rest()
    assert arm.assert_stays()['yaw'] < 1.5


def test_a_servo_that_is_back_is_taken_up_where_it_is_and_old_commands_are_not(arm):
    made = arm.time.now
    arm.disturb(dead='wrist')
    arm.run(0.4)
    arm.servos.push({'wrist': 0.9})
    arm.disturb(brown_out='wrist')
    arm.disturb(dead='')
    arm.turn()
    assert arm.driver.missing == ()
    assert arm.set_points['wrist'] == 0.9
    arm.refuses('made before', ['wrist'], [0.3], stamp=made)


@pytest.mark.parametrize('stopped', [False, True], ids=['free', 'stopped'])
@pytest.mark.parametrize('moving', [False, True], ids=['at rest', 'moving'])
@pytest.mark.parametrize('moved', [0.0, 0.13, -0.4])
@pytest.mark.parametrize('seconds', [0.06, 0.15, 0.24, 0.6])
def test_a_servo_that_was_silent_gets_no_goal_away_from_where_it_is(
        arm, seconds, moved, moving, stopped):
    if moving:
        arm.run(0.25, ['wrist', 'yaw'], [1.2, 1.2])
    at = arm.turn()['wrist']
    arm.disturb(dead='wrist')
    arm.turn()
    told = len(arm.servos.written)
    arm.run(seconds / 2.0)
    if stopped:
        arm.driver.stop()
    arm.run(seconds / 2.0)
    assert not any('wrist' in goals for goals in arm.servos.written[told:])
    arm.disturb(dead='')
    arm.servos.push({'wrist': at + moved})
    Simulated.write(arm.servos, {'wrist': at + moved})  # it has lost its power: that is its goal
    stands = arm.turn()['wrist']
    if not stopped:
        assert abs(arm.servos.written[-1]['wrist'] - stands) <= 0.02
    else:
        arm.run(1.0)
        assert not any('wrist' in goals for goals in arm.servos.written[told:])
        arm.driver.reset()
        assert arm.turn()['wrist'] == pytest.approx(at + moved, abs=1e-9)
    assert arm.run(1.5, ['wrist'], [0.5])['wrist'] == pytest.approx(0.5), 'it takes goals again'


def test_a_servo_that_missed_some_requests_and_still_sags_is_not_let_sag_farther():
    arm = DrivenArm(imperfections={'sag': 0.05})
    there = arm.run(1.0)
    for seconds in (0.02, 0.1, 0.2):
        arm.disturb(dead='elbow')
        arm.run(seconds)
        arm.disturb(dead='')
        assert arm.run(0.5) == there


def test_a_late_turn_of_the_bus_is_no_silence_of_the_servos(arm):
    arm.run(0.3, ['yaw'], [2.0])
    before = arm.set_points['yaw']
    arm.turn(0.06)
    assert arm.set_points['yaw'] > before


def test_but_it_is_where_some_servo_does_not_answer(arm):
    arm.run(0.3, ['yaw'], [2.0])
    arm.disturb(dead='wrist')
    assert arm.turn(0.06)['yaw'] == arm.servos.written[-1]['yaw']


def test_a_gripper_that_was_silent_on_its_way_finishes_what_it_was_told_once(arm):
    arm.driver.open_gripper(1.0)
    arm.run(0.2)
    arm.disturb(dead='gripper')
    arm.run(0.15)
    arm.disturb(dead='')
    assert arm.run(2.0)['gripper'] == JOINTS['gripper'].open


def test_faults_are_cleared_only_of_servos_that_answer():
    arm = DrivenArm(on_fault='continue')
    arm.disturb(brown_out='elbow')
    arm.run(0.6)
    assert 'torque lost' in arm.driver.faults.of('elbow')
    arm.disturb(dead='elbow', brown_out='')
    arm.run(0.1)
    answer = arm.driver.clear_faults()
    arm.turn()
    with pytest.raises(DriverError, match='elbow: no reply'):
        answer.result()
    assert 'torque lost' in arm.driver.faults.of('elbow')
    arm.disturb(dead='')
    arm.turn()
    answer = arm.driver.clear_faults()
    arm.turn()
    assert answer.result() is None and not arm.driver.faults


class Complaining(Recorded):
    """Servos of which that of the yaw says what is wrong with it."""

    flags = ()

    def read_health(self, name):
        return super().read_health(name)._replace(flags=self.flags if name == 'yaw' else ())


def test_what_was_commanded_before_a_fault_was_cleared_is_old_then():
    arm = DrivenArm(backend=Complaining)
    arm.servos.flags = ('voltage',)
    arm.run(0.5)
    made = arm.time.now
    arm.refuses('yaw: voltage', ['yaw'], [0.5], stamp=made)
    arm.servos.flags = ()
    arm.driver.clear_faults()
    arm.run(0.1)
    arm.refuses('made before', ['yaw'], [0.5], stamp=made)
    arm.driver.command(['yaw'], [0.5], stamp=arm.time.now)


def test_healthy_joints_go_on_where_that_is_asked_for():
    arm = DrivenArm(on_fault='continue')
    arm.disturb(dead='wrist')
    arm.run(0.4)
    there = arm.run(2.0, ['yaw', 'wrist'], [1.0, 1.0])
    assert there['yaw'] == 1.0
    assert arm.set_points['wrist'] == HOME['wrist']
    arm.refuses('at fault', ['wrist'], [1.0])
    stream = arm.driver.command(['yaw', 'wrist'], [1.1, 1.0], velocities=[0.2, 0.0])
    assert stream.velocities['yaw'] == 0.2, 'a goal of its own'


@pytest.mark.parametrize('goes_on, on_fault', [(False, 'stop'), (True, 'continue')])
def test_torque_that_is_lost_is_noticed_and_latched_until_it_is_cleared(goes_on, on_fault):
    arm = DrivenArm(on_fault=on_fault)
    arm.disturb(brown_out='elbow')
    arm.run(0.45)
    assert 'elbow: torque lost' in arm.driver.condition
    arm.disturb(brown_out='')
    arm.run(1.0)
    assert 'elbow: torque lost' in arm.driver.condition
    with pytest.raises(DriverError, match='elbow: torque lost'):
        arm.driver.reset()
    try:
        arm.driver.command(['yaw', 'elbow'], [1.0, -0.5])
    except InvalidInputError:
        assert not goes_on
    arm.run(0.4)
    assert (arm.positions['yaw'] > 0.5) == goes_on and arm.positions['elbow'] == HOME['elbow']
    # Nobody switches torque on but who is asked to.
    arm.driver.clear_faults()
    arm.run(1.0)
    assert arm.driver.condition == 'torque of elbow is off'
    assert arm.servos.read_health('elbow').torque is False
    arm.driver.set_torque(True)
    arm.turn()
    arm.driver.reset()
    assert arm.run(2.0, ['elbow'], [-0.5])['elbow'] == -0.5
    assert arm.driver.condition == ''


def test_a_fault_that_is_still_there_comes_again(arm):
    arm.disturb(brown_out='elbow')
    arm.run(0.5)
    arm.driver.clear_faults()
    arm.turn()
    arm.driver.set_torque(True)
    arm.run(0.5)
    assert 'elbow: torque lost' in arm.driver.condition
