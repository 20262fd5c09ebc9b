# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Which commands reach the servos, and what happens when none come."""

from contextlib import suppress
from dataclasses import replace
from math import sin
from random import Random
from statistics import median

from arm_ik.drivers import ServoDriver
from arm_ik.errors import DriverError, InvalidInputError
from counted_calls import counted, on_3_11
from driven_arm import DrivenArm, LimitsKept, PERIOD, Recorded
import pytest
from small_arm import HOME, JOINTS, MODEL, Time


@pytest.fixture
def time(arm):
    return arm.time


def slow_model(speed, acceleration=100.0):
    return replace(MODEL, joints=tuple(
        replace(joint, max_velocity=speed, max_acceleration=acceleration)
        for joint in MODEL.joints))


def test_it_stands_where_the_arm_is_until_commanded(arm):
    assert arm.positions == HOME
    assert arm.assert_stays() == HOME
    assert arm.driver.condition == ''


def test_a_limp_start_switches_nothing_on_and_off_what_is_on():
    time = Time()
    servos = Recorded(MODEL, clock=time)
    driver = ServoDriver(servos, clock=time, stamp_clock=time, sleep=time.advance)
    driver.connect(limp=True)
    assert [what for _, verb, what in servos.done if verb == 'torque'] == [False]
    assert not driver.torque and driver.status['set_points'] == ''
    with pytest.raises(InvalidInputError, match='torque is off'):
        driver.command(['yaw'], [0.5])
    driver.set_torque(True)
    driver.turn()
    assert driver.torque and driver.set_points == HOME


def test_a_commanded_arm_comes_to_rest_at_the_goal_to_the_last_bit(arm):
    goal = {**HOME, 'yaw': 1.3, 'elbow': -0.512345678912345}
    assert arm.run(3.0, ['yaw', 'elbow'], [1.3, -0.512345678912345]) == goal
    assert arm.assert_stays() == goal


def test_an_arm_runs_at_its_largest_velocity_and_no_faster(arm):
    before, speeds = arm.positions, []
    for _ in range(150):
        arm.driver.command(['yaw'], [2.9])
        now = arm.turn()
        speeds.append((now['yaw'] - before['yaw']) / 0.01)
        before = now
    assert max(speeds) == pytest.approx(2.0)
    assert sum(speed > 1.999 for speed in speeds) > 100


@pytest.mark.parametrize('names, positions', [
    (['yaw', 'elbow'], [1.0, float('nan')]), (['yaw', 'elbow'], [1.0])])
def test_a_refused_command_moves_nothing_and_is_told_of_until_a_good_one(
        arm, driver, names, positions):
    with pytest.raises(InvalidInputError):
        driver.command(names, positions)
    assert driver.condition.startswith('refused: command')
    assert arm.assert_stays() == HOME
    driver.command(['yaw'], [1.0])
    assert driver.condition == ''


def test_a_refused_command_leaves_the_one_before_in_force(arm, driver):
    driver.command(['yaw'], [1.0])
    arm.run(0.1)
    with pytest.raises(InvalidInputError):
        driver.command(['yaw'], [float('inf')])
    there = arm.run(0.3)['yaw']
    assert there == pytest.approx(HOME['yaw'] + 2.0 * (0.4 - 0.05), abs=0.03)


def test_past_a_limit_the_arm_stops_at_it_and_says_so(arm, driver):
    assert arm.run(3.0, ['yaw'], [3.9])['yaw'] == 3.0
    assert 'yaw' in driver.condition


def test_the_watchdog_brakes_a_moving_arm(arm, driver):
    arm.run(0.2, ['yaw'], [2.9])
    there = arm.run(0.48)['yaw']
    assert there == pytest.approx(HOME['yaw'] + 2.0 * (0.68 - 0.05), abs=0.03)
    assert driver.condition == ''
    arm.run(0.04)
    assert 'no command for 0.5 s' in driver.condition
    assert arm.come_to_rest()['yaw'] < there + 2.0 * 0.04 + 0.1 + 0.03
    arm.assert_stays()


@pytest.mark.parametrize('timeout, speed', [(0.05, 0.1), (0.1, 0.015), (0.5, 0.005)])
def test_the_watchdog_stops_a_slow_arm_that_is_nearly_there(timeout, speed):
    arm = DrivenArm(slow_model(speed), command_timeout=timeout)
    arm.driver.command(['yaw'], [HOME['yaw'] + 0.09])
    assert arm.run(2.0)['yaw'] < HOME['yaw'] + speed * (timeout + 0.03)
    assert 'no command for' in arm.driver.condition


