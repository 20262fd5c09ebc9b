# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
When the arm has arrived: it has come to rest near enough to its command.

An ideal arm stands exactly where it was sent, and has then arrived at once. A real one sags and
has backlash: it has arrived when it stands within ``arrival_tolerance`` and has not moved for
``REST_TIME`` since the command was given. Nearness alone says nothing of a step smaller than the
tolerance.
"""

#: A joint this near to its command has nothing left to move [rad]: rounding of a number.
EXACT = 1e-9

#: A joint that stays within this stands still [rad]: more than one count of a
#: 12-bit encoder (0.0015 rad), whose last digit flickers.
REST_TOLERANCE = 2e-3

#: How long a joint must stand still to be at rest [s].
REST_TIME = 0.2

#: Longest stretch of time between two states that counts as rest [s]: a node that was stopped or
#: busy reads late what had been measured before its command reached the arm.
_LONGEST = 0.1


class Arrival:
    """
    Watches one command, from :meth:`start` until the arm is there.

    :param tolerance: how far from its command a joint at rest may stand [rad]; may be changed
        later.
    """

    def __init__(self, tolerance):
        self.tolerance = tolerance

    def start(self, command, measured, now):
        """Watch a new command [rad], given while the arm was at ``measured``; ``now`` [s]."""
        self._command = command
        self._still_at = measured
        self._rested = 0.0
        self._looked = now
        self.moved = False

    def arrived(self, measured, now):
        """Take a measured state [rad] and tell whether the arm has arrived."""
        self._rested += min(now - self._looked, _LONGEST)
        self._looked = now
        if _distance(measured, self._still_at) > REST_TOLERANCE:
            self._still_at = measured
            self._rested = 0.0
            self.moved = True
        to_go = _distance(measured, self._command)
        if to_go <= EXACT:
            return True
        return to_go <= self.tolerance and self._rested >= REST_TIME


def _distance(a, b):
    return max(abs(x - y) for x, y in zip(a, b))
