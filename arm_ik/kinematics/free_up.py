# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Targets without an up vector: any direction of the last link will do, the wanted one is best.

*Wanted* is the preferred elevation a, as seen by who faces the target from the yaw axis: 0 is away
from the axis, pi/2 straight up, so that one direction in space has one elevation, whichever plane
serves it. Over the back the arm plane's own forward points the other way, and ``pi - a`` is
wanted in it. Without a preference the last link keeps the elevation above the plane's own forward
that it has at present, as if it turned with the base.

In a plane through the target the reachable elevations are closed intervals; at the end of one a
joint is at a limit, the elbow straight or folded, or elbow or wrist on the floor. So the one
nearest to the wanted is the wanted one itself or the end of an interval: a closed form.
"""

from math import asin, atan2, cos, hypot, pi, remainder, sin

from . import arm_plane
from .arm_plane import DEGENERATE, Plane
from .branch import readings, Triangle
from .limits import TURN
from .ranking import TIE


def planes(solver, e, near, elevation=None):
    """
    Return planes through the tip target, each with the elevation chosen in it.

    :param solver: of the arm.
    :param e: tip target from S0 [m].
    :param near: readings [rad]: the present elevation is theirs.
    :param elevation: preferred elevation [rad], ``None``: the present one.
    :returns: list of :class:`~arm_ik.kinematics.arm_plane.Plane`; their ``miss`` is how far the
        last link is from the wanted elevation.
    """
    geometry = solver.geometry
    _, _, shoulder, elbow, wrist, _, _ = geometry.canonical(near)
    chosen = []
    for yaw, roll, tilt in _bases(geometry, e, near):
        along, above = in_plane(e, yaw, roll)
        wanted = shoulder + elbow + wrist
        if elevation is not None:
            wanted = elevation if along >= 0.0 else pi - elevation
        chosen += _nearest(solver, near, Section(
            geometry, yaw, roll, tilt, along - geometry.shoulder_offset, above), wanted)
    return chosen


def only_nearest(found):
    """Return of exact branches ``(plane, readings)`` those nearest to the wanted elevation."""
    least = min([plane.miss for plane, _ in found], default=0.0)
    return [item for item in found if item[0].miss <= least + TIE]


class Section:
    """One arm plane that contains the tip target, at x and y [m] from the shoulder in it."""

    def __init__(self, geometry, yaw, roll, tilt, x, y):
        self.yaw, self.roll, self.tilt = yaw, roll, tilt
        self.x, self.y = x, y
        self.hand = geometry.l3 * cos(tilt)

    def at(self, elevation, miss=0.0):
        """Return the :class:`Plane` with the last link at an elevation [rad] above forward."""
        return Plane(self.yaw, self.roll, self.tilt, self.x - self.hand * cos(elevation),
                     self.y - self.hand * sin(elevation), elevation, miss)


def ends(solver, section):
    """
    Return every elevation [rad] at which an interval of reachable ones can end, and some more.

    :param solver: of the arm.
    :param section: :class:`Section`.
    """
    x, y, hand = section.x, section.y, section.hand
    found = [s + e + w for s, e, w in solver.planar_reach(hand).extreme(x, y)]
    return found + _ends_on_the_floor(solver.geometry, section)


def served(solver, plane, near):
    """Return the readings that a plane has inside the limits and above the floor."""
    return [q for _, q in readings(solver, plane, near, None) if solver.above_floor(q)]


def in_plane(e, yaw, roll):
    """Return a point from S0 as (along f, along h) of the arm plane at a yaw and roll [rad]."""
    ex, ey, ez = e
    cy, sy = cos(yaw), sin(yaw)
    return ex * cy + ey * sy, ez * cos(roll) - (ey * cy - ex * sy) * sin(roll)


def present_yaw(geometry, near):
    """Return the canonical yaw [rad] of joint readings, brought inside the limits."""
    limits = geometry.limits[0]
    return limits.canonical(limits.clamp(near[0]))


def _nearest(solver, near, section, wanted):
    """Return the planes of a section nearest to the wanted elevation; itself if none is served."""
    plane = section.at(wanted)
    if served(solver, plane, near):
        return [plane]
    found = []
    for miss, elevation in sorted([
            (abs(remainder(elevation - wanted, TURN)), elevation)
            for elevation in ends(solver, section)]):
        if found and miss > found[0].miss + TIE:
            break
        plane = section.at(elevation, miss)
        if served(solver, plane, near):
            found.append(plane)
    return found or [section.at(wanted)]


def _ends_on_the_floor(geometry, section):
    """Return the elevations [rad] with elbow or wrist just on the floor."""
    upright = cos(section.roll)
    if geometry.floor is None or abs(upright) <= DEGENERATE:
        return []
    floor = (geometry.floor - geometry.base_height) / upright
    found = []
    if abs(section.y - floor) <= abs(section.hand):
        found += _both((section.y - floor) / section.hand)
    if abs(floor) <= geometry.l1:
        backwards = pi if section.hand < 0.0 else 0.0
        triangle = Triangle(geometry.l2, abs(section.hand))
        for shoulder in _both(floor / geometry.l1):
            first, second, angle, beyond = triangle.solve(
                section.x - geometry.l1 * cos(shoulder), section.y - floor)
            if not beyond:
                found += [first + angle + backwards, second - angle + backwards]
    return found


def _both(sine):
    return [asin(sine), pi - asin(sine)]


def _bases(geometry, e, near):
    """Return ``(yaw, roll, tilt)`` of planes that contain e, canonical [rad]."""
    if geometry.has_roll:
        return _rolled_bases(geometry, e, near)
    if geometry.has_tilt:
        return _tilted_bases(geometry, e, near)
    return [(yaw, 0.0, 0.0) for yaw in _yaws(geometry.lateral, e, geometry, near)]


def _rolled_bases(geometry, e, near):
    ex, ey, ez = e
    limits = geometry.limits[geometry.index['roll']]
    present = limits.canonical(limits.clamp(near[geometry.index['roll']]))
    bases = []
    for yaw in (present_yaw(geometry, near), atan2(ey, ex), atan2(-ey, -ex)):
        aside = ey * cos(yaw) - ex * sin(yaw)
        # n.e = aside cos roll + ez sin roll = 0.
        if hypot(aside, ez) <= DEGENERATE:
            rolls = [present]
        else:
            rolls = [atan2(-aside, ez), atan2(aside, -ez)]
        bases += [(yaw, roll, 0.0) for roll in rolls]
    return bases


def _tilted_bases(geometry, e, near):
    index = geometry.index['wrist_tilt']
    limits = geometry.limits[index]
    present = limits.canonical(limits.clamp(near[index]))
    return [(yaw, 0.0, tilt) for tilt in (present, *limits.canonical_ends)
            for yaw in _yaws(geometry.lateral + geometry.l3 * sin(tilt), e, geometry, near)]


def _yaws(lateral, e, geometry, near):
    if hypot(e[0], e[1]) > DEGENERATE:
        return arm_plane.yaws_towards(lateral, e[0], e[1])
    return [present_yaw(geometry, near)] if abs(lateral) <= DEGENERATE else []
