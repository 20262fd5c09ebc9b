# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Many targets at once: the three-link reduction over arrays.

The same answers as :class:`~arm_ik.kinematics.solver.Solver` gives one by one. Targets go
through in chunks of rows that fit into the processor's cache, which also bounds the memory needed
besides the input and the answer. Of a chunk, ordinary targets are solved first
(:mod:`.fast`). Of those left over: every arm plane (:mod:`.planes`), every branch
inside the limits (:mod:`.branch`), the best of them (:mod:`.ranking`), and where none
meets the target the closest pose (:mod:`.closest`). Every answer is measured
(:mod:`.forward`).

Targets without an up vector have a way of their own (:mod:`.free`).

The rest is left to the scalar path, target by target: degenerate targets; on arms with a rolling
base or a tilting wrist all that no branch meets or that have no up vector; with an arm plane
beside the yaw axis what can't be reached of targets whose upright up vector goes first; where the
present branch is to be kept, what is not sure to be in it (:mod:`.keeping`). It is much
slower. Where two answers tie exactly, such as readings half a turn from near on either side,
rounding may choose differently here and there.
"""

from typing import NamedTuple, Optional, Tuple

import numpy as np

from .chunks import run_chunks
from .rows import RowSolver
from ..options import CHUNK_SIZE
from ..solution import Status

#: One row in so many of a chunk may be put off until the end.
FEW_OF = 64


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


def solve_batch(solver, targets, options, chunk_size=CHUNK_SIZE, threads=None,
                progress=None):
    """
    Return the answers to many targets.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param targets: :class:`~arm_ik.kinematics.batch.input.BatchTargets`.
    :param options: :class:`Options`.
    :param chunk_size: rows in a chunk.
    :param threads: chunks solved at the same time; ``None``: what pays.
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
        # Few rows cost columns of their own nearly what many do: those of all chunks go together.
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
