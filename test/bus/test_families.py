# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What every family of servos promises, each by registers of its own."""

from math import pi

from arm_ik.drivers.servos_file import servos_from_parameters
from arm_ik.errors import DriverError, InvalidArmError
from arm_ik.testing.servos.serial_buses import AX12, DYNAMIXEL, FEETECH, LX16A
from bus_helpers import drive, opened, ready, refusal, register, remake, verified, writes
import pytest

TICK = 2.0 * pi / 4096
CURRENT_ARM = {'model': 'XM430-W350', 'mode': 5}

on_each = pytest.mark.parametrize


def named(value):
    return getattr(value, 'name', None)


@on_each('bus, address, value, words', [
    (FEETECH, 4, 11, 'is a STS3250; the servos file says STS3215'),
    (FEETECH, 4, 8, 'is a STS3235; the servos file says STS3215'),
    (FEETECH, 33, 1, 'runs in mode 1; needed is 0, position (register 33)'),
    (FEETECH, 18, 28, 'counts turns, so that positions overflow; clear bit 4 of its phase '
     '(register 18, now 28): arm_ik servos set does it'),
    (FEETECH, 21, 0, 'has a P gain of 0 (register 21; the maker has 32): it cannot hold'),
    (FEETECH, 48, 0, 'has a torque limit of 0 (register 48): it cannot hold'),
    (FEETECH, 14, 70, 'measures 7.4 V, its limits are 4.0 to 7.0 V (registers 15 and 14): a 7.4 V '
     'servo breaks on 12 V; take the supply'),
    (FEETECH, 15, 90, 'measures 7.4 V, its limits are 9.0 to 8.0 V (registers 15 and 14): the '
     'supply is too weak'),
    (FEETECH, 30, 2, 'counts in steps of 2 ticks'),
    (FEETECH, 3, 5, 'is an SCS servo'),
    (FEETECH, 9, 1000, 'goes only from tick 1000 to 4095 (registers 9 and 11); the servos file '
     'says 940 to 3154'),
    (FEETECH, 11, 3000, 'goes only from tick 0 to 3000 (registers 9 and 11); the servos file '
     'says 940 to 3154'),
    (DYNAMIXEL, 0, 1020, 'is a XM430-W350; the servos file says XL430-W250'),
    (DYNAMIXEL, 0, 350, 'is of model 350, whose registers are not known here'),
    (DYNAMIXEL, 11, 1, 'runs in mode 1 (register 11); needed is 3, position'),
    (DYNAMIXEL, 11, 16, 'runs in mode 16 (register 11); needed is 3, position'),
    (DYNAMIXEL, 10, 5, 'has drive mode 5 (register 10), in which a speed is a time; needed is 1'),
    (DYNAMIXEL, 10, 9, 'has drive mode 9 (register 10), in which a goal brings the torque; needed '
     'is 1'),
    (DYNAMIXEL, 10, 0, 'has drive mode 0 (register 10); the servos file says 1: it turns in the '
     'other direction'),
    (DYNAMIXEL, 52, 700, 'goes only from tick 700 to 4095 (registers 52 and 48); the servos file '
     'says 671 to 3094'),
    (DYNAMIXEL, 48, 3000, 'goes only from tick 0 to 3000 (registers 52 and 48); the servos file '
     'says 671 to 3094'),
    (AX12, 0, 18, 'is a AX-18A; the servos file says AX-12A'),
    (AX12, 0, 44, 'is of model 44, whose registers are not known here'),
    (AX12, 8, 0, 'turns without end, as a wheel (registers 6 and 8 are 0)'),
    (AX12, 6, 100, 'goes only from tick 100 to 1023 (registers 6 and 8); the servos file says 38'),
    (AX12, 8, 900, 'goes only from tick 0 to 900 (registers 6 and 8); the servos file says 38 to '
     '986'),
    (LX16A, 29, 1, 'runs as a motor; needed is the mode of a servo'),
    (LX16A, 20, 100 | 900 << 16, 'goes only from tick 100 to 900; the servos file says 80 to '
     '920')], ids=named)
def test_a_servo_that_is_not_the_one_is_refused(bus, make, emulated, address, value, words):
    emulated.do('write', servo_id=3, address=address, value=value)
    assert refusal(make()).startswith(f'{bus.file.backend}: {bus.elbow} (id 3) {words}')


