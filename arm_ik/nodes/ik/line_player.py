# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A source of commands that goes along straight lines; see :mod:`.motion`.

An arm that moves brakes first, each joint as fast as it may. The lines begin where it comes to
rest, so they can be planned before.
"""

from bisect import bisect_right

from .motion import LONGEST_STEP
from ...motion import Generator
from ...motion.stream import hermite


class LinePlayer:
    """
    First brakes, then plays back a :class:`~arm_ik.motion.line.Line`.

    ``rest`` are the joint positions [rad] where the lines have to begin.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param standing: positions [rad] and velocities [rad/s] that it sets out from.
    """

    def __init__(self, model, standing):
        self._names = model.joint_names
        self._brakes = Generator(model)
        self._brakes.begin(*(dict(zip(self._names, values)) for values in standing))
        self._brakes.stop()
        self.rest = self._in_order(self._brakes.goals)
        self._line = self._now = None
        self._elapsed, self._told = 0.0, 0

    def play(self, line, since):
        """
        Begin.

        :param line: the plan, from ``rest`` on.
        :param since: when the arm was where it sets out from [s], monotonic.
        """
        self._line, self._now = line, since
        self._times, self._points = line.times.tolist(), list(zip(
            line.q.tolist(), line.velocities.tolist()))

    @property
    def done(self):
        """Whether the end of the last line is commanded."""
        return self._elapsed >= self._line.duration and not self._brakes.is_moving()

    def news(self):
        """Return in words that a target on the way has been commanded, once; else ``None``."""
        count, reached = len(self._line.arrivals), bisect_right(self._line.arrivals, self._elapsed)
        if reached in (self._told, count):
            return None
        self._told = reached
        return f'{reached} of {count} targets reached'

    def at(self, now):
        """Return positions [rad] and velocities [rad/s] at a time [s]."""
        step, self._now = min(now - self._now, LONGEST_STEP), now
        if self._brakes.is_moving():
            if step > 0.0:
                self._brakes.step(step, {})
            return self._in_order(self._brakes.set_points), self._in_order(self._brakes.speeds)
        self._elapsed += step
        after = bisect_right(self._times, self._elapsed)
        if after == len(self._times):
            positions, velocities = self._points[-1]
            return tuple(positions), tuple(velocities)
        begin = self._times[after - 1]
        (p, v), (q, w) = self._points[after - 1:after + 1]
        return tuple(zip(*[
            hermite((a, b), (c, d), self._times[after] - begin, self._elapsed - begin)
            for a, b, c, d in zip(p, v, q, w)]))

    def _in_order(self, by_name):
        return tuple([by_name[name] for name in self._names])
