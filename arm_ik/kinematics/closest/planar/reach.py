# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What three links in a plane reach inside their limits: its edge, and the nearest point to a target.

The tip is ``l1 e^is + l2 e^i(s+e) + l3 e^i(s+e+w)``. At the nearest pose to a target each joint is
at a limit or stationary. One joint then carries the rest around rigidly, so the tip of every such
pose is on one of a fixed set of *arcs*:

* two joints at their limits, the third turns: 12 arcs;
* one joint at a limit, the two others in line with what they carry: 12 arcs;
* none at a limit, all in line: 4 arcs about the shoulder,

or at one of the 8 *corners* where all three are at limits. They depend on the arm alone and are
computed once. A target then costs one distance and one direction for each.

If the target itself is reached, the elevation of the last link can be chosen. Its values inside
the limits are closed intervals, and at the end of one a joint is at a limit or the elbow straight
or folded. With that joint *held* what remains is a triangle: 9 of them, two poses each.
"""

from cmath import phase, rect
from functools import cached_property
from itertools import product
from math import atan2, cos, dist, hypot, inf, pi, remainder, sin
from typing import NamedTuple

from ...limits import TURN
from ...tolerances import DEGENERATE, LIMIT_SLACK, ROUNDING, SAME, TIE
from ...two_link import Triangle


class Arc(NamedTuple):
    """
    The path of the tip while one joint turns.

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
        pose = [self.first, self.second]
        pose.insert(self.joint, direction + self.turned)
        return tuple(pose)


class HeldJoint(NamedTuple):
    """
    One joint held at an angle: the rest is a triangle of two rigid pieces.

    ``joint``: 0 shoulder, 1 elbow, 2 wrist, held at ``angle`` [rad]; ``turned``: direction of the
    piece that it makes rigid from the first link of that piece [rad]; ``x``, ``y``: where the
    triangle begins, from the shoulder [m].
    """

    joint: int
    angle: float
    turned: float
    x: float
    y: float
    triangle: Triangle

    def pose(self, direction, bend):
        """Return shoulder, elbow, wrist [rad] from the first piece's direction and the bend."""
        if self.joint == 0:
            return self.angle, direction - self.angle, bend
        if self.joint == 1:
            return direction - self.turned, self.angle, bend + self.turned - self.angle
        return direction, bend - self.turned, self.angle

    def poses(self, x, y, nearest=False):
        """Yield shoulder, elbow and wrist [rad] with the tip at (x, y), see Triangle.bends."""
        for direction, bend in self.triangle.bends(x - self.x, y - self.y, nearest):
            yield self.pose(direction, bend)


