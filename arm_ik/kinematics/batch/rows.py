# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The rows of a batch, by the way that serves them: columns where they can, else one by one."""

import numpy as np

from .branch import branches_of
from .closest import ClosestColumns
from .fast import FastColumns
from .forward import cross_and_dot, distance, residuals, tool_columns
from .free import FreeColumns
from .input import columns, made_unit, shared_columns
from .keeping import are_kept
from .planes import planes_of
from .ranking import best_of, costs_of
from .section import Rows
from ..ranking import TIE
from ..solution import Status
from ..solver import FAR
from ..target import Target

#: Up vectors shorter than this are made unit before anything is done with them.
SHORTEST = 1e-50

#: So few rows are solved one by one in the time that columns of them take.
FEW = 8

#: The same where the closest pose is asked for.
FEW_TO_SEARCH = 100


class RowSolver:
    """
    Solves rows of a batch in place; what it does to one row depends on no other.

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
        self._base = (geometry.base_x, geometry.base_y, geometry.base_height)
        self._fast = None
        if FastColumns.serves(solver, targets, options):
            self._fast = FastColumns(solver, options.up_tolerance)
        self._closest = self._free = None
        if ClosestColumns.serves(solver):
            up_first = options.priority == 'up' and targets.ups is not None
            closest = ClosestColumns(solver, options, up_first)
            if targets.ups is None:
                self._free = FreeColumns(geometry, closest, options.elevation)
            else:
                self._closest = closest

    def solve(self, start, stop):
        """Solve the ordinary rows from start to stop, and return those left over."""
        rows = np.arange(start, stop)
        if self._fast is None:
            return rows
        with np.errstate(all='ignore'):
            return rows[~self._solve_ordinary(slice(start, stop))]

    def solve_left(self, left):
        """Solve rows that are not ordinary."""
        with np.errstate(all='ignore'):
            if self._targets.ups is not None and len(left) > FEW:
                left = left[~self._solve_branches(left)]
            # Of these it is asked one by one whether the present branch is as good.
            keeping = self._options.branch_tolerance is not None
            if self._free is not None and len(left) > FEW_TO_SEARCH and not keeping:
                left = left[~self._solve_free(left)]
        for row in left:
            self._solve_one(row)

    def _solve_ordinary(self, rows):
        """Solve ordinary rows and tell which they are; the rest means nothing yet."""
        options = self._options
        position, near = self._position_and_near(rows)
        u = columns(self._targets.ups, rows)
        best, sure = self._fast.solve(self._from_base(position), u, near)
        tool = tool_columns(self._solver.geometry, best.q, with_forward=False)
        position_error, (cross, dot) = distance(tool.tip, position), cross_and_dot(tool.up, u)
        up = np.arctan2(cross, dot)
        self._put(rows, best.q, position_error, up, 0.0, best.step)
        self._found.status[rows] = Status.REACHED
        # A vector so short that its square vanishes would seem to be met.
        return sure & (dot > SHORTEST) & (
            position_error <= options.position_tolerance) & (
            up <= options.up_tolerance) & self._are_kept(best.q, True, near)

    def _solve_branches(self, rows):
        """Solve rows that a branch meets and tell which they are; the rest means nothing yet."""
        geometry, options = self._solver.geometry, self._options
        position, near = self._position_and_near(rows)
        u, forward = [None if vectors is None else made_unit(columns(vectors, rows))
                      for vectors in (self._targets.ups, self._targets.forwards)]
        targets = Rows(position, self._from_base(position), u, forward, near)
        planes, ordinary = planes_of(geometry, targets.e, u, forward)
        branches = branches_of(self._solver, planes, near)
        miss = np.repeat(planes.miss, 2, axis=0)
        costs = costs_of(geometry, branches, miss, near, options.elbow, options.up_tolerance)
        best = best_of(costs, branches.inside), np.arange(len(rows))
        q, inside = branches.q[(slice(None), *best)], branches.inside[best]
        position_error, up = self._put_judged(rows, q, targets)
        least = planes.miss.min(axis=0) + TIE if options.priority == 'position' else 0.0
        ordinary = ordinary & branches.ordinary
        done = ordinary & inside & (position_error <= options.position_tolerance) & (
            up <= np.maximum(options.up_tolerance, least))
        met, done = done, done & self._are_kept(q, True, near)
        if self._closest is not None:
            rest = np.flatnonzero(ordinary & ~met & (np.abs(position).max(axis=0) <= FAR))
            if len(rest) > FEW_TO_SEARCH:
                q, sure = self._closest.solve(targets.at(rest), planes.at(rest))
                self._put_judged(rows[rest], q, targets.at(rest))
                done[rest] = sure & self._are_kept(q, False, targets.at(rest).near)
        return done

    def _solve_free(self, rows):
        """Solve rows without an up vector and tell which they are; the rest means nothing yet."""
        position, near = self._position_and_near(rows)
        forward = None
        if self._targets.forwards is not None:
            forward = made_unit(columns(self._targets.forwards, rows))
        targets = Rows(position, self._from_base(position), None, forward, near)
        q, sure = self._free.solve(targets)
        self._put_judged(rows, q, targets)
        return sure & (np.abs(position).max(axis=0) <= FAR)

    def _put_judged(self, rows, q, targets):
        """
        Write readings to their places with what forward kinematics says of them.

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

    def _are_kept(self, q, exact, near):
        """Tell of optima whether they are in the present branch, where that is asked for."""
        if self._options.branch_tolerance is None:
            return True
        step = np.max([np.abs(a - b) for a, b in zip(q, near)], axis=0)
        return are_kept(self._solver.geometry, q, step, exact, near,
                        self._targets.forwards is not None)

    def _solve_one(self, row):
        """Solve one row by the scalar path."""
        targets, found = self._targets, self._found
        near = tuple(targets.near[row].tolist())
        target = Target(*[None if vectors is None else vectors[row].tolist()
                          for vectors in (targets.positions, targets.ups, targets.forwards)])
        one = self._solver.solve(target, near, *self._options)
        self._put(row, one.q, one.position_error_m, one.up_error_rad, one.forward_error_rad,
                  one.step_rad)
        found.status[row] = one.status

    def _position_and_near(self, rows):
        return columns(self._targets.positions, rows), shared_columns(self._targets.near, rows)

    def _from_base(self, position):
        return [x - origin if origin else x for x, origin in zip(position, self._base)]

    def _put(self, rows, q, position_error, up_error, forward_error, step):
        """Write answers to their places, readings joint by joint."""
        found = self._found
        for joint, reading in enumerate(q):
            found.q[rows, joint] = reading
        found.position_error_m[rows] = position_error
        found.up_error_rad[rows] = up_error
        found.forward_error_rad[rows] = forward_error
        found.step_rad[rows] = step
