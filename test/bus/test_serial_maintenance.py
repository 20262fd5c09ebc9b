# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Servos without a servos file, on every serial bus: looked for, made limp, given another id."""

from arm_ik.bus.families import bus_kind
from arm_ik.errors import DriverError
from arm_ik.testing.servos.serial_buses import AX12, DYNAMIXEL, FEETECH, LX16A, PATIENCE
import pytest


@pytest.fixture
def tools(bus, emulated):
    with bus_kind(bus.file.family)(emulated.port, patience=PATIENCE / 3.0) as tools:
        yield tools


def state(emulated, servo_id):
    return emulated.do('state', servo_id=servo_id)


def give_torque(bus, emulated, servo_id):
    """Have a servo hold where it is."""
    address = {'feetech': 40, 'dynamixel': 64, 'ax12': 24, 'lx16a': 31}[bus.name]
    emulated.do('write', servo_id=servo_id, address=address, value=1)
    assert state(emulated, servo_id)['torque']


MODELS = {'feetech': ('STS3215', 7.4, 0), 'dynamixel': ('XL430-W250', 12.0, 0),
          'ax12': ('AX-12A', 11.1, None), 'lx16a': ('LX-16A', 7.4, 0)}


def test_a_servo_tells_all_it_knows_and_nobody_nothing(bus, tools):
    model, volts, offset = MODELS[bus.name]
    found = tools.find(3)
    facts, health = found.facts, found.health
    assert (found.id, found.tick, found.odd) == (3, bus.ticks[3], ())
    assert (facts.model, facts.offset, facts.lower, facts.upper, facts.firmware) == (
        model, offset, 0, bus.last_tick, '3.10' if bus is FEETECH else '')
    assert (health.temperature_c, health.torque) == (30.0, False)
    assert health.voltage_v == pytest.approx(volts)
    assert tools.find(77) is None


@pytest.mark.parametrize('bus, address, value, words', [
    (FEETECH, 33, 1, 'runs in mode 1; needed is 0'),
    (FEETECH, 21, 0, 'has a P gain of 0'),
    (FEETECH, 48, 0, 'has a torque limit of 0 (register 48): it cannot hold'),
    (FEETECH, 7, 250, 'waits 500 us before every answer'),
    (DYNAMIXEL, 11, 16, 'runs in mode 16 (register 11); needed is 3'),
    (DYNAMIXEL, 12, 2, 'follows id 2 (register 12): it is a shadow of that'),
    (DYNAMIXEL, 0, 350, 'is of model 350, whose registers are not known here'),
    (AX12, 8, 0, 'turns without end, as a wheel'),
    (LX16A, 29, 1, 'runs as a motor; needed is the mode of a servo'),
    (LX16A, 20, 50 | 900 << 16, 'goes only from tick 50 to 900'),
    (LX16A, 24, 25, 'complains of overheat; let it cool'),
    (LX16A, 22, 8000 | 12000 << 16, 'complains of voltage; look at the power supply')],
    ids=lambda value: getattr(value, 'name', None))
def test_what_is_odd_is_said(bus, tools, emulated, address, value, words):
    emulated.do('write', servo_id=3, address=address, value=value)
    said, = tools.find(3).odd
    assert said.startswith(words)
    assert tools.find(1).odd == ()


@pytest.mark.parametrize('bus, more', [
    (FEETECH, '; switch the power of the arm off and on'),
    (DYNAMIXEL, '; switch the power of the arm off and on'), (AX12, '')],
    ids=lambda value: getattr(value, 'name', None))
def test_a_latched_fault_is_odd(tools, emulated, more):
    emulated.do('servo', servo_id=3, overloaded=True)
    assert f'complains of overload{more}' in tools.find(3).odd


def test_two_servos_with_one_id_are_odd(bus, tools, emulated):
    emulated.do('add', **bus.servo(3, position=600))
    assert 'two servos with this id' in tools.find(3).odd[0]


@pytest.mark.parametrize('p', [0.3, 1.0])
def test_noise_is_no_servo_and_hides_none(tools, emulated, p):
    emulated.fault('noise', p=p)
    assert [tools.find(servo_id) for servo_id in (70, 71)] == [None, None]
    emulated.do('clear')
    emulated.fault('noise', p=0.3)
    assert tools.find(3).facts.model


def test_somebody_is_there_or_nobody(tools, emulated):
    assert tools.is_anybody_there()
    emulated.do('servo', servo_id=None, present=False)
    assert not tools.is_anybody_there()
    emulated.fault('echoed')
    assert not tools.is_anybody_there()


@pytest.mark.parametrize('bus', [FEETECH], ids=['feetech'])
def test_a_servo_that_does_not_take_a_setting_is_left_locked_and_limp(bus, tools, emulated):
    with pytest.raises(DriverError, match='id 3: does not take homing offset 2053 .register 31'):
        tools.write_settings(3, {'homing offset': 2053})    # its sign bit makes that -5
    now = state(emulated, 3)
    assert (now['ram'][55], now['torque']) == (1, False)
    give_torque(bus, emulated, 3)
    with pytest.raises(DriverError, match='id 3 holds'):
        tools.write_settings(3, {'homing offset': 7})


def test_positions_are_of_those_that_answer(bus, tools, emulated):
    tools.find(1)
    emulated.do('servo', servo_id=2, present=False)
    assert tools.read([1, 2, 3]) == {1: bus.ticks[1], 3: bus.ticks[3]}


def test_servos_are_made_limp_and_what_was_not_heard_is_said_again(bus, tools, emulated):
    for servo_id in (1, 2, 3):
        give_torque(bus, emulated, servo_id)
    emulated.do('servo', servo_id=3, deaf=3)
    tools.release([1, 3])
    assert [state(emulated, servo_id)['torque'] for servo_id in (1, 2, 3)] == [False, True, False]


def test_a_servo_that_is_not_there_is_not_said_to_be_limp(tools):
    with pytest.raises(DriverError, match='id 9: no torque off'):
        tools.release([1, 9])


def test_a_servo_gets_an_id_that_lasts(bus, tools, emulated):
    tools.set_id(3, 12)
    emulated.do('power_cycle')
    assert tools.find(3) is None and tools.find(12).tick == bus.ticks[3]
    with pytest.raises(DriverError, match='id 9'):
        tools.set_id(9, 14)


@pytest.mark.parametrize('bus', [DYNAMIXEL, AX12], ids=['dynamixel', 'ax12'])
def test_the_id_of_a_servo_that_holds_stays(bus, tools, emulated):
    give_torque(bus, emulated, 3)
    with pytest.raises(DriverError, match='id 3 holds; nothing is written then'):
        tools.set_id(3, 12)


@pytest.mark.parametrize('bus', [LX16A], ids=['lx16a'])
def test_beyond_the_scale_and_below_zero_there_are_ticks_too(tools, emulated):
    emulated.do('write', servo_id=3, address=17, value=0x83)
    emulated.do('push', servo_id=3, position=-4)
    found = tools.find(3)
    assert (found.tick, found.facts.offset) == (-4, -125)
