# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Poses of three links in their plane for many targets: :mod:`..closest.planar.reach` over columns.

Those that reach and have a joint at a limit or the elbow straight or folded, those at a wanted
elevation, and those with elbow or wrist on the floor; what is inside the limits, and what is above
the floor.
"""

import numpy as np

from .columns import JointColumns, sine_and_cosine, solve
from ..ranking import TIE


class PlaneColumns:
    """
    Three links inside limits, above a floor.

    :param planar: :class:`~arm_ik.kinematics.closest.planar.reach.PlanarReach` of the links.
    :param limits: :class:`~arm_ik.kinematics.limits.JointLimits` of shoulder, elbow and wrist.
    :param floor: height from the shoulder that elbow, wrist and tip stay above [m], or ``None``.
    """

    def __init__(self, planar, limits, floor):
        self._planar, self._floor = planar, floor
        self._joints = [JointColumns(limit) for limit in limits]

    def extreme(self, x, y):
        """Yield the poses that reach and have a joint at a limit, and which targets they reach."""
        for held in self._planar.held:
            first, second, bend, reaches = solve(held.triangle, x - held.x, y - held.y)
            yield held.pose(first, bend), reaches
            yield held.pose(second, -bend), reaches

    def standing(self, x, y, elevation):
        """Yield the poses with the last link at elevations [rad], and which targets they reach."""
        sine, cosine = sine_and_cosine(elevation)
        first, second, angle, reaches = solve(
            self._planar.arm, x - self._planar.l3 * cosine, y - self._planar.l3 * sine)
        yield (first, angle, elevation - first - angle), reaches
        yield (second, -angle, elevation - second + angle), reaches

    def ends(self, x, y):
        """Yield :meth:`extreme`, and the poses that reach with elbow or wrist on the floor."""
        yield from self.extreme(x, y)
        for elevation in self._ends_on_the_floor(x, y):
            yield from self.standing(x, y, elevation)

    def _ends_on_the_floor(self, x, y):
        """Return the elevations [rad] with elbow or wrist just on the floor, NaN if not so."""
        if self._floor is None:
            return []
        planar, floor = self._planar, self._floor
        wrist = np.arcsin((y - floor) / planar.l3)
        found = [wrist, np.pi - wrist]
        if abs(floor) <= planar.l1:
            elbow = np.arcsin(floor / planar.l1)
            for shoulder in (elbow, np.pi - elbow):
                first, second, angle, reaches = solve(
                    planar.beyond_elbow, x - planar.l1 * np.cos(shoulder), y - floor)
                found += [np.where(reaches, a, np.nan) for a in (first + angle, second - angle)]
        return found

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

    def above_floor(self, q):
        """Tell of readings of the three joints [rad] whether elbow, wrist and tip are above."""
        s, e, w = [joint.angle(reading) for joint, reading in zip(self._joints, q)]
        return self.stays_above(np.sin(s), np.sin(s + e), np.sin(s + e + w))

    def stays_above(self, s1, s2, s3):
        """Tell by the sines of the links' elevations whether all their ends are above."""
        if self._floor is None:
            return np.ones(len(s1), dtype=bool)
        elbow = self._planar.l1 * s1
        wrist = elbow + self._planar.l2 * s2
        tip = wrist + self._planar.l3 * s3
        return np.minimum(np.minimum(elbow, wrist), tip) >= self._floor - TIE
