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
* *Rolling base* and *tilting wrist*: :mod:`.spatial.rolling_base`, :mod:`.spatial.tilting_wrist`
  where the position is out of reach, :mod:`.spatial.position_first` where only the up vector is.
* *Below the floor*: nothing is nearer to such a target than the point of the floor above it.

Poses are compared by forward kinematics, in this order: distance of the tip, angle to the up
vector, forward error, largest step from ``near``; with ``priority='up'`` the angle comes before
the distance.
"""

from math import asin, atan2, cos, hypot, inf, pi, sin

from .planar.section import best_at, best_of, sections_at
from .spatial.polish import polished
from ..arm_plane import DEGENERATE, from_s0, in_plane, Plane, yaws_towards
from ..branch import wrist_roll
from ..forward import tool
from ..limits import less_turns
from ..model import ROLES
from ..ranking import measure, TIE
from ..target import Target

#: Poses that are brought to the exact minimum they are near to.
POLISHED = 3

#: An arm plane nearer to the yaw axis than this share of the target's distance is turned towards
#: the target step by step.
SLIGHTLY_ASIDE = 0.05

#: With the target nearer to the yaw axis than this [m] other yaws may be as near.
NEAR_AXIS = 1e-4

#: Turns of the yaw towards the tip's own azimuth; each leaves lateral^2 / reach^2 of the error.
ALIGNMENTS = 12


def candidates(solver, target, near, ranking):
    """
    Return the best poses found, each measured.

    :param solver: of the arm.
    :param target: what is asked for.
    :param near: joint positions [rad] to stay near to.
    :param ranking: :class:`~arm_ik.kinematics.ranking.Ranking` to compare by.
    :returns: list of :class:`~arm_ik.kinematics.ranking.Candidate`, one per plane tried.
    """
    if solver.geometry.upright:
        return _upright(solver, target, near, ranking)
    geometry, found = solver.geometry, _in_space(solver, target, near, ranking)
    if not found:
        return found
    best = ranking.best(found)
    return found + _measured(solver, [
        _turned_over(geometry, geometry.canonical(candidate.q)[:6]) for candidate in found
        if candidate.position <= best.position + TIE and candidate.up <= best.up + TIE],
        target, near)


def _turned_over(geometry, pose):
    """Return the other pose with the same hand and yaw: it may have the smaller step."""
    yaw, roll, shoulder, elbow, wrist, tilt = pose
    if geometry.has_tilt:
        return yaw, roll, shoulder, elbow, wrist + pi, pi - tilt
    return yaw, roll + pi, -shoulder, -elbow, -wrist, tilt


def _upright(solver, target, near, ranking):
    """Return the best poses of an arm whose base only yaws."""
    geometry = solver.geometry
    found = _in_planes(solver, target, near, ranking, _yaws(geometry, target, near))
    if not geometry.lateral or not found:
        return found
    # Alignment gains less than twice the plane's distance from the axis.
    least, e = min([candidate.position for candidate in found]), from_s0(geometry, target.position)
    if least <= TIE:
        return found
    if ranking.up_first and target.up is not None:
        if hypot(target.up[0], target.up[1]) <= DEGENERATE:
            found += _measured(solver, solver.spatial.keeping_up(e, target.up), target, near)
    elif abs(geometry.lateral) > SLIGHTLY_ASIDE * hypot(e[0], e[1]):
        found += _measured(solver, solver.spatial.nearest(e, least, target.up, near), target, near)
    else:
        found += [_aligned(solver, target, near, ranking, candidate) for candidate in found
                  if TIE < candidate.position < least + 2.0 * abs(geometry.lateral)]
    return found


def _in_space(solver, target, near, ranking):
    """Return the best poses of an arm with a rolling base or a tilting wrist."""
    geometry, spatial = solver.geometry, solver.spatial
    e = from_s0(geometry, target.position)
    if ranking.up_first and target.up is not None:
        found = _measured(solver, spatial.keeping_up(e, target.up), target, near)
        if found:
            return found + _turned_on_axis(solver, e, found, target.up, target, near)
    u = tool(geometry, less_turns(near))[1] if target.up is None else target.up
    found = _measured(solver, spatial.meeting(e, u), target, near)
    if any(candidate.position <= TIE for candidate in found):
        return found
    found = _in_planes(solver, target, near, ranking, _yaws_in_space(geometry, target, near))
    least = min([candidate.position for candidate in found], default=inf)
    nearest = _measured(solver, spatial.nearest(e, least, u, near), target, near)
    if geometry.has_tilt:
        # The search ends a tenth of a millimetre around the nearest pose.
        nearest.sort(key=lambda candidate: candidate.position)
        nearest += _measured(solver, [
            geometry.canonical(polished(geometry, candidate.q, target))[:6]
            for candidate in nearest[:POLISHED]], target, near)
    found += nearest
    return found + _turned_on_axis(solver, e, found, u, target, near)


def _turned_on_axis(solver, e, found, u, target, near):
    """Return poses turned where all are about as near: u may choose, or the step."""
    geometry, poses = solver.geometry, []
    if hypot(e[0], e[1]) <= NEAR_AXIS:
        for candidate in found:
            pose = geometry.canonical(candidate.q)[:6]
            poses += _yawed(geometry, pose, u, near)
            if geometry.has_tilt and hypot(*e) <= NEAR_AXIS:
                poses += _turned_about_s0(geometry, pose, u, near)
    return _measured(solver, poses, target, near)


def _yawed(geometry, pose, u, near):
    """Return a pose with the yaws that can be best where all are as near."""
    yaw, roll, shoulder, elbow, wrist, tilt = pose
    elevation = shoulder + elbow + wrist
    along = cos(tilt) * cos(elevation)
    left = sin(tilt) * cos(roll) - cos(tilt) * sin(elevation) * sin(roll)
    yaws = [yaw, atan2(u[1], u[0]) - atan2(left, along), *geometry.limits[0].canonical_ends,
            geometry.limits[0].canonical(near[0])]
    return [(yaw, *pose[1:]) for yaw in yaws]


def _turned_about_s0(geometry, pose, u, near):
    """Return a pose with the yaws and shoulders that can be best where all are as near."""
    yaw, _, _, elbow, wrist, tilt = pose
    azimuth, level = atan2(u[1], u[0]), hypot(u[0], u[1])
    aside = asin(max(-1.0, min(1.0, sin(tilt) / max(level, DEGENERATE))))
    found = []
    for at in (azimuth - aside, azimuth + aside - pi, *geometry.limits[0].canonical_ends):
        side = -1.0 if cos(tilt) < 0.0 else 1.0
        elevation = atan2(side * u[2], side * (u[0] * cos(at) + u[1] * sin(at)))
        found.append((at, 0.0, elevation - elbow - wrist, elbow, wrist, tilt))
    for shoulder in geometry.limits[1].canonical_ends:
        found += _yawed(geometry, (yaw, 0.0, shoulder, elbow, wrist, tilt), u, near)
    return found


def _measured(solver, poses, target, near):
    """Return poses, canonical angles in the order of ROLES, as far as the arm can take them."""
    found = [_positions(solver.geometry, pose, target, near) for pose in poses]
    return [measure(solver.geometry, q, target, near) for q in found
            if q is not None and solver.above_floor(q)]


def _positions(geometry, pose, target, near):
    """Return canonical angles, in the order of ROLES, as joint positions, ``None`` if outside."""
    q = []
    for role, angle in zip(ROLES, pose):
        i = geometry.index[role]
        if i is not None:
            q.append(geometry.limits[i].fit(angle, near[i]))
    if None in q:
        return None
    if geometry.has_wrist_roll:
        yaw, roll, shoulder, elbow, wrist, tilt = pose
        plane = Plane(yaw, roll, tilt, 0.0, 0.0, None, 0.0)
        q.append(wrist_roll(geometry, plane, shoulder + elbow + wrist, target.forward, near))
    return tuple(q)


def _in_planes(solver, target, near, ranking, yaws):
    """Return the best pose in each arm plane that can be optimal at some yaws [rad]."""
    return best_of(solver, target, near, ranking, [
        section for yaw in yaws for section in sections_at(solver, target, yaw)])


def _yaws(geometry, target, near):
    """Return the yaws [rad] that can be optimal on an arm whose base only yaws."""
    limits = geometry.limits[0]
    x, y, _ = from_s0(geometry, target.position)
    yaws = [*limits.canonical_ends]
    if hypot(x, y) > DEGENERATE:
        inside = yaws_towards(geometry.lateral, x, y)
        # Nearer to the axis than the plane: turn the plane's side to the target.
        side = pi / 2 if geometry.lateral > 0.0 else -pi / 2
        yaws += inside or [atan2(y, x) - side, atan2(y, x) + side]
    else:
        yaws.append(limits.canonical(limits.clamp(near[0])))
    if target.up is not None and hypot(target.up[0], target.up[1]) > DEGENERATE:
        azimuth = atan2(target.up[1], target.up[0])
        yaws += [azimuth, azimuth + pi]
    positions = {limits.fit(yaw, near[0]) for yaw in yaws} - {None}
    return [limits.canonical(position) for position in sorted(positions)]


def _yaws_in_space(geometry, target, near):
    """Return the yaws [rad] whose planes can be optimal on an arm with one joint more."""
    if geometry.has_roll or geometry.floor is not None:
        return _yaws(geometry, target, near)
    return {*geometry.limits[0].canonical_ends}


def _aligned(solver, target, near, ranking, candidate):
    """
    Return a candidate with the yaw turned until its tip has the target's azimuth.

    With the arm plane beside the yaw axis, the yaw that puts the target into the plane is not the
    one that brings a tip nearest that falls short of it.
    """
    geometry = solver.geometry
    limits = geometry.limits[0]
    x, y, _ = from_s0(geometry, target.position)
    for _ in range(ALIGNMENTS):
        yaw = limits.canonical(candidate.q[0])
        tip = from_s0(geometry, tool(geometry, candidate.q)[0])
        along, _ = in_plane(tip, yaw, 0.0)
        position = limits.fit(atan2(y, x) - atan2(geometry.lateral, along), near[0])
        if position is None or abs(position - candidate.q[0]) < 1e-12:
            break
        turned = best_at(solver, target, near, ranking, limits.canonical(position))
        if turned is None:
            break
        candidate = turned
    return candidate


def raised_to_floor(geometry, target):
    """Return a target below the floor raised to it, ``None`` if it is above or there is none."""
    x, y, z = target.position
    if geometry.floor is None or z >= geometry.floor:
        return None
    return Target((x, y, geometry.floor), target.up, target.forward)


def meeting_raised(solver, above, target, near, ranking):
    """
    Return what meets the point of the floor above a target.

    :param solver: of the arm.
    :param above: the target raised to the floor: nothing is nearer to what is asked for.
    :param target: what is asked for.
    :param near: joint positions [rad] to stay near to.
    :param ranking: :class:`~arm_ik.kinematics.ranking.Ranking` to compare by.
    :returns: ``(sure, positions)``: measured poses that nothing can be better than, and the
        positions of all that meet the point.
    """
    found, planes = solver.exact(above, near)
    least = min([plane.miss for plane in planes], default=0.0)
    sure = [measure(solver.geometry, q, target, near)
            for plane, q in found if plane.miss <= least + TIE and not ranking.up_first]
    return sure, [q for _, q in found]
