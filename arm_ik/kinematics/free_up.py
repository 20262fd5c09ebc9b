# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Targets without an up vector: any direction of the last link will do.

The plane must contain the tip target; in it the last link keeps the elevation it has, if that is
reachable inside the limits, else it takes the reachable one nearest to it. The reachable
elevations are closed intervals; the pieces at whose ends a joint is at a limit or the elbow
straight or folded are among the poses of :mod:`.closest_in_plane`.

*Rolling base*: the yaw stays, the roll turns the plane through the target; or the yaw turns
towards it and the roll stays upright. *Tilting wrist*: the tilt stays as near, or goes to one of
its limits, and the yaw follows.
"""

from math import atan2, cos, hypot, inf, pi, remainder, sin

from . import arm_plane
from .arm_plane import DEGENERATE, Plane
from .branch import readings


def planes(solver, e, near, elevation=None):
    """
    Return planes through the tip target, each with the elevation chosen in it.

    :param solver: of the arm.
    :param e: tip target from S0 [m].
    :param near: readings [rad]: the present elevation is theirs.
    :param elevation: to take instead of the present one [rad], or ``None``.
    :returns: list of :class:`~arm_ik.kinematics.arm_plane.Plane`.
    """
    geometry = solver.geometry
    _, _, shoulder, elbow, wrist, _, _ = geometry.canonical(near)
    present = shoulder + elbow + wrist if elevation is None else elevation
    chosen = []
    for yaw, roll, tilt in _bases(geometry, e, near):
        along, above = in_plane(e, yaw, roll)
        hand = geometry.l3 * cos(tilt)

        def at(elevation):
            return Plane(yaw, roll, tilt,
                         along - geometry.shoulder_offset - hand * cos(elevation),
                         above - hand * sin(elevation), elevation, 0.0)

        plane = at(present)
        if not readings(solver, plane, near, None):
            plane = at(_nearest_elevation(
                solver, near, hand, along - geometry.shoulder_offset, above, present))
        chosen.append(plane)
    return chosen


def in_plane(e, yaw, roll):
    """Return a point from S0 as (along f, along h) of the arm plane at a yaw and roll [rad]."""
    ex, ey, ez = e
    cy, sy = cos(yaw), sin(yaw)
    return ex * cy + ey * sy, ez * cos(roll) - (ey * cy - ex * sy) * sin(roll)


def present_yaw(geometry, near):
    """Return the canonical yaw [rad] of joint readings, brought inside the limits."""
    limits = geometry.limits[0]
    return limits.canonical(limits.clamp(near[0]))


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


def _nearest_elevation(solver, near, hand, x, y, present):
    """Return the elevation reachable inside the limits nearest to the present one [rad]."""
    geometry = solver.geometry
    indices = [geometry.index[role] for role in ('shoulder', 'elbow', 'wrist')]
    limits = [geometry.limits[i] for i in indices]
    best = inf, present
    for s, e, w in solver.planar_reach(hand).extreme(x, y):
        change = abs(remainder(s + e + w - present, 2.0 * pi))
        if change < best[0] and all(
                limit.fit(angle, near[i]) is not None
                for limit, angle, i in zip(limits, (s, e, w), indices)):
            best = change, s + e + w
    return best[1]
