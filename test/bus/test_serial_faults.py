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
from arm_ik.testing.servos.serial_buses import PATIENCE
from bus_helpers import opened
import pytest

#: Faults of one servo's replies, and what is said of it then.
OF_REPLIES = {'lost': 'no answer', 'corrupted': 'garbled answer', 'truncated': 'garbled answer',
              'wrong_id': 'garbled answer'}


@pytest.fixture(autouse=True)
def can(bus, request):
    """Leave out what cannot occur on a bus; it says why."""
    for name, reason in bus.cannot.items():
        if name in request.node.name:
            pytest.skip(f'cannot occur on {bus.name}: {reason}')


@pytest.fixture
def truth(emulated, bus):
    """Return a function that tells where all joints are, by their servos' own registers."""
    def positions():
        return {name: bus.position(name, emulated.position(bus.id_of(name)))
                for name in bus.joints}
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
        assert {*snapshot.readings, *snapshot.missing} == set(backend.joints)
        return snapshot
    return read_one


@pytest.fixture
def health(bus, backend):
    """Return a function that tells how a joint's servo is, all of it new."""
    def read_all(name):
        for _ in range(bus.health_reads):
            health = backend.read_health(name)
        return health
    return read_all


@pytest.fixture
def elbow(bus):
    """Return the id of the elbow's servo."""
    return bus.ids[bus.elbow]


def reads_all_again(read, time):
    """Read until no joint is missing; none may be for long."""
    for _ in range(30):
        if not read().missing:
            return True
        time.advance(0.05)
    return False


@pytest.mark.parametrize('kind', OF_REPLIES)
def test_a_servo_whose_replies_are_no_good_is_missing_and_the_others_are_there(
        bus, backend, emulated, read, time, elbow, kind):
    backend.write({bus.elbow: 0.0})
    emulated.fault(kind, [elbow])
    for _ in range(5):
        snapshot = read()
        assert snapshot.missing == {bus.elbow: OF_REPLIES[kind]}
    assert backend.read_health(bus.elbow).lost_replies >= 5
    emulated.do('clear')
    assert reads_all_again(read, time)


def test_a_wrong_position_with_the_right_checksum_is_not_believed(
        bus, backend, emulated, read, elbow):
    backend.write({bus.elbow: 0.0})
    for _ in range(3):
        emulated.fault('forged', [elbow], count=2)
        for _ in range(2):
            assert read().missing[bus.elbow].startswith('implausible answer: a jump to ')
        assert read().missing == {}


def test_a_position_outside_of_a_turn_is_none(bus, backend, emulated, read, time, elbow):
    backend.set_torque(False)
    for address, value in bus.counts_turns:
        emulated.do('write', servo_id=elbow, address=address, value=value)
    emulated.do('push', servo_id=elbow, position=4100)
    for _ in range(4):
        time.advance(1.0)
        assert read().missing == {bus.elbow: 'implausible answer: tick 4100'}


def test_late_replies_are_missing_and_never_taken_for_new_ones(
        bus, backend, emulated, read, time, elbow):
    backend.write({bus.elbow: 0.0})
    emulated.fault('late', [elbow], seconds=1.5 * PATIENCE)
    for _ in range(4):
        assert bus.elbow in read().missing
    emulated.do('clear')
    assert reads_all_again(read, time)


def test_echoes_change_nothing(bus, backend, emulated, read):
    backend.write({bus.elbow: 0.0})
    emulated.fault('echoed')
    assert [read().missing for _ in range(8)] == [{}] * 8
    assert backend.read_health(bus.elbow).torque


def test_an_echo_is_not_taken_for_the_answer_that_is_lost(bus, make, emulated):
    # On a Feetech bus, what comes back of a plain read of servo 1's position would be tick 568.
    emulated.fault('echoed')
    emulated.fault('lost', [1])
    backend = opened(make())
    assert list(backend.verify()) == [bus.joints[0]]
    assert bus.joints[0] in backend.read().missing


def test_stray_bytes_before_replies_change_nothing(bus, backend, emulated, read):
    backend.write({bus.elbow: 0.0})
    emulated.fault('stray')
    assert [read().missing for _ in range(8)] == [{}] * 8


def test_a_second_servo_with_an_id_garbles_the_first(bus, emulated, read, elbow):
    emulated.do('add', **bus.servo(elbow, position=600))
    for _ in range(2):
        assert read().missing == {bus.elbow: 'garbled answer'}


