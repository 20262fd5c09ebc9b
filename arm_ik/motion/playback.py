# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A trajectory that is played back: at any pace, and slower for an arm that is behind.

At the pace r, time goes by r times as fast on it: velocities are r times as large. A change of r
adds its own to the accelerations, so r changes step by step, each as far as the limits let it: the
cubic curve to the next point keeps them. A joint that brakes as hard as it may, as before a
corner, lets nothing brake harder; then the pace stays.
"""

from math import nan, sqrt

from .cubic_spline import CubicSpline, ROUNDING

#: Longest time step of whatever leads an arm [s]: after a longer pause it continues from where it
#: stopped.
LONGEST_STEP = 0.1

#: A joint may be behind a trajectory by how far it goes in a time [s] at its largest velocity, and
#: by an angle [rad]; and how much the pace may change for one that is [1/s].
_LATE, _LEAD, _CHANGE = 0.05, 0.15, 10.0

#: Steps in which the pace changes [s].
_STEP = 0.01

#: Parts of a change that are tried in a step; at the last, the pace stays.
_PARTS = (*[0.5 ** halvings for halvings in range(11)], 0.0)


class Playback:
    """
    Plays back a trajectory, asked once for each command.

    ``late`` says how long before the newest command its positions were due [s], ``pace`` the part
    of its speed at which it goes, but for an arm that is behind.

    :param spline: the :class:`~.cubic_spline.CubicSpline`.
    :param since: when it begins [s], monotonic.
    :param waits: whether it waits for whoever does not ask for a while, or is behind.
    """

    def __init__(self, spline, since, waits=True):
        self.spline, self.since = spline, since
        self.whole = spline                         # at the pace 1
        self._clock = CubicSpline([0.0], [[0.0]], [[1.0]])  # how far on it, and at what pace
        self._now, self._waits, self._elapsed = since, waits, 0.0
        self.pace, self.late = 1.0, 0.0
        self._part = self._wanted = 1.0     # of the pace, for an arm that is behind

    def follow(self, model, measured):
        """
        Slow down for an arm at measured positions [rad]; return whether it is near enough.

        As the driver's generator: it slows from half of ``_LEAD`` on, and stops at the whole.
        """
        behind = max((abs(q - m) - _LATE * joint.max_velocity) / _LEAD for q, m, joint in zip(
            self.spline.at(self._elapsed)[0], measured, model.joints))
        self._wanted = min(1.0, sqrt(2.0 * max(0.0, 1.0 - behind)))
        return self._waits and behind <= 1.0

    def at_pace(self, model, pace, since, before=None):
        """Go on at another pace from a moment [s] on; 0: come to rest."""
        travelled, present = self.travelled(since - self.since)
        self.spline, self._clock = _paced(
            model, self.whole, travelled, present if before is None else before, pace)
        self.since, self.pace = since, pace
        self._now, self._elapsed, self._part = since, 0.0, 1.0

    def travelled(self, elapsed=None):
        """Return where on its whole path it is after a time [s], or now, and at what pace."""
        elapsed = max(0.0, self._elapsed if elapsed is None else elapsed)
        (travelled,), (pace,) = self._clock.at(elapsed)
        travelled += pace * max(0.0, elapsed - self._clock.duration)
        return min(travelled, self.whole.duration), pace * self._part

    @property
    def progress(self):
        """Return how much has been travelled, from 0 to 1, and the time until rest [s]."""
        travelled, duration = self.travelled()[0], self.whole.duration
        return (travelled / duration if duration else 1.0,
                max(0.0, self.spline.duration - self._elapsed) if self.pace else nan)

    @property
    def path(self):
        """Return what it will return: a spline, and when that begins [s]."""
        return self.spline, self.since

    @property
    def done(self):
        """Whether its end is commanded."""
        return self._elapsed >= self.spline.duration - ROUNDING and (
            self.pace > 0.0 or self.progress[0] == 1.0)

    def at(self, now):
        """Return positions [rad] and velocities [rad/s] at a time [s]."""
        step = min(max(0.0, now - self._now), LONGEST_STEP)
        if self._waits:
            change = _CHANGE * step
            self._part += min(max(self._wanted - self._part, -change), change)
            self.since += max(0.0, now - self._now) - self._part * step
        self._now, self._elapsed = now, max(0.0, now - self.since)
        self.late = max(0.0, self._elapsed - self.spline.duration) if self.done else 0.0
        positions, velocities = self.spline.at(self._elapsed)
        return positions, tuple([self._part * velocity for velocity in velocities])


def _paced(model, whole, begin, before, pace):
    """
    Return a trajectory from a moment on, whose pace goes over into another.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param whole: the :class:`~.cubic_spline.CubicSpline` at the pace 1.
    :param begin: where on it this begins [s].
    :param before: the pace until then.
    :param pace: the one that is wanted, from 0, rest, to 1.
    :returns: the :class:`~.cubic_spline.CubicSpline` at that pace; and how far on the whole it is,
        with the pace as velocity, until that is the one wanted.
    """
    if not any(whole.at(begin)[1]):
        before = pace   # at rest, any is
    clock, points = [(begin, before)], [_at(whole, begin, before)]
    while clock[-1][1] != pace and clock[-1][0] < whole.duration:
        travelled, before = clock[-1]
        for part in _PARTS:
            after = before + part * (pace - before)
            there = min(travelled + 0.5 * (before + after) * _STEP, whole.duration)
            point = _at(whole, there, after)
            if CubicSpline([0.0, _STEP], *zip(points[-1], point)).keeps_limits(model):
                break
        clock.append((there, after))
        points.append(point)
    times = [_STEP * number for number in range(len(points))]
    path, travelled = CubicSpline(times, *zip(*points)), clock[-1][0]
    if pace and travelled < whole.duration:
        rest = whole.between(travelled, whole.duration)
        path = path.then(CubicSpline(rest.times / pace, rest.positions, pace * rest.velocities))
    return path, CubicSpline(times, *[[[each] for each in row] for row in zip(*clock)])


def _at(whole, time, pace):
    positions, velocities = whole.read(time)
    return positions, pace * velocities
