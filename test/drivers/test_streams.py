# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Commands with velocities: what is passed on, what is limited, and how a stream ends."""

from math import cos, inf, sin

from arm_ik.motion.stream import SPARE
from driven_arm import DrivenArm, LimitsKept, PERIOD
import pytest
from small_arm import HOME, JOINTS

#: Rate of the streams [Hz], and of the sine [rad/s].
RATE, W = 50.0, 4.0


def sine(time):
    """Return positions and velocities of yaw and wrist, inside their limits."""
    return {'yaw': (HOME['yaw'] + 0.4 * (1.0 - cos(W * time)), 0.4 * W * sin(W * time)),
            'wrist': (HOME['wrist'] - 0.3 * (1.0 - cos(W * time)), -0.3 * W * sin(W * time))}


def both(time):
    """Return a steady motion of both."""
    return {'yaw': (0.1 + time, 1.0), 'wrist': (0.3 - 0.5 * time, -0.5)}


def stream(arm, way, seconds, blocked=()):
    """Send a way at RATE; return the times since the start and the set-points then."""
    start, seen, limits = arm.time.now, [], LimitsKept(blocked)
    for number in range(round(seconds / PERIOD)):
        time = arm.time.now - start
        if number % 2 == 0:
            points = way(time)
            arm.driver.command(list(points), [q for q, _ in points.values()], arm.time.now,
                               [v for _, v in points.values()])
        arm.turn()
        limits.look(arm.set_points)
        seen.append((arm.time.now - start, arm.set_points))
    return seen


def braked(arm):
    """Let an arm that was on the way of both come to rest on it; return how far the yaw got."""
    before = arm.set_points
    rest = arm.come_to_rest()
    yaw, wrist = (rest[name] - before[name] for name in ('yaw', 'wrist'))
    assert yaw == pytest.approx(-2.0 * wrist, rel=1e-3)
    return yaw


def test_a_stream_inside_the_limits_is_passed_on_one_period_and_a_little_late(arm):
    for time, set_points in stream(arm, sine, 3.0)[30:]:
        for name, (position, _) in sine(time - 1.0 / RATE - SPARE).items():
            assert set_points[name] == pytest.approx(position, abs=3e-6)
    assert arm.driver.condition == ''


def test_its_period_is_that_of_its_stamps_however_late_a_command_comes(arm, driver):
    made = arm.time.now
    driver.command(['yaw'], [0.1], made, [0.0])
    arm.run(0.03)
    driver.command(['yaw'], [0.1001], made + 1.0 / RATE, [0.0])
    arm.run(0.02 + SPARE)
    assert arm.set_points['yaw'] == pytest.approx(0.1001, abs=1e-9)


def test_a_late_turn_of_the_bus_makes_no_leap(arm):
    def way(time):
        return {'yaw': (0.1 + 0.5 * time, 0.5)}

    start = stream(arm, way, 1.0)[-1]
    arm.turn(0.06)
    assert arm.set_points['yaw'] - start[1]['yaw'] == pytest.approx(1.5 * PERIOD * 0.5)
    made, before, speed = arm.time.now, arm.set_points['yaw'], PERIOD * 0.5
    for number in range(100):
        arm.driver.command(['yaw'], [0.625 + 0.01 * number], made + 0.02 * number, [0.5])
        for _ in range(2):
            arm.turn()
            step, before = arm.set_points['yaw'] - before, arm.set_points['yaw']
            assert 0.75 * speed < step < 1.05 * speed


def test_what_a_stream_asks_beyond_the_limits_is_limited(arm):
    seen = stream(arm, lambda time: {
        'yaw': (3.9 * sin(3.0 * time), 11.7 * cos(3.0 * time)),
        'elbow': (-3.4, 0.0), 'slide': (0.05 * (time % 0.5), 0.05)}, 6.0)
    positions = [set_points['yaw'] for _, set_points in seen]
    assert max(positions) - min(positions) > 2.0
    assert arm.set_points['elbow'] == JOINTS['elbow'].lower
    assert 'elbow was asked to go past its limit' in arm.driver.condition


def test_a_stream_that_begins_elsewhere_is_approached_slowly_and_caught_up_with(arm):
    seen = stream(arm, lambda time: {
        'yaw': (1.5 - 0.3 * time, -0.3), 'wrist': (HOME['wrist'], 0.0)}, 4.0)
    fastest = 0.2 * JOINTS['yaw'].max_velocity
    for (before, one), (after, other) in zip(seen, seen[1:]):
        far = abs(1.5 - 0.3 * after - other['yaw']) > 0.3
        assert not far or other['yaw'] - one['yaw'] <= 1.001 * fastest * (after - before)
    time, set_points = seen[-1]
    assert set_points['yaw'] == pytest.approx(1.5 - 0.3 * (time - 1.0 / RATE - SPARE))


