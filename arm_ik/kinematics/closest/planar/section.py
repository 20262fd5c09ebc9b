# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The best pose in a given arm plane.

With the yaw given, and the roll or the tilt, the target is a point in the plane and a way out of
it, the up vector an elevation. :mod:`.planar_reach` and :mod:`.in_plane` list every pose
that can be the best one in the plane.
"""

from math import acos, atan2, cos, hypot, inf, pi, remainder, sin, sqrt
from typing import NamedTuple

from .reach import MARGIN, PlanarReach, STRICTLY
from ...arm_plane import DEGENERATE
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
    found, least, turned = [], inf, inf
    for section in sorted(sections, key=_least):
        most = inf, inf
        if not ranking.up_first:
            if section.least > least + margin:
                break
            if least < inf and not ranking.is_loose:
                most = _still_as_good(section, least + margin, turned)
        q = _best_in_section(solver, target, near, ranking, section, most)
        if q is not None:
            found.append(measure(solver.geometry, q, target, near))
            least = min(least, found[-1].position)
            if found[-1].position <= TIE:
                turned = min(turned, found[-1].up)
    return found


def _still_as_good(section, least, turned):
    """
    Return how far from the target in the plane, and how turned there, a pose may be to count.

    :param least: what another pose is away from the target [m], or a little more.
    :param turned: angle to the up vector of another that meets the target [rad], or infinity.
    """
    away = sqrt(max(0.0, least ** 2 - section.out ** 2))
    if turned == inf or section.elevation is None:
        return away + MARGIN, inf
    # The angle to the up vector is its angle to the plane and the turn in the plane together.
    cosine = cos(turned) / section.level
    return away + MARGIN, acos(min(max(cosine, -1.0), 1.0)) + MARGIN


class Section(NamedTuple):
    """
    What one arm plane makes of the target.

    ``x``, ``y``: tip target from the shoulder in the plane [m]; ``hand``: length of the last link
    in the plane [m], negative if tilted over backwards; ``elevation``: of the up vector in the
    plane [rad], ``None`` for any, and ``level``: how much of it is in the plane; ``out``: how far
    the target sticks out [m]; ``least``: no pose in the plane is nearer to the target than this
    [m]; ``planar``: what the links reach in it.
    """

    yaw: float
    roll: float
    tilt: float
    x: float
    y: float
    hand: float
    elevation: float
    level: float
    out: float
    least: float
    planar: PlanarReach


def sections_at(solver, target, yaw):
    """Return the sections that can be optimal at a yaw [rad]."""
    geometry = solver.geometry
    ex = target.position[0] - geometry.base_x
    ey = target.position[1] - geometry.base_y
    ez = target.position[2] - geometry.base_height
    cy, sy = cos(yaw), sin(yaw)
    along, aside = ex * cy + ey * sy, ey * cy - ex * sy
    found = []
    for roll, tilt in _rolls_and_tilts(geometry, aside, ez):
        cr, sr, hand = cos(roll), sin(roll), geometry.l3 * cos(tilt)
        x, y = along - geometry.shoulder_offset, ez * cr - aside * sr
        out = aside * cr + ez * sr - geometry.lateral - geometry.l3 * sin(tilt)
        elevation, level = None, 0.0
        if target.up is not None:
            ux, uy, uz = target.up
            u_f, u_h = ux * cy + uy * sy, (ux * sy - uy * cy) * sr + uz * cr
            level = hypot(u_f, u_h)
            if level > DEGENERATE:
                elevation = atan2(u_h, u_f) + (pi if cos(tilt) < 0.0 else 0.0)
        beyond = max(0.0, hypot(x, y) - geometry.l1 - geometry.l2 - abs(hand))
        if geometry.upright and geometry.floor is not None:
            beyond = max(beyond, geometry.floor - TIE - target.position[2])
        found.append(Section(yaw, roll, tilt, x, y, hand, elevation, level, out,
                             hypot(out, beyond), solver.planar_reach(hand)))
    return found


def _least(section):
    return section.least


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
    readings = {limits.fit(angle, 0.5 * (limits.lower + limits.upper)) for angle in angles}
    readings |= {limits.lower, limits.upper}
    return [limits.canonical(reading) for reading in sorted(readings - {None})]


def _best_in_section(solver, target, near, ranking, section, most):
    """
    Return the readings of the best pose in one arm plane, ``None`` if none is inside the limits.

    In the plane the tip's distance, then the turn from the wanted elevation, then the step order
    the poses just as the full errors do, for what is out of the plane is the same for all of them.

    :param most: poses farther away [m] or more turned [rad] than these two need not be found.
    """
    geometry = solver.geometry
    fixed = _readings_of_plane(geometry, section, near)
    if fixed is None:
        return None
    first = geometry.first_in_plane
    limits, in_plane = geometry.limits_in_plane, near[first:first + 3]
    best, best_cost = None, None
    poses = list(_poses(solver, section, ranking, most))
    for pose in poses:
        q = [limit.fit(angle, at) for limit, angle, at in zip(limits, pose, in_plane)]
        if None in q:
            continue
        cost = None
        if len(poses) > 1:
            cost = _cost(section, ranking, limits, q, in_plane)
            if best is not None and not _less(cost, best_cost):
                continue
        joints = list(fixed)
        joints[first:first + 3] = q
        if geometry.has_wrist_roll:
            elevation = sum([limit.canonical(reading) for limit, reading in zip(limits, q)])
            joints[-1] = wrist_roll(geometry, section, elevation, target.forward, near)
        if solver.above_floor(joints):
            best, best_cost = tuple(joints), cost
    return best


def _cost(section, ranking, limits, q, near):
    """Return what readings of shoulder, elbow and wrist [rad] are compared by."""
    s, e, w = [limit.canonical(reading) for limit, reading in zip(limits, q)]
    x, y = section.planar.tip(s, e, w)
    distance, turn = hypot(section.x - x, section.y - y), 0.0
    if section.elevation is not None:
        turn = abs(remainder(s + e + w - section.elevation, TURN))
    step = max([abs(reading - at) for reading, at in zip(q, near)])
    return (turn, distance, step) if ranking.up_first else (distance, turn, step)


def _poses(solver, section, ranking, most):
    """Return the canonical poses in a plane that can be the best, a few or many."""
    planar, x, y, elevation = section.planar, section.x, section.y, section.elevation
    if ranking.up_first or solver.geometry.floor is not None:
        # What is best but for the floor may not be above it: then every pose counts.
        poses = filter(planar.fits, planar.every_pose(x, y, elevation))
        if ranking.up_first or not solver.geometry.upright:
            return poses
        return _nearest_above(
            solver.geometry.floor - solver.geometry.base_height, section, poses)

    most_away, most_turned = most
    if hypot(x, y) <= planar.reach + TIE:
        if elevation is None:
            reaching = [pose for pose in planar.extreme(x, y) if planar.fits(pose)]
        else:
            reaching = planar.least_turned(x, y, elevation, most_turned)
        if reaching or most_turned < inf:
            return reaching
    return planar.nearest(x, y, elevation, most_away)


def _nearest_above(floor, section, poses):
    """Return those of the poses that can be the nearest above a floor, from the shoulder [m]."""
    planar, promising, most = section.planar, [], inf
    for pose in poses:
        s, e, w = pose
        a2, a3 = s + e, s + e + w
        elbow = planar.l1 * sin(s)
        wrist = elbow + planar.l2 * sin(a2)
        y = wrist + planar.l3 * sin(a3)
        lowest = min(elbow, wrist, y) - floor
        if lowest > -MARGIN:
            x = planar.l1 * cos(s) + planar.l2 * cos(a2) + planar.l3 * cos(a3)
            distance = hypot(section.x - x, section.y - y)
            promising.append((distance, pose))
            if distance < most and lowest > MARGIN and planar.fits(pose, STRICTLY):
                most = distance
    return [pose for distance, pose in promising if distance <= most + MARGIN]


def _less(a, b):
    for x, y in zip(a, b):
        if abs(x - y) > TIE:
            return x < y
    return False


def _readings_of_plane(geometry, section, near):
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