@on_each('bus, address, held', [
    (FEETECH, 31, 2048 + 12), (DYNAMIXEL, 20, -12), (LX16A, 17, 0x100 - 12)], ids=named)
def test_a_homing_offset_unlike_the_files_is_refused(bus, make, emulated, address, held):
    emulated.do('write', servo_id=3, address=address, value=held)
    for offset in (None, -12):
        backend = opened(make(bus.changed(bus.elbow, homing_offset=offset)))
        assert backend.verify() == {}
        backend.close()
    assert f'{bus.elbow} (id 3) has the homing offset -12; the servos file says 12: it was ' \
        'calibrated since' in refusal(make(bus.changed(bus.elbow, homing_offset=12)))


@on_each('bus, address', [(FEETECH, 7), (DYNAMIXEL, 9), (AX12, 5)], ids=named)
def test_servos_that_wait_before_they_answer_are_only_told_of(bus, make, emulated, address):
    emulated.do('write', servo_id=3, address=address, value=250)
    backend = opened(make())
    for _ in range(2):
        backend.verify()
    assert backend.notes == [f'{bus.elbow} (id 3) waits 500 us before every answer; 0 would do '
                             f'(register {address})']


# AX: a goal or a speed switches the torque on, so the goal comes first.
@on_each('bus, order', [(FEETECH, (42, 44, 40)), (DYNAMIXEL, (108, 116, 108, 64)),
                        (AX12, (30, 32, 24))], ids=named)
def test_set_point_and_speed_are_written_before_torque(bus, make, emulated, order):
    backend = verified(make())
    assert writes(bus, emulated) == []
    backend.engage([bus.elbow])
    addresses = [address for address, _ in writes(bus, emulated)]
    assert [address for address in addresses if address in order] == list(order)
    assert bus is not AX12 or len(addresses) == len(order)


@on_each('bus, first', [(FEETECH, 40), (DYNAMIXEL, 64), (AX12, 24)], ids=named)
def test_nothing_is_ever_written_to_an_eeprom(bus, backend, emulated, first):
    backend.write({bus.elbow: 0.3})
    backend.set_torque(False)
    backend.engage()
    backend.clear_faults()
    backend.close()
    sent = writes(bus, emulated)
    assert len(sent) > 5 and all(address >= first for address, _ in sent)
    assert bus is not FEETECH or all(address + len(data) <= 50 for address, blocks in sent
                                     for data in blocks.values())


@on_each('bus', [FEETECH, AX12], ids=named)
def test_no_goal_is_sent_to_a_servo_that_does_not_hold(bus, backend, emulated):
    backend.set_torque(False, [bus.elbow])
    emulated.do('requests')
    backend.write({bus.elbow: 0.2, bus.wrist: 0.2})
    assert [list(blocks) for _, blocks in writes(bus, emulated)] == [[bus.ids[bus.wrist]]]


@on_each('bus, before, address, unit', [
    (FEETECH, {}, 46, TICK), (FEETECH, {18: 8}, 46, 50.0 * TICK),
    (DYNAMIXEL, {}, 112, 0.229 * 2.0 * pi / 60.0), (AX12, {}, 32, 0.111 * 2.0 * pi / 60.0)],
    ids=named)
def test_servos_limit_their_speed_themselves(bus, make, emulated, before, address, unit):
    for place, value in before.items():
        emulated.do('write', servo_id=3, address=place, value=value)
    backend = ready(make())
    fastest = 1.2 * backend.joints[bus.elbow].max_velocity
    assert unit * register(emulated, 3, address, 2) == pytest.approx(fastest, abs=unit)
    assert unit * register(emulated, 3, address, 2) >= fastest


@on_each('bus, bytes_, baud', [
    # Of torques and positions, of set-points, of health.
    (FEETECH, 158 + 26 + 46, 1e6),
    # Positions 19 and 5 x 15, set-points 14 and 5 x 5, health 15 and 32, torque 15 and 13.
    (DYNAMIXEL, 19 + 75 + 14 + 25 + 15 + 32 + 15 + 13, 1e6),
    # Each servo is asked with 8 and answers with 26; set-points 8 and 5 x 3.
    (AX12, 6 * 34 + 23, 1e6),
    # Per servo 14 of its position and 10 of its move, and 14 of somebody's health.
    (LX16A, 6 * 24 + 14, 115200.0)], ids=named)
