# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.


"""Bytes by hand, on the bus of Feetech servos and by protocol 2.0: frames out, answers in."""

from types import SimpleNamespace

from arm_ik.bus import frames
from arm_ik.bus.dynamixel import protocol2
from arm_ik.bus.feetech import FeetechLine
from arm_ik.testing.servos import corrupted_frames, dxl_servos
import pytest


def answer2(servo_id, data):
    return dxl_servos.frame(servo_id, 0x55, data)


FEETECH = SimpleNamespace(
    one=bytes.fromhex('ff ff 01 04 00 00 08 f2'), two=bytes.fromhex('ff ff 02 04 00 e8 03 0e'),
    data=(b'\x00\x08', b'\xe8\x03'), take=frames.take_answers,
    stray=('00', 'ff', 'ff ff', 'ff ff ff', 'ff ff 01', 'ff ff 01 04', 'ff ff 01 04 00',
           'ff ff 01 04 00 00 08'),
    other_lengths=(1, 3), complaint=(bytes.fromhex('ff ff 01 04 20 00 08 d2'), 0x20),
    read=lambda ids, length: FeetechLine.question(ids, (56, length)).request,
    write=lambda blocks: frames.sync_write(56, blocks), longest=250)
PROTOCOL2 = SimpleNamespace(
    one=bytes.fromhex('ff ff fd 00 01 08 00 55 00 a6 00 00 00 8c c0'),
    two=answer2(2, bytes.fromhex('00 00 08 00 00')),
    data=(b'\xa6\0\0\0', b'\0\x08\0\0'), take=protocol2.take_answers,
    stray=('00', 'ff', 'ff ff fd', 'ff ff fd 00', 'ff ff fd 00 01', 'ff ff fd 00 01 08 00',
           'ff ff fd 00 01 08 00 55', 'ff ff fd 00 01 08 00 55 00 a6 00 00 00 8c',
           'ff ff fd 00 01 0a 00 55'),
    other_lengths=(3, 5, 6, 21), complaint=(answer2(1, b'\x80\xa6\0\0\0'), 0x80),
    read=lambda ids, length: protocol2.sync_read(ids, 132, length),
    write=lambda blocks: protocol2.sync_write(116, blocks), longest=65000)


@pytest.fixture(params=[FEETECH, PROTOCOL2], ids=['feetech', 'protocol 2.0'])
def wire(request):
    """Return a protocol, two answers, and what they say."""
    return request.param


@pytest.fixture
def take(wire):
    """Return a function that returns what is taken out of bytes: id, error and data of each."""
    return lambda data, ids=(1, 2), length=None: [
        tuple(status) for status in
        wire.take(bytearray(data), ids, len(wire.data[0]) if length is None else length)[0]]


@pytest.fixture
def said(wire):
    return [(number, 0, data) for number, data in enumerate(wire.data, start=1)]


def test_answers_are_taken_in_the_order_they_come_in(wire, take, said):
    assert take(wire.two + wire.one) == said[::-1]


def test_an_error_byte_is_data_too(wire, take):
    frame, error = wire.complaint
    assert take(frame) == [(1, error, wire.data[0])]


@pytest.mark.parametrize('place', [0, 1])
def test_stray_bytes_and_half_answers_take_no_whole_one_with_them(wire, take, said, place):
    for stray in map(bytes.fromhex, wire.stray):
        pieces = [wire.one, wire.two]
        pieces.insert(place, stray)
        assert take(b''.join(pieces)) == said, stray


