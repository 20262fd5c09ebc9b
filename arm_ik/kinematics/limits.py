# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Joint limits: from canonical angles to readings inside the limits, nearest to where the arm is.

A canonical angle is known modulo a full turn; a joint with a range of more than a turn has several
readings for it. The one nearest to ``near`` is taken.
"""

from copy import copy
from math import ceil, pi

TURN = 2.0 * pi

#: Readings past a limit by no more than this [rad] are put on it: straight and folded arms sit on
#: the edge of reach, where a rounding error of 1e-16 in the target moves the elbow by 1e-8.
LIMIT_SLACK = 1e-7


class JointLimits:
    """Limits, sign and offset of one joint as plain floats, with the arithmetic of readings."""

    __slots__ = ('name', 'lower', 'upper', 'sign', 'offset')

    def __init__(self, joint):
        self.name = joint.name
        self.lower = float(joint.lower)
        self.upper = float(joint.upper)
        self.sign = float(joint.sign)
        self.offset = float(joint.offset)

    def narrowed(self, lower, upper):
        """Return the same joint with other limits of its readings [rad]."""
        other = copy(self)
        other.lower, other.upper = lower, upper
        return other

    def canonical(self, reading):
        """Return the canonical angle [rad] of a reading [rad]."""
        return self.sign * reading + self.offset

    def fit(self, canonical, near):
        """
        Return the reading inside the limits that means ``canonical``, nearest to ``near``.

        :param canonical: angle [rad], any number of turns.
        :param near: reading [rad] to stay near to.
        :returns: reading [rad], clamped from up to :data:`LIMIT_SLACK` beyond; ``None`` if
            outside.
        """
        reading = self.sign * (canonical - self.offset)
        if not -pi <= near - reading <= pi:
            reading += TURN * round((near - reading) / TURN)
        if self.lower <= reading <= self.upper:
            return reading
        return self._fit_from_outside(reading)

    def allows(self, canonical):
        """Tell whether some reading inside the limits means ``canonical`` [rad]."""
        return self.fit(canonical, self.lower) is not None

    def _fit_from_outside(self, reading):
        reading = self._turned(reading)
        clamped = self.clamp(reading)
        return clamped if abs(reading - clamped) <= LIMIT_SLACK else None

    def unwrap(self, canonical, near):
        """Return the reading nearest to ``near`` of those that are least outside the limits."""
        reading = self.sign * (canonical - self.offset)
        if not -pi <= near - reading <= pi:
            reading += TURN * round((near - reading) / TURN)
        return self._turned(reading)

    def placed(self, canonical, near):
        """Return :meth:`fit_or_clamp` and :meth:`excess` at once."""
        reading = self.sign * (canonical - self.offset)
        if not -pi <= near - reading <= pi:
            reading += TURN * round((near - reading) / TURN)
        if self.lower <= reading <= self.upper:
            return reading, 0.0
        wanted = self._turned(reading)
        clamped = self.clamp(wanted)
        return clamped, wanted - clamped

    def _turned(self, reading):
        """Return the reading turned by whole turns to where it is least outside limits."""
        lower, upper = self.lower - LIMIT_SLACK, self.upper + LIMIT_SLACK
        if reading < lower:
            up = reading + TURN * ceil((lower - reading) / TURN)
            return up if up - upper <= lower - (up - TURN) else up - TURN
        if reading > upper:
            down = reading - TURN * ceil((reading - upper) / TURN)
            return down if lower - down <= down + TURN - upper else down + TURN
        return reading

    def clamp(self, reading):
        """Return the reading inside the limits nearest to ``reading`` [rad]."""
        return min(max(reading, self.lower), self.upper)

    def fit_or_clamp(self, canonical, near):
        """Return :meth:`fit`, or the limit that comes nearest to ``canonical`` on the circle."""
        return self.clamp(self.unwrap(canonical, near))

    def excess(self, canonical):
        """Return how far ``canonical`` is outside the limits at least [rad], signed, 0 inside."""
        above = (self.sign * (canonical - self.offset) - self.lower) % TURN
        past = above - (self.upper - self.lower)
        if past <= 0.0:
            return 0.0
        return past if past <= TURN - above else above - TURN

    @property
    def canonical_ends(self):
        """Canonical angles [rad] of the two limits."""
        return self.canonical(self.lower), self.canonical(self.upper)
