# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
PoseStamped and JointState from and to the bytes that DDS sends: XCDR1, plain CDR.

::

    0      0x00, then 0 (big endian) or 1 (little endian); two bytes of options
    4      the body; every value aligned to its own size, counted from here
             string     uint32 length with the NUL that ends it, characters
             sequence   uint32 count, values

What fills the gaps is not zero, and serialisers that only estimate a message's size leave some
bytes behind its end. What comes in may be anything: no more is made of a count than there are
bytes for, and whatever does not fit raises one :class:`~arm_ik.errors.InvalidInputError`.
"""

from struct import error, Struct
from typing import NamedTuple

from ..errors import InvalidInputError

#: Bytes behind the end of a message that are passed over: what estimates of its size leave.
SLACK = 32

_BODY = 4
LITTLE_ENDIAN = b'\x00\x01'
_KINDS = {b'\x00\x00': '>', LITTLE_ENDIAN: '<'}
_STAMP = {order: Struct(f'{order}iII') for order in '<>'}  # and the length of frame_id
_POSE = {order: Struct(f'{order}3d4d') for order in '<>'}
_COUNT = {order: Struct(f'{order}I') for order in '<>'}


def read_pose(data):
    """
    Read a PoseStamped.

    :param data: bytes.
    :returns: ``((sec, nanosec), frame, (x, y, z), (qx, qy, qz, qw))``.
    :raises InvalidInputError: if it is none.
    """
    try:
        order = _KINDS[data[:2]]
        sec, nanosec, length = _STAMP[order].unpack_from(data, _BODY)
        end = 16 + length
        start = end + (_BODY - end) % 8
        x, y, z, qx, qy, qz, qw = _POSE[order].unpack_from(data, start)
        if start + 56 + SLACK < len(data):
            raise ValueError
        return (sec, nanosec), _text(data, 16, end), (x, y, z), (qx, qy, qz, qw)
    except (KeyError, ValueError, error, OverflowError):
        raise _wrong('PoseStamped', data) from None


class PoseLayout(NamedTuple):
    """
    Where everything stands in a little-endian PoseStamped of one frame, to read many of them.

    ``unpack`` gives ``(kind, sec, nanosec, frame, x, y, z, qx, qy, qz, qw)`` of bytes, or raises
    ``struct.error`` for too few; they are such a message if ``kind`` is :data:`LITTLE_ENDIAN`,
    ``frame`` the one here, and they are no more than ``longest``.
    """

    unpack: callable
    frame: bytes
    longest: int

    @classmethod
    def of(cls, frame):
        """Return the layout for a frame's name."""
        text = frame.encode() + b'\0'
        end = 16 + len(text)
        gap = (_BODY - end) % 8
        layout = Struct(f'<2s2xiI{4 + len(text)}s{gap}x7d')
        return cls(layout.unpack_from, _COUNT['<'].pack(len(text)) + text, layout.size + SLACK)


class JointStateReader:
    """
    Reads JointStates; quickest where a sender repeats its names.

    What comes before the positions is remembered, and not read again as long as it stays the same.
    """

    def __init__(self):
        self._names, self._start = b'', 0
        self._known = ()

    def read(self, data):
        """
        Read a JointState.

        :param data: bytes.
        :returns: ``(names, positions, velocities, efforts)``, tuples.
        :raises InvalidInputError: if it is none.
        """
        try:
            order = _KINDS[data[:2]]
            if not (self._names and data.startswith(self._names, 12)):
                self._remember(data, order)
            positions, at = _doubles(data, self._start, order)
            velocities, at = _doubles(data, at, order)
            efforts, at = _doubles(data, at, order)
            if at + SLACK < len(data):
                raise ValueError
            return self._known, positions, velocities, efforts
        except (KeyError, ValueError, error, OverflowError):
            raise _wrong('JointState', data) from None

    def _remember(self, data, order):
        self._names = b''
        length, = _COUNT[order].unpack_from(data, 12)
        at = 16 + length
        _text(data, 16, at)
        at += -at % 4
        count, = _COUNT[order].unpack_from(data, at)
        at += 4
        names = []
        for _ in range(count):
            at += -at % 4
            length, = _COUNT[order].unpack_from(data, at)
            names.append(_text(data, at + 4, at + 4 + length))
            at += 4 + length
        self._names, self._start = data[12:at], at
        self._known = tuple(names)


class JointStateWriter:
    """
    Writes JointStates that differ in their stamps and positions only.

    :param names: of the joints.
    """

    def __init__(self, names):
        frame_and_names = bytearray(b'\x01\0\0\0\0\0\0\0' + _COUNT['<'].pack(len(names)))
        for name in names:
            text = name.encode() + b'\0'
            frame_and_names += _COUNT['<'].pack(len(text)) + text
            frame_and_names += bytes(-len(frame_and_names) % 4)
        frame_and_names += _COUNT['<'].pack(len(names))
        # These follow the eight bytes of the stamp.
        frame_and_names += bytes(-len(frame_and_names) % 8 if names else 0)
        self._before = bytes(frame_and_names)
        self._pack = Struct(f'<4siI{len(frame_and_names)}s{len(names)}d8x').pack

    def write(self, stamp, positions):
        """
        Return the bytes of a JointState without velocities and efforts.

        :param stamp: ``(sec, nanosec)``.
        :param positions: [rad], one per name.
        """
        return self._pack(b'\x00\x01\x00\x00', *stamp, self._before, *positions)


def _doubles(data, at, order):
    """Return a sequence of doubles that starts at an offset, and the offset behind it."""
    at += -at % 4
    count, = _COUNT[order].unpack_from(data, at)
    at += 4
    if not count:
        return (), at
    at += (_BODY - at) % 8
    # Before it makes anything, unpack_from sees to it that all are there.
    return Struct(f'{order}{count}d').unpack_from(data, at), at + 8 * count


def _text(data, start, end):
    """Return the string whose characters, with the NUL, stand between two offsets."""
    if start == end:
        return ''
    if end > len(data) or data[end - 1]:
        raise ValueError
    # As rclpy reads it: a joint of somebody else's may be called anything.
    return data[start:end - 1].partition(b'\0')[0].decode('utf-8', 'replace')


def _wrong(kind, data):
    return InvalidInputError(f'serialized {kind}', bytes(data[:40]),
                             f'a whole one in plain CDR, and this of {len(data)} bytes is none')
