# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the back end of every serial bus does with servos that are well, and with wrong ones."""

from math import isnan

from arm_ik.drivers.servos_file import JointTicks
from arm_ik.errors import DriverError
from bus_helpers import opened, ready, writes
import pytest
from small_arm import Time


def home(bus):
    """Return where the servos stand at first, by the joints' names."""
    return {name: bus.position(name, bus.ticks[bus.id_of(name)]) for name in bus.joints}


def torques(bus, emulated):
    """Return which servos hold, by the names of their joints."""
    return {name: emulated.do('state', servo_id=servo_id)['torque']
            for name, servo_id in bus.ids.items()}


def goal(emulated, servo_id):
    return emulated.do('state', servo_id=servo_id)['goal']


def asked(bus, emulated):
    """Return the ids that have been asked since the last time this was."""
    return {servo_id for request in map(bytes.fromhex, emulated.do('requests'))
            if bus.servos.written(request) is None for servo_id in bus.servos.asked(request)}


def written(bus, emulated):
    """Return the ids that have been written to since the last time this was asked."""
    return {servo_id for _, blocks in writes(bus, emulated) for servo_id in blocks}


@pytest.mark.parametrize('position', [9.0, -9.0])
def test_a_set_point_beyond_a_turn_stops_at_its_end(bus, backend, emulated, position):
    backend.write({bus.elbow: position})
    rises = bus.tick(bus.elbow, 1.0) > bus.tick(bus.elbow, 0.0)
    assert goal(emulated, bus.ids[bus.elbow]) == (
        bus.last_tick if (position > 0.0) == rises else 0)


def test_torque_off_reaches_the_others_where_one_servo_is_gone(bus, backend, emulated):
    emulated.do('servo', servo_id=2, present=False)
    backend.set_torque(False)
    assert [name for name, on in torques(bus, emulated).items() if on] == [bus.joints[1]]


def test_torque_off_is_told_again_where_it_was_not_heard(bus, backend, emulated):
    emulated.do('servo', servo_id=2, deaf=1)
    backend.set_torque(False)
    assert not any(torques(bus, emulated).values())


def test_torque_that_a_servo_refuses_is_told(bus, backend, emulated):
    emulated.do('servo', servo_id=2, temperature=90)
    with pytest.raises(DriverError, match=rf'no torque on at {bus.joints[1]} \(id 2\)'):
        backend.engage()


def test_a_finger_is_where_the_servo_of_the_other_is_and_takes_no_set_point(
        bus, make, emulated):
    backend = ready(make(bus.changed(bus.pan, ticks=None, id=None, same_as=bus.wrist)))
    positions = backend.read().positions
    assert list(positions) == bus.joints
    assert positions[bus.pan] == positions[bus.wrist] == pytest.approx(home(bus)[bus.wrist])
    emulated.do('requests')
    backend.write({bus.pan: 0.3, bus.elbow: 0.3})
    assert written(bus, emulated) == {bus.ids[bus.elbow]}


def test_a_dead_servo_is_left_out_and_asked_from_time_to_time(bus, backend, emulated, time):
    def asks():
        emulated.do('requests')
        backend.read()
        return asked(bus, emulated)

    servo_id = bus.ids[bus.wrist]
    everyone = set(bus.ids.values())
    emulated.do('servo', servo_id=servo_id, present=False)
    assert [asks() for _ in range(3)] == [everyone] * 3
    assert [asks() for _ in range(4)] == [everyone - {servo_id}] * 4
    time.advance(0.3)
    assert [asks() for _ in range(3)] == [everyone] + [everyone - {servo_id}] * 2
    assert backend.read().missing == {bus.wrist: 'no answer'}
    emulated.do('servo', servo_id=servo_id, present=True)
    time.advance(0.3)
    backend.read()
    backend.read()      # the answer may have come only now
    assert backend.read().missing == {}
    assert asks() == everyone


def test_two_dead_servos_keep_the_others_silent_only_until_they_are_left_out(
        bus, backend, emulated):
    gone = bus.joints[:2]
    for name in gone:
        emulated.do('servo', servo_id=bus.ids[name], present=False)
    for _ in range(3):
        backend.read()
    assert list(backend.read().missing) == gone


def test_only_one_that_is_left_out_is_called(bus, backend, emulated, time, monkeypatch):
    line, asks = backend.bus, []
    ask = line.ask

    def noted(ids, block, answers, patience=None):
        asks.append((set(ids), (patience or 0.0) < 0.0))
        return ask(ids, block, answers, patience)
    dead = bus.ids[bus.wrist]
    emulated.do('servo', servo_id=dead, present=False)
    for _ in range(4):
        backend.read()
    monkeypatch.setattr(line, 'ask', noted)
    time.advance(0.3)
    for _ in range(2):
        backend.read()
    assert [is_called for ids, is_called in asks if dead in ids] == [True]
    assert {is_called for ids, is_called in asks if dead not in ids} == {False}


def test_servos_that_are_all_gone_are_asked_one_each_time(bus, make, emulated):
    backend = opened(make(patience=0.01))
    emulated.do('servo', servo_id=None, present=False)
    for _ in range(10):
        backend.read()
    emulated.do('requests')
    each = []
    for _ in bus.ids:
        backend.read()
        each.append(asked(bus, emulated))
    assert sorted(map(list, each)) == [[servo_id] for servo_id in sorted(bus.ids.values())]


