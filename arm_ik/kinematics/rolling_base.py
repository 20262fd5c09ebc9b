# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The closest poses of an arm with a rolling base to a position it can't reach.

Let v be the way from the tip to the target. At the nearest pose each joint is at a limit or
``v . dtip/dq = 0``. For the roll, whose axis f passes S0, this says that v lies in the arm plane
(or that the tip is on f, where rolling moves nothing and the roll may as well be at a limit). For
the yaw it says that tip, target and yaw axis are in one plane. So one of four holds:

1. the yaw is at a limit; the roll takes the plane through the target or is at a limit too;
2. the plane is upright and contains the target;
3. the tip is on the line from S0 to the target: otherwise the arm plane, which contains both,
   would have to be upright;
4. the roll is at a limit, the yaw is free.

In 1 and 2 the plane is given: the sections of :mod:`.closest`. In 3 only the distance from S0
counts: where it is stationary the tip, the centre it turns about and S0 are in line, so each arc
of :mod:`.planar_reach` has two such poses and each corner is one, whatever the target. An arc
about S0 itself is as far everywhere; its poses are a curve of planes about the target's line. In
4 the tip is on an arc, or ahead of nothing: above or below S0 on h, where the way it moves by yaw
and the way it moves in the plane are the same; :mod:`.distance_search` takes the arcs.
"""

from math import atan2, cos, hypot, pi, sin

import numpy as np

from .arm_plane import DEGENERATE
from .bases import Bases
from .distance_search import apart, arc_families, DistanceSearch
from .limits import TURN
from .planar_arrays import SLACK
from .ranking import TIE

#: Planes tried around the line to a target that is short of an arc about S0.
PLANES = 90


class RollingBase:
    """
    What is known of an arm with a rolling base before there is a target.

    :param geometry: of the arm.
    :param planar: its :class:`~arm_ik.kinematics.planar_reach.PlanarReach`.
    """

    def __init__(self, geometry, planar):
        self._geometry, self._planar = geometry, planar
        self._arcs = [(arc, *planar.span(arc)) for arc in planar.arcs]
        self._rolls = sorted({*geometry.limits[1].canonical_ends})
        self._search = DistanceSearch(arc_families(
            self._arcs, geometry.shoulder_offset, [(roll, 0.0) for roll in self._rolls]),
            geometry.limits[0])
        self._find_radial()

    def nearest(self, e, best):
        """
        Return poses of cases 3 and 4 that may be nearer than a distance.

        :param e: tip target from S0 [m].
        :param best: distance already found [m].
        :returns: list of canonical ``(yaw, roll, shoulder, elbow, wrist, 0.0)`` [rad].
        """
        found = self._radial(e) + self._concentric(e) + self._on_the_fold(e)
        which, p, _, yaw, distance = self._search.nearest(e, best)
        for i in apart(which, p, distance):
            k, roll = divmod(int(which[i]), len(self._rolls))
            pose = self._arcs[k][0].pose(self._search.bottom(e, which[i], p[i]))
            found.append((float(yaw[i]), self._rolls[roll], *pose))
        return [(*pose, 0.0) for pose in found]

    def _find_radial(self):
        """Note every pose whose distance from S0 is stationary, and every arc about S0."""
        offset, poses, self._about_s0 = self._geometry.shoulder_offset, [], []
        for arc, low, high in self._arcs:
            x, y = arc.x + offset, arc.y
            if hypot(x, y) <= DEGENERATE:
                self._about_s0.append((arc, low, high))
                continue
            for direction in (atan2(y, x), atan2(-y, -x)):
                if np.mod(direction - low + SLACK, TURN) <= high - low + 2.0 * SLACK:
                    poses.append(arc.pose(direction))
        poses += [pose for _, _, pose in self._planar.corners]
        self._radial_poses = poses
        tips = np.array([self._planar.tip(*pose) for pose in poses]) + (offset, 0.0)
        self._radii, self._angles = np.hypot(*tips.T), np.arctan2(tips[:, 1], tips[:, 0])

    def _radial(self, e):
        """Return the poses of case 3 with the roll and yaw they need, either way."""
        length = hypot(*e)
        if length <= DEGENERATE:
            return []
        with np.errstate(divide='ignore', invalid='ignore'):
            cosine = e[2] / length / np.sin(self._angles)
        possible = np.flatnonzero(np.abs(cosine) <= 1.0)
        short = np.abs(self._radii - length)
        found, least = [], None
        for k in possible[np.argsort(short[possible])]:
            if found and short[k] > least + TIE:
                break
            angle, pose, least = self._angles[k], self._radial_poses[k], short[k]
            for roll in (np.arccos(cosine[k]), -np.arccos(cosine[k])):
                yaw = atan2(e[1], e[0]) - atan2(-sin(angle) * sin(roll), cos(angle))
                if self._fits(0, yaw) and self._fits(1, roll):
                    found.append((yaw, float(roll), *pose))
        return found

    def _concentric(self, e):
        """Return poses on arcs about S0, spread over the planes that they can be taken in."""
        if not self._about_s0:
            return []
        t = np.linspace(0.0, TURN, PLANES, endpoint=False)
        bases, found = Bases(self._geometry, e), []
        t = np.tile(np.concatenate([t, np.mod(bases.ends(), TURN)]), 2)
        base = bases.at(t, np.arange(len(t)) >= len(t) // 2)
        direction = np.arctan2(base.y, base.x + self._geometry.shoulder_offset)
        nearest = sorted(self._about_s0, key=lambda item: abs(item[0].radius - hypot(*e)))
        for arc, low, high in nearest:
            on_arc = np.mod(direction - low + SLACK, TURN) <= high - low + 2.0 * SLACK
            for i in np.flatnonzero(base.inside & on_arc):
                found.append((float(base.yaw[i]), float(base.roll[i]),
                              *arc.pose(float(direction[i]))))
            if found:
                break
        return found

    def _on_the_fold(self, e):
        """Return the poses of case 4 with the tip on h: neither ahead of S0 nor behind it."""
        found = []
        for roll in self._rolls:
            for side in (1.0, -1.0):
                y = side * hypot(e[0], e[1]) * sin(roll) + e[2] * cos(roll)
                left = -y * sin(roll)
                yaw = atan2(e[1], e[0]) - (pi / 2 if left > 0.0 else -pi / 2)
                if self._fits(0, yaw):
                    found += [(yaw, roll, *pose) for pose in self._planar.extreme(
                        -self._geometry.shoulder_offset, y)]
        return found

    def _fits(self, joint, angle):
        limit = self._geometry.limits[joint]
        return limit.fit(angle, limit.lower) is not None
