# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Forward kinematics of whole arrays of joint positions, and the pose it returns."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .batch.columns import sine_and_cosine
from .batch.input import checked_array
from .forward import Geometry, tool


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
    position, up, x, y = [np.stack(vector, axis=-1) for vector in tool(
        geometry, np.moveaxis(q, -1, 0), sine_and_cosine)]
    return Pose(position, up, np.stack([x, y, up], axis=-1))