@pytest.mark.parametrize('speed, way, seconds', [(2.0, 2.8, 1.35), (0.005, 0.05, 1.5)])
def test_the_watchdog_stops_an_arm_that_has_long_been_moving(speed, way, seconds):
    arm = DrivenArm(slow_model(speed), command_timeout=0.025)
    goal = HOME['yaw'] + way
    arm.run(seconds, ['yaw'], [goal])
    there = arm.run(1.0)['yaw']
    assert there < min(goal, HOME['yaw'] + speed * (seconds + 0.08))
    assert 'no command for' in arm.driver.condition


def test_no_commands_after_arrival_is_no_problem(arm, driver):
    arm.run(1.0, ['yaw'], [0.5])
    assert arm.assert_stays()['yaw'] == 0.5
    assert driver.condition == ''


def test_the_next_command_ends_a_stop_by_the_watchdog(arm, driver):
    driver.command(['yaw'], [2.9])
    arm.run(0.6)
    assert driver.condition
    assert arm.run(2.0, ['yaw'], [2.9])['yaw'] == 2.9
    assert driver.condition == ''


@pytest.mark.parametrize('pause, goes_on', [(0.4, True), (0.9, True), (1.1, False), (1.3, False)])
@pytest.mark.parametrize('looks', [1, 50])
def test_a_command_from_before_a_long_gap_is_not_taken_up_again(
        arm, driver, time, pause, goes_on, looks):
    made = time.now
    driver.command(['yaw'], [2.9], stamp=made)
    for _ in range(looks):
        arm.turn(pause / looks)
    there = arm.turn()
    if goes_on:
        driver.command(['yaw'], [2.9], stamp=made)
    else:
        # The one that was heard, and one made while its sender could not be heard.
        for stamp in (made, made + 0.3):
            arm.refuses('before its sender fell silent', ['yaw'], [2.9], stamp=stamp)
        there = arm.come_to_rest()
    assert (arm.run(0.2)['yaw'] > there['yaw']) == goes_on
    there = arm.positions
    driver.command(['yaw'], [2.9], stamp=time.now)
    assert arm.run(0.2)['yaw'] > there['yaw']


def test_an_arm_that_has_arrived_is_not_sent_back_by_what_it_heard_before_a_gap(
        arm, driver, time):
    made = time.now
    driver.command(['yaw'], [0.5], stamp=made)
    arm.run(0.4)
    arm.assert_stays()
    driver.command(['yaw'], [0.3], stamp=time.now)  # somebody else has a go
    arm.run(0.4)
    arm.refuses('made before', ['yaw'], [0.5], stamp=made)
    assert arm.turn()['yaw'] == 0.3


def test_without_a_timeout_a_single_command_is_enough_and_a_gap_makes_nothing_old():
    arm = DrivenArm(command_timeout=0.0)
    arm.driver.command(['yaw'], [2.9])
    assert arm.run(2.0)['yaw'] == 2.9
    made = arm.time.now
    for _ in range(3):
        arm.driver.command(['yaw'], [2.9], stamp=made)
        arm.turn(60.0)


def test_a_gripper_finishes_what_it_was_told_once(arm, driver):
    driver.command(['gripper'], [-0.1])
    assert arm.run(2.0) == {**HOME, 'gripper': -0.1}


def test_commands_for_the_gripper_do_not_keep_a_dead_senders_arm_going(arm, driver):
    driver.command(['yaw'], [2.9])
    assert arm.run(2.0, ['gripper'], [0.5])['yaw'] < 1.5


def test_a_stop_by_the_watchdog_leaves_the_gripper_moving(arm, driver):
    driver.command(['yaw', 'slide'], [2.9, 0.04])
    assert arm.run(2.0)['slide'] == 0.04


def test_stop_brakes_every_joint_and_refuses_commands_until_reset(arm, driver):
    driver.command(['yaw', 'gripper'], [2.9, 0.0])
    there = arm.run(0.2)
    driver.stop()
    rest = arm.come_to_rest()
    assert there['yaw'] < rest['yaw'] < there['yaw'] + 2.0 * 0.02 + 0.1 + 1e-9
    assert there['gripper'] > rest['gripper'] > there['gripper'] - 0.5
    for attempt in (lambda: driver.command(['yaw'], [0.0]), lambda: driver.open_gripper(1.0)):
        with pytest.raises(InvalidInputError, match='stopped'):
            attempt()
    assert driver.condition == 'stopped until reset'
    assert arm.assert_stays() == rest