class PlanarReach:
    """
    The reach of three links inside limits.

    :param l1: upper arm [m].
    :param l2: forearm [m].
    :param limits: :class:`~arm_ik.kinematics.limits.JointLimits` of shoulder, elbow and wrist.
    :param l3: last link in the plane [m], negative if it is tilted over backwards.
    """

    def __init__(self, l1, l2, limits, l3):
        self.l1, self.l2, self.l3 = l1, l2, l3
        self.reach = l1 + l2 + abs(l3)
        self._limits = limits
        self._ends = [sorted({*limit.canonical_ends}) for limit in limits]
        #: Lowest angle and range of each joint [rad].
        self._ranges = [(ends[0], limit.upper - limit.lower)
                        for limit, ends in zip(limits, self._ends)]
        #: Angles at which the elbow is at a limit, straight or folded [rad].
        self._elbows = (*self._ends[1], *self._inside(1, (0.0, pi)))
        self.arm = Triangle(l1, l2)

    # What few targets need is made when it is first asked for.

    @cached_property
    def held(self):
        """Hold each :class:`HeldJoint` at a limit, or the elbow straight or folded."""
        found, l1, l2, l3 = [], self.l1, self.l2, self.l3
        for angle in self._ends[2]:
            length, turned = sum_of_pieces((l2, 0.0), (l3, angle))
            found.append(HeldJoint(2, angle, turned, 0.0, 0.0, Triangle(l1, length)))
        for angle in self._elbows:
            length, turned = sum_of_pieces((l1, 0.0), (l2, angle))
            found.append(HeldJoint(1, angle, turned, 0.0, 0.0, Triangle(length, l3)))
        beyond_elbow = Triangle(l2, l3)
        return found + [HeldJoint(0, angle, 0.0, l1 * cos(angle), l1 * sin(angle), beyond_elbow)
                        for angle in self._ends[0]]

    @cached_property
    def arcs(self):
        """Hold the arcs."""
        s_ends, e_ends, w_ends = self._ends
        e_in_line, w_in_line = [self._inside(joint, (0.0, pi)) for joint in (1, 2)]
        pairs = [*product(e_ends, w_ends), *product(e_in_line, w_in_line)]
        for w in w_ends:
            _, turned = sum_of_pieces((self.l2, 0.0), (self.l3, w))
            pairs += [(e, w) for e in self._inside(1, (-turned, pi - turned))]
        for e in e_ends:
            _, turned = sum_of_pieces((self.l1, 0.0), (self.l2, e))
            pairs += [(e, w) for w in self._inside(2, (turned - e, turned - e + pi))]
        still = pairs, product(s_ends, (*w_ends, *w_in_line)), product(s_ends, e_ends)
        return [self._arc(joint, *pair) for joint, others in enumerate(still) for pair in others]

    def _arc(self, joint, first, second):
        """Return the arc of a joint with the two others at angles [rad]."""
        angles = [first, second]
        angles.insert(joint, 0.0)
        s, e, w = angles
        links = rect(self.l1, s), rect(self.l2, s + e), rect(self.l3, s + e + w)
        centre, rest = sum(links[:joint]), sum(links[joint:])
        return Arc(joint, centre.real, centre.imag, abs(rest), -phase(rest), first, second)

    @cached_property
    def corners(self):
        """Hold the corners: x and y [m], and the pose."""
        return [(*self.tip(*pose), pose) for pose in product(*self._ends)]

    @cached_property
    def _circles(self):
        return [(arc.x, arc.y, arc.radius) for arc in self.arcs] + [
            (x, y, 0.0) for x, y, _ in self.corners]

    def fits(self, pose, slack=LIMIT_SLACK):
        """Return whether shoulder, elbow and wrist angles [rad] are inside the limits."""
        for angle, (low, span) in zip(pose, self._ranges):
            if (angle - low + slack) % TURN > span + 2.0 * slack:
                return False
        return True

    def tip(self, s, e, w):
        """Return where the tip is, x and y [m], at shoulder, elbow and wrist angles [rad]."""
        a2, a3 = s + e, s + e + w
        return (self.l1 * cos(s) + self.l2 * cos(a2) + self.l3 * cos(a3),
                self.l1 * sin(s) + self.l2 * sin(a2) + self.l3 * sin(a3))

    def nearest(self, x, y, elevation=None):
        """
        Return the poses whose tip is nearest to a target that is not reached.

        :param x: tip target from the shoulder [m].
        :param y: tip target from the shoulder [m].
        :param elevation: wanted direction of the last link [rad], ``None`` for any.
        :returns: list of poses (shoulder, elbow, wrist) [rad], all as near.
        """
        stretched = atan2(y, x), 0.0, 0.0    # the arcs give the same, and are many to make
        if self.l3 > SAME and hypot(x, y) > self.reach and self.fits(stretched):
            return [stretched]
        distances = [abs(hypot(x - cx, y - cy) - radius) for cx, cy, radius in self._circles]
        found, most = [], inf
        for distance, i in sorted(zip(distances, range(len(distances)))):
            if distance > most:
                break
            for pose in self._poses_of(i, x, y, elevation):
                if self.fits(pose):
                    found.append(pose)
                    most = min(most, distance + TIE)
        return found

    def distance(self, x, y):
        """Return how far the nearest tip is from a target [m], of joints that all have limits."""
        if any(map(self.fits, self.extreme(x, y))):
            return 0.0
        return min([dist((x, y), self.tip(*pose)) for pose in self.nearest(x, y)])

    def _poses_of(self, i, x, y, elevation):
        """Return the poses of the i-th arc or corner whose tip is nearest to a target."""
        if i >= len(self.arcs):
            return [self.corners[i - len(self.arcs)][2]]
        arc = self.arcs[i]
        dx, dy = x - arc.x, y - arc.y
        poses = [arc.pose(atan2(dy, dx))]
        if elevation is not None and hypot(dx, dy) <= DEGENERATE:
            # Every direction is equally near: the elevation chooses, or a corner at the end.
            poses.append(arc.pose(elevation - arc.first - arc.second - arc.turned))
        return poses

    def extreme(self, x, y):
        """
        Yield the poses that reach a target and have a joint at a limit, or a straight elbow.

        :param x: tip target from the shoulder [m].
        :param y: tip target from the shoulder [m].
        :returns: poses (shoulder, elbow, wrist) [rad], inside the limits or not.
        """
        for held in self.held:
            yield from held.poses(x, y)

    def with_elevation(self, x, y, elevation):
        """Yield the poses that reach a target with the last link at an elevation [rad]."""
        for s, e in self.arm.bends(x - self.l3 * cos(elevation), y - self.l3 * sin(elevation)):
            yield s, e, elevation - s - e

    def least_turned(self, x, y, elevation):
        """
        Return the poses that reach a target, with the last link turned least from an elevation.

        :param x: tip target from the shoulder [m].
        :param y: tip target from the shoulder [m].
        :param elevation: wanted direction of the last link [rad].
        :returns: list of poses (shoulder, elbow, wrist) [rad] inside the limits, all turned as
            little; empty if the target is out of reach.
        """
        found = [pose for pose in self.with_elevation(x, y, elevation) if self.fits(pose)]
        if any(self.fits(pose, ROUNDING) for pose in found):
            return found
        most = inf
        for turn, pose in sorted([(abs(remainder(sum(pose) - elevation, TURN)), pose)
                                  for pose in self.extreme(x, y)]):
            if turn > most:
                break
            if self.fits(pose):
                found.append(pose)
                # A pose just outside is clamped, and may then miss the target.
                if self.fits(pose, ROUNDING):
                    most = min(most, turn + SAME)
        return found

    def every_pose(self, x, y, elevation):
        """
        Yield every pose that can be the best in any order of distance and turn.

        :param x: tip target from the shoulder [m].
        :param y: tip target from the shoulder [m].
        :param elevation: wanted direction of the last link [rad], ``None`` for any.
        :returns: poses (shoulder, elbow, wrist) [rad], inside the limits or not.
        """
        for _, _, pose in self.corners:
            yield pose
        for arc in self.arcs:
            yield arc.pose(atan2(y - arc.y, x - arc.x))
        for held in self.held:
            yield from held.poses(x, y, True)
        if elevation is not None:
            for s, e in self._two_links_at_elevation(
                    x - self.l3 * cos(elevation), y - self.l3 * sin(elevation), elevation):
                yield s, e, elevation - s - e

    def _two_links_at_elevation(self, x, y, elevation):
        """
        Yield every shoulder and elbow that can bring the wrist nearest, at an elevation of l3.

        The argument is the same as for the tip, with one link less: a triangle, or joints at
        limits.

        :param x: wrist target from the shoulder [m].
        :param y: wrist target from the shoulder [m].
        """
        l1, l2 = self.l1, self.l2
        yield from self.arm.bends(x, y, True)
        for e in self._elbows:
            yield atan2(y, x) - sum_of_pieces((l1, 0.0), (l2, e))[1], e
        for s in self._ends[0]:
            yield s, atan2(y - l1 * sin(s), x - l1 * cos(s)) - s
            for e in self._elbows:
                yield s, e
        for w in self._ends[2]:
            forearm = elevation - w
            s = atan2(y - l2 * sin(forearm), x - l2 * cos(forearm))
            yield s, forearm - s
            for e in self._elbows:
                yield forearm - e, e
            for s in self._ends[0]:
                yield s, forearm - s

    def _inside(self, joint, angles):
        """Return those of the canonical angles [rad] that are inside a joint's limits."""
        return [angle for angle in angles if self._limits[joint].allows(angle)]


def sum_of_pieces(*pieces):
    """Return length and direction of a sum of pieces ``(length, direction)``."""
    total = sum([rect(*piece) for piece in pieces])
    return abs(total), phase(total)
