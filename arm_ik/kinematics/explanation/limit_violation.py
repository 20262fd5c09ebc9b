# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The joint limits that prevent an exact pose, found from the exact pose least outside them.

With an up vector these are the branches of the arm planes. Where the position itself is out of
reach, or no up vector is asked for, any pose with the tip there counts.
"""

from math import atan2, cos, pi, sin
from operator import itemgetter
from typing import NamedTuple, Tuple

from ..arm_plane import yaws_towards
from ..branch import canonical_angles, chain, placed
from ..position_only.planes import TargetPlane
from ..tolerances import AS_GOOD, LIMIT_SLACK, TIE


class Violation(NamedTuple):
    """
    By how much an exact pose violates reach and joint limits.

    ``miss``: the angle between the up vector and its plane [rad]; ``beyond``: how far the wrist is
    out of reach [m], positive too far, negative too close; ``excess``: how far each position would
    be past a limit [rad], signed.
    """

    miss: float
    beyond: float
    excess: Tuple[float, ...]


def of_branch(solver, plane, bend, near):
    """Return the violation of one branch of a plane."""
    branches, beyond = canonical_angles(solver, plane, near)
    return _violation(solver, plane, branches[0] if bend > 0.0 else branches[1], beyond, near)


def _violation(solver, plane, branch, beyond, near):
    """Return the violation of a branch as :func:`..branch.canonical_angles` returns it."""
    return Violation(plane.miss, beyond, placed(solver, plane, branch, near, None)[1])


def least_of_planes(solver, planes, near, q):
    """
    Return the violation of the exact branch least outside reach and limits, or ``None``.

    Branches that the answer's joints at limits explain go first.

    :param planes: list of :class:`~arm_ik.kinematics.arm_plane.Plane`.
    :param near: joint positions [rad] that positions are counted from.
    :param q: the answer.
    """
    geometry, best, best_cost = solver.geometry, None, None
    miss = min([plane.miss for plane in planes], default=0.0) + AS_GOOD
    for plane in planes:
        if plane.miss > miss:
            continue
        branches, beyond = canonical_angles(solver, plane, near)
        # Rounding of one cost must not decide before the next cost is compared.
        away = round(abs(beyond), 9)
        if best is not None and away > best_cost[0]:
            continue
        for branch in branches:
            if geometry.floor is not None \
                    and not _branch_clears_floor(solver, plane, branch, near):
                continue
            cost = False, 0.0
            for limits, angle, position in zip(
                    geometry.limits, chain(geometry, plane, *branch[1:]), q):
                cost = _cost(cost, limits, angle, position)
            if best is None or (away, *cost) < best_cost:
                best, best_cost = (plane, branch, beyond), (away, *cost)
    return None if best is None else _violation(solver, *best, near)


def _branch_clears_floor(solver, plane, branch, near):
    """Tell whether a branch would be above the floor if its positions were allowed."""
    geometry = solver.geometry
    q = [limits.unwrap(angle, at) for limits, angle, at in zip(
        geometry.limits, chain(geometry, plane, *branch[1:]), near)]
    return solver.above_floor((*q, *near[len(q):]))


def least_at_position(solver, e, near, q):
    """
    Return the violation of the pose least outside the limits with the tip at e, or ``None``.

    :param e: tip target from S0 [m].
    :param near: joint positions [rad] that positions are counted from.
    :param q: the answer; its own base angles and its joints at limits go first.
    """
    geometry, best = solver.geometry, None
    frees = [_in_base(geometry, e, base, q) for base in _bases(geometry, e, q)]
    for base_cost, free in sorted(frees, key=itemgetter(0)):
        # A plane whose base alone is farther outside holds no better pose.
        if best is None or base_cost < best[0]:
            best = _least_in(solver, free, base_cost, q, best)
    if best is None:
        return None
    _, free, pose = best
    return Violation(0.0, 0.0, tuple([
        limits.placed(angle, at)[1] for limits, angle, at in zip(
            geometry.limits, chain(geometry, free, *pose), near)]))


def _in_base(geometry, e, base, q):
    """Return the cost of a base's own joints, and the plane it makes."""
    yaw, roll, tilt = base
    cost = False, 0.0
    for role, angle in (('yaw', yaw), ('roll', roll), ('wrist_tilt', tilt)):
        i = geometry.index[role]
        if i is not None:
            cost = _cost(cost, geometry.limits[i], angle, q[i])
    return cost, TargetPlane(geometry, e, yaw, roll, tilt)


