# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Many targets at once: the three-link reduction over arrays.

The same answers as :class:`~arm_ik.kinematics.solver.Solver` gives one by one. Targets go
through in chunks of rows that fit into the processor's cache, which also bounds the memory needed
besides the input and the answer. The ordinary targets of a chunk are solved first (:mod:`.fast`).
For the others every branch inside the limits in every arm plane is computed (:mod:`.planes`) and
the best one is taken (:mod:`.ranking`). If none meets the target, the closest pose is taken
(:mod:`.closest`). Every answer is measured (:mod:`.forward`). Targets without an up vector have
columns of their own (:mod:`.free`).

The other targets are left to the scalar path, which is much slower: degenerate targets; with a
rolling base or a tilting wrist, targets that no branch meets or that have no up vector; with an
arm plane beside the yaw axis, targets that need a search over the yaw; targets without an up
vector that the floor keeps from the wanted elevation; all targets with a branch tolerance.

Where two answers tie exactly, such as positions half a turn from ``near`` on either side, rounding
may choose differently in the two paths.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .chunks import run_chunks
from .closest import ClosestColumns, onto_floor
from .columns import JointColumns, rows_of, wrapped
from .fast import FastColumns
from .forward import cross_and_dot, distance, lowest, residuals, tool_columns
from .free import FreeColumns
from .input import columns, made_unit
from .planes import branches_of, planes_of
from .ranking import Best, COSTS, RankingColumns
from .section import Rows
from ..limits import LIMIT_SLACK
from ..options import CHUNK_SIZE
from ..ranking import TIE
from ..solution import Status
from ..solver import FAR
from ..target import Target

#: If at most one row in so many of a chunk is left over, it is put off until the end.
FEW_OF = 64

#: Up vectors shorter than this are normalised first.
SHORTEST = 1e-50

#: Up to so many rows are solved one by one, which is then as fast as columns.
FEW = 8

#: The same where the closest pose is asked for.
FEW_TO_SEARCH = 100


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
        """Tell of each target whether everything asked for was met within tolerance."""
        return self.status == Status.REACHED


class Options(NamedTuple):
    """What :meth:`arm_ik.arm.Arm.solve` takes besides target and near, in its order."""

    elbow: str
    priority: str
    position_tolerance: float
    up_tolerance: float
    elevation: float | None = None
    branch_tolerance: tuple[float, float] | None = None


