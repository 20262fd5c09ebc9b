# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The closest pose inside the limits to a target that can't be met.

For a given yaw (and roll, and tilt) :mod:`.closest_in_plane` lists every pose that can be the best
one in the plane. What is left is to choose the plane:

* *Yaw only*: towards the target, opposite, the two limits; for the up vector its azimuth and the
  opposite. One of these is optimal, so the result is.
* *Rolling base* and *tilting wrist*: the yaw is sampled between its limits and refined; at each
  yaw the roll that takes the plane through the target, or the tilt that reaches out to it, and
  their limits. :mod:`.polish` then finds the minimum beside the best of them. That is the nearest
  pose around, but not proved to be the nearest of all.

Poses are compared by forward kinematics, in this order: distance of the tip, angle to the up
vector, forward error, largest step from ``near``; with ``priority='up'`` the angle comes before
the distance.
"""

from math import asin, atan2, cos, hypot, inf, pi, remainder, sin
from typing import NamedTuple

from . import closest_in_plane
from .arm_plane import DEGENERATE, yaws_towards
from .branch import wrist_roll
from .forward import tool
from .limits import TURN
from .planar_reach import PlanarReach
from .polish import polished
from .ranking import measure, TIE

#: Yaws tried over the whole range of a rolling base or a tilting wrist, and how many are refined.
YAW_SAMPLES = 24
YAWS_REFINED = 2
YAW_REFINEMENTS = 24

#: Candidates brought to the exact minimum that they are near to. With a tilting wrist the tilts
#: tried are not all that can be optimal, so more are.
POLISHED = {'roll': 1, 'wrist_tilt': 8}

#: Turns of the yaw towards the tip's own azimuth; each leaves lateral^2 / reach^2 of the error.
ALIGNMENTS = 12


def candidates(solver, target, near, ranking):
    """
    Return the best poses found, each measured.

    :param solver: of the arm.
    :param target: what is asked for.
    :param near: readings [rad] to stay near to.
    :param ranking: :class:`~arm_ik.kinematics.ranking.Ranking` to compare by.
    :returns: list of :class:`~arm_ik.kinematics.ranking.Candidate`, one per plane tried.
    """
    geometry = solver.geometry
    sections = [section for yaw in _yaws(geometry, target, near)
                for section in _sections(solver, target, yaw)]
    found = _best_of(solver, target, near, ranking, sections)
    if geometry.upright and geometry.lateral and found:
        # Alignment gains less than twice the plane's distance from the axis.
        least = min(candidate.position for candidate in found)
        found += [_aligned(solver, target, near, ranking, candidate) for candidate in found
                  if TIE < candidate.position < least + 2.0 * abs(geometry.lateral)]
    if geometry.has_roll or geometry.has_tilt:
        found += _search_yaw(solver, target, near, ranking)
        found += _polished(solver, target, near, ranking, found)
    return found


def _yaws(geometry, target, near):
    """Return the yaws [rad] that can be optimal on an arm whose base only yaws."""
    limits = geometry.limits[0]
    x, y = target.position[0] - geometry.base_x, target.position[1] - geometry.base_y
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
    readings = {limits.fit(yaw, near[0]) for yaw in yaws} - {None}
    return [limits.canonical(reading) for reading in sorted(readings)]


def _aligned(solver, target, near, ranking, candidate):
    """
    Return a candidate with the yaw turned until its tip has the target's azimuth.

    With the arm plane beside the yaw axis, the yaw that puts the target into the plane is not the
    one that brings a tip nearest that falls short of it.
    """
    geometry = solver.geometry
    limits = geometry.limits[0]
    x, y = target.position[0] - geometry.base_x, target.position[1] - geometry.base_y
    for _ in range(ALIGNMENTS):
        yaw = limits.canonical(candidate.q[0])
        (tip_x, tip_y, _), _, _, _ = tool(geometry, candidate.q)
        along = (tip_x - geometry.base_x) * cos(yaw) + (tip_y - geometry.base_y) * sin(yaw)
        reading = limits.fit(atan2(y, x) - atan2(geometry.lateral, along), near[0])
        if reading is None or abs(reading - candidate.q[0]) < 1e-12:
            break
        turned = _best_at(solver, target, near, ranking, limits.canonical(reading))
        if turned is None:
            break
        candidate = turned
    return candidate


def _polished(solver, target, near, ranking, found):
    """Return the nearest of the candidates, brought to where Newton's method ends."""
    short = sorted([c for c in found if c.position > TIE], key=lambda c: c.position)
    if ranking.up_first or len(short) < len(found):
        return []
    most = POLISHED['roll' if solver.geometry.has_roll else 'wrist_tilt']
    better = [polished(solver.geometry, candidate.q, target) for candidate in short[:most]]
    return [measure(solver.geometry, q, target, near) for q in better if solver.above_floor(q)]


