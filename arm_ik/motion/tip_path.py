# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The straight way of the tool from one pose to the next.

With s from 0 to 1, the tip is at ``p(s) = p0 + s (p1 - p0)``. The up vector u turns evenly about
one axis, along the great circle from u0 to u1. Where a forward vector is asked for, the tool also
turns evenly about u, so that it gets there at s = 1.

An arm whose base only yaws can't turn u out of its plane. There u turns in the frame that turns
about z with the arm plane: it goes evenly from elevation to elevation and stays in the plane. The
same frame is used where no up vector is asked for. In it u keeps its direction, if that is
possible at the end. The forward vector always turns as above, and the solver takes the part of it
that is across u.

A half turn of u has no great circle of its own. It goes by way of the horizontal direction away
from the yaw axis, or, if u0 is along that, by way of straight up.
"""

from math import atan2, cos, dist, hypot, sin, sqrt

from ..kinematics.forward import end_of_link, tool
from ..kinematics.target import Target
from ..kinematics.vectors import angle_between, cross, dot, turned

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
    """

    def __init__(self, geometry, q, target, turns_with_arm):
        tip, up, forward, left = tool(geometry, q)
        self._base = geometry.base_x, geometry.base_y
        self._lateral = geometry.lateral
        self._start, self._end = tip, target.position
        self._change = tuple([b - a for a, b in zip(tip, target.position)])
        self.length = dist(tip, target.position)
        self._turns_with_arm = turns_with_arm
        yaw = geometry.canonical(q)[0]
        ahead = (tip[0] - geometry.base_x) * cos(yaw) + (tip[1] - geometry.base_y) * sin(yaw)
        #: Where the tip is: in front of the yaw axis, or over the back.
        self._side = -1.0 if ahead < 0.0 else 1.0
        outwards = self._side * cos(yaw), self._side * sin(yaw), 0.0
        self._geometry, self._azimuth, back = geometry, 0.0, 0.0
        self._azimuth = self._azimuth_of(tip, up, forward)
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

    @property
    def is_point(self):
        """Tell whether there is nothing to do."""
        return self.length < 1e-9 and self.turn < 1e-9 and abs(self.roll) < 1e-9

    def at(self, s):
        """Return the target at a part s of the way, from 0 to 1."""
        x, y, z = self._change
        a, b, c = self._start
        # The end itself, without rounding.
        tip = self._end if s == 1.0 else (a + s * x, b + s * y, c + s * z)
        up = turned(self._up, self._axis, s * self.turn)
        yaw, forward = 0.0, None
        if self._forward is not None:
            forward = turned(self._forward, self._up, s * self.roll)
            forward = turned(forward, self._tool_axis, s * self._tool_turn)
        for _ in range(_AGREEMENTS if self._turns_with_arm else 0):
            before, yaw = yaw, self._azimuth_of(tip, about_z(up, yaw), forward) - self._azimuth
            if abs(yaw - before) < _AGREED:
                break
        return Target.of_unit_vectors(tip, about_z(up, yaw), forward)

    def _azimuth_of(self, tip, up, forward):
        """Return the azimuth [rad] of the arm plane through a tip, on this side of the axis."""
        if self._geometry.beside and forward is not None:
            tip = end_of_link(self._geometry, tip, up, forward)
        x, y = tip[0] - self._base[0], tip[1] - self._base[1]
        if not self._lateral:
            return atan2(y, x)
        along = sqrt(max(x * x + y * y - self._lateral * self._lateral, 0.0))
        return atan2(y, x) - atan2(self._lateral, self._side * along)


def rotation(a, b, outwards):
    """
    Return axis and angle [rad] of the shortest rotation of one unit vector into another.

    :param outwards: horizontal unit vector, by way of which a half turn goes.
    """
    axis, angle = cross(a, b), angle_between(a, b)
    if hypot(*axis) < _PARALLEL and angle > 1.0:
        axis = cross(a, outwards)
        if hypot(*axis) < 1e-6:
            axis = cross(a, (0.0, 0.0, 1.0))
    length = hypot(*axis)
    if length == 0.0:
        return (0.0, 0.0, 1.0), 0.0
    return tuple([value / length for value in axis]), angle


def about_z(vector, angle):
    """Return a vector turned about z by an angle [rad]."""
    return turned(vector, (0.0, 0.0, 1.0), angle)
