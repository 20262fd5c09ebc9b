# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The closest poses of an arm with a rolling base to a position it can't reach.

Let v be the vector from the tip to the target. At the nearest pose each joint is at a limit or
``v . dtip/dq = 0``. For the roll, whose axis f passes S0, this says that v lies in the arm plane
(or that the tip is on f, where rolling moves nothing and the roll may as well be at a limit). For
the yaw it says that tip, target and yaw axis are in one plane. So one of four holds:

1. the yaw is at a limit; the roll takes the plane through the target or is at a limit too;
2. the plane is upright and contains the target;
3. the tip is on the line from S0 to the target: otherwise the arm plane, which contains both,
   would have to be upright;
4. the roll is at a limit, the yaw is free.

In 1 and 2 the plane is given: the sections of :mod:`..candidates`. In 3 only the distance from S0
counts: where it is stationary the tip, the centre it turns about and S0 are in line, so each arc
of :mod:`..planar.reach` has two such poses and each corner is one, whatever the target. An arc
about S0 itself is as far everywhere; its poses are a curve of planes about the target's line. In
4 the tip is on an arc, or above or below S0 on h, where it moves in the same direction by yaw and
in the plane; :mod:`.distance_search` takes the arcs.
"""

from math import acos, atan2, copysign, cos, hypot, pi, sin, sqrt

import numpy as np

from .bases import Bases, chords, steps
from .curve_search import parameters, valleys
from .distance_search import arc_families, DistanceSearch
from .planar_arrays import SLACK
from ...arm_plane import DEGENERATE
from ...limits import TURN
from ...ranking import TIE

#: Planes, besides the best, around the line to a target that is short of an arc about S0.
PLANES = 12

#: Directions of an arc about S0 that a target in S0 is tried with.
DIRECTIONS = 9


class RollingBase:
    """
    What is known of an arm with a rolling base before there is a target.

    :param geometry: of the arm.
    :param planar: its :class:`~arm_ik.kinematics.closest.planar.reach.PlanarReach`.
    """

    def __init__(self, geometry, planar):
        self._geometry, self._planar = geometry, planar
        self._arcs = [(arc, *planar.span(arc)) for arc in planar.arcs]
        self._rolls = sorted({*geometry.limits[1].canonical_ends})
        self.search = DistanceSearch(arc_families(
            self._arcs, geometry.shoulder_offset, [(roll, 0.0) for roll in self._rolls]),
            geometry.limits[0])
        self._find_radial()

    def nearest(self, e, best, u, near):
        """
        Return poses of cases 3 and 4 that may be nearer than a distance.

        :param e: tip target from S0 [m].
        :param best: distance already found [m].
        :param u: unit up vector; chooses where many poses are as near.
        :param near: joint positions [rad]; they choose where the up vector does not.
        :returns: list of canonical ``(yaw, roll, shoulder, elbow, wrist, 0.0)`` [rad].
        """
        found = self._in_the_base(e, u) or (
            self._radial(e, best) + self._concentric(e, best, u, near))
        if found:
            best = min(best, self._short(e, found))
        if best <= self.at_least(e) + TIE:
            return [(*pose, 0.0) for pose in found]
        found += self._on_the_fold(e, u)
        for which, direction, yaw, _ in self.search.bottoms(e, best):
            found.append((yaw, *self.pose(which, direction)))
        return [(*pose, 0.0) for pose in found]

    def pose(self, which, direction):
        """Return roll, shoulder, elbow, wrist [rad] of a family of :attr:`search`."""
        arc, roll = divmod(which, len(self._rolls))
        return (self._rolls[roll], *self._arcs[arc][0].pose(direction))

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
        radii = [*self._radii, *[arc.radius for arc, _, _ in self._about_s0]]
        self._nearest_s0, self._farthest = min(radii), max(radii)
        if any(map(self._planar.fits, self._planar.extreme(-offset, 0.0))):
            self._nearest_s0 = 0.0

    def at_least(self, e):
        """Return a distance [m] that no tip comes nearer to e than, as far as S0 tells."""
        length = hypot(*e)
        return max(0.0, length - self._farthest, self._nearest_s0 - length)

    def _short(self, e, poses):
        """Return the least distance of poses of case 3 from the target [m]."""
        offset, length = self._geometry.shoulder_offset, hypot(*e)
        tips = [self._planar.tip(*pose[2:]) for pose in poses]
        return min([abs(hypot(x + offset, y) - length) for x, y in tips])

    def _radial(self, e, best):
        """Return the poses of case 3 with the yaw and roll they need, in both directions."""
        length = hypot(*e)
        if length <= DEGENERATE:
            return []
        short = np.abs(self._radii - length)
        found, least = [], None
        for k in np.argsort(short):
            if short[k] > (least if found else best) + TIE:
                break
            least = short[k]
            found += [(*base, *self._radial_poses[k])
                      for base in self._bases_towards(e, self._angles[k])]
        return found

    def _in_the_base(self, e, u):
        """Return the poses nearest to a target in S0, where any yaw and roll are as near."""
        if hypot(*e) > DEGENERATE:
            return []
        poses = list(zip(self._radii, self._radial_poses))
        poses += [(arc.radius, arc.pose(direction)) for arc, low, high in self._about_s0
                  for direction in np.linspace(low, high, DIRECTIONS).tolist()]
        least = min([radius for radius, _ in poses])
        bases, found = Bases(self._geometry, e), []
        for radius, pose in poses:
            if radius > least + TIE:
                continue
            elevation = sum(pose)

            def cost(t, curve, elevation=elevation):
                base = bases.at(t, curve)
                return np.where(base.inside, chords(*base[:3], elevation, u), np.inf)

            t, curve = valleys(*parameters(
                bases.ends(), lambda t, curve: np.ones((1, len(t))), bases.count), cost)
            base = bases.at(t, curve)
            found += [(*base, *pose) for base in self._bases_towards(u, elevation)]
            found += [(float(yaw), float(roll), *pose)
                      for yaw, roll in zip(base.yaw, base.roll)]
        return found

    def _bases_towards(self, v, angle):
        """Return (yaw, roll) with which a vector stands at an angle above f in the arm plane."""
        cosine = v[2] / hypot(*v) / sin(angle) if abs(sin(angle)) > DEGENERATE else 2.0
        if abs(cosine) > 1.0:
            return []
        found = []
        for roll in {acos(cosine), -acos(cosine)}:
            yaw = atan2(v[1], v[0]) - atan2(-sin(angle) * sin(roll), cos(angle))
            if self._fits(0, yaw) and self._fits(1, roll):
                found.append((yaw, roll))
        return found

    def _concentric(self, e, best, u, near):
        """Return poses on arcs about S0: the planes nearest to u, or to near, some all around."""
        if not self._about_s0:
            return []
        bases, length = Bases(self._geometry, e), hypot(*e)
        found, least = [], None
        for arc, low, high in sorted(
                self._about_s0, key=lambda item: abs(item[0].radius - length)):
            short = abs(arc.radius - length)
            if short > (least if found else best) + TIE:
                break

            def directions(t, curve):
                base = bases.at(t, curve)
                return base, np.arctan2(base.y, base.x + self._geometry.shoulder_offset)

            def ends(t, curve, low=low, high=high):
                _, direction = directions(t, curve)
                return np.array([np.sin(direction - low), np.sin(direction - high)])

            def cost(t, curve, arc=arc, low=low, high=high):
                base, direction = directions(t, curve)
                on_arc = np.mod(direction - low + SLACK, TURN) <= high - low + 2.0 * SLACK
                elevation = direction + arc.turned + arc.first + arc.second
                return np.where(base.inside & on_arc, chords(*base[:3], elevation, u), np.inf)

            def step(t, curve, arc=arc):
                base, direction = directions(t, curve)
                angles = base.yaw, base.roll, direction + arc.turned
                return np.max([steps(limit, angle, at) for limit, angle, at in zip(
                    self._geometry.limits, angles, near)], axis=0)

            # A straight arm may roll about itself, and its hand stays.
            is_straight = abs(sin(arc.turned + arc.first + arc.second)) <= DEGENERATE
            t, curve = parameters([*bases.ends(), *bases.towards(u)], ends, bases.count)
            possible = np.flatnonzero(np.isfinite(cost(t, curve)))
            if len(possible):
                some = possible[::max(1, len(possible) // PLANES)]
                best, on = valleys(t, curve, step if is_straight else cost)
                base, direction = directions(np.append(best, t[some]), np.append(on, curve[some]))
                found += [(float(yaw), float(roll), *arc.pose(float(at)))
                          for yaw, roll, at in zip(base.yaw, base.roll, direction)]
                least = short
        return found

    def _on_the_fold(self, e, u):
        """Return the poses of case 4 with the tip on h: neither ahead of S0 nor behind it."""
        if hypot(e[0], e[1]) <= 0.5 * TIE:
            return self._on_the_axis(e, u)
        found = []
        for roll in self._rolls:
            for side in (1.0, -1.0):
                y = side * hypot(e[0], e[1]) * sin(roll) + e[2] * cos(roll)
                left = -y * sin(roll)
                yaw = atan2(e[1], e[0]) - (pi / 2 if left > 0.0 else -pi / 2)
                if self._fits(0, yaw):
                    at = -self._geometry.shoulder_offset, y
                    aside = u[1] * cos(yaw) - u[0] * sin(yaw)
                    elevation = atan2(u[2] * cos(roll) - aside * sin(roll),
                                      u[0] * cos(yaw) + u[1] * sin(yaw))
                    found += [(yaw, roll, *pose) for pose in (
                        *self._planar.extreme(*at), *self._planar.standing(*at, elevation))]
        return found

    def _on_the_axis(self, e, u):
        """
        Return the poses of case 4 with the tip on h for a target on the yaw axis.

        Every yaw is as near, and one turns the last link from the height of u into u itself; that
        at a limit of the yaw is among the planes.
        """
        found, yaw = [], self._geometry.limits[0].canonical_ends[0]
        for roll in self._rolls:
            c = cos(roll)
            at = -self._geometry.shoulder_offset, e[2] * c
            elevation = copysign(1.0, c) * atan2(u[2], sqrt(max(0.0, c * c - u[2] * u[2])))
            found += [(yaw, roll, *pose) for pose in (
                *self._planar.extreme(*at), *self._planar.standing(*at, elevation),
                *self._planar.standing(*at, pi - elevation))]
        return found

    def _fits(self, joint, angle):
        return self._geometry.limits[joint].allows(angle)
