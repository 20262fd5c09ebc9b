# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The arm planes of many targets at once, and the branches in them.

This is :mod:`..arm_plane` and :mod:`..branch` over columns.

A column is an array with one value per target; vectors are triples of columns. Where sine and
cosine of an angle follow from the target by algebra, ``sin`` and ``cos`` are not called: they cost
more than all the rest. The planes have the order of :mod:`..arm_plane`, because the first of
equals wins.

Targets near a degenerate one are marked as not ordinary and left to the scalar path. The
thresholds here have a margin, so every target that is ordinary here is not degenerate there.
"""

from typing import NamedTuple

import numpy as np

from .columns import solve_triangle
from ..limits import LIMIT_SLACK

#: Sines and lengths [m] below this are left to the scalar path: far above its own thresholds.
ORDINARY = 1e-5

#: A forward vector nearer to the last link than this sine is left to the scalar path, too.
ASIDE = 1e-7

# Left normals n and -n, each with both signs of cos roll: yaw and yaw + pi, upright and over.
_HALF_TURNED = np.array([[1.0], [-1.0], [-1.0], [1.0]])
_OVERTURNED = np.array([[1.0], [-1.0], [1.0], [-1.0]])
_ROLLED_BACK = np.array([[1.0], [1.0], [-1.0], [-1.0]])

#: Cosine and sine of the roll and the tilt of arms without them.
UPRIGHT = (1.0, 0.0)


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
    turn: np.ndarray | None = None


class Branch(NamedTuple):
    """
    One bend of the elbow in one arm plane of each of n targets.

    ``q``: positions [rad] inside the limits, a column for each joint but the wrist roll;
    ``excess``: how far the branch is outside the limits [rad] or, in parts of the arm's length,
    out of reach; negative inside, ``LIMIT_SLACK`` or less where it serves. ``plane``: fields of
    the :class:`Planes`, one column each.
    """

    plane: Planes
    q: list
    excess: np.ndarray


def planes_of(geometry, e, u, forward):
    """
    Return the arm planes of targets, and which of the targets are ordinary.

    :param geometry: of the arm.
    :param e: tip targets from S0 [m], three columns.
    :param u: unit up vectors, three columns.
    :param forward: unit forward vectors, three columns, or ``None``.
    :returns: ``(Planes, ordinary)``; ordinary a column of bool. The planes of targets that are not
        ordinary are undefined.
    """
    if geometry.has_roll:
        planes, directions, ordinary = _of_rolling_base(geometry, e, u)
    elif geometry.has_tilt:
        planes, directions, ordinary = _of_tilting_wrist(geometry, e, u)
    else:
        planes, directions, ordinary = _of_yaw_arm(geometry, e, u)
    # A wrist on the shoulder leaves the shoulder angle open.
    ordinary = ordinary & (planes.x ** 2 + planes.y ** 2 > ORDINARY ** 2).all(axis=0)
    if forward is not None:
        y, x = across_hand(forward, *directions)
        ordinary &= (x * x + y * y > ASIDE ** 2).all(axis=0)
        planes = planes._replace(turn=np.arctan2(y, x))
    return planes, ordinary


def branches_of(geometry, triangle, joints, planes, near):
    """
    Yield every :class:`Branch`: both bends of the elbow in each plane.

    :param geometry: of the arm.
    :param triangle: of its upper arm and forearm.
    :param joints: :class:`~arm_ik.kinematics.batch.columns.JointColumns` of all joints.
    :param planes: :class:`Planes` of n targets.
    :param near: positions [rad] to stay near to, a column for each joint.
    """
    for number in range(len(planes.x)):
        plane = Planes(*[None if field is None else field[number] for field in planes])
        first, second, bend, reaches = solve_triangle(triangle, plane.x, plane.y)
        away = np.sqrt(plane.x * plane.x + plane.y * plane.y)
        beyond = np.maximum(away - triangle.outer, triangle.inner - away) / triangle.outer
        beyond = np.where(reaches, -np.inf, LIMIT_SLACK + beyond)
        for shoulder, elbow in ((first, bend), (second, -bend)):
            angles = {'yaw': plane.yaw, 'roll': plane.roll, 'shoulder': shoulder, 'elbow': elbow,
                      'wrist': plane.elevation - shoulder - elbow, 'wrist_tilt': plane.tilt}
            q, excess = [], beyond
            for role, joint, at in zip(geometry.roles, joints, near):
                if role in angles:
                    position, outside = joint.fitted(angles[role], at, principal=False)
                    excess = np.maximum(excess, outside)
                    q.append(joint.clamped(position))
            yield Branch(plane, q, excess)


def _of_yaw_arm(geometry, e, u):
    ex, ey, ez = e
    ux, uy, uz = u
    yaw, cy, sy, r, ordinary = facing(geometry.lateral, ex, ey)
    along, aside = ux * cy + uy * sy, uy * cy - ux * sy
    k = np.sqrt(along * along + uz * uz)
    ce, se = along / k, uz / k
    x = r - geometry.shoulder_offset - geometry.l3 * ce
    y = ez - geometry.l3 * se
    planes = Planes(yaw, None, None, x, y, np.arctan2(uz, along), np.arctan2(np.abs(aside), k))
    return planes, ((cy, sy), UPRIGHT, (ce, se), UPRIGHT), ordinary & (k > ORDINARY).all(axis=0)


def _of_rolling_base(geometry, e, u):
    p = _wrist_of(geometry, e, u)
    n = _cross(p, u)
    length = _length(n)
    ordinary = length > ORDINARY
    n = [c / length for c in n]
    along_u = n[0] * u[0] + n[1] * u[1] + n[2] * u[2]
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
    x = _HALF_TURNED * p_along - geometry.shoulder_offset
    y = _OVERTURNED * p_above
    planes = Planes(np.arctan2(sy, cy), np.arctan2(sr, cr), None, x, y, np.arctan2(se, ce),
                    np.zeros_like(x))
    return planes, ((cy, sy), (cr, sr), (ce, se), UPRIGHT), ordinary & (level > ORDINARY)


def _of_tilting_wrist(geometry, e, u):
    ux, uy, uz = u
    px, py, pz = _wrist_of(geometry, e, u)
    yaw, cy, sy, r, ordinary = [
        np.repeat(a, 2, axis=0) if a.ndim == 2 else a
        for a in facing(geometry.lateral, px, py)]
    along, aside = ux * cy + uy * sy, uy * cy - ux * sy
    k = np.sqrt(along * along + uz * uz)
    ct = _OVERTURNED * k
    ce, se = along / ct, uz / ct
    x = r - geometry.shoulder_offset
    planes = Planes(yaw, None, np.arctan2(aside, ct), x, np.broadcast_to(pz, x.shape),
                    np.arctan2(_OVERTURNED * uz, _OVERTURNED * along), np.zeros_like(x))
    directions = (cy, sy), UPRIGHT, (ce, se), (ct, aside)
    return planes, directions, ordinary & (k > ORDINARY).all(axis=0)


def facing(lateral, x, y):
    """
    Return the yaws whose vertical arm plane contains (x, y), facing it and over the back.

    :returns: ``(yaw, cos yaw, sin yaw, r, ordinary)``, arrays (2, n) and r the distance of (x, y)
        along forward [m]; the last a column of bool. A point nearer to the axis than the plane
        lies in no plane: r is then 0, and the yaw turns the plane's side to (x, y).
    """
    rho_squared = x * x + y * y
    r_squared = rho_squared - lateral * lateral
    r = np.sqrt(np.maximum(r_squared, 0.0))
    r = np.stack([r, -r])
    c, s = x * r + y * lateral, y * r - x * lateral
    ordinary = r_squared > ORDINARY ** 2
    return np.arctan2(s, c), c / rho_squared, s / rho_squared, r, ordinary


def across_hand(forward, yaw, roll, elevation, tilt):
    """
    Return the part of forward vectors perpendicular to the last link: left and lower component.

    Their ``arctan2`` is the canonical wrist roll that serves the forward vector.

    :param forward: three columns.
    :param yaw: cosine and sine, as of the other angles.
    """
    (fx, fy, fz), (cy, sy), (cr, sr), (ce, se), (ct, st) = forward, yaw, roll, elevation, tilt
    along_f = fx * cy + fy * sy
    along_h = (fx * sy - fy * cy) * sr + fz * cr
    along_n = (fy * cy - fx * sy) * cr + fz * sr
    return (ct * along_n - st * (ce * along_f + se * along_h), se * along_f - ce * along_h)


def _wrist_of(geometry, e, u):
    return [a - geometry.l3 * b for a, b in zip(e, u)]


def _cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _length(a):
    return np.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
