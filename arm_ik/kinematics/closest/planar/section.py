# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The best pose in a given arm plane.

With the yaw given, and the roll or the tilt, the target is a point in the plane and a distance out
of it, the up vector an elevation. :mod:`.reach` lists every pose that can be the best one in the
plane.
"""

from math import atan2, cos, hypot, inf, pi, remainder, sin
from operator import attrgetter
from typing import NamedTuple

from .reach import MARGIN, PlanarReach
from ...arm_plane import DEGENERATE, from_s0
from ...branch import wrist_roll
from ...limits import TURN
from ...ranking import measure, TIE


def best_at(solver, target, near, ranking, yaw):
    """Return the best candidate with the base at a canonical yaw [rad], ``None`` if none fits."""
    found = best_of(solver, target, near, ranking, sections_at(solver, target, yaw))
    return ranking.best(found) if found else None


def best_of(solver, target, near, ranking, sections):
    """Return the best candidate of each section, without those that can't be the best of all."""
    # What the alignment of a plane beside the axis may still gain.
    margin = TIE + 2.0 * abs(solver.geometry.lateral)
    found, least = [], inf
    for section in sorted(sections, key=attrgetter('least')):
        if section.least > least + margin and not ranking.up_first:
            break
        q = _best_in_section(solver, target, near, ranking, section)
        if q is not None:
            found.append(measure(solver.geometry, q, target, near))
            least = min(least, found[-1].position)
    return found


class Section(NamedTuple):
    """
    What one arm plane makes of the target.

    ``x``, ``y``: tip target from the shoulder in the plane [m]; ``hand``: length of the last link
    in the plane [m], negative if tilted over backwards; ``elevation``: of the up vector in the
    plane [rad], ``None`` for any; ``least``: no pose in the plane is nearer to the target than
    this [m]; ``planar``: what the links reach in it.
    """

    yaw: float
    roll: float
    tilt: float
    x: float
    y: float
    hand: float
    elevation: float
    least: float
    planar: PlanarReach


def sections_at(solver, target, yaw):
    """Return the sections that can be optimal at a yaw [rad]."""
    geometry = solver.geometry
    ex, ey, ez = from_s0(geometry, target.position)
    cy, sy = cos(yaw), sin(yaw)
    along, aside = ex * cy + ey * sy, ey * cy - ex * sy
    found = []
    for roll, tilt in _rolls_and_tilts(geometry, aside, ez):
        cr, sr, hand = cos(roll), sin(roll), geometry.l3 * cos(tilt)
        x, y = along - geometry.shoulder_offset, ez * cr - aside * sr
        out = aside * cr + ez * sr - geometry.lateral - geometry.l3 * sin(tilt)
        elevation = None
        if target.up is not None:
            ux, uy, uz = target.up
            u_f, u_h = ux * cy + uy * sy, (ux * sy - uy * cy) * sr + uz * cr
            if hypot(u_f, u_h) > DEGENERATE:
                elevation = atan2(u_h, u_f) + (pi if cos(tilt) < 0.0 else 0.0)
        beyond = max(0.0, hypot(x, y) - geometry.l1 - geometry.l2 - abs(hand))
        if geometry.upright and geometry.floor is not None:
            beyond = max(beyond, geometry.floor - TIE - target.position[2])
        found.append(Section(yaw, roll, tilt, x, y, hand, elevation, hypot(out, beyond),
                             solver.planar_reach(hand)))
    return found


def _rolls_and_tilts(geometry, aside, above):
    """Return the ``(roll, tilt)`` that can be optimal at a yaw, canonical [rad]."""
    if geometry.has_roll:
        limits = geometry.limits[geometry.index['roll']]
        rolls = [atan2(-aside, above), atan2(aside, -above)]
        return [(roll, 0.0) for roll in _inside(limits, rolls)]
    if geometry.has_tilt:
        limits = geometry.limits[geometry.index['wrist_tilt']]
        return [(0.0, tilt) for tilt in _inside(limits, [])]
    return [(0.0, 0.0)]


