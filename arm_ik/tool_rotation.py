# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Orientations for targets that only need an up vector."""

from collections.abc import Iterable, Sequence
from math import atan2, cos, hypot, sin

import numpy as np

from .arm import Arm
from .errors import InvalidInputError
from .kinematics.target import Target
from .kinematics.tolerances import SAME
from .kinematics.tool_axes import up_and_forward
from .kinematics.vectors import across, cross, unit

#: What becomes of the up vector of a target that is dragged: it goes with the arm's plane, stays
#: as it is, or is whatever the arm would choose.
PLANE, FIXED, ANY = UP_MODES = "with the arm's plane", 'fixed', 'any'

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
        x = across(own[:, 0], z)
        if hypot(*x) <= _SHORT:
            x = cross(own[:, 1], z)
    else:
        x = across(target.forward, z)
    x = unit(x)
    return np.column_stack([x, cross(z, x), z])


def target_rotation(up_axis: str, tool: np.ndarray) -> np.ndarray:
    """
    Return the rotation of a target that asks for a rotation of ``tool0``.

    :param up_axis: a key of :data:`.TOOL_AXES`.
    :param tool: shape (3, 3).
    """
    z, x = map(np.array, up_and_forward(np.eye(3), up_axis))
    return tool @ np.array([x, np.cross(z, x), z])


def target_of(arm: Arm, position: Iterable[float], rotation: np.ndarray) -> Target:
    """
    Return the target that a pose of ``tool0`` asks for; its x axis counts on a wrist that rolls.

    :param position: in ``base_link`` [m].
    :param rotation: (3, 3).
    """
    forward = rotation[:, 0] if arm.model.has('wrist_roll') else None
    return Target(position, rotation[:, 2], forward)


def target_at(arm: Arm, q: Sequence[float]) -> Target:
    """Return the target that the tip is at, at joint positions [rad]."""
    tip = arm.forward(q)
    return target_of(arm, tip.position, tip.rotation)


def plane_yaw(arm: Arm, position: Iterable[float], near: Sequence[float] | None = None) -> float:
    """
    Return the direction of the arm plane that a position is in, away from the base [rad].

    :param near: joint positions [rad] that it is reached from; ``None``: the home pose.
    """
    x, y, _ = arm.target(position, 0.0, near=near).up or (1.0, 0.0, 0.0)
    return atan2(y, x)


def with_up(arm: Arm, target: Target, elevation: float, azimuth: float = 0.0,
            near: Sequence[float] | None = None) -> Target:
    """
    Return a target with another up vector.

    :param elevation: of the up vector [rad].
    :param azimuth: of the up vector, from the arm plane that the position is in [rad].
    :param near: joint positions [rad] that it is reached from; ``None``: the home pose.
    """
    try:
        found = arm.target(target.position, elevation, target.forward, near)
        x, y, z = found.up or (0.0, 0.0, 1.0)
        return found.replace(up=(x * cos(azimuth) - y * sin(azimuth),
                                 x * sin(azimuth) + y * cos(azimuth), z))
    except InvalidInputError:   # the forward vector is along the new up vector
        return with_up(arm, target.replace(forward=None), elevation, azimuth, near)


def with_up_of(mode: str, arm: Arm, target: Target, near: Sequence[float]) -> Target:
    """
    Return a target that is dragged, with the up vector that it gets.

    With the arm's plane, an up vector that is not reached is turned into the plane, if the base
    only yaws.

    :param mode: one of :data:`UP_MODES`.
    :param near: joint positions of the arm [rad].
    """
    if mode == ANY:
        free = arm.solve(target.replace(up=None, forward=None), near=near)
        return target_of(arm, target.position, arm.forward(free.q).rotation)
    if mode == FIXED or target.up is None or not arm.solver.geometry.upright or (
            arm.solve(target, near).up_error_rad <= SAME):
        return target
    (x, y, z), yaw = target.up, plane_yaw(arm, target.position, near)
    return with_up(arm, target, atan2(z, x * cos(yaw) + y * sin(yaw)), near=near)
