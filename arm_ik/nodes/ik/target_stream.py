# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Targets that come one soon after the other, and the path of the arm along their goals."""

from collections import deque
from operator import sub

from .report import STREAM

#: The arm may still have goals before it that came so long ago [s].
_PLAYED = 2.0

#: After a pause for so long [s] the wrist roll turns back to where it is asked to be.
_PAUSED_FOR = 0.4

#: Intervals between targets that their commands keep [s], and how old that makes them.
_SHORTEST, _OLDEST = 1e-3, 0.1


class TargetStream:
    """
    The newest targets; ``unrolled`` is the target whose roll waits for a pause, with its request.

    Times are monotonic [s]. ``came`` is when the newest target came, ``None`` if it is none of a
    stream.
    """

    def __init__(self):
        self.unrolled = self.came = None
        self._stamps = 0.0, 0.0          # of the newest target and of its command [s]
        self._goals = deque()            # when they were active, and positions

    def goes_on(self, came):
        """Return whether a target came soon enough after the newest one."""
        return self.came is not None and came - self.came < STREAM

    def is_silent(self, timeout, now):
        """Return whether no target has come for longer than a time [s]."""
        return self.came is not None and now - self.came > timeout

    def roll_back(self, now):
        """Return the target and request that is :attr:`unrolled`, after a pause; or ``None``."""
        return self.unrolled if self.is_silent(_PAUSED_FOR, now) else None

    def take(self, came, goal, streams, now):
        """Take a goal [rad] that is active now, of a target that came then, or ``None``."""
        self.came = came
        if not streams:
            self._goals.clear()
        self._goals.append((now, goal))
        while now - self._goals[0][0] > _PLAYED:
            self._goals.popleft()

    def shorten(self):
        """Forget the goals before the newest one: the arm goes straight there."""
        self._goals.clear()

    def path(self, start, goal):
        """Return the path from positions [rad] along the goals that are before the arm."""
        goals = [q for _, q in self._goals] or [goal]
        # The arm may be late: it has passed those before the nearest one.
        off = [max(map(abs, map(sub, q, start))) for q in goals]
        passed = len(off) - 1 - off[::-1].index(min(off))
        return [start, *goals[passed:], goal]

    def made(self, request, streams, now):
        """Return when a command is stamped [s]: those of a stream at its intervals."""
        stamp = request.stamp[0] + 1e-9 * request.stamp[1]
        interval, made = stamp - self._stamps[0], now
        if streams and _SHORTEST <= interval <= STREAM:
            made = min(max(self._stamps[1] + interval, now - _OLDEST), now)
        self._stamps = stamp, made
        return made
