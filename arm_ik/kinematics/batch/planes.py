# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The arm planes of many targets at once: :mod:`..arm_plane` over columns.

A column is an array with one value per target; vectors are triples of columns. Angles whose sine
and cosine follow from the target by algebra are never put through ``sin`` and ``cos``, which cost
more than all the rest. The planes come in the order of :mod:`..arm_plane`, for the first of equals
wins.

Targets near a degenerate one are marked as not ordinary and left to the scalar path, by a margin:
what is ordinary here is so there.
"""

from typing import NamedTuple

import numpy as np

#: Sines and lengths [m] below this are left to the scalar path: far above its own thresholds.
ORDINARY = 1e-5

#: A forward vector nearer to the last link than this sine turns it by rounding; scalar path again.
ASIDE = 1e-7

# Left normals n and -n, each with both signs of cos roll: yaw and yaw + pi, upright and over.
_HALF_TURNED = np.array([[1.0], [-1.0], [-1.0], [1.0]])
_OVERTURNED = np.array([[1.0], [-1.0], [1.0], [-1.0]])
_ROLLED_BACK = np.array([[1.0], [1.0], [-1.0], [-1.0]])


class Planes(NamedTuple):
    """
    Arm planes of n targets, k for each: the fields of :class:`~arm_ik.kinematics.arm_plane.Plane`.

    Arrays of shape (k, n); ``roll`` and ``tilt`` are ``None`` on arms without them. ``turn`` is
    the canonical wrist roll that serves the forward vectors, ``None`` without any.
    """

    yaw: np.ndarray
    roll: np.ndarray
    tilt: np.ndarray
    x: np.ndarray
    y: np.ndarray
    elevation: np.ndarray
    miss: np.ndarray
    turn: np.ndarray

    def at(self, rows):
        """Return the planes of some of the targets."""
        return Planes(*[None if field is None else field[:, rows] for field in self])


def planes_of(geometry, e, u, forward):
    """
    Return the arm planes of targets, and which of the targets are ordinary.

    :param geometry: of the arm.
    :param e: tip targets from S0 [m], three columns.
    :param u: unit up vectors, three columns.
    :param forward: unit forward vectors, three columns, or ``None``.
    :returns: ``(Planes, ordinary)``; ordinary a column of bool. Planes of other targets mean
        nothing.
    """
    if geometry.has_roll:
        planes, ordinary = _of_rolling_base(geometry, e, u, forward)
    elif geometry.has_tilt:
        planes, ordinary = _of_tilting_wrist(geometry, e, u, forward)
    else:
        planes, ordinary = _of_yaw_arm(geometry, e, u, forward)
    if planes.turn is not None:
        ordinary = ordinary & ~np.isnan(planes.turn).any(axis=0)
    return planes, ordinary


def _of_yaw_arm(geometry, e, u, forward):
    ex, ey, ez = e
    ux, uy, uz = u
    yaw, cy, sy, r, ordinary = _facing(geometry.lateral, ex, ey)
    along, aside = ux * cy + uy * sy, uy * cy - ux * sy
    k = np.sqrt(along * along + uz * uz)
    ce, se = along / k, uz / k
    x = r - geometry.shoulder_offset - geometry.l3 * ce
    y = ez - geometry.l3 * se
    turn = _turn(forward, (cy, sy), (1.0, 0.0), (ce, se), (1.0, 0.0))
    planes = Planes(yaw, None, None, x, y, np.arctan2(uz, along),
                    np.arctan2(np.abs(aside), k), turn)
    return planes, ordinary & (k > ORDINARY).all(axis=0)


def _of_rolling_base(geometry, e, u, forward):
    ux, uy, uz = u
    p = _wrist_of(geometry, e, u)
    n = _cross(p, u)
    length = _length(n)
    ordinary = length > ORDINARY
    n = [c / length for c in n]
    along_u = n[0] * ux + n[1] * uy + n[2] * uz
    n = [c - along_u * d for c, d in zip(n, u)]
    length = _length(n)
    nx, ny, nz = [c / length for c in n]
    level = np.sqrt(nx * nx + ny * ny)
    cos_yaw, sin_yaw = ny / level, -nx / level
    cy, sy = _HALF_TURNED * cos_yaw, _HALF_TURNED * sin_yaw
    cr, sr = _OVERTURNED * level, _ROLLED_BACK * nz
    u_along, p_along = [a * cos_yaw + b * sin_yaw for a, b, _ in (u, p)]
    u_above, p_above = [(a * sin_yaw - b * cos_yaw) * nz + c * level for a, b, c in (u, p)]
    ce, se = _HALF_TURNED * u_along, _OVERTURNED * u_above
    turn = _turn(forward, (cy, sy), (cr, sr), (ce, se), (1.0, 0.0))
    x = _HALF_TURNED * p_along - geometry.shoulder_offset
    y = _OVERTURNED * p_above
    planes = Planes(np.arctan2(sy, cy), np.arctan2(sr, cr), None, x, y, np.arctan2(se, ce),
                    np.zeros_like(x), turn)
    return planes, ordinary & (level > ORDINARY)


def _of_tilting_wrist(geometry, e, u, forward):
    ux, uy, uz = u
    px, py, pz = _wrist_of(geometry, e, u)
    yaw, cy, sy, r, ordinary = [
        np.repeat(a, 2, axis=0) if a.ndim == 2 else a
        for a in _facing(geometry.lateral, px, py)]
    along, aside = ux * cy + uy * sy, uy * cy - ux * sy
    k = np.sqrt(along * along + uz * uz)
    ct = _OVERTURNED * k
    ce, se = along / ct, uz / ct
    x = r - geometry.shoulder_offset
    turn = _turn(forward, (cy, sy), (1.0, 0.0), (ce, se), (ct, aside))
    planes = Planes(yaw, None, np.arctan2(aside, ct), x, np.broadcast_to(pz, x.shape),
                    np.arctan2(_OVERTURNED * uz, _OVERTURNED * along), np.zeros_like(x), turn)
    return planes, ordinary & (k > ORDINARY).all(axis=0)


def _facing(lateral, x, y):
    """
    Return the yaws whose vertical arm plane contains (x, y), facing it and over the back.

    :returns: ``(yaw, cos yaw, sin yaw, r, ordinary)``, arrays (2, n) and r the way to (x, y) along
        forward [m]; the last a column of bool.
    """
    rho_squared = x * x + y * y
    r_squared = rho_squared - lateral * lateral
    r = np.sqrt(r_squared)
    r = np.stack([r, -r])
    c, s = x * r + y * lateral, y * r - x * lateral
    ordinary = r_squared > ORDINARY ** 2
    return np.arctan2(s, c), c / rho_squared, s / rho_squared, r, ordinary


def _turn(forward, yaw, roll, elevation, tilt):
    """Return the canonical wrist roll of forward vectors, NaN where they leave it to rounding."""
    if forward is None:
        return None
    (fx, fy, fz), (cy, sy), (cr, sr), (ce, se), (ct, st) = forward, yaw, roll, elevation, tilt
    along_f = fx * cy + fy * sy
    along_h = (fx * sy - fy * cy) * sr + fz * cr
    along_n = (fy * cy - fx * sy) * cr + fz * sr
    x = se * along_f - ce * along_h
    y = ct * along_n - st * (ce * along_f + se * along_h)
    return np.where(x * x + y * y > ASIDE ** 2, np.arctan2(y, x), np.nan)


def _wrist_of(geometry, e, u):
    return [a - geometry.l3 * b for a, b in zip(e, u)]


def _cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _length(a):
    return np.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
