# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Many targets at once: the three-link reduction over arrays.

The same answers as :class:`~arm_ik.kinematics.three_link.Solver` gives one by one. Targets go
through in blocks of rows that fit into the processor's cache, which also bounds the memory needed
besides the input and the answer. In a block: every arm plane (:mod:`.batch_planes`), every branch
inside the limits (:mod:`.batch_branch`), the best of them (:mod:`.batch_ranking`), measured
(:mod:`.batch_forward`).

What is more than a choice between branches is left to the scalar path, target by target:
degenerate targets, targets without an up vector, and those that no branch meets. It is much
slower. Where two answers tie exactly, such as readings half a turn from near on either side,
rounding may choose differently here and there.
"""

from typing import NamedTuple, Optional, Tuple

import numpy as np

from .batch_branch import branches_of
from .batch_forward import lowest, residuals, tool_columns
from .batch_input import columns, shared_columns, unit_columns
from .batch_planes import planes_of
from .batch_ranking import best_of, costs_of
from .ranking import TIE
from .solution import Status
from .target import Target

#: Rows in a block: its columns fit into the second-level cache, and numpy's overhead is spread.
CHUNK_SIZE = 4096


class BatchSolution(NamedTuple):
    """
    Joint readings of many targets with what forward kinematics says of them.

    The fields of :class:`~arm_ik.kinematics.solution.Solution` as arrays: ``q`` (..., joints)
    [rad], always finite and inside the limits; ``status`` (...,) int8, values of
    :class:`~arm_ik.kinematics.solution.Status`; errors and step (...,) [m, rad].
    """

    q: np.ndarray
    status: np.ndarray
    position_error_m: np.ndarray
    up_error_rad: np.ndarray
    forward_error_rad: np.ndarray
    step_rad: np.ndarray

    @property
    def reached(self):
        """Tell of each target whether everything asked for was met within tolerance."""
        return self.status == Status.REACHED


class Options(NamedTuple):
    """What :meth:`arm_ik.arm.Arm.solve` takes besides target and near, in its order."""

    elbow: str
    priority: str
    position_tolerance: float
    up_tolerance: float
    elevation: Optional[float] = None
    branch_tolerance: Optional[Tuple[float, float]] = None


def solve_batch(solver, targets, options, chunk_size=CHUNK_SIZE):
    """
    Return the answers to many targets.

    :param solver: :class:`~arm_ik.kinematics.three_link.Solver` of the arm.
    :param targets: :class:`~arm_ik.kinematics.batch_input.BatchTargets`.
    :param options: :class:`Options`.
    :param chunk_size: rows in a block.
    :returns: :class:`BatchSolution` with the leading axes of the targets.
    """
    count = targets.count
    found = BatchSolution(np.empty((count, len(solver.geometry.limits))),
                          np.empty(count, dtype=np.int8), *np.empty((4, count)))
    for start in range(0, count, chunk_size):
        rows = slice(start, min(start + chunk_size, count))
        left = np.arange(rows.start, rows.stop)
        if targets.ups is not None:
            with np.errstate(all='ignore'):
                left = left[~_solve_block(solver, targets, options, rows, found)]
        for row in left:
            _solve_row(solver, targets, options, row, found)
    return BatchSolution(*[field.reshape(targets.shape + field.shape[1:]) for field in found])


def _solve_block(solver, targets, options, rows, found):
    """Solve a block of rows in place and tell which are done; the rest means nothing yet."""
    geometry = solver.geometry
    position, near = columns(targets.positions, rows), shared_columns(targets.near, rows)
    u = unit_columns(targets.ups, rows)
    forward = None if targets.forwards is None else unit_columns(targets.forwards, rows)
    base = (geometry.base_x, geometry.base_y, geometry.base_height)
    e = [x - origin for x, origin in zip(position, base)]
    planes, ordinary = planes_of(geometry, e, u, forward)
    branches = branches_of(solver, planes, near)
    inside = branches.inside
    if geometry.floor is not None:
        inside = inside & (lowest(geometry, branches.q) >= geometry.floor - TIE)
    miss = np.repeat(planes.miss, 2, axis=0)
    costs = costs_of(geometry, branches, miss, near, options.elbow, options.up_tolerance)
    best = best_of(costs, inside)

    at = best, np.arange(len(best))
    q = branches.q[(slice(None), *at)]
    tool = tool_columns(geometry, q, with_forward=forward is not None)
    position_error, up, turned = residuals(tool, position, u, forward)
    least = planes.miss.min(axis=0) + TIE if options.priority == 'position' else 0.0
    done = ordinary & branches.ordinary & inside[at] & (
        position_error <= options.position_tolerance) & (
        up <= np.maximum(options.up_tolerance, least))
    found.q[rows] = q.T
    found.position_error_m[rows] = position_error
    found.up_error_rad[rows] = up
    found.forward_error_rad[rows] = turned
    found.step_rad[rows] = np.abs(q - near).max(axis=0)
    served = turned <= options.up_tolerance if geometry.has_wrist_roll else True
    found.status[rows] = np.where(
        up > options.up_tolerance, Status.UP_RELAXED,
        np.where(served, Status.REACHED, Status.FORWARD_RELAXED))
    return done


def _solve_row(solver, targets, options, row, found):
    """Solve one row by the scalar path, in place."""
    near = tuple(targets.near[row].tolist())
    target = Target(*[None if vectors is None else vectors[row].tolist()
                      for vectors in (targets.positions, targets.ups, targets.forwards)])
    one = solver.solve(target, near, *options)
    found.q[row] = one.q
    found.status[row] = one.status
    found.position_error_m[row] = one.position_error_m
    found.up_error_rad[row] = one.up_error_rad
    found.forward_error_rad[row] = one.forward_error_rad
    found.step_rad[row] = one.step_rad
