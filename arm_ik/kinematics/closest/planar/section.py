# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The best pose in a given arm plane.

With the yaw of an arm whose base only yaws, the target is a point in the plane and a distance out
of it, the up vector an elevation. :mod:`.reach` lists every pose that can be the best in it.
"""

from math import atan2, cos, hypot, inf, remainder, sin
from operator import attrgetter
from typing import NamedTuple

from ...arm_plane import from_s0, Plane
from ...branch import wrist_roll
from ...limits import TURN
from ...ranking import measure
from ...tolerances import DEGENERATE, SAME, TIE


def best_of(solver, target, near, ranking, yaws):
    """Return the best candidate of each yaw [rad], without those that can't be the best of all."""
    # What the alignment of a plane beside the axis may still gain.
    margin = TIE + 2.0 * abs(solver.geometry.lateral)
    found, least = [], inf
    for section in sorted([section_at(solver, target, yaw) for yaw in yaws],
                          key=attrgetter('least')):
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

    ``x``, ``y``: tip target from the shoulder in the plane [m]; ``elevation``: of the up vector in
    the plane [rad], ``None`` for any; ``least``: no pose in the plane is nearer to the target than
    this [m].
    """

    yaw: float
    x: float
    y: float
    elevation: float
    least: float


def section_at(solver, target, yaw):
    """Return the section at a yaw [rad]."""
    geometry = solver.geometry
    ex, ey, ez = from_s0(geometry, target.position)
    cy, sy = cos(yaw), sin(yaw)
    x, elevation = ex * cy + ey * sy - geometry.shoulder_offset, None
    if target.up is not None and geometry.whole.elevation is None:
        ux, uy, uz = target.up
        along = ux * cy + uy * sy
        if hypot(along, uz) > DEGENERATE:
            elevation = atan2(uz, along) + geometry.bend
    beyond = max(0.0, hypot(x, ez) - solver.reach.reach)
    return Section(yaw, x, ez, elevation, hypot(ey * cy - ex * sy - geometry.lateral, beyond))


def _best_in_section(solver, target, near, ranking, section):
    """
    Return the joint positions of the best pose in one arm plane, ``None`` if none is inside.

    In the plane the tip's distance, then the turn from the wanted elevation, then the elbow's
    side and the step order the poses just as the full errors do, for what is out of the plane is
    the same for all of them.
    """
    geometry = solver.geometry
    yaw = geometry.limits[0].fit(section.yaw, near[0])
    if yaw is None:
        return None
    limits, in_plane = geometry.limits_in_plane, geometry.of_plane(near)
    count = 2 + geometry.has_wrist
    best, best_cost = None, None
    for cost, pose in sorted([(_cost(solver.reach, section, ranking, pose), pose)
                              for pose in _poses(solver.reach, section, ranking)]):
        if best is not None and cost[0] > best_cost[0] + SAME:
            break
        q = [limit.fit(angle, at) for limit, angle, at in zip(limits, pose, in_plane)]
        if None in q:
            continue
        # Put on a limit that it was just past, a pose is another.
        angles = [limit.canonical(position) for limit, position in zip(limits, q)]
        step = max([abs(position - at) for position, at in zip(q, in_plane)])
        joints = [yaw, *q[:count], *near[1 + count:]]
        cost = *_cost(solver.reach, section, ranking, angles), \
            ranking.has_wrong_elbow(joints), step
        if best is not None and not _less(cost, best_cost):
            continue
        if geometry.has_wrist_roll:
            plane = Plane(section.yaw, 0.0, 0.0, 0.0, 0.0, None, 0.0)
            joints[-1] = wrist_roll(geometry, plane, sum(angles), target, near)
        best, best_cost = tuple(joints), cost
    return best


def _cost(reach, section, ranking, pose):
    """Return what shoulder, elbow and wrist [rad] are compared by: distance [m], turn [rad]."""
    x, y = reach.tip(*pose)
    distance, turn = hypot(section.x - x, section.y - y), 0.0
    if section.elevation is not None:
        turn = abs(remainder(sum(pose) - section.elevation, TURN))
    return (turn, distance) if ranking.up_first else (distance, turn)


def _poses(reach, section, ranking):
    """Return the canonical poses in a plane that can be the best, a few or many."""
    x, y, elevation = section.x, section.y, section.elevation
    if ranking.up_first:
        return filter(reach.fits, reach.every_pose(x, y, elevation))
    reaching = []
    if hypot(x, y) <= reach.reach + TIE:
        reaching = [*filter(reach.fits, reach.extreme(x, y))] if elevation is None \
            else reach.least_turned(x, y, elevation)
    return reaching or reach.nearest(x, y, elevation)


def _less(a, b):
    for x, y in zip(a, b):
        if abs(x - y) > TIE:
            return x < y
    return False
