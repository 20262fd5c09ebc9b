# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Transactions against emulated servos: what comes in time is taken, and nothing else."""

from types import SimpleNamespace

from arm_ik.bus import frames
from arm_ik.bus.dynamixel import x_series
from arm_ik.bus.dynamixel.ax_series import AxLine
from arm_ik.bus.feetech import FeetechLine
from arm_ik.bus.lx16a.lx16a import Lx16aLine
from arm_ik.bus.serial_line import TURNS
from arm_ik.bus.serial_port import SerialPort
from arm_ik.testing.servos import dxl_servos
from arm_ik.testing.servos.serial_buses import PATIENCE
import pytest


class Way:
    """
    How positions are read on a bus: bytes of data in each answer, an answer of servo 1 in hex.

    ``by_hand`` is what reading and writing six servos takes on the wire [s], ten bits a byte.
    """

    def __init__(self, make, length, by_hand, old):
        self.make, self.length, self.by_hand, self.old = make, length, by_hand, old
        self.position, self.tick = make.position_block, make.tick


WAYS = {
    # A request of 14 bytes, six answers of 24; six set-points in 26 bytes.
    'feetech': Way(FeetechLine, 18, (1580e-6, 260e-6), frames.frame(1, 0, bytes(18)).hex()),
    # A request of 20 bytes, six answers of 15; six set-points in 44 bytes.
    'dynamixel': Way(x_series.XLine, 4, (1100e-6, 440e-6),
                     'ff ff fd 00 01 08 00 55 00 a6 00 00 00 8c c0'),
    # Each servo with a request of 8 bytes and an answer of 26; six set-points in 26 bytes.
    'ax12': Way(AxLine, 20, (6 * 340e-6, 260e-6), frames.frame(1, 0, bytes(20)).hex()),
    # Each servo with a request of 6 bytes and an answer of 8; each set-point in 10 bytes.
    'lx16a': Way(Lx16aLine, 2, (7.29e-3, 5.21e-3), '55 55 01 05 1c 00 00 dd')}


@pytest.fixture
def way(bus):
    return WAYS[bus.name]


@pytest.fixture
def line(way, bus, emulated):
    line = way.make(SerialPort(bus.name, emulated.port, bus.file.baud), PATIENCE)
    yield line
    line.close()


@pytest.fixture
def ids(bus):
    return list(bus.ticks)


@pytest.fixture
def read(way, line, ids):
    return lambda ids=ids: line.read(ids, way.position)


@pytest.fixture
def ticks(read, way):
    """Return a function that returns the positions that are answered, by id."""
    return lambda: {servo_id: way.tick(status.data)
                    for servo_id, status in read().found.items()}


def test_what_is_written_arrives(bus, line, emulated):
    line.send_goals({1: 700, 4: 650})
    goals = [emulated.do('state', servo_id=each)['goal'] for each in (1, 2, 4)]
    assert goals == [700, bus.ticks[2], 650]


def test_who_does_not_answer_is_told_and_the_others_are_there(way, read, ids, emulated):
    emulated.fault('lost', [2])
    for _ in range(2):
        answers = read()
        assert answers.lost == {2: 'no answer'}
        assert set(answers.found) == set(ids) - {2}
        assert {len(status.data) for status in answers.found.values()} == {way.length}


def test_one_that_is_gone_silences_those_after_it_where_one_request_asks_all(
        bus, read, ids, emulated):
    emulated.do('servo', servo_id=4, present=False)
    assert list(read().lost) == ([4] if bus.name in ('ax12', 'lx16a') else ids[3:])


@pytest.mark.parametrize('late, transactions', [('one', 3), ('all', 1)])
def test_a_late_answer_is_never_taken_for_a_new_one(
        bus, ids, ticks, emulated, transactions, late):
    # It comes in the middle of a later transaction, in which there is no other one.
    late = ids[:1] if late == 'one' else ids
    emulated.fault('late', late, seconds=(transactions + 0.5) * PATIENCE, count=len(late))
    assert not set(late) & set(ticks())
    emulated.fault('lost', late)
    for servo_id in late:
        emulated.do('push', servo_id=servo_id, position=1000)
    for _ in range(transactions + 1):
        assert not set(late) & set(ticks())
    emulated.do('clear')
    assert ticks() == {**bus.ticks, **dict.fromkeys(late, 1000)}


class Line:
    """
    A port that nobody is behind.

    ``received`` is what comes of it, ``old`` if that was there before the request; it knows until
    when an answer was waited for.
    """

    baud, latency = 1000000, 0.0

    def __init__(self, received='', old=False):
        self.received, self.old = bytes.fromhex(received), old

    def discard(self):
        if self.old:
            self.received = b''

    def write(self, data):
        pass

    def read(self, deadline):
        self.deadline = deadline
        received, self.received = self.received, b''
        return received


class Answering(Line):
    """One whose requests are answered, each in its turn."""

    def __init__(self, *answers):
        super().__init__()
        self.answers = list(answers)

    def write(self, data):
        self.received = self.answers.pop(0)


def x_answer(data):
    return dxl_servos.frame(1, 0x55, b'\0' + data)


@pytest.mark.parametrize('kind, word, backwards, frame', [
    (FeetechLine, 20, 500 | 1 << 10, lambda data: [frames.frame(1, 0, data)]),
    (AxLine, 16, 500 | 1 << 10, lambda data: [frames.frame(1, 0, data)]),
    (x_series.XLine, 0, 0x10000 - 500, lambda data: [x_answer(data), x_answer(b'\1\0')])],
    ids=['feetech', 'ax12', 'dynamixel'])
