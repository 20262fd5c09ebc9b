# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Which of two poses is the better answer: measured by forward kinematics, compared in order.

First the tip's distance, then the up vector's angle, then the forward error, then the largest step from
``near``, then the least yaw travel. Costs within 1e-9 m or rad of each other tie.
"""

from typing import NamedTuple, Tuple

from .forward import frames, residuals

#: Costs nearer than this [m, rad] are equal, so that rounding does not choose between poses.
TIE = 1e-9


class Candidate(NamedTuple):
    """Joint readings [rad] with the measured errors [m, rad] and the step from ``near`` [rad]."""

    q: Tuple[float, ...]
    position: float
    up: float
    forward: float
    step: float
    yaw_travel: float


def measure(geometry, q, target, near):
    """
    Return readings measured against a target.

    :param geometry: of the arm.
    :param q: joint readings [rad].
    :param target: what was asked for.
    :param near: readings [rad] the step is counted from, unwrapped.
    """
    position, up, forward = residuals(frames(geometry, q), target)
    # What no joint can serve must not choose between poses.
    forward_cost = forward if geometry.has_wrist_roll else 0.0
    step = max([abs(a - b) for a, b in zip(q, near)])
    return Candidate(q, position, up, forward_cost, step, abs(q[0] - near[0]))


class Ranking:
    """
    The order in which poses are compared.

    :param priority: ``'position'`` or ``'up'``: which of the two comes first.
    :param elbow_is_wanted: function of readings, ``True`` where the elbow is on the asked side; ranks
        after all errors and before the step.
    """

    def __init__(self, priority='position', elbow_is_wanted=None):
        self.up_first = priority == 'up'
        self._elbow_is_wanted = elbow_is_wanted

    def better(self, a, b):
        """Tell whether candidate a is better than candidate b by more than a tie."""
        for x, y in zip(self._costs(a), self._costs(b)):
            if x < y - TIE:
                return True
            if x > y + TIE:
                return False
        return False

    def best(self, candidates):
        """Return the best of a non-empty sequence of candidates, the first of equals."""
        iterator = iter(candidates)
        best = next(iterator)
        for candidate in iterator:
            if self.better(candidate, best):
                best = candidate
        return best

    def _costs(self, c):
        first, second = (c.up, c.position) if self.up_first else (c.position, c.up)
        if self._elbow_is_wanted is None:
            return first, second, c.forward, c.step, c.yaw_travel
        elbow = 0.0 if self._elbow_is_wanted(c.q) else 1.0
        return first, second, c.forward, elbow, c.step, c.yaw_travel
