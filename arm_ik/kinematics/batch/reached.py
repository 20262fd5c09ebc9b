# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Which of many positions the tip gets to: for pictures of what an arm reaches.

No pose is chosen, and no closest one looked for. With any up vector a target in an arm plane is
reached if one of the poses is inside the limits and above the floor at which an interval of
elevations can end (:mod:`..position_only.planes`). Every interval has one: where it is the whole
circle, the wrist goes through its limits.
"""

import numpy as np

from .columns import JointColumns, residuals, sine_and_cosine
from .exact import ExactColumns
from .input import columns
from ..arm_plane import from_s0
from ..closest.candidates import nearest_tip
from ..forward import tool
from ..limits import TURN
from ..target import Target, unit_vector
from ..tolerances import ORDINARY, POSITION_TOLERANCE, ROUNDING, SEARCH_SLACK, TIE, UP_TOLERANCE
from ..two_link import Triangle

#: Positions looked at together: more poses of them would not fit into the processor's cache.
ROWS = 1024


def reached(solver, positions, up=None, tolerances=(POSITION_TOLERANCE, UP_TOLERANCE)):
    """
    Tell which positions the arm reaches exactly.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param positions: of the tip in ``base_link`` [m], shape (n, 3).
    :param up: up vector, the same for all, three numbers; ``None``: any.
    :param tolerances: largest miss of an up vector that no plane holds [rad], the second; of a
        closest pose [m], the first: with a rolling base or a tilting wrist, and any up vector,
        nothing else decides.
    :returns: bool, shape (n,).
    """
    found = np.zeros(len(positions), dtype=bool)
    up = None if up is None else unit_vector('up', up)
    for start in range(0, len(positions), ROWS):
        part = positions[start:start + ROWS]
        with np.errstate(all='ignore'):
            position = columns(part, slice(None))
            here, sure = _with_any_up(solver, position) if up is None else _with_up(
                solver, position, up, tolerances[1])
        for row in np.flatnonzero(~sure):
            here[row] = _one(solver, Target(part[row].tolist(), up), tolerances)
        found[start:start + ROWS] = here
    return found


def _with_up(solver, position, up, up_tolerance):
    """Return which positions are reached, and where that is sure."""
    geometry, count = solver.geometry, len(position[0])
    if geometry.bend or not geometry.upright:
        return np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    u, near = [np.tile(np.array(values)[:, None], count) for values in (up, geometry.home)]
    joints = [JointColumns(limits) for limits in geometry.limits]
    best, sure = ExactColumns(solver, joints).solve(position, u, None, near)
    _, miss, _ = residuals(tool(geometry, best.q, sine_and_cosine), position, u, None)
    return (best.step < np.inf) & (miss <= up_tolerance), sure


def _with_any_up(solver, position):
    """Return which positions are reached; no roll or tilt but zero is tried."""
    geometry = solver.geometry
    x, y, z = from_s0(geometry, position)
    r = x * x + y * y - geometry.lateral ** 2
    sure = (r > ORDINARY ** 2) & (not geometry.bend or geometry.floor is None)
    np.sqrt(r, out=r)
    here = np.zeros(len(x), dtype=bool)
    base = [limits.allows(0.0) for role, limits in zip(geometry.roles, geometry.limits)
            if role in ('roll', 'wrist_tilt')]
    if all(base):
        for ahead in (r, -r):
            yaw = np.arctan2(y * ahead - x * geometry.lateral, x * ahead + y * geometry.lateral)
            rows = np.flatnonzero(~here & _fits(geometry.limits[0], yaw))
            here[rows] = _in_plane(solver, ahead[rows] - geometry.shoulder_offset, z[rows])
    if not geometry.upright:
        sure = here | (np.hypot(np.hypot(x, y), z) > solver.farthest)
    return here, sure


def _in_plane(solver, x, y):
    """Tell which points of upright arm planes, from the shoulder [m], are reached."""
    geometry, floor = solver.geometry, -np.inf
    if geometry.floor is not None:
        floor = geometry.floor - geometry.base_height
    found = np.zeros(len(x), dtype=bool)
    for pose in _poses(solver, x, y, floor):
        here = ~found & (y >= floor)
        for limits, angle in zip(geometry.limits_in_plane, pose):
            here &= _fits(limits, angle)
        if floor > -np.inf:
            shoulder, elbow, _ = pose
            height = geometry.l1 * np.sin(shoulder)
            wrist = height + geometry.l2 * np.sin(shoulder + elbow)
            here &= np.minimum(height, wrist) >= floor - TIE
        found |= here
    return found


def _poses(solver, x, y, floor):
    """Yield shoulder, elbow and wrist [rad] at which the elevations reached can end, or NaN."""
    geometry = solver.geometry
    for held in solver.reach.held:
        for direction, bend in _bends(held.triangle, x - held.x, y - held.y):
            yield held.pose(direction, bend)
    if floor == -np.inf:
        return
    # With elbow or wrist on the floor.
    wrist = np.arcsin((y - floor) / geometry.l3)
    elevations = [wrist, np.pi - wrist]
    if abs(floor) <= geometry.l1:
        elbow, triangle = np.arcsin(floor / geometry.l1), Triangle(geometry.l2, geometry.l3)
        elevations += [direction + bend for shoulder in (elbow, np.pi - elbow)
                       for direction, bend in _bends(
                           triangle, x - geometry.l1 * np.cos(shoulder), y - floor)]
    for at in elevations:
        for shoulder, elbow in _bends(solver.triangle, x - geometry.l3 * np.cos(at),
                                      y - geometry.l3 * np.sin(at)):
            yield shoulder, elbow, at - shoulder - elbow


def _bends(triangle, x, y):
    """Return what :meth:`.Triangle.bends` does of columns, NaN out of reach."""
    h = x * x + y * y
    slack = 2.0 * ROUNDING * triangle.outer_squared
    h[(h > triangle.outer_squared + slack) | (h < triangle.inner_squared - slack)] = np.nan
    s = np.sqrt(np.maximum((triangle.outer_squared - h) * (h - triangle.inner_squared), 0.0))
    w, bend = h + triangle.w_less_h, np.arctan2(s, h - triangle.squares)
    return ((np.arctan2(y * w - x * s, x * w + y * s), triangle.backwards + bend),
            (np.arctan2(y * w + x * s, x * w - y * s), triangle.backwards - bend))


def _fits(limits, angle):
    """Tell of canonical angles [rad] whether limits allow them."""
    past = limits.sign * (angle - limits.offset) - limits.lower + SEARCH_SLACK
    past -= TURN * np.floor(past / TURN)
    return past <= limits.upper - limits.lower + 2.0 * SEARCH_SLACK


def _one(solver, target, tolerances):
    """Tell whether the arm reaches a target."""
    geometry = solver.geometry
    if geometry.upright or target.up is not None:
        found, _ = solver.exact(target, geometry.home)
        return any(target.up is None or plane.miss <= tolerances[1] for plane, _ in found)
    return nearest_tip(solver, target.position) <= tolerances[0]