def test_one_servo_gone_is_missing_alone_and_comes_back(bus, backend, emulated, read, time, elbow):
    emulated.do('servo', servo_id=elbow, present=False)
    for _ in range(8):
        assert read().missing == {bus.elbow: 'no answer'}
    backend.write({bus.pan: 0.3})
    emulated.do('servo', servo_id=elbow, present=True)
    assert reads_all_again(read, time)


def test_one_silent_while_the_port_is_opened_is_compared_and_read(bus, make, emulated, elbow):
    emulated.fault('lost', [elbow], count=3)
    backend = opened(make())        # it is left out by now
    assert backend.verify() == {}
    assert bus.elbow in backend.read().positions


def test_all_servos_gone_are_missing_and_come_back(bus, backend, emulated, read, time):
    emulated.do('servo', servo_id=None, present=False)
    for _ in range(5):
        assert list(read().missing) == bus.joints
    emulated.do('servo', servo_id=None, present=True)
    assert reads_all_again(read, time)


def test_all_servos_gone_come_back_where_every_answer_is_late(bus, backend, emulated, read, time):
    emulated.do('servo', servo_id=None, present=False)
    for _ in range(5):
        read()
    emulated.fault('late', seconds=0.01)
    emulated.do('servo', servo_id=None, present=True)
    assert reads_all_again(read, time)


@pytest.mark.parametrize('elsewhere', [False, True], ids=['same device', 'another device'])
def test_unplugged_it_says_so_and_plugged_in_again_it_goes_on(
        bus, backend, emulated, read, elsewhere):
    before = os.path.realpath(emulated.port)
    emulated.do('unplug')
    with pytest.raises(DriverError, match='usb-emulated-servos is missing'):
        backend.read()
    with pytest.raises(DriverError, match='usb-emulated-servos is missing'):
        backend.write({bus.elbow: 0.0})
    backend.close()
    with pytest.raises(DriverError, match='no port .*usb-emulated-servos; there'):
        backend.open()
    device = emulated.do('plug', elsewhere=elsewhere)
    assert not elsewhere or device != before
    emulated.do('requests')
    backend.open()
    backend.verify()
    requests = list(map(bytes.fromhex, emulated.do('requests')))
    assert requests and not any(map(bus.servos.written, requests))
    assert read().missing == {}


@pytest.mark.parametrize('condition, flag', [
    ({'temperature': 90}, 'overheat'), ({'overloaded': True}, 'overload'),
    ({'voltage': 35}, 'voltage')], ids=['overheat', 'overload', 'voltage'])
def test_what_a_servo_complains_of_is_reported_with_its_position(
        bus, health, emulated, read, condition, flag, elbow):
    emulated.do('servo', servo_id=elbow, **condition)
    assert read().missing == {}
    assert health(bus.elbow).flags == (flag,)
    assert health(bus.wrist).flags == ()


def test_torque_lost_with_the_power_is_told_and_not_given_back_by_set_points(
        bus, backend, health, emulated, read, elbow):
    emulated.do('power_cycle', servo_id=elbow)
    for _ in range(2):
        assert read().missing == {}
        backend.write({bus.elbow: 0.0})
    assert health(bus.elbow).torque is False
    assert health(bus.wrist).torque is True
    backend.engage([bus.elbow])
    assert health(bus.elbow).torque is True


def test_an_arm_moved_by_hand_is_believed_after_three_readings(bus, emulated, read, elbow):
    there = bus.position(bus.elbow, bus.ticks[elbow]) - 1.5
    emulated.do('push', servo_id=elbow, position=round(bus.tick(bus.elbow, there)))
    assert [list(read().missing) for _ in range(4)] == [[bus.elbow], [bus.elbow], [], []]


def test_random_faults_publish_no_wrong_position(bus, backend, emulated, read, time):
    backend.write({bus.elbow: 0.0, bus.wrist: -1.0, bus.pan: 1.0})
    for kind in ('lost', 'corrupted', 'truncated', 'stray', 'wrong_id'):
        emulated.fault(kind, p=0.1)
    seen = [read() for _ in range(12)]
    lost = sum(len(snapshot.missing) for snapshot in seen)
    assert 5 < lost < 0.85 * 12 * len(bus.joints)
    emulated.do('clear')
    assert reads_all_again(read, time)
