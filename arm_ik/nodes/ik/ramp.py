# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A goal approached at limited speed, by commands that run ahead of the arm a little at a time.

The joints start and arrive together; the one with the longest way in time sets it.
"""

#: Longest stretch of time that counts between two looks [s]: after a pause the commands go on from
#: where they stopped.
_LONGEST = 0.1


class Ramp:
    """
    Commands from one pose to another.

    :param start: readings [rad].
    :param goal: readings [rad].
    :param speeds: largest speed of each joint [rad/s].
    :param now: when it begins [s], monotonic.
    """

    def __init__(self, start, goal, speeds, now):
        self._start, self._goal = tuple(start), tuple(goal)
        self._duration = max(abs(g - s) / v for s, g, v in zip(start, goal, speeds))
        self._done = 0.0
        self._now = now

    def at(self, now):
        """Return the readings to command at a time [s]; call it with times that do not fall."""
        self._done += min(now - self._now, _LONGEST)
        self._now = now
        if self._done >= self._duration:
            return self._goal
        part = self._done / self._duration
        return tuple(s + part * (g - s) for s, g in zip(self._start, self._goal))
