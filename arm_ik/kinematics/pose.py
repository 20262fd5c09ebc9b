# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Forward kinematics of whole arrays: the tool, the arm's points and axes, and how joints move them.

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

from math import isfinite
from typing import Any, NamedTuple
import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .batch.columns import sine_and_cosine
from .batch.input import checked_array
from .forward import Geometry, tool
from .limits import TURN
from .solution import Solution

#: Joint positions beyond this [rad] may be degrees.
_MANY = 7.0


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

    Positions that look like degrees are warned of.
    """
    joints = len(geometry.limits)
    one = q.q if isinstance(q, Solution) else (
        q.tolist() if isinstance(q, np.ndarray) and q.ndim == 1 else q)
    if isinstance(one, (tuple, list)) and len(one) == joints \
            and set(map(type, one)) == {float} and isfinite(sum(one)):
        # By floats, because numpy takes eight times as long for one pose.
        (x, y, z), (ux, uy, uz), (a, b, c), (d, e, f) = tool(geometry, one)
        if max(one) > _MANY or min(one) < -_MANY:
            _warn_of_degrees(geometry, np.array(one))
        numbers = np.array((x, y, z, ux, uy, uz, a, d, ux, b, e, uy, c, f, uz))
        return Pose(numbers[:3], numbers[3:6], numbers[6:].reshape(3, 3))
    q = np.asarray(checked_array('joint positions', q, joints,
                                 f'finite positions, shape (..., {joints})'), dtype=float)
    if np.abs(q).max(initial=0.0) > _MANY:
        _warn_of_degrees(geometry, q)
    position, up, x, y = [np.stack(vector, axis=-1) for vector in tool(
        geometry, np.moveaxis(q, -1, 0), sine_and_cosine)]
    return Pose(position, up, np.stack([x, y, up], axis=-1))


def _warn_of_degrees(geometry: Geometry, q: NDArray[np.float64]) -> None:
    for limits, positions in zip(geometry.limits, np.moveaxis(q, -1, 0)):
        outside = np.maximum(limits.lower - positions, positions - limits.upper)
        for found in positions[(outside > TURN) & (np.abs(positions) > _MANY)][:1]:
            return warnings.warn(f'{limits.name} at {found:g} rad is more than a turn outside '
                                 'its limits; are these degrees?', stacklevel=4)


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


def _chain(geometry: Geometry, q: NDArray[np.float64]) -> tuple[ArmPoints, dict[str, Any]]:
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
                     *np.moveaxis(np.array([corner, tip]), 1, -1)), joints


def links(geometry: Geometry, *angles: NDArray[np.float64]) -> tuple[dict[str, Any], Any]:
    """
    Return where the links are at canonical angles.

    :param angles: yaw, roll, shoulder, elbow, wrist, wrist_tilt [rad], columns of one length.
    :returns: ``(joints, up)``: by role a joint's axis and a point on it [m], without the wrist
        roll's; and the up vector, of a bent hand the one before it; three columns each.
    """
    yaw, roll, a1, elbow, wrist, tilt = angles
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
