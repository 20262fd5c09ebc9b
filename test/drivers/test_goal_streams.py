# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Goals without velocities, one after the other: smooth where they are a stream, else goals."""

from math import nan, sin
from random import Random

from arm_ik.errors import InvalidInputError
from circle import circle, figures, go_round, RADIUS
from driven_arm import DrivenArm, LimitsKept, PERIOD
import numpy
import pytest
from small_arm import HOME, JOINTS


@pytest.mark.parametrize('stamps', [True, False], ids=['stamps', 'none'])
@pytest.mark.parametrize('rate', [10.0, 20.0, 30.0, 50.0, 100.0, 200.0])
def test_a_stream_of_goals_is_as_even_as_the_motion_it_is_of(rate, stamps):
    slowest, fastest, rms, lag = figures(rate, stamps, seed=3)
    assert 0.8 < slowest and fastest < 1.2 and rms < 0.1
    assert lag < (1.0 / rate + 0.06 if rate < 100.0 else 0.05)


def test_noise_of_the_targets_and_a_lost_one_do_not_shake_the_arm():
    assert figures(30.0, True, seed=4, noise=3e-4)[2] < 0.2
    slowest, fastest, _, _ = figures(50.0, True, seed=4, lost=100)
    assert 0.5 < slowest and fastest < 1.5


def test_a_stream_that_ends_is_soon_at_rest_at_its_last_goal_and_was_never_beyond():
    times, q, tips, arrival = go_round(30.0, True, seed=5, seconds=1.3)
    assert (times[numpy.abs(q - q[-1]).max(axis=1) > 1e-3]).max() < arrival + 0.3
    assert tips[-1] == pytest.approx(circle(1.3 - 1.0 / 30.0), abs=1e-3)
    assert numpy.hypot(tips[:, 0] - 0.18, tips[:, 1]).max() < RADIUS + 5e-4


def send(arm, positions, rate=50.0):
    """Send goals of yaw at a rate; return the set-points of each turn."""
    seen, limits = [], LimitsKept()
    for position in positions:
        arm.driver.command(['yaw'], [position])
        for _ in range(round(1.0 / rate / PERIOD)):
            arm.turn()
            limits.look(arm.set_points)
            seen.append(arm.set_points['yaw'])
    return seen


def ramp(begin=HOME['yaw'], count=25, step=0.01):
    return [begin + step * number for number in range(count)]


def test_no_set_point_is_outside_the_goals_that_came(arm):
    random, low, high = Random(1), HOME['yaw'], HOME['yaw']
    for _ in range(300):
        goal = min(max(arm.set_points['yaw'] + random.gauss(0.0, 0.05), -2.0), 2.0)
        low, high = min(low, goal), max(high, goal)
        for set_point in send(arm, [goal], random.choice((20.0, 50.0, 100.0))):
            assert low - 1e-9 <= set_point <= high + 1e-9


def test_goals_far_from_each_other_are_goals(arm):
    alone = DrivenArm(command_timeout=0.0)
    alone.driver.command(['yaw', 'wrist'], [2.0, -1.0])
    for number in range(100):
        if number % 2 == 0:
            arm.driver.command(['yaw', 'wrist'], [2.0, -1.0])
        alone.turn()
        arm.turn()
        assert arm.set_points == alone.set_points
    send(arm, ramp(2.0))
    before = arm.set_points['yaw']
    arm.run(2.5, ['yaw'], [-1.0])
    assert before > 2.1 and arm.positions['yaw'] == -1.0


def test_joints_far_from_a_stream_go_to_it_together(arm, driver):
    for number in range(15):
        driver.command(['yaw', 'wrist'], [2.5 + 0.01 * number, -1.3 - 0.005 * number])
        arm.turn()
        arm.turn()
    gone = [(arm.set_points[name] - HOME[name]) / (goal - HOME[name])
            for name, goal in (('yaw', 2.64), ('wrist', -1.37))]
    assert gone[0] == pytest.approx(gone[1], rel=0.1) and 0.1 < gone[0] < 0.5


def test_a_command_that_is_repeated_with_its_stamp_is_no_new_one(arm, driver):
    send(arm, ramp())
    made = arm.time.now
    for _ in range(20):
        driver.command(['yaw'], [0.35], made)
        arm.turn(0.02)
    assert arm.set_points['yaw'] == 0.35 and not arm.driver.condition
    arm.assert_stays()


@pytest.mark.parametrize('end', [
    lambda arm: arm.driver.stop(), lambda arm: arm.driver.reset(),
    lambda arm: arm.driver.command(['yaw'], [arm.set_points['yaw'] + 0.0063], velocities=[0.0])],
    ids=['stop', 'reset', 'rest'])
