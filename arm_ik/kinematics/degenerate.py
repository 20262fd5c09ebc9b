# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Degenerate targets: where a whole family of arm planes, not a handful, meets the target exactly.

=================================  =========================================================
case                               family
=================================  =========================================================
up vector free                     any elevation of the last link
yaw arm, e on the yaw axis         the plane must contain u: its azimuth and the opposite
the same, u vertical too           any yaw; in the plane all are alike, so yaw stays as near
yaw arm, u across the plane        any elevation: the miss is a right angle for each
rolling base, p along u (or p = 0) any plane that contains u
rolling base, plane horizontal     any yaw with roll ± pi/2 (cos roll = 0)
tilting wrist, p on the yaw axis   any yaw
tilting wrist, u = ± n             any elevation: the hand stands across the plane
=================================  =========================================================

A family is a function of one parameter in (-pi, pi] that returns planes; :mod:`.family_search` takes
the member that is inside the limits and nearest to where the arm is. A rule such as "take the vertical
plane" would lose poses that only other members reach inside the limits.
"""

from math import atan2, cos, hypot, pi, sin

from . import arm_plane
from .arm_plane import DEGENERATE, Plane


def planes_and_families(geometry, e, u, near):
    """
    Return every plane for a target, degenerate or not.

    :param geometry: of the arm.
    :param e: tip target from S0 [m].
    :param u: unit up vector, or ``None`` for any.
    :param near: joint readings [rad]; only settle what the target leaves open.
    :returns: ``(planes, families)``; each family a function from (-pi, pi] to a list of planes.
    """
    if geometry.has_roll:
        return _rolling_base(geometry, e, u, near)
    if geometry.has_tilt:
        return _tilting_wrist(geometry, e, u, near)
    return _yaw_arm(geometry, e, u, near)


def _yaw_arm(geometry, e, u, near):
    ex, ey, _ = e
    on_axis = hypot(ex, ey) <= DEGENERATE
    if on_axis and abs(geometry.lateral) > DEGENERATE:
        return [], []
    if u is None:
        yaws = [present_yaw(geometry, near)] if on_axis else arm_plane.yaws_towards(geometry.lateral, ex, ey)
        return [], [_any_elevation(geometry, yaw, 0.0, 0.0, e, 0.0) for yaw in yaws]
    ux, uy, uz = u
    if on_axis:
        if hypot(ux, uy) <= DEGENERATE:
            yaws = [present_yaw(geometry, near)]
        else:
            yaws = [atan2(uy, ux), atan2(-uy, -ux)]
        return [arm_plane.yawed(geometry, yaw, e, u) for yaw in yaws], []
    if abs(uz) <= DEGENERATE:
        # Only a level up vector can be across a vertical plane.
        planes, families = [], []
        for yaw in arm_plane.yaws_towards(geometry.lateral, ex, ey):
            if abs(ux * cos(yaw) + uy * sin(yaw)) <= DEGENERATE:
                families.append(_any_elevation(geometry, yaw, 0.0, 0.0, e, pi / 2))
            else:
                planes.append(arm_plane.yawed(geometry, yaw, e, u))
        return planes, families
    return arm_plane.of_yaw_arm(geometry, e, u), []


def _rolling_base(geometry, e, u, near):
    if u is None:
        return [], _free_up_of_rolling_base(geometry, e, near)
    p = arm_plane.wrist_of(geometry, e, u)
    n = arm_plane.cross(p, u)
    if hypot(*n) > DEGENERATE:
        level = arm_plane.unit(arm_plane.across(arm_plane.unit(n), u))
        if hypot(level[0], level[1]) > DEGENERATE:
            return arm_plane.of_rolling_base(geometry, e, u), []
        return [], [_lying_flat(geometry, e, u)]
    a, b = _two_across(u)

    def planes_around_up(t):
        c, s = cos(t), sin(t)
        n = (c * a[0] + s * b[0], c * a[1] + s * b[1], c * a[2] + s * b[2])
        return arm_plane.rolls_at(geometry, n, e, u)

    families = [planes_around_up]
    if abs(u[2]) <= DEGENERATE:
        families.append(_lying_flat(geometry, e, u))
    return [], families


def _tilting_wrist(geometry, e, u, near):
    if u is None:
        return [], _free_up_of_tilting_wrist(geometry, e, near)
    px, py, _ = arm_plane.wrist_of(geometry, e, u)
    ux, uy, uz = u
    if hypot(px, py) > DEGENERATE:
        planes, families = [], []
        for plane in arm_plane.of_tilting_wrist(geometry, e, u):
            if abs(cos(plane.tilt)) <= DEGENERATE:
                families.append(_hand_across(plane))
            else:
                planes.append(plane)
        return planes, families
    if abs(geometry.lateral) > DEGENERATE:
        return [], []
    families = [lambda yaw: arm_plane.tilts_at(geometry, yaw, e, u)]
    if abs(uz) <= DEGENERATE:
        for yaw in (atan2(ux, -uy), atan2(-ux, uy)):
            families += [_hand_across(p) for p in arm_plane.tilts_at(geometry, yaw, e, u)]
    return [], families


def _free_up_of_rolling_base(geometry, e, near):
    """Keep the present yaw or roll as far as the plane through e allows; leave the elevation open."""
    ex, ey, ez = e
    yaw = present_yaw(geometry, near)
    families = []
    for yaw in (yaw, atan2(ey, ex), atan2(-ey, -ex)):
        aside, along = ey * cos(yaw) - ex * sin(yaw), ex * cos(yaw) + ey * sin(yaw)
        # n.e = aside cos roll + ez sin roll = 0.
        if hypot(aside, ez) <= DEGENERATE:
            index = geometry.index['roll']
            rolls = [geometry.limits[index].canonical(near[index])]
        else:
            rolls = [atan2(-aside, ez), atan2(aside, -ez)]
        for roll in rolls:
            y = ez * cos(roll) - aside * sin(roll)
            families.append(_in_plane(geometry, yaw, roll, 0.0, along, y, 0.0))
    return families


def _free_up_of_tilting_wrist(geometry, e, near):
    """Keep the present tilt, or one within the limits; yaw then follows, the elevation stays open."""
    ex, ey, ez = e
    index = geometry.index['wrist_tilt']
    limits = geometry.limits[index]
    families = []
    for tilt in (limits.canonical(near[index]), *limits.canonical_ends):
        lateral = geometry.lateral + geometry.l3 * sin(tilt)
        if hypot(ex, ey) <= DEGENERATE:
            yaws = [present_yaw(geometry, near)] if abs(lateral) <= DEGENERATE else []
        else:
            yaws = arm_plane.yaws_towards(lateral, ex, ey)
        families += [_any_elevation(geometry, yaw, 0.0, tilt, e, 0.0) for yaw in yaws]
    return families


def present_yaw(geometry, near):
    """Return the canonical yaw [rad] of joint readings, brought inside the limits."""
    limits = geometry.limits[0]
    return limits.canonical(limits.clamp(near[0]))


def _any_elevation(geometry, yaw, roll, tilt, e, miss):
    """Return the family of all elevations in a vertical plane that contains e."""
    ex, ey, ez = e
    return _in_plane(geometry, yaw, roll, tilt, ex * cos(yaw) + ey * sin(yaw), ez, miss)


def _in_plane(geometry, yaw, roll, tilt, along, above, miss):
    """Return the family of all elevations for a tip at (along, above) of S0 in the arm plane."""
    hand = geometry.l3 * cos(tilt)
    offset = geometry.shoulder_offset

    def planes(elevation):
        return [Plane(yaw, roll, tilt, along - offset - hand * cos(elevation),
                      above - hand * sin(elevation), elevation, miss)]
    return planes


def _lying_flat(geometry, e, u):
    def planes(yaw):
        return [arm_plane.rolled(geometry, yaw, pi / 2, e, u),
                arm_plane.rolled(geometry, yaw, -pi / 2, e, u)]
    return planes


def _hand_across(plane):
    def planes(elevation):
        return [plane._replace(elevation=elevation)]
    return planes


def _two_across(u):
    """Return two unit vectors that make a right-handed frame with u."""
    least = min(range(3), key=lambda i: abs(u[i]))
    axis = tuple(1.0 if i == least else 0.0 for i in range(3))
    a = arm_plane.unit(arm_plane.cross(u, axis))
    return a, arm_plane.cross(u, a)
