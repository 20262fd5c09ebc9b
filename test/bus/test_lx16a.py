# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What is LX-16A's own: bytes, answers one by one, moves that take a time, torque asked for."""

from math import pi
from pathlib import Path

from arm_ik.bus.lx16a import protocol
from arm_ik.drivers import ServoDriver
from arm_ik.drivers.servos_file import servos_from_parameters
from arm_ik.testing.servos import lx16a_servos
from arm_ik.testing.servos.serial_buses import LX16A
from bus_helpers import opened, ready, verified
import pytest
import yaml

TICK = 2.0 * pi / 1500
ELBOW = 3


@pytest.fixture
def bus():
    """Return the bus of these tests."""
    return LX16A


def answer(servo_id, command, *data):
    return bytearray(lx16a_servos.frame(servo_id, command, bytes(data)))


def commands(emulated):
    """Return (id, command, data) of all requests since the last time this was asked."""
    return [(request[2], request[4], list(request[5:-1]))
            for request in map(bytes.fromhex, emulated.do('requests'))]


def moves(emulated, servo_id=ELBOW):
    """Return (tick, milliseconds) of all moves since the last time requests were asked."""
    return [(data[0] | data[1] << 8, data[2] | data[3] << 8)
            for to, command, data in commands(emulated) if (to, command) == (servo_id, 1)]


# The bytes.

@pytest.mark.parametrize('request_, expected', [
    (protocol.move(1, 800, 1000), '5555010701 2003e803 e8'),
    (protocol.read(1, protocol.POSITION), '555501031c df'),
    (protocol.load(3, False), '555503041f00 d9'),
    (protocol.load(3, True), '555503041f01 d8'),
    (protocol.set_id(1, 7), '555501040d07 e6')])
def test_requests_are_those_of_the_makers_document(request_, expected):
    assert request_ == bytes.fromhex(expected)


def test_an_answer_is_found_among_strange_bytes():
    good = answer(3, protocol.POSITION, 0xF4, 1)
    received = bytearray(b'\x55\x55\x03') + good + good[:4]
    assert protocol.take_answers(received, [3], protocol.POSITION) == (
        [(3, 0, b'\xf4\x01')], 3)
    assert received == good[:4]


@pytest.mark.parametrize('strange', [
    answer(4, protocol.POSITION, 0xF4, 1),                      # another servo's
    answer(3, protocol.VOLTAGE, 0xF4, 1),                       # to another question
    bytearray(protocol.read(3, protocol.POSITION)) + b'\0\0',   # our own
    answer(3, protocol.POSITION, 0xF4, 1)[:-1] + b'\0',
    answer(3, protocol.POSITION, 0xF4)], ids=['id', 'command', 'echo', 'checksum', 'length'])
def test_what_is_not_the_answer_is_not_taken_for_it(strange):
    assert protocol.take_answers(strange, [3], protocol.POSITION)[0] == []


def test_positions_and_offsets_may_be_negative():
    assert (protocol.signed(b'\xf4\1'), protocol.signed(b'\xfd\xff')) == (500, -3)
    assert (protocol.signed(b'\x7d'), protocol.signed(b'\x83')) == (125, -125)


# Moves.

def test_a_servo_that_is_behind_goes_no_faster_than_its_joint_may(backend, emulated, time):
    joint = backend.joints['elbow_flex']
    backend.set_torque(False)
    emulated.do('push', servo_id=ELBOW, position=600)
    backend.engage()
    backend.write({'elbow_flex': 1.5})
    places = []
    for _ in range(60):
        time.advance(0.02)
        places.append(emulated.do('state', servo_id=ELBOW)['actual'] * TICK)
        backend.read()
        backend.write({'elbow_flex': 1.5})
    steps = [later - earlier for earlier, later in zip(places, places[1:])]
    assert 0.9 * joint.max_velocity < max(steps) / 0.02 <= 1.21 * joint.max_velocity
    assert places[-1] == pytest.approx(500 * TICK + 1.5, abs=TICK)


def test_a_small_step_takes_a_turn_of_the_bus(backend, emulated):
    there = backend.read().positions['elbow_flex']
    emulated.do('requests')
    backend.write({'elbow_flex': there + 2 * TICK})
    assert moves(emulated) == [(788, 20)]


def test_a_goal_that_stays_is_sent_three_times(backend, emulated):
    emulated.do('servo', servo_id=ELBOW, deaf=2)
    emulated.do('requests')
    for _ in range(6):
        backend.write({'elbow_flex': 0.5})
    assert [tick for tick, _ in moves(emulated)] == [619] * 3
    assert emulated.do('state', servo_id=ELBOW)['goal'] == 619


def test_a_servo_that_has_lost_its_torque_at_rest_gets_no_move(backend, emulated):
    for _ in range(5):
        backend.write({'elbow_flex': 0.5})
    emulated.do('power_cycle', servo_id=ELBOW)
    emulated.do('requests')
    for goal in (0.5, 0.4, 0.3):
        backend.write({'elbow_flex': goal})
    assert moves(emulated) == []
    assert not emulated.do('state', servo_id=ELBOW)['torque']


