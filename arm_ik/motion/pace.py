# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A trajectory at another pace: slower, braked to rest on its path, or taken up again.

At the pace r, time goes by r times as fast on it: velocities are r times as large. A change of r
adds its own to the accelerations, so r changes step by step, each as far as the limits let it: the
cubic curve to the next point keeps them. A joint that brakes as hard as it may, as before a
corner, lets nothing brake harder; then the pace stays.
"""

from .cubic_spline import CubicSpline

#: Steps in which the pace changes [s].
_STEP = 0.01

#: Parts of a change that are tried in a step; at the last, the pace stays.
_PARTS = (*[0.5 ** halvings for halvings in range(11)], 0.0)


class Paced:
    """
    A trajectory from a moment on, whose pace goes over into another.

    ``spline`` is the :class:`~.cubic_spline.CubicSpline` at that pace, ``pace`` the new one.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param whole: the :class:`~.cubic_spline.CubicSpline` at the pace 1.
    :param begin: where on it this begins [s].
    :param before: the pace until then.
    :param pace: the one that is wanted, from 0, rest, to 1.
    """

    def __init__(self, model, whole, begin=0.0, before=1.0, pace=1.0):
        self.pace, self._whole = pace, whole
        if not any(whole.at(begin)[1]):
            before = pace   # at rest, any is
        clock, points = [(begin, before)], [_at(whole, begin, before)]
        while clock[-1][1] != pace and clock[-1][0] < whole.duration:
            after, point = self._step(model, clock[-1], points[-1])
            clock.append(after)
            points.append(point)
        times = [_STEP * number for number in range(len(points))]
        #: How far it is on the whole path, and at what pace.
        self._clock = CubicSpline(times, *[[[each] for each in row] for row in zip(*clock)])
        self.spline = CubicSpline(times, *zip(*points))
        travelled = clock[-1][0]
        if pace and travelled < whole.duration:
            rest = whole.between(travelled, whole.duration)
            self.spline = self.spline.then(CubicSpline(
                rest.times / pace, rest.positions, pace * rest.velocities))

    def _step(self, model, clock, point):
        travelled, before = clock
        for part in _PARTS:
            pace = before + part * (self.pace - before)
            there = min(travelled + 0.5 * (before + pace) * _STEP, self._whole.duration)
            after = _at(self._whole, there, pace)
            if CubicSpline([0.0, _STEP], *zip(point, after)).keeps_limits(model):
                break
        return (there, pace), after

    def travelled(self, elapsed):
        """Return where on the whole path it is after a time [s], and at what pace."""
        (travelled,), (pace,) = self._clock.at(elapsed)
        travelled += pace * max(0.0, elapsed - self._clock.duration)
        return min(travelled, self._whole.duration), pace


def _at(whole, time, pace):
    positions, velocities = whole.read(time)
    return positions, pace * velocities
