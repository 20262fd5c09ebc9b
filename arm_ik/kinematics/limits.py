# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Joint limits: from canonical angles to the nearest positions inside the limits.

A canonical angle is known modulo a full turn; a joint with a range of more than a turn has several
positions for it. The one nearest to ``near`` is taken. If ``near`` is past a limit, this is the
one nearest to that limit. It is computed from the limit, and so loses no digits however far away
``near`` is.
"""

from math import ceil, floor, fmod, pi
from types import SimpleNamespace

from .tolerances import LIMIT_SLACK

TURN = 2.0 * pi


def less_turns(q):
    """Return joint positions [rad] reduced by whole turns, without rounding: the same pose."""
    return [fmod(position, TURN) for position in q]


class JointLimits:
    """Limits, sign and offset of one joint as plain floats, with the arithmetic of positions."""

    __slots__ = ('name', 'lower', 'upper', 'sign', 'offset')

    def __init__(self, joint):
        self.name = joint.name
        self.lower = float(joint.lower)
        self.upper = float(joint.upper)
        self.sign = float(joint.sign)
        self.offset = float(joint.offset)

    def narrowed(self, lower, upper):
        """Return the same joint with other limits of its positions [rad]."""
        other = JointLimits(self)
        other.lower, other.upper = lower, upper
        return other

    def turned(self, angle):
        """Return the same joint with its canonical angles greater by an angle [rad]."""
        other = JointLimits(self)
        other.offset += angle
        return other

    def canonical(self, position):
        """Return the canonical angle [rad] of a position [rad]."""
        return self.sign * position + self.offset

    def fit(self, canonical, near):
        """
        Return the position inside the limits with the angle ``canonical``, nearest to ``near``.

        :param canonical: angle [rad], any number of turns.
        :param near: position [rad] to stay near to.
        :returns: position [rad], clamped from up to :data:`LIMIT_SLACK` beyond; ``None`` if
            outside.
        """
        position = self.sign * (canonical - self.offset)
        if not -pi <= near - position <= pi:
            position += TURN * round((self.clamp(near) - position) / TURN)
        if self.lower <= position <= self.upper:
            return position
        position = self._turned(position)
        clamped = self.clamp(position)
        return clamped if abs(position - clamped) <= LIMIT_SLACK else None

    def readings(self, position):
        """Return every position inside the limits whole turns away from one inside [rad]."""
        return [self.clamp(position + turns * TURN) for turns in range(
            ceil((self.lower - position) / TURN), floor((self.upper - position) / TURN) + 1)]

    def allows(self, canonical):
        """Return whether some position inside the limits has the angle ``canonical`` [rad]."""
        return self.fit(canonical, self.lower) is not None

    def placed(self, canonical, near):
        """
        Return :meth:`fit`, or the limit that comes nearest to ``canonical`` on the circle.

        :returns: ``(position, excess)``, how far it had to be clamped [rad], signed, 0 inside.
        """
        wanted = self.sign * (canonical - self.offset)
        if not -pi <= near - wanted <= pi:
            wanted += TURN * round((self.clamp(near) - wanted) / TURN)
        wanted = self._turned(wanted)
        clamped = self.clamp(wanted)
        return clamped, wanted - clamped

    def _turned(self, position):
        """Return the position turned by whole turns to where it is least outside limits."""
        lower, upper = self.lower - LIMIT_SLACK, self.upper + LIMIT_SLACK
        if position < lower:
            up = position + TURN * ceil((lower - position) / TURN)
            return up if up - upper <= lower - (up - TURN) else up - TURN
        if position > upper:
            down = position - TURN * ceil((position - upper) / TURN)
            return down if lower - down <= down + TURN - upper else down + TURN
        return position

    def clamp(self, position):
        """Return the position inside the limits nearest to ``position`` [rad]."""
        return min(max(position, self.lower), self.upper)

    @property
    def canonical_ends(self):
        """Canonical angles [rad] of the two limits."""
        return self.canonical(self.lower), self.canonical(self.upper)


#: Of the wrist of an arm that has none: it stays straight.
NO_WRIST = JointLimits(SimpleNamespace(name='', lower=0.0, upper=0.0, sign=1.0, offset=0.0))
