# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The best pose of an arm whose base only yaws, for many targets, each in one arm plane."""

from typing import Any, NamedTuple

import numpy as np

from .columns import rows_of, sine_and_cosine
from .planes import across_hand, facing, UPRIGHT
from .reach import InPlane, ReachColumns
from ..arm_plane import DEGENERATE
from ..limits import LIMIT_SLACK
from ..ranking import TIE


class Rows(NamedTuple):
    """
    Targets, one in each row, with what there is to stay near to.

    Tip in ``base_link`` and from S0 [m], unit up and forward vectors or ``None``, joint positions
    [rad]: all columns.
    """

    position: Any
    e: Any
    u: Any
    forward: Any
    near: Any

    def at(self, rows):
        """Return some of the rows."""
        return Rows(*[None if columns is None else rows_of(columns, rows) for columns in self])

    def moved(self, geometry, tip):
        """Return the rows with other tip targets in ``base_link`` [m]."""
        base = geometry.base_x, geometry.base_y, geometry.base_height
        return self._replace(position=tip, e=[a - b for a, b in zip(tip, base)])


class SectionColumns:
    """
    The arm planes of one arm.

    :param geometry: of the arm.
    :param triangle: of its upper arm and forearm.
    :param joints: :class:`~arm_ik.kinematics.batch.columns.JointColumns` of all joints.
    :param ranking: :class:`~arm_ik.kinematics.batch.ranking.RankingColumns` to compare by.
    """

    def __init__(self, geometry, triangle, joints, ranking):
        self._geometry, self._joints, self._up_first = geometry, joints, ranking.up_first
        self.reach = ReachColumns(geometry, triangle, joints[1:4], ranking)

    def yaws(self, targets):
        """
        Return the positions [rad] of the yaws whose planes can be optimal.

        :returns: ``(yaws, leasts)``, a row for each plane: no pose in it is nearer to the target
            than the least [m], or nearer to the up vector [rad] if that goes first; infinite where
            the yaw is outside its limits.
        """
        joint, (x, y, _) = self._joints[0], targets.e
        angles = [np.full(len(x), end) for end in joint.limits.canonical_ends]
        angles += [*facing(self._geometry.lateral, x, y)[0]]
        if targets.u is not None:
            azimuth = np.arctan2(targets.u[1], targets.u[0])
            azimuth[np.hypot(targets.u[0], targets.u[1]) <= DEGENERATE] = np.nan
            angles += [azimuth, azimuth + np.pi]
        yaws, leasts = [], []
        for angle in angles:
            position, excess = joint.fitted(angle, targets.near[0], principal=False)
            yaws.append(joint.clamped(position))
            px, py, out, s, c = self._in_plane(targets, yaws[-1])
            beyond = np.maximum(np.sqrt(px * px + py * py) - self.reach.length, 0.0)
            beyond = np.maximum(beyond, self.reach.floor - TIE - py)
            least = np.sqrt(out * out + beyond * beyond)
            if self._up_first:
                along, aside = [a * targets.u[0] + b * targets.u[1] for a, b in ((c, s), (-s, c))]
                least = np.arctan2(np.abs(aside), np.hypot(along, targets.u[2]))
            leasts.append(np.where(excess <= LIMIT_SLACK, least, np.inf))
        return np.array(yaws), np.array(leasts)

    def best_at(self, targets, yaw):
        """
        Return the best pose in the planes at yaw positions [rad].

        :returns: ``(q, found)``: positions [rad], a column for each joint, and whether there is
            any pose above the floor.
        """
        x, y, _, s, c = self._in_plane(targets, yaw)
        elevation = np.full(len(x), np.nan)
        if targets.u is not None:
            along, uz = targets.u[0] * c + targets.u[1] * s, targets.u[2]
            elevation = np.where(np.hypot(along, uz) > DEGENERATE, np.arctan2(uz, along), np.nan)
        best = self.reach.best(InPlane(x, y, elevation, targets.near[1:4]))
        roll = self.wrist_roll(
            targets, self._joints[0].angle(yaw), self.reach.elevations(best.q)[2])
        return [yaw, *best.q, *roll], best.costs[0] < np.inf

    def wrist_roll(self, targets, yaw, elevation):
        """
        Return the wrist roll's position [rad] that serves the forward vector, in a list.

        :param yaw: canonical [rad].
        :param elevation: of the last link [rad].
        """
        if not self._geometry.has_wrist_roll:
            return []
        near, joint = targets.near[4], self._joints[4]
        if targets.forward is None:
            return [joint.clamped(near)]
        yaw, elevation = [sine_and_cosine(angle)[::-1] for angle in (yaw, elevation)]
        y, x = across_hand(targets.forward, yaw, UPRIGHT, elevation, UPRIGHT)
        return [joint.nearest(np.arctan2(y, x), near)]

    def _in_plane(self, targets, yaw):
        """Return targets in the planes at yaw positions: x, y, distance, sine and cosine."""
        geometry, (x, y, z) = self._geometry, targets.e
        s, c = sine_and_cosine(self._joints[0].angle(yaw))
        return (x * c + y * s - geometry.shoulder_offset, z, y * c - x * s - geometry.lateral,
                s, c)
