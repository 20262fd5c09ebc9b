# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Maintenance of Dynamixel servos without a servos file, with the time in the test's hand."""

from arm_ik.drivers.maintenance import bus_kind
from arm_ik.errors import DriverError
from arm_ik.testing.servos.serial_buses import AX12, DYNAMIXEL, PATIENCE
import pytest


@pytest.fixture(params=[DYNAMIXEL, AX12], ids=lambda bus: bus.name)
def bus(request):
    return request.param


@pytest.fixture
def tools(bus, emulated):
    kind = bus_kind('dynamixel1' if bus is AX12 else 'dynamixel')
    with kind(emulated.port, patience=PATIENCE / 3.0) as tools:
        yield tools


def test_a_servo_tells_all_it_knows(bus, tools):
    servo = tools.find(3)
    assert (servo.id, servo.tick, servo.torque) == (3, bus.ticks[3], False)
    assert servo.model == ('XL430-W250' if bus is DYNAMIXEL else 'AX-12A')
    assert servo.voltage_v == pytest.approx(12.0 if bus is DYNAMIXEL else 11.1)
    assert servo.temperature_c == 30.0
    assert (servo.lower_tick, servo.upper_tick, servo.odd) == (0, bus.last_tick, ())
    assert tools.find(77) is None


@pytest.mark.parametrize('bus, address, value, words', [
    (DYNAMIXEL, 11, 16, 'runs in mode 16 (register 11); needed is 3'),
    (DYNAMIXEL, 10, 4, 'has drive mode 4 (register 10), in which a speed is a time'),
    (DYNAMIXEL, 12, 2, 'follows id 2 (register 12): it is a shadow of that'),
    (DYNAMIXEL, 9, 250, 'waits 500 us before every answer'),
    (DYNAMIXEL, 0, 350, 'is of model 350, whose registers are not known here'),
    (AX12, 8, 0, 'turns without end, as a wheel'),
    (AX12, 5, 250, 'waits 500 us before every answer'),
    (AX12, 0, 44, 'is of model 44, whose registers are not known here')],
    indirect=['bus'])
def test_what_is_odd_is_said(bus, tools, emulated, address, value, words):
    emulated.do('write', servo_id=3, address=address, value=value)
    assert any(words in each for each in tools.find(3).odd)


def test_a_latched_fault_is_odd(tools, emulated):
    emulated.do('servo', servo_id=3, overloaded=True)
    assert any('complains of overload' in words for words in tools.find(3).odd)


def test_two_servos_with_one_id_are_odd(bus, tools, emulated):
    emulated.do('add', **bus.servo(3, position=600))
    assert 'two servos with this id' in tools.find(3).odd[0]


def test_positions_are_of_those_that_answer(bus, tools, emulated):
    tools.find(1)
    emulated.do('servo', servo_id=2, present=False)
    assert tools.read([1, 2, 3]) == {1: bus.ticks[1], 3: bus.ticks[3]}


def test_torque_comes_on_where_a_servo_stands_and_a_goal_moves_it(bus, tools, emulated, time):
    tools.find(3)
    emulated.do('write', servo_id=3, address=116 if bus is DYNAMIXEL else 30, value=700)
    tools.set_torque(True, [3])
    time.advance(2.0)
    assert abs(emulated.position(3) - bus.ticks[3]) <= 1
    tools.write({3: 650.4})
    time.advance(10.0)
    assert tools.read([3]) == {3: 650}
    tools.set_torque(False, [3])
    assert not emulated.do('state', servo_id=3)['torque']


@pytest.mark.parametrize('bus', [DYNAMIXEL], indirect=True)
def test_a_servo_that_was_stopped_by_its_watchdog_holds_there_and_moves_again(
        bus, tools, emulated, time):
    tools.set_torque(True, [3])
    tools.write({3: 700})
    emulated.do('write', servo_id=3, address=98, value=1)
    time.advance(0.1)
    stopped = emulated.position(3)
    assert 700 < stopped < bus.ticks[3]
    tools.set_torque(True, [3])
    time.advance(2.0)
    assert abs(emulated.position(3) - stopped) <= 1
    tools.write({3: 2000})
    time.advance(5.0)
    assert tools.read([3]) == {3: 2000}


def test_torque_of_a_servo_that_is_not_there_is_an_error(tools):
    tools.find(1)
    with pytest.raises(DriverError, match='id 9: does not answer'):
        tools.set_torque(True, [1, 9])
