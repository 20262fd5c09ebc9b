# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
From an arm plane to joint positions: the triangle, the wrist angle, the limits.

In the plane the triangle of :mod:`.two_link` gives shoulder and elbow for either bend, then
``wrist = elevation - shoulder - elbow``. The wrist roll turns ``tool0``'s x axis to the wanted
forward vector, or stays as near.

Rounding: straight and folded arms are at the edge of reach. So a position past a limit by up to
``LIMIT_SLACK`` is clamped to it, and the other angles are computed anew from the clamped one.
"""

from math import atan2, cos, hypot, pi, sin

from .limits import TURN
from .tolerances import DEGENERATE
from .vectors import carried

#: Both signs of the elbow angle.
BENDS = (1.0, -1.0)


def canonical_angles(solver, plane, near):
    """
    Return both branches of a plane, and how far its wrist is out of reach.

    Where the wrist comes to lie on the shoulder (equal links, folded) every shoulder angle is
    exact: the one inside the limits that is nearest to ``near`` together with its wrist angle is
    taken.

    :returns: ``(branches, out of reach [m])``: for bend 1 and -1 a tuple of bend, shoulder, elbow
        and wrist [rad].
    """
    triangle, elevation = solver.triangle, plane.elevation
    first, second, elbow, beyond = triangle.solve(plane.x, plane.y)
    if triangle.inner <= DEGENERATE and hypot(plane.x, plane.y) <= DEGENERATE:
        elbow = pi
        first = _share(solver, elevation - pi, near)
        second = _share(solver, elevation + pi, near)
    if not solver.geometry.has_wrist:
        return ((1.0, first, elbow, 0.0), (-1.0, second, -elbow, 0.0)), beyond
    return ((1.0, first, elbow, elevation - first - elbow),
            (-1.0, second, -elbow, elevation - second + elbow)), beyond


def joint_positions(solver, plane, near, target):
    """
    Return the joint positions of both branches of a plane, as far as they are inside the limits.

    :param solver: of the arm.
    :param plane: :class:`~arm_ik.kinematics.arm_plane.Plane` to solve in.
    :param near: positions [rad] to stay near to.
    :param target: whose forward vector the wrist roll serves; ``None``: none.
    :returns: list of ``(bend, positions)``, bend the sign of the elbow angle, positions [rad] a
        tuple; without the branches that are out of reach or outside a limit.
    """
    geometry = solver.geometry
    limits = geometry.limits
    # The base first: it is the same for both bends, and rules out half of the planes.
    yaw = limits[0].fit(plane.yaw, near[0])
    if yaw is None:
        return []
    branches, beyond = canonical_angles(solver, plane, near)
    if beyond:
        return []
    base, end = ((yaw,), ()) if geometry.bare else _beside_the_plane(
        geometry, plane, yaw, near, target)
    if base is None:
        return []
    s_limits, e_limits, w_limits = geometry.limits_in_plane
    s_near, e_near, w_near = near_in_plane = geometry.of_plane(near)
    found = []
    for bend, shoulder, elbow, wrist in branches:
        e = e_limits.fit(elbow, e_near)
        if e is None:
            continue
        s = s_limits.fit(shoulder, s_near)
        if s is None:
            continue
        w = w_limits.fit(wrist, w_near)
        if w is None:
            continue
        if e == e_limits.lower or e == e_limits.upper or s == s_limits.lower \
                or s == s_limits.upper or w == w_limits.lower or w == w_limits.upper:
            s, e, w = _around_the_clamped(geometry, plane, (s, e, w), near_in_plane)
        in_plane = s, e, w
        if not geometry.has_wrist:
            in_plane = s, e
            if geometry.has_wrist_roll:
                end = wrist_roll(geometry, plane, shoulder + elbow, target, near),
        found.append((bend, (*base, *in_plane, *end)))
    return found


def _around_the_clamped(geometry, plane, positions, near):
    """
    Return the three positions in the plane, computed anew from one that is at a limit.

    Where the arm is straight or folded, the angles of the triangle are good to 1e-8 only. An angle
    that is put on a limit is exact, and the two others follow from it without loss.
    """
    limits, (x, y), elevation = geometry.limits_in_plane, (plane.x, plane.y), plane.elevation
    l1, l2 = geometry.l1, geometry.l2
    shoulder, elbow, wrist = [limit.canonical(r) for limit, r in zip(limits, positions)]
    at_limit = [r == limit.lower or r == limit.upper for limit, r in zip(limits, positions)]
    if hypot(x, y) <= DEGENERATE:
        return positions
    if at_limit[1]:
        shoulder = atan2(y, x) - atan2(l2 * sin(elbow), l1 + l2 * cos(elbow))
    elif at_limit[0]:
        elbow = atan2(y - l1 * sin(shoulder), x - l1 * cos(shoulder)) - shoulder
    elif not geometry.has_wrist:
        return positions
    else:
        forearm = elevation - wrist
        shoulder = atan2(y - l2 * sin(forearm), x - l2 * cos(forearm))
        elbow = forearm - shoulder
    wrist = elevation - shoulder - elbow if geometry.has_wrist else 0.0
    anew = [limit.fit(angle, at) for limit, angle, at in zip(
        limits, (shoulder, elbow, wrist), near)]
    return positions if None in anew else anew


def _beside_the_plane(geometry, plane, yaw, near, target):
    """Return the positions before and behind the plane's three; ``(None, None)`` if outside."""
    base, end = (yaw,), ()
    if geometry.has_roll:
        base = (yaw, geometry.limits[1].fit(plane.roll, near[1]))
    if geometry.has_tilt:
        end = (geometry.limits[4].fit(plane.tilt, near[4]),)
    if None in base or None in end:
        return None, None
    if geometry.has_wrist_roll:
        end += (wrist_roll(geometry, plane, plane.elevation, target, near),)
    return base, end


