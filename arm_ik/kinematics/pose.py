# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Forward kinematics of whole arrays of joint positions, and the pose it returns.

The formulas are those of :mod:`.forward`, over leading axes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .batch.input import checked_array
from .forward import Geometry, ROLES


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
    q = joint_array('joint positions', q, len(geometry.limits))
    axes, wrist = tool_axes(geometry, q)
    up = axes[..., 2]
    return Pose(wrist + geometry.l3 * up, up, axes)


def tool_axes(geometry: Geometry, q: NDArray[np.float64]
              ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ``tool0``'s rotation (..., 3, 3) and the wrist (..., 3) [m] of checked positions."""
    angles = dict.fromkeys(ROLES, np.zeros(q.shape[:-1]))
    for i, (role, limits) in enumerate(zip(geometry.roles, geometry.limits)):
        angles[role] = limits.sign * q[..., i] + limits.offset
    yaw, roll, a1, elbow, wrist, tilt, wrist_roll = angles.values()
    a2 = a1 + elbow
    a3 = a2 + wrist
    cy, sy, cr, sr = np.cos(yaw), np.sin(yaw), np.cos(roll), np.sin(roll)
    f = np.stack([cy, sy, np.zeros_like(cy)], axis=-1)
    n = np.stack([-sy * cr, cy * cr, sr], axis=-1)
    h = np.stack([sy * sr, -cy * sr, cr], axis=-1)
    r = geometry.shoulder_offset + geometry.l1 * np.cos(a1) + geometry.l2 * np.cos(a2)
    z = geometry.l1 * np.sin(a1) + geometry.l2 * np.sin(a2)
    base = np.array([geometry.base_x, geometry.base_y, geometry.base_height])
    wrist_at = base + r[..., None] * f + z[..., None] * h + geometry.lateral * n
    c3, s3 = np.cos(a3)[..., None], np.sin(a3)[..., None]
    ct, st = np.cos(tilt)[..., None], np.sin(tilt)[..., None]
    cw, sw = np.cos(wrist_roll)[..., None], np.sin(wrist_roll)[..., None]
    along, above = c3 * f + s3 * h, c3 * h - s3 * f
    aside = ct * n - st * along
    axes = np.stack([sw * aside - cw * above, cw * aside + sw * above, ct * along + st * n],
                    axis=-1)
    return axes, wrist_at


def joint_array(what: str, values: ArrayLike, joints: int) -> NDArray[np.float64]:
    """
    Return joint positions as a float array of shape (..., joints).

    :raises InvalidInputError: for another shape, or for values that are not finite numbers.
    """
    return np.asarray(checked_array(
        what, values, joints, f'finite positions, shape (..., {joints})'), dtype=float)
