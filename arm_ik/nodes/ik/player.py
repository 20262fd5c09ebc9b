# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A source of commands that plays a trajectory back; see :mod:`.command_in_force`."""

from bisect import bisect_right

from ...motion.cubic_spline import ROUNDING

#: Longest time step of a source [s]: after a longer pause it continues from where it stopped.
LONGEST_STEP = 0.1


class Player:
    """
    See the module.

    :param spline: the :class:`~arm_ik.motion.cubic_spline.CubicSpline`.
    :param since: when it begins [s], monotonic.
    :param pauses: whether it stops with a node that is stopped.
    :param arrivals: when targets are reached [s], of its time, the last one at its end.
    """

    def __init__(self, spline, since, pauses=True, arrivals=()):
        self.spline, self.since = spline, since
        self._now, self._pauses = since, pauses
        self._arrivals = arrivals
        self._elapsed, self._told = 0.0, 0
        self.late = 0.0     # how long before the newest command its positions were due [s]

    @property
    def done(self):
        """Whether its end is commanded."""
        return self._elapsed >= self.spline.duration - ROUNDING

    def at(self, now):
        """Return positions [rad] and velocities [rad/s] at a time [s]."""
        if self._pauses:
            self.since += max(0.0, now - self._now - LONGEST_STEP)
        self._now, self._elapsed = now, max(0.0, now - self.since)
        self.late = max(0.0, self._elapsed - self.spline.duration)
        return self.spline.at(self._elapsed)

    def news(self):
        """Return in words that a target on the way has been commanded, once; else ``None``."""
        count, reached = len(self._arrivals), bisect_right(self._arrivals, self._elapsed)
        if reached in (self._told, count):
            return None
        self._told = reached
        return f'{reached} of {count} targets reached'
