# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Degenerate targets: those that a continuous family of arm planes meets exactly.

=================================  =========================================================
case                               family
=================================  =========================================================
yaw arm, e on the yaw axis         the plane must contain u: its azimuth and the opposite
the same, u vertical too           any yaw; in the plane all are alike, so yaw stays as near
yaw arm, u across the plane        any elevation: the miss is a right angle for each
rolling base, p along u (or p = 0) any plane that contains u
rolling base, plane horizontal     any yaw with roll ± pi/2 (cos roll = 0)
tilting wrist, p on the yaw axis   any yaw
tilting wrist, u = ± n             any elevation: the hand stands across the plane
=================================  =========================================================

A family is a function of one parameter in (-pi, pi] that returns planes. :mod:`.family_search`
takes the member inside the limits that is nearest to ``near``. A fixed rule such as "take the
vertical plane" would lose poses that only other members reach inside the limits.
"""

from math import atan2, cos, hypot, pi, sin

from . import arm_plane
from .arm_plane import in_plane, Plane, present_yaw
from .tolerances import DEGENERATE
from .vectors import cross, turned, unit


def planes_and_families(geometry, e, u, near):
    """
    Return every plane for a target, degenerate or not.

    :param geometry: of the arm.
    :param e: tip target from S0 [m].
    :param u: unit up vector; :mod:`.position_only` has targets without one.
    :param near: joint positions [rad]; they only decide what the target leaves free.
    :returns: ``(planes, families)``; each family a function from (-pi, pi] to a list of planes.
    """
    if geometry.has_roll:
        return _rolling_base(geometry, e, u)
    if geometry.has_tilt:
        return _tilting_wrist(geometry, e, u)
    return _yaw_arm(geometry, e, u, near)


def _yaw_arm(geometry, e, u, near):
    ex, ey, _ = e
    on_axis = hypot(ex, ey) <= DEGENERATE
    if on_axis and abs(geometry.lateral) > DEGENERATE:
        return [], []
    ux, uy, uz = u
    if on_axis:
        if hypot(ux, uy) <= DEGENERATE:
            yaws = [present_yaw(geometry, near)]
        else:
            yaws = [atan2(uy, ux), atan2(-uy, -ux)]
        return [arm_plane.yawed(geometry, yaw, e, u) for yaw in yaws], []
    if abs(uz) <= DEGENERATE:
        # Only a level up vector can be perpendicular to a vertical plane.
        planes, families = [], []
        for yaw in arm_plane.yaws_towards(geometry.lateral, ex, ey):
            if abs(ux * cos(yaw) + uy * sin(yaw)) <= DEGENERATE:
                families.append(_any_elevation(geometry, yaw, e))
            else:
                planes.append(arm_plane.yawed(geometry, yaw, e, u))
        return planes, families
    return arm_plane.of_yaw_arm(geometry, e, u), []


def _rolling_base(geometry, e, u):
    p = arm_plane.wrist_of(geometry, e, u)
    n = cross(p, u)
    # Tested on p and u themselves, because rounding tilts the cross product of nearly parallel
    # vectors.
    lies_flat = abs(u[2]) <= DEGENERATE and abs(p[2]) <= DEGENERATE
    if hypot(*n) > DEGENERATE:
        if lies_flat:
            return [], [_lying_flat(geometry, e, u)]
        return arm_plane.of_rolling_base(geometry, e, u), []
    normal = _across(u)

    def planes_around_up(t):
        return arm_plane.rolls_at(geometry, turned(normal, u, t), e, u)

    families = [planes_around_up]
    if lies_flat:
        families.append(_lying_flat(geometry, e, u))
    return [], families


def _tilting_wrist(geometry, e, u):
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


def _any_elevation(geometry, yaw, e):
    """Return the family of all elevations in a vertical plane through e, with u across it."""
    along, above = in_plane(e, yaw, 0.0)
    along -= geometry.shoulder_offset

    def planes(elevation):
        return [Plane(yaw, 0.0, 0.0, along - geometry.l3 * cos(elevation),
                      above - geometry.l3 * sin(elevation), elevation, pi / 2)]
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


def _across(u):
    """Return a unit vector that is perpendicular to u."""
    least = min(range(3), key=lambda i: abs(u[i]))
    axis = tuple(1.0 if i == least else 0.0 for i in range(3))
    return unit(cross(u, axis))
