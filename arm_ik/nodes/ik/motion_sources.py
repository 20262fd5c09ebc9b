# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What further commands are read from: a trajectory, a stream of goals, twists."""

from bisect import bisect_right
from copy import copy
from math import ceil, nan

from .report import Level
from ...kinematics.solution import Solution
from ...motion.cubic_spline import begun, ROUNDING
from ...motion.jog import Twist
from ...motion.playback import LONGEST_STEP, Playback

#: How long a twist lasts without another one [s].
TWIST_TIMEOUT = 0.2

#: Longest step of a jog [s]: its velocities change evenly in it.
_LONGEST_PART = 0.025

#: Time between two reports on the progress along lines [s].
_PROGRESS = 0.5

#: Longest step along a stream of goals [s].
_LONGEST_FILTERED = 0.01

#: How far ahead a jog is clear [s] at its speed: it takes less to come to rest.
_AHEAD = 0.17

#: How often a slower step is tried before it brakes, and by how much slower than is clear.
_TRIES, _SLOWER = 2, 0.8

#: Shortest time between two reports on what cannot be had [s].
_REPORT_PERIOD = 0.2


class Source:
    """
    Leads the arm along a path: asked once for each command, from where the one before it is.

    ``at(now)`` returns positions [rad] and velocities [rad/s] of a moment [s], inside the limits.

    ``done``: it has come to rest, and the last positions are the goal; ``endless``: there may be
    more to come, so that has no goal that an arm in motion could be held at; ``late`` says how
    long before the newest command its positions were due [s].
    """

    done = endless = False
    late = 0.0

    #: Part of its speed at which it goes.
    pace = 1.0

    #: Fields of the report when it is done, and the line that it leads along.
    said: dict = {}
    line = None

    #: What it will return: a :class:`~arm_ik.motion.cubic_spline.CubicSpline`, and when that
    #: begins [s]; or ``None``, if that is not known.
    path = None

    def at_pace(self, model, pace, since):
        """Go on at another pace from a moment [s] on; 0: come to rest."""
        self.pace = pace

    def follow(self, model, measured):
        """Slow down for an arm at measured positions [rad]; return whether it is near enough."""
        return False

    def news(self, now):
        """Return what has changed in the report meanwhile, a dict of its fields, or ``None``."""
        return None


class Player(Playback, Source):  # type: ignore[override]
    """
    A trajectory that is played back.

    :param line: the :class:`~arm_ik.motion.line.Line` that it leads along, or ``None``.
    :param begins: when that begins [s], of its time; ``pure``: from when on there is nothing else.
    """

    def __init__(self, spline, since, waits=True, line=None, begins=0.0, pure=0.0):
        super().__init__(spline, since, waits)
        self.line, self.begins, self.pure = line, begins, pure
        self._arrivals = [begins + time for time in line.arrivals] if line else []
        self._reported, self._reported_at = 0, since

    def news(self, now):
        """Say which target on the path has been commanded, now and then; see :class:`Source`."""
        count = len(self._arrivals)
        reached = bisect_right(self._arrivals, self.travelled()[0] + ROUNDING)
        if not (count and self.pace) or self.done or (
                reached == self._reported and now - self._reported_at < _PROGRESS):
            return None
        self._reported, self._reported_at = reached, now
        return {'reason': f'{reached} of {count} targets reached'} if reached else {}


