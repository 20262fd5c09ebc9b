# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The back end against emulated servos that are well, and against the wrong ones."""

from dataclasses import replace
from math import pi

from arm_ik.drivers.joint_ticks import JointTicks
from arm_ik.errors import DriverError, InvalidArmError
from emulated_so101 import JOINTS, MODEL, TICKS
import pytest

IDS = dict(zip(JOINTS, TICKS))
TICK = 2.0 * pi / 4096
HOME = {'shoulder_pan': 0.0, 'shoulder_lift': (1265 - 2047) * TICK,
        'elbow_flex': (2829 - 2047) * TICK, 'wrist_flex': (2438 - 2047) * TICK,
        'wrist_roll': (2100 - 2047) * TICK, 'gripper': (2000 - 1535) * TICK}


def ram(emulated, name):
    return emulated.do('state', servo_id=IDS[name])['ram']


def word(registers, address):
    return registers[address] | registers[address + 1] << 8


def writes(emulated):
    """Return (address, {id: data}) of all sync writes since the last time this was asked."""
    found = []
    for request in map(bytes.fromhex, emulated.do('requests')):
        assert request[2] == 0xFE and request[4] in (0x82, 0x83)
        if request[4] == 0x83:
            size, data = request[6] + 1, request[7:-1]
            found.append((request[5], {data[start]: data[start + 1:start + size]
                                       for start in range(0, len(data), size)}))
    return found


def changed(servos, name, **more):
    return replace(servos, joints={**servos.joints, name: replace(servos.joints[name], **more)})


# Ready.

def test_joints_are_where_their_servos_are(backend):
    snapshot = backend.read()
    assert list(snapshot.readings) == list(JOINTS) and snapshot.missing == {}
    assert snapshot.positions == pytest.approx(HOME)
    assert all(reading.measured for reading in snapshot.readings.values())


def test_to_be_made_ready_moves_no_joint_wherever_its_servo_was_sent_before(make, emulated, time):
    for servo_id in TICKS:
        emulated.do('write', servo_id=servo_id, address=42, value=3000)
    backend = make()
    backend.open()
    backend.verify()
    backend.engage()
    time.advance(5.0)
    assert all(ram(emulated, name)[40] == 1 for name in JOINTS)
    assert backend.read().positions == pytest.approx(HOME)


def test_a_set_point_is_written_before_torque(make, emulated):
    backend = make()
    backend.open()
    backend.verify()
    assert writes(emulated) == []
    backend.engage(['elbow_flex'])
    addresses = [address for address, blocks in writes(emulated)]
    assert addresses.index(42) < addresses.index(40)
    assert [ram(emulated, name)[40] for name in JOINTS] == [0, 0, 1, 0, 0, 0]


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


# At work.

def test_a_servo_follows_its_set_point_and_the_others_stay(backend, emulated, time):
    backend.write({'elbow_flex': 0.5})
    time.advance(3.0)
    assert backend.read().positions == pytest.approx({**HOME, 'elbow_flex': 0.5}, abs=TICK / 2)


def test_a_set_point_past_a_limit_is_written_as_it_is(backend, emulated):
    backend.write({'elbow_flex': 1.75})
    assert word(ram(emulated, 'elbow_flex'), 42) == 2047 + round(1.75 / TICK)


@pytest.mark.parametrize('position, tick', [(9.0, 4095), (-9.0, 0)])
def test_a_set_point_beyond_a_turn_stops_at_its_end(backend, emulated, position, tick):
    backend.write({'elbow_flex': position})
    assert word(ram(emulated, 'elbow_flex'), 42) == tick


def test_torque_off_reaches_every_servo(backend, emulated):
    backend.set_torque(False)
    assert [ram(emulated, name)[40] for name in JOINTS] == [0] * 6


def test_torque_off_for_one_joint_leaves_the_others_theirs(backend, emulated):
    backend.set_torque(False, ['gripper'])
    assert [ram(emulated, name)[40] for name in JOINTS] == [1, 1, 1, 1, 1, 0]


def test_torque_off_reaches_the_others_where_one_servo_is_gone(backend, emulated):
    emulated.do('servo', servo_id=2, present=False)
    backend.set_torque(False)
    assert [ram(emulated, name)[40] for name in JOINTS] == [0, 1, 0, 0, 0, 0]