def test_after_reset_nothing_moves_before_a_new_command(arm, driver):
    driver.command(['yaw'], [2.9])
    arm.run(0.2)
    driver.stop()
    there = arm.come_to_rest()
    driver.reset()
    assert arm.assert_stays() == there
    assert driver.condition == ''
    assert arm.run(2.0, ['yaw'], [2.0])['yaw'] == 2.0


def switch_torque(arm, *switches):
    for on in switches:
        future = arm.driver.set_torque(on)
        arm.turn()
        future.result(0.0)


@pytest.mark.parametrize('let_go', [
    lambda arm: (arm.driver.stop(), arm.driver.reset()), lambda arm: arm.driver.reset(),
    lambda arm: switch_torque(arm, False, True)], ids=['stop', 'reset', 'torque'])
def test_a_repeated_old_command_does_not_set_the_arm_in_motion_again(arm, driver, time, let_go):
    arm.run(1.0)
    made = time.now
    driver.command(['yaw'], [2.9], stamp=made)
    arm.run(0.2)
    let_go(arm)
    there = arm.come_to_rest()
    arm.refuses('made before', ['yaw'], [2.9], stamp=made)
    assert arm.assert_stays() == there
    driver.command(['yaw'], [2.9], stamp=time.now)
    assert arm.run(0.2)['yaw'] > there['yaw']


def test_before_simulated_time_has_begun_a_command_with_a_time_is_refused():
    clock = Time(0.0)
    arm = DrivenArm(stamp_clock=clock)
    arm.refuses('until /clock has come', ['yaw'], [2.9], stamp=1000.0)
    clock.advance(1000.5)
    arm.refuses('last started, reset', ['yaw'], [2.9], stamp=1000.3)
    arm.driver.command(['yaw'], [2.9], stamp=1000.5)


def test_the_clock_is_watched_between_commands():
    clock = Time(1000.0)
    arm = DrivenArm(stamp_clock=clock)
    clock.advance(-990.0)
    arm.turn()
    clock.advance(991.0)
    arm.driver.command(['yaw'], [2.9], stamp=15.0)


@pytest.mark.parametrize('let_go', [
    lambda arm: (arm.driver.stop(), arm.driver.reset()),
    lambda arm: switch_torque(arm, False, True)], ids=['stop', 'torque'])
def test_whoever_was_let_go_waits_for_nobody(arm, driver, time, let_go):
    driver.command(['yaw'], [2.9], stamp=time.now)
    arm.run(0.3)
    let_go(arm)
    arm.run(0.8)
    driver.command(['yaw'], [2.9], stamp=time.now - 0.05)
    assert driver.condition == ''


def test_somebody_elses_command_is_nobodys_business_even_when_stopped(driver):
    driver.stop()
    assert driver.command(['knee'], [1.0]).goals == {}


def test_without_torque_commands_are_refused_and_with_it_nothing_jumps(arm, driver):
    driver.command(['yaw'], [2.9])
    arm.run(0.2)
    switch_torque(arm, False)
    there = arm.turn()
    arm.refuses('torque', ['yaw'], [0.0])
    assert arm.assert_stays() == there
    assert driver.blocked == (), 'its set-points went on'
    assert driver.condition == 'torque is off'
    switch_torque(arm, True)
    assert driver.condition == ''
    assert arm.assert_stays() == there


def test_an_arm_that_was_moved_by_hand_is_held_where_it_was_put(arm, driver):
    switch_torque(arm, False)
    arm.servos.push({'yaw': 1.5, 'elbow': 0.3})
    put = arm.turn()
    assert put == {**HOME, 'yaw': 1.5, 'elbow': 0.3}
    switch_torque(arm, True)
    assert arm.assert_stays() == put
    # One that stands past its limit comes in when it is commanded to, and not by jumps.
    arm.run(0.3, ['yaw'], [1.4])
    assert arm.positions['elbow'] == 0.3
    arm.driver.command(['elbow'], [-0.5])
    assert -0.1 < arm.run(0.1)['elbow'] < 0.3
    assert arm.run(1.0, ['elbow'], [-0.5])['elbow'] == -0.5


def test_a_stop_outlasts_torque_off_and_on(arm, driver):
    driver.stop()
    switch_torque(arm, False, True)
    arm.refuses('stopped', ['yaw'], [0.0])


def test_a_gripper_is_opened_by_a_number(arm, driver):
    driver.open_gripper(1.0)
    arm.run(0.2)
    driver.stop()
    driver.reset()
    driver.open_gripper(1.0)
    assert arm.run(5.0) == {**HOME, 'gripper': -0.1, 'slide': 0.04}


