# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Many targets without an up vector: :mod:`..position_only` over columns, for arms that only yaw.

In each of the two planes through a target the last link takes the wanted elevation, or the nearest
reachable one. At the latter a joint is at a limit, the elbow is straight or folded, or elbow or
wrist is on the floor. A target below the floor is replaced by the point of the floor above it. For
a target out of reach, the closest pose gives the position of the tip, and the last link is chosen
anew for that position.
"""

from typing import NamedTuple

import numpy as np

from .closest import onto_floor
from .columns import rows_of, wrapped
from .forward import tool_columns
from .planes import facing, ORDINARY, Planes
from .ranking import Best, COSTS
from .reach import InPlane
from ..limits import LIMIT_SLACK, TURN
from ..position_only.planes import TIED
from ..ranking import TIE


class Candidates(NamedTuple):
    """Positions [rad] of some rows, and the angle of the last link to the wanted one [rad]."""

    rows: np.ndarray
    q: list
    turn: np.ndarray


class FreeColumns:
    """
    The targets without an up vector of one arm.

    :param geometry: of the arm.
    :param joints: :class:`~arm_ik.kinematics.batch.columns.JointColumns` of all joints.
    :param closest: :class:`~arm_ik.kinematics.batch.closest.ClosestColumns` of the arm.
    :param elevation: preferred elevation of the last link [rad], ``None``: the present one.
    """

    def __init__(self, geometry, joints, closest, elevation):
        self._geometry, self._joints = geometry, joints
        self._closest, self._elevation = closest, elevation

    def solve(self, targets):
        """
        Return the best pose for each row.

        :param targets: :class:`~arm_ik.kinematics.batch.section.Rows` without up vectors.
        :returns: ``(q, sure)``: positions [rad], a column for each joint; sure is false where
            rounding decides.
        """
        aims = onto_floor(self._geometry, targets)
        best = self._within_reach(aims)
        rows = np.flatnonzero(np.isinf(best.costs[0]) & best.sure)
        if len(rows) and self._geometry.floor is not None:
            best.sure[rows] = False
        elif len(rows):
            best.q[:, rows], best.sure[rows] = self._past_the_edge(targets.at(rows))
        return best.q, best.sure

    def _past_the_edge(self, targets):
        """Return the best poses for targets that are out of reach, and whether they are sure."""
        geometry, hand = self._geometry, self._geometry.l3
        yaw, x, y, wanted = self._planes(targets)
        q, sure = self._closest.solve(targets, Planes(
            yaw, None, None, x - hand * np.cos(wanted), y - hand * np.sin(wanted), wanted, None))
        tip = tool_columns(geometry, q, with_forward=False).tip
        best = self._within_reach(targets.moved(geometry, tip))
        return np.where(best.costs[0] < np.inf, best.q, q), sure & best.sure

    def _within_reach(self, targets):
        """Return the :class:`Best` poses of what is in reach."""
        best = Best(len(self._geometry.limits), COSTS, len(targets.e[0]))
        x, y, _ = targets.e
        best.sure = x * x + y * y - self._geometry.lateral ** 2 > ORDINARY ** 2
        found = [candidates for plane in zip(*self._planes(targets))
                 for candidates in self._in_plane(targets, plane, best.sure)]
        least = np.full(len(x), np.inf)
        for rows, _, turn in found:
            np.minimum.at(least, rows, turn)
        for rows, q, turn in found:
            some = np.flatnonzero(turn <= least[rows] + TIED)
            rows, q = rows[some], rows_of(q, some)
            there, sections = targets.at(rows), self._closest.sections
            roll = sections.wrist_roll(
                there, self._joints[0].angle(q[0]), sections.reach.elevations(q[1:4])[2])
            self._closest.offer(best, rows, there, q + roll)
        return best

    def _planes(self, targets):
        """
        Return the planes through targets, facing them and with them at the back.

        :returns: arrays (2, n): canonical yaw [rad], the target in the plane from the shoulder:
            x and y [m], and the elevation wanted [rad].
        """
        geometry, (x, y, z) = self._geometry, targets.e
        yaw, _, _, r, _ = facing(geometry.lateral, x, y)
        near = np.fmod(targets.near[1:4], TURN)
        wanted = self._closest.sections.reach.elevations(near)[2]
        wanted = np.stack([wanted, wanted])
        if self._elevation is not None:
            wanted[0], wanted[1] = self._elevation, np.pi - self._elevation
        return yaw, r - geometry.shoulder_offset, np.stack([z, z]), wanted

    def _in_plane(self, targets, plane, sure):
        """Return the candidates of a plane; mark as not sure, in place, what rounding decides."""
        reach, near, found = self._closest.sections.reach, targets.near[1:4], []
        angle, x, y, wanted = plane
        yaw, outside = self._joints[0].fitted(angle, targets.near[0])
        yaw = self._joints[0].clamped(yaw)
        served = outside > LIMIT_SLACK
        for pose, reaches in reach.standing(x, y, wanted):
            q, excess = reach.fitted(pose, near)
            excess = np.where(reaches, np.maximum(excess, outside), np.inf)
            sure &= ~(np.abs(excess) <= LIMIT_SLACK)
            rows = np.flatnonzero((excess < 0.0) & reach.is_above_floor(q))
            served[rows] = True
            found.append(Candidates(rows, rows_of([yaw, *q], rows), np.zeros(len(rows))))
        rest = np.flatnonzero(~served)
        yaw, x, y, wanted = rows_of((yaw, x, y, wanted), rest)
        near = rows_of(near, rest)
        best = reach.best(InPlane(x, y, wanted, near))
        candidates = [(best.q, best.costs[0] <= TIE)]
        for elevation in reach.elevations_on_floor(x, y):
            for pose, reaches in reach.standing(x, y, elevation):
                q, excess = reach.fitted(pose, near)
                candidates.append(
                    (q, reaches & (excess <= LIMIT_SLACK) & reach.is_above_floor(q)))
        for q, serves in candidates:
            some = np.flatnonzero(serves)
            q = rows_of([yaw, *q], some)
            turn = np.abs(wrapped(reach.elevations(q[1:])[2] - wanted[some]))
            found.append(Candidates(rest[some], q, turn))
        return found
