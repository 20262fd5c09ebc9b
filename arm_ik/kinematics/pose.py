# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Forward kinematics of whole arrays of joint positions, and the pose it returns."""

from math import isfinite
from typing import NamedTuple
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
