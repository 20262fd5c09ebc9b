# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
:mod:`..limits` and :mod:`..forward` over columns: arrays with one value per target.

Joint vectors have the shape (joints, ...): one contiguous column for each joint, which avoids
strided access and stacking. :mod:`..pose` is for arrays in the user's layout.
"""

from typing import NamedTuple

import numpy as np

from ..forward import ROLES
from ..limits import TURN
from ..tolerances import LIMIT_SLACK
from ..vectors import added, cross, dot


class JointColumns:
    """
    The positions of one joint over columns.

    :param limits: :class:`~arm_ik.kinematics.limits.JointLimits` of the joint.
    """

    def __init__(self, limits):
        self.limits = limits
        self._middle = 0.5 * (limits.lower + limits.upper)
        self._half = 0.5 * (limits.upper - limits.lower)
        self._wide = limits.upper - limits.lower + 2.0 * LIMIT_SLACK >= TURN
        self._plain = limits.sign == 1.0 and limits.offset == 0.0
        # Whether angles in [-pi, pi] ever have to be turned to be inside.
        apart = abs(self._middle + limits.sign * limits.offset)
        self._as_it_is = apart + self._half + LIMIT_SLACK <= np.pi

    def fitted(self, angle, near, principal=True):
        """
        Return the positions of angles least outside the limits, and of these nearest to ``near``.

        :param angle: canonical [rad].
        :param near: positions [rad].
        :param principal: whether all angles are within ``[-pi, pi]``.
        :returns: ``(positions, excess)`` [rad]; excess is how far they are outside the limits,
            negative inside.
        """
        limits = self.limits
        position = angle if self._plain else limits.sign * (angle - limits.offset)
        if self._wide:
            position = position + TURN * np.rint((self.clamped(near) - position) / TURN)
        elif not (principal and self._as_it_is):
            position = position + TURN * np.rint((self._middle - position) / TURN)
        excess = self._excess(position)
        if self._wide:
            rows = np.flatnonzero(excess > 0.0)
            if len(rows):
                position[rows] = _into(limits, position[rows])
                excess[rows] = self._excess(position[rows])
        return position, excess

    def clamped(self, position):
        """Return the positions inside the limits nearest to positions [rad]."""
        return np.minimum(np.maximum(position, self.limits.lower), self.limits.upper)

    def angle(self, position):
        """Return the canonical angles [rad] of positions [rad]."""
        return position if self._plain else self.limits.canonical(position)

    def _excess(self, position):
        away = position - self._middle
        np.abs(away, out=away)
        away -= self._half
        return away


def sine_and_cosine(angle):
    """
    Return sine and cosine of a column.

    One tangent costs numpy a fraction of the time of sine and cosine. With the half angle the
    result is exact to rounding for every angle: where the tangent is large, its square dominates
    the other terms.
    """
    t = np.tan(0.5 * angle)
    square = t * t
    scale = 1.0 / (1.0 + square)
    t *= scale
    square *= scale
    return t + t, scale - square


def wrapped(angle):
    """Return angles [rad] reduced by whole turns to ``[-pi, pi]``."""
    return angle - TURN * np.rint(angle / TURN)


def _into(limits, position):
    """Return positions turned into the limits by whole turns, as far as they can be."""
    lower, upper = limits.lower - LIMIT_SLACK, limits.upper + LIMIT_SLACK
    position = position + TURN * np.maximum(np.ceil((lower - position) / TURN), 0.0)
    return position - TURN * np.maximum(np.ceil((position - upper) / TURN), 0.0)


class ToolColumns(NamedTuple):
    """Tip [m] and axes of ``tool0`` in ``base_link``, each a triple of columns or ``None``."""

    tip: list
    up: list
    forward: list
    left: list


def canonical_columns(geometry, q):
    """Return the seven canonical angles [rad] in the order of ROLES, 0.0 for absent roles."""
    angles = {**dict.fromkeys(ROLES, 0.0), 'wrist_roll': geometry.turn}
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
    geometry = geometry.whole
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
    if not (with_forward or geometry.beside):
        return ToolColumns(tip, up, None, None)
    sw, cw = sine_and_cosine(wrist_roll)
    above = [c3 * b - s3 * a for a, b in zip(f, h)]
    forward = [sw * a - cw * b for a, b in zip(aside, above)]
    left = [cw * a + sw * b for a, b in zip(aside, above)]
    if geometry.beside:
        tip = added(tip, geometry.beside[0], forward, geometry.beside[1], left)
    return ToolColumns(tip, up, forward, left)


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
        up = np.arctan2(_length(cross(at.up, u)), dot(at.up, u))
    if forward is not None:
        turned = np.abs(np.arctan2(dot(forward, at.left), dot(forward, at.forward)))
    return _length([a - b for a, b in zip(at.tip, position)]), up, turned


def _length(a):
    square = dot(a, a)
    return np.sqrt(square, out=square)
