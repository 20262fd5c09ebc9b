# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Transactions against emulated servos: what comes in time is taken, and nothing else."""

import pytest

pytest.importorskip('serial', reason='the extra "servos" brings pyserial')

from arm_ik.drivers import frames  # noqa: E402, I100, I202
from arm_ik.drivers.feetech import protocol  # noqa: E402
from arm_ik.drivers.feetech.transactions import (  # noqa: E402
    read_duration, Transactions, write_duration)
from arm_ik.drivers.serial_port import SerialPort  # noqa: E402
from serial_buses import FEETECH, PATIENCE  # noqa: E402

TICKS = FEETECH.ticks
IDS = list(TICKS)


@pytest.fixture
def bus():
    return FEETECH


@pytest.fixture
def line(emulated):
    line = Transactions(SerialPort('feetech', emulated.port, 1000000), PATIENCE)
    yield line
    line.close()


def ticks(line, ids=IDS):
    answers = line.read(ids, protocol.POSITION, 2)
    return {servo_id: frames.word(status.data) for servo_id, status in answers.found.items()}


def test_every_servo_answers(line):
    assert ticks(line) == TICKS


def test_a_block_is_as_long_as_was_asked(line):
    answers = line.read([3], 0, 40)
    assert len(answers.found[3].data) == 40 and frames.word(answers.found[3].data, 3) == 777


def test_what_is_written_arrives(line, emulated):
    line.write(protocol.GOAL, {1: frames.two_bytes(1234), 4: frames.two_bytes(2345)})
    goals = [emulated.do('state', servo_id=each)['ram'][42:44] for each in (1, 2, 4)]
    assert goals == [[0xD2, 0x04], [0xF1, 0x04], [0x29, 0x09]]


def test_who_does_not_answer_is_told_and_the_others_are_there(line, emulated):
    emulated.fault('lost', [2])
    for _ in range(2):
        answers = line.read(IDS, protocol.POSITION, 2)
        assert answers.lost == {2: 'no answer'}
        assert set(answers.found) == set(IDS) - {2}
        assert {len(status.data) for status in answers.found.values()} == {2}


def test_an_answer_that_was_hit_is_told_from_none(line, emulated):
    emulated.fault('corrupted', [2])
    assert line.read(IDS, protocol.POSITION, 2).lost == {2: 'garbled answer'}


def test_one_that_is_gone_silences_those_after_it(line, emulated):
    emulated.do('servo', servo_id=4, present=False)
    assert list(line.read(IDS, protocol.POSITION, 2).lost) == [4, 5, 6]


@pytest.mark.parametrize('late', [[1], IDS], ids=['one', 'all'])
@pytest.mark.parametrize('transactions', [1, 3])
def test_a_late_answer_is_never_taken_for_a_new_one(line, emulated, transactions, late):
    # It comes in the middle of a later transaction, in which there is no other one.
    emulated.fault('late', late, seconds=(transactions + 0.5) * PATIENCE, count=len(late))
    assert not set(late) & set(ticks(line))
    emulated.fault('lost', late)
    for servo_id in late:
        emulated.do('push', servo_id=servo_id, position=3000)
    for _ in range(transactions + 1):
        assert not set(late) & set(ticks(line))
    emulated.do('clear')
    assert ticks(line) == {**TICKS, **dict.fromkeys(late, 3000)}


class OldBytes:
    """A port that nobody is behind any more, with an answer to the first request still in it."""

    baud, latency = 1000000, 0.0

    def __init__(self):
        self.received = bytes.fromhex('ff ff 01 04 00 00 08 f2')

    def discard(self):
        self.received = b''

    def write(self, data):
        pass

    def read(self, deadline):
        received, self.received = self.received, b''
        return received


def test_what_was_received_before_a_request_is_no_answer_to_it():
    assert ticks(Transactions(OldBytes()), [1]) == {}


class Babble(OldBytes):
    """A line on which something comes all the time."""

    reads = 0

    def read(self, deadline):
        self.reads += 1
        assert self.reads < 1000000, 'goes on for ever'
        return b'\x55'


def test_a_line_that_never_falls_silent_is_left_at_the_deadline():
    assert Transactions(Babble()).read([1], protocol.POSITION, 2).lost == {1: 'garbled answer'}


def test_an_adapter_that_sends_back_what_it_sends_changes_nothing(line, emulated):
    emulated.fault('echoed')
    for _ in range(3):
        assert ticks(line) == TICKS
    emulated.fault('lost', [1])
    assert line.read(IDS, protocol.POSITION, 2).lost == {1: 'no answer'}


def test_a_servo_of_no_use_may_answer_too(line, emulated):
    emulated.fault('wrong_id', [3])
    assert list(line.read(IDS, protocol.POSITION, 2).lost) == [3]


def test_an_error_byte_comes_with_its_position(line, emulated):
    emulated.do('servo', servo_id=5, voltage=35)
    status = line.read(IDS, protocol.POSITION, 2).found[5]
    assert (status.error, frames.word(status.data)) == (1, TICKS[5])


def test_the_time_on_the_wire_is_that_of_the_bytes():
    # A request of 14 bytes, six answers of 8; six set-points in 26 bytes; ten bits each.
    assert read_duration(6, 2, 1000000) == pytest.approx(620e-6)
    assert write_duration(6, 2, 1000000) == pytest.approx(260e-6)
