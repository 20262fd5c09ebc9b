# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Whether the arm does what it is commanded: two checkers of measured positions.

:class:`FollowingErrorChecker`: at rest a healthy arm is within ``FOLLOW_TOLERANCE`` of its
command; in motion it is somewhere between its commands and an arm that is simulated here
(``max_velocity``, ``DEAD_TIME`` late, joints arrive together).
:class:`ProgressChecker`: an ideal arm has arrived when it is exactly where it was sent, a real one
when it is within the arrival tolerance and has not moved for ``REST_TIME``. A joint is blocked
when it is farther from its command than a following arm may be, and has not moved for
``PATIENCE``; new commands don't reset that. Nearer than that, an arm rests off its command when
none of its joints has moved for ``REST``.
"""

from collections import deque
from math import inf, radians
from operator import itemgetter, sub

from ...bus.readings import Movement

#: How far from its command a joint at rest may be [rad]: sag of a hobby servo under load.
FOLLOW_TOLERANCE = 0.1

#: From a command to the measured motion [s]: transport, the periods of driver and servo bus,
#: acceleration, lag of the servo.
DEAD_TIME = 0.2

#: A joint this near to its command has arrived [rad]: rounding of a number.
EXACT = 1e-9

#: How long a joint must not have moved to be at rest [s].
REST_TIME = 0.2

#: Longest time between two states that counts as rest [s]: a node that was stopped or busy reads
#: late what was measured before its command reached the arm.
LONGEST_INTERVAL = 0.1

#: How long a joint may be away from its command before it counts as blocked [s]: more than a
#: driver takes to start, less than a person takes to wonder.
PATIENCE = 0.5

#: How far from its command an arm at rest is reported [rad], and how long it must have rested [s].
REST_OFF, REST = radians(1.0), 1.0


class FollowingErrorChecker:
    """
    Simulates the slowest arm that still counts as following, from :meth:`start` on.

    :param max_velocities: of the joints [rad/s], base to tip.
    """

    def __init__(self, max_velocities):
        self._max_velocities = tuple(max_velocities)

    def start(self, measured):
        """Begin anew at measured positions [rad]; the next command sets out from there."""
        self._command = self._goal = self._expected = tuple(measured)
        self._ahead = deque()   # when each command gets to the arm [s], and the command
        self._since = inf       # when the arm was as expected [s]

    def command(self, command, now):
        """Take a new command [rad], sent at ``now`` [s, monotonic]."""
        self._command = tuple(command)
        self._ahead.append((now + DEAD_TIME, self._command))

    def follows(self, measured, now):
        """Return whether every joint is as near to the command as it must be at ``now``."""
        while self._ahead and self._ahead[0][0] <= now:
            came, goal = self._ahead.popleft()
            self._move_until(came)
            self._goal = goal
        self._move_until(now)
        if max(map(abs, map(sub, measured, self._expected))) <= FOLLOW_TOLERANCE:
            return True
        # An arm that is less late is where a command was that has not reached this one.
        ranges = zip(*[command for _, command in self._ahead], self._command, self._goal,
                     self._expected)
        return all(min(places) - FOLLOW_TOLERANCE <= m <= max(places) + FOLLOW_TOLERANCE
                   for m, places in zip(measured, ranges))

    def _move_until(self, now):
        elapsed, self._since = now - self._since, now
        if self._expected == self._goal or elapsed <= 0.0:
            return
        left = [g - e for g, e in zip(self._goal, self._expected)]
        needed = max([abs(distance) / v for distance, v in zip(left, self._max_velocities)])
        part = 1.0 - min(elapsed / needed, 1.0)     # of the distances that are still left
        self._expected = tuple([g - part * d for g, d in zip(self._goal, left)])


class ProgressChecker:
    """
    Watches measured positions, of one command after the other.

    Long pauses don't count: what is measured before and after them says nothing of the time
    between.

    :param tolerance: how far from its goal a joint at rest may be [rad]; may be changed later.
    """

    def __init__(self, tolerance):
        self.tolerance = tolerance
        self._movement, self._looked = Movement(), None
        self._checked = self._time = self._began = 0.0     # the latter two without long pauses
        self.clear()

    def clear(self):
        """Forget what was seen: there is no command any more."""
        self._away = {}             # joint's index: since when it is away from its command [s]
        self._commanded = None      # when a command was new [s], and the command

    def start(self, measured, now):
        """Watch a new command, given while the arm was at ``measured`` [rad]; ``now`` [s]."""
        self._look(measured, now)
        self._began = self._time

    @property
    def moved(self):
        """Return whether the arm has moved since :meth:`start`."""
        return self._movement.moved_at() > self._began

    def arrived(self, measured, command, now):
        """Take measured positions [rad] and return whether the arm is where it is commanded."""
        self._look(measured, now)
        rested = self._time - max(self._began, self._movement.moved_at())
        to_go = max(map(abs, map(sub, measured, command)))
        return to_go <= EXACT or to_go <= self.tolerance and rested >= REST_TIME - EXACT

    def blocked(self, measured, command, now):
        """
        Return ``(index, distance [rad])`` of the blocked joint farthest from its command, if any.

        :param measured: positions [rad].
        :param command: positions [rad] that are sent.
        :param now: time [s], monotonic.
        """
        self._look(measured, now)
        off = dict(enumerate(map(abs, map(sub, measured, command))))
        self._away = {index: self._away.get(index, self._time)
                      for index in off if off[index] > FOLLOW_TOLERANCE}
        return max([(index, off[index]) for index, since in self._away.items() if (
            self._time - max(since, self._movement.moved_at([index])) >= PATIENCE - EXACT)],
            key=itemgetter(1), default=None)

    def resting(self, measured, command, now):
        """
        Return by index how far the joints of an arm at rest are off their command [rad].

        It is empty for an arm that moves, and where a joint is as far off as a blocked one. What
        is commanded anew nearby, by a stream, is no motion.
        """
        self._look(measured, now)
        if self._commanded is None or max(
                map(abs, map(sub, command, self._commanded[1]))) > REST_OFF:
            self._commanded = self._time, command
        off = list(map(abs, map(sub, measured, command)))
        still = self._time - max(self._commanded[0], self._movement.moved_at())
        if still < REST - EXACT or max(off) > FOLLOW_TOLERANCE:
            return {}
        return {index: distance for index, distance in enumerate(off) if distance > REST_OFF}

    def _look(self, measured, now):
        self._time += min(now - self._checked, LONGEST_INTERVAL)
        self._checked = now
        if measured is not self._looked:    # one state is looked at several times
            self._looked = measured
            self._movement.look(dict(enumerate(measured)), self._time)
