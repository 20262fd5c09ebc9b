# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The bytes of LX-16A servos; no port, no time.

Request and answer are framed alike, all numbers have the low byte first::

    55 55  id  length  command  data ...  checksum
    length = bytes of data + 3,  checksum = ~(id + length + ... + last of the data) & FF

An answer bears the id and the command that it answers, and has data where a request to read has
none: no request can be taken for an answer, though the adapter may send it back.

Source: LewanSoul, bus servo communication protocol.
"""

from functools import partial

from .. import frames
from ..frames import BROADCAST, frame, little, little_number, StatusPacket, take_frames

# What is read, with the bytes of its answer.
ID, OFFSET, LIMITS, VOLTAGE_LIMITS, TEMPERATURE_LIMIT = 14, 19, 21, 23, 25
TEMPERATURE, VOLTAGE, POSITION, MODE, LOADED, LED, ALARMS = 26, 27, 28, 30, 32, 34, 36
_BYTES = {ID: 1, OFFSET: 1, LIMITS: 4, VOLTAGE_LIMITS: 4, TEMPERATURE_LIMIT: 1, TEMPERATURE: 1,
          VOLTAGE: 2, POSITION: 2, MODE: 4, LOADED: 1, LED: 1, ALARMS: 1}

_MOVE, _SET_ID, _LOAD = 1, 13, 31

_HEADER = b'\x55\x55'
_frame = partial(frame, header=_HEADER, counted=3)

#: What bytes mean that may be negative: a position beyond the end is, an offset.
signed = partial(little_number, signed=True)

#: What an answer has around its data.
OVERHEAD = 6

#: The longest time of a move [ms].
LONGEST_MOVE = 30000


def ping():
    """Return the request that every servo answers, whoever it is."""
    return read(BROADCAST, ID)


def read(servo_id, command):
    """Return the request for what a command reads."""
    return _frame(servo_id, command)


def move(servo_id, tick, milliseconds):
    """
    Return the request to go to a tick.

    :param tick: from 0 to 1000, which are 240 degrees.
    :param milliseconds: how long the motion takes; the servo is not faster.
    """
    return _frame(servo_id, _MOVE, little(tick) + little(milliseconds))


def load(servo_id, on):
    """Return the request to switch the torque."""
    return _frame(servo_id, _LOAD, bytes((int(on),)))


def set_id(servo_id, new_id):
    """Return the request to have another id, for good."""
    return _frame(servo_id, _SET_ID, bytes((new_id,)))


def answer_size(command):
    """Return how many bytes the answer to a command is, all of it."""
    return OVERHEAD + _BYTES[command]


def take_answers(received, ids, command):
    """
    Take the answers awaited out of what has been received, as :func:`~.frames.take_frames`.

    :param received: ``bytearray``; what may be the beginning of an answer is left in it.
    :param ids: the servos whose answers are awaited.
    :param command: what they were asked.
    :returns: list of :class:`~.frames.StatusPacket`, and how many bytes were passed over.
    """
    size = answer_size(command)
    starts = tuple(_HEADER + bytes((servo_id, size - 3, command)) for servo_id in ids)
    found, passed = take_frames(received, size, lambda at: size * received.startswith(starts, at))
    return [StatusPacket(frame[2], 0, frame[5:-1]) for frame in found], passed


def whole_frames(data):
    """Return the whole frames in bytes, as :func:`arm_ik.bus.frames.whole_frames`."""
    return frames.whole_frames(data, _HEADER, lambda head: head[3] + 3)


def is_answer(frame, request):
    """Return whether a frame may answer a request, or none at all: commands may be corrupted."""
    return frame[4] == request[4] or len(frame) != OVERHEAD + _BYTES.get(frame[4], 0)
