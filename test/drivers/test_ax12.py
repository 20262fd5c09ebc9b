# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The back end for AX servos: what stands in their EEPROM, force, torque that goals bring."""

from math import pi

from arm_ik.drivers.servos_file import servos_from_parameters
from arm_ik.errors import DriverError, InvalidArmError
from arm_ik.testing.servos.serial_buses import AX12
import pytest

ELBOW, WRIST, GRIPPER = AX12.elbow, AX12.wrist, AX12.gripper
ELBOW_ID, GRIPPER_ID = AX12.ids[ELBOW], AX12.ids[GRIPPER]


@pytest.fixture
def bus():
    return AX12


def word(emulated, servo_id, address):
    ram = emulated.do('state', servo_id=servo_id)['ram']
    return ram[address] | ram[address + 1] << 8


def writes(emulated):
    """Return (address, {id: data}) of all sync writes since the last time this was asked."""
    sent = map(AX12.servos.written, map(bytes.fromhex, emulated.do('requests')))
    return [each for each in sent if each is not None]


def drive(backend, time, seconds, set_points={}):
    """Drive at 50 Hz for a while."""
    for _ in range(round(50 * seconds)):
        time.advance(0.02)
        backend.read()
        backend.write(set_points)


def test_a_tick_is_of_1023_in_300_degrees(backend):
    assert backend.resolution[ELBOW] == pytest.approx(300.0 / 1023 * pi / 180.0)
    assert backend.last_tick == 1023


def test_both_fingers_are_where_their_servo_is(backend):
    positions = backend.read().positions
    assert positions[backend.model.extra_joints[1].name] == positions[GRIPPER]
    assert 0.001 <= positions[GRIPPER] <= 0.0158


def test_servos_limit_their_speed_themselves(backend, emulated):
    speed = word(emulated, ELBOW_ID, 32) * 0.111 * 2.0 * pi / 60.0
    assert speed == pytest.approx(1.2 * backend.joints[ELBOW].max_velocity, abs=0.012)


def test_the_gripper_is_limited_in_its_force_and_the_others_are_not(backend, emulated):
    assert word(emulated, GRIPPER_ID, 34) == round(0.5 * 1023)
    assert word(emulated, ELBOW_ID, 34) == 1023


def test_the_grip_is_no_more_than_the_torque_limit_that_another_tool_has_left(make, emulated):
    emulated.do('write', servo_id=GRIPPER_ID, address=34, value=256)
    backend = make()
    backend.open()
    backend.verify()
    backend.engage()
    assert word(emulated, GRIPPER_ID, 34) == 256
    assert [note for note in backend.notes if 'grips' in note] == [
        f'{GRIPPER} (id {GRIPPER_ID}) grips with 25 % instead of 50 %: its torque limit '
        '(register 34) is 25 %']


def test_a_gripper_on_an_object_does_not_overload(backend, emulated, time):
    emulated.do('servo', servo_id=GRIPPER_ID, blocked=True)
    drive(backend, time, 4.0, {GRIPPER: 0.002})
    health = backend.read_health(GRIPPER)
    assert (health.flags, health.torque) == ((), True)
    assert health.load == pytest.approx(0.5, abs=1e-3)


def test_nothing_is_ever_written_to_an_eeprom(backend, emulated):
    backend.write({ELBOW: 0.3})
    backend.set_torque(False)
    backend.engage()
    backend.clear_faults()
    sent = writes(emulated)
    assert len(sent) > 5 and all(address >= 24 for address, _ in sent)


def test_no_goal_is_sent_to_a_servo_that_does_not_hold(backend, emulated):
    backend.set_torque(False, [ELBOW])
    emulated.do('requests')
    backend.write({ELBOW: 0.2, WRIST: 0.2})
    assert [list(blocks) for _, blocks in writes(emulated)] == [[AX12.ids[WRIST]]]


def test_a_limp_servo_that_is_engaged_is_given_its_goal_before_anything_else(backend, emulated):
    backend.set_torque(False, [ELBOW])
    emulated.do('requests')
    backend.engage([ELBOW])
    assert [address for address, _ in writes(emulated)] == [30, 24, 32]


def test_servos_that_hold_take_goals_after_the_bus_was_gone(backend, emulated):
    emulated.do('unplug')
    with pytest.raises(DriverError):
        backend.read()
    backend.close()
    emulated.do('plug')
    backend.open()
    backend.verify()
    backend.write({ELBOW: 1.0})
    assert emulated.do('state', servo_id=ELBOW_ID)['goal'] == round(AX12.tick(ELBOW, 1.0))


