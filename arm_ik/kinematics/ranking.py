# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Which of two poses is the better answer, by forward kinematics and an order of costs.

The costs are, in this order: the tip's distance, the up vector's angle, the forward error, the
largest step from ``near``, the yaw travel, the sum of all squared steps. The last one avoids a
needless flip of the elbow where the yaw moves farthest anyway. Costs within 1e-9 m or rad of each
other tie.
"""

from operator import attrgetter
from typing import NamedTuple, Tuple

from .forward import residuals
from .tolerances import TIE


class Candidate(NamedTuple):
    """Joint positions [rad] with measured errors [m, rad] and the steps from ``near`` [rad]."""

    q: Tuple[float, ...]
    position: float
    up: float
    forward: float
    step: float
    yaw_travel: float
    total: float


def measure(geometry, q, target, near):
    """
    Return joint positions measured against a target.

    :param geometry: of the arm.
    :param q: joint positions [rad].
    :param target: what was asked for.
    :param near: joint positions [rad] the step is counted from, unwrapped.
    """
    position, up, forward = residuals(geometry, q, target)
    # An error that no joint can change must not decide between poses.
    forward_cost = forward if geometry.has_wrist_roll else 0.0
    steps = [abs(a - b) for a, b in zip(q, near)]
    return Candidate(q, position, up, forward_cost, max(steps), steps[0],
                     sum([step * step for step in steps]))


class Ranking:
    """
    The order in which poses are compared.

    :param priority: ``'position'`` or ``'up'``: which of the two comes first.
    :param elbow_is_wanted: function of joint positions, ``True`` for an elbow on the asked side;
        ranks after all errors and before the step.
    """

    def __init__(self, priority='position', elbow_is_wanted=None):
        self.up_first = priority == 'up'
        self.elbow_is_wanted = elbow_is_wanted
        self._costs = [attrgetter('up' if self.up_first else 'position'),
                       attrgetter('position' if self.up_first else 'up'), attrgetter('forward')]
        if elbow_is_wanted is not None:
            self._costs.append(lambda candidate: not elbow_is_wanted(candidate.q))
        self._costs += [attrgetter(name) for name in ('step', 'yaw_travel', 'total')]

    def has_wrong_elbow(self, q):
        """Return whether the elbow is not on the side that is asked for at positions q."""
        return self.elbow_is_wanted is not None and not self.elbow_is_wanted(q)

    def best(self, candidates):
        """
        Return the best of a non-empty list of candidates, the first of equals.

        For each cost those stay that tie with the least of all. Compared two by two, a row of ties
        could lead away from it.
        """
        for cost in self._costs:
            if len(candidates) == 1:
                break
            costs = [cost(candidate) for candidate in candidates]
            most = min(costs) + TIE
            candidates = [candidate for candidate, value in zip(candidates, costs)
                          if value <= most]
        return candidates[0]
