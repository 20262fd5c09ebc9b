# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What simulated servos promise beyond the contract: ideal ones, and what can be wrong."""

from dataclasses import replace

from arm_ik.bus.simulated import Imperfections, Simulated
from arm_ik.drivers import JointReading, Snapshot
from arm_ik.errors import DriverError
import pytest
from small_arm import HOME, JOINTS, MODEL, Time


@pytest.fixture
def time():
    return Time()


def simulated(time, start=None, seed=0, **imperfections):
    backend = Simulated(MODEL, start, time, Imperfections(**imperfections), seed)
    backend.open()
    backend.engage()
    return backend


def positions(backend):
    return backend.read().positions


def test_it_starts_where_it_is_told_to_past_a_limit_too(time):
    assert positions(simulated(time, {'elbow': 0.2})) == {**HOME, 'elbow': 0.2}


@pytest.mark.parametrize('start, words', [({'knee': 0.0}, 'knee'), ({'yaw': float('nan')}, 'yaw')])
def test_a_start_that_cannot_be_is_an_error(time, start, words):
    with pytest.raises(DriverError, match=words):
        simulated(time, start)


def test_latency_is_how_long_a_set_point_takes(time):
    backend = simulated(time, latency=0.1)
    time.advance(0.2)
    for number in range(1, 5):
        backend.write({'yaw': 0.1 * number})
        time.advance(0.04)
    assert positions(backend)['yaw'] == pytest.approx(0.2)
    time.advance(0.1)
    assert positions(backend)['yaw'] == pytest.approx(0.4)


def test_torque_that_comes_back_finds_no_older_set_point_on_its_way(time):
    backend = simulated(time, latency=0.1)
    backend.write({'yaw': 0.5})
    backend.set_torque(False)
    backend.push({'yaw': 0.2})
    backend.engage()
    assert positions(backend)['yaw'] == 0.2


def test_a_coarse_encoder_counts_and_its_last_digit_flickers(time):
    backend = simulated(time, {'yaw': 0.1225}, resolution=0.005)
    backend.set_torque(False)
    backend.push({'yaw': 0.1225})
    seen = {positions(backend)['yaw'] for _ in range(100)}
    assert sorted(seen) == pytest.approx([0.12, 0.125])
    assert backend.resolution == {**dict.fromkeys(JOINTS, 0.005), 'slide': 0.0}


def test_what_carries_the_arm_sags_downwards_and_nothing_else(time):
    sagging = positions(simulated(time, sag=0.06))
    # The shoulder counts downwards.
    assert sagging == pytest.approx(
        {**HOME, 'shoulder': HOME['shoulder'] + 0.06, 'elbow': HOME['elbow'] - 0.06,
         'wrist': HOME['wrist'] - 0.06})


def test_lost_replies_are_as_many_as_asked_for_and_the_same_again(time):
    runs = []
    for seed in (1, 1, 2):
        backend = Simulated(MODEL, clock=time, seed=seed)
        backend.open()
        backend.imperfections = Imperfections(lost_replies=0.1)
        runs.append([tuple(backend.read().missing) for _ in range(1000)])
    assert runs[0] == runs[1] != runs[2]
    assert 500 < sum(map(len, runs[0])) < 700
    assert backend.read_health('yaw').lost_replies > 50


def test_a_blocked_joint_stays_and_goes_on_when_it_is_free(time):
    backend = simulated(time, blocked='yaw')
    backend.write({'yaw': 0.5, 'wrist': 0.5})
    assert positions(backend) == {**HOME, 'wrist': 0.5}
    backend.imperfections = Imperfections()
    assert positions(backend)['yaw'] == 0.5


def test_a_dead_servo_holds_and_has_not_heard_what_it_was_told(time):
    backend = simulated(time)
    backend.imperfections = Imperfections(dead='yaw')
    backend.write({'yaw': 0.5})
    backend.set_torque(False, ['yaw'])
    backend.imperfections = Imperfections()
    assert positions(backend) == HOME
    assert backend.read_health('yaw').torque


def test_a_brown_out_takes_the_torque_until_it_is_switched_on_again(time):
    backend = simulated(time)
    backend.imperfections = Imperfections(brown_out='yaw')
    assert backend.read_health('yaw').torque is False
    backend.imperfections = Imperfections()
    backend.write({'yaw': 0.5})
    assert positions(backend) == HOME and backend.read_health('yaw').torque is False
    backend.engage()
    assert backend.read_health('yaw').torque


def test_a_velocity_is_the_mean_since_the_last_reading(time):
    backend = simulated(time)
    backend.imperfections = Imperfections(sag=0.01, resolution=0.001)
    assert backend.read().readings['yaw'].velocity == 0.0
    backend.write({'yaw': HOME['yaw'] + 0.02})
    time.advance(0.1)
    velocities = {name: each.velocity for name, each in backend.read().readings.items()}
    assert velocities == {**dict.fromkeys(HOME, 0.0), 'yaw': pytest.approx(0.2)}


def test_no_velocity_is_far_too_high_where_turns_of_the_bus_come_late_and_early(time):
    backend, position = simulated(time), HOME['yaw']
    for step in 10 * (0.01, 0.015, 0.0001, 0.01):    # at 1 rad/s, read as soon as it is written
        position += step
        backend.write({'yaw': position})
        time.advance(0.0001)
        assert backend.read().readings['yaw'].velocity < 1.8
        time.advance(step)


def test_a_slow_read_says_so(time):
    assert simulated(time, read_time=0.001).cycle_time == 0.001


def test_a_snapshot_is_as_old_as_its_oldest_reading():
    assert Snapshot({name: JointReading(0.0, stamp) for name, stamp in (
        ('yaw', 5.0), ('wrist', 4.0), ('elbow', 6.0))}).stamp == 4.0


@pytest.mark.parametrize('what', ['blocked', 'dead', 'brown_out'])
def test_an_imperfect_joint_has_to_be_one(time, what):
    with pytest.raises(DriverError, match='knee'):
        Simulated(MODEL, imperfections=replace(Imperfections(), **{what: 'knee'}))