def test_torque_off_is_told_again_where_it_was_not_heard(backend, emulated):
    emulated.do('servo', servo_id=2, deaf=1)
    backend.set_torque(False)
    assert [ram(emulated, name)[40] for name in JOINTS] == [0] * 6


def test_torque_that_a_servo_refuses_is_told(backend, emulated):
    emulated.do('servo', servo_id=2, temperature=80)
    with pytest.raises(DriverError, match=r'no torque on at shoulder_lift \(id 2\)'):
        backend.engage()


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


def test_a_gripper_on_an_object_does_not_overload_with_its_force_limited(backend, emulated, time):
    emulated.do('servo', servo_id=6, blocked=True)
    backend.write({'gripper': 1.5})
    time.advance(10.0)
    assert backend.read_health('gripper').flags == ()
    assert not emulated.do('state', servo_id=6)['overloaded']


def test_a_gripper_on_an_object_overloads_without_and_only_its_power_clears_that(
        make, servos, emulated, time):
    backend = make(changed(servos, 'gripper', max_force=None))
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


def test_a_finger_is_where_the_servo_of_the_other_is_and_takes_no_set_point(
        make, servos, emulated):
    file = changed(servos, 'gripper', ticks=None, id=None, same_as='wrist_roll')
    backend = make(file)
    backend.open()
    backend.verify()
    backend.engage()
    positions = backend.read().positions
    assert list(positions) == list(JOINTS)
    assert positions['gripper'] == positions['wrist_roll'] == pytest.approx(HOME['wrist_roll'])
    emulated.do('requests')
    backend.write({'gripper': 0.3, 'elbow_flex': 0.3})
    assert [list(blocks) for _, blocks in writes(emulated)] == [[3]]


def test_a_dead_servo_is_left_out_and_asked_from_time_to_time(backend, emulated, time):
    def asked():
        emulated.do('requests')
        backend.read()
        return [list(bytes.fromhex(request)[7:-1]) for request in emulated.do('requests')]

    emulated.do('servo', servo_id=4, present=False)
    everyone, rest = [1, 2, 3, 4, 5, 6], [1, 2, 3, 5, 6]
    assert [asked() for _ in range(3)] == [[everyone, [5, 6]]] * 3
    assert [asked() for _ in range(4)] == [[rest]] * 4
    time.advance(0.3)
    assert [asked() for _ in range(3)] == [[rest, [4]], [rest], [rest]]
    assert backend.read().missing == {'wrist_flex': 'no answer'}
    emulated.do('servo', servo_id=4, present=True)
    time.advance(0.3)
    assert backend.read().missing == {}
    assert asked() == [everyone]


def test_servos_that_are_all_gone_are_asked_one_each_time(make, emulated):
    backend = make(patience=0.01)
    backend.open()
    emulated.do('servo', servo_id=None, present=False)
    for _ in range(10):
        backend.read()
    emulated.do('requests')
    for _ in range(6):
        backend.read()
    asked = [list(bytes.fromhex(request)[7:-1]) for request in emulated.do('requests')]
    assert sorted(asked) == [[1], [2], [3], [4], [5], [6]]


# What is refused.

def test_nothing_works_before_it_is_open(make):
    backend = make()
    for verb in (backend.read, lambda: backend.write({}), lambda: backend.set_torque(False),
                 backend.engage, backend.verify, lambda: backend.read_health('gripper'),
                 backend.clear_faults):
        with pytest.raises(DriverError, match='not open'):
            verb()
    backend.close()


@pytest.mark.parametrize('set_points, words', [({'knee': 0.1}, 'knee'),
                                               ({'elbow_flex': float('nan')}, 'nan')])
def test_a_set_point_that_cannot_be_is_refused_before_anything_is_written(
        backend, emulated, set_points, words):
    emulated.do('requests')
    with pytest.raises(DriverError, match=words):
        backend.write({'shoulder_pan': 0.1, **set_points})
    assert emulated.do('requests') == []


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