def test_the_cycle_is_as_long_as_its_bytes(make, bytes_, baud):
    assert make().cycle_time == pytest.approx(10.0 * bytes_ / baud)


def gripping(bus, make, emulated, part=0.4):
    """Return a back end whose gripper is limited in its force."""
    if bus is not DYNAMIXEL:
        return make()       # as the file says
    remake(emulated, 5, **CURRENT_ARM)
    return make(bus.changed('left_finger', max_force=part, model=None))


@on_each('bus, wide, part, current', [
    (FEETECH, 1.5, 0.4, None), (DYNAMIXEL, 0.03, 0.4, 0.4 * 1193 * 2.69e-3),
    (AX12, 0.002, 0.5, None)], ids=named)
def test_a_gripper_on_an_object_does_not_overload_with_its_force_limited(
        bus, make, emulated, time, wide, part, current):
    gripper = bus.ids[bus.gripper]
    backend = ready(gripping(bus, make, emulated))
    emulated.do('servo', servo_id=gripper, blocked=True)
    drive(backend, time, 5.0, {bus.gripper: wide})
    health = backend.read_health(bus.gripper)
    assert (health.flags, health.torque) == ((), True)
    assert health.load == pytest.approx(part, abs=1e-3)
    assert current is None or health.current_a == pytest.approx(current, abs=3e-3)


@on_each('bus, address, value, at, grip, full, wanted, words', [
    (FEETECH, 36, 25, 48, 240, 1000, 40, 'overload torque (register 36) is 25 %'),
    (FEETECH, 36, 80, 48, 400, 1000, 40, ''),
    (DYNAMIXEL, 38, 300, 102, 300, 1193, 40, 'current limit (register 38) is 25 %'),
    (AX12, 14, 256, 34, 256, 1023, 50, 'largest torque (register 14) is 25 %'),
    (AX12, 34, 256, 34, 512, 1023, 50, '')], ids=named)
def test_the_grip_is_no_more_than_the_limits_that_another_tool_has_left(
        bus, make, emulated, address, value, at, grip, full, wanted, words):
    gripper = bus.ids[bus.gripper]
    backend = gripping(bus, make, emulated)
    emulated.do('write', servo_id=gripper, address=address, value=value)
    ready(backend)
    assert register(emulated, gripper, at, 2) == grip
    assert bus is not AX12 or register(emulated, 3, at, 2) == full
    assert [note for note in backend.notes if 'grips' in note] == [
        f'{bus.gripper} (id {gripper}) grips with {100 * grip / full:.0f} % instead of {wanted} '
        f'%: its {words}'] * bool(words)


@on_each('bus, address', [(DYNAMIXEL, 48), (AX12, 8)], ids=named)
def test_a_joint_where_its_servo_takes_no_goal_is_not_engaged(bus, make, emulated, address):
    last = round(bus.ticks_of(bus.elbow).points[-1][0]) + 4
    emulated.do('write', servo_id=3, address=address, value=last)
    emulated.do('push', servo_id=3, position=last + 20)
    backend = verified(make())
    with pytest.raises(DriverError, match=rf'{bus.elbow} \(id 3\) is at tick {last + 20}, .*'
                                          rf' with torque, to tick {last}: .*by hand'):
        backend.engage()
    assert not emulated.do('state', servo_id=3)['torque']


@on_each('bus, volts, state', [
    (FEETECH, 7.9, {'load': 0.4, 'current_a': pytest.approx(160 * 6.5e-3), 'strain': 41 / 70}),
    (DYNAMIXEL, 11.3, {'load': 1.0, 'current_a': None, 'strain': 1.0}),
    (LX16A, 7.9, {'load': None, 'current_a': None, 'strain': None})], ids=named)
def test_health_is_what_the_servo_says(bus, backend, emulated, time, volts, state):
    gripper = bus.ids[bus.gripper]
    emulated.do('servo', servo_id=gripper, temperature=41, voltage=round(10 * volts),
                blocked=bus is not LX16A)
    drive(backend, time, 0.1, {bus.gripper: 1.5 if bus is FEETECH else 0.037})
    health = backend.read_health(bus.gripper)._asdict()
    assert health == {'temperature_c': 41.0, 'torque': True, 'flags': (), 'lost_replies': 0,
                      'voltage_v': pytest.approx(volts), **state}


