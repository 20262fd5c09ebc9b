# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Joint positions and a servo's own ticks: the one place that knows zeros and directions.

A joint driven by the servo's horn is linear; fingers on a horn, gears and PWM are not, and go
piecewise through the points given::

    tick = zero + direction * position / radians_per_tick

Ticks are the servo's: 4096 a turn, 1000 in 240 degrees, microseconds of a pulse.
"""

from bisect import bisect
from itertools import pairwise


class JointTicks:
    """
    Goes through points, both strictly monotone, and straight on beyond the outer ones.

    ``lower`` and ``upper`` are the positions between which the servo may be sent [rad, m];
    ``finest`` and ``resolution`` are the smallest and the largest step of a tick.

    :param ticks: two or more.
    :param positions: one for each [rad, m].
    """

    def __init__(self, ticks, positions):
        points = sorted(zip(ticks, positions))
        self.points = tuple((float(tick), float(position)) for tick, position in points)
        self._by_position = sorted((position, tick) for tick, position in self.points)
        self.lower, self.upper = min(positions), max(positions)
        steps = [abs((p1 - p0) / (t1 - t0)) for (t0, p0), (t1, p1) in pairwise(self.points)]
        self.finest, self.resolution = min(steps), max(steps)

    @classmethod
    def linear(cls, zero, direction, lower_tick, upper_tick, radians_per_tick):
        """
        Return the ticks of a joint that its servo's horn drives.

        :param zero: the tick at position 0.
        :param direction: 1 if ticks grow with the position, -1 if not.
        :param lower_tick: the least tick the servo may be sent to.
        :param upper_tick: the greatest one.
        :param radians_per_tick: the servo's scale.
        """
        ticks = (lower_tick, upper_tick)
        return cls(ticks, [direction * (tick - zero) * radians_per_tick for tick in ticks])

    def tick(self, position):
        """Return the tick at a position [rad, m], a float."""
        return _along(self._by_position, position)

    def position(self, tick):
        """Return the position [rad, m] at a tick."""
        return _along(self.points, tick)


def _along(points, x):
    """Return y at x on the line through points that are sorted by x."""
    index = min(max(bisect(points, (x,)), 1), len(points) - 1)
    (x0, y0), (x1, y1) = points[index - 1:index + 1]
    return y0 + (x - x0) * (y1 - y0) / (x1 - x0)
