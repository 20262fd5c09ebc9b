# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Many targets at once: the three-link reduction over arrays.

The same answers as :class:`~arm_ik.kinematics.solver.Solver` gives one by one. Targets go
through in chunks of rows that fit into the processor's cache, which also bounds the memory needed
besides the input and the answer. Targets that a branch meets inside the limits are solved as
columns (:mod:`.exact`), and every answer is measured (:mod:`.columns`).

All others are solved one by one: those that need a closest pose, degenerate ones, those of few
rows; all with a rolling base or a tilting wrist, without an up vector, with a side of the elbow or
a branch tolerance.

Where two answers tie exactly, such as positions half a turn from ``near`` on either side, rounding
may choose differently in the two paths.
"""

from itertools import repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .columns import check, JointColumns, residuals, run_chunks, sine_and_cosine
from .exact import ExactColumns
from .input import checked_targets, columns, made_unit
from ..forward import end_of_link, tool
from ..options import CHUNK_SIZE
from ..solution import Status
from ..target import Target
from ..tolerances import TIE

#: Up to so many rows are solved one by one, which is then as fast as columns.
FEW = 50


class BatchSolution(NamedTuple):
    """
    Joint positions of many targets with what forward kinematics says of them.

    The fields of :class:`~arm_ik.kinematics.solution.Solution` as arrays: ``q`` (..., joints)
    [rad], always finite and inside the limits; ``status`` (...,) int8, values of
    :class:`~arm_ik.kinematics.solution.Status`; errors and step (...,) [m, rad].
    """

    q: NDArray[np.float64]
    status: NDArray[np.int8]
    position_error_m: NDArray[np.float64]
    up_error_rad: NDArray[np.float64]
    forward_error_rad: NDArray[np.float64]
    step_rad: NDArray[np.float64]

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Return of each target whether everything asked for was met within tolerance."""
        return self.status == Status.REACHED


class Options(NamedTuple):
    """What :meth:`arm_ik.arm.Arm.solve` takes besides target and near, in its order."""

    elbow: str
    priority: str
    position_tolerance: float
    up_tolerance: float
    elevation: float | None = None
    branch_tolerance: tuple[float, float] | None = None


def solve_batch(solver, targets, options, chunk_size=CHUNK_SIZE, threads=None, progress=None):
    """
    Return the answers to many targets.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param targets: positions, ups, forwards and near, the arguments of
        :meth:`arm_ik.arm.Arm.solve_batch`, as are the last three.
    :param options: :class:`Options`.
    :returns: :class:`BatchSolution` with the leading axes of the targets.
    """
    check(chunk_size, threads, progress)
    targets = checked_targets(*targets, len(solver.geometry.limits))
    count = len(targets.positions)
    found = BatchSolution(np.empty((count, len(solver.geometry.limits))),
                          np.empty(count, dtype=np.int8), *np.empty((4, count)))
    rows = RowSolver(solver, targets, options, found)
    run_chunks(
        rows.solve, count, chunk_size, threads,
        lambda done: None if progress is None else progress(done, count))
    return BatchSolution(*[field.reshape(targets.shape + field.shape[1:]) for field in found])


class RowSolver:
    """
    Solves rows of a batch in place; the answer to one row does not depend on the others.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param targets: :class:`~arm_ik.kinematics.batch.input.BatchTargets`.
    :param options: :class:`~arm_ik.kinematics.batch.solve.Options`.
    :param found: :class:`~arm_ik.kinematics.batch.solve.BatchSolution` to write answers to, one
        row for each target.
    """

    def __init__(self, solver, targets, options, found):
        self._solver, self._targets, self._options, self._found = solver, targets, options, found
        self._exact, geometry = None, solver.geometry
        plain = options.elbow == 'nearest' and options.branch_tolerance is None
        if len(targets.positions) > FEW and plain and geometry.upright and geometry.has_wrist \
                and geometry.beside == geometry.whole.beside and targets.ups is not None \
                and (targets.forwards is not None or not geometry.beside):
            self._exact = ExactColumns(
                solver.on_axis, [JointColumns(limits) for limits in geometry.whole.limits])

    def solve(self, start, stop):
        """Solve the rows from start to stop."""
        rows = slice(start, stop)
        if self._exact is None or stop - start <= FEW:
            self.solve_one_by_one(rows)
            return
        with np.errstate(all='ignore'):
            left = np.flatnonzero(~self._solve_exact(rows))
        if len(left):
            self.solve_one_by_one(start + left)

    def _solve_exact(self, rows):
        """Solve the rows that a branch meets, and return which; others are undefined yet."""
        targets, options, geometry = self._targets, self._options, self._solver.geometry
        end = position = columns(targets.positions, rows)
        near = np.tile(np.array(geometry.home)[:, None], len(position[0])) \
            if targets.near is None else columns(targets.near, rows)
        u, forward = [None if vectors is None else made_unit(columns(vectors, rows))
                      for vectors in (targets.ups, targets.forwards)]
        if geometry.beside:
            # Where a tip beside the roll axis leaves the end of the last link, if all is met.
            end = end_of_link(geometry, position, u, forward)
        best, sure = self._exact.solve(end, u, forward, near)
        position_error, up, turned = residuals(
            tool(geometry, best.q, sine_and_cosine, forward is not None), position, u, forward)
        unserved = geometry.has_wrist_roll & (turned > options.up_tolerance)
        status = np.select(
            [position_error > options.position_tolerance, up > options.up_tolerance, unserved],
            [Status.POSITION_RELAXED, Status.UP_RELAXED, Status.FORWARD_RELAXED], Status.REACHED)
        self._put(rows, np.transpose(best.q), status, position_error, up, turned, best.step)
        sure &= (best.step < np.inf) & (position_error <= TIE)
        if geometry.beside:
            sure &= (up <= TIE) & (turned <= TIE)
            if geometry.floor is not None:
                below = end[2] + (geometry.end - geometry.l3) * u[2]
                sure &= np.minimum(position[2], below) >= geometry.floor
        return sure & (up <= TIE) if options.priority == 'up' else sure

    def solve_one_by_one(self, rows):
        """Solve rows by the scalar path."""
        targets, solve, options = self._targets, self._solver.solve, self._options
        position, *vectors = [
            repeat(None) if array is None else map(tuple, array.tolist()) for array in (
                targets.positions[rows].astype(float, copy=False),
                *[array if array is None else made_unit(array[rows].T).T
                  for array in (targets.ups, targets.forwards)])]
        near = repeat(self._solver.geometry.home) if targets.near is None else map(
            tuple, targets.near[rows].tolist())
        solved = [solve(Target.of_unit_vectors(at, u, forward), q, *options)
                  for at, u, forward, q in zip(position, *vectors, near)]
        q, status, *errors, _, _, step = zip(*solved)
        self._put(rows, q, status, *errors, step)

    def _put(self, rows, *fields):
        """Write answers to their places."""
        for array, values in zip(self._found, fields):
            array[rows] = values