class Streaming(Source):
    """
    Goes along a stream of goals, for whoever moves the arm by trajectories.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param stream: the :class:`~arm_ik.motion.goal_stream.GoalStream`.
    :param state: positions [rad] and velocities [rad/s] that it sets out from.
    :param now: when it begins [s], monotonic.
    """

    endless = True

    def __init__(self, model, stream, state, now):
        self._names, self._stream, self._now = model.joint_names, stream, now
        self._generator = begun(model, state)

    def take(self, goal, now):
        """Take a goal [rad] that came at a time [s]; return whether the stream leads to it."""
        goals, generator = dict(zip(self._names, goal)), self._generator
        led = self._stream.take(goals, {
            name: (at, generator.speeds[name]) for name, at in generator.set_points.items()},
            0.0, now)
        for name in goals.keys() - led if led else ():
            generator.move({name: goals[name]})
        return bool(led)

    @property
    def done(self):
        """Whether the stream has ended, and the arm is at rest."""
        return not self._stream.plays and not self._generator.is_moving()

    def at(self, now):
        """Return positions [rad] and velocities [rad/s] at a time [s]."""
        elapsed, self._now, generator = min(now - self._now, LONGEST_STEP), now, self._generator
        parts = ceil(elapsed / _LONGEST_FILTERED) if self._stream.plays else elapsed > 0.0
        for part in range(parts):
            time = now - elapsed * (parts - 1 - part) / parts
            ended = self._stream.ended(time)
            self._stream.drop(ended)
            generator.move(ended)
            generator.step(elapsed / parts, {}, self._stream.step(
                elapsed / parts, time, generator.set_points))
        return tuple(generator.set_points.values()), tuple(generator.speeds.values())


class Jogging(Source):
    """
    Goes as twists say, until they fall silent.

    :param jog: the :class:`~arm_ik.motion.jog.Jog`, where the arm is.
    :param now: when it begins [s], monotonic.
    :param clear: looks at what is ahead, see :meth:`.PathChecker.clear`.
    """

    endless = True

    def __init__(self, jog, now, clear):
        self._jog, self._clear = jog, clear
        self._part, self._ahead = 1.0, ''   # of the twist that is clear, and what stops the rest
        self._twist, self._heard, self._now = Twist(), now, now
        self._reported, self._reported_at = '', now

    def take(self, twist, now):
        """Go on by a :class:`~arm_ik.motion.jog.Twist`, heard at ``now`` [s]."""
        self._twist, self._heard = twist, now

    @property
    def done(self):
        """Whether the twists have fallen silent, and the arm is at rest."""
        return not self._twist and self._jog.at_rest and self._heard is None

    def at(self, now):
        """Return positions [rad] and velocities [rad/s] at a time [s]."""
        if self._heard is not None and now - self._heard > TWIST_TIMEOUT:
            self._twist, self._heard = Twist(), None
        step, self._now = min(now - self._now, LONGEST_STEP), now
        if step > 0.0:
            parts = ceil(step / _LONGEST_PART)
            for _ in range(parts):
                self._step(step / parts)
        return self._jog.q, self._jog.velocities

    def _step(self, dt):
        """Go on by a part of the twist from which the arm brakes before it touches anything."""
        self._ahead, self._part = '', min(1.0, 1.2 * self._part + 0.05)
        for _ in range(_TRIES):
            jog = copy(self._jog)
            jog.step(self._twist.times(self.pace * self._part), dt)
            clear, words = self._clear([self._jog.q, [
                q + _AHEAD * v for q, v in zip(jog.q, jog.velocities)]])
            if clear == 1.0:
                self._jog = jog
                return
            self._part *= _SLOWER * clear
            self._ahead = words
        self._part = 0.0
        self._jog.step(Twist(), dt)     # from where it has been seen to brake in time

    @property
    def solution(self):
        """Where the arm is led, as a :class:`~arm_ik.Solution`; its errors are not known."""
        jog = self._jog
        return Solution(jog.q, jog.status, nan, nan, nan, jog.reason, jog.limited_by, nan)

    @property
    def said(self):
        """Return what a report says of it, a dict of its fields."""
        solution = self.solution
        return {'level': Level.OK if solution.reached and not self._ahead else Level.WARN,
                'reason': self._ahead or solution.reason, 'solution': solution}

    def news(self, now):
        """Say what cannot be had, when that changes, but not often; see :class:`Source`."""
        jog = self._jog
        kind = jog.status, jog.limited_by, bool(jog.reason), self._ahead
        if kind == self._reported or now - self._reported_at < _REPORT_PERIOD:
            return None
        self._reported, self._reported_at = kind, now
        return self.said
