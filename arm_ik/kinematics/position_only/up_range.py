# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The elevations of the last link with which the tip can be exactly at a position.

An elevation a means the up vector ``cos a g + sin a z`` with g level, from the yaw axis to
the target; on the axis home's forward takes its place. On an arm whose base only yaws, with the
arm plane beside the axis, g is the plane's own forward. In the vertical planes that contain such
vectors the elevations reached are closed intervals between the angles that :func:`.elevation_ends`
lists: one test between each two of them shows which.

Besides, a vector along the line from S0 to the target (rolling base), or one that puts the wrist
on the yaw axis (tilting wrist), lies in a whole family of planes: single elevations, tested one by
one. A tilting wrist beside the axis has another plane for every elevation: there the ends are
found by search.
"""

from itertools import pairwise, product
from math import acos, atan2, cos, dist, hypot, pi, remainder, sin

from .planes import elevation_ends, inside, TargetPlane, yaws
from .. import arm_plane
from ..forward import tool
from ..limits import TURN
from ..target import Target
from ..tolerances import DEGENERATE, ROUNDING, TIE

#: Elevations tried around the circle where the ends have no closed form.
SAMPLES = 720


def up_range(solver, position):
    """
    Return the elevations at which a position is reached exactly.

    :param solver: of the arm.
    :param position: of the tip in ``base_link`` [m], three floats.
    :returns: sorted tuple of closed intervals ``(low, high)`` [rad], ``-pi < low <= pi`` and
        ``low <= high < low + 2 pi``; all around is ``(-pi, pi)``.
    """
    solver = solver.with_roll(solver.geometry.home[-1])
    geometry = solver.geometry
    e = arm_plane.from_s0(geometry, position)
    bases, facing = yaws(geometry, e, geometry.home), atan2(e[1], e[0])
    if hypot(e[0], e[1]) <= DEGENERATE:
        facing = geometry.limits[0].canonical(geometry.home[0])
        bases += [yaw + pi for yaw in bases]
    if geometry.has_tilt and geometry.lateral:
        return joined(_by_search(solver, e, facing, position))
    found = []
    for yaw in bases:
        for roll, tilt in product((0.0, pi) if geometry.has_roll else (0.0,),
                                  (0.0, pi) if geometry.has_tilt else (0.0,)):
            plane = TargetPlane(geometry, e, yaw, roll, tilt)
            # The elevation of a vector in the plane is first + sense * in-plane angle.
            back = abs(remainder(yaw - facing, TURN)) > pi / 2
            first = tilt + (pi if back else 0.0)
            sense = -1.0 if back is not (roll > 0.0) else 1.0
            for low, high in _reached(solver, plane, position):
                if geometry.whole.elevation is not None:
                    low = high = geometry.whole.elevation
                ends = [first + sense * (end - geometry.bend) for end in (low, high)]
                found.append((min(ends), max(ends)))
    for elevation in _in_families(geometry, e):
        up = cos(elevation) * cos(facing), cos(elevation) * sin(facing), sin(elevation)
        if solver.solve(Target(position, up), geometry.home, 'nearest', 'position', TIE,
                        TIE).reached:
            found.append((elevation, elevation))
    return joined(found)


def joined(intervals):
    """
    Return intervals of angles merged, sorted and disjoint, see :func:`up_range`.

    :param intervals: list of ``(low, high)`` [rad], of any turn, ``low <= high``.
    """
    pieces = []
    for low, high in intervals:
        if high - low >= TURN - TIE:
            return ((-pi, pi),)
        start = remainder(low, TURN)
        end = start + (high - low)
        pieces += [(start, end)] if end <= pi else [(start, pi), (-pi, end - TURN)]
    merged = []
    for low, high in sorted(pieces):
        if merged and low <= merged[-1][1] + TIE:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        else:
            merged.append((low, high))
    if merged and merged[0][0] <= TIE - pi:
        _, high = merged.pop(0)
        if not merged and high >= pi - TIE:
            return ((-pi, pi),)
        low = merged.pop()[0] if merged and merged[-1][1] >= pi - TIE else pi
        merged.append((low, high + TURN))
    return tuple(merged)


def _reached(solver, plane, position):
    """Return the intervals of in-plane elevations [rad] that a plane reaches when measured."""
    geometry = solver.geometry

    def reaches(elevation):
        return any(abs(remainder(sum(geometry.canonical(q)[2:5]) - elevation, TURN)) <= TIE
                   and dist(tool(geometry, q)[0], position) <= TIE
                   for q in inside(solver, plane.at(elevation), geometry.home))

    ends = sorted({remainder(end, TURN) for end in elevation_ends(solver, plane)})
    if not ends:
        return [(-pi, pi)] if reaches(0.0) else []
    found = [(end, end) for end in ends if reaches(end)]
    return found + [(low, high) for low, high in pairwise([*ends, ends[0] + TURN])
                    if reaches(0.5 * (low + high))]


def _in_families(geometry, e):
    """Return the single elevations [rad] whose up vector lies in a family of planes."""
    rho = hypot(e[0], e[1])
    if geometry.has_roll and hypot(*e) > DEGENERATE:
        return [atan2(e[2], rho), atan2(-e[2], -rho)]
    if geometry.has_tilt and rho <= geometry.l3:
        return [acos(rho / geometry.l3), -acos(rho / geometry.l3)]
    return []


def _by_search(solver, e, facing, position):
    """Return the intervals of an arm that has another plane for every elevation."""
    geometry = solver.geometry

    def reaches(elevation):
        up = cos(elevation) * cos(facing), cos(elevation) * sin(facing), sin(elevation)
        return any(dist(tool(geometry, q)[0], position) <= DEGENERATE
                   for plane in arm_plane.of_tilting_wrist(geometry, e, up)
                   for q in inside(solver, plane, geometry.home))

    def edge(inner, outer):
        while abs(outer - inner) > ROUNDING:
            middle = 0.5 * (inner + outer)
            inner, outer = (middle, outer) if reaches(middle) else (inner, middle)
        return inner

    elevations = [i * TURN / SAMPLES - pi for i in range(SAMPLES + 1)]
    return [(low if from_low else edge(high, low), high if to_high else edge(low, high))
            for (low, from_low), (high, to_high) in pairwise(
                [(elevation, reaches(elevation)) for elevation in elevations])
            if from_low or to_high]