@pytest.mark.parametrize('well_again', [
    lambda driver: driver.open_gripper(1.0), lambda driver: driver.reset()],
    ids=['gripper', 'reset'])
def test_a_problem_ends_with_the_next_thing_that_goes_well(driver, well_again):
    with pytest.raises(InvalidInputError):
        driver.command(['yaw'], [float('nan')])
    well_again(driver)
    assert driver.condition == ''


def test_a_wrong_opening_moves_nothing(arm, driver):
    with pytest.raises(InvalidInputError):
        driver.open_gripper(1.5)
    assert driver.condition.startswith('refused: gripper command is 1.5')
    arm.assert_stays()


def test_opening_the_gripper_neither_feeds_nor_ends_the_command_watchdog(arm, driver):
    driver.command(['yaw'], [2.9])
    for _ in range(20):
        driver.open_gripper(0.5)
        arm.run(0.1)
    assert arm.positions['yaw'] < 1.5


@pytest.mark.parametrize('on', [True, False])
def test_torque_is_switched_only_once_the_servos_have_answered(arm, driver, monkeypatch, on):
    def fail(on, names=None):
        raise DriverError('test', 'no answer')
    switch_torque(arm, not on)
    monkeypatch.setattr(arm.servos, 'set_torque', fail)
    future = driver.set_torque(on)
    arm.turn()
    with pytest.raises(DriverError, match='no answer'):
        future.result(0.0)
    assert driver.torque == (not on)
    assert driver.condition == ('torque is off' if on else '')


# Speed

@pytest.mark.parametrize('speed', [1.0, 0.5, 0.05])
def test_joints_go_to_goals_at_their_part_of_speed(arm, speed):
    arm.driver.speed = speed
    arm.driver.command(['yaw'], [HOME['yaw'] + 1.0])
    arm.run(0.4)
    before = arm.set_points['yaw']
    arm.turn()
    assert (arm.set_points['yaw'] - before) / PERIOD == pytest.approx(
        speed * JOINTS['yaw'].max_velocity)


@pytest.mark.parametrize('seed', range(3))
def test_a_speed_may_change_on_the_way(arm, seed):
    random, limits = Random(seed), LimitsKept()
    arm.driver.command_timeout = 0.0
    arm.driver.command(['yaw', 'elbow'], [HOME['yaw'] + 1.0, HOME['elbow'] - 0.5])
    for _ in range(300):
        if random.random() < 0.2:
            arm.driver.speed = random.uniform(0.05, 1.0)
        arm.turn()
        limits.look(arm.set_points)
    arm.driver.speed = 1.0
    assert arm.come_to_rest()['yaw'] == HOME['yaw'] + 1.0


def test_a_stream_that_goes_on_through_stop_and_reset_moves_nothing_before_it_pauses(arm):
    def send(seconds, velocities=()):
        for number in range(round(seconds / 0.02)):
            with suppress(InvalidInputError):
                arm.driver.command(['yaw'], [arm.set_points['yaw'] + 0.02], arm.time(), velocities)
            arm.turn()
            arm.turn()

    for velocities in ((), (1.0,)):
        send(0.4, velocities)
        arm.driver.stop()
        arm.come_to_rest()
        arm.driver.reset()
        there = arm.positions['yaw']
        send(1.0, velocities)
        assert arm.positions['yaw'] == there
        assert 'one of a stream that went on through a stop' in arm.driver.condition
        arm.run(0.31)
        send(0.1, velocities)
        assert arm.positions['yaw'] > there
    assert arm.driver.status['stops'] == '2'


def test_a_single_command_after_stop_and_reset_moves_the_arm(arm):
    arm.run(0.4, ['yaw'], [1.0])
    arm.driver.stop()
    arm.run(0.5)
    arm.driver.reset()
    there = arm.positions['yaw']
    arm.run(0.3, ['yaw'], [0.8])
    assert arm.positions['yaw'] != there


@on_3_11
def test_a_turn_of_the_bus_takes_few_calls(arm):
    commanded, at_rest = [], []     # by a stream at half the rate of the bus
    for number in range(400):
        if number < 300 and number % 2 == 0:
            arm.driver.command(['yaw', 'wrist'], [0.1 * sin(0.01 * number), 0.1])
        arm.time.advance(PERIOD)
        with counted(commanded if number < 300 else at_rest):
            arm.driver.turn()
    assert max(commanded) <= 540 and median(commanded) <= 350
    assert median(at_rest) <= 260
