# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The best pose of three links in their plane for many targets: :mod:`.planar_reach` over columns.

The arcs and corners depend on the arm alone, so each of them is held against all targets at once.
First only how near it comes and whether the joint that turns is inside its limits; whole poses are
made of the few arcs that come nearest, for the targets they come nearest to.
"""

from typing import NamedTuple

import numpy as np

from .batch_columns import JointColumns, rows_of, sine_and_cosine
from .batch_ranking import Best
from .limits import LIMIT_SLACK, TURN
from .ranking import TIE


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


class ReachColumns:
    """
    The reach of three links inside limits.

    :param planar: :class:`~arm_ik.kinematics.planar_reach.PlanarReach` of the links.
    :param limits: :class:`~arm_ik.kinematics.limits.JointLimits` of shoulder, elbow and wrist.
    """

    def __init__(self, planar, limits):
        self._planar = planar
        self._joints = [JointColumns(limit) for limit in limits]

    def best(self, targets):
        """
        Return the best pose for each target: nearest, then least turned, then least moved.

        :param targets: :class:`InPlane`.
        :returns: :class:`~arm_ik.kinematics.batch_ranking.Best` of readings of shoulder, elbow and
            wrist [rad]; its first cost is infinite where no pose is inside the limits.
        """
        best = Best(3, 3, len(targets.x))
        reach = self._planar.reach + TIE
        rows = np.flatnonzero(targets.x ** 2 + targets.y ** 2 <= reach ** 2)
        self._offer_reaching(best, rows, targets.at(rows))
        rows = np.flatnonzero(np.isinf(best.costs[0]))
        self._offer_nearest(best, rows, targets.at(rows))
        return best

    def extreme(self, x, y):
        """Yield the poses that reach and have a joint at a limit, and which targets they reach."""
        planar = self._planar
        for w, turned, backwards, triangle in planar.at_wrist:
            first, second, angle, reaches = solve(triangle, x, y)
            yield (first, angle + (backwards - turned), w), reaches
            yield (second, (backwards - turned) - angle, w), reaches
        for e, turned, backwards, triangle in planar.at_elbow:
            first, second, angle, reaches = solve(triangle, x, y)
            yield (first - turned, e, angle + (backwards + turned - e)), reaches
            yield (second - turned, e, (backwards + turned - e) - angle), reaches
        for s, elbow_x, elbow_y in planar.at_shoulder:
            first, second, angle, reaches = solve(planar.beyond_elbow, x - elbow_x, y - elbow_y)
            backwards = np.pi if planar.l3 < 0.0 else 0.0
            yield (s, first - s, angle + backwards), reaches
            yield (s, second - s, backwards - angle), reaches

    def standing(self, x, y, elevation):
        """Yield the poses with the last link at elevations [rad], and which targets they reach."""
        sine, cosine = sine_and_cosine(elevation)
        first, second, angle, reaches = solve(
            self._planar.arm, x - self._planar.l3 * cosine, y - self._planar.l3 * sine)
        yield (first, angle, elevation - first - angle), reaches
        yield (second, -angle, elevation - second + angle), reaches

    def fitted(self, pose, near):
        """
        Return a pose as readings.

        :param pose: canonical shoulder, elbow and wrist [rad], columns or numbers.
        :param near: readings [rad] to stay near to, three columns.
        :returns: ``(q, excess)`` [rad]: readings inside the limits, and how far they would be
            outside at the most.
        """
        q, excess = [], -np.inf
        for joint, angle, at in zip(self._joints, pose, near):
            reading, beyond = joint.fitted(np.broadcast_to(angle, at.shape), at, principal=False)
            excess = np.maximum(excess, beyond)
            q.append(joint.clamped(reading))
        return q, excess

    def elevation(self, q):
        """Return the elevation of the last link [rad] at readings of the three joints [rad]."""
        return sum([joint.angle(reading) for joint, reading in zip(self._joints, q)])

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

    def _offer(self, best, rows, targets, pose, some):
        """Offer a pose for some rows, which belong to targets, as far as it is inside limits."""
        if some is not None:
            rows, targets = rows[some], targets.at(some)
            pose = [angle[some] if np.ndim(angle) else angle for angle in pose]
        q, excess = self.fitted(pose, targets.near)
        some = np.flatnonzero(excess <= LIMIT_SLACK)
        if not len(some):
            return
        rows, targets, q = rows[some], targets.at(some), rows_of(q, some)
        s, e, w = [joint.angle(reading) for joint, reading in zip(self._joints, q)]
        (s1, c1), (s2, c2), (s3, c3) = map(sine_and_cosine, (s, s + e, s + e + w))
        planar = self._planar
        dx = targets.x - planar.l1 * c1 - planar.l2 * c2 - planar.l3 * c3
        dy = targets.y - planar.l1 * s1 - planar.l2 * s2 - planar.l3 * s3
        turn = s + e + w - targets.elevation
        turn = np.abs(turn - TURN * np.rint(turn / TURN))
        steps = [np.abs(reading - near) for reading, near in zip(q, targets.near)]
        best.offer(rows, q, [np.sqrt(dx * dx + dy * dy), np.where(np.isnan(turn), 0.0, turn),
                             np.maximum(np.maximum(steps[0], steps[1]), steps[2])])


def solve(triangle, x, y):
    """
    Return :meth:`~arm_ik.kinematics.branch.Triangle.solve` of columns, where it is in reach.

    :returns: ``(shoulder of bend 1, shoulder of bend -1, elbow of bend 1, in reach)``.
    """
    h = x * x + y * y
    s = np.sqrt(np.maximum((triangle.outer_squared - h) * (h - triangle.inner_squared), 0.0))
    w = h + triangle.w_less_h
    xw, xs, yw, ys = x * w, x * s, y * w, y * s
    return (np.arctan2(yw - xs, xw + ys), np.arctan2(yw + xs, xw - ys),
            np.arctan2(s, h - triangle.squares), (h <= triangle.far) & (h >= triangle.close))