def test_a_shutdown_is_torque_lost_until_it_is_cleared(backend, emulated, time):
    emulated.do('servo', servo_id=ELBOW_ID, blocked=True)
    drive(backend, time, 4.0, {ELBOW: 0.5})
    health = backend.read_health(ELBOW)
    assert (health.flags, health.torque) == (('overload',), False)
    assert word(emulated, ELBOW_ID, 34) == 0
    emulated.do('servo', servo_id=ELBOW_ID, blocked=False)
    drive(backend, time, 1.0, {ELBOW: 0.5})
    assert backend.read_health(ELBOW).torque is False
    backend.clear_faults([ELBOW])
    health = backend.read_health(ELBOW)
    assert (health.flags, health.torque) == ((), False)
    time.advance(2.0)
    assert abs(emulated.position(ELBOW_ID) - AX12.ticks[ELBOW_ID]) <= 1
    backend.engage([ELBOW])
    drive(backend, time, 2.0, {ELBOW: 0.5})
    assert emulated.position(ELBOW_ID) == round(AX12.tick(ELBOW, 0.5))


def test_a_servo_that_holds_is_not_let_go_to_clear_a_fault(backend, emulated):
    emulated.do('servo', servo_id=ELBOW_ID, voltage=35)
    with pytest.raises(DriverError, match=r'\(id 3\) complains of voltage; it holds'):
        backend.clear_faults()
    assert emulated.do('state', servo_id=ELBOW_ID)['torque']


def test_one_that_is_still_too_hot_is_told(backend, emulated):
    emulated.do('servo', servo_id=ELBOW_ID, temperature=90)
    with pytest.raises(DriverError, match=r'\(id 3\) complains of overheat'):
        backend.clear_faults()


@pytest.mark.parametrize('registers, words', [
    ({0: 18}, 'is a AX-18A; the servos file says AX-12A'),
    ({0: 44}, 'is of model 44, whose registers are not known here'),
    ({6: 0, 8: 0}, r'turns without end, as a wheel \(registers 6 and 8 are 0\)'),
    ({6: 100}, r'goes only from tick 100 to 1023 \(registers 6 and 8\); the servos file says 38'),
    ({8: 900}, r'goes only from tick 0 to 900 .*the servos file says 38 to 986'),
])
def test_a_servo_that_is_not_the_one_is_refused(make, emulated, registers, words):
    for address, value in registers.items():
        emulated.do('write', servo_id=ELBOW_ID, address=address, value=value)
    backend = make()
    backend.open()
    with pytest.raises(DriverError, match=rf'dynamixel: {ELBOW} \(id 3\) {words}'):
        backend.verify()


def test_servos_that_wait_before_they_answer_are_only_told_of(make, emulated):
    emulated.do('write', servo_id=ELBOW_ID, address=5, value=250)
    backend = make()
    backend.open()
    backend.verify()
    assert backend.notes == [
        f'{ELBOW} (id 3) waits 500 us before every answer; 0 would do (register 5)']


def test_a_joint_where_its_servo_takes_no_goal_is_not_engaged(make, emulated):
    emulated.do('write', servo_id=ELBOW_ID, address=8, value=990)
    emulated.do('push', servo_id=ELBOW_ID, position=1010)
    backend = make()
    backend.open()
    backend.verify()
    with pytest.raises(DriverError, match=r'\(id 3\) is at tick 1010.* 0 to 990 by hand'):
        backend.engage()


@pytest.mark.parametrize('key, value', [('shadow_ids', [9]), ('homing_offset', 3)])
def test_what_these_servos_do_not_have_is_refused_in_the_file(key, value):
    joint = {'id': 1, 'zero': 512, 'direction': 1, 'lower_tick': 0, 'upper_tick': 1023, key: value}
    with pytest.raises(InvalidArmError, match=key):
        servos_from_parameters({'backend': 'dynamixel', 'protocol': 1, 'port': '/dev/ttyUSB0',
                                'joints': {'pan': joint}}, ['pan'])


def test_the_cycle_is_as_long_as_its_bytes(make):
    # Each servo is asked with 8 bytes and answers with 26; set-points 8 and 5 x 3.
    assert make().cycle_time == pytest.approx(10e-6 * (6 * 34 + 23))
