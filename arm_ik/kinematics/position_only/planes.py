# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Targets without an up vector: any direction of the last link is allowed, one is preferred.

*Wanted* is the preferred elevation a, measured from the direction yaw axis to target: 0 is away
from the axis, pi/2 straight up. So a direction in space has one elevation, whichever plane serves
it. Over the back the arm plane's own forward points backwards, and ``pi - a`` is wanted in it.
Without a preference the last link keeps its present elevation above the plane's own forward, as if
it turned with the base.

With a rolling base or a tilting wrist the target is in many planes. There the wanted elevation
becomes an up vector; without a preference it is the present one, turned with the tip's azimuth,
facing the target or over the back. :mod:`..closest.spatial.distance_search` finds the pose nearest
to it. A search near a pose takes the plane of that pose, turned as little as necessary to contain
the target.

In a plane through the target the reachable elevations are closed intervals. At the end of an
interval a joint is at a limit, the elbow is straight or folded, or elbow or wrist is on the floor.
So the nearest elevation to the wanted one is the wanted one itself or the end of an interval: a
closed form.
"""

from itertools import product
from math import asin, atan2, cos, dist, hypot, pi, radians, remainder, sin

from .. import arm_plane
from ..arm_plane import Plane
from ..branch import joint_positions
from ..forward import tool
from ..limits import less_turns, TURN
from ..target import Target
from ..tolerances import DEGENERATE, LIMIT_SLACK, SAME, TIE
from ..two_link import Triangle
from ..vectors import across, angle_between, unit

#: Elevations [rad] that represent all in :func:`every_pose`.
ELEVATIONS = [radians(degrees) for degrees in range(-180, 180, 4)]


def planes(solver, e, near, elevation=None):
    """
    Return planes through the tip target, each with the elevation chosen in it.

    :param solver: of the arm.
    :param e: tip target from S0 [m].
    :param near: joint positions [rad]: the present elevation is theirs.
    :param elevation: preferred elevation [rad], ``None``: the present one.
    :returns: list of :class:`~arm_ik.kinematics.arm_plane.Plane`; their ``miss`` is how far the
        last link is from the wanted direction.
    """
    geometry = solver.geometry
    if not geometry.upright:
        return _in_space(solver, e, near, _wanted_ups(geometry, e, near, elevation))
    wanted = [sum(geometry.canonical(less_turns(near))[2:5])] * 2
    if elevation is not None:
        wanted = elevation + geometry.bend, pi - elevation + geometry.bend
    return [plane for yaw, at in zip(yaws(geometry, e, near), wanted)
            for plane in _nearest_to(solver, near, TargetPlane(geometry, e, yaw), at)]


def planes_towards(solver, e, near, u):
    """Return planes through e of an arm whose base only yaws, the last link nearest to u."""
    return [plane for yaw in yaws(solver.geometry, e, near) for plane in _nearest_to(
        solver, near, TargetPlane(solver.geometry, e, yaw),
        atan2(u[2], u[0] * cos(yaw) + u[1] * sin(yaw)) + solver.geometry.bend)]


def _wanted_ups(geometry, e, near, elevation):
    """Return the wanted up vectors at a target: the preferred one, or the two present ones."""
    on_axis = hypot(e[0], e[1]) <= DEGENERATE
    azimuth = arm_plane.present_yaw(geometry, near) if on_axis else atan2(e[1], e[0])
    if elevation is not None:
        level = cos(elevation)
        return [(level * cos(azimuth), level * sin(azimuth), sin(elevation))]
    (x, y, _), (ux, uy, uz), _, _ = tool(geometry, less_turns(near))
    x, y, turn = x - geometry.base_x, y - geometry.base_y, 0.0
    if not on_axis and hypot(x, y) > DEGENERATE:
        turn = azimuth - atan2(y, x)
    # The base turns towards the target, or the arm reaches over its back.
    c, s = cos(turn), sin(turn)
    return [(c * ux - s * uy, s * ux + c * uy, uz), (s * uy - c * ux, -s * ux - c * uy, uz)]


def present_planes(solver, e, near):
    """
    Return planes through a target turned as little as can be from the arm plane of near.

    At a straight arm, the plane that best keeps the direction of the last link may change by any
    angle without any gain. The present plane turned to the target is always near. With a rolling
    base that is its normal without the part along the target, ``n - (n.e) e / e.e``, normalised;
    with a tilting wrist the tilt stays and the yaw turns to the target.

    :param solver: of an arm with a rolling base or a tilting wrist.
    :param e: tip target from S0 [m].
    :param near: joint positions [rad].
    :returns: list of :class:`~arm_ik.kinematics.arm_plane.Plane`, the last link in each as near to
        its present elevation as it can be.
    """
    geometry = solver.geometry
    yaw, roll, shoulder, elbow, wrist, tilt, _ = geometry.canonical(less_turns(near))
    return [plane for base in _present_bases(geometry, e, yaw, roll, tilt)
            for plane in _nearest_to(solver, near, TargetPlane(geometry, e, *base),
                                     shoulder + elbow + wrist)]


def every_pose(solver, target, nears):
    """
    Return poses with the tip at a position, of an arm whose base only yaws.

    The last link is at every elevation of :data:`ELEVATIONS`, at the ends of what can be
    reached, and as in ``nears``. Joints with more than a turn are at each of their readings.

    :param solver: of the arm.
    :param target: without an up vector.
    :param nears: joint positions [rad]; on the yaw axis their yaws serve.
    :returns: list of joint positions [rad] inside the limits and above the floor.
    """
    geometry, e = solver.geometry, arm_plane.from_s0(solver.geometry, target.position)
    canonical = [geometry.canonical(less_turns(near)) for near in nears]
    present = [sum(angles[2:5]) for angles in canonical]
    found, count = [], 3 + geometry.has_wrist
    has_turns = any(limits.upper - limits.lower >= TURN for limits in geometry.limits[:count])
    for yaw in {yaw for near in nears for yaw in yaws(geometry, e, near)}:
        free = TargetPlane(geometry, e, yaw)
        for elevation in [*ELEVATIONS, *present, *elevation_ends(solver, free)]:
            for q in inside(solver, free.at(elevation), nears[0], target):
                found += [q] if not has_turns else [(*turned, *q[count:]) for turned in product(*[
                    limits.readings(at) for limits, at in zip(geometry.limits, q[:count])])]
    return found


class TargetPlane:
    """
    One arm plane that contains the tip target, with the last link at any elevation.

    ``x``, ``y``: tip target from the shoulder in the plane [m]; ``hand``: length of the last link
    in it [m], negative if it is tilted over backwards.
    """

    def __init__(self, geometry, e, yaw, roll=0.0, tilt=0.0):
        self.yaw, self.roll, self.tilt = yaw, roll, tilt
        self.x, self.y = arm_plane.in_plane(e, yaw, roll)
        self.x -= geometry.shoulder_offset
        self.hand = geometry.l3 * cos(tilt)

    def at(self, elevation, miss=0.0):
        """Return the :class:`Plane` with the last link at an elevation [rad] above forward."""
        return Plane(self.yaw, self.roll, self.tilt, self.x - self.hand * cos(elevation),
                     self.y - self.hand * sin(elevation), elevation, miss)


def elevation_ends(solver, free):
    """
    Return every elevation [rad] at which an interval of reachable ones can end, and some more.

    :param solver: of the arm.
    :param free: :class:`TargetPlane`.
    """
    x, y, hand = free.x, free.y, free.hand
    found = [s + e + w for s, e, w in solver.planar_reach(hand).extreme(x, y)]
    return found + _ends_on_the_floor(solver.geometry, free)


def inside(solver, plane, near, target=None):
    """Return the joint positions of a plane inside the limits and above the floor."""
    return [q for _, q in joint_positions(solver, plane, near, target) if solver.above_floor(q)]


def _in_space(solver, e, near, wanted):
    """Return the planes of an arm with one joint more whose last link is nearest to a wanted."""
    geometry, exact, other = solver.geometry, [], []
    x, y, z = e
    position = geometry.base_x + x, geometry.base_y + y, geometry.base_height + z
    for u in wanted:
        found, planes = solver.exact(Target(position, u), near)
        exact += [plane for plane, _ in found]
        other += planes
    if exact:
        return exact
    found = []
    farthest = solver.reach.reach + TIE + hypot(geometry.shoulder_offset, geometry.lateral)
    poses = solver.search_in_order(position, wanted[0], near) if hypot(x, y, z) <= farthest else []
    for yaw, roll, shoulder, elbow, wrist, tilt, _ in poses:
        plane = TargetPlane(geometry, e, yaw, roll, tilt).at(shoulder + elbow + wrist)
        for q in inside(solver, plane, near):
            tip, up, _, _ = tool(geometry, q)
            if dist(tip, position) <= TIE:
                found.append((angle_between(up, wanted[0]), plane))
    least = min([miss for miss, _ in found], default=0.0)
    nearest = [plane._replace(miss=least) for miss, plane in found if miss <= least + SAME]
    return nearest or other


def _nearest_to(solver, near, free, wanted):
    """Return the planes at the elevations nearest to the wanted that are inside the limits."""
    plane = free.at(wanted)
    if not solver.geometry.has_wrist or hypot(free.x, free.y) > solver.reach.reach + TIE \
            or inside(solver, plane, near):
        return [plane]
    found = []
    for miss, elevation in sorted([
            (abs(remainder(elevation - wanted, TURN)), elevation)
            for elevation in elevation_ends(solver, free)]):
        if found and miss > found[0].miss + LIMIT_SLACK:
            break
        plane = free.at(elevation, miss)
        if inside(solver, plane, near):
            found.append(plane)
    return found or [free.at(wanted)]


def _ends_on_the_floor(geometry, free):
    """Return the elevations [rad] with elbow or wrist just on the floor."""
    upright = cos(free.roll)
    if geometry.floor is None or not geometry.has_wrist or abs(upright) <= DEGENERATE:
        return []
    floor = (geometry.floor - geometry.base_height) / upright
    found = []
    if abs(free.y - floor) <= abs(free.hand):
        found += _both((free.y - floor) / free.hand)
    if abs(floor) <= geometry.l1:
        triangle = Triangle(geometry.l2, free.hand)
        for shoulder in _both(floor / geometry.l1):
            found += map(sum, triangle.bends(free.x - geometry.l1 * cos(shoulder), free.y - floor))
    if geometry.whole.beside:
        # The end of the last link, from the tip.
        c, s, above = cos(geometry.bend), sin(geometry.bend), geometry.hand_offset
        x = free.hand - geometry.end * c - above * s
        y = geometry.end * s - above * c
        # Beside the tip it is as high at every elevation.
        if DEGENERATE < hypot(x, y) >= abs(free.y - floor):
            found += [at - atan2(y, x) for at in _both((free.y - floor) / hypot(x, y))]
    return found


def _both(sine):
    return [asin(sine), pi - asin(sine)]


def yaws(geometry, e, near):
    """Return the yaws [rad] of the vertical planes that contain e: facing it, over the back."""
    if hypot(e[0], e[1]) > DEGENERATE:
        return arm_plane.yaws_towards(geometry.lateral, e[0], e[1])
    on_axis = abs(geometry.lateral) <= DEGENERATE
    return [arm_plane.present_yaw(geometry, near)] if on_axis else []


def _present_bases(geometry, e, yaw, roll, tilt):
    if geometry.has_tilt:
        beside = geometry.lateral + geometry.l3 * sin(tilt)
        if hypot(e[0], e[1]) <= DEGENERATE:
            return [(yaw, roll, tilt)] if abs(beside) <= DEGENERATE else []
        return [(turned, 0.0, tilt) for turned in arm_plane.yaws_towards(beside, e[0], e[1])
                if abs(remainder(turned - yaw, TURN)) <= 0.5 * pi]
    if hypot(*e) <= DEGENERATE:
        return [(yaw, roll, tilt)]
    n = across(arm_plane.normal_of(yaw, roll), unit(e))
    if hypot(*n) <= DEGENERATE:
        return []
    return [(turned, rolled, tilt) for turned, rolled in arm_plane.bases_with(n)
            if abs(remainder(turned - yaw, TURN)) <= 0.5 * pi]
