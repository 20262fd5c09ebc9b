# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The back end against emulated servos that are well, and against the wrong ones."""

from math import pi

from arm_ik.errors import DriverError
from arm_ik.testing.servos import sts_servos
from arm_ik.testing.servos.serial_buses import FEETECH
import pytest

JOINTS, IDS = FEETECH.joints, FEETECH.ids
TICK = 2.0 * pi / 4096


@pytest.fixture
def bus():
    return FEETECH


def ram(emulated, name):
    return emulated.do('state', servo_id=IDS[name])['ram']


def word(registers, address):
    return registers[address] | registers[address + 1] << 8


def writes(emulated):
    """Return (address, {id: data}) of all sync writes since the last time this was asked."""
    sent = map(sts_servos.written, map(bytes.fromhex, emulated.do('requests')))
    return [each for each in sent if each is not None]


def test_a_set_point_is_written_before_torque(make, emulated):
    backend = make()
    backend.open()
    backend.verify()
    assert writes(emulated) == []
    backend.engage(['elbow_flex'])
    addresses = [address for address, blocks in writes(emulated)]
    assert addresses.index(42) < addresses.index(40)
    assert [ram(emulated, name)[40] for name in JOINTS] == [0, 0, 1, 0, 0, 0]


def test_no_goal_is_sent_to_a_servo_that_does_not_hold(backend, emulated):
    backend.set_torque(False, ['elbow_flex'])
    emulated.do('requests')
    backend.write({'elbow_flex': 0.2, 'wrist_flex': 0.2})
    assert [list(blocks) for _, blocks in writes(emulated)] == [[IDS['wrist_flex']]]


def test_a_servo_that_was_not_heard_is_given_no_goal_before_it_is(backend, emulated):
    emulated.fault('lost', [3], count=1)
    backend.read()
    emulated.do('requests')
    backend.write({'elbow_flex': 0.2})
    assert writes(emulated) == []
    backend.read()
    backend.write({'elbow_flex': 0.2})
    assert [list(blocks) for _, blocks in writes(emulated)] == [[3]]


def test_servos_limit_their_speed_themselves(backend, emulated):
    assert word(ram(emulated, 'elbow_flex'), 46) == pytest.approx(1.2 * 3.0 / TICK, abs=1)


def test_a_servo_with_a_coarse_unit_of_speed_is_told_in_that(emulated, make):
    emulated.do('write', servo_id=3, address=18, value=8)
    backend = make()
    backend.open()
    backend.verify()
    backend.engage()
    assert word(ram(emulated, 'elbow_flex'), 46) == pytest.approx(1.2 * 3.0 / TICK / 50.0, abs=1)


def test_nothing_is_ever_written_to_an_eeprom(backend, emulated):
    backend.write({'elbow_flex': 0.3})
    backend.set_torque(False)
    backend.engage()
    backend.clear_faults()
    sent = writes(emulated)
    assert len(sent) > 5
    for address, blocks in sent:
        assert address >= 40 and all(address + len(data) <= 50 for data in blocks.values())


def test_health_is_what_the_servo_says(backend, emulated, time):
    emulated.do('servo', servo_id=6, temperature=41, voltage=79, blocked=True)
    backend.write({'gripper': 1.5})
    time.advance(0.1)
    health = backend.read_health('gripper')
    assert (health.temperature_c, health.torque, health.flags) == (41.0, True, ())
    assert health.voltage_v == pytest.approx(7.9)
    assert health.load == pytest.approx(0.4)
    assert health.current_a == pytest.approx(160 * 6.5e-3)
    assert health.lost_replies == 0


@pytest.mark.parametrize('condition, flag', [
    ({'temperature': 75}, 'overheat'), ({'overloaded': True}, 'overload'),
    ({'voltage': 35}, 'voltage')])
def test_faults_are_not_cleared_while_a_servo_complains(backend, emulated, condition, flag):
    emulated.do('servo', servo_id=3, **condition)
    with pytest.raises(DriverError, match=rf'elbow_flex \(id 3\) complains of {flag}'):
        backend.clear_faults()


def test_a_gripper_on_an_object_does_not_overload_with_its_force_limited(backend, emulated, time):
    emulated.do('servo', servo_id=6, blocked=True)
    backend.write({'gripper': 1.5})
    time.advance(10.0)
    assert backend.read_health('gripper').flags == ()
    assert not emulated.do('state', servo_id=6)['overloaded']


