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

from typing import NamedTuple, Tuple

from .forward import residuals

#: An elbow this near [rad] to straight or folded is on neither side: rounding is 1e-8 there.
STRAIGHT = 1e-7

#: Costs nearer than this [m, rad] are equal, so that rounding does not choose between poses.
TIE = 1e-9


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
    return Candidate(q, position, up, forward_cost, *_steps(q, near))


class Ranking:
    """
    The order in which poses are compared.

    :param priority: ``'position'`` or ``'up'``: which of the two comes first.
    :param elbow_is_wanted: function of joint positions, ``True`` for an elbow on the asked side;
        ranks after all errors and before the step.
    :param position_tolerance: tip errors up to this [m] count as zero.
    :param up_tolerance: angles up to this [rad] count as zero.
    """

    def __init__(self, priority='position', elbow_is_wanted=None,
                 position_tolerance=TIE, up_tolerance=TIE):
        self.up_first = priority == 'up'
        self.elbow_is_wanted = elbow_is_wanted
        self.position_tolerance = position_tolerance
        self.up_tolerance = up_tolerance

    @property
    def tolerates_errors(self):
        """Tell whether the tolerances are larger than a tie."""
        return max(self.position_tolerance, self.up_tolerance) > TIE

    def better(self, a, b):
        """Tell whether candidate a is better than candidate b by more than a tie."""
        position = _gain(a.position, b.position, self.position_tolerance)
        up = _gain(a.up, b.up, self.up_tolerance)
        gain = (up or position) if self.up_first else (position or up)
        if not gain:
            gain = _gain(a.forward, b.forward, self.up_tolerance)
            if not gain and self.elbow_is_wanted is not None:
                gain = self.elbow_is_wanted(a.q) - self.elbow_is_wanted(b.q)
            gain = (gain or _gain(a.step, b.step)
                    or _gain(a.yaw_travel, b.yaw_travel)
                    or _gain(a.total, b.total))
        return gain > 0.0

    def best(self, candidates):
        """Return the best of a non-empty list of candidates, the first of equals."""
        best = candidates[0]
        for candidate in candidates:
            if candidate is not best and self.better(candidate, best):
                best = candidate
        return best


def _gain(a, b, tolerance=-1.0):
    """Return by how much cost a is below cost b, 0.0 for a tie or two costs within tolerance."""
    gain = b - a
    if a <= tolerance or b <= tolerance:
        # Within tolerance is better than outside, even by less than a tie.
        return 0.0 if a <= tolerance and b <= tolerance else gain
    return 0.0 if -TIE <= gain <= TIE else gain


def _steps(q, near):
    """Return the largest step and that of the yaw [rad], and the sum of all squared."""
    steps = [abs(a - b) for a, b in zip(q, near)]
    return max(steps), steps[0], sum([step * step for step in steps])