def test_what_stops_the_arm_stops_a_stream_at_once(arm, end):
    send(arm, ramp())
    before = arm.set_points['yaw']
    end(arm)
    seen = []
    for _ in range(20):
        arm.turn()
        seen.append(arm.set_points['yaw'])
    assert before < seen[0] and seen == sorted(seen), 'not braked on its way'
    assert seen[-1] < before + 0.01
    arm.assert_stays()


@pytest.mark.parametrize('let_go', ['torque', 'bus', 'fault'])
def test_a_stream_is_not_taken_up_again(arm, let_go):
    send(arm, ramp())
    arm.let_go(let_go)
    there = arm.come_to_rest()['yaw']
    assert there < (0.34 if let_go == 'fault' else 0.33)    # a fault is read within 0.4 s
    assert arm.assert_stays()['yaw'] == there


def test_a_stream_with_velocities_and_one_without_take_over_from_each_other(arm, driver):
    last = send(arm, ramp())[-1]
    for number in range(25):
        driver.command(['yaw'], [0.35 + 0.01 * number], velocities=[0.5])
        for _ in range(2):
            assert arm.turn()['yaw'] >= last
            last = arm.set_points['yaw']
        assert number < 15 or last > 0.3 + 0.01 * number
    seen = send(arm, ramp(0.60))
    assert seen == sorted(seen) and seen[0] >= last
    assert arm.come_to_rest()['yaw'] == pytest.approx(0.84)


def test_two_senders_with_joints_of_their_own_have_each_its_stream(arm, driver):
    seen = []
    for number in range(50):
        driver.command(['yaw'], [HOME['yaw'] + 0.01 * number])
        arm.turn()
        driver.command(['wrist'], [HOME['wrist'] - 0.01 * number])
        arm.turn()
        seen.append((arm.set_points['yaw'], arm.set_points['wrist']))
    steps = numpy.diff(numpy.array(seen[20:]), axis=0)
    assert steps == pytest.approx(numpy.array([[0.01, -0.01]] * len(steps)), rel=0.05)


def test_a_leader_that_is_faster_than_the_arm_is_followed_within_the_limits(arm):
    top = JOINTS['yaw'].max_velocity
    send(arm, [1.5 * sin(2.0 * top * number / 50.0 / 1.5) for number in range(200)])
    assert send(arm, [0.5] * 75)[-1] == 0.5


def leader(time):
    """Return where a leader's yaw is: it flicks by 2 rad, twice as fast as the arm may."""
    return min(HOME['yaw'] + max(0.0, time - 0.5) * 2.0 * JOINTS['yaw'].max_velocity, 2.1)


def test_a_velocity_that_nobody_has_measured_is_none(arm, driver):
    for number in range(50):
        driver.command(['yaw', 'wrist'], [HOME['yaw'] + 0.01 * number, HOME['wrist']],
                       velocities=[0.5, nan])
        arm.turn(0.02)
    assert arm.run(0.3)['yaw'] == pytest.approx(HOME['yaw'] + 0.49)
    assert not driver.condition


@pytest.mark.parametrize('time', [0.0, 0.02, 0.1])
def test_a_leader_faster_than_the_arm_is_caught_up_with_single_points(arm, driver, time):
    limits = LimitsKept()
    for number in range(100):
        driver.follow_point(['yaw'], time, [leader(number / 50.0)], [])
        for _ in range(2):
            arm.turn()
            limits.look(arm.set_points)
    assert arm.set_points['yaw'] == pytest.approx(2.1, abs=1e-3)
    assert not driver.condition


def test_a_single_point_takes_its_time_if_the_limits_allow_and_needs_no_others(arm, driver):
    driver.command(['wrist'], [HOME['wrist'] + 0.05])
    driver.follow_point(['yaw'], 2.0, [2.1], [])
    assert arm.run(1.0)['yaw'] == pytest.approx(1.1, abs=0.05)
    assert arm.run(1.5)['yaw'] == 2.1
    driver.command(['yaw'], [2.0])
    followed = driver.follow(['yaw'], [9.0], [[0.0]], [[]])
    driver.follow_point(['yaw'], 0.3, [-1.9], [])
    assert followed.result(0.0).code == 'INVALID_GOAL'
    assert arm.run(3.0)['yaw'] == -1.9


@pytest.mark.parametrize('names, time, positions, velocities, words', [
    (['yaw', 'nose'], 0.0, [0.2, 0.2], [], 'nose'), (['yaw'], 0.05, [0.2], [0.5], 'at rest'),
    (['yaw'], 0.0, [nan], [], 'finite'), (['yaw'], 0.0, [], [], 'position'),
    (['yaw'], 0.0, [9.0], [], 'allowed: from -3')])
def test_a_bad_single_point_is_refused_and_moves_nothing(
        arm, driver, names, time, positions, velocities, words):
    with pytest.raises(InvalidInputError, match=words):
        driver.follow_point(names, time, positions, velocities)
    assert driver.condition.startswith('refused: ')
    assert arm.assert_stays() == HOME
