# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A trajectory at another pace: slower, braked to rest on its way, or taken up again.

At the pace r, time goes by r times as fast on it: velocities are r times as large. A change of r
adds its own to the accelerations, so r changes step by step, each as far as the limits let it: the
cubic curve to the next point keeps them. A joint that brakes as hard as it may, as before a
corner, lets nothing brake harder; then the pace stays.
"""

from bisect import bisect_right

from .cubic_spline import CubicSpline, keeps_limits

#: Steps in which the pace changes [s], and how often a step of it is halved.
_STEP, _HALVINGS = 0.01, 10


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
        self._times, self._gone, self._paces = [0.0], [begin], [before]
        points = [_at(whole, begin, before)]
        while self._paces[-1] != pace and self._gone[-1] < whole.duration:
            points.append(self._step(model, points[-1]))
        self.spline = CubicSpline(self._times[:], *map(list, zip(*points)))
        if pace and self._gone[-1] < whole.duration:
            after = bisect_right(whole.times, self._gone[-1] + 1e-9)
            self.spline = self.spline.then(CubicSpline(
                [0.0, *[(time - self._gone[-1]) / pace for time in whole.times[after:]]],
                [points[-1][0], *whole.positions[after:]],
                [points[-1][1], *[[pace * speed for speed in velocities]
                                  for velocities in whole.velocities[after:]]]))

    def _step(self, model, point):
        gone, before = self._gone[-1], self._paces[-1]
        part, least = 1.0, 0.5 ** _HALVINGS
        while True:
            pace = before + part * (self.pace - before)
            there = min(gone + 0.5 * (before + pace) * _STEP, self._whole.duration)
            after = _at(self._whole, there, pace)
            if keeps_limits(model, point, after, _STEP):
                break
            if part <= least:       # it stays
                pace, there = before, min(gone + before * _STEP, self._whole.duration)
                after = _at(self._whole, there, pace)
                break
            part *= 0.5
        self._times.append(self._times[-1] + _STEP)
        self._gone.append(there)
        self._paces.append(pace)
        return after

    def gone(self, elapsed):
        """Return where on the whole way it is after a time [s], and at what pace."""
        after = bisect_right(self._times, elapsed)
        if after == len(self._times):
            return min(self._gone[-1] + self._paces[-1] * (elapsed - self._times[-1]),
                       self._whole.duration), self._paces[-1]
        part = (elapsed - self._times[after - 1]) / _STEP
        (a, b), (r, s) = (each[after - 1:after + 1] for each in (self._gone, self._paces))
        pace = r + part * (s - r)
        return min(a + 0.5 * (r + pace) * part * _STEP, b), pace


def _at(whole, time, pace):
    positions, velocities = whole.at(time)
    return positions, tuple([pace * speed for speed in velocities])