def _inside(limits, angles):
    """Return the canonical angles that are inside the limits, and the two limits [rad]."""
    positions = {limits.fit(angle, 0.5 * (limits.lower + limits.upper)) for angle in angles}
    positions |= {limits.lower, limits.upper}
    return [limits.canonical(position) for position in sorted(positions - {None})]


def _best_in_section(solver, target, near, ranking, section):
    """
    Return the joint positions of the best pose in one arm plane, ``None`` if none is inside.

    In the plane the tip's distance, then the turn from the wanted elevation, then the elbow's
    side and the step order the poses just as the full errors do, for what is out of the plane is
    the same for all of them.
    """
    geometry = solver.geometry
    fixed = _positions_of_plane(geometry, section, near)
    if fixed is None:
        return None
    first = geometry.first_in_plane
    limits, in_plane = geometry.limits_in_plane, near[first:first + 3]
    best, best_cost = None, None
    for cost, pose in sorted([(_cost(section, ranking, pose), pose)
                              for pose in _poses(solver, section, ranking)]):
        if best is not None and cost[0] > best_cost[0] + MARGIN:
            break
        q = [limit.fit(angle, at) for limit, angle, at in zip(limits, pose, in_plane)]
        if None in q:
            continue
        # Put on a limit that it was just past, a pose is another.
        angles = [limit.canonical(position) for limit, position in zip(limits, q)]
        step = max([abs(position - at) for position, at in zip(q, in_plane)])
        joints = list(fixed)
        joints[first:first + 3] = q
        wrong = ranking.elbow_is_wanted is not None and not ranking.elbow_is_wanted(joints)
        cost = *_cost(section, ranking, angles), wrong, step
        if best is not None and not _less(cost, best_cost):
            continue
        if geometry.has_wrist_roll:
            joints[-1] = wrist_roll(geometry, section, sum(angles), target.forward, near)
        if solver.above_floor(joints):
            best, best_cost = tuple(joints), cost
    return best


def _cost(section, ranking, pose):
    """Return what shoulder, elbow and wrist [rad] are compared by: distance [m], turn [rad]."""
    x, y = section.planar.tip(*pose)
    distance, turn = hypot(section.x - x, section.y - y), 0.0
    if section.elevation is not None:
        turn = abs(remainder(sum(pose) - section.elevation, TURN))
    return (turn, distance) if ranking.up_first else (distance, turn)


def _poses(solver, section, ranking):
    """Return the canonical poses in a plane that can be the best, a few or many."""
    planar, x, y, elevation = section.planar, section.x, section.y, section.elevation
    if ranking.up_first or solver.geometry.floor is not None:
        # What is best but for the floor may not be above it: then every pose counts.
        return filter(planar.fits, planar.every_pose(x, y, elevation))
    reaching = []
    if hypot(x, y) <= planar.reach + TIE:
        if elevation is None:
            reaching = [pose for pose in planar.extreme(x, y) if planar.fits(pose)]
        else:
            reaching = planar.least_turned(x, y, elevation)
    return reaching or planar.nearest(x, y, elevation)


def _less(a, b):
    for x, y in zip(a, b):
        if abs(x - y) > TIE:
            return x < y
    return False


def _positions_of_plane(geometry, section, near):
    """Return a joint vector with yaw, roll and tilt filled in, ``None`` if one is outside."""
    q = [0.0] * len(geometry.limits)
    if geometry.upright:
        q[0] = geometry.limits[0].fit(section.yaw, near[0])
        return None if q[0] is None else q
    for role, angle in (
            ('yaw', section.yaw), ('roll', section.roll), ('wrist_tilt', section.tilt)):
        i = geometry.index[role]
        if i is not None:
            q[i] = geometry.limits[i].fit(angle, near[i])
            if q[i] is None:
                return None
    return q
