# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Seventeen faults of a bus and its servos: what the back end says while they last, and afterwards.

In none of them is there a wrong position: a reading is where the servo is, or it is missing.
"""

import os

from arm_ik.errors import DriverError
from emulated_so101 import JOINTS, PATIENCE, TICKS
import pytest

IDS = dict(zip(JOINTS, TICKS))

#: Faults of one servo's replies, and what is said of it then.
OF_REPLIES = {'lost': 'no answer', 'corrupted': 'garbled answer', 'truncated': 'garbled answer',
              'wrong_id': 'garbled answer'}


@pytest.fixture
def truth(emulated, servos):
    """Return a function that tells where all joints are, by their servos' own registers."""
    def positions():
        return {name: servos.joints[name].ticks.position(emulated.position(servo_id))
                for name, servo_id in IDS.items()}
    return positions


@pytest.fixture
def read(backend, truth, time):
    """Return a function that reads, one period later, and finds no position that is wrong."""
    def read_one():
        time.advance(0.01)
        snapshot = backend.read()
        there = truth()
        for name, reading in snapshot.readings.items():
            assert reading.position == pytest.approx(there[name], abs=1e-9), name
        assert {*snapshot.readings, *snapshot.missing} == set(JOINTS)
        return snapshot
    return read_one


def reads_all_again(read, time):
    """Read until no joint is missing; none may be for long."""
    for _ in range(30):
        if not read().missing:
            return True
        time.advance(0.05)
    return False


@pytest.mark.parametrize('kind', OF_REPLIES)
def test_a_servo_whose_replies_are_no_good_is_missing_and_the_others_are_there(
        backend, emulated, read, time, kind):
    backend.write({'elbow_flex': 0.0, 'gripper': 1.5})
    emulated.fault(kind, [3])
    for _ in range(5):
        snapshot = read()
        assert snapshot.missing == {'elbow_flex': OF_REPLIES[kind]}
    assert backend.read_health('elbow_flex').lost_replies >= 5
    emulated.do('clear')
    assert reads_all_again(read, time)


def test_a_wrong_position_with_the_right_checksum_is_not_believed(backend, emulated, read):
    backend.write({'elbow_flex': 0.0})
    for _ in range(3):
        emulated.fault('forged', [3], count=2)
        for _ in range(2):
            assert read().missing['elbow_flex'].startswith('implausible answer: a jump to 2.')
        assert read().missing == {}


def test_a_position_outside_of_a_turn_is_none(backend, emulated, read, time):
    backend.set_torque(False)
    emulated.do('write', servo_id=3, address=18, value=28)      # counts turns from now on
    emulated.do('servo', servo_id=3, actual=4100)
    for _ in range(4):
        time.advance(1.0)
        assert read().missing == {'elbow_flex': 'implausible answer: tick 4100'}


def test_late_replies_are_missing_and_never_taken_for_new_ones(backend, emulated, read, time):
    backend.write({'elbow_flex': 0.0})
    emulated.fault('late', [3], seconds=1.5 * PATIENCE)
    for _ in range(4):
        assert 'elbow_flex' in read().missing
    emulated.do('clear')
    assert reads_all_again(read, time)


def test_echoes_change_nothing(backend, emulated, read):
    backend.write({'elbow_flex': 0.0})
    emulated.fault('echoed')
    assert [read().missing for _ in range(8)] == [{}] * 8
    assert backend.read_health('elbow_flex').torque


def test_an_echo_that_is_itself_an_answer_is_not_taken_for_one(make, emulated, servos):
    # Servo 1 is silent, and what comes back of a plain read of its position would be tick 568.
    emulated.fault('echoed')
    emulated.fault('lost', [1])
    backend = make()
    backend.open()
    assert list(backend.verify()) == ['shoulder_pan']
    assert 'shoulder_pan' in backend.read().missing


