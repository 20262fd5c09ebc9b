# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Streams between their commands: how late, how exact, and what becomes of missing ones."""

from math import cos, sin
from random import Random

from arm_ik.motion.cubic_spline import hermite
from arm_ik.motion.stream import COAST, SPARE, Stream
import pytest


class Joint:
    acceleration = 10.0


JOINTS = {'yaw': Joint, 'wrist': Joint}
PERIOD = 0.02
REST = {'yaw': (0.0, 0.0)}


def sine(time):
    return 0.5 * (1.0 - cos(3.0 * time)), 1.5 * sin(3.0 * time)


def follow(late, made=lambda time: time, count=200, period=PERIOD):
    """
    Return where a stream of a sine is, by time.

    :param late: how long each command takes [s].
    :param made: the stamp of a command made at a time.
    """
    stream, seen, now = Stream(JOINTS), [], 0.0
    arrivals = [number * period + late() for number in range(count)]
    for number, (arrival, end) in enumerate(zip(arrivals, arrivals[1:])):
        stream.take({'yaw': sine(number * period)}, REST, made(number * period) or arrival,
                    arrival)
        for part in range(8):
            now = arrival + (end - arrival) * part / 8.0
            seen.append((now, *stream.at(now)['yaw']))
    return [(now, *there) for now, *there in seen if now > 1.0]


@pytest.mark.parametrize('period', [0.005, 0.02, 0.05])
def test_it_is_one_period_and_what_it_spares_late_and_exact(period):
    for now, position, velocity in follow(lambda: 0.0, period=period):
        expected = sine(now - period - SPARE)
        step = period + SPARE
        assert position == pytest.approx(expected[0], abs=0.3 * step ** 4 * 81.0 / 24.0)
        assert velocity == pytest.approx(expected[1], abs=2.0 * step ** 3 * 81.0)


def test_commands_that_take_longer_than_others_change_nothing_by_their_stamps():
    random = Random(1)
    for now, position, _ in follow(lambda: random.choice((0.0, 0.003, 0.015))):
        assert position == pytest.approx(sine(now - PERIOD - SPARE - 0.006)[0], abs=8e-3)


def test_nor_does_it_get_later_by_them_than_by_what_they_take_on_the_average():
    random, stream = Random(2), Stream(JOINTS)
    for number in range(300):
        made = number * PERIOD
        now = made + random.uniform(0.0, 0.019)
        stream.take({'yaw': (made, 1.0)}, REST, made, now)
        if number > 50:
            assert stream.at(made + 0.0095 + PERIOD + SPARE)['yaw'][0] >= made - 4e-3


@pytest.mark.parametrize('stamp', [
    lambda time: 0.0, lambda time: 1e-6 * (1.0 + time), lambda time: 5.0 - time],
    ids=['none', 'numbers', 'backwards'])
def test_without_stamps_that_tell_the_time_arrivals_do(stamp):
    for now, position, _ in follow(lambda: 0.0, stamp):
        assert position == pytest.approx(sine(now - PERIOD - SPARE)[0], abs=1e-4)


def test_a_stream_that_has_got_later_goes_by_that_soon():
    stream, late = Stream(JOINTS), 0.0
    for number in range(250):
        late = 0.07 if number > 50 else 0.0
        stream.take({'yaw': (PERIOD * number, 1.0)}, REST, PERIOD * number,
                    PERIOD * number + late)
    now = PERIOD * 249 + late
    assert stream.at(now + 0.5 * PERIOD)['yaw'][0] == pytest.approx(PERIOD * 248.5 - SPARE)


def test_it_hardly_passes_a_position_that_it_was_to_stop_at():
    stream = Stream(JOINTS)
    for number in range(50):
        time = min(number * PERIOD, 0.5)
        stream.take({'yaw': (time * (1.0 - time), 1.0 - 2.0 * time)}, REST, number * PERIOD,
                    number * PERIOD)
        for part in range(10):
            position = stream.at((number + 0.1 * part) * PERIOD)['yaw'][0]
            assert position <= 0.25 + 1e-4
    assert stream.at(1.1)['yaw'] == (pytest.approx(0.25), pytest.approx(0.0))


@pytest.mark.parametrize('stall', [0.02, 0.06, 0.095])
@pytest.mark.parametrize('whose', ['commands', 'bus'])
def test_time_that_was_lost_is_made_up_for_slowly(whose, stall):
    stream, positions, made, lost = Stream(JOINTS), [], [], 0.0
    for now in [0.001 * number for number in range(4000)]:
        stalls = 0.0 <= now % 2.0 - 0.7 < stall
        if round(1e3 * now) % 20 == 0:
            made.append(now)
        if not stalls:
            stream.wait(lost if whose == 'bus' else 0.0)
            lost = 0.0
            for time in made:
                stream.take({'yaw': (0.3 * time, 0.3)}, REST, time, now)
            made.clear()
        else:
            lost += 0.001
        if not stalls or whose == 'commands':
            positions.append(stream.at(now)['yaw'][0])
    speeds = [(b - a) / 0.01 for a, b in zip(positions[300:], positions[310:])]
    # Of commands that are missing for longer, the next may not come: it brakes.
    is_short = whose == 'bus' or stall <= SPARE + 0.01
    assert min(speeds) > 0.3 * (0.75 if is_short else -1e-9)
    assert max(speeds) < 0.3 * (1.05 if is_short else 1.25)     # from rest, to be there in time


def test_joints_brake_together_from_when_a_command_is_missing_and_then_the_stream_has_ended():
    stream = Stream(JOINTS)
    for now in (0.0, PERIOD):
        stream.take({'yaw': (now, 1.0), 'wrist': (0.3, 0.5)}, {**REST, 'wrist': (0.3, 0.5)},
                    now, now)
    due = 2.0 * PERIOD + SPARE
    assert stream.at(due)['yaw'] == (pytest.approx(PERIOD), 1.0)
    half_way, rest = stream.at(due + 0.05), stream.at(due + COAST)
    assert half_way['yaw'] == (pytest.approx(PERIOD + 0.0375), pytest.approx(0.5))
    assert half_way['wrist'] == (pytest.approx(0.3 + 0.01875), pytest.approx(0.25))
    assert rest['yaw'] == (pytest.approx(PERIOD + 0.05), pytest.approx(0.0, abs=1e-9))
    assert stream.ended(due + 0.99 * COAST) == {}
    assert stream.ended(due + 1.01 * COAST) == {'yaw': 1.0, 'wrist': 0.5}
    stream.drop(['yaw'])
    assert list(stream.at(due)) == ['wrist']
    stream.drop()
    assert not stream.at(due)


def test_a_cubic_curve_has_its_ends():
    before, after = (0.3, -0.2), (0.7, 1.1)
    assert hermite(before, after, 0.4, 0.0) == before
    assert hermite(before, after, 0.4, 0.4) == pytest.approx(after)
    step = 1e-6
    ahead, behind = (hermite(before, after, 0.4, 0.1 + way)[0] for way in (step, -step))
    assert hermite(before, after, 0.4, 0.1)[1] == pytest.approx((ahead - behind) / (2.0 * step))
