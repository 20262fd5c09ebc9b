# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Lines to a target that moves: the arm follows at any rate, on the lines between its places."""

from math import cos, floor, sin
from random import Random

from arm_ik import Target
from arm_ik.motion.jog import Twist
from arm_ik.nodes.ik.report import State
from controlled_loop import Loop, require_inside_limits
from moving_target import along, DOWN, MovingTarget, SO101
import numpy as np
import pytest


def require_follows(bench, seconds=1.0, off=1e-3):
    bench.require_inside_limits()
    assert bench.off(seconds).max() < off
    assert bench.reports[-1].state is State.ARRIVED
    assert bench.tips()[-1] == pytest.approx(bench.where(seconds), abs=1e-9)


@pytest.mark.parametrize('rate, jitter', [(10.0, 0.2), (20.0, 0.0), (50.0, 0.2), (100.0, 0.0)])
def test_a_moving_target_is_followed_at_any_rate(rate, jitter):
    bench = MovingTarget(rate=rate).run(1.0, jitter=jitter)
    require_follows(bench, off=1e-4)
    assert bench.lags().max() < 0.1 + 1.0 / rate
    assert np.diff(bench.tips()[:, 1]).min() > -1e-9


def circle(time):
    return np.array([0.18 + 0.04 * cos(5.0 * time), 0.04 * sin(5.0 * time), 0.05])


def square(time):
    side, gone = divmod(0.2 * time / 0.06, 1.0)
    corners = np.array([(0.16, 0.0), (0.22, 0.0), (0.22, 0.06), (0.16, 0.06)])
    at, to = corners[int(side) % 4], corners[(int(side) + 1) % 4]
    return np.array([*(at + gone * (to - at)), 0.05])


@pytest.mark.parametrize('rate', [20.0, 100.0])
@pytest.mark.parametrize('where', [
    circle, square, lambda time: along(min(time, 1.0 - time)),
    lambda time: along(time - 0.3 * (time > 0.5))], ids=['circle', 'square', 'turns', 'jumps'])
def test_corners_are_within_a_millimetre(where, rate):
    require_follows(MovingTarget(where, rate).run(1.0))


def test_a_target_that_comes_twice_is_not_stopped_at():
    bench = MovingTarget(lambda time: along(floor(25.0 * time) / 25.0), 100.0).run(1.0)
    require_follows(bench)
    assert bench.speeds()[10:45].min() > 0.1


@pytest.mark.parametrize('rate', [20.0, 100.0])
def test_a_target_faster_than_the_tip_is_followed_at_its_speed_and_caught_up(rate):
    bench = MovingTarget(lambda time: along(min(2.5 * time, 1.0)), rate).run(1.0)
    require_follows(bench)
    assert bench.speeds()[10:30].min() > 0.25


@pytest.mark.parametrize('up', [
    None, lambda time: (sin(0.5 * time), 0.0, -cos(0.5 * time))], ids=['any', 'turns'])
def test_the_up_vector_may_turn_on_the_way(up):
    bench = MovingTarget(up=up).run(1.0)
    require_follows(bench)
    assert bench.lags().max() < 0.12


def test_targets_out_of_reach_are_refused_and_the_arm_goes_to_the_last_good_one():
    bench = MovingTarget(lambda time: along(time) + (time > 0.5) * np.array([0.9, 0.0, 0.0]))
    bench.run(0.8)
    refused = [report for report in bench.reports if report.state is State.REFUSED]
    assert len(refused) == 15 and 'tip' in refused[0].reason
    assert bench.tips()[-1] == pytest.approx(along(0.5), abs=1e-9)
    bench.require_inside_limits()


def pause(on):
    return lambda bench: bench.core.pause(on)


def speed(part):
    return lambda bench: setattr(
        bench.core, 'settings', bench.core.settings._replace(speed=part))


@pytest.mark.parametrize('rate', [10.0, 100.0])
@pytest.mark.parametrize('acts', [
    [(0.4, pause(True)), (0.8, pause(False))], [(0.9, pause(True)), (1.3, pause(False))],
    [(0.4, speed(0.3)), (0.6, speed(1.0))], [(0.5, speed(0.8))], [(0.99, speed(0.1))]])
def test_a_pause_or_another_speed_keeps_lines_and_limits(acts, rate):
    bench = MovingTarget(rate=rate).run(1.0, after=1.5, acts=acts)
    require_follows(bench, off=1e-4)


@pytest.mark.parametrize('end, cause', [
    (lambda bench: bench.home(), 'home'),
    (lambda bench: bench.core.take_twist(Twist((0.0, 0.0, 0.05)), bench.request()), 'jog'),
    (lambda bench: bench.path(Target((0.2, 0.0, 0.08), DOWN)), 'line')])
def test_another_request_takes_over(end, cause):
    bench = MovingTarget(rate=100.0).run(0.6, after=3.0, acts=[(0.605, end)])
    assert [report.state for report in bench.reports if report.cause == cause][-1] is State.ARRIVED
    assert bench.reports[-1].cause == cause
    bench.require_inside_limits()


def test_after_another_request_the_targets_take_over_again():
    for act in (lambda bench: bench.home(), lambda bench: bench.core.take_twist(
            Twist((0.0, 0.0, 0.05)), bench.request())):
        bench = MovingTarget(rate=100.0).run(1.0, acts=[(0.405, act)])
        bench.require_inside_limits()
        assert bench.tips()[-1] == pytest.approx(along(1.0), abs=1e-9)
        assert bench.lags(0.7).max() < 0.11


def test_a_target_that_trembles_does_not_hold_the_arm_up():
    noise = np.random.default_rng(1).normal(size=(101, 3)) * 1e-4
    bench = MovingTarget(lambda time: along(time) + noise[round(100.0 * time)], 100.0).run(1.0)
    require_follows(bench)
    assert bench.lags().mean() < 0.12


def test_a_stream_that_takes_over_in_mid_line_follows_from_where_braking_ends():
    far, out = np.array([0.2, 0.06, 0.05]), np.array([0.9, 0.0, 0.05])
    bench = MovingTarget(lambda time: far if time < 0.02 else out if time < 0.24 else far - (
        0.02 - 0.1 * (time - 0.24), 0.01, 0.0), 100.0, start=along(0.0)).run(0.6)
    bench.require_inside_limits()
    assert bench.tips()[-1] == pytest.approx(bench.where(0.6), abs=1e-9)


def test_two_senders_do_not_lead_the_arm_for_longer_than_they_send():
    bench = MovingTarget(lambda time: along(time) - (0.0, 0.02 * (round(50.0 * time) % 2), 0.0))
    require_follows(bench.run(1.0))
    assert max(report.time_left_s for report in bench.reports) < 0.75


@pytest.mark.parametrize('rate', [20.0, 100.0])
def test_trajectories_follow_a_moving_target_too(rate):
    q = SO101.solve(Target(along(0.0), DOWN)).q
    loop = Loop(Random(1), q, motion='line', tip_speed=0.3)
    for number in range(1, round(rate)):
        loop.do(loop.core.take_target(Target(along(number / rate), DOWN), loop.request()))
        loop.run(1.0 / rate)
    tip = SO101.forward(loop.path[-1]).position
    assert along(1.0)[1] - tip[1] < 0.2 * (0.1 + 1.0 / rate + 0.065)
    loop.until(State.ARRIVED)
    tips = SO101.forward(loop.path).position
    assert np.abs(tips[:, [0, 2]] - (0.2, 0.05)).max() < 1e-4
    assert tips[-1] == pytest.approx(along(1.0 - 1.0 / rate), abs=1e-6)
    require_inside_limits(loop.path, slack=0.03)
