# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The bytes of Dynamixel's protocol 2.0; no port, no time.

All numbers have the low byte first::

    FF FF FD 00  id  length  instruction  parameters ...  CRC
    FF FF FD 00  id  length  55  error  data ...  CRC           (an answer)
    length (2 bytes) = all that follows it,  CRC = CRC-16/BUYPASS of all before it

FF FF FD within instruction, parameters and data is followed by one more FD, so that it is no
beginning: *byte stuffing*. Answers have an instruction of their own: an adapter that sends back
what it sends says nothing that could be taken for one.

Source: ROBOTIS e-Manual, Protocol 2.0.
"""

from functools import partial

from .. import frames
from ..frames import BROADCAST, little, little_number, PING, StatusPacket, SYNC_WRITE

SYNC_READ, REBOOT, _STATUS = 0x82, 0x08, 0x55

#: In the error byte: the servo has shut something down, its register of errors says what.
ALERT = 0x80

#: Around a block of data in an answer: header, id, length, instruction, error, CRC.
OVERHEAD = 11

_HEADER = b'\xff\xff\xfd\x00'
_START, _STUFFED = b'\xff\xff\xfd', b'\xff\xff\xfd\xfd'

#: Bytes before those that a length counts.
_BEFORE = 7


def ping():
    """Return the request that every servo answers, one after the other."""
    return _frame(BROADCAST, PING, b'')


def sync_read(ids, address, length):
    """
    Return the request for a block of registers.

    :param ids: the servos, in the order in which they answer.
    :param address: the first register.
    :param length: how many.
    """
    return _frame(BROADCAST, SYNC_READ, little(address) + little(length) + bytes(ids))


def reboot(servo_id):
    """Return the request that has a servo begin as after its power has come."""
    return _frame(servo_id, REBOOT, b'')


def take_answers(received, ids, length):
    """
    Take the answers awaited out of what has been received, as :func:`~.frames.take_frames`.

    :param received: ``bytearray``; what may be the beginning of an answer is left in it.
    :param ids: the servos whose answers are awaited.
    :param length: bytes of data in each.
    :returns: list of :class:`~.frames.StatusPacket`, and how many bytes were passed over.
    """
    starts = tuple(_HEADER + bytes((servo_id,)) for servo_id in ids)
    least = length + OVERHEAD

    def size_at(at):
        size = little_number(received[at + 5:at + _BEFORE]) + _BEFORE
        is_awaited = received.startswith(starts, at) and received[at + _BEFORE] == _STATUS
        return size if is_awaited and least <= size <= least + (length + 2) // 3 else 0

    found, passed = frames.take_frames(
        received, least, size_at, lambda each: _is_right(each) and len(_data(each)) == length + 1)
    return [StatusPacket(frame[4], _data(frame)[0], _data(frame)[1:]) for frame in found], passed


def whole_frames(data):
    """Return the whole frames in bytes, as :func:`arm_ik.bus.frames.whole_frames`."""
    return frames.whole_frames(
        data, _HEADER, lambda head: little_number(head[5:_BEFORE]) + _BEFORE,
        lambda frame: len(frame) > OVERHEAD - 2 and _is_right(frame))


def is_answer(frame, request):
    """Return whether a frame may answer a request: a read of as many registers, or not taken."""
    data = _data(frame)
    return frame[_BEFORE] == _STATUS and (
        len(data) == 1 and data[0] > 0 or request[_BEFORE] != SYNC_WRITE
        and len(data) == little_number(request[10:-2][:2]) + 1)


def _is_right(frame):
    return crc(frame[:-2]) == little_number(frame[-2:])


def _data(frame):
    """Return what follows the instruction."""
    return frame[_BEFORE + 1:-2].replace(_STUFFED, _START)


def _frame(servo_id, instruction, parameters):
    body = (bytes((instruction,)) + parameters).replace(_START, _STUFFED)
    frame = _HEADER + bytes((servo_id,)) + little(len(body) + 2) + body
    return frame + little(crc(frame))


#: As :func:`arm_ik.bus.frames.sync_write`.
sync_write = partial(frames.sync_write, framed=_frame, size=2)


def crc(data):
    """Return the CRC-16 of bytes: polynomial 8005, from 0, the high bit first."""
    value = 0
    for byte in data:
        value = (value << 8 & 0xFFFF) ^ _CRC_OF[value >> 8 ^ byte]
    return value


def _crc_of(byte):
    value = byte << 8
    for _ in range(8):
        value = value << 1 ^ (0x18005 if value & 0x8000 else 0)
    return value


_CRC_OF = tuple(map(_crc_of, range(256)))
