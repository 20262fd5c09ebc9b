# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Arm planes of many targets to joint readings: :mod:`..branch` and :mod:`..limits` over columns.

The same triangle, wrist angle, slack and clamping as there, for both bends of every plane;
readings have the shape (joints, branches, targets), branches in the order of the planes, elbow
positive first.
"""

from typing import NamedTuple

import numpy as np

from .forward import lowest
from .planes import ORDINARY
from ..arm_plane import DEGENERATE
from ..limits import LIMIT_SLACK, TURN
from ..ranking import TIE


class Branches(NamedTuple):
    """
    Every branch of n targets.

    ``q`` (joints, branches, n): readings [rad], of meaning where ``inside`` (branches, n) is true:
    in reach, inside the limits and above the floor. ``forward`` (branches, n): forward error
    [rad], or ``None`` where no joint or no vector makes for one. ``ordinary`` (n,): false where
    the answer is more than a choice between these: a wrist folded onto the shoulder leaves the
    shoulder angle open; a branch put on a limit has its other angles computed anew.
    """

    q: np.ndarray
    inside: np.ndarray
    forward: np.ndarray
    ordinary: np.ndarray


def branches_of(solver, planes, near):
    """
    Return both bends of every plane as joint readings.

    :param solver: of the arm.
    :param planes: :class:`~arm_ik.kinematics.batch.planes.Planes`, k for each of n targets.
    :param near: readings [rad] to stay near to, shape (joints, n) or (joints, 1).
    :returns: :class:`Branches`, two for each plane.
    """
    geometry, (k, n) = solver.geometry, planes.x.shape
    q = np.empty((len(geometry.limits), k, 2, n))
    shoulder, elbow, inside, ordinary = _triangle(solver.triangle, planes)
    clamped = np.zeros((k, 2, n), dtype=bool)

    def fit(role, canonical, shape=(k, 2, n)):
        index = geometry.index[role]
        reading, fits, put = fit_readings(geometry.limits[index], canonical, near[index])
        q[index] = reading.reshape(shape)
        np.logical_and(inside, fits.reshape(shape), out=inside)
        np.logical_or(clamped, put.reshape(shape), out=clamped)

    fit('elbow', elbow)
    fit('shoulder', shoulder)
    fit('wrist', planes.elevation[:, None] - shoulder - elbow)
    for role, angle in (('yaw', planes.yaw), ('roll', planes.roll), ('wrist_tilt', planes.tilt)):
        if angle is not None:
            fit(role, angle, (k, 1, n))
    forward = None
    if geometry.has_wrist_roll:
        q[-1], forward = _wrist_roll(geometry.limits[-1], planes.turn, near[-1])
    ordinary = ordinary & ~(clamped & inside).any(axis=(0, 1))
    q, inside = q.reshape(-1, 2 * k, n), inside.reshape(2 * k, n)
    if geometry.floor is not None:
        inside = inside & (lowest(geometry, q) >= geometry.floor - TIE)
    return Branches(q, inside, forward, ordinary)


def fit_readings(limits, canonical, near):
    """
    Return :meth:`~arm_ik.kinematics.limits.JointLimits.fit` of arrays.

    :param limits: :class:`~arm_ik.kinematics.limits.JointLimits` of the joint.
    :param canonical: angles [rad].
    :param near: readings [rad] to stay near to.
    :returns: ``(reading, fits, clamped)``; the reading is inside the limits and means
        ``canonical`` where ``fits`` is true, but for up to ``LIMIT_SLACK`` where ``clamped`` is,
        too.
    """
    lower, upper = limits.lower - LIMIT_SLACK, limits.upper + LIMIT_SLACK
    wanted = limits.sign * (canonical - limits.offset)
    if upper - lower < TURN:
        # No more than one reading is inside, wherever the arm is.
        wanted = wanted + TURN * np.rint((0.5 * (lower + upper) - wanted) / TURN)
    else:
        wanted = wanted + TURN * np.rint((near - wanted) / TURN)
        # Into the limits by whole turns. A reading that jumps over them comes back: it has no fit.
        wanted += TURN * np.maximum(np.ceil((lower - wanted) / TURN), 0.0)
        wanted -= TURN * np.maximum(np.ceil((wanted - upper) / TURN), 0.0)
    fits = (wanted >= lower) & (wanted <= upper)
    reading = np.minimum(np.maximum(wanted, limits.lower), limits.upper)
    return reading, fits, reading != wanted


def nearest_readings(limits, canonical, near):
    """Return :meth:`~arm_ik.kinematics.limits.JointLimits.fit_or_clamp` of arrays."""
    wanted = limits.sign * (canonical - limits.offset)
    wanted += TURN * np.rint((near - wanted) / TURN)
    lower, upper = limits.lower - LIMIT_SLACK, limits.upper + LIMIT_SLACK
    up = wanted + TURN * np.ceil((lower - wanted) / TURN)
    up = np.where(up - upper <= lower - (up - TURN), up, up - TURN)
    down = wanted - TURN * np.ceil((wanted - upper) / TURN)
    down = np.where(lower - down <= down + TURN - upper, down, down + TURN)
    wanted = np.where(wanted < lower, up, np.where(wanted > upper, down, wanted))
    return np.minimum(np.maximum(wanted, limits.lower), limits.upper)


def _triangle(triangle, planes):
    """
    Return shoulder and elbow [rad] for both bends, and whether the wrist is in reach.

    :returns: ``(shoulder, elbow, reachable, ordinary)``, three arrays (k, 2, n) and a column.
    """
    x, y = planes.x[:, None], planes.y[:, None]
    h = x * x + y * y
    s = (triangle.outer_squared - h) * (h - triangle.inner_squared)
    np.sqrt(np.maximum(s, 0.0, out=s), out=s)
    elbow = np.arctan2(s, h - triangle.squares)
    w, s = h + triangle.w_less_h, np.concatenate([s, -s], axis=1)
    shoulder = np.arctan2(y * w - x * s, x * w + y * s)
    reachable = np.repeat((h <= triangle.far) & (h >= triangle.close), 2, axis=1)
    ordinary = np.ones(x.shape[-1], dtype=bool)
    if triangle.inner <= DEGENERATE:
        ordinary = (h > ORDINARY ** 2).all(axis=(0, 1))
    return shoulder, np.concatenate([elbow, -elbow], axis=1), reachable, ordinary


def _wrist_roll(limits, turn, near):
    """Return readings (k, 1, n) of the wrist roll, and the forward error (branches, n) [rad]."""
    if turn is None:
        return np.minimum(np.maximum(near, limits.lower), limits.upper), None
    reading = nearest_readings(limits, turn, near)
    error = limits.canonical(reading) - turn
    error = np.abs(error - TURN * np.rint(error / TURN))
    return reading[:, None], np.repeat(error, 2, axis=0)