def _search_yaw(solver, target, near, ranking):
    """Sample the yaw between its limits and refine the best samples by golden section."""
    low, high = sorted(solver.geometry.limits[0].canonical_ends)
    step = min(high - low, 2.0 * pi) / YAW_SAMPLES
    sampled = []
    for i in range(YAW_SAMPLES + 1):
        candidate = _best_at(solver, target, near, ranking, low + i * step)
        if candidate is not None:
            sampled.append((low + i * step, candidate))
    found = [candidate for _, candidate in sampled]
    remaining = list(sampled)
    for _ in range(min(YAWS_REFINED, len(sampled))):
        best = remaining[0]
        for item in remaining:
            if ranking.better(item[1], best[1]):
                best = item
        remaining = [item for item in remaining if abs(item[0] - best[0]) > step * 1.5]
        found.append(_refine(solver, target, near, ranking, best,
                             max(low, best[0] - step), min(high, best[0] + step)))
        if not remaining:
            break
    return found


def _refine(solver, target, near, ranking, best, low, high):
    def at(yaw):
        return yaw, _best_at(solver, target, near, ranking, yaw)

    golden = 0.6180339887498949
    a, b = at(high - golden * (high - low)), at(low + golden * (high - low))
    for _ in range(YAW_REFINEMENTS):
        if b[1] is None or (a[1] is not None and ranking.better(a[1], b[1])):
            high, b = b[0], a
            a = at(high - golden * (high - low))
        else:
            low, a = a[0], b
            b = at(low + golden * (high - low))
        for item in (a, b):
            if item[1] is not None and ranking.better(item[1], best[1]):
                best = item
    return best[1]


def _best_at(solver, target, near, ranking, yaw):
    """Return the best candidate with the base at a canonical yaw [rad], ``None`` if none fits."""
    found = _best_of(solver, target, near, ranking, _sections(solver, target, yaw))
    return ranking.best(found) if found else None


def _best_of(solver, target, near, ranking, sections):
    """Return the best candidate of each section, without those that can't be the best of all."""
    # What the alignment of a plane beside the axis may still gain.
    margin = TIE + 2.0 * abs(solver.geometry.lateral)
    found, least = [], inf
    for section in sorted(sections, key=_least):
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


def _sections(solver, target, yaw):
    """Return the sections that can be optimal at a yaw [rad]."""
    geometry = solver.geometry
    ex = target.position[0] - geometry.base_x
    ey = target.position[1] - geometry.base_y
    ez = target.position[2] - geometry.base_height
    cy, sy = cos(yaw), sin(yaw)
    along, aside = ex * cy + ey * sy, ey * cy - ex * sy
    found = []
    for roll, tilt in _rolls_and_tilts(geometry, aside, ez, target.up, cy, sy):
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
        found.append(Section(yaw, roll, tilt, x, y, hand, elevation, hypot(out, beyond),
                             solver.planar_reach(hand)))
    return found


def _least(section):
    return section.least


