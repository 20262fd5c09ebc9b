# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Orientations for targets that only need an up vector."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...arm import Arm
from ...kinematics.target import Target

#: A projection shorter than this [1] has no direction worth keeping.
_SHORT = 1e-6


def tool_rotation(arm: Arm, target: Target) -> np.ndarray:
    """
    Return the rotation of ``tool0`` that asks for a target with an up vector, shape (3, 3).

    A pose always contains a forward vector too. Where the target leaves it open it is the one that
    the arm would choose itself, made perpendicular to the up vector, so that the wrist roll need
    not turn.

    :param arm: the :class:`~arm_ik.Arm`.
    :param target: the :class:`~arm_ik.Target`; its up vector must be given.
    """
    z = np.array(target.up)
    if target.forward is None:
        own = arm.forward(arm.solve(target).q).rotation
        x = _across(own[:, 0], z)
        if np.linalg.norm(x) <= _SHORT:
            x = np.cross(own[:, 1], z)
    else:
        x = _across(np.array(target.forward), z)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def target_of(arm: Arm, position: Iterable[float], rotation: np.ndarray) -> Target:
    """
    Return the target that a pose of ``tool0`` asks for; its x axis counts on a wrist that rolls.

    :param position: in ``base_link`` [m].
    :param rotation: (3, 3).
    """
    forward = rotation[:, 0] if arm.model.has('wrist_roll') else None
    return Target(position, rotation[:, 2], forward)


def _across(vector: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Return the part of a vector perpendicular to a unit axis."""
    return vector - (vector @ axis) * axis