def test_servos_recalibrated_by_another_tool_are_refused(make, servos, emulated):
    emulated.do('write', servo_id=3, address=31, value=2048 + 12)
    backend = make(changed(servos, 'elbow_flex', homing_offset=-12))
    backend.open()
    backend.verify()
    backend = make(changed(servos, 'elbow_flex', homing_offset=30))
    with pytest.raises(DriverError, match='is used by'):
        backend.open()


def test_a_homing_offset_unlike_the_files_is_refused(make, servos, emulated):
    emulated.do('write', servo_id=3, address=31, value=2048 + 12)
    backend = make(changed(servos, 'elbow_flex', homing_offset=30))
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


def test_an_id_that_two_servos_have_is_told(make, emulated):
    emulated.do('add', servo_id=3, actual=1111)
    backend = make()
    backend.open()
    missing = backend.verify()
    assert list(missing) == ['elbow_flex']
    assert missing['elbow_flex'].startswith('elbow_flex (id 3) is not understood (garbled answer)')
    assert 'another servo with this id' in missing['elbow_flex']


def test_a_servo_that_comes_later_is_compared_with_the_file_then(make, emulated, time):
    def reads():
        for _ in range(4):
            time.advance(0.3)
            snapshot = backend.read()
        return snapshot

    for servo_id in (3, 5):
        emulated.do('servo', servo_id=servo_id, present=False)
    backend = make()
    backend.open()
    assert backend.verify() == {'elbow_flex': 'elbow_flex (id 3) does not answer',
                                'wrist_roll': 'wrist_roll (id 5) does not answer'}
    emulated.do('write', servo_id=3, address=33, value=1)
    for servo_id in (3, 5):
        emulated.do('servo', servo_id=servo_id, present=True)
    missing = reads().missing
    assert list(missing) == ['elbow_flex'] and 'runs in mode 1' in missing['elbow_flex']
    emulated.do('requests')
    backend.write({'elbow_flex': 0.2, 'wrist_roll': 0.2})
    assert [list(blocks) for _, blocks in writes(emulated)] == [[5]]
    emulated.do('write', servo_id=3, address=33, value=0)
    assert reads().missing == {}
    backend.write({'elbow_flex': 0.2})
    assert [list(blocks) for _, blocks in writes(emulated)] == [[3]]


def test_a_bus_without_power_is_told(make, emulated):
    emulated.do('servo', servo_id=None, present=False)
    backend = make(patience=0.01)
    backend.open()
    with pytest.raises(DriverError, match='no servo answers .* at 1000000 baud; has the arm'):
        backend.verify()


def test_a_wrong_speed_is_told(make, servos):
    backend = make(replace(servos, baud=115200), patience=0.01)
    backend.open()
    with pytest.raises(DriverError, match='no servo answers .* at 115200 baud.'):
        backend.verify()


def test_servos_that_wait_before_they_answer_are_only_told_of(make, emulated):
    emulated.do('write', servo_id=3, address=7, value=250)
    backend = make()
    backend.open()
    backend.verify()
    assert backend.notes == [
        'elbow_flex (id 3) waits 500 us before every answer; 0 would do (register 7)']


def test_limits_are_narrowed_to_what_the_servo_may(make, servos):
    ticks = JointTicks.linear(2047, 1, 1000, 3154, TICK)
    backend = make(changed(servos, 'elbow_flex', ticks=ticks))
    assert backend.joints['elbow_flex'].lower == pytest.approx((1000 - 2047) * TICK)
    assert backend.joints['elbow_flex'].upper == MODEL.joints[2].upper
    backend.open()
    assert ['elbow_flex goes only from -1.61 to 1.69' in note for note in backend.notes] == [True]


def test_a_servo_that_can_go_nowhere_the_arm_can_is_refused(make, servos):
    ticks = JointTicks.linear(2047, 1, 3200, 4000, TICK)
    with pytest.raises(InvalidArmError, match='elbow_flex: found .1.77 to 3.00.; .* -1.69 to '
                                              '1.69'):
        make(changed(servos, 'elbow_flex', ticks=ticks))


def test_the_cycle_is_as_long_as_its_bytes(make):
    # 62 bytes of positions, 26 of set-points, 46 of health, at a megabaud.
    assert make().cycle_time == pytest.approx(1340e-6)


def test_a_step_is_a_tick(make):
    assert make().resolution == pytest.approx(dict.fromkeys(JOINTS, TICK))