def nearest_positions(solver, plane, bend, near, target):
    """
    Return positions as near to a branch as the limits allow, and by how much they miss it.

    :returns: ``(positions, excess, beyond)``: excess is a tuple of signed violations, one per
        joint [rad]; beyond says how far the wrist is out of reach [m], positive too far, negative
        too close.
    """
    geometry, (branches, beyond) = solver.geometry, canonical_angles(solver, plane, near)
    _, shoulder, elbow, wrist = branches[0] if bend > 0.0 else branches[1]
    pairs = [limit.placed(angle, at) for limit, angle, at in zip(geometry.limits, geometry.own(
        (plane.yaw, plane.roll, shoulder, elbow, wrist, plane.tilt)), near)]
    if geometry.has_wrist_roll:
        elevation = plane.elevation if geometry.has_wrist else shoulder + elbow
        pairs.append((wrist_roll(geometry, plane, elevation, target, near), 0.0))
    return *zip(*pairs), beyond


def unlimited(q, excess):
    """Return the positions [rad] of a branch, whatever the limits, from those put inside."""
    return tuple([position + past for position, past in zip(q, excess)])


def wrist_roll(geometry, plane, elevation, target, near):
    """
    Return the wrist roll's position [rad] that serves a target's forward vector best.

    :param elevation: of the last link in the plane [rad].
    :param target: the :class:`~arm_ik.kinematics.target.Target`; ``None``: nothing is asked for.
    """
    limits, at = geometry.limits[-1], near[-1]
    if target is None or target.forward is None:
        return limits.clamp(at)
    cy, sy, cr, sr = cos(plane.yaw), sin(plane.yaw), cos(plane.roll), sin(plane.roll)
    held = geometry.whole.elevation
    elevation = elevation - geometry.bend if held is None else held
    ce, se, ct, st = cos(elevation), sin(elevation), cos(plane.tilt), sin(plane.tilt)

    def seen(vector):
        """Return a vector along f, n and h."""
        x, y, z = vector
        left = y * cy - x * sy
        return x * cy + y * sy, left * cr + z * sr, z * cr - left * sr
    forward = seen(target.forward)
    if target.up is not None:
        forward = carried(forward, seen(target.up), (ct * ce, st, ct * se))
    along_f, along_n, along_h = forward
    x = se * along_f - ce * along_h
    y = ct * along_n - st * (ce * along_f + se * along_h)
    return limits.placed(atan2(y, x), at)[0]


def _share(solver, total, near):
    """Return the shoulder angle [rad] where shoulder + wrist = total fits the limits, nearest."""
    geometry = solver.geometry
    (s_limits, _, w_limits), (s_near, _, w_near) = (
        geometry.limits_in_plane, geometry.of_plane(near))
    s_low, s_high = sorted(s_limits.canonical_ends)
    w_low, w_high = sorted(w_limits.canonical_ends)
    s_near, w_near = s_limits.canonical(s_near), w_limits.canonical(w_near)
    found = []
    for turns in range(-3, 4):
        c = total + turns * TURN
        low, high = max(s_low, c - w_high), min(s_high, c - w_low)
        if low > high:
            continue
        # Halfway both steps are equal, and their maximum is as small as the limits allow.
        shoulder = min(max(s_near + (c - w_near - s_near) / 2, low), high)
        found.append((max(abs(shoulder - s_near), abs(c - shoulder - w_near)), shoulder))
    return min(found, default=(0.0, s_near))[1]
