# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The tool pose of many joint vectors, for judging batches: :mod:`..forward` over columns.

Joint vectors have the shape (joints, ...): one contiguous column for each joint, which avoids
strided access and stacking. :mod:`..pose` is for arrays in the user's layout.
"""

from typing import NamedTuple

import numpy as np

from .columns import sine_and_cosine
from ..forward import ROLES


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
    a2 = a1 + elbow
    a3 = a2 + wrist
    if geometry.upright and not with_forward:
        return _upright(geometry, yaw, a1, a2, a3)
    cy, sy, cr, sr = np.cos(yaw), np.sin(yaw), np.cos(roll), np.sin(roll)
    c3, s3, ct, st = np.cos(a3), np.sin(a3), np.cos(tilt), np.sin(tilt)
    r = geometry.shoulder_offset + geometry.l1 * np.cos(a1) + geometry.l2 * np.cos(a2)
    z = geometry.l1 * np.sin(a1) + geometry.l2 * np.sin(a2)
    f = cy, sy, 0.0
    n = -sy * cr, cy * cr, sr
    h = sy * sr, -cy * sr, cr
    along = [c3 * a + s3 * b for a, b in zip(f, h)]
    up = [ct * a + st * b for a, b in zip(along, n)]
    base = geometry.base_x, geometry.base_y, geometry.base_height
    tip = [o + r * a + z * b + geometry.lateral * c + geometry.l3 * d
           for o, a, b, c, d in zip(base, f, h, n, up)]
    if not with_forward:
        return ToolColumns(tip, up, None, None)
    cw, sw = np.cos(wrist_roll), np.sin(wrist_roll)
    above = [c3 * b - s3 * a for a, b in zip(f, h)]
    aside = [ct * b - st * a for a, b in zip(along, n)]
    return ToolColumns(tip, up, [sw * a - cw * b for a, b in zip(aside, above)],
                       [cw * a + sw * b for a, b in zip(aside, above)])


def _upright(geometry, yaw, a1, a2, a3):
    """Return tip and up vector in a vertical plane, where most terms vanish."""
    (sy, cy), (s1, c1), (s2, c2), (s3, c3) = map(sine_and_cosine, (yaw, a1, a2, a3))
    r = geometry.l1 * c1
    r += geometry.l2 * c2
    r += geometry.l3 * c3
    r += geometry.shoulder_offset
    z = geometry.l1 * s1
    z += geometry.l2 * s2
    z += geometry.l3 * s3
    tip = [r * cy, r * sy, z]
    if geometry.lateral:
        tip[0] -= geometry.lateral * sy
        tip[1] += geometry.lateral * cy
    for column, origin in zip(tip, (geometry.base_x, geometry.base_y, geometry.base_height)):
        if origin:
            column += origin
    return ToolColumns(tip, [c3 * cy, c3 * sy, s3], None, None)


def lowest(geometry, q):
    """Return the height in ``base_link`` of the lowest of elbow, wrist and tip [m]."""
    _, roll, a1, elbow, _, _, _ = canonical_columns(geometry, q)
    a2, cr = a1 + elbow, np.cos(roll)
    elbow_at = geometry.base_height + geometry.l1 * np.sin(a1) * cr
    wrist_at = elbow_at + geometry.l2 * np.sin(a2) * cr
    tip_at = tool_columns(geometry, q, with_forward=False).tip[2]
    return np.minimum(np.minimum(elbow_at, wrist_at), tip_at)


def residuals(at, position, u, forward):
    """
    Return how far tools are from targets, as :func:`..forward.residuals` does.

    :param at: :class:`ToolColumns`.
    :param position: tip targets in ``base_link`` [m], three columns.
    :param u: unit up vectors, three columns, or ``None``.
    :param forward: forward vectors, three columns, or ``None``.
    :returns: columns ``(position error [m], up error [rad], forward error [rad])``.
    """
    turned = up = np.zeros_like(at.tip[0])
    if u is not None:
        up = np.arctan2(*cross_and_dot(at.up, u))
    if forward is not None:
        turned = np.abs(np.arctan2(_dot(forward, at.left), _dot(forward, at.forward)))
    return distance(at.tip, position), up, turned


def distance(a, b):
    """Return the distances of points, three columns each [m]."""
    return _length([x - y for x, y in zip(a, b)])


def cross_and_dot(a, b):
    """Return the cross product's length and the dot product of vectors, three columns each."""
    (ax, ay, az), (bx, by, bz) = a, b
    return (_length([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]),
            ax * bx + ay * by + az * bz)


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _length(a):
    square = _dot(a, a)
    return np.sqrt(square, out=square)
