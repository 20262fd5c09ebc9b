# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Trajectories to rest: points in time, joined by cubic curves."""

from bisect import bisect_right
from itertools import count, pairwise
from math import ceil

import numpy as np

from .generator import APART, Generator

#: Distance of the points of a part [s]: no longer than the period of whoever follows it, in which
#: he may be off where he takes over.
STEP = 1e-3

#: So near to a point it is reached [s].
ROUNDING = 1e-9

#: Part of a limit by which rounding may exceed it.
_MORE = 1e-6


class CubicSpline:
    """
    Joint positions and velocities over time.

    :param times: of its points [s], growing from 0 on.
    :param positions: of the joints at each point [rad].
    :param velocities: the same [rad/s]; zero at the last one.
    """

    def __init__(self, times, positions, velocities):
        self.times, self.positions, self.velocities = times, positions, velocities

    @property
    def duration(self):
        """Return the time until rest [s]."""
        return self.times[-1]

    @property
    def end(self):
        """Return the positions [rad] where it comes to rest."""
        return tuple(self.positions[-1])

    def at(self, time):
        """Return positions [rad] and velocities [rad/s] at a time [s], not before its start."""
        after = bisect_right(self.times, time + ROUNDING)
        if after == len(self.times):
            return self.end, tuple(self.velocities[-1])
        begin, end = self.times[after - 1:after + 1]
        (p, q), (v, w) = (table[after - 1:after + 1] for table in (
            self.positions, self.velocities))
        return tuple(zip(*[hermite((a, b), (c, d), end - begin, time - begin)
                           for a, b, c, d in zip(p, v, q, w)]))

    def evenly(self, period, begin=0.0):
        """Return positions [rad] at most a period [s] apart from a time on, (n, joints), n > 1."""
        times, q, v = map(np.array, (self.times, self.positions, self.velocities))
        begin = min(begin, times[-1])
        at = np.linspace(begin, times[-1], 2 + int((times[-1] - begin) / period))
        after = np.clip(np.searchsorted(times, at, side='right'), 1, max(1, len(times) - 1))
        before, after = after - 1, np.minimum(after, len(times) - 1)
        duration = np.maximum(times[after] - times[before], APART)[:, None]
        return hermite((q[before], v[before]), (q[after], v[after]), duration,
                       (at - times[before])[:, None])[0]

    def part(self, begin, end):
        """Return what lies between two times [s], in points that are close together."""
        steps = ceil((end - begin) / STEP)
        times = [(end - begin) * step / steps for step in range(steps + 1)]
        return CubicSpline(times, *zip(*[self.at(begin + time) for time in times]))

    def between(self, begin, end):
        """Return what lies between two times [s], in its own points."""
        times = [begin, *[time for time in self.times if begin + APART < time < end - APART]]
        times += [end] if end - begin > APART else []
        return CubicSpline([time - begin for time in times], *zip(*map(self.at, times)))

    def plus(self, other, delay):
        """
        Return the sum of this and another, that begins at rest where this ends.

        :param delay: how long after this one the other begins [s].
        """
        over = max(self.duration, delay)
        later = bisect_right(other.times, over - delay + ROUNDING)
        knots = sorted([*self.times, *[delay + time for time in other.times[:later]]])
        times = [time for time, before in zip(knots, [-1.0, *knots]) if time - before > APART]
        positions, velocities = [], []
        for time in times:
            (p, v), (q, w) = self.at(time), other.at(max(0.0, time - delay))
            positions.append([b + (a - end) for a, b, end in zip(p, q, self.end)])
            velocities.append([a + b for a, b in zip(v, w)])
        return CubicSpline([*times, *[delay + time for time in other.times[later:]]],
                           [*positions, *other.positions[later:]],
                           [*velocities, *other.velocities[later:]])

    def keeps_limits(self, model, until):
        """Return whether the joints keep their limits until a time [s], but for rounding."""
        for (t, p, v), (u, q, w) in pairwise(zip(self.times, self.positions, self.velocities)):
            if t > until - ROUNDING:
                return True
            if not keeps_limits(model, (p, v), (q, w), u - t):
                return False
        return True

    def then(self, other):
        """Return this and then another, that begins where it ends."""
        return CubicSpline([*self.times, *[self.duration + time for time in other.times[1:]]],
                           [*self.positions, *other.positions[1:]],
                           [*self.velocities, *other.velocities[1:]])


