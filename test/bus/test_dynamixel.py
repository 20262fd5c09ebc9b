# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The back end for X servos: what stands in their EEPROM, shadows, the bus watchdog, faults."""

from math import pi

from arm_ik.drivers import ServoDriver
from arm_ik.drivers.servos_file import JointTicks
from arm_ik.errors import DriverError
from arm_ik.testing.servos.serial_buses import DYNAMIXEL
from bus_helpers import drive, opened, ready, refusal, register, remake, writes
import pytest

TICK = 2.0 * pi / 4096
ELBOW = DYNAMIXEL.ids['elbow']


@pytest.fixture
def bus():
    return DYNAMIXEL


def force(part):
    return DYNAMIXEL.changed('left_finger', max_force=part, model=None)


# Ready.

def test_a_speed_the_servo_may_not_have_is_not_asked_for(make, emulated):
    emulated.do('write', servo_id=ELBOW, address=44, value=100)
    ready(make())
    assert register(emulated, ELBOW, 112, 4) == 100


# The gripper's force.

def test_a_force_is_refused_where_the_servo_has_no_limit_of_it(make):
    words = refusal(make(force(0.4)))
    assert 'left_finger (id 5) is a XL430-W250 and has no limit of force' in words


def test_a_force_needs_the_mode_that_limits_it(make, emulated):
    remake(emulated, 5, model='XM430-W350')
    words = refusal(make(force(0.4)))
    assert 'left_finger (id 5) runs in mode 3 (register 11); with max_force needed is 5' in words


# What stands in the servos.

def test_a_goal_that_a_servo_would_ignore_is_the_nearest_it_takes(make, emulated):
    emulated.do('write', servo_id=ELBOW, address=48, value=3094)
    backend = ready(make())
    backend.write({'elbow': 2.0})
    assert emulated.do('state', servo_id=ELBOW)['goal'] == 3094


# A joint over the jump of its servo.

def beyond(bus):
    """Return the elbow with a range from 3500 to 5200: over the jump, in mode 4."""
    return bus.changed('elbow', ticks=JointTicks.linear(4350, 1, 3500, 5200, TICK))


def test_a_joint_over_the_jump_needs_the_mode_that_counts_turns(bus, make):
    assert 'runs in mode 3 (register 11); over the jump from 4095 to 0 needed is 4' \
        in refusal(make(beyond(bus)))


@pytest.mark.parametrize('count', [4500, 4500 - 4096, 4500 + 3 * 4096])
def test_whatever_its_count_a_joint_over_the_jump_is_where_it_is_and_goes_the_short_way(
        bus, make, emulated, time, count):
    emulated.do('write', servo_id=ELBOW, address=11, value=4)
    emulated.do('push', servo_id=ELBOW, position=count)
    backend = ready(make(beyond(bus)))
    assert backend.read().positions['elbow'] == pytest.approx(150 * TICK)
    time.advance(0.5)
    assert emulated.position(ELBOW) == count
    drive(backend, time, 0.6, {'elbow': -600 * TICK})
    assert emulated.position(ELBOW) == count - 750


def test_far_outside_its_range_nobody_knows_in_which_turn_a_joint_is(bus, make, emulated):
    emulated.do('write', servo_id=ELBOW, address=11, value=4)
    emulated.do('push', servo_id=ELBOW, position=2300)
    backend = opened(make(beyond(bus)))
    backend.verify()
    with pytest.raises(DriverError, match='elbow .id 3. is at tick 6396, far from its range'):
        backend.engage()


# Shadows.

SHADOW = {'servo_id': 13, 'drive_mode': 0, 'secondary_id': ELBOW}


@pytest.fixture
def shadowed(make, emulated):
    """Return a function that makes the back end with a shadow of the elbow's servo."""
    def make_one(**more):
        there = emulated.do('state', servo_id=ELBOW)['position']
        emulated.do('add', **{**SHADOW, 'position': there, **more})
        return make(DYNAMIXEL.changed('elbow', shadow_ids=(13,)))
    return make_one


