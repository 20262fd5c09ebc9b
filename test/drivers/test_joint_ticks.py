# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Positions to ticks and back, by hand."""

from math import pi

from arm_ik.drivers.servos_file import JointTicks
import pytest

TURN = 2.0 * pi / 4096


def test_a_quarter_turn_forward_adds_ticks():
    ticks = JointTicks.linear(2047, 1, 700, 3400, TURN)
    assert ticks.tick(pi / 2) == pytest.approx(2047 + 1024)
    assert ticks.position(2047 + 1024) == pytest.approx(pi / 2)


def test_a_quarter_turn_forward_takes_ticks_away_where_the_servo_turns_the_other_way():
    ticks = JointTicks.linear(2047, -1, 700, 3400, TURN)
    assert ticks.tick(pi / 2) == pytest.approx(2047 - 1024)
    assert ticks.position(2047 - 1024) == pytest.approx(pi / 2)


@pytest.mark.parametrize('direction, lower, upper', [(1, -1024, 512), (-1, -512, 1024)])
def test_limits_are_positions_in_order(direction, lower, upper):
    ticks = JointTicks.linear(2048, direction, 1024, 2560, TURN)
    assert (ticks.lower, ticks.upper) == pytest.approx((lower * TURN, upper * TURN))


@pytest.mark.parametrize('ticks, positions', [
    ([2000, 2600, 3500], [-0.2, 0.6, 1.7]), ([3500, 2600, 2000], [-0.2, 0.6, 1.7]),
    ([2000, 2600, 3500], [1.7, 0.6, -0.2]), ([3500, 2600, 2000], [1.7, 0.6, -0.2])])
def test_points_given_are_met_in_any_order_and_between_them_it_is_straight(ticks, positions):
    joint = JointTicks(ticks, positions)
    for tick, position in zip(ticks, positions):
        assert joint.tick(position) == pytest.approx(tick)
        assert joint.position(tick) == pytest.approx(position)
    assert joint.position((ticks[0] + ticks[1]) / 2) == pytest.approx(
        (positions[0] + positions[1]) / 2)
    assert joint.tick((positions[1] + positions[2]) / 2) == pytest.approx(
        (ticks[1] + ticks[2]) / 2)


def test_beyond_the_outer_points_it_goes_straight_on():
    joint = JointTicks([1000, 2000, 3000], [0.0, 1.0, 3.0])
    assert joint.position(500) == pytest.approx(-0.5)
    assert joint.position(3500) == pytest.approx(4.0)
    assert joint.tick(-0.5) == pytest.approx(500)
    assert joint.tick(4.0) == pytest.approx(3500)


@pytest.mark.parametrize('direction', [1, -1])
def test_every_tick_comes_back(direction):
    ticks = JointTicks.linear(1900, direction, 0, 4095, TURN)
    assert [round(ticks.tick(ticks.position(tick))) for tick in range(4096)] == list(range(4096))


def test_the_resolution_is_the_largest_step():
    joint = JointTicks([1000, 2000, 3000], [0.0, 1.0, 3.0])
    assert joint.resolution == pytest.approx(0.002)
    assert joint.finest == pytest.approx(0.001)