@on_each('bus', [FEETECH, AX12], ids=named)
def test_a_servo_that_was_not_heard_is_given_no_goal_before_it_is(bus, backend, emulated):
    emulated.fault('lost', [3], count=2)
    for sent in ([], [[3]]):
        backend.read()
        emulated.do('requests')
        backend.write({bus.elbow: 0.2})
        assert [list(blocks) for _, blocks in writes(bus, emulated)] == sent
        emulated.do('clear')


@on_each('bus, condition, words', [
    (FEETECH, {'temperature': 75}, 'overheat'), (FEETECH, {'overloaded': True}, 'overload'),
    (FEETECH, {'voltage': 35}, 'voltage'), (AX12, {'voltage': 35}, 'voltage; it holds'),
    (AX12, {'temperature': 90}, 'overheat'),
    (DYNAMIXEL, {'temperature': 90}, 'overheat; still so after')], ids=named)
def test_faults_are_not_cleared_while_a_servo_complains(bus, backend, emulated, condition, words):
    emulated.do('servo', servo_id=3, **condition)
    with pytest.raises(DriverError, match=rf'{bus.elbow} \(id 3\) complains of {words}'):
        backend.clear_faults()
    assert 'overheat' in words or 'overload' in words or emulated.do('state', servo_id=3)['torque']


@on_each('bus', [FEETECH])
def test_a_gripper_on_an_object_overloads_without_and_only_its_power_clears_that(
        bus, make, emulated, time):
    backend = ready(make(bus.changed('gripper', max_force=None)))
    emulated.do('servo', servo_id=6, blocked=True)
    backend.write({'gripper': 1.5})
    time.advance(10.0)
    assert backend.read_health('gripper').flags == ('overload',)
    with pytest.raises(DriverError, match=r'gripper \(id 6\) complains of overload; switch the'):
        backend.clear_faults()
    backend.clear_faults(['elbow_flex'])
    emulated.do('power_cycle', servo_id=6)
    backend.clear_faults()


# AX: ten bits, two fingers, a shutdown that takes the limit of torque away.

@on_each('bus', [AX12])
def test_a_tick_is_of_1023_in_300_degrees_and_both_fingers_are_where_their_servo_is(bus, backend):
    assert backend.resolution[bus.elbow] == pytest.approx(300.0 / 1023 * pi / 180.0)
    positions = backend.read().positions
    assert positions[backend.model.extra_joints[1].name] == positions[bus.gripper]
    assert 0.001 <= positions[bus.gripper] <= 0.0158


@on_each('bus', [FEETECH, AX12], ids=named)
def test_servos_that_hold_take_goals_after_the_bus_was_gone(bus, backend, emulated):
    emulated.do('unplug')
    with pytest.raises(DriverError):
        backend.read()
    backend.close()
    emulated.do('plug')
    backend.open()
    backend.verify()
    backend.write({bus.elbow: 1.0})
    assert emulated.do('state', servo_id=3)['goal'] == round(bus.tick(bus.elbow, 1.0))


@on_each('bus', [AX12])
def test_a_shutdown_is_torque_lost_until_it_is_cleared(bus, backend, emulated, time):
    def seen():
        health = backend.read_health(bus.elbow)
        return health.flags, health.torque

    emulated.do('servo', servo_id=3, blocked=True)
    drive(backend, time, 4.0, {bus.elbow: 0.5})
    assert seen() == (('overload',), False) and register(emulated, 3, 34, 2) == 0
    emulated.do('servo', servo_id=3, blocked=False)
    drive(backend, time, 1.0, {bus.elbow: 0.5})
    assert seen()[1] is False
    backend.clear_faults([bus.elbow])
    assert seen() == ((), False)
    time.advance(2.0)
    assert abs(emulated.position(3) - bus.ticks[3]) <= 1
    backend.engage([bus.elbow])
    drive(backend, time, 2.0, {bus.elbow: 0.5})
    assert emulated.position(3) == round(bus.tick(bus.elbow, 0.5))


@on_each('key, value', [('shadow_ids', [9]), ('homing_offset', 3)])
def test_what_ax_servos_do_not_have_is_refused_in_the_file(key, value):
    joint = {'id': 1, 'zero': 512, 'direction': 1, 'lower_tick': 0, 'upper_tick': 1023, key: value}
    with pytest.raises(InvalidArmError, match=key):
        servos_from_parameters({'backend': 'dynamixel', 'protocol': 1, 'port': '/dev/ttyUSB0',
                                'joints': {'pan': joint}}, ['pan'])