def _rolls_and_tilts(geometry, aside, above, up, cy, sy):
    """Return the ``(roll, tilt)`` that can be optimal at a yaw, canonical [rad]."""
    if geometry.has_roll:
        limits = geometry.limits[geometry.index['roll']]
        rolls = [atan2(-aside, above), atan2(aside, -above)]
        if up is not None:
            # The plane that contains the up vector: n.u = 0.
            u_n, u_z = up[1] * cy - up[0] * sy, up[2]
            rolls += [atan2(-u_n, u_z), atan2(u_n, -u_z)]
        return [(roll, 0.0) for roll in _inside(limits, rolls)]
    if geometry.has_tilt:
        limits = geometry.limits[geometry.index['wrist_tilt']]
        tilts = []
        sine = (aside - geometry.lateral) / geometry.l3
        if abs(sine) <= 1.0:
            tilts += [asin(sine), pi - asin(sine)]
        else:
            tilts += [pi / 2 if sine > 0.0 else -pi / 2]
        if up is not None:
            sine = max(-1.0, min(1.0, up[1] * cy - up[0] * sy))
            tilts += [asin(sine), pi - asin(sine)]
        return [(0.0, tilt) for tilt in _inside(limits, tilts)]
    return [(0.0, 0.0)]


def _inside(limits, angles):
    """Return the canonical angles that are inside the limits, and the two limits [rad]."""
    readings = {limits.fit(angle, 0.5 * (limits.lower + limits.upper)) for angle in angles}
    readings |= {limits.lower, limits.upper}
    return [limits.canonical(reading) for reading in sorted(readings - {None})]


def _best_in_section(solver, target, near, ranking, section):
    """
    Return the readings of the best pose in one arm plane, ``None`` if none is inside the limits.

    In the plane the tip's distance, then the turn from the wanted elevation, then the step order
    the poses just as the full errors do, for what is out of the plane is the same for all of them.
    """
    geometry = solver.geometry
    fixed = _readings_of_plane(geometry, section, near)
    if fixed is None:
        return None
    first = geometry.first_in_plane
    limits, in_plane = geometry.limits_in_plane, near[first:first + 3]
    best, best_cost = None, None
    for pose in _poses(solver, section, ranking, limits, in_plane):
        q = [limit.fit(angle, at) for limit, angle, at in zip(limits, pose, in_plane)]
        if None in q:
            continue
        s, e, w = [limit.canonical(reading) for limit, reading in zip(limits, q)]
        x, y = section.planar.tip(s, e, w)
        distance, turn = hypot(section.x - x, section.y - y), 0.0
        if section.elevation is not None:
            turn = abs(remainder(s + e + w - section.elevation, TURN))
        step = max([abs(reading - at) for reading, at in zip(q, in_plane)])
        cost = (turn, distance, step) if ranking.up_first else (distance, turn, step)
        if best is not None and not _less(cost, best_cost):
            continue
        joints = list(fixed)
        joints[first:first + 3] = q
        if geometry.has_wrist_roll:
            joints[-1] = wrist_roll(geometry, section, s + e + w, target.forward, near)
        if solver.above_floor(joints):
            best, best_cost = tuple(joints), cost
    return best


def _poses(solver, section, ranking, limits, near):
    """Return the canonical poses in a plane that can be the best, a few or many."""
    planar, x, y, elevation = section.planar, section.x, section.y, section.elevation
    if ranking.up_first or solver.geometry.floor is not None:
        # What is best but for the floor may not be above it: then every pose counts.
        ends = [limit.canonical_ends for limit in limits]
        return closest_in_plane.poses(
            (planar.l1, planar.l2, planar.l3), ends, x, y, elevation)

    def fits(pose):
        for limit, angle, at in zip(limits, pose, near):
            if limit.fit(angle, at) is None:
                return False
        return True

    if hypot(x, y) <= planar.reach + TIE:
        reaching = [pose for pose in planar.extreme(x, y) if fits(pose)]
        if elevation is not None:
            reaching += [pose for pose in planar.standing(x, y, elevation) if fits(pose)]
        if reaching:
            return reaching
    return planar.nearest(x, y, fits)


def _less(a, b):
    for x, y in zip(a, b):
        if abs(x - y) > TIE:
            return x < y
    return False


def _readings_of_plane(geometry, section, near):
    """Return a joint vector with yaw, roll and tilt filled in, ``None`` if one is outside."""
    q = [0.0] * len(geometry.limits)
    for role, angle in (
            ('yaw', section.yaw), ('roll', section.roll), ('wrist_tilt', section.tilt)):
        i = geometry.index[role]
        if i is not None:
            q[i] = geometry.limits[i].fit(angle, near[i])
            if q[i] is None:
                return None
    return q