def test_a_servo_on_its_way_is_asked_again_after_a_lost_answer(backend, emulated):
    backend.write({'elbow_flex': 0.5})
    emulated.fault('lost', [ELBOW], count=1)
    backend.read()
    emulated.do('requests')
    backend.write({'elbow_flex': 0.4})
    assert moves(emulated) == []
    assert 'elbow_flex' not in backend.read().missing
    emulated.do('power_cycle', servo_id=ELBOW)
    backend.write({'elbow_flex': 0.3})
    assert moves(emulated) == []


def test_on_its_way_a_servo_is_not_asked_before_each_move(backend, emulated):
    backend.write({'elbow_flex': 0.50})
    emulated.do('requests')
    backend.write({'elbow_flex': 0.45})
    assert [command for _, command, _ in commands(emulated)] == [1]


def test_torque_comes_on_where_the_joint_is_wherever_the_servo_was_sent_before(
        backend, emulated, time):
    backend.write({'elbow_flex': 0.0})
    backend.set_torque(False)
    emulated.do('push', servo_id=ELBOW, position=700)
    emulated.do('requests')
    backend.engage(['elbow_flex'])
    sent = [(command, data[:2]) for _, command, data in commands(emulated) if command in (1, 31)]
    assert sent == [(1, [0xBC, 2]), (31, [1]), (1, [0xBC, 2])]
    time.advance(2.0)
    assert emulated.position(ELBOW) == 700


# Readings.

@pytest.mark.parametrize('tick', [-3, 1004])
def test_a_joint_a_little_beyond_its_servos_scale_is_there(make, emulated, tick):
    emulated.do('push', servo_id=5, position=tick)
    backend = verified(make())
    position = -2.9 + 5.8e-3 * tick
    assert backend.read().positions['wrist_roll'] == pytest.approx(position)
    assert backend.engage()['wrist_roll'] == pytest.approx(position)


def test_after_a_lost_answer_something_else_is_asked_first(backend, emulated):
    def asks():
        emulated.do('requests')
        backend.read()
        return [command for servo_id, command, _ in commands(emulated) if servo_id == ELBOW]

    assert asks() == [28]
    emulated.fault('lost', [ELBOW], count=2)
    assert [asks() for _ in range(4)] == [[28], [36], [34, 28], [28]]


def test_servos_that_are_gone_are_asked_once_a_reading_as_none_silences_another(
        make, emulated):
    backend = opened(make(patience=0.01))
    emulated.do('servo', servo_id=None, present=False)
    emulated.do('requests')
    for _ in range(4):
        backend.read()
    assert [servo_id for servo_id, _, _ in commands(emulated)] == [
        1, 2, 3, 4, 5, 6] * 3 + [1, 2]


# Health.

def test_health_is_one_question_a_time_but_the_first(make, emulated):
    def asks():
        emulated.do('requests')
        backend.read_health('elbow_flex')
        return [command for _, command, _ in commands(emulated)]

    backend = verified(make())
    assert [asks() for _ in range(5)] == [[32, 26, 27], [32], [26], [27], [32]]


def test_torque_that_was_just_switched_on_is_no_torque_lost(make):
    backend = ready(make())
    backend.set_torque(False)
    assert [backend.read_health('elbow_flex').torque for _ in range(3)] == 3 * [False]
    backend.engage()
    assert [backend.read_health('elbow_flex').torque for _ in range(3)] == 3 * [True]


@pytest.mark.parametrize('condition, fault', [
    ({'temperature': 90}, 'overheat'), ({'voltage': 125}, 'voltage'), ({}, 'torque lost')],
    ids=['overheat', 'voltage', 'torque lost'])
def test_what_is_wrong_with_a_servo_is_a_fault_within_two_seconds(
        make, emulated, time, condition, fault):
    driver = ServoDriver(make(), bus_rate=50.0, clock=time, stamp_clock=time, sleep=time.advance)
    driver.connect()
    for _ in range(10):
        time.advance(0.02)
        driver.turn()
    emulated.do('servo', servo_id=ELBOW, **condition)
    if not condition:
        emulated.do('power_cycle', servo_id=ELBOW)
    began = time.now
    while fault not in driver.faults.of('elbow_flex') and time.now < began + 2.0:
        time.advance(0.02)
        driver.turn()
    assert fault in driver.faults.of('elbow_flex')
    driver.close()


# The file.

def test_the_example_in_the_docs_is_a_servos_file():
    page = Path(__file__).parents[2].joinpath('docs', 'lx16a.md').read_text()
    text, = (block for block in page.split('```yaml')[1:] if 'backend: lx16a' in block)
    block = yaml.safe_load(text.partition('```')[0])['/**']['ros__parameters']['servos']
    servos = servos_from_parameters(block, block['joints'])
    assert (servos.baud, servos.bus_rate) == (115200, 50.0)
    assert servos.joints['shoulder'].ticks.position(500) == pytest.approx(pi / 2)