def keeps_limits(model, before, after, duration):
    """Return whether joints keep their limits on a cubic curve, but for rounding."""
    for joint, a, b, speed, end in zip(model.joints, before[0], after[0], before[1], after[1]):
        mean = (b - a) / duration
        # A cubic curve accelerates most at one of its ends.
        steepest = 2.0 / duration * max(
            abs(3.0 * mean - 2.0 * speed - end), abs(3.0 * mean - speed - 2.0 * end))
        if not (joint.lower <= b <= joint.upper
                and abs(end) <= (1.0 + _MORE) * joint.max_velocity
                and steepest <= (1.0 + _MORE) * joint.acceleration):
            return False
    return True


def hermite(before, after, duration, time):
    """
    Return position and velocity on a cubic curve; all may be numpy arrays.

    :param before: position and velocity at its start.
    :param after: the same at its end.
    :param duration: from start to end [s].
    :param time: since the start [s].
    """
    (p, v), (q, w) = before, after
    s, rise = time / duration, (q - p) / duration
    # With c and d, the velocities at the ends are v and w.
    c, d = 3.0 * rise - 2.0 * v - w, v + w - 2.0 * rise
    return p + time * (v + s * (c + s * d)), v + s * (2.0 * c + 3.0 * s * d)


def accelerations(positions, velocities, steps):
    """Return those at the start and at the end of each cubic curve; between them they are even."""
    rises = np.diff(positions, axis=0) / steps
    before, after = velocities[:-1], velocities[1:]
    return ((6.0 * rises - 4.0 * before - 2.0 * after) / steps,
            (2.0 * before + 4.0 * after - 6.0 * rises) / steps)


def to_goal(model, standing, goal, part=1.0, together=True):
    """
    Return the :class:`CubicSpline` to a goal within the limits.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param standing: positions [rad] and velocities [rad/s] that it sets out from.
    :param goal: positions [rad], inside the limits.
    :param part: of the joints' ``max_velocity`` that they may run at.
    :param together: whether the joints arrive together; else each as soon as it can.
    """
    generator = _begun(model, standing)
    goals = dict(zip(model.joint_names, goal))
    for some in [goals] if together else [{name: goals[name]} for name in goals]:
        generator.move(some, part)
    return _ahead(model, generator)


def to_rest(model, standing):
    """Return the :class:`CubicSpline` of an arm that brakes, each joint on the way it is on."""
    generator = _begun(model, standing)
    generator.stop()
    return _ahead(model, generator)


def blend(model, brakes, line, earliest, period):
    """
    Return a trajectory that brakes and goes over into a line, and when the line begins [s].

    It begins as soon as the sum of both keeps the limits: at once, where it leads onwards; from
    rest, where a joint has to turn back.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param brakes: the :class:`CubicSpline` to rest.
    :param line: the one that begins there.
    :param earliest: when it may begin [s].
    :param period: it begins at a multiple of this [s], so that commands are points of it.
    """
    for index in count(ceil(earliest / period - ROUNDING)):
        delay = index * period
        spline = brakes.plus(line, delay)
        if delay > brakes.duration - ROUNDING or spline.keeps_limits(model, brakes.duration):
            return spline, delay


def _begun(model, standing):
    generator = Generator(model)
    generator.begin(*(dict(zip(model.joint_names, values)) for values in standing))
    return generator


def _ahead(model, generator):
    times, rows = zip(*generator.ahead())
    return CubicSpline(list(times), *(
        [[row[name][what] for name in model.joint_names] for row in rows] for what in (0, 1)))