def test_a_reading_is_of_the_time_at_which_it_was_asked_for(bus, emulated):
    class Ticking(Time):
        def __call__(self):
            self.advance(1e-3)
            return self.now

    with ready(bus.backend(emulated.port, {}, clock=Ticking())) as backend:
        before = backend.clock()
        stamps = [reading.stamp for reading in backend.read().readings.values()]
    assert stamps == pytest.approx([before + 1e-3] * len(stamps), abs=1e-6)


@pytest.mark.parametrize('way', [0.4, -0.4])
def test_a_velocity_is_what_the_servo_says_or_none(bus, backend, time, way):
    there = backend.engage()[bus.pan]
    backend.write({bus.pan: there + way})
    time.advance(0.05)
    before = backend.read().readings[bus.pan].position
    time.advance(0.05)
    after = backend.read().readings[bus.pan]
    if bus.name == 'ax12':
        assert after.velocity == pytest.approx((after.position - before) / 0.05, rel=0.1)
        assert after.velocity * way > 0.0
    else:
        assert isnan(after.velocity)


# What is refused.

def test_all_that_is_wrong_is_told_at_once(bus, make, emulated):
    address, value, words = bus.another
    for name in (bus.elbow, bus.pan):
        emulated.do('write', servo_id=bus.ids[name], address=address, value=value)
    emulated.do('servo', servo_id=bus.ids[bus.wrist], present=False)
    backend = opened(make())
    with pytest.raises(DriverError) as caught:
        backend.verify()
    for each in (f'{bus.elbow} (id {bus.ids[bus.elbow]}) {words}',
                 f'{bus.pan} (id {bus.ids[bus.pan]}) {words}',
                 f'{bus.wrist} (id {bus.ids[bus.wrist]}) does not answer'):
        assert each in str(caught.value)


def test_an_id_that_two_servos_have_is_told(bus, make, emulated):
    servo_id = bus.ids[bus.elbow]
    emulated.do('add', **bus.servo(servo_id, position=600))
    backend = opened(make())
    missing = backend.verify()
    assert list(missing) == [bus.elbow]
    assert missing[bus.elbow].startswith(
        f'{bus.elbow} (id {servo_id}) is not understood (garbled answer)')
    assert 'another servo with this id' in missing[bus.elbow]


def test_a_servo_that_comes_later_is_compared_with_the_file_then(bus, make, emulated, time):
    def reads():
        for _ in range(6):
            time.advance(0.3)
            snapshot = backend.read()
        return snapshot

    elbow, wrist = bus.ids[bus.elbow], bus.ids[bus.wrist]
    address, value, words = bus.another
    for servo_id in (elbow, wrist):
        emulated.do('servo', servo_id=servo_id, present=False)
    backend = opened(make())
    assert backend.verify() == {
        bus.elbow: f'{bus.elbow} (id {elbow}) does not answer',
        bus.wrist: f'{bus.wrist} (id {wrist}) does not answer'}
    right = emulated.do('state', servo_id=elbow)['ram'][address]
    emulated.do('write', servo_id=elbow, address=address, value=value)
    for servo_id in (elbow, wrist):
        emulated.do('servo', servo_id=servo_id, present=True)
    # It holds since another program has driven it.
    emulated.do('write', servo_id=elbow, value=1, address={
        'feetech': 40, 'dynamixel': 64, 'ax12': 24, 'lx16a': 31}[bus.name])
    missing = reads().missing
    assert list(missing) == [bus.elbow] and words in missing[bus.elbow]
    backend.engage([bus.wrist])
    emulated.do('requests')
    backend.write({bus.elbow: 0.2, bus.wrist: 0.2})
    assert written(bus, emulated) == {wrist}
    emulated.do('write', servo_id=elbow, address=address, value=right)
    assert reads().missing == {}
    backend.engage([bus.elbow])
    emulated.do('requests')
    backend.write({bus.elbow: 0.2})
    assert written(bus, emulated) == {elbow}


def test_a_bus_without_power_is_told(bus, make, emulated):
    emulated.do('servo', servo_id=None, present=False)
    backend = opened(make(patience=0.01))
    with pytest.raises(DriverError,
                       match=f'no servo answers .* at {bus.file.baud} baud; has the arm'):
        backend.verify()


def test_a_wrong_speed_is_told(make):
    backend = opened(make(patience=0.01, baud=38400))
    with pytest.raises(DriverError, match='no servo answers .* at 38400 baud.'):
        backend.verify()


def narrow(bus, lower, upper):
    """Return the elbow with a servo that goes only between two positions."""
    ticks = [bus.tick(bus.elbow, position) for position in (lower, upper)]
    return bus.changed(bus.elbow, ticks=JointTicks(ticks, [lower, upper]))


def test_limits_are_narrowed_to_what_the_servo_may(bus, make):
    elbow = bus.model.joints[2]
    backend = make(narrow(bus, elbow.lower + 0.2, elbow.upper + 0.1))
    assert backend.joints[bus.elbow].lower == pytest.approx(elbow.lower + 0.2)
    assert backend.joints[bus.elbow].upper == elbow.upper
    backend.open()
    assert [f'{bus.elbow} goes only from {elbow.lower + 0.2:.2f} to {elbow.upper:.2f}' in note
            for note in backend.notes] == [True]


def test_a_step_is_a_tick(bus, make):
    assert make().resolution == pytest.approx(
        {name: bus.ticks_of(name).resolution for name in bus.joints})
