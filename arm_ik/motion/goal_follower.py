# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Where an arm is that goes to goals or along a stream of them, and where it will be."""

from copy import copy
from math import ceil, inf

from .cubic_spline import to_goal
from .generator import Generator

#: Longest step along a stream of goals [s], and of one that is looked ahead at.
_STEP, _AHEAD = 0.01, 0.02

#: Motions to goals are looked at in pieces of this time [s], in which they are nearly straight.
PERIOD = 0.015

#: So near to its goal an arm is at rest there [rad]; most steps that are looked ahead at.
_THERE, _MOST = 1e-3, 60


class GoalFollower:
    """
    An arm whose set-points are the driver's.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param stream: the :class:`~.goal_stream.GoalStream` that may lead it.
    :param standing: positions [rad] and velocities [rad/s] that it sets out from.
    :param now: when [s], monotonic.
    """

    def __init__(self, model, stream, standing, now):
        self._model, self.stream, self._now = model, stream, now
        self._generator = Generator(model)
        self._generator.begin(*(dict(zip(model.joint_names, values)) for values in standing))

    @property
    def standing(self):
        """Return the newest positions [rad] and velocities [rad/s]."""
        return (tuple(self._generator.set_points.values()),
                tuple(self._generator.speeds.values()))

    @property
    def done(self):
        """Whether the stream has ended, and the arm is at rest."""
        return not self.stream.plays and not self._generator.is_moving()

    def step(self, now, most=inf, longest=_STEP):
        """Go on to a time [s]; after more than ``most`` from where it stopped."""
        elapsed, self._now = min(now - self._now, most), now
        parts = ceil(elapsed / longest) if self.stream.plays else elapsed > 0.0
        for part in range(parts):
            time = now - elapsed * (parts - 1 - part) / parts
            ended = self.stream.ended(time)
            self.stream.drop(ended)
            self._generator.move(ended)
            self._generator.step(elapsed / parts, {}, self.stream.step(elapsed / parts, time))

    def then(self, goal, made, now, part=1.0):
        """
        Return one that goes on from here to a goal [rad].

        :param made: the goal's stamp [s]; 0: it has none.
        :param now: when it came [s].
        :param part: of their ``max_velocity`` that joints may run at, but along a stream.
        """
        after, names = self.drawn(self.standing[0]), self._model.joint_names
        goals = dict(zip(names, goal))
        if not after.stream.take(goals, dict(zip(names, zip(*self.standing))), made, now):
            after._generator.move(goals, part)
        after._goal, after._part = tuple(goal), part
        return after

    def ahead(self):
        """Return the way on if no goal follows, positions [rad] in order, (n, joints), n > 1."""
        if not self.stream.plays:
            return to_goal(self._model, self.standing, self._goal, self._part).evenly(
                PERIOD)
        other, way = self.drawn(self.standing[0]), []
        while len(way) < _MOST:
            positions, velocities = other.standing
            way.append(positions)
            if max(abs(goal - position) + _AHEAD * abs(velocity) for goal, position, velocity in
                   zip(self._goal, positions, velocities)) < _THERE:
                break
            other.step(other._now + _AHEAD, longest=_AHEAD)
        return [*way, self._goal]

    def drawn(self, positions):
        """Return one that is at other positions [rad], to go on to a goal."""
        return GoalFollower(self._model, copy(self.stream), (positions, self.standing[1]),
                            self._now)
