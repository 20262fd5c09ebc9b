# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Bytes by hand: frames out, answers in, whatever stands around them."""

from arm_ik.drivers import frames
from arm_ik.drivers.feetech import protocol
from arm_ik.drivers.frames import Status, take_answers
from arm_ik.testing.servos import corrupted_frames
import pytest

# Answers of servos 1 and 2 to a read of two registers: 2048 and 1000.
ONE = bytes.fromhex('ff ff 01 04 00 00 08 f2')
TWO = bytes.fromhex('ff ff 02 04 00 e8 03 0e')
STATUS_ONE, STATUS_TWO = Status(1, 0, b'\x00\x08'), Status(2, 0, b'\xe8\x03')


def take(data, ids=(1, 2), length=2):
    return take_answers(bytearray(data), ids, length)[0]


def test_a_sync_read_asks_servos_for_registers():
    assert protocol.sync_read([1, 2], 56, 2) == bytes.fromhex('ff ff fe 06 82 38 02 01 02 3c')


def test_a_sync_write_gives_each_servo_its_own():
    request = frames.sync_write(42, {1: frames.two_bytes(2048), 2: frames.two_bytes(1000)})
    assert request == bytes.fromhex('ff ff fe 0a 83 2a 02 01 00 08 02 e8 03 52')


def test_answers_are_taken_in_the_order_they_come_in():
    assert take(TWO + ONE) == [STATUS_TWO, STATUS_ONE]


def test_an_error_byte_is_data_too():
    assert take(bytes.fromhex('ff ff 01 04 20 00 08 d2')) == [Status(1, 0x20, b'\x00\x08')]


@pytest.mark.parametrize('stray', [b'\x00', b'\xff', b'\xff\xff', b'\xff\xff\xff', b'\xff\xff\x01',
                                   b'\xff\xff\x01\x04', b'\xff\xff\x01\x04\x00', ONE[:-1]])
@pytest.mark.parametrize('place', [0, 1])
def test_stray_bytes_and_half_answers_take_no_whole_one_with_them(stray, place):
    data = (stray + ONE + TWO) if place == 0 else (ONE + stray + TWO)
    assert take(data) == [STATUS_ONE, STATUS_TWO]


@pytest.mark.parametrize('bit', range(8 * len(ONE)))
def test_no_answer_with_one_bit_wrong_is_taken(bit):
    data = bytearray(ONE)
    data[bit // 8] ^= 1 << bit % 8
    assert take(data + TWO) == [STATUS_TWO]


@pytest.mark.parametrize('size', range(len(ONE)))
def test_half_an_answer_is_left_for_what_comes_next(size):
    received = bytearray(ONE[:size])
    assert take_answers(received, (1, 2), 2)[0] == []
    received += ONE[size:]
    assert take_answers(received, (1, 2), 2)[0] == [STATUS_ONE]


def test_an_answer_nobody_waits_for_is_not_taken():
    assert take(ONE + TWO, ids=(2,)) == [STATUS_TWO]


def test_an_answer_of_another_length_is_not_taken():
    assert take(ONE + TWO, length=3) == []
    assert take(bytes.fromhex('ff ff 01 05 00 00 08 11 e0') + TWO) == [STATUS_TWO]


def test_what_belongs_to_no_answer_is_counted():
    assert take_answers(bytearray(b'\x01\x02\x03' + ONE), (1,), 2)[1] == 3


@pytest.mark.parametrize('ids', [[1], [1, 2, 3, 4, 5, 6], range(1, 120)])
@pytest.mark.parametrize('length', [2, 31, 40])
def test_the_echo_of_a_request_is_no_answer(ids, length):
    assert take(protocol.sync_read(ids, 56, length), ids, length) == []
    blocks = {servo_id: bytes(length) for servo_id in ids}
    if len(ids) * (length + 1) < 250:
        assert take(frames.sync_write(56, blocks), ids, length) == []


def test_the_echo_of_a_plain_read_would_be_an_answer():
    # This is why the requests are the two that they are.
    echo = bytes.fromhex('ff ff 01 04 02 38 02 be')
    assert take(echo) == [Status(1, 2, frames.two_bytes(568))]


@pytest.mark.parametrize('register, sign_bit, number', [
    (0x0000, 15, 0), (0x07FF, 15, 2047), (0x8001, 15, -1), (0x8FFF, 15, -4095),
    (0x0800 | 12, 11, -12), (2047, 11, 2047), (0x0400 | 500, 10, -500)])
def test_a_register_tells_its_sign_by_a_bit(register, sign_bit, number):
    assert frames.signed(register, sign_bit) == number


def test_a_register_has_its_low_byte_first():
    assert frames.two_bytes(0x0FA0) == b'\xa0\x0f'
    assert frames.word(b'\x11\xa0\x0f', 1) == 0x0FA0


def test_errors_have_names():
    assert protocol.flags(0) == ()
    assert protocol.flags(0x01) == ('voltage',)
    assert protocol.flags(0x24) == ('overheat', 'overload')


@pytest.mark.parametrize('way', corrupted_frames.WAYS)
def test_of_answers_hit_at_random_few_pass_the_checksum_and_fewer_are_believed(way):
    passed, believed, _ = corrupted_frames.count(5000, way)
    if way in ('one bit', 'one byte'):
        assert passed == 0
    assert passed < 100 and believed <= 0.6 * passed + 2