def test_a_shadow_follows_its_servo_in_all(shadowed, emulated, time):
    backend = ready(shadowed())
    assert register(emulated, 13, 64) == 1
    drive(backend, time, 2.0, {'elbow': 0.5})
    goal = round(DYNAMIXEL.tick('elbow', 0.5))
    assert [emulated.position(each) for each in (ELBOW, 13)] == [goal, goal]
    backend.set_torque(False, ['elbow'])
    assert register(emulated, 13, 64) == 0


def test_a_shadow_that_has_not_heard_is_told_again(shadowed, emulated):
    backend = ready(shadowed())
    emulated.do('servo', servo_id=13, deaf=2)
    backend.set_torque(False, ['elbow'])
    assert register(emulated, 13, 64) == 0


@pytest.mark.parametrize('more, words', [
    ({'secondary_id': 255}, 'has the secondary id 255 (register 12); needed is 3'),
    ({'drive_mode': 4}, 'has drive mode 4 (register 10)'),
    ({'model': 'XM430-W350'}, 'is of another model, or runs in another mode'),
    ({'position': 2000}, 'ticks away from it, and would press against it: its drive mode'),
])
def test_a_shadow_that_would_not_follow_is_refused(shadowed, more, words):
    complaint = refusal(shadowed(**more))
    assert 'elbow (id 3) has a shadow (id 13) that' in complaint and words in complaint


def test_a_shadow_that_does_not_answer_is_told(shadowed, emulated):
    backend = shadowed()
    emulated.do('servo', servo_id=13, present=False)
    backend.open()
    assert backend.verify() == {'elbow': 'elbow (id 3) has a shadow (id 13) that does not answer'}


def test_a_joint_is_missing_without_its_shadow(shadowed, emulated, time):
    backend = ready(shadowed())
    emulated.do('servo', servo_id=13, present=False)
    for _ in range(6):
        time.advance(0.02)
        assert backend.read().missing == {'elbow': 'no answer of its shadow (id 13)'}


def test_a_joint_is_as_ill_as_its_shadow(shadowed, emulated):
    backend = ready(shadowed())
    emulated.do('servo', servo_id=13, overloaded=True, temperature=60)
    health = backend.read_health('elbow')
    assert (health.flags, health.torque, health.temperature_c) == (('overload',), False, 60.0)


# The bus watchdog.

def test_without_us_servos_stop_where_they_are_and_hold(backend, emulated, time):
    start = emulated.position(ELBOW)
    backend.read()
    backend.write({'elbow': -1.5})
    time.advance(5.0)
    state = emulated.do('state', servo_id=ELBOW)
    gone = (start - state['position']) * TICK
    assert gone == pytest.approx(0.5 * 1.2 * backend.joints['elbow'].max_velocity, rel=0.1)
    assert (state['watchdog'], state['torque'], state['moving']) == (-1, True, False)


def test_after_that_set_points_go_on_from_there(backend, emulated, time):
    backend.read()
    backend.write({'elbow': -1.5})
    time.advance(5.0)
    stopped = emulated.position(ELBOW)
    backend.read()
    backend.write({'elbow': 0.9})
    time.advance(0.01)
    state = emulated.do('state', servo_id=ELBOW)
    assert abs(state['position'] - stopped) <= 1 and state['goal'] == stopped
    assert state['watchdog'] == 25
    assert register(emulated, ELBOW, 112, 4) > 0
    drive(backend, time, 2.0, {'elbow': 0.9})
    assert emulated.position(ELBOW) == round(DYNAMIXEL.tick('elbow', 0.9))