def test_a_stream_that_breaks_off_is_braked_on_its_way_and_said(arm, driver):
    stream(arm, both, 0.5)
    assert 0.03 < braked(arm) < 0.2
    arm.run(0.1)
    assert 'the stream of commands has broken off' in driver.condition
    arm.assert_stays()
    driver.command(['yaw'], [0.5])
    assert driver.condition == ''


def test_a_stream_that_has_come_to_its_end_stands_there_and_nothing_is_wrong(arm, driver):
    stream(arm, lambda time: {'yaw': (0.1 + min(time, 0.5) * (1.0 - min(time, 0.5)),
                                      max(0.0, 1.0 - 2.0 * time))}, 0.6)
    arm.run(1.0)
    assert arm.assert_stays()['yaw'] == pytest.approx(0.35)
    assert driver.condition == ''


@pytest.mark.parametrize('late', [0.0, 0.08])
def test_its_end_said_once_more_without_velocities_does_not_cut_it_short(late):
    def end_of(repeats):
        arm = DrivenArm()
        made = arm.time.now
        for number in range(26):
            points = sine(0.03 * number)
            names, rows = list(points), list(zip(*points.values()))
            arm.run(0.02 + late * (number == 20))
            rows[1] = (0.0, 0.0) if number == 25 else rows[1]
            arm.driver.command(names, rows[0], made + 0.02 * number, rows[1])
        seen = []
        for _ in range(30):
            if repeats:
                arm.driver.command(names, rows[0], made + 0.5)
            arm.turn()
            seen.append(arm.set_points)
        return seen
    seen = end_of(True)
    assert seen == end_of(False)
    assert seen[-1]['yaw'] == pytest.approx(sine(0.75)['yaw'][0])


@pytest.mark.parametrize('timeout', [0.0, 0.5, 0.02])
def test_no_time_out_lets_a_stream_that_broke_off_run_on(timeout):
    arm = DrivenArm(command_timeout=timeout)
    stream(arm, lambda time: {'yaw': (0.1 + time, 1.0)}, 0.5)
    before = arm.set_points['yaw']
    arm.run(5.0)
    assert arm.positions['yaw'] < before + 0.25


@pytest.mark.parametrize('hold', [
    lambda driver: driver.stop(), lambda driver: driver.reset()], ids=['stop', 'reset'])
def test_a_hold_brakes_a_stream_on_its_way(arm, driver, hold):
    stream(arm, both, 0.5)
    hold(driver)
    assert 0.0 < braked(arm) <= 0.5 / 20.0 + 1e-9
    arm.assert_stays()


def test_a_goal_takes_over_from_a_stream_at_its_speed(arm, driver):
    stream(arm, both, 0.5)
    before = arm.set_points
    driver.command(['yaw'], [0.2])
    arm.turn()
    assert arm.set_points['yaw'] > before['yaw'], 'jumped back'
    arm.run(0.05)
    assert arm.set_points['yaw'] < before['yaw'] + 0.5 / 20.0 + 0.01, 'went on with its stream'
    arm.run(1.0, ['yaw'], [0.2])
    assert arm.positions['yaw'] == 0.2
    assert arm.positions['wrist'] < before['wrist'], 'went on with its own stream'


def test_a_stream_takes_over_from_a_goal(arm, driver):
    arm.run(0.3, ['yaw'], [2.9])
    there = arm.set_points['yaw']
    stream(arm, lambda time: {'yaw': (there + 2.0 * time, 2.0)}, 0.3)
    assert driver.condition == '' and arm.set_points['yaw'] > there + 0.5


def test_the_chain_waits_for_a_blocked_joint_of_a_stream(arm, driver):
    arm.disturb(blocked='yaw')
    stream(arm, both, 2.0, blocked=('yaw',))
    assert driver.blocked == ('yaw',)
    assert arm.set_points['yaw'] <= HOME['yaw'] + 0.15 + 1e-9
    assert arm.set_points['wrist'] > 0.0
    driver.stop()
    arm.come_to_rest()
    arm.disturb(blocked='')
    assert arm.run(1.0)['yaw'] == HOME['yaw'], 'went on when it was let go'


@pytest.mark.parametrize('let_go', ['torque', 'bus', 'fault'])
def test_a_stream_is_not_taken_up_again(arm, let_go):
    stream(arm, lambda time: {'yaw': (0.1 + time, 1.0)}, 0.5)
    arm.let_go(let_go)
    there = arm.come_to_rest()['yaw']
    assert there < 0.75
    assert arm.assert_stays()['yaw'] == there


@pytest.mark.parametrize('velocities', [[1.0], [1.0, inf], [1.0, 0.0, 0.0]])
def test_odd_velocities_are_refused_with_the_whole_command(arm, driver, velocities):
    arm.refuses('velocit', ['yaw', 'wrist'], [0.2, 0.4], velocities=velocities)
    assert driver.condition.startswith('refused: ')
    assert arm.assert_stays() == HOME
