# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The best pose of three links in their plane for many targets.

Every pose of :meth:`..closest.planar.reach.PlanarReach.every_pose` is held against all targets at
once. What is not inside the limits, not above the floor, or worse than what is held is left out
early.
"""

from typing import NamedTuple

import numpy as np

from .columns import rows_of, sine_and_cosine, solve_triangle, wrapped
from .ranking import Best
from ..closest.planar.reach import Arithmetic, PlanarReach
from ..limits import LIMIT_SLACK
from ..ranking import TIE

_COLUMNS = Arithmetic(np.sin, np.cos, np.arctan2, solve_triangle)


class InPlane(NamedTuple):
    """
    Targets in their arm planes.

    ``x``, ``y``: from the shoulder [m]; ``elevation``: of the up vector [rad], NaN for any;
    ``near``: positions of shoulder, elbow and wrist [rad] to stay near to.
    """

    x: np.ndarray
    y: np.ndarray
    elevation: np.ndarray
    near: list


class ReachColumns:
    """
    The reach of three links inside their limits and above a floor.

    :param geometry: of an arm whose base only yaws.
    :param triangle: of its upper arm and forearm.
    :param joints: :class:`~arm_ik.kinematics.batch.columns.JointColumns` of shoulder, elbow and
        wrist.
    :param ranking: :class:`~arm_ik.kinematics.batch.ranking.RankingColumns` to compare by.

    ``length``: of the three links together [m]; ``floor``: its height from the shoulder [m].
    """

    def __init__(self, geometry, triangle, joints, ranking):
        self._lengths = geometry.l1, geometry.l2, geometry.l3
        self.length = sum(self._lengths)
        self._joints, self._ranking = joints, ranking
        self._costs = self._distance, self._turn
        if ranking.up_first:
            self._costs = self._turn, self._distance
        self._triangle = triangle
        self._reach = PlanarReach(*self._lengths, geometry.limits_in_plane)
        self.floor = -np.inf
        if geometry.floor is not None:
            self.floor = geometry.floor - geometry.base_height

    def best(self, targets):
        """
        Return the best pose for each target: nearest, least turned, elbow as asked, least moved.

        :param targets: :class:`InPlane`.
        :returns: :class:`~arm_ik.kinematics.batch.ranking.Best` of positions of shoulder, elbow
            and wrist [rad]; its costs are infinite where no pose is inside the limits.
        """
        best = Best(3, 4, len(targets.x))
        for pose in self._reach.every_pose(*targets[:3], _COLUMNS):
            self._offer(best, targets, pose)
        return best

    def standing(self, x, y, elevation):
        """Yield the poses with the last link at elevations [rad], and which targets they reach."""
        sine, cosine = sine_and_cosine(elevation)
        hand = self._lengths[2]
        first, second, bend, reaches = solve_triangle(
            self._triangle, x - hand * cosine, y - hand * sine)
        yield (first, bend, elevation - first - bend), reaches
        yield (second, -bend, elevation - second + bend), reaches

    def fitted(self, pose, near):
        """
        Return a pose as joint positions.

        :param pose: canonical shoulder, elbow and wrist [rad], columns or numbers.
        :param near: positions [rad] to stay near to, three columns.
        :returns: ``(q, excess)`` [rad]: positions inside the limits, and how far they would be
            outside at the most.
        """
        q, excess = [], -np.inf
        for joint, angle, at in zip(self._joints, pose, near):
            position, beyond = joint.fitted(np.broadcast_to(angle, at.shape), at, principal=False)
            excess = np.maximum(excess, beyond)
            q.append(joint.clamped(position))
        return q, excess

    def elevations(self, q):
        """Return the elevations of the three links [rad] at positions of the joints [rad]."""
        s, e, w = [joint.angle(position) for joint, position in zip(self._joints, q)]
        return s, s + e, s + e + w

    def elevations_on_floor(self, x, y):
        """Return elevations [rad] that put elbow or wrist on the floor, NaN where none does."""
        if self.floor == -np.inf:
            return []
        l1, _, hand = self._lengths
        wrist = np.arcsin((y - self.floor) / hand)
        found = [wrist, np.pi - wrist]
        if abs(self.floor) <= l1:
            elbow = np.arcsin(self.floor / l1)
            for shoulder in (elbow, np.pi - elbow):
                first, second, bend, reaches = solve_triangle(
                    self._reach.beyond_elbow, x - l1 * np.cos(shoulder), y - self.floor)
                found += [np.where(reaches, a, np.nan) for a in (first + bend, second - bend)]
        return found

    def is_above_floor(self, q):
        """Tell of positions [rad] whether elbow, wrist and tip are above the floor."""
        l1, l2, l3 = self._lengths
        s1, s2, s3 = [np.sin(elevation) for elevation in self.elevations(q)]
        elbow = l1 * s1
        wrist = elbow + l2 * s2
        return np.minimum(np.minimum(elbow, wrist), wrist + l3 * s3) >= self.floor - TIE

    def _offer(self, best, targets, pose):
        """Offer a pose as far as it is inside the limits and above the floor."""
        q, excess = self.fitted(pose, targets.near)
        rows = np.flatnonzero(excess <= LIMIT_SLACK)
        q = rows_of(q, rows)
        cost = self._costs[0](targets, rows, q)
        kept = cost <= best.costs[0, rows] + TIE
        if self.floor > -np.inf:
            kept &= self.is_above_floor(q)
        kept = np.flatnonzero(kept)
        rows, cost, *q = rows_of((rows, cost, *q), kept)
        steps = [np.abs(a - b[rows]) for a, b in zip(q, targets.near)]
        wrong = np.zeros(len(rows))
        if self._ranking.side:
            s, forearm, _ = self.elevations(q)
            wrong += self._ranking.wrong_elbow(0.0, s, forearm - s)
        best.offer(rows, q, [
            cost, self._costs[1](targets, rows, q), wrong, np.max(steps, axis=0)])

    def _distance(self, targets, rows, q):
        dx, dy = targets.x[rows], targets.y[rows]
        for length, elevation in zip(self._lengths, self.elevations(q)):
            sine, cosine = sine_and_cosine(elevation)
            dx -= length * cosine
            dy -= length * sine
        return np.sqrt(dx * dx + dy * dy)

    def _turn(self, targets, rows, q):
        turn = np.abs(wrapped(self.elevations(q)[2] - targets.elevation[rows]))
        return np.where(np.isnan(turn), 0.0, turn)
