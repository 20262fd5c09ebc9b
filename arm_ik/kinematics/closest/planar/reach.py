# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What three links in a plane reach inside their limits: its edge, and the nearest point to a target.

The tip is ``l1 e^is + l2 e^i(s+e) + l3 e^i(s+e+w)``. Where it is as near to a target as it can be,
each joint is at a limit or stationary. One joint then carries the rest around rigidly, so the tip
of every such pose is on one of a fixed set of *arcs*:

* two joints at their limits, the third turns: 12 arcs;
* one joint at a limit, the two others in line with what they carry: 12 arcs;
* none at a limit, all in line: 4 arcs about the shoulder,

or at one of the 8 *corners* where all three are at limits. They depend on the arm alone and are
computed once; for a target there remain one distance and one direction each.

If the target itself is reached, the elevation of the last link can be chosen. Its values inside
the limits are closed intervals, and at the end of one a joint is at a limit or the elbow straight
or folded. Fix that joint; what remains is a triangle: 9 of them, two poses each.
"""

from math import atan2, cos, hypot, inf, pi, remainder, sin
from typing import NamedTuple

from ...arm_plane import DEGENERATE
from ...branch import Triangle
from ...limits import LIMIT_SLACK, TURN

#: Poses are as near as each other within this [m].
_AS_NEAR = 1e-9

#: Angles [rad] this far past a limit are inside to rounding.
_STRICTLY = 1e-12

#: More than putting angles on limits they are just past turns the last link [rad].
_MARGIN = 1e-6


class Arc(NamedTuple):
    """
    The way of the tip while one joint turns.

    ``joint``: 0 shoulder, 1 elbow, 2 wrist; its angle is the direction of the tip from the centre
    plus ``turned``. ``first`` and ``second`` are the angles of the two others, base to tip [rad].
    """

    joint: int
    x: float
    y: float
    radius: float
    turned: float
    first: float
    second: float

    def pose(self, direction):
        """Return shoulder, elbow and wrist [rad] with the tip in a direction from the centre."""
        angle = direction + self.turned
        if self.joint == 0:
            return angle, self.first, self.second
        if self.joint == 1:
            return self.first, angle, self.second
        return self.first, self.second, angle

    def pose_at(self, elevation):
        """Return shoulder, elbow and wrist [rad] with the last link at an elevation [rad]."""
        angle = elevation - self.first - self.second
        return self.pose(angle - self.turned)


class PlanarReach:
    """
    The reach of three links inside limits.

    :param l1: upper arm [m].
    :param l2: forearm [m].
    :param l3: last link in the plane [m], negative if it is tilted over backwards.
    :param limits: :class:`~arm_ik.kinematics.limits.JointLimits` of shoulder, elbow and wrist.
    """

    def __init__(self, l1, l2, l3, limits):
        self.l1, self.l2, self.l3 = l1, l2, l3
        self.reach = l1 + l2 + abs(l3)
        self._limits = limits
        ends = [sorted({*limit.canonical_ends}) for limit in limits]
        self._ends = ends
        self.arcs = self._shoulder_arcs() + self._elbow_arcs() + self._wrist_arcs()
        self.corners = [(*self.tip(s, e, w), (s, e, w))
                        for s in ends[0] for e in ends[1] for w in ends[2]]
        self._make_triangles()
        self._make_ranges(limits)

    def fits(self, pose, slack=LIMIT_SLACK):
        """Tell whether shoulder, elbow and wrist angles [rad] are inside the limits."""
        s, e, w = pose
        s_low, s_span, e_low, e_span, w_low, w_span = self._ranges
        return ((e - e_low + slack) % TURN <= e_span + 2.0 * slack
                and (s - s_low + slack) % TURN <= s_span + 2.0 * slack
                and (w - w_low + slack) % TURN <= w_span + 2.0 * slack)

    def tip(self, s, e, w):
        """Return where the tip is, x and y [m], at shoulder, elbow and wrist angles [rad]."""
        a2, a3 = s + e, s + e + w
        return (self.l1 * cos(s) + self.l2 * cos(a2) + self.l3 * cos(a3),
                self.l1 * sin(s) + self.l2 * sin(a2) + self.l3 * sin(a3))

    def span(self, arc):
        """Return the directions [rad] of an arc inside its joint's limits, as (low, high)."""
        low, high = sorted(self._limits[arc.joint].canonical_ends)
        return low - arc.turned, min(high, low + TURN) - arc.turned

    def nearest(self, x, y, elevation=None, most=inf):
        """
        Return the poses whose tip is nearest to a target that is not reached.

        :param x: tip target from the shoulder [m].
        :param y: tip target from the shoulder [m].
        :param elevation: wanted direction of the last link [rad], ``None`` for any.
        :param most: poses farther away than this [m] need not be found.
        :returns: list of poses (shoulder, elbow, wrist) [rad], all as near.
        """
        distances = []
        for centre_x, centre_y, radii in self._centres:
            distance = hypot(x - centre_x, y - centre_y)
            distances += [abs(distance - radius) for radius in radii]
        distances += [hypot(x - cx, y - cy) for cx, cy, _ in self.corners]
        found = []
        if min(distances) > most:
            return found
        for i in sorted(range(len(distances)), key=distances.__getitem__):
            if distances[i] > most:
                break
            for pose in self._poses_of(i, x, y, elevation):
                if self.fits(pose):
                    found.append(pose)
                    most = min(most, distances[i] + _AS_NEAR)
        return found

    def _poses_of(self, i, x, y, elevation):
        """Return the poses of the i-th arc or corner whose tip is nearest to a target."""
        if i >= len(self.arcs):
            return [self.corners[i - len(self.arcs)][2]]
        arc = self.arcs[i]
        dx, dy = x - arc.x, y - arc.y
        poses = [arc.pose(atan2(dy, dx))]
        if elevation is not None and hypot(dx, dy) <= DEGENERATE:
            # Every direction is as near: the elevation chooses, or a corner beside.
            poses.append(arc.pose_at(elevation))
        return poses

    def extreme(self, x, y):
        """
        Yield the poses that reach a target and have a joint at a limit, or a straight elbow.

        :param x: tip target from the shoulder [m].
        :param y: tip target from the shoulder [m].
        :returns: poses (shoulder, elbow, wrist) [rad], inside the limits or not.
        """
        h = x * x + y * y
        for w, turned, backwards, triangle in self.at_wrist:
            if triangle.close <= h <= triangle.far:
                first, second, angle, _ = triangle.solve(x, y)
                yield first, angle + backwards - turned, w
                yield second, backwards - angle - turned, w
        for e, turned, backwards, triangle in self.at_elbow:
            if triangle.close <= h <= triangle.far:
                first, second, angle, _ = triangle.solve(x, y)
                yield first - turned, e, angle + backwards + turned - e
                yield second - turned, e, backwards - angle + turned - e
        for s, elbow_x, elbow_y in self.at_shoulder:
            first, second, angle, beyond = self.beyond_elbow.solve(x - elbow_x, y - elbow_y)
            backwards = pi if self.l3 < 0.0 else 0.0
            if not beyond:
                yield s, first - s, angle + backwards
                yield s, second - s, backwards - angle

    def standing(self, x, y, elevation):
        """Yield the poses that reach a target with the last link at an elevation [rad]."""
        first, second, angle, beyond = self.arm.solve(
            x - self.l3 * cos(elevation), y - self.l3 * sin(elevation))
        if not beyond:
            yield first, angle, elevation - first - angle
            yield second, -angle, elevation - second + angle

    def least_turned(self, x, y, elevation, most=inf):
        """
        Return the poses that reach a target, with the last link turned least from an elevation.

        :param x: tip target from the shoulder [m].
        :param y: tip target from the shoulder [m].
        :param elevation: wanted direction of the last link [rad].
        :param most: poses turned by more than this [rad] need not be found.
        :returns: list of poses (shoulder, elbow, wrist) [rad] inside the limits, all turned as
            little; empty if the target is out of reach.
        """
        found = [pose for pose in self.standing(x, y, elevation) if self.fits(pose)]
        if any(self.fits(pose, _STRICTLY) for pose in found):
            return found
        ranked = []
        for number, (centre_x, centre_y, triangle, lean) in enumerate(self._triangles):
            dx, dy = x - centre_x, y - centre_y
            if triangle.close <= dx * dx + dy * dy <= triangle.far:
                first, second, angle, _ = triangle.solve(dx, dy)
                lean -= elevation
                for direction, bent in ((first, angle), (second, -angle)):
                    ranked.append(
                        (abs(remainder(direction + bent + lean, TURN)), number, direction, bent))
        ranked.sort()
        sure = False
        for turn, number, direction, angle in ranked:
            if turn > most:
                break
            pose = self._pose_of_triangle(number, direction, angle)
            if self.fits(pose):
                found.append(pose)
                # What is only just outside may be clamped, and then not reach.
                if not sure and self.fits(pose, _STRICTLY):
                    sure, most = True, min(most, turn + _MARGIN)
        return found

    def _pose_of_triangle(self, number, direction, angle):
        """Return the pose with the pieces of a triangle at a direction, and an angle to it."""
        at_wrist, at_elbow = len(self.at_wrist), len(self.at_elbow)
        if number < at_wrist:
            w, turned, _, _ = self.at_wrist[number]
            return direction, angle - turned, w
        if number < at_wrist + at_elbow:
            e, turned, backwards, _ = self.at_elbow[number - at_wrist]
            return direction - turned, e, angle + backwards + turned - e
        s = self.at_shoulder[number - at_wrist - at_elbow][0]
        return s, direction - s, angle + (pi if self.l3 < 0.0 else 0.0)

    def _make_ranges(self, limits):
        self._ranges = []
        for limit, ends in zip(limits, self._ends):
            self._ranges += [ends[0], limit.upper - limit.lower]
        # Lowest angle and span of each joint, with the slack that limits have.
        self.slack_ranges = [(ends[0] - LIMIT_SLACK, limit.upper - limit.lower + 2.0 * LIMIT_SLACK)
                             for limit, ends in zip(limits, self._ends)]
        self._centres = []
        for arc in self.arcs:
            if not self._centres or self._centres[-1][:2] != (arc.x, arc.y):
                self._centres.append((arc.x, arc.y, []))
            self._centres[-1][2].append(arc.radius)

    def _make_triangles(self):
        l1, l2, l3 = self.l1, self.l2, self.l3
        s_ends, e_ends, w_ends = self._ends
        self.at_wrist, self.at_elbow = [], []
        for w in w_ends:
            length, turned = sum_of_pieces((l2, 0.0), (l3, w))
            self.at_wrist.append((w, turned, 0.0, Triangle(l1, length)))
        for e in (*e_ends, *self._inside(1, (0.0, pi))):
            length, turned = sum_of_pieces((l1, 0.0), (l2, e))
            self.at_elbow.append(
                (e, turned, pi if l3 < 0.0 else 0.0, Triangle(length, abs(l3))))
        self.at_shoulder = [(s, l1 * cos(s), l1 * sin(s)) for s in s_ends]
        self.beyond_elbow = Triangle(l2, abs(l3))
        self.arm = Triangle(l1, l2)
        backwards = pi if l3 < 0.0 else 0.0
        # Where each begins, and what its two angles lack to the elevation of the last link.
        self._triangles = [
            *[(0.0, 0.0, triangle, w - turned) for w, turned, _, triangle in self.at_wrist],
            *[(0.0, 0.0, triangle, backwards) for _, _, _, triangle in self.at_elbow],
            *[(x, y, self.beyond_elbow, backwards) for _, x, y in self.at_shoulder]]

    def _shoulder_arcs(self):
        _, e_ends, w_ends = self._ends
        pairs = [(e, w) for e in e_ends for w in w_ends]
        for w in w_ends:
            _, turned = sum_of_pieces((self.l2, 0.0), (self.l3, w))
            pairs += [(e, w) for e in self._inside(1, (-turned, pi - turned))]
        for e in e_ends:
            _, turned = sum_of_pieces((self.l1, 0.0), (self.l2, e))
            pairs += [(e, w) for w in self._inside(2, (turned - e, turned - e + pi))]
        pairs += [(e, w) for e in self._inside(1, (0.0, pi)) for w in self._inside(2, (0.0, pi))]
        arcs = []
        for e, w in pairs:
            radius, turned = sum_of_pieces((self.l1, 0.0), (self.l2, e), (self.l3, e + w))
            arcs.append(Arc(0, 0.0, 0.0, radius, -turned, e, w))
        return arcs

    def _elbow_arcs(self):
        arcs = []
        for s in self._ends[0]:
            x, y = self.l1 * cos(s), self.l1 * sin(s)
            for w in (*self._ends[2], *self._inside(2, (0.0, pi))):
                radius, turned = sum_of_pieces((self.l2, 0.0), (self.l3, w))
                arcs.append(Arc(1, x, y, radius, -s - turned, s, w))
        return arcs

    def _wrist_arcs(self):
        arcs = []
        for s in self._ends[0]:
            for e in self._ends[1]:
                x = self.l1 * cos(s) + self.l2 * cos(s + e)
                y = self.l1 * sin(s) + self.l2 * sin(s + e)
                turned = -s - e + (pi if self.l3 < 0.0 else 0.0)
                arcs.append(Arc(2, x, y, abs(self.l3), turned, s, e))
        return arcs

    def _inside(self, joint, angles):
        """Return those of the canonical angles [rad] that are inside a joint's limits."""
        return [angle for angle in angles if self._limits[joint].allows(angle)]


def sum_of_pieces(*pieces):
    """Return length and direction of a sum of pieces ``(length, direction)``."""
    x = sum(length * cos(angle) for length, angle in pieces)
    y = sum(length * sin(angle) for length, angle in pieces)
    return hypot(x, y), atan2(y, x)
