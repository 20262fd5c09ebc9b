# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""LX-16A servos without a servos file: looked for, moved, given another id."""

from arm_ik.drivers.maintenance import bus_kind, FoundServo
from arm_ik.errors import DriverError
from arm_ik.testing.servos.emulated_bus import EmulatedBus
import pytest


@pytest.fixture
def emulated(tmp_path):
    """Return a bus with two servos that are well, their time the test's."""
    with EmulatedBus(tmp_path, kind='lx16a_servos', manual_time=True, servos=[
            {'servo_id': 1, 'position': 300}, {'servo_id': 7, 'position': 640}]) as bus:
        yield bus


@pytest.fixture
def servos(emulated):
    with bus_kind('lx16a')(emulated.port, patience=0.1) as servos:
        yield servos


def well(servo_id, tick, **more):
    return FoundServo(servo_id, 'LX-16A', tick, **{
        'voltage_v': pytest.approx(7.4), 'temperature_c': 30.0, 'torque': False,
        'homing_offset': 0, 'lower_tick': 0, 'upper_tick': 1000, **more})


def state(emulated, servo_id):
    return emulated.do('state', servo_id=servo_id)


def test_a_servo_is_found_with_all_it_tells_and_nobody_is_not(servos, emulated):
    assert servos.find(1) == well(1, 300)
    assert servos.find(7) == well(7, 640)
    assert servos.find(2) is None
    emulated.do('write', servo_id=7, address=17, value=0x83)
    emulated.do('push', servo_id=7, position=-4)
    assert servos.find(7) == well(7, -4, homing_offset=-125)


@pytest.mark.parametrize('address, value, words', [
    (29, 1, 'runs as a motor; needed is the mode of a servo'),
    (20, 50 | 900 << 16, 'goes only from tick 50 to 900'),
    (24, 25, 'is too hot; let it cool'),
    (22, 8000 | 12000 << 16, 'has a voltage outside of its limits, 8.0 to 12.0 V; look at the '
                             'power supply')])
def test_what_is_odd_is_said(servos, emulated, address, value, words):
    emulated.do('write', servo_id=7, address=address, value=value)
    assert servos.find(7).odd == (words,)
    assert servos.find(1).odd == ()


def test_two_servos_with_one_id_are_told_of(servos, emulated):
    emulated.do('add', servo_id=7, position=120)
    assert 'two servos with this id' in servos.find(7).odd[0]


def test_somebody_is_there_or_nobody(servos, emulated):
    assert servos.is_anybody_there()
    emulated.do('servo', servo_id=None, present=False)
    assert not servos.is_anybody_there()
    emulated.fault('echoed')
    assert not servos.is_anybody_there()


def test_positions_are_those_of_the_servos_that_answer(servos):
    assert servos.read([1, 2, 7]) == {1: 300, 7: 640}


def test_torque_comes_on_where_the_servo_is_and_moves_nothing(servos, emulated):
    servos.set_torque(True, [7])
    servos.write({7: 700})
    emulated.do('advance', seconds=1.0)
    assert state(emulated, 7)['position'] == 700
    servos.set_torque(False, [7])
    emulated.do('push', servo_id=7, position=400)
    servos.set_torque(True, [7])
    emulated.do('advance', seconds=1.0)
    assert (state(emulated, 7)['position'], state(emulated, 7)['torque']) == (400, True)
    assert not state(emulated, 1)['torque']
    servos.set_torque(False, [1, 7])
    assert not state(emulated, 7)['torque']


def test_a_servo_without_torque_is_not_moved(servos, emulated):
    servos.write({1: 500})
    emulated.do('advance', seconds=1.0)
    assert (state(emulated, 1)['position'], state(emulated, 1)['torque']) == (300, False)


def test_what_was_not_heard_is_said_again(servos, emulated):
    emulated.do('servo', servo_id=7, deaf=3)
    servos.set_torque(True, [7])
    assert state(emulated, 7)['torque']


@pytest.mark.parametrize('on', [True, False])
def test_torque_of_a_servo_that_is_not_there_is_an_error(servos, on):
    with pytest.raises(DriverError, match='id 2: (does not answer|no torque off)'):
        servos.set_torque(on, [1, 2])


def test_torque_that_is_refused_is_an_error(servos, emulated):
    emulated.do('servo', servo_id=7, temperature=90)
    with pytest.raises(DriverError, match='id 7: no torque on'):
        servos.set_torque(True, [1, 7])


def test_a_servo_gets_an_id_that_lasts(servos, emulated):
    servos.set_id(7, 12)
    emulated.do('power_cycle')
    assert servos.find(7) is None and servos.find(12) == well(12, 640)
    with pytest.raises(DriverError, match='id 3: does not answer after its id was written'):
        servos.set_id(3, 4)
