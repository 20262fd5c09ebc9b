# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Forward kinematics of many joint vectors: :mod:`.forward` over arrays.

Joint vectors have the shape (joints, ...): one contiguous column for each joint, which avoids
strided access and stacking. :func:`forward` takes arrays in the user's layout.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .batch.columns import sine_and_cosine
from .batch.input import checked_array
from .forward import Geometry, ROLES
from .vectors import cross, dot


class Pose(NamedTuple):
    """
    Pose of ``tool0`` in ``base_link``.

    ``position`` (..., 3) [m]; ``up`` (..., 3), the unit vector along the last link; ``rotation``
    (..., 3, 3), whose columns are ``tool0``'s x, y and z (= up) axes.
    """

    position: NDArray[np.float64]
    up: NDArray[np.float64]
    rotation: NDArray[np.float64]


def forward(geometry: Geometry, q: ArrayLike) -> Pose:
    """
    Return the tool pose at joint positions.

    :param geometry: :class:`~arm_ik.kinematics.forward.Geometry` of the arm.
    :param q: joint positions [rad], shape ``(..., joints)``.
    :returns: :class:`Pose` with the same leading axes.
    :raises InvalidInputError: for a wrong last axis or non-finite positions.
    """
    joints = len(geometry.limits)
    q = np.asarray(checked_array('joint positions', q, joints,
                                 f'finite positions, shape (..., {joints})'), dtype=float)
    tool = tool_columns(geometry, np.moveaxis(q, -1, 0))
    position, up, x, y = [np.stack(vector, axis=-1) for vector in tool]
    return Pose(position, up, np.stack([x, y, up], axis=-1))


class ToolColumns(NamedTuple):
    """Tip [m] and axes of ``tool0`` in ``base_link``, each a triple of columns or ``None``."""

    tip: list
    up: list
    forward: list
    left: list


def canonical_columns(geometry, q):
    """Return the seven canonical angles [rad] in the order of ROLES, 0.0 for absent roles."""
    angles = dict.fromkeys(ROLES, 0.0)
    for role, limits, positions in zip(geometry.roles, geometry.limits, q):
        as_it_is = limits.sign == 1.0 and limits.offset == 0.0
        angles[role] = positions if as_it_is else limits.canonical(positions)
    return tuple(angles.values())


def tool_columns(geometry, q, with_forward=True):
    """
    Return the tool pose at joint positions.

    :param geometry: of the arm.
    :param q: positions [rad], shape (joints, ...).
    :param with_forward: whether forward and left are asked for; ``None`` otherwise.
    :returns: :class:`ToolColumns` whose columns have the rest of the shape.
    """
    yaw, roll, a1, elbow, wrist, tilt, wrist_roll = canonical_columns(geometry, q)
    (sy, cy), (sr, cr), (s1, c1), (s2, c2), (s3, c3), (st, ct) = map(
        sine_and_cosine, (yaw, roll, a1, a1 + elbow, a1 + elbow + wrist, tilt))
    r = geometry.shoulder_offset + geometry.l1 * c1 + geometry.l2 * c2
    z = geometry.l1 * s1 + geometry.l2 * s2
    f, n, h = (cy, sy, 0.0), (-sy, cy, 0.0), (0.0, 0.0, 1.0)
    if geometry.has_roll:
        n, h = (-sy * cr, cy * cr, sr), (sy * sr, -cy * sr, cr)
    along = up = [c3 * a + s3 * b for a, b in zip(f, h)]
    aside = n
    if geometry.has_tilt:
        up, aside = [[ct * a + st * b for a, b in zip(along, n)],
                     [ct * b - st * a for a, b in zip(along, n)]]
    base = geometry.base_x, geometry.base_y, geometry.base_height
    tip = [o + r * a + z * b + geometry.lateral * c + geometry.l3 * d
           for o, a, b, c, d in zip(base, f, h, n, up)]
    if not with_forward:
        return ToolColumns(tip, up, None, None)
    sw, cw = sine_and_cosine(wrist_roll)
    above = [c3 * b - s3 * a for a, b in zip(f, h)]
    return ToolColumns(tip, up, [sw * a - cw * b for a, b in zip(aside, above)],
                       [cw * a + sw * b for a, b in zip(aside, above)])


def residuals(at, position, u, forward):
    """
    Return how far tools are from targets, as :func:`.forward.residuals` does.

    :param at: :class:`ToolColumns`.
    :param position: tip targets in ``base_link`` [m], three columns.
    :param u: unit up vectors, three columns, or ``None``.
    :param forward: forward vectors, three columns, or ``None``.
    :returns: columns ``(position error [m], up error [rad], forward error [rad])``.
    """
    turned = up = np.zeros_like(at.tip[0])
    if u is not None:
        up = np.arctan2(_length(cross(at.up, u)), dot(at.up, u))
    if forward is not None:
        turned = np.abs(np.arctan2(dot(forward, at.left), dot(forward, at.forward)))
    return _length([a - b for a, b in zip(at.tip, position)]), up, turned


def _length(a):
    square = dot(a, a)
    return np.sqrt(square, out=square)