def test_a_servo_that_was_cut_off_goes_on_from_where_it_stopped(backend, emulated, time):
    backend.write({'elbow': -1.5})
    emulated.do('servo', servo_id=ELBOW, present=False)
    for _ in range(50):
        time.advance(0.02)
        backend.read()
    emulated.do('servo', servo_id=ELBOW, present=True)
    stopped = emulated.position(ELBOW)
    time.advance(0.3)
    while backend.read().missing:
        time.advance(0.3)
    backend.write({'elbow': 0.8})
    assert emulated.do('state', servo_id=ELBOW)['goal'] == stopped
    drive(backend, time, 3.0, {'elbow': 0.8})
    assert emulated.position(ELBOW) == round(DYNAMIXEL.tick('elbow', 0.8))


def test_no_servo_is_freed_before_its_position_is_believed(backend, emulated, time):
    time.advance(0.3)
    emulated.do('push', servo_id=ELBOW, position=700)
    assert backend.read().missing['elbow'].startswith('implausible answer')
    emulated.do('requests')
    backend.write({'elbow': 0.5, 'waist': 0.1})
    assert {servo_id for _, blocks in writes(DYNAMIXEL, emulated) for servo_id in blocks} == {1}


def test_the_watchdog_is_off_when_the_bus_is_given_back(backend, emulated):
    backend.close()
    assert [register(emulated, each, 98) for each in range(1, 6)] == [0] * 5


def test_a_slow_but_steady_driver_wakes_no_watchdog(backend, emulated, time):
    for _ in range(20):
        time.advance(0.2)
        backend.read()
        backend.write({'elbow': 0.5})
    assert all(address != 98 for address, _ in writes(DYNAMIXEL, emulated)[12:])


# Faults.

def test_an_overload_is_forgotten_in_a_reboot(backend, emulated, time):
    emulated.do('servo', servo_id=ELBOW, blocked=True)
    drive(backend, time, 4.0, {'elbow': 0.0})
    health = backend.read_health('elbow')
    assert (health.flags, health.torque) == (('overload',), False)
    with pytest.raises(DriverError, match=r'no torque on at elbow \(id 3\)'):
        backend.engage(['elbow'])
    emulated.do('servo', servo_id=ELBOW, blocked=False)
    backend.clear_faults(['elbow'])
    health = backend.read_health('elbow')
    assert (health.flags, health.torque) == ((), False)
    backend.engage(['elbow'])
    drive(backend, time, 2.0, {'elbow': 0.0})
    assert emulated.position(ELBOW) == 2048
    assert register(emulated, ELBOW, 98) == 25 and register(emulated, ELBOW, 112, 4) > 0


def test_no_servo_that_holds_is_rebooted(backend, emulated):
    emulated.do('servo', servo_id=ELBOW, voltage=35)
    assert backend.read_health('elbow').flags == ('voltage',)
    emulated.do('servo', servo_id=ELBOW, voltage=120)
    emulated.do('requests')
    with pytest.raises(DriverError, match=r'elbow \(id 3\) complains of voltage; only a reboot '
                                          'makes it forget that, and its joint would fall'):
        backend.clear_faults()
    assert all(bytes.fromhex(request)[7] != 8 for request in emulated.do('requests'))
    backend.set_torque(False, ['elbow'])
    backend.clear_faults()
    assert backend.read_health('elbow').flags == ()


def test_a_servo_that_never_answers_reads_is_missing(make, emulated):
    emulated.do('write', servo_id=ELBOW, address=68, value=0)
    backend = opened(make())
    assert list(backend.verify()) == ['elbow']


def test_a_range_beyond_a_turn_is_none(make, emulated):
    ticks = JointTicks.linear(2048, 1, 671, 3094, TICK)
    backend = ready(make(DYNAMIXEL.changed('elbow', ticks=ticks)))
    backend.set_torque(False)
    emulated.do('push', servo_id=ELBOW, position=-40)
    assert backend.read().missing == {'elbow': 'implausible answer: tick -40'}
    driver = ServoDriver(backend, 0.0)
    driver.monitor.look(backend.read(), 0.0, False)
    driver.monitor.look(backend.read(), 1.0, False)
    assert driver.fault.startswith('elbow: implausible answer: tick -40')
