# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The straight path of the tool from one pose to the next.

With s from 0 to 1, the tip is at ``p(s) = p0 + s (p1 - p0)``. The up vector u turns evenly about
one axis, along the great circle from u0 to u1. Where a forward vector is asked for, the tool also
turns evenly about u, so that it gets there at s = 1.

An arm whose base only yaws can't turn u out of its plane. There u turns in the frame that turns
about z with the arm plane: it goes evenly from elevation to elevation and stays in the plane. The
same frame is used where no up vector is asked for. In it u keeps its direction, if that is
possible at the end. The forward vector always turns as above, and the solver takes the part of it
that is across u.

A half turn of u has no great circle of its own. It goes through the horizontal direction away
from the yaw axis, or, if u0 is along that, through straight up.

A path exactly through the yaw axis leads beside it, by a tenth of what a tip may be off: on the
axis itself the arm plane would have to turn over at once.

*Round a corner* the tip leaves the one straight path A at a distance r before it, and comes to the
next, B, at r behind it. With w from 0 to 1 in between, and a and b the part that r is of each::

    p(w) = pA(1 - a (1 - w)^2) + pB(b w^2) - corner

a parabola that touches both, never farther from the corner than r. Up and forward vector turn as
on B by ``b w^2``, from where they are on A at ``1 - a (1 - w)^2``.
"""

from bisect import bisect_right
from math import atan2, cos, dist, hypot, sin, sqrt

from ..kinematics.forward import end_of_link, tool
from ..kinematics.target import Target
from ..kinematics.vectors import angle_between, cross, dot, turned, unit

#: How far a path leads beside the yaw axis at least [m].
_BESIDE = 1e-5

#: Vectors whose cross product is shorter than this are parallel.
_PARALLEL = 1e-9

#: With a tip beside the roll axis the arm plane depends on the up vector, and this on the plane:
#: most rounds until they agree, and within what [rad].
_AGREEMENTS, _AGREED = 20, 1e-13


class TipPath:
    """
    Tool poses between a pose of the arm and a target.

    ``length`` [m], ``turn`` of the up vector and ``roll`` about it [rad].

    :param geometry: of the arm.
    :param q: joint positions [rad] it begins at.
    :param target: what it leads to; with an up vector, unless the present one is to be kept.
    :param turns_with_arm: whether up and forward vector turn with the arm plane about z.
    :param is_free: whether any elevation of the last link will do.
    """

    def __init__(self, geometry, q, target, turns_with_arm, is_free=False):
        tip, up, forward, left = tool(geometry, q)
        self._geometry, self._turns_with_arm = geometry, turns_with_arm
        self._start, self._end = tip, target.position
        self._change = tuple([b - a for a, b in zip(tip, target.position)])
        self.length, self.is_free = dist(tip, target.position), is_free
        yaw = geometry.canonical(q)[0]
        ahead = (tip[0] - geometry.base_x) * cos(yaw) + (tip[1] - geometry.base_y) * sin(yaw)
        #: Where the tip is: in front of the yaw axis, or over the back.
        self._side = -1.0 if ahead < 0.0 else 1.0
        outwards = self._side * cos(yaw), self._side * sin(yaw), 0.0
        self._azimuth, back = self._azimuth_of(tip, up, forward), 0.0
        for _ in range(_AGREEMENTS if turns_with_arm else 0):
            end = about_z(up, -back) if target.up is None else target.up
            before, back = back, self._azimuth - self._azimuth_of(
                target.position, end, target.forward)
            if abs(back - before) < _AGREED:
                break
        end = about_z(up, -back) if target.up is None else target.up
        self._up = up
        self._axis, self.turn = rotation(up, about_z(end, back), outwards)
        self._forward, self.roll = None, 0.0
        if target.forward is not None and geometry.has_wrist_roll:
            self._forward = forward
            self._tool_axis, self._tool_turn = rotation(up, end, outwards)
            wanted = turned(target.forward, self._tool_axis, -self._tool_turn)
            self.roll = atan2(dot(wanted, left), dot(wanted, forward))
        self._bow = self._beside_the_axis(q, yaw)

    @property
    def is_point(self):
        """Return whether there is nothing to do."""
        return self.length < 1e-9 and self.turn < 1e-9 and abs(self.roll) < 1e-9

    @property
    def has_forward(self):
        """Return whether a forward vector is asked for."""
        return self._forward is not None

    def at(self, s, before=None):
        """
        Return the target at a part s of the path, from 0 to 1.

        :param before: the target that the path leads on from, instead of its start.
        """
        (a, b, c), up, forward = self._start, self._up, self._forward
        if before is not None:
            (a, b, c), up, forward = before.position, before.up, before.forward
            if self._turns_with_arm:
                up = about_z(up, self._azimuth - self._azimuth_of(
                    before.position, before.up, before.forward))
        x, y, z = self._change
        bow_x, bow_y = self._bow
        bow = s * (1.0 - s)
        # The end itself, without rounding.
        tip = self._end if s == 1.0 else (a + s * x + bow * bow_x, b + s * y + bow * bow_y,
                                          c + s * z)
        up, yaw = turned(up, self._axis, s * self.turn), 0.0
        if forward is not None:
            forward = turned(forward, self._up, s * self.roll)
            forward = turned(forward, self._tool_axis, s * self._tool_turn)
        for _ in range(_AGREEMENTS if self._turns_with_arm else 0):
            before, yaw = yaw, self._azimuth_of(tip, about_z(up, yaw), forward) - self._azimuth
            if abs(yaw - before) < _AGREED:
                break
        return Target.of_unit_vectors(tip, about_z(up, yaw), forward)

    def _beside_the_axis(self, q, yaw):
        """Return x and y [m] of a bow, of which a part ``s (1 - s)`` leads past the yaw axis."""
        geometry, (x, y, _) = self._geometry, self._change
        level = hypot(x, y)
        if level < 4.0 * _BESIDE or geometry.lateral or not self._turns_with_arm:
            return 0.0, 0.0
        ahead, beside = geometry.base_x - self._start[0], geometry.base_y - self._start[1]
        s = (ahead * x + beside * y) / (level * level)
        if abs(ahead * y - beside * x) / level >= _BESIDE \
                or not _BESIDE < s * level < level - _BESIDE:
            return 0.0, 0.0
        # The yaw turns back past the middle of what it can.
        middle = 0.5 * (geometry.limits[0].lower + geometry.limits[0].upper)
        turns_back = yaw > geometry.canonical((middle, *q[1:]))[0]
        bow = _BESIDE / (s * (1.0 - s)) / level * (1.0 if turns_back else -1.0)
        return -y * bow, x * bow

    def _azimuth_of(self, tip, up, forward):
        """Return the azimuth [rad] of the arm plane through a tip, on this side of the axis."""
        geometry = self._geometry
        if geometry.beside and forward is not None:
            tip = end_of_link(geometry, tip, up, forward)
        x, y = tip[0] - geometry.base_x, tip[1] - geometry.base_y
        along = sqrt(max(x * x + y * y - geometry.lateral * geometry.lateral, 0.0))
        return atan2(y, x) - atan2(geometry.lateral, self._side * along)


class Flow:
    """
    Straight paths one after the other, without a stop; s is the length of the path [m].

    ``ends`` are the s of their ends. A tip that only turns has a length of 1.
    """

    def __init__(self):
        self.legs, self.ends, self._radii = [], [], []

    def add(self, leg, radius):
        """Add a :class:`TipPath`; its path begins round a corner of so large a radius [m]."""
        self._radii.append(min(radius, 0.5 * leg.length, *[
            0.5 * before.length for before in self.legs[-1:]]))
        self.legs.append(leg)
        length = 0.0 if leg.is_point else leg.length if leg.length > 1e-9 else 1.0
        self.ends.append(length + (self.ends[-1] if self.ends else 0.0))

    def flows_into(self, leg):
        """Return whether a leg can follow without a stop between."""
        last = self.legs[-1]
        return min(last.length, leg.length) > 1e-6 and last.has_forward == leg.has_forward

    def number(self, s):
        """Return the number of the leg that s is on."""
        return min(bisect_right(self.ends, s), len(self.legs) - 1)

    def parts(self, s):
        """Return the leg that s is on, or both round a corner, each with the part of its path."""
        number = self.number(s)
        begin, end = self.ends[number - 1] if number else 0.0, self.ends[number]
        for corner, at in (number, begin), (number + 1, end):
            radius = self._radii[corner] if 0 < corner < len(self.legs) else 0.0
            if abs(s - at) < radius:
                before, after = self.legs[corner - 1:corner + 1]
                w = 0.5 * ((s - at) / radius + 1.0)
                return [(before, 1.0 - radius / before.length * (1.0 - w) ** 2),
                        (after, radius / after.length * w ** 2)]
        return [(self.legs[number], 1.0 if s == end else (s - begin) / (end - begin))]

    def is_free(self, s):
        """Return whether any elevation of the last link will do."""
        return all(leg.is_free for leg, _ in self.parts(s))

    def at(self, s):
        """Return the target at s, as :meth:`TipPath.at`."""
        *corner, (leg, part) = self.parts(s)
        return leg.at(part, *[before.at(earlier) for before, earlier in corner])


def rotation(a, b, outwards):
    """
    Return axis and angle [rad] of the shortest rotation of one unit vector into another.

    :param outwards: horizontal unit vector, through which a half turn goes.
    """
    axis, angle = cross(a, b), angle_between(a, b)
    if hypot(*axis) < _PARALLEL and angle > 1.0:
        axis = cross(a, outwards)
        if hypot(*axis) < 1e-6:
            axis = cross(a, (0.0, 0.0, 1.0))
    return (unit(axis), angle) if any(axis) else ((0.0, 0.0, 1.0), 0.0)


def about_z(vector, angle):
    """Return a vector turned about z by an angle [rad]."""
    return turned(vector, (0.0, 0.0, 1.0), angle)
