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
from ..closest.spatial.bases import fits
from ..closest.spatial.planar_arrays import triangles
from ..closest.spatial.position_first import above_floor
from ..forward import tool
from ..target import Target, unit_vector
from ..tolerances import ORDINARY, POSITION_TOLERANCE, UP_TOLERANCE

#: Positions looked at together: more poses of them would not fit into the processor's cache.
ROWS = 1024


def reached(solver, positions, up=None, tolerances=(POSITION_TOLERANCE, UP_TOLERANCE)):
    """
    Tell which positions the arm reaches exactly.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param positions: of the tip in ``base_link`` [m], shape (n, 3).
    :param up: up vector, the same for all, three numbers; ``None``: any.
    :param tolerances: largest miss of an up vector that no plane holds [rad], the second; of a
        closest pose [m], the first: with a floor, a rolling base or a tilting wrist, and any up
        vector, there is no other way to tell.
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
            rows = np.flatnonzero(~here & fits(geometry.limits[0], yaw))
            here[rows] = _in_plane(solver, ahead[rows] - geometry.shoulder_offset, z[rows])
    if not geometry.upright:
        beyond = np.hypot(np.hypot(x, y), z) > solver.reach.reach + np.hypot(
            geometry.shoulder_offset, geometry.lateral)
        sure = here | beyond
    return here, sure


def _in_plane(solver, x, y):
    """Tell which points of upright arm planes, from the shoulder [m], are reached."""
    geometry, arrays = solver.geometry, solver.arrays
    hand = np.full_like(x, geometry.l3)
    tried = [arrays.extreme(x, y, hand)]
    tried += [arrays.standing(x, y, hand, elevation)
              for elevation in _elevations_on_floor(geometry, x, y)]
    found = np.zeros(len(x), dtype=bool)
    for angles, inside in tried:
        found |= (inside & above_floor(geometry, 0.0, angles)).any(axis=0)
    return found & (geometry.floor is None or y >= geometry.floor - geometry.base_height)


def _elevations_on_floor(geometry, x, y):
    """Return elevations [rad] that put elbow or wrist on the floor, NaN where none does."""
    if geometry.floor is None:
        return []
    floor = geometry.floor - geometry.base_height
    wrist = np.arcsin((y - floor) / geometry.l3)
    found = [wrist, np.pi - wrist]
    if abs(floor) <= geometry.l1:
        elbow = np.arcsin(floor / geometry.l1)
        for shoulder in (elbow, np.pi - elbow):
            first, second, bend, reaches = triangles(
                geometry.l2, geometry.l3, x - geometry.l1 * np.cos(shoulder), y - floor)
            found += [np.where(reaches, a, np.nan) for a in (first + bend, second - bend)]
    return found


def _one(solver, target, tolerances):
    """Tell whether the arm reaches a target."""
    geometry = solver.geometry
    if geometry.upright or target.up is not None:
        found, _ = solver.exact(target, geometry.home)
        return any(target.up is None or plane.miss <= tolerances[1] for plane, _ in found)
    if geometry.floor is None:
        return solver.position_first.reaches(from_s0(geometry, target.position))
    answer = solver.solve(target, geometry.home, 'nearest', 'position', *tolerances)
    return answer.position_error_m <= tolerances[0]
