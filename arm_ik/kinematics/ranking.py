# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Which of two poses is the better answer: measured by forward kinematics, compared in order.

First the tip's distance, then the up vector's angle, then the forward error, then the largest step
from ``near``, then the least yaw travel. Costs within 1e-9 m or rad of each other tie.
"""

from typing import NamedTuple, Tuple

from .forward import residuals

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
    position, up, forward = residuals(geometry, q, target)
    # What no joint can serve must not choose between poses.
    forward_cost = forward if geometry.has_wrist_roll else 0.0
    step = max([abs(a - b) for a, b in zip(q, near)])
    return Candidate(q, position, up, forward_cost, step, abs(q[0] - near[0]))


def expect(q, miss, near):
    """Return readings that are exact but for an up vector ``miss`` [rad] out of the plane."""
    step = max([abs(a - b) for a, b in zip(q, near)])
    return Candidate(q, 0.0, miss, 0.0, step, abs(q[0] - near[0]))


class Ranking:
    """
    The order in which poses are compared.

    :param priority: ``'position'`` or ``'up'``: which of the two comes first.
    :param elbow_is_wanted: function of readings, ``True`` where the elbow is on the asked side;
        ranks after all errors and before the step.
    """

    def __init__(self, priority='position', elbow_is_wanted=None):
        self.up_first = priority == 'up'
        self.elbow_is_wanted = elbow_is_wanted

    def better(self, a, b):
        """Tell whether candidate a is better than candidate b by more than a tie."""
        gain = b.up - a.up if self.up_first else b.position - a.position
        if -TIE <= gain <= TIE:
            gain = b.position - a.position if self.up_first else b.up - a.up
            if -TIE <= gain <= TIE:
                gain = b.forward - a.forward
                if -TIE <= gain <= TIE:
                    if self.elbow_is_wanted is not None:
                        gain = self.elbow_is_wanted(a.q) - self.elbow_is_wanted(b.q)
                    if -TIE <= gain <= TIE:
                        gain = b.step - a.step
                        if -TIE <= gain <= TIE:
                            gain = b.yaw_travel - a.yaw_travel
        return gain > TIE

    def best(self, candidates):
        """Return the best of a non-empty list of candidates, the first of equals."""
        best = candidates[0]
        for candidate in candidates:
            if candidate is not best and self.better(candidate, best):
                best = candidate
        return best
