# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The best pose of three links in their plane for many targets.

It is :mod:`..closest.planar.reach` over columns. The arcs and corners depend on the arm alone, so
each of them is held against all targets at once. First only how near it comes and whether the
joint that turns is inside its limits; whole poses are made of the few arcs that come nearest, for
the targets they come nearest to.

What is best but for a floor may not be above it, and with the up vector first the nearest is not
the best: then every pose that may be is looked at.
"""

from typing import NamedTuple

import numpy as np

from .columns import rows_of, sine_and_cosine, solve
from .poses import PlaneColumns
from .ranking import Best
from ..closest.planar.reach import Arithmetic
from ..limits import LIMIT_SLACK, TURN
from ..ranking import TIE

_COLUMNS = Arithmetic(np.sin, np.cos, np.arctan2, solve)

#: Targets nearer to the centre of an arc than this [m] are not judged here.
CENTRE = 1e-9


class InPlane(NamedTuple):
    """
    Targets in their arm planes.

    ``x``, ``y``: from the shoulder [m]; ``elevation``: of the up vector [rad], NaN for any;
    ``near``: readings of shoulder, elbow and wrist [rad] to stay near to.
    """

    x: np.ndarray
    y: np.ndarray
    elevation: np.ndarray
    near: list

    def at(self, rows):
        """Return some of the targets."""
        return InPlane(*rows_of(self[:3], rows), rows_of(self.near, rows))


class ReachColumns(PlaneColumns):
    """
    The reach of three links inside limits.

    :param planar: :class:`~arm_ik.kinematics.closest.planar.reach.PlanarReach` of the links.
    :param limits: :class:`~arm_ik.kinematics.limits.JointLimits` of shoulder, elbow and wrist.
    :param floor: height from the shoulder that elbow, wrist and tip stay above [m], or ``None``.
    :param up_first: whether the turn from the wanted elevation goes before the distance.
    """

    def __init__(self, planar, limits, floor=None, up_first=False):
        super().__init__(planar, limits, floor)
        self._up_first = up_first

    def best(self, targets):
        """
        Return the best pose for each target: nearest, least turned (or first), least moved.

        :param targets: :class:`InPlane`.
        :returns: :class:`~arm_ik.kinematics.batch.ranking.Best` of readings of shoulder, elbow and
            wrist [rad]; its first cost is infinite where no pose is inside the limits.
        """
        best = Best(3, 3, len(targets.x))
        if self._up_first:
            self._offer_all(best, np.arange(len(targets.x)), targets)
            return best
        reach = self._planar.reach + TIE
        rows = np.flatnonzero(targets.x ** 2 + targets.y ** 2 <= reach ** 2)
        self._offer_reaching(best, rows, targets.at(rows))
        rows = np.flatnonzero(np.isinf(best.costs[0]))
        self._offer_nearest(best, rows, targets.at(rows))
        if self._floor is not None:
            rows = np.flatnonzero(~(best.sure & self.above_floor(best.q)))
            best.costs[:, rows], best.sure[rows] = np.inf, True
            self._offer_all(best, rows, targets.at(rows))
        return best

    def _offer_all(self, best, rows, targets):
        """Offer every pose that can be the best above the floor."""
        for pose in self._planar.every_pose(*targets[:3], _COLUMNS):
            self._offer(best, rows, targets, pose, None, above=True)

    def _offer_reaching(self, best, rows, targets):
        """Offer the poses that reach and have a joint at a limit, or stand as asked for."""
        for pose, reaches in self.extreme(targets.x, targets.y):
            self._offer(best, rows, targets, pose, np.flatnonzero(reaches))
        if not np.isnan(targets.elevation).all():
            for pose, reaches in self.standing(*targets[:3]):
                self._offer(best, rows, targets, pose, np.flatnonzero(reaches))

    def _offer_nearest(self, best, rows, targets):
        """Offer the poses that come nearest to targets they do not reach."""
        x, y, arcs, corners = targets.x, targets.y, self._planar.arcs, self._planar.corners
        if not len(rows):
            return
        away = np.empty((len(arcs) + len(corners), len(rows)))
        for distance, arc in zip(away, arcs):
            dx, dy = x - arc.x, y - arc.y
            away_from_centre = np.sqrt(dx * dx + dy * dy)
            # From the very centre every direction is as near.
            best.sure[rows] &= away_from_centre > CENTRE
            np.abs(away_from_centre - arc.radius, out=distance)
            angle = np.arctan2(dy, dx) + arc.turned
            excess = self._joints[arc.joint].fitted(
                angle, targets.near[arc.joint], principal=False)[1]
            np.putmask(distance, excess > LIMIT_SLACK, np.inf)
        for distance, (corner_x, corner_y, _) in zip(away[len(arcs):], corners):
            dx, dy = x - corner_x, y - corner_y
            np.sqrt(dx * dx + dy * dy, out=distance)
        least = away.min(axis=0) + TIE
        for distance, arc in zip(away, arcs):
            some = np.flatnonzero(distance <= least)
            if len(some):
                pose = arc.pose(np.arctan2(y[some] - arc.y, x[some] - arc.x))
                self._offer(best, rows[some], targets.at(some), pose, None)
        for distance, (_, _, pose) in zip(away[len(arcs):], corners):
            some = np.flatnonzero(distance <= least)
            self._offer(best, rows[some], targets.at(some), pose, None)

    def _offer(self, best, rows, targets, pose, some, above=False):
        """
        Offer a pose for some rows, which belong to targets, as far as it is inside limits.

        :param above: leave out what is below the floor.
        """
        if some is not None:
            rows, targets = rows[some], targets.at(some)
            pose = [angle[some] if np.ndim(angle) else angle for angle in pose]
        q, excess = self.fitted(pose, targets.near)
        some = np.flatnonzero(excess <= LIMIT_SLACK)
        s, e, w = [joint.angle(reading[some]) for joint, reading in zip(self._joints, q)]
        angles = [s, s + e, s + e + w]
        turn = angles[2] - targets.elevation[some]
        turn = np.abs(turn - TURN * np.rint(turn / TURN))
        turn[np.isnan(turn)] = 0.0
        if self._up_first:
            kept = np.flatnonzero(turn <= best.costs[0, rows[some]] + TIE)
            some, turn, *angles = rows_of((some, turn, *angles), kept)
        (s1, c1), (s2, c2), (s3, c3) = map(sine_and_cosine, angles)
        planar = self._planar
        dx = targets.x[some] - planar.l1 * c1 - planar.l2 * c2 - planar.l3 * c3
        dy = targets.y[some] - planar.l1 * s1 - planar.l2 * s2 - planar.l3 * s3
        distance = np.sqrt(dx * dx + dy * dy)
        kept = distance <= best.costs[int(self._up_first), rows[some]] + TIE
        if self._up_first:
            # What is less turned may be farther.
            kept |= turn < best.costs[0, rows[some]] - TIE
        if above:
            kept &= self.stays_above(s1, s2, s3)
        some, turn, distance = rows_of((some, turn, distance), np.flatnonzero(kept))
        q, near = rows_of(q, some), rows_of(targets.near, some)
        steps = [np.abs(reading - at) for reading, at in zip(q, near)]
        steps = np.maximum(np.maximum(steps[0], steps[1]), steps[2])
        best.offer(rows[some], q, [turn, distance, steps] if self._up_first
                   else [distance, turn, steps])