@pytest.mark.parametrize('overload, grip, said', [
    (25, 240, ['gripper (id 6) grips with 24 % instead of 40 %: its overload torque (register 36) '
               'is 25 %']),
    (80, 400, [])])
def test_the_grip_stays_below_the_overload_torque_that_another_tool_has_left(
        make, emulated, time, overload, grip, said):
    emulated.do('write', servo_id=6, address=36, value=overload)
    emulated.do('servo', servo_id=6, blocked=True)
    emulated.do('requests')
    backend = make()
    backend.open()
    backend.verify()
    backend.engage()
    backend.write({'gripper': 1.5})
    time.advance(10.0)
    writes = filter(None, map(sts_servos.written,
                              map(bytes.fromhex, emulated.do('requests'))))
    forces = [data[6] for address, data in writes if address == 48]
    assert forces and {data[0] | data[1] << 8 for data in forces} == {grip}
    assert not emulated.do('state', servo_id=6)['overloaded']
    assert [note for note in backend.notes if 'grips' in note] == said


def test_a_gripper_on_an_object_overloads_without_and_only_its_power_clears_that(
        make, emulated, time):
    backend = make(FEETECH.changed('gripper', max_force=None))
    backend.open()
    backend.verify()
    backend.engage()
    emulated.do('servo', servo_id=6, blocked=True)
    backend.write({'gripper': 1.5})
    time.advance(10.0)
    assert backend.read_health('gripper').flags == ('overload',)
    with pytest.raises(DriverError, match=r'gripper \(id 6\) complains of overload; switch the'):
        backend.clear_faults()
    backend.clear_faults(['elbow_flex'])
    emulated.do('power_cycle', servo_id=6)
    backend.clear_faults()


@pytest.mark.parametrize('address, value, words', [
    (4, 11, 'is a STS3250; the servos file says STS3215'),
    (33, 1, r'runs in mode 1; needed is 0, position \(register 33\)'),
    (18, 28, r'counts turns, .*clear bit 4 of its phase \(register 18, now 28\)'),
    (30, 2, 'counts in steps of 2 ticks'),
    (3, 5, 'is an SCS servo'),
    (9, 1000, 'goes only from tick 1000 to 4095; the servos file says 940 to 3154'),
    (11, 3000, 'goes only from tick 0 to 3000; the servos file says 940 to 3154'),
])
def test_a_servo_that_is_not_the_one_is_refused(make, emulated, address, value, words):
    emulated.do('write', servo_id=3, address=address, value=value)
    backend = make()
    backend.open()
    with pytest.raises(DriverError, match=rf'feetech: elbow_flex \(id 3\) {words}'):
        backend.verify()


def test_servos_recalibrated_by_another_tool_are_refused(make, emulated):
    emulated.do('write', servo_id=3, address=31, value=2048 + 12)
    backend = make(FEETECH.changed('elbow_flex', homing_offset=-12))
    backend.open()
    backend.verify()
    backend = make(FEETECH.changed('elbow_flex', homing_offset=30))
    with pytest.raises(DriverError, match='is used by'):
        backend.open()


def test_a_homing_offset_unlike_the_files_is_refused(make, emulated):
    emulated.do('write', servo_id=3, address=31, value=2048 + 12)
    backend = make(FEETECH.changed('elbow_flex', homing_offset=30))
    backend.open()
    with pytest.raises(DriverError, match='has the homing offset -12; the servos file says 30'):
        backend.verify()


def test_all_that_is_wrong_is_told_at_once(make, emulated):
    emulated.do('write', servo_id=3, address=33, value=3)
    emulated.do('write', servo_id=3, address=30, value=4)
    emulated.do('servo', servo_id=5, present=False)
    backend = make()
    backend.open()
    with pytest.raises(DriverError, match=r'elbow_flex .*mode 3.*steps of 4.*'
                                          r'wrist_roll \(id 5\) does not answer'):
        backend.verify()


def test_servos_that_wait_before_they_answer_are_only_told_of(make, emulated):
    emulated.do('write', servo_id=3, address=7, value=250)
    backend = make()
    backend.open()
    backend.verify()
    assert backend.notes == [
        'elbow_flex (id 3) waits 500 us before every answer; 0 would do (register 7)']


def test_the_cycle_is_as_long_as_its_bytes(make):
    # 158 bytes of torques and positions, 26 of set-points, 46 of health, at a megabaud.
    assert make().cycle_time == pytest.approx(2300e-6)