def test_a_load_has_the_sign_of_its_direction(kind, word, backwards, frame):
    block = kind.health_blocks[0]
    for load, expected in ((500, 0.5), (backwards, -0.5)):
        data = bytearray(block.length if kind is x_series.XLine else block[1])
        data[word:word + 2] = load.to_bytes(2, 'little')
        health = kind(Answering(*frame(bytes(data)))).health(1)
        assert health.load == pytest.approx(expected, abs=0.02)


def test_a_current_has_the_sign_of_its_direction():
    data = bytearray(FeetechLine.health_blocks[0][1])
    data[29:31] = (100 | 1 << 15).to_bytes(2, 'little')
    health = FeetechLine(Answering(frames.frame(1, 0, bytes(data)))).health(1)
    assert health.current_a == pytest.approx(-0.65)


on_each_way = pytest.mark.parametrize('way', WAYS.values(), ids=WAYS)


@on_each_way
def test_what_was_received_before_a_request_is_no_answer_to_it_and_after_it_is(way):
    for old in (True, False):
        answers = way.make(Line(way.old, old)).read([1], way.position)
        assert list(answers.found) == [1] * (not old)


@on_each_way
def test_who_most_likely_does_not_answer_is_waited_for_no_longer_than_on_the_wire(
        way, monkeypatch):
    monkeypatch.setattr('arm_ik.bus.serial_line.time',
                        SimpleNamespace(monotonic=lambda: 100.0))
    deadlines = []
    for ask in (lambda line: line.call(1), lambda line: line.read([1], line.presence_block)):
        port = Line()
        ask(way.make(port, 0.004))
        deadlines.append(port.deadline)
    assert deadlines[1] == pytest.approx(deadlines[0] + 0.004 + 0.007)
    assert 100.0005 < deadlines[0] < 100.003


def test_a_call_that_is_answered_later_is_heard_with_the_next_question(
        bus, line, ids, ticks, emulated):
    emulated.fault('late', [2], seconds=0.02, count=1)
    line.call(2)
    assert line.callers == set()
    emulated.fault('lost', [ids[-1]], count=1)     # waits long enough
    found = ticks()
    assert line.callers == {2}
    assert found.items() <= bus.ticks.items() and ids[-1] not in found
    assert ticks() == bus.ticks


@on_each_way
def test_an_answer_is_waited_for_until_what_was_sent_before_has_left(way, monkeypatch):
    monkeypatch.setattr('arm_ik.bus.serial_line.time',
                        SimpleNamespace(monotonic=lambda: 100.0))
    port = Line()
    line = way.make(port, 0.0)
    line.send(bytes(1000))
    line.read([1], way.position)
    assert 100.01 < port.deadline < 100.02


@on_each_way
def test_after_any_number_of_lost_answers_it_still_asks(way):
    line = way.make(Line(), 0.0)
    for _ in range(300):
        assert line.read([1], way.position).lost == {1: 'no answer'}


class Babble(Line):
    """A line on which something comes all the time."""

    reads = 0

    def read(self, deadline):
        self.reads += 1
        assert self.reads < 1000000, 'goes on for ever'
        return b'\x55'


@on_each_way
def test_a_line_that_never_falls_silent_is_left_at_the_deadline(way):
    assert way.make(Babble()).read([1], way.position).lost == {1: 'garbled answer'}


@pytest.mark.parametrize('kind', ['late', 'corrupted', 'truncated', 'stray', 'wrong_id', 'echoed'])
def test_no_fault_of_the_line_is_taken_for_another_program(line, read, emulated, kind):
    emulated.fault(kind, p=0.5, **({'seconds': 1.5 * PATIENCE} if kind == 'late' else {}))
    for _ in range(4):
        read()
        line.require_alone()


def test_an_error_byte_comes_with_its_position(bus, way, read, emulated):
    emulated.do('servo', servo_id=5, voltage=35)
    status = read().found[5]
    if bus.name == 'lx16a':
        pytest.skip('its answers have none')
    assert status.error == (0x80 if bus.name == 'dynamixel' else 1)
    assert way.tick(status.data) == bus.ticks[5]


@pytest.mark.parametrize('bus', WAYS)
def test_the_time_on_the_wire_is_that_of_the_bytes(bus):
    way, six, baud = WAYS[bus], range(1, 7), 115200 if bus == 'lx16a' else 1e6
    assert (way.make.read_duration(six, way.position, baud),
            10.0 * len(way.make.goals(dict.fromkeys(six, 500))) / baud
            ) == pytest.approx(way.by_hand, rel=1e-3)


def test_by_its_length_an_answer_is_to_one_block_only():
    lengths = [{block.length + turn % (block.last - block.first + 2 - block.length)
                for turn in range(TURNS)}
               for block in (x_series.POSITION, x_series.HEALTH, x_series.TORQUE, x_series.ERRORS)]
    assert len(set.union(*lengths)) == sum(map(len, lengths))


def test_every_block_that_is_read_is_one_that_a_servo_knows():
    for model in dxl_servos.MODELS:
        servo = dxl_servos.Servo(1, model=model)
        for block in (x_series.IDENTITY, x_series.OFFSET, x_series.LIMITS, x_series.ERRORS,
                      x_series.TORQUE, x_series.POSITION, x_series.HEALTH):
            error, data = servo.read(block.first, block.last - block.first + 1)
            assert error == 0 and len(data) >= block.length
