# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The best branch for each of many targets: :mod:`..ranking` over columns.

A branch meets its target to rounding, far below a tie, so what it costs is known without forward
kinematics: no position error, the plane's miss for the up vector. The answer is measured once
chosen.
"""

import numpy as np

from .forward import canonical_columns
from ..arm_plane import DEGENERATE
from ..ranking import TIE


class Best:
    """
    The best readings offered so far for each of n rows.

    ``q`` (joints, n): readings [rad]; ``costs``: one column for each cost in the order in which
    they count, infinite where nothing was offered; ``sure`` (n,): false where something better may
    have been left out. The first of equals stays.
    """

    def __init__(self, joints, costs, n):
        self.q = np.zeros((joints, n))
        self.costs = np.full((costs, n), np.inf)
        self.sure = np.ones(n, dtype=bool)

    def offer(self, rows, q, costs):
        """
        Take readings for rows where they are better than what is held.

        :param rows: numbers of the rows, each at most once.
        :param q: readings [rad], one column for each joint.
        :param costs: one column for each cost; nearer than a tie is equal.
        """
        held = self.costs[:, rows]
        better = np.zeros(len(rows), dtype=bool)
        for cost, least in zip(reversed(costs), held[::-1]):
            better = (cost < least - TIE) | (better & (cost <= least + TIE))
        rows = rows[better]
        for kept, offered in zip((*self.q, *self.costs), (*q, *costs)):
            kept[rows] = offered[better]


def costs_of(geometry, branches, miss, near, elbow, up_tolerance):
    """
    Return the costs of branches in the order in which they count.

    :param geometry: of the arm.
    :param branches: :class:`~arm_ik.kinematics.batch.branch.Branches` of n targets.
    :param miss: up error of each branch's plane [rad], shape (branches, n).
    :param near: readings [rad] the step is counted from, shape (joints, n) or (joints, 1).
    :param elbow: ``'nearest'``, ``'up'`` or ``'down'``.
    :param up_tolerance: angles up to this [rad] are as good as none.
    :returns: list of arrays (branches, n).
    """
    costs = [np.where(error <= up_tolerance, 0.0, error)
             for error in (miss, branches.forward) if error is not None]
    if elbow != 'nearest':
        costs.append((elbow_is_up(geometry, branches.q) != (elbow == 'up')).astype(float))
    steps = np.abs(branches.q - near[:, None])
    return [*costs, steps.max(axis=0), steps[0], (steps ** 2).sum(axis=0)]


def best_of(costs, inside):
    """
    Return the number of the best branch of each target, the first of equals.

    :param costs: arrays (branches, n) in the order in which they count; nearer than a tie is
        equal.
    :param inside: bool (branches, n), which branches may be chosen.
    :returns: column of int; of no meaning where no branch is inside.
    """
    # What counts before every cost: being a branch at all.
    costs = [np.where(inside, costs[0], np.inf), *costs[1:]]
    best = np.zeros(inside.shape[1], dtype=np.intp)
    held = [cost[0] for cost in costs]
    for i in range(1, len(inside)):
        better = np.zeros(len(best), dtype=bool)
        for cost, least in zip(reversed(costs), reversed(held)):
            better = (cost[i] < least - TIE) | (better & (cost[i] <= least + TIE))
        best[better] = i
        held = [np.where(better, cost[i], least) for cost, least in zip(costs, held)]
    return best


def elbow_is_up(geometry, q):
    """Tell of readings (joints, ...) whether the elbow is above the line to the wrist."""
    _, roll, shoulder, elbow, _, _, _ = canonical_columns(geometry, q)
    line = geometry.l1 * np.cos(shoulder) + geometry.l2 * np.cos(shoulder + elbow)
    upwards = line * np.cos(roll)
    return np.sin(elbow) * np.where(np.abs(upwards) > DEGENERATE, upwards, 1.0) < 0.0
