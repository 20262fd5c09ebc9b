# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The best joint positions for each of many targets: :mod:`..ranking` over columns.

Candidates are offered one after the other, each for some of the rows; costs are compared in order.
"""

import numpy as np

from .forward import canonical_columns
from ..arm_plane import DEGENERATE
from ..ranking import STRAIGHT, TIE

#: The number of costs of a candidate, see :meth:`RankingColumns.costs`.
COSTS = 7


class Best:
    """
    The best candidate offered so far for each of n rows.

    ``q`` (joints, n): positions [rad]; ``costs``: one column for each cost in the order in which
    they count, infinite where nothing was offered; ``sure`` (n,): false where something better may
    have been left out. The first of equals stays.
    """

    def __init__(self, joints, costs, n):
        self.q = np.zeros((joints, n))
        self.costs = np.full((costs, n), np.inf)
        self.sure = np.ones(n, dtype=bool)

    def offer(self, rows, q, costs):
        """
        Take candidates for rows where they are better than what is held.

        :param rows: numbers of the rows, each at most once.
        :param q: positions [rad], one column for each joint.
        :param costs: one column for each cost; nearer than a tie is equal.
        """
        held = self.costs[:, rows]
        better = np.zeros(len(rows), dtype=bool)
        for cost, least in zip(reversed(costs), held[::-1]):
            better = (cost < least - TIE) | (better & (cost <= least + TIE))
        rows = rows[better]
        for kept, offered in zip((*self.q, *self.costs), (*q, *costs)):
            kept[rows] = offered[better]


class RankingColumns:
    """
    The order in which candidates are compared.

    :param geometry: of the arm.
    :param options: :class:`~arm_ik.kinematics.batch.solve.Options`.
    :param up_first: whether the up vector goes before the position.
    """

    def __init__(self, geometry, options, up_first):
        self._geometry, self._options, self.up_first = geometry, options, up_first
        #: Of the elbow: 1 up, -1 down, 0 whichever is nearest.
        self.side = {'up': 1.0, 'down': -1.0, 'nearest': 0.0}[options.elbow]

    def costs(self, q, near, position, up, forward):
        """
        Return the costs of candidates in the order in which they count, :data:`COSTS` columns.

        :param q: positions [rad], a column for each joint.
        :param near: positions [rad] the step is counted from.
        :param position: errors of the tip [m].
        :param up: errors of the up vector [rad].
        :param forward: errors of the forward vector [rad].
        """
        options = self._options
        if not self._geometry.has_wrist_roll:
            forward = np.zeros_like(forward)
        # Within tolerance is as good as nothing, and better than anything that is not.
        errors = [np.where(error <= tolerance, -1.0, error) for error, tolerance in (
            (position, options.position_tolerance), (up, options.up_tolerance),
            (forward, options.up_tolerance))]
        if self.up_first:
            errors[:2] = errors[1::-1]
        wrong = np.zeros_like(position)
        if self.side:
            wrong += self.wrong_elbow(*canonical_columns(self._geometry, q)[1:4])
        steps = [np.abs(a - b) for a, b in zip(q, near)]
        return [*errors, wrong, np.max(steps, axis=0), steps[0],
                sum([step * step for step in steps])]

    def wrong_elbow(self, roll, shoulder, elbow):
        """
        Tell of canonical angles [rad] whether the elbow is not on the side asked for.

        See :meth:`~arm_ik.kinematics.solver.Solver.elbow_up`.
        """
        geometry = self._geometry
        line = geometry.l1 * np.cos(shoulder) + geometry.l2 * np.cos(shoulder + elbow)
        upwards = line * np.cos(roll)
        up = np.where(upwards < -DEGENERATE, np.sin(elbow), -np.sin(elbow))
        return self.side * up <= -STRAIGHT
