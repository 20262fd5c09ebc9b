# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Arm planes that may hold the closest pose of many targets, and the best pose in each.

:mod:`..closest.planar.section` over columns, for arms whose base only yaws.
"""

from typing import Any, NamedTuple

import numpy as np

from .branch import nearest_readings
from .columns import JointColumns, rows_of, sine_and_cosine
from .reach import InPlane, ReachColumns
from ..arm_plane import DEGENERATE
from ..limits import LIMIT_SLACK
from ..ranking import TIE


class Rows(NamedTuple):
    """
    Targets, one in each row, with what there is to stay near to.

    Tip in ``base_link`` and from S0 [m], unit up and forward vectors or ``None``, readings [rad]:
    all columns.
    """

    position: Any
    e: Any
    u: Any
    forward: Any
    near: Any

    def at(self, rows):
        """Return some of the rows."""
        return Rows(*[None if columns is None else rows_of(columns, rows) for columns in self])


class SectionColumns:
    """
    The arm planes of one arm.

    :param geometry: of the arm.
    :param planar: :class:`~arm_ik.kinematics.closest.planar.reach.PlanarReach` of its links.
    :param up_first: whether the up vector goes before the position.
    """

    def __init__(self, geometry, planar, up_first):
        self._geometry, self._up_first = geometry, up_first
        self.joints = [JointColumns(limits) for limits in geometry.limits]
        floor = None if geometry.floor is None else geometry.floor - geometry.base_height
        self.reach = ReachColumns(planar, geometry.limits_in_plane, floor, up_first)
        self._lowest = -np.inf if floor is None else floor - TIE
        self._farthest = planar.reach

    def yaws(self, targets):
        """
        Return the readings [rad] of the yaws whose planes can be optimal.

        :returns: ``(yaws, leasts)``, a row for each plane: no pose in it is nearer to the target
            than the least [m], or nearer to the up vector [rad] if that goes first; infinite where
            the yaw is outside its limits.
        """
        geometry, joint, near = self._geometry, self.joints[0], targets.near[0]
        lateral, (x, y, _) = geometry.lateral, targets.e
        r_squared = x * x + y * y - lateral * lateral
        r = np.sqrt(np.maximum(r_squared, 0.0))
        front = np.arctan2(y * r - x * lateral, x * r + y * lateral)
        back = np.arctan2(-y * r - x * lateral, y * lateral - x * r)
        angles = [np.full(len(x), end) for end in joint.limits.canonical_ends] + [front, back]
        if targets.u is not None:
            azimuth = np.arctan2(targets.u[1], targets.u[0])
            level = np.hypot(targets.u[0], targets.u[1]) > DEGENERATE
            azimuth[~level] = np.nan
            angles += [azimuth, azimuth + np.pi]
        yaws, leasts = [], []
        for angle in angles:
            reading, excess = joint.fitted(angle, near, principal=False)
            yaws.append(joint.clamped(reading))
            px, py, out, s, c = self._in_plane(targets, yaws[-1])
            beyond = np.maximum(np.sqrt(px * px + py * py) - self._farthest, 0.0)
            beyond = np.maximum(beyond, self._lowest - py)
            least = np.sqrt(out * out + beyond * beyond)
            if self._up_first:
                along, aside = [a * targets.u[0] + b * targets.u[1] for a, b in ((c, s), (-s, c))]
                least = np.arctan2(np.abs(aside), np.hypot(along, targets.u[2]))
            leasts.append(np.where(excess <= LIMIT_SLACK, least, np.inf))
        return np.array(yaws), np.array(leasts)

    def best_at(self, targets, yaw):
        """
        Return the best pose in the planes at yaw readings [rad].

        :returns: ``(q, sure, found)``: readings [rad], a column for each joint, whether nothing
            better can have been left out, and whether there is any pose above the floor.
        """
        x, y, _, s, c = self._in_plane(targets, yaw)
        elevation = np.full(len(x), np.nan)
        if targets.u is not None:
            along, uz = targets.u[0] * c + targets.u[1] * s, targets.u[2]
            elevation = np.where(np.hypot(along, uz) > DEGENERATE, np.arctan2(uz, along), np.nan)
        best = self.reach.best(InPlane(x, y, elevation, targets.near[1:4]))
        angles = [joint.angle(reading) for joint, reading in zip(self.joints[1:4], best.q)]
        roll = self.roll(targets, self.joints[0].angle(yaw), sum(angles))
        return [yaw, *best.q, *roll], best.sure, best.costs[0] < np.inf

    def roll(self, targets, yaw, elevation):
        """Return the wrist roll's reading [rad] that serves the forward vector, in a list."""
        if not self._geometry.has_wrist_roll:
            return []
        near, joint = targets.near[4], self.joints[4]
        if targets.forward is None:
            return [joint.clamped(near)]
        (fx, fy, fz), (s, c) = targets.forward, sine_and_cosine(yaw)
        se, ce = sine_and_cosine(elevation)
        turn = np.arctan2(fy * c - fx * s, se * (fx * c + fy * s) - ce * fz)
        return [nearest_readings(joint.limits, turn, near)]

    def _in_plane(self, targets, yaw):
        """Return the target in the plane at a yaw reading: x, y, way out of it, sine, cosine."""
        geometry, (x, y, z) = self._geometry, targets.e
        s, c = sine_and_cosine(self.joints[0].angle(yaw))
        return (x * c + y * s - geometry.shoulder_offset, z, y * c - x * s - geometry.lateral,
                s, c)