def test_stray_bytes_before_replies_change_nothing(backend, emulated, read):
    backend.write({'elbow_flex': 0.0})
    emulated.fault('stray')
    assert [read().missing for _ in range(8)] == [{}] * 8


def test_a_second_servo_with_an_id_garbles_the_first(emulated, read):
    emulated.do('add', servo_id=3, actual=1111)
    for _ in range(2):
        assert read().missing == {'elbow_flex': 'garbled answer'}


def test_one_servo_gone_is_missing_alone_and_comes_back(backend, emulated, read, time):
    emulated.do('servo', servo_id=3, present=False)
    for _ in range(8):
        assert read().missing == {'elbow_flex': 'no answer'}
    backend.write({'shoulder_pan': 0.3})
    emulated.do('servo', servo_id=3, present=True)
    assert reads_all_again(read, time)


def test_all_servos_gone_are_missing_and_come_back(backend, emulated, read, time):
    emulated.do('servo', servo_id=None, present=False)
    for _ in range(5):
        assert list(read().missing) == list(JOINTS)
    emulated.do('servo', servo_id=None, present=True)
    assert reads_all_again(read, time)


@pytest.mark.parametrize('elsewhere', [False, True], ids=['same device', 'another device'])
def test_unplugged_it_says_so_and_plugged_in_again_it_goes_on(backend, emulated, read, elsewhere):
    before = os.path.realpath(emulated.port)
    emulated.do('unplug')
    with pytest.raises(DriverError, match='usb-emulated-servos is gone'):
        backend.read()
    with pytest.raises(DriverError, match='usb-emulated-servos is gone'):
        backend.write({'elbow_flex': 0.0})
    backend.close()
    with pytest.raises(DriverError, match='no port .*usb-emulated-servos; there'):
        backend.open()
    device = emulated.do('plug', elsewhere=elsewhere)
    assert not elsewhere or device != before
    emulated.do('requests')
    backend.open()
    backend.verify()
    assert all(bytes.fromhex(request)[4] == 0x82 for request in emulated.do('requests'))
    assert read().missing == {}


@pytest.mark.parametrize('condition, flag', [
    ({'temperature': 75}, 'overheat'), ({'overloaded': True}, 'overload'),
    ({'voltage': 35}, 'voltage')])
def test_what_a_servo_complains_of_is_told_beside_its_position(
        backend, emulated, read, condition, flag):
    emulated.do('servo', servo_id=3, **condition)
    assert read().missing == {}
    assert backend.read_health('elbow_flex').flags == (flag,)
    assert backend.read_health('wrist_flex').flags == ()
    with pytest.raises(DriverError, match=rf'elbow_flex \(id 3\) complains of {flag}'):
        backend.clear_faults()


def test_torque_lost_with_the_power_is_told_and_not_given_back_by_set_points(
        backend, emulated, read):
    emulated.do('power_cycle', servo_id=3)
    backend.write({'elbow_flex': 0.0})
    assert read().missing == {}
    assert backend.read_health('elbow_flex').torque is False
    assert backend.read_health('wrist_flex').torque is True
    backend.engage(['elbow_flex'])
    assert backend.read_health('elbow_flex').torque is True


def test_an_arm_moved_by_hand_is_believed_after_three_readings(backend, emulated, read):
    emulated.do('servo', servo_id=3, actual=1500)
    assert [list(read().missing) for _ in range(4)] == [['elbow_flex'], ['elbow_flex'], [], []]


def test_random_faults_publish_no_wrong_position(backend, emulated, read, time):
    backend.write({'elbow_flex': 0.0, 'wrist_flex': -1.0, 'shoulder_pan': 1.0})
    for kind in ('lost', 'corrupted', 'truncated', 'stray', 'wrong_id'):
        emulated.fault(kind, p=0.1)
    seen = [read() for _ in range(12)]
    lost = sum(len(snapshot.missing) for snapshot in seen)
    assert 5 < lost < 60       # of 72
    emulated.do('clear')
    assert reads_all_again(read, time)
