# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Bytes of protocol 2.0 by hand: frames out, answers in, whatever stands around them."""

from arm_ik.drivers.dynamixel import protocol2
from arm_ik.drivers.dynamixel.protocol2 import Status, take_answers
from arm_ik.testing.servos import corrupted_frames, dxl_servos
import pytest

# The manual's answer of servo 1 to a read of four registers, 166; and one of servo 2, 2048.
ONE = bytes.fromhex('ff ff fd 00 01 08 00 55 00 a6 00 00 00 8c c0')
TWO = dxl_servos.frame(2, 0x55, bytes.fromhex('00 00 08 00 00'))
STATUS_ONE, STATUS_TWO = Status(1, 0, b'\xa6\0\0\0'), Status(2, 0, b'\0\x08\0\0')

#: Data that is stuffed, in the middle, at the end, and twice.
STUFFED = [bytes.fromhex(data) for data in (
    'ff ff fd 00', '00 ff ff fd', 'ff ff fd ff ff fd 01 02', 'ff ff ff fd', 'ff ff fd fd')]


def take(data, ids=(1, 2), length=4):
    return take_answers(bytearray(data), ids, length)[0]


def test_the_check_of_a_frame_is_that_of_the_manual():
    ping = bytes.fromhex('ff ff fd 00 01 03 00 01')
    assert protocol2.crc(ping) == 0x4E19
    assert protocol2.crc(ONE[:-2]) == 0xC08C


def test_a_sync_read_asks_servos_for_registers():
    request = protocol2.sync_read([1, 2], 132, 4)
    assert request[:-2] == bytes.fromhex('ff ff fd 00 fe 09 00 82 84 00 04 00 01 02')
    assert request[-2:] == protocol2.crc(request[:-2]).to_bytes(2, 'little')


def test_a_sync_write_gives_each_servo_its_own():
    request = protocol2.sync_write(116, {1: protocol2.little(150, 4), 2: protocol2.little(-2, 4)})
    assert request[:-2] == bytes.fromhex(
        'ff ff fd 00 fe 11 00 83 74 00 04 00 01 96 00 00 00 02 fe ff ff ff')


def test_a_reboot_is_for_one_servo():
    # The manual's example.
    assert protocol2.reboot(1) == bytes.fromhex('ff ff fd 00 01 03 00 08 2f 4e')


def test_answers_are_taken_in_the_order_they_come_in():
    assert take(TWO + ONE) == [STATUS_TWO, STATUS_ONE]


def test_an_error_byte_is_data_too():
    assert take(dxl_servos.frame(1, 0x55, b'\x80\1\2\3\4')) == [Status(1, 0x80, b'\1\2\3\4')]


@pytest.mark.parametrize('data', STUFFED)
def test_data_that_looks_like_a_beginning_is_stuffed_both_ways(data):
    answer = dxl_servos.frame(1, 0x55, b'\0' + data)
    assert take(answer + TWO, length=len(data))[0] == Status(1, 0, data)
    request = protocol2.sync_write(116, {1: data})
    assert dxl_servos.written(request) == (116, {1: data})


@pytest.mark.parametrize('stray', [b'\x00', b'\xff', b'\xff\xff\xfd', b'\xff\xff\xfd\x00',
                                   b'\xff\xff\xfd\x00\x01', ONE[:7], ONE[:8], ONE[:-1],
                                   bytes.fromhex('ff ff fd 00 01 0a 00 55')])
@pytest.mark.parametrize('place', [0, 1])
def test_stray_bytes_and_half_answers_take_no_whole_one_with_them(stray, place):
    data = (stray + ONE + TWO) if place == 0 else (ONE + stray + TWO)
    assert take(data) == [STATUS_ONE, STATUS_TWO]


@pytest.mark.parametrize('bit', range(8 * len(ONE)))
def test_no_answer_with_one_bit_wrong_is_taken(bit):
    data = bytearray(ONE)
    data[bit // 8] ^= 1 << bit % 8
    assert take(data + TWO) == [STATUS_TWO]


@pytest.mark.parametrize('whole, status', [(ONE, STATUS_ONE), (dxl_servos.frame(
    1, 0x55, b'\0\xff\xff\xfd\0'), Status(1, 0, b'\xff\xff\xfd\0'))])
def test_half_an_answer_is_left_for_what_comes_next(whole, status):
    for size in range(len(whole)):
        received = bytearray(whole[:size])
        assert take_answers(received, (1, 2), 4)[0] == []
        received += whole[size:]
        assert take_answers(received, (1, 2), 4)[0] == [status]


def test_an_answer_nobody_waits_for_is_not_taken():
    assert take(ONE + TWO, ids=(2,)) == [STATUS_TWO]


@pytest.mark.parametrize('length', [3, 5, 6, 21])
def test_an_answer_of_another_length_is_not_taken(length):
    assert take(ONE + TWO + bytes(40), length=length) == []


def test_what_belongs_to_no_answer_is_counted():
    assert take_answers(bytearray(b'\x01\x02\x03' + ONE), (1,), 4)[1] == 3


@pytest.mark.parametrize('ids', [[1], [1, 2, 3, 4, 5, 6], range(1, 120)])
@pytest.mark.parametrize('length', [1, 4, 27])
def test_the_echo_of_a_request_is_no_answer(ids, length):
    assert take(protocol2.sync_read(ids, 132, length), ids, length) == []
    blocks = {servo_id: bytes(length) for servo_id in ids}
    assert take(protocol2.sync_write(116, blocks), ids, length) == []


@pytest.mark.parametrize('number, size', [(0, 2), (-1, 2), (2047, 4), (-4095, 4), (255, 1)])
def test_a_number_comes_back(number, size):
    assert protocol2.little_number(protocol2.little(number, size), number < 0) == number


@pytest.mark.parametrize('way', corrupted_frames.WAYS)
def test_of_answers_hit_at_random_next_to_none_passes_the_check(way):
    passed, believed, _ = corrupted_frames.count(2000, way, 'dynamixel2')
    assert passed <= (way not in ('one bit', 'two bits', 'one byte')) and believed == 0