def test_no_answer_with_one_bit_wrong_is_taken(wire, take, said):
    for bit in range(8 * len(wire.one)):
        data = bytearray(wire.one)
        data[bit // 8] ^= 1 << bit % 8
        assert take(data + wire.two) == said[1:], bit


@pytest.mark.parametrize('wire, whole, data', [
    (FEETECH, FEETECH.one, FEETECH.data[0]), (PROTOCOL2, PROTOCOL2.one, PROTOCOL2.data[0]),
    (PROTOCOL2, answer2(1, b'\0\xff\xff\xfd\0'), b'\xff\xff\xfd\0')])
def test_half_an_answer_is_left_for_what_comes_next(wire, whole, data):
    for size in range(len(whole)):
        received = bytearray(whole[:size])
        assert wire.take(received, (1, 2), len(data))[0] == []
        received += whole[size:]
        assert wire.take(received, (1, 2), len(data))[0] == [(1, 0, data)]


def test_an_answer_nobody_waits_for_or_of_another_length_is_not_taken(wire, take, said):
    assert take(wire.one + wire.two, ids=(2,)) == said[1:]
    for length in wire.other_lengths:
        assert take(wire.one + wire.two + bytes(40), length=length) == [], length


def test_a_length_that_its_bytes_belie_is_no_answer():
    data = bytes.fromhex('ff ff 01 05 00 00 08 11 e0') + FEETECH.two
    assert FEETECH.take(bytearray(data), (1, 2), 2)[0] == [(2, 0, FEETECH.data[1])]


def test_what_belongs_to_no_answer_is_counted(wire):
    assert wire.take(bytearray(b'\x01\x02\x03' + wire.one), (1,), len(wire.data[0]))[1] == 3


@pytest.mark.parametrize('ids', [[1], [1, 2, 3, 4, 5, 6], range(1, 120)])
@pytest.mark.parametrize('length', [1, 2, 4, 27, 31, 40])
def test_the_echo_of_a_request_is_no_answer(wire, take, ids, length):
    assert take(wire.read(ids, length), ids, length) == []
    if len(ids) * (length + 1) < wire.longest:
        assert take(wire.write({servo_id: bytes(length) for servo_id in ids}), ids, length) == []


def test_the_echo_of_a_plain_read_would_be_an_answer():
    # This is why the requests are the two that they are.
    echo = bytes.fromhex('ff ff 01 04 02 38 02 be')
    assert frames.take_answers(bytearray(echo), (1, 2), 2)[0] == [(1, 2, frames.little(568))]


def test_requests_to_feetech_servos():
    assert FEETECH.read([1, 2], 2) == bytes.fromhex('ff ff fe 06 82 38 02 01 02 3c')
    assert FeetechLine.goals({1: 2048, 2: 1000}) == bytes.fromhex(
        'ff ff fe 0a 83 2a 02 01 00 08 02 e8 03 52')


def test_requests_by_protocol_2():
    request = protocol2.sync_read([1, 2], 132, 4)
    assert request[:-2] == bytes.fromhex('ff ff fd 00 fe 09 00 82 84 00 04 00 01 02')
    assert request[-2:] == protocol2.crc(request[:-2]).to_bytes(2, 'little')
    assert protocol2.sync_write(
        116, {1: frames.little(150, 4), 2: frames.little(-2, 4)})[:-2] == bytes.fromhex(
        'ff ff fd 00 fe 11 00 83 74 00 04 00 01 96 00 00 00 02 fe ff ff ff')
    # The manual's example.
    assert protocol2.reboot(1) == bytes.fromhex('ff ff fd 00 01 03 00 08 2f 4e')


def test_the_check_of_a_frame_is_that_of_the_manual():
    assert protocol2.crc(bytes.fromhex('ff ff fd 00 01 03 00 01')) == 0x4E19
    assert protocol2.crc(PROTOCOL2.one[:-2]) == 0xC08C


@pytest.mark.parametrize('data', [
    'ff ff fd 00', '00 ff ff fd', 'ff ff fd ff ff fd 01 02', 'ff ff ff fd', 'ff ff fd fd'])
def test_data_that_looks_like_a_beginning_is_stuffed_both_ways(data):
    data = bytes.fromhex(data)
    received = bytearray(answer2(1, b'\0' + data) + PROTOCOL2.two)
    assert protocol2.take_answers(received, (1, 2), len(data))[0][0] == (1, 0, data)
    assert dxl_servos.written(protocol2.sync_write(116, {1: data})) == (116, {1: data})


@pytest.mark.parametrize('register, sign_bit, number', [
    (0x0000, 15, 0), (0x07FF, 15, 2047), (0x8001, 15, -1), (0x8FFF, 15, -4095),
    (0x0800 | 12, 11, -12), (2047, 11, 2047), (0x0400 | 500, 10, -500)])
def test_a_register_tells_its_sign_by_a_bit(register, sign_bit, number):
    assert frames.signed(register, sign_bit) == number


def test_a_register_has_its_low_byte_first():
    assert frames.little(0x0FA0) == b'\xa0\x0f'
    assert frames.word(b'\x11\xa0\x0f', 1) == 0x0FA0


@pytest.mark.parametrize('number, size', [(0, 2), (-1, 2), (2047, 4), (-4095, 4), (255, 1)])
def test_a_number_comes_back(number, size):
    assert frames.little_number(frames.little(number, size), number < 0) == number


@pytest.mark.parametrize('way', corrupted_frames.FAULTS)
@pytest.mark.parametrize('codec, most, slack', [('feetech', 100, 2), ('lx16a', 100, 0),
                                                ('dynamixel2', 2, 0)])
def test_of_answers_hit_at_random_few_pass_the_check_and_fewer_are_believed(
        codec, most, slack, way):
    number = 2000 if codec == 'dynamixel2' else 5000
    passed, believed, _ = corrupted_frames.count(number, way, codec)
    never = ('one bit', 'one byte', *(('two bits',) if codec == 'dynamixel2' else ()))
    assert passed < (1 if way in never else most)
    assert believed <= (0 if codec == 'dynamixel2' else 0.6 * passed + slack)
