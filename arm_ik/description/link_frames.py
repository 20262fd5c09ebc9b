# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Where the links are, for programs that draw the arm without robot_state_publisher.

Rotations are unit quaternions ``(x, y, z, w)``, as in messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import cos, sin

from .urdf import Link
from .urdf_shapes import Point

#: x, y, z, w.
Quaternion = tuple[float, float, float, float]


def link_frames(links: Iterable[Link], positions: Mapping[str, float]
                ) -> dict[str, tuple[Point, Quaternion]]:
    """
    Return where each link is.

    :param links: from :func:`~arm_ik.description.urdf.links`.
    :param positions: of joints by name [rad, m]; the others are at 0.
    :returns: by link name, its origin in ``base_link`` [m] and its rotation.
    """
    frames: dict[str, tuple[Point, Quaternion]] = {'': ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))}
    for link in links:
        position = positions.get(link.joint.name, 0.0) if link.joint else 0.0
        slide = position if link.kind == 'prismatic' else 0.0
        turn = position if link.kind == 'revolute' else 0.0
        (x, y, z), (a, b, c) = link.xyz, link.axis
        frame = placed(frames[link.parent], (x + slide * a, y + slide * b, z + slide * c),
                       turned(link.rpy))
        frames[link.name] = placed(frame, (0.0, 0.0, 0.0), _about(link.axis, turn))
    del frames['']
    return frames


def placed(frame: tuple[Point, Quaternion], xyz: Point, rotation: Quaternion
           ) -> tuple[Point, Quaternion]:
    """
    Return in the base frame what is given in another frame.

    :param frame: origin [m] and rotation of the other frame.
    :param xyz: a point in it [m].
    :param rotation: in it.
    """
    (a, b, c), turn = frame
    x, y, z, w = _product(_product(turn, (*xyz, 0.0)), (-turn[0], -turn[1], -turn[2], turn[3]))
    return (a + x, b + y, c + z), _product(turn, rotation)


def turned(rpy: Point) -> Quaternion:
    """Return the rotation of turns about the fixed axes x, y and z [rad], in this order."""
    roll, pitch, yaw = rpy
    return _product(_product(_about((0.0, 0.0, 1.0), yaw), _about((0.0, 1.0, 0.0), pitch)),
                    _about((1.0, 0.0, 0.0), roll))


def _about(axis: Point, angle: float) -> Quaternion:
    x, y, z = axis
    s = sin(0.5 * angle)
    return s * x, s * y, s * z, cos(0.5 * angle)


def _product(p: Quaternion, q: Quaternion) -> Quaternion:
    a, b, c, d = p
    x, y, z, w = q
    return (d * x + a * w + b * z - c * y, d * y - a * z + b * w + c * x,
            d * z + a * y - b * x + c * w, d * w - a * x - b * y - c * z)
