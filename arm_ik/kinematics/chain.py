# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Points and axes of the arm at arrays of joint positions, and how the tool moves with each joint.

With f, n, h and a1, a2, a3 of :mod:`.forward` the joints turn about::

    yaw           z,   through the base's point of the file
    roll          f,   through the same
    shoulder      -n,  through the shoulder: f turns to h
    elbow, wrist  -n,  through elbow and wrist
    wrist_tilt    g,   through the wrist: c turns to n
    wrist_roll    up,  through the foot of the wrist on its axis

A joint that turns by w about a unit axis a through a point p moves the tip x by ``w a × (x - p)``
and turns the hand by ``w a``.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .forward import Geometry, tool


class ArmPoints(NamedTuple):
    """
    Points of the arm in ``base_link`` [m], each (..., 3).

    ``shoulder``, ``elbow`` and ``wrist`` are on the joints' axes. ``corner`` is where the hand
    bends: the point of the line of the last link nearest to the tip or, if the tip is on that
    line, to the wrist; it is the ``tip`` of a hand that is straight. Straight lines from each to
    the next are the arm.
    """

    shoulder: NDArray[np.float64]
    elbow: NDArray[np.float64]
    wrist: NDArray[np.float64]
    corner: NDArray[np.float64]
    tip: NDArray[np.float64]


def points(geometry: Geometry, q: NDArray[np.float64]) -> ArmPoints:
    """Return the points of an arm at joint positions [rad], shape (..., joints)."""
    return _chain(geometry, q)[0]


def jacobian(geometry: Geometry, q: NDArray[np.float64]) -> NDArray[np.float64]:
    """
    Return how ``tool0`` moves with each joint.

    :param geometry: of the arm.
    :param q: joint positions [rad], shape (..., joints).
    :returns: shape (..., 6, joints): the velocity of ``tool0``'s origin, then its angular
        velocity, both in the axes of ``base_link``, for 1 rad/s of each joint.
    """
    (_, _, wrist, _, tip), joints = _chain(geometry, q)
    axes = np.stack([limits.sign * joints[role][0]
                     for limits, role in zip(geometry.limits, geometry.roles)], axis=-2)
    arms = np.stack([tip - joints[role][1] for role in geometry.roles], axis=-2)
    if geometry.whole.elevation is not None:    # shoulder and elbow do not turn the hand
        arms[..., 1:3, :] -= (tip - wrist)[..., None, :]
    moves = np.cross(axes, arms)
    if geometry.whole.elevation is not None:
        axes[..., 1:3, :] = 0.0
    return np.concatenate([moves, axes], axis=-1).swapaxes(-1, -2)


def _chain(geometry, q):
    """Return the :class:`ArmPoints`, and by role a joint's axis and a point on it."""
    geometry, columns = geometry.whole, np.moveaxis(q, -1, 0)
    tip = tool(geometry, columns, lambda angle: (np.sin(angle), np.cos(angle)))[0]
    joints, up = links(geometry, *np.broadcast_arrays(*geometry.canonical(columns))[:6])
    above, wrist = joints['wrist_tilt']
    foot = wrist + geometry.hand_offset * above
    joints['wrist_roll'] = up, foot
    corner = foot if geometry.hand_offset and not geometry.beside else foot + geometry.l3 * up
    joints = {role: np.moveaxis(pair, 1, -1) for role, pair in joints.items()}
    return ArmPoints(*[joints[role][1] for role in ('shoulder', 'elbow', 'wrist')],
                     *np.moveaxis([corner, tip], 1, -1)), joints


def links(geometry, yaw, roll, a1, elbow, wrist, tilt):
    """
    Return where the links are at canonical angles [rad], columns of the same length.

    :returns: ``(joints, up)``: by role a joint's axis and a point on it [m], without the wrist
        roll's; and the up vector, of a bent hand the one before it; three columns each.
    """
    sy, cy, sr, cr = np.sin(yaw), np.cos(yaw), np.sin(roll), np.cos(roll)
    zero = np.zeros_like(yaw)
    f, n, h = [np.array(vector) for vector in (
        (cy, sy, zero), (-sy * cr, cy * cr, sr), (sy * sr, -cy * sr, cr))]
    base = np.array([zero + geometry.base_x, zero + geometry.base_y, zero + geometry.base_height])
    shoulder = base + geometry.shoulder_offset * f + geometry.lateral * n
    a2 = a1 + elbow
    a3 = a2 + wrist
    at_elbow = shoulder + geometry.l1 * (np.cos(a1) * f + np.sin(a1) * h)
    at_wrist = at_elbow + geometry.l2 * (np.cos(a2) * f + np.sin(a2) * h)
    along, above = np.cos(a3) * f + np.sin(a3) * h, np.cos(a3) * h - np.sin(a3) * f
    return {'yaw': (np.array([zero, zero, zero + 1.0]), base), 'roll': (f, base),
            'shoulder': (-n, shoulder), 'elbow': (-n, at_elbow), 'wrist': (-n, at_wrist),
            'wrist_tilt': (above, at_wrist)}, np.cos(tilt) * along + np.sin(tilt) * n
