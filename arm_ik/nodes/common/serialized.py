# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Messages of a stream as bytes (CDR): rclpy's conversions take longer than solving a target.

Strings and arrays begin with their count, and every value at a multiple of its size, counted from
behind the four bytes of the encapsulation header.
"""

from functools import lru_cache
from struct import pack, unpack_from
from types import SimpleNamespace

from geometry_msgs.msg import PoseStamped
from rclpy.serialization import deserialize_message

#: Encapsulation header of plain CDR, little-endian.
_LITTLE_ENDIAN = b'\0\1\0\0'


def pose_stamped(data):
    """
    Return what a PoseStamped has, from its bytes.

    :raises struct.error: if they end too early.
    """
    if data[:4] != _LITTLE_ENDIAN:
        return deserialize_message(data, PoseStamped)
    sec, nanosec, size = unpack_from('<iII', data, 4)
    x, y, z, qx, qy, qz, qw = unpack_from('<7d', data, 16 + size + (4 - size) % 8)
    return SimpleNamespace(
        header=SimpleNamespace(stamp=SimpleNamespace(sec=sec, nanosec=nanosec),
                               frame_id=data[16:15 + size].decode(errors='replace')),
        pose=SimpleNamespace(position=SimpleNamespace(x=x, y=y, z=z),
                             orientation=SimpleNamespace(x=qx, y=qy, z=qz, w=qw)))


def diagnostic_status(level, name, message, hardware_id, values):
    """Return the bytes of a DiagnosticStatus; its level is a byte, its values are a dict."""
    parts = [_LITTLE_ENDIAN, level, b'\0\0\0', _known(name), _text(message), _known(hardware_id),
             len(values).to_bytes(4, 'little')]
    for key, value in values.items():
        parts += _known(key), _text(str(value))
    return b''.join(parts)


def _text(text):
    data = text.encode()
    size = len(data) + 1
    return size.to_bytes(4, 'little') + data.ljust(size + -size % 4, b'\0')


#: For texts that come again and again.
_known = lru_cache(100)(_text)


def joint_state(stamp_ns, names, positions, velocities):
    """Return the bytes of a JointState: a stamp [ns], names, positions and velocities, or none."""
    data = b''.join([_LITTLE_ENDIAN, pack('<iI', *divmod(stamp_ns, 1_000_000_000)), _known(''),
                     pack('<I', len(names)), *map(_known, names)])
    for values in (positions, velocities, ()):
        gap = -len(data) % 8 if values else 0
        data += pack(f'<I{gap}x{len(values)}d', len(values), *values)
    return data