def _least_in(solver, free, base_cost, q, best):
    """Return ``(cost, plane, pose)`` of the pose in a plane that is better than the best."""
    geometry = solver.geometry
    first = geometry.first_in_plane
    joints = list(zip(geometry.limits_in_plane, q[first:]))
    for pose in _turning_points(solver.planar_reach(free.hand), free.x, free.y):
        cost = base_cost
        for (limits, position), angle in zip(joints, pose):
            cost = _cost(cost, limits, angle, position)
            if best is not None and cost >= best[0]:
                break
        else:
            if geometry.floor is None or _pose_clears_floor(solver, free, pose):
                best = cost, free, pose
    return best


def _turning_points(planar, x, y):
    """
    Yield the poses with the tip at a target in which a joint can be least outside its limits.

    With the tip at a point the poses of three links in a plane are curves. Along them each joint
    is farthest inside, or least outside, its limits where another joint is at a limit, the elbow
    straight or folded, or where it turns back: the shoulder with forearm and last link in line,
    the elbow with the last link in line with the target, the wrist with the upper arm in line with
    it.

    :param planar: :class:`~arm_ik.kinematics.closest.planar.reach.PlanarReach` of the arm.
    :param x: tip target from the shoulder [m].
    :param y: tip target from the shoulder [m].
    """
    yield from planar.extreme(x, y)
    towards = atan2(y, x)
    for direction in (towards, towards + pi):
        yield from planar.standing(x, y, direction)
        yield from planar.held_shoulder(direction).poses(x, y)
    for wrist in (0.0, pi):
        yield from planar.held_wrist(wrist).poses(x, y)


def _cost(cost, limits, angle, position):
    """
    Return a cost (unexplained, how far outside) with one more joint in it.

    Unexplained is a pose past a limit at which the answer's position is not.
    """
    past = limits.excess(angle)
    if not past:
        return cost
    unexplained, worst = cost
    unexplained |= abs(past) > LIMIT_SLACK and not is_at(limits, position, past)
    return unexplained, max(worst, abs(past))


def _pose_clears_floor(solver, free, pose):
    """Tell whether elbow and wrist of a pose in a plane are above the floor; the tip is."""
    geometry = solver.geometry
    elbow = geometry.l1 * sin(pose[0])
    wrist = elbow + geometry.l2 * sin(pose[0] + pose[1])
    return geometry.base_height + min(elbow * cos(free.roll), wrist * cos(free.roll)) \
        >= geometry.floor - TIE


def side_of(limits, position):
    """Return 'lower', 'upper' or '' for a position at a limit or not."""
    if position <= limits.lower + LIMIT_SLACK:
        return 'lower'
    return 'upper' if position >= limits.upper - LIMIT_SLACK else ''


def is_at(limits, position, past):
    """Tell whether a position is at the limit that another would be past by ``past`` [rad]."""
    return abs(position - (limits.upper if past > 0.0 else limits.lower)) <= LIMIT_SLACK


def _bases(geometry, e, q):
    """Return ``(yaw, roll, tilt)`` of planes through e: all of a yaw arm, some of the others."""
    yaw, _, _, _, _, tilt, _ = geometry.canonical(q)
    ex, ey, ez = e
    if geometry.has_tilt:
        tilts = {tilt, 0.0, *geometry.limits[4].canonical_ends}
        return [(yaw, 0.0, tilt) for tilt in sorted(tilts) for yaw in yaws_towards(
            geometry.lateral + geometry.l3 * sin(tilt), ex, ey)]
    if not geometry.has_roll:
        return [(yaw, 0.0, 0.0) for yaw in yaws_towards(geometry.lateral, ex, ey)]
    found = []
    for yaw in sorted({yaw, atan2(ey, ex), *geometry.limits[0].canonical_ends}):
        aside = ey * cos(yaw) - ex * sin(yaw)
        found += [(yaw, atan2(-aside, ez), 0.0), (yaw, atan2(aside, -ez), 0.0)]
    return found