def solve_batch(solver, targets, options, chunk_size=CHUNK_SIZE, threads=None,
                progress=None):
    """
    Return the answers to many targets.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param targets: :class:`~arm_ik.kinematics.batch.input.BatchTargets`.
    :param options: :class:`Options`.
    :param chunk_size: rows in a chunk.
    :param threads: chunks solved at the same time; ``None``: :func:`.chunks.threads_for` decides.
    :param progress: function of rows done and rows in all, or ``None``.
    :returns: :class:`BatchSolution` with the leading axes of the targets.
    """
    count = targets.count
    found = BatchSolution(np.empty((count, len(solver.geometry.limits))),
                          np.empty(count, dtype=np.int8), *np.empty((4, count)))
    rows = RowSolver(solver, targets, options, found)
    put_off = []

    def work(start, stop):
        left = rows.solve(start, stop)
        # Columns of few rows cost nearly as much as columns of many: all chunks' rows go together.
        if len(left) * FEW_OF < chunk_size:
            put_off.append(left)
        else:
            rows.solve_left(left)

    def after(done):
        if done == count:
            left = np.sort(np.concatenate([*put_off, []])).astype(np.intp)
            run_chunks(lambda start, stop: rows.solve_left(left[start:stop]), len(left),
                       chunk_size, threads, lambda done: None)
        if progress is not None:
            progress(done, count)

    run_chunks(work, count, chunk_size, threads, after)
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
        self._solver, self._targets = solver, targets
        self._options, self._found = options, found
        geometry = solver.geometry
        joints = [JointColumns(limits) for limits in geometry.limits]
        up_first = options.priority == 'up' and targets.ups is not None
        self._base = (geometry.base_x, geometry.base_y, geometry.base_height)
        self._joints, self._ranking = joints, RankingColumns(geometry, options, up_first)
        self._fast = self._closest = self._free = None
        if options.branch_tolerance is not None:
            return
        if FastColumns.serves(solver, targets, options):
            self._fast = FastColumns(solver, joints, options.up_tolerance)
        if geometry.upright:
            #: Above a floor the closest poses take a search, one by one.
            self._closest = ClosestColumns(solver, joints, options, up_first)
            self._free = FreeColumns(geometry, joints, self._closest, options.elevation)

    def solve(self, start, stop):
        """Solve the ordinary rows from start to stop, and return those left over."""
        rows = np.arange(start, stop)
        if self._fast is None:
            return rows
        with np.errstate(all='ignore'):
            return rows[~self._solve_ordinary(slice(start, stop))]

    def solve_left(self, left):
        """Solve rows that are not ordinary."""
        # The branch tolerance is served one by one.
        if self._options.branch_tolerance is None:
            with np.errstate(all='ignore'):
                if self._targets.ups is None:
                    if self._free is not None and len(left) > FEW_TO_SEARCH:
                        left = left[~self._solve_free(left)]
                elif len(left) > FEW:
                    left = left[~self._solve_branches(left)]
        for row in left:
            self.solve_one(row)

    def _solve_ordinary(self, rows):
        """Solve ordinary rows and tell which they are; the other rows are undefined yet."""
        options = self._options
        targets = self._targets
        position, u, near = [
            columns(array, rows) for array in (targets.positions, targets.ups, targets.near)]
        best, sure = self._fast.solve(self._from_base(position), u, near)
        tool = tool_columns(self._solver.geometry, best.q, with_forward=False)
        position_error, (cross, dot) = distance(tool.tip, position), cross_and_dot(tool.up, u)
        up = np.arctan2(cross, dot)
        self._put(rows, best.q, position_error, up, 0.0, best.step)
        self._found.status[rows] = Status.REACHED
        # A vector so short that its square vanishes would seem to be met.
        return sure & (dot > SHORTEST) & (up <= options.up_tolerance) & (
            position_error <= options.position_tolerance)

    def _solve_branches(self, rows):
        """Solve rows that a branch meets and tell which they are; the others are undefined yet."""
        geometry, options, targets = self._solver.geometry, self._options, self._rows(rows)
        aims = onto_floor(geometry, targets)
        planes, ordinary = planes_of(geometry, aims.e, aims.u, aims.forward)
        best = self._best_branch(aims, planes, ordinary)
        position_error, up = self._put_judged(rows, best.q, targets)
        depth, least = aims.position[2] - targets.position[2], planes.miss.min(axis=0) + TIE
        if options.priority == 'up':
            depth, least = 0.0, 0.0
        done = ordinary & (best.costs[0] < np.inf) & (
            position_error <= depth + options.position_tolerance) & (
            up <= np.maximum(options.up_tolerance, least))
        if self._closest is not None and geometry.floor is None:
            rest = np.flatnonzero(ordinary & ~done & _not_far(targets))
            if len(rest) > FEW_TO_SEARCH:
                there = targets.at(rest)
                planes, ordinary = planes_of(geometry, there.e, there.u, there.forward)
                q, sure = self._closest.solve(there, planes)
                self._put_judged(rows[rest], q, there)
                done[rest] = ordinary & sure
        return done

    def _best_branch(self, targets, planes, ordinary):
        """Return the best branches; rows where one is on a limit are not ordinary, in place."""
        geometry, joints = self._solver.geometry, self._joints
        best = Best(len(joints), COSTS, len(ordinary))
        for branch in branches_of(geometry, self._solver.triangle, joints, planes, targets.near):
            rows = np.flatnonzero(branch.excess <= LIMIT_SLACK)
            # A branch put on a limit has its other angles computed anew.
            ordinary[rows[branch.excess[rows] > 0.0]] = False
            q, near = rows_of(branch.q, rows), rows_of(targets.near, rows)
            forward = np.zeros(len(rows))
            if geometry.has_wrist_roll:
                turn = branch.plane.turn
                roll, forward = self._wrist_roll(None if turn is None else turn[rows], near[-1])
                q.append(roll)
            if geometry.floor is not None:
                above = np.flatnonzero(lowest(geometry, q) >= geometry.floor - TIE)
                rows, q, near = rows[above], rows_of(q, above), rows_of(near, above)
                forward = forward[above]
            best.offer(rows, q, self._ranking.costs(
                q, near, np.zeros(len(rows)), branch.plane.miss[rows], forward))
        return best

    def _wrist_roll(self, turn, near):
        """Return positions of the wrist roll, and their forward errors [rad]."""
        joint = self._joints[-1]
        if turn is None:
            return joint.clamped(near), np.zeros_like(near)
        roll = joint.nearest(turn, near)
        return roll, np.abs(wrapped(joint.angle(roll) - turn))

    def _solve_free(self, rows):
        """Solve rows without an up vector and tell which they are; others are undefined yet."""
        targets = self._rows(rows)
        q, sure = self._free.solve(targets)
        self._put_judged(rows, q, targets)
        return sure & _not_far(targets)

    def _rows(self, rows):
        targets = self._targets
        position, near = columns(targets.positions, rows), columns(targets.near, rows)
        u, forward = [None if vectors is None else made_unit(columns(vectors, rows))
                      for vectors in (targets.ups, targets.forwards)]
        return Rows(position, self._from_base(position), u, forward, near)

    def _put_judged(self, rows, q, targets):
        """
        Write positions to their places with what forward kinematics says of them.

        :returns: ``(position error [m], up error [rad])``.
        """
        geometry, options = self._solver.geometry, self._options
        tool = tool_columns(geometry, q, with_forward=targets.forward is not None)
        position, up, turned = residuals(tool, targets.position, targets.u, targets.forward)
        self._put(rows, q, position, up, turned,
                  np.max([np.abs(a - b) for a, b in zip(q, targets.near)], axis=0))
        unserved = turned > options.up_tolerance if geometry.has_wrist_roll else False
        self._found.status[rows] = np.select(
            [position > options.position_tolerance, up > options.up_tolerance, unserved],
            [Status.POSITION_RELAXED, Status.UP_RELAXED, Status.FORWARD_RELAXED], Status.REACHED)
        return position, up

    def solve_one(self, row):
        """Solve one row by the scalar path."""
        targets, found = self._targets, self._found
        near = tuple(targets.near[row].tolist())
        target = Target(*[None if vectors is None else vectors[row].tolist()
                          for vectors in (targets.positions, targets.ups, targets.forwards)])
        one = self._solver.solve(target, near, *self._options)
        self._put(row, one.q, one.position_error_m, one.up_error_rad, one.forward_error_rad,
                  one.step_rad)
        found.status[row] = one.status

    def _from_base(self, position):
        return [x - origin if origin else x for x, origin in zip(position, self._base)]

    def _put(self, rows, q, position_error, up_error, forward_error, step):
        """Write answers to their places, positions joint by joint."""
        found = self._found
        for joint, column in enumerate(q):
            found.q[rows, joint] = column
        found.position_error_m[rows] = position_error
        found.up_error_rad[rows] = up_error
        found.forward_error_rad[rows] = forward_error
        found.step_rad[rows] = step


def _not_far(targets):
    return np.abs(targets.position).max(axis=0) <= FAR
