# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A source (see :mod:`.command_in_force`) that goes as twists say, until they fall silent."""

from math import ceil

from .player import LONGEST_STEP
from ...kinematics.solution import Solution
from ...motion.jog import Twist

#: How long a twist lasts without another one [s].
TWIST_TIMEOUT = 0.2

#: Longest step of a jog [s]: it is told to be as fast at its end as it was all along.
_LONGEST_PART = 0.025

#: Shortest time between two reports on what cannot be had [s].
_REPORT_PERIOD = 0.2


class Jogging:
    """
    See the module.

    :param jog: the :class:`~arm_ik.motion.jog.Jog`, where the arm is.
    :param now: when it begins [s], monotonic.
    """

    #: It has no goal that an arm on its way could be held at.
    endless = True

    def __init__(self, jog, now):
        self._jog = jog
        self._twist, self._heard, self._now = Twist(), now, now
        self._told, self._told_at = '', now

    def take(self, twist, now):
        """Go on by a :class:`~arm_ik.motion.jog.Twist`, heard at ``now`` [s]."""
        self._twist, self._heard = twist, now

    @property
    def done(self):
        """Whether the twists have fallen silent, and the arm is at rest."""
        return not self._twist and self._jog.at_rest and self._heard is None

    def at(self, now):
        """Return positions [rad] and velocities [rad/s] at a time [s]."""
        if self._heard is not None and now - self._heard > TWIST_TIMEOUT:
            self._twist, self._heard = Twist(), None
        step, self._now = min(now - self._now, LONGEST_STEP), now
        if step > 0.0:
            parts = ceil(step / _LONGEST_PART)
            for _ in range(parts):
                self._jog.step(self._twist, step / parts)
        return self.ahead

    @property
    def ahead(self):
        """Return the newest positions [rad] and velocities [rad/s]."""
        return self._jog.q, self._jog.velocities

    @property
    def solution(self):
        """Where the arm is led, as a :class:`~arm_ik.Solution`; its errors are not known."""
        jog, nan = self._jog, float('nan')
        return Solution(jog.q, jog.status, nan, nan, nan, jog.reason, jog.limited_by, nan)

    def news(self, now):
        """Tell whether what cannot be had has changed since this was last asked, but not often."""
        jog = self._jog
        kind = jog.status, jog.limited_by, bool(jog.reason)
        if kind == self._told or now - self._told_at < _REPORT_PERIOD:
            return False
        self._told, self._told_at = kind, now
        return True
