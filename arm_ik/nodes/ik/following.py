# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Whether the arm follows its command, and how far behind it may be on its way.

At rest a healthy arm stands within ``FOLLOW_TOLERANCE`` of its command. On its way it may be
behind by as much as an arm that moves at ``max_velocity`` still has to go. That arm is reckoned
here: it sets out ``DEAD_TIME`` after the command, and its joints arrive together, the slowest at
its ``max_velocity``; a real arm whose joints don't wait for each other is ahead of it.
"""

#: How far from its command a joint at rest may stand [rad]: sag of a hobby servo under load.
FOLLOW_TOLERANCE = 0.1

#: From a command's leaving to the first measured motion [s]: transport, the driver's and the
#: servo bus's periods, acceleration.
DEAD_TIME = 0.2


class Following:
    """
    Reckons the slowest arm that still counts as following, from :meth:`start` on.

    :param max_velocities: of the joints [rad/s], base to tip; may be changed later.
    """

    def __init__(self, max_velocities):
        self.max_velocities = tuple(max_velocities)

    def start(self, measured):
        """Begin anew where the arm is measured [rad]; the next command sets out from there."""
        self._command = self._expected = tuple(measured)

    def command(self, command, now):
        """Take a new command [rad], sent at ``now`` [s, monotonic]."""
        self._advance(now)
        if self._expected == self._command:
            self._since = now + DEAD_TIME
        self._command = tuple(command)

    def follows(self, measured, now):
        """Tell whether every joint is as near to the command as can be asked by ``now``."""
        self._advance(now)
        for m, c, e in zip(measured, self._command, self._expected):
            if not abs(m - c) <= FOLLOW_TOLERANCE + abs(e - c):
                return False
        return True

    def _advance(self, now):
        if self._expected == self._command or (elapsed := now - self._since) <= 0.0:
            return
        self._since = now
        left = [c - e for c, e in zip(self._command, self._expected)]
        needed = max([abs(way) / v for way, v in zip(left, self.max_velocities)])
        if elapsed >= needed:
            self._expected = self._command
        else:
            part = elapsed / needed
            self._expected = tuple([e + way * part for e, way in zip(self._expected, left)])
