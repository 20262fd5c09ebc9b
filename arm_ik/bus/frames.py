# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The frames of Feetech servos and of Dynamixel's protocol 1.0; no port, no time.

Request and answer are framed alike, all numbers have the low byte first::

    FF FF  id  length  instruction or error  data ...  checksum
    length = bytes of data + 2,  checksum = ~(id + length + ... + last of the data) & FF

*Sync write* gives each of several servos a block of registers of its own, and none answers. It
goes to the broadcast id, which no answer comes from: where the adapter sends back what it sends,
the echo can not be taken for an answer. (That of a plain read can: ``FF FF 01 04 02 38 02 BE`` is
also what servo 1 answers to a read of two registers that hold 568.)

Source: ROBOTIS e-Manual, Protocol 1.0; Feetech's protocol manual.
"""

from typing import NamedTuple

BROADCAST = 0xFE
PING, SYNC_WRITE = 0x01, 0x83

#: Around a block of data in an answer: FF FF id length error ... checksum.
OVERHEAD = 6


class StatusPacket(NamedTuple):
    """One servo's answer: its id, the bits of its error byte (if it has one), its data."""

    id: int  # noqa: A003
    error: int
    data: bytes


def frame(servo_id, instruction, data=b'', header=b'\xff\xff', counted=2):
    """
    Return a request.

    :param servo_id: who it is for.
    :param instruction: its number.
    :param data: bytes.
    :param header: what it begins with.
    :param counted: how many bytes more than the data its length counts.
    """
    body = bytes((servo_id, len(data) + counted, instruction)) + data
    return header + body + bytes((checksum(body),))


def ping():
    """Return the request that every servo answers, whoever it is."""
    return frame(BROADCAST, PING)


def sync_write(address, blocks, framed=frame, size=1):
    """
    Return the request that writes blocks of registers.

    :param address: the first register.
    :param blocks: mapping from id to bytes, of the same number for each.
    :param framed: function that makes a request, as :func:`frame`.
    :param size: of the address and of the blocks' length, in bytes.
    """
    length = len(next(iter(blocks.values())))
    data = b''.join(bytes((servo_id,)) + block for servo_id, block in blocks.items())
    return framed(BROADCAST, SYNC_WRITE, little(address, size) + little(length, size) + data)


def take_answers(received, ids, length):
    """
    Take the answers awaited out of what has been received, as :func:`take_frames`.

    :param received: ``bytearray``; what may be the beginning of an answer is left in it.
    :param ids: the servos whose answers are awaited.
    :param length: bytes of data in each.
    :returns: list of :class:`StatusPacket`, and how many bytes were passed over.
    """
    size = length + OVERHEAD
    starts = tuple(b'\xff\xff' + bytes((servo_id, length + 2)) for servo_id in ids)
    found, passed = take_frames(received, size, lambda at: size * received.startswith(starts, at))
    return [StatusPacket(frame[2], frame[4], frame[5:-1]) for frame in found], passed


def is_right(frame):
    """Return whether the checksum of a frame is."""
    return checksum(frame[2:-1]) == frame[-1]


def take_frames(received, least, size_at, is_right=is_right):
    """
    Take the frames awaited out of what has been received.

    Bytes that belong to none are passed over one by one: a stray byte, or half a frame, takes no
    whole one with it.

    :param received: ``bytearray``; what may be the beginning of a frame is left in it.
    :param least: bytes of the shortest one.
    :param size_at: function of a place: the size of the frame that begins there, 0: none awaited.
    :param is_right: function of the bytes of one, whether its check is.
    :returns: list of the frames, and how many bytes were passed over.
    """
    found, passed, start = [], 0, 0
    while len(received) - start >= least:
        size = size_at(start)
        if len(received) - start < size:
            break       # more of it may come
        frame = bytes(received[start:start + size])
        if size and is_right(frame):
            found.append(frame)
            start += size
        else:
            start += 1
            passed += 1
    del received[:start]
    return found, passed


def whole_frames(data, header=b'\xff\xff', size_at=lambda head: head[3] + 4, is_right=is_right):
    """
    Return the whole frames in bytes, but those that garbage follows.

    A bit that has flipped in a length can make a frame of a part of one.
    """
    found, start = [], data.find(header)
    while start >= 0:
        end = start + size_at(data[start:].ljust(7))
        is_whole = start + OVERHEAD <= end <= len(data) and is_right(data[start:end]) \
            and data[end:end + 2] in (b'', header[:2])
        if is_whole:
            found.append(data[start:end])
        start = data.find(header, end if is_whole else start + 1)
    return found


def is_answer(frame, request):
    """Return whether a frame may answer a request: a read of as many registers, or not heard."""
    size = len(frame) - OVERHEAD
    return request[4] != SYNC_WRITE and size == request[6] or not size and frame[4] > 0


def checksum(body):
    """Return the byte that ends a frame with that body, from its id on."""
    return ~sum(body) & 0xFF


def word(data, index=0):
    """Return two bytes as a number."""
    return little_number(data[index:index + 2])


def little(number, size=2):
    """Return a number as bytes, negative ones as their two's complement."""
    return number.to_bytes(size, 'little', signed=number < 0)


def little_number(data, signed=False):
    """Return what bytes mean."""
    return int.from_bytes(data, 'little', signed=signed)


def signed(number, sign_bit):
    """Return what a register means whose sign is in a bit of its own."""
    return -(number & ~(1 << sign_bit)) if number >> sign_bit & 1 else number
