# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Choosing the arm plane first: what reduces three links in space to two in a plane.

S0 is the point of the yaw axis at shoulder height, ``e`` the tip target from S0, ``u`` the unit up
vector, ``p = e - l3 u`` the wrist; f, n, h are those of :mod:`.forward`. Each function returns
every plane in which the arm meets the tip target exactly, if reach and limits allow it:

*Yaw only.* The plane is vertical, ``lateral`` to the left of the yaw axis, and contains e. In the
yawed base e is at ``(r, lateral)``, ``r = ± sqrt(|e_xy|^2 - lateral^2)``: in front, or over
the back. The normalised part of u in the plane is met; the angle between u and the plane is
``miss``.

*Rolling base.* The plane contains S0, wrist and tip: ``n = ± unit(p x u)``, then ``n -= (n.u) u``
once more, normalised: without this step ``p`` nearly along u costs an error of 5e-7 rad. From the
n of :mod:`.forward`: ``roll = atan2(n_z, ± hypot(n_x, n_y))`` and the yaw follows from the sign of
its cosine. Four planes.

*Tilting wrist.* The plane is vertical through the wrist p, as above; ``sin tilt = u.n`` with both
roots (tilt, and pi - tilt with the wrist turned by pi): position and up vector exact. Four planes.

Where a direction vanishes, a whole family of planes is exact: see :mod:`.degenerate`.
"""

from math import asin, atan2, cos, hypot, pi, sin, sqrt
from typing import NamedTuple

from .tolerances import ROUNDING, SAME, TIE
from .vectors import across, cross, unit


class Plane(NamedTuple):
    """
    One arm plane with what is left to solve in it.

    ``x``, ``y`` is the wrist from the shoulder along f and h [m]; ``elevation`` the direction that
    the sum of shoulder, elbow and wrist must have [rad]; ``miss`` the angle between the up vector
    and the nearest direction that the last link can have in this plane [rad]; for a target without
    an up vector, the angle to the wanted direction.
    """

    yaw: float
    roll: float
    tilt: float
    x: float
    y: float
    elevation: float
    miss: float


def of_yaw_arm(geometry, e, u):
    """
    Return the planes of an arm whose base only yaws; e must be off the yaw axis.

    :param geometry: of the arm.
    :param e: tip target from S0 [m].
    :param u: unit up vector, not across the planes.
    :returns: list of :class:`Plane`, empty if e is nearer to the yaw axis than the arm plane.
    """
    # At the edge the up vector's own plane holds e as well.
    return [yawed(geometry, yaw, e, u) for yaw in _yaws_through(
        geometry.lateral, e, lambda: (atan2(u[1], u[0]), atan2(-u[1], -u[0])))]


def of_tilting_wrist(geometry, e, u):
    """
    Return the planes of an arm with a tilting wrist; the wrist must be off the yaw axis.

    :param geometry: of the arm.
    :param e: tip target from S0 [m].
    :param u: unit up vector.
    :returns: list of :class:`Plane`, empty if the wrist is nearer to the axis than the arm plane.
    """
    # At the edge, where the tilt is at its end, the yaw follows from the up vector.
    return [plane for yaw in _yaws_through(
        geometry.lateral, wrist_of(geometry, e, u), lambda: _yaws_at_tilts(geometry, u))
        for plane in tilts_at(geometry, yaw, e, u)]


def _yaws_through(lateral, point, others):
    """
    Return the yaws [rad] whose vertical plane contains a point from S0.

    :param others: function that returns yaws that may, too, where the plane passes at its edge:
        there rounding turns the point's azimuth.
    """
    x, y, _ = point
    yaws = yaws_towards(lateral, x, y)
    if abs(x * x + y * y - lateral * lateral) < SAME ** 2:
        yaws += [yaw for yaw in others() if abs(y * cos(yaw) - x * sin(yaw) - lateral) <= TIE]
    return yaws


def _yaws_at_tilts(geometry, u):
    """Return the yaws [rad] where the tilt to an up vector is at a limit, or a right angle."""
    limits = geometry.limits[geometry.roles.index('wrist_tilt')]
    level, azimuth = hypot(u[0], u[1]), atan2(u[1], u[0])
    yaws = [azimuth - pi / 2, azimuth + pi / 2]
    for tilt in limits.canonical_ends:
        if abs(sin(tilt)) < level:
            turned = asin(sin(tilt) / level)
            yaws += [azimuth - turned, azimuth - pi + turned]
    return yaws


def yaws_towards(lateral, x, y):
    """
    Return the two yaws [rad] whose vertical plane contains (x, y): facing it, over the back.

    :param lateral: offset of the plane to the left of the yaw axis [m].
    :param x: from the yaw axis [m].
    :param y: from the yaw axis [m]; (x, y) must not be the axis itself.
    :returns: list of two, empty if the point is nearer to the axis than the plane.
    """
    r_squared = x * x + y * y - lateral * lateral
    if r_squared < 0.0:
        # A point on the circle that the plane touches must not be lost to rounding.
        if r_squared < -ROUNDING * lateral * lateral:
            return []
        r_squared = 0.0
    r = sqrt(r_squared)
    return [atan2(y * r - x * lateral, x * r + y * lateral),
            atan2(-y * r - x * lateral, y * lateral - x * r)]


def yawed(geometry, yaw, e, u):
    """Return the plane of a yaw arm at a given yaw [rad], in which e must lie."""
    ex, ey, ez = e
    ux, uy, uz = u
    cy, sy = cos(yaw), sin(yaw)
    along, aside = ux * cy + uy * sy, uy * cy - ux * sy
    k = hypot(along, uz)
    l3, bend = geometry.l3, geometry.bend
    c3, s3, elevation = along / k, uz / k, atan2(uz, along)
    if bend:
        elevation += bend
        c3, s3 = cos(elevation), sin(elevation)
    return Plane(yaw, 0.0, 0.0, ex * cy + ey * sy - geometry.shoulder_offset - l3 * c3,
                 ez - l3 * s3, elevation, atan2(abs(aside), k))


def of_rolling_base(geometry, e, u):
    """
    Return the planes of an arm whose base yaws and rolls; p and u must not be parallel.

    :param geometry: of the arm.
    :param e: tip target from S0 [m].
    :param u: unit up vector.
    :returns: list of four :class:`Plane`.
    """
    n = unit(cross(wrist_of(geometry, e, u), u))
    n = unit(across(n, u))
    return rolls_at(geometry, n, e, u) + rolls_at(geometry, (-n[0], -n[1], -n[2]), e, u)


def rolls_at(geometry, n, e, u):
    """Return the two planes of a rolling base with left normal n, which is not vertical."""
    return [rolled(geometry, yaw, roll, e, u) for yaw, roll in bases_with(n)]


def bases_with(n):
    """Return the two ``(yaw, roll)`` [rad] of a rolling base with left normal n, not vertical."""
    x, y, z = n
    level = hypot(x, y)
    return [(atan2(-x, y), atan2(z, level)), (atan2(x, -y), atan2(z, -level))]


def normal_of(yaw, roll):
    """Return the left normal of the arm plane at a yaw and roll [rad]."""
    return -sin(yaw) * cos(roll), cos(yaw) * cos(roll), sin(roll)


def rolled(geometry, yaw, roll, e, u):
    """Return the plane of a rolling base at a yaw and roll [rad]; e and u must lie in it."""
    x, y = in_plane(wrist_of(geometry, e, u), yaw, roll)
    along, above = in_plane(u, yaw, roll)
    return Plane(yaw, roll, 0.0, x - geometry.shoulder_offset, y, atan2(above, along), 0.0)


def tilts_at(geometry, yaw, e, u):
    """Return the two planes of a tilting wrist at a yaw [rad]; the wrist must lie in them."""
    x, y = in_plane(wrist_of(geometry, e, u), yaw, 0.0)
    x -= geometry.shoulder_offset
    (along, above), aside = in_plane(u, yaw, 0.0), u[1] * cos(yaw) - u[0] * sin(yaw)
    k = hypot(along, above)
    return [Plane(yaw, 0.0, atan2(aside, k), x, y, atan2(above, along), 0.0),
            Plane(yaw, 0.0, atan2(aside, -k), x, y, atan2(-above, -along), 0.0)]


def in_plane(e, yaw, roll):
    """Return a point from S0 as (along f, along h) of the arm plane at a yaw and roll [rad]."""
    ex, ey, ez = e
    cy, sy = cos(yaw), sin(yaw)
    return ex * cy + ey * sy, ez * cos(roll) - (ey * cy - ex * sy) * sin(roll)


def from_s0(geometry, position):
    """Return the vector from S0 to a point of ``base_link`` [m]."""
    x, y, z = position
    return x - geometry.base_x, y - geometry.base_y, z - geometry.base_height


def present_yaw(geometry, near):
    """Return the canonical yaw [rad] of joint positions, clamped to the limits."""
    limits = geometry.limits[0]
    return limits.canonical(limits.clamp(near[0]))


def wrist_of(geometry, e, u):
    """Return the wrist ``p = e - l3 u`` from S0 [m]."""
    l3 = geometry.l3
    return e[0] - l3 * u[0], e[1] - l3 * u[1], e[2] - l3 * u[2]
