# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Trajectories to rest: points in time, joined by cubic curves."""

from itertools import count
from math import ceil, inf

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

    :param times: of its points [s], growing from 0 on, shape (n,).
    :param positions: of the joints at each point [rad], shape (n, joints).
    :param velocities: the same [rad/s]; zero at the last one.
    """

    def __init__(self, times, positions, velocities):
        self.times, self.positions, self.velocities = (
            np.array(values, dtype=float) for values in (times, positions, velocities))

    @property
    def duration(self):
        """Return the time until rest [s]."""
        return float(self.times[-1])

    @property
    def end(self):
        """Return the positions [rad] where it comes to rest."""
        return tuple(self.positions[-1].tolist())

    def at(self, time):
        """Return positions [rad] and velocities [rad/s] at a time [s], not before its start."""
        positions, velocities = self.read_to_rest(time)
        return tuple(positions.tolist()), tuple(velocities.tolist())

    def read(self, times):
        """Return the same at many times, shapes (..., joints)."""
        after = np.searchsorted(self.times, times, side='right')
        before, after = after - 1, np.minimum(after, len(self.times) - 1)
        steps = np.maximum(self.times[after] - self.times[before], ROUNDING)
        since = np.minimum(times, self.times[-1]) - self.times[before]
        return hermite(*[(self.positions[i], self.velocities[i]) for i in (before, after)],
                       steps[..., None], since[..., None])

    def read_to_rest(self, times):
        """Return the same where, whatever rounding its time has, the end is read at rest."""
        return self.read(np.where(times < self.times[-1] - ROUNDING, times, inf))

    def evenly(self, begin=0.0, period=0.015):
        """Return positions [rad] at most a period [s] apart from a time on, (n, joints), n > 1."""
        begin = min(begin, self.duration)
        return self.read(np.linspace(
            begin, self.duration, 2 + int((self.duration - begin) / period)))[0]

    def part(self, begin, end):
        """Return what lies between two times [s], in points that are close together."""
        times = np.linspace(begin, end, 1 + ceil((end - begin) / STEP))
        return CubicSpline(times - begin, *self.read(times))

    def between(self, begin, end):
        """Return what lies between two times [s], in its own points."""
        inner = self.times[(self.times > begin + APART) & (self.times < end - APART)]
        times = np.array([begin, *inner, *([end] if end - begin > APART else [])])
        return CubicSpline(times - begin, *self.read(times))

    def plus(self, other, delay):
        """
        Return the sum of this and another, that begins at rest where this ends.

        :param delay: how long after this one the other begins [s].
        """
        knots = np.unique(np.append(self.times, delay + other.times))
        times = knots[(np.diff(knots, append=inf) > APART) | (knots == 0.0)]
        (p, v), (q, w) = self.read_to_rest(times), other.read_to_rest(
            np.maximum(0.0, times - delay))
        return CubicSpline(times, p - self.positions[-1] + q, v + w)

    def excess(self, top, most):
        """Return by velocities and accelerations how fast each curve is, 1 at the joints' most."""
        hardest = np.maximum(*np.abs(accelerations(
            self.positions, self.velocities, np.diff(self.times)[:, None])))
        return np.maximum(np.abs(self.velocities[1:]) / top, np.sqrt(hardest / most)).max(axis=1)

    def keeps_limits(self, model, until=inf):
        """Return whether the joints keep their limits until a time [s], but for rounding."""
        count = np.searchsorted(self.times[:-1], until - ROUNDING, side='right')
        (lower, upper, *most), q = limits(model), self.positions[1:][:count]
        return bool((self.excess(*most)[:count] <= 1.0 + _MORE).all()
                    and (lower <= q).all() and (q <= upper).all())

    def then(self, other):
        """Return this and then another, that begins where it ends."""
        return CubicSpline(*[np.concatenate(pair) for pair in (
            (self.times, self.duration + other.times[1:]),
            (self.positions, other.positions[1:]), (self.velocities, other.velocities[1:]))])


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


def limits(model):
    """Return lower and upper limits of the joints, and their velocities and accelerations."""
    return np.transpose([(joint.lower, joint.upper, joint.max_velocity, joint.acceleration)
                         for joint in model.joints])


def to_goal(model, start, goal, part=1.0):
    """
    Return the :class:`CubicSpline` to a goal within the limits.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param start: positions [rad] and velocities [rad/s] that it sets out from.
    :param goal: positions [rad], inside the limits.
    :param part: of the joints' ``max_velocity`` that they may run at.
    """
    generator = begun(model, start)
    generator.move(dict(zip(model.joint_names, goal)), part)
    return _ahead(model, generator)


def to_rest(model, start):
    """Return the :class:`CubicSpline` of an arm that brakes, each joint on the path it is on."""
    generator = begun(model, start)
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


def begun(model, start):
    """Return the :class:`.Generator` of an arm at positions [rad], with velocities [rad/s]."""
    generator = Generator(model)
    generator.begin(*(dict(zip(model.joint_names, values)) for values in start))
    return generator


def _ahead(model, generator):
    times, rows = zip(*generator.ahead())
    points = np.array([[row[name] for name in model.joint_names] for row in rows])
    return CubicSpline(times, points[..., 0], points[..., 1])
