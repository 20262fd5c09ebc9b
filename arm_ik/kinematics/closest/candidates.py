# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The closest pose inside the limits to a target that can't be met.

At the closest pose each joint is at a limit or stationary, and what that leaves is listed here:

* *Yaw only*: the arm planes towards the target, opposite, at the two limits, and for the up vector
  its azimuth and the opposite. In a given plane :mod:`.planar.section` finds the best pose.
* *Rolling base* and *tilting wrist*: :mod:`.spatial.distance_search` finds the nearest tips, and
  with the tip there the least angle to the up vector.
* *Below the floor*: nothing is nearer to such a target than the point of the floor above it. Where
  the best pose of all is below the floor, :mod:`.spatial.distance_search` finds the best above it.

Poses are compared by forward kinematics, in this order: distance of the tip, angle to the up
vector, forward error, largest step from ``near``; with ``priority='up'`` the angle comes before
the distance.
"""

from math import atan2, cos, dist, hypot, pi, sin

from .planar.section import best_of
from ..arm_plane import from_s0, in_plane, normal_of, Plane, present_yaw, rolls_at, yaws_towards
from ..branch import wrist_roll
from ..degenerate import planes_and_families
from ..forward import tool
from ..limits import less_turns
from ..position_only.planes import inside, planes_towards
from ..ranking import measure
from ..target import Target
from ..tolerances import DEGENERATE, HELD_ASIDE, NEAR_AXIS, ROUNDING, SAME, SLIGHTLY_ASIDE, TIE
from ..vectors import across

#: Turns of the yaw towards the tip's own azimuth; each leaves lateral^2 / reach^2 of the error.
ALIGNMENTS = 12


def candidates(solver, target, near, ranking):
    """
    Return the best poses found, each measured; of a floor they know nothing.

    :param solver: of the arm.
    :param target: what is asked for.
    :param near: joint positions [rad] to stay near to.
    :param ranking: :class:`~arm_ik.kinematics.ranking.Ranking` to compare by.
    :returns: list of :class:`~arm_ik.kinematics.ranking.Candidate`, one per plane tried.
    """
    if solver.geometry.upright:
        return _upright(solver, target, near, ranking)
    geometry, found = solver.geometry, _in_space(solver, target, near, ranking)
    # The same hand may be held otherwise, one of which may have the smaller step.
    best = ranking.best(found)
    tip, up, _, _ = tool(geometry, best.q)
    planes, _ = planes_and_families(geometry, from_s0(geometry, tip), up, near)
    # They are in closed form, and so comparable to the last digits.
    return [other for other in _in_planes(solver, planes, target, near)
            if other.position <= best.position + TIE and other.up <= best.up + TIE] or found


def above_floor(solver, target, near, ranking, free):
    """
    Return the best poses above the floor where the best of all is below it, each measured.

    :param solver: of the arm.
    :param target: what is asked for.
    :param near: joint positions [rad] to stay near to.
    :param ranking: :class:`~arm_ik.kinematics.ranking.Ranking` to compare by.
    :param free: the best of all, a :class:`~arm_ik.kinematics.ranking.Candidate`.
    """
    geometry, up = solver.geometry, None
    if ranking.up_first and target.up is not None:
        up = tool(geometry, free.q)[1]
    found = _by_search(solver, target, near, [geometry.canonical(free.q)], up)
    if up is None and target.up is not None:
        e = from_s0(geometry, target.position)
        found += _turned_on_axis(solver, e, found, target.up, target, near)
    return found


def _by_search(solver, target, near, more=(), up=None):
    """Return what :class:`.DistanceSearch` finds, and other poses with the same tips."""
    found = _measured(solver, solver.distance.nearest(
        target.position, solver.geometry.floor, more, up), target, near)
    geometry, nearest = solver.geometry, _with_nearest_tips(solver.geometry, found)
    if up is None and target.up is not None and (geometry.beside or not geometry.upright):
        for tip, _ in nearest[:1]:
            more = [*more, *[geometry.canonical(candidate.q) for candidate in found]]
            found += _measured(solver, solver.search_in_order(
                tip, target.up, near, False, more), target, near)
        return found
    return found + [candidate for tip, q in nearest for candidate in _with_tip(
        solver.with_roll(q[-1]), tip, up, target, near)]


def _with_tip(solver, tip, up, target, near):
    """Return poses above the floor with the tip at a point, and the best last link for that."""
    if up is None and target.up is not None:
        planes = planes_towards(solver, from_s0(solver.geometry, tip), near, target.up)
    else:
        _, planes = solver.exact(Target(tip, up), near)
    return _in_planes(solver, planes, target, near)


def _in_planes(solver, planes, target, near):
    """Return the branches of planes inside the limits and above the floor, measured."""
    return [measure(solver.geometry, q, target, near) for plane in planes
            for q in inside(solver, plane, near, target)]


def is_stretched(geometry, q):
    """Return whether all links are in line at joint positions [rad], none folded back."""
    return all(abs(sin(0.5 * angle)) < ROUNDING for angle in geometry.canonical(q)[3:6])


def _with_nearest_tips(geometry, found):
    """Return tip [m] and joint positions of the nearest of measured poses, each tip once."""
    least = min([candidate.position for candidate in found], default=0.0)
    nearest = []
    for candidate in found:
        tip = tool(geometry, candidate.q)[0]
        if candidate.position <= least + TIE and all(
                dist(tip, other) > SAME for other, _ in nearest):
            nearest.append((tip, candidate.q))
    return nearest


def _upright(solver, target, near, ranking):
    """Return the best poses of an arm whose base only yaws."""
    geometry = solver.geometry
    found = best_of(solver, target, near, ranking, _yaws(geometry, target, near, ranking))
    # Alignment gains less than twice the plane's distance from the axis.
    least = min([candidate.position for candidate in found], default=0.0)
    if not geometry.lateral or least <= TIE:
        return found
    held = geometry.whole.elevation     # an upright hand that is held has one up vector
    up_first = ranking.up_first and target.up is not None and not (
        held is not None and abs(cos(held)) <= DEGENERATE)
    if up_first and hypot(target.up[0], target.up[1]) > DEGENERATE:
        return found
    x, y, _ = from_s0(geometry, target.position)
    slightly = HELD_ASIDE if geometry.whole.beside else SLIGHTLY_ASIDE
    if abs(geometry.lateral) <= slightly * hypot(x, y):
        return found + [_aligned(solver, target, near, ranking, candidate) for candidate in found
                        if TIE < candidate.position < least + 2.0 * abs(geometry.lateral)]
    if up_first:
        return found + _measured(solver, solver.search_in_order(
            target.position, target.up, near, True), target, near)
    return found + _by_search(solver, target, near)


def _in_space(solver, target, near, ranking):
    """Return the best poses of an arm with a rolling base or a tilting wrist."""
    geometry = solver.geometry
    e = from_s0(geometry, target.position)
    u = tool(geometry, less_turns(near))[1] if target.up is None else target.up
    poses = []
    if target.up is not None:
        poses = solver.search_in_order(target.position, u, near, ranking.up_first)
    if target.up is None or not ranking.up_first:
        poses += solver.distance.nearest(target.position)
    found = _measured(solver, poses, target, near)
    q = ranking.best(found).q
    if geometry.has_roll and not geometry.shoulder_offset and is_stretched(geometry, q):
        # A straight arm may roll about itself, as little as it can.
        tip, up, _, _ = tool(geometry, q)
        normals = [normal_of(*geometry.canonical(less_turns(at))[:2]) for at in (near, q)]
        found += _measured(solver, [
            (plane.yaw, plane.roll, plane.elevation, 0.0, 0.0, 0.0)
            for n in normals for side in (1.0, -1.0) for plane in rolls_at(
                geometry, [side * x for x in across(n, up)], from_s0(geometry, tip), up)],
            target, near)
    return found + _turned_on_axis(solver, e, found, u, target, near)


def _turned_on_axis(solver, e, found, u, target, near):
    """Return poses turned where all are about as near: u may choose, or the step."""
    if hypot(e[0], e[1]) > NEAR_AXIS:
        return []
    return _measured(solver, [
        pose for candidate in found for pose in _yawed(
            solver.geometry, solver.geometry.canonical(candidate.q)[:6], u, near)], target, near)


def _yawed(geometry, pose, u, near):
    """Return a pose with the yaws that can be best where all are as near."""
    yaw, roll, shoulder, elbow, wrist, tilt = pose
    elevation = shoulder + elbow + wrist - geometry.bend
    along = cos(tilt) * cos(elevation)
    left = sin(tilt) * cos(roll) - cos(tilt) * sin(elevation) * sin(roll)
    yaws = [yaw, atan2(u[1], u[0]) - atan2(left, along), *geometry.limits[0].canonical_ends,
            geometry.limits[0].canonical(near[0])]
    return [(yaw, *pose[1:]) for yaw in yaws]


def _measured(solver, poses, target, near):
    """Return poses, canonical angles in the order of ROLES, as far as the arm can take them."""
    found = [_positions(solver.geometry, pose, target, near) for pose in poses]
    return [measure(solver.geometry, q, target, near) for q in found
            if q is not None and solver.above_floor(q)]


def _positions(geometry, pose, target, near):
    """Return canonical angles, in the order of ROLES, as joint positions, ``None`` if outside."""
    q = [limits.fit(angle, at)
         for limits, angle, at in zip(geometry.limits, geometry.own(pose), near)]
    if None in q:
        return None
    if geometry.has_wrist_roll and not geometry.beside:
        yaw, roll, shoulder, elbow, wrist, tilt = pose[:6]
        plane = Plane(yaw, roll, tilt, 0.0, 0.0, None, 0.0)
        q.append(wrist_roll(geometry, plane, shoulder + elbow + wrist, target, near))
    return tuple(q)


def _yaws(geometry, target, near, ranking):
    """Return the yaws [rad] that can be optimal on an arm whose base only yaws."""
    limits = geometry.limits[0]
    x, y, _ = from_s0(geometry, target.position)
    yaws = [*limits.canonical_ends]
    if hypot(x, y) > DEGENERATE:
        towards = yaws_towards(geometry.lateral, x, y)
        # Nearer to the axis than the plane: turn the plane's side to the target.
        side = pi / 2 if geometry.lateral > 0.0 else -pi / 2
        yaws += towards or [atan2(y, x) - side, atan2(y, x) + side]
    else:
        yaws.append(present_yaw(geometry, near))
    # The up vector counts where it goes first, or where all yaws are about as near.
    u = target.up
    if u is not None and hypot(u[0], u[1]) > DEGENERATE and (
            ranking.up_first or hypot(x, y) <= NEAR_AXIS):
        azimuth = atan2(u[1], u[0])
        yaws += [azimuth, azimuth + pi]
    positions = {limits.fit(yaw, near[0]) for yaw in yaws} - {None}
    return [limits.canonical(position) for position in sorted(positions)]


def _aligned(solver, target, near, ranking, candidate):
    """
    Return a candidate with the yaw turned until its tip has the target's azimuth.

    With the arm plane beside the yaw axis, the yaw that puts the target into the plane is not the
    one that brings a tip nearest that falls short of it. How far ahead the tip is in its plane
    says how far ahead the target is, and conversely.
    """
    geometry, limits = solver.geometry, solver.geometry.limits[0]
    x, y, z = from_s0(geometry, target.position)
    tip = from_s0(geometry, tool(geometry, candidate.q)[0])
    ahead, _ = in_plane(tip, limits.canonical(candidate.q[0]), 0.0)
    for _ in range(ALIGNMENTS):
        before, target_ahead = ahead, hypot(x, y) * ahead / hypot(ahead, geometry.lateral)
        poses = solver.reach.nearest(target_ahead - geometry.shoulder_offset, z)
        if poses:
            ahead = geometry.shoulder_offset + solver.reach.tip(*poses[0])[0]
        if abs(ahead - before) < SAME:
            break
    yaw = limits.fit(atan2(y, x) - atan2(geometry.lateral, ahead), near[0])
    turned = [] if yaw is None else best_of(solver, target, near, ranking, [limits.canonical(yaw)])
    return ranking.best([candidate, *turned])


def on_the_floor(solver, target, near, ranking):
    """
    Return what meets the point of the floor above a target below it.

    Nothing above the floor is nearer to what is asked for than this point.

    :param solver: of an arm with a floor.
    :param target: what is asked for.
    :param near: joint positions [rad] to stay near to.
    :param ranking: :class:`~arm_ik.kinematics.ranking.Ranking` to compare by.
    :returns: ``(sure, positions)``: measured poses that nothing can be better than, and the
        positions of all that meet the point; both empty for a target above the floor.
    """
    (x, y, z), floor = target.position, solver.geometry.floor
    if z >= floor:
        return [], []
    found, planes = solver.exact(Target((x, y, floor), target.up, target.forward), near)
    least = min([plane.miss for plane in planes], default=0.0)
    sure = [measure(solver.geometry, q, target, near)
            for plane, q in found if plane.miss <= least + TIE and not ranking.up_first]
    return sure, [q for _, q in found]
