# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Where joints should be between the commands of a stream, which give positions and velocities.

A command is *due* one period of its stream, and ``SPARE``, after it came: until then the joint
goes to its position and velocity on the cubic curve that begins where the last one has brought it,
so that it never runs ahead of what was commanded. After that it brakes, as the sender may be dead:
it comes to rest where the path might have, and no farther. The
period is that of the commands' stamps: messages that take longer than others change nothing then.

Time that was lost, by commands or by the bus, is made up for slowly: at once would be faster than
what is commanded.
"""

from dataclasses import dataclass
from math import inf

from .cubic_spline import hermite

#: How long after the next command was due its stream has ended [s].
COAST = 0.1

#: How much later than others a command may come [s].
SPARE = 0.015

#: Part by which a stream is faster or slower until commands are due ``SPARE`` after their periods.
_HASTE = 0.03

#: Shortest and longest period of a stream [s].
_SHORTEST, _LONGEST = 1e-3, 0.2


@dataclass
class _Curve:
    start: float                # [s], as due
    due: float
    before: tuple               # position and velocity at start
    after: tuple                # when due
    made: float                 # the command's stamp
    taken: float                # when it came
    rest: float                 # how long all joints of the command take to brake [s]
    haste: float                # part of its period by which the next may be due sooner or later

    def at(self, now):
        position, velocity = self.after
        if now >= self.due:
            left = self.left(now)
            return (position + 0.5 * velocity * (1.0 + left) * min(now - self.due, self.rest),
                    velocity * left)
        return hermite(self.before, self.after, self.due - self.start, now - self.start)

    def left(self, now):
        """Return what is left of the velocity of a joint that brakes."""
        return max(0.0, 1.0 - (now - self.due) / self.rest) if self.rest else 0.0

    def lost(self, now):
        """Return how much time a joint has lost by braking [s]."""
        late = max(0.0, now - self.due)
        return late - 0.5 * (1.0 + self.left(now)) * min(late, self.rest) if late else 0.0


class Stream:
    """
    The stream of each joint that has one.

    :param joints: mapping from names to joints with ``acceleration``.
    """

    def __init__(self, joints):
        self._joints, self._curves = joints, {}

    def __contains__(self, name):
        return name in self._curves

    def take(self, points, state, made, now):
        """
        Take a command.

        :param points: position and velocity by joint name.
        :param state: position and velocity by name, of joints whose stream begins.
        :param made: when the command was made [s], on any clock.
        :param now: when it came [s].
        """
        rest = max(abs(velocity) / self._joints[name].acceleration
                   for name, (_, velocity) in points.items())
        for name, point in points.items():
            last = self._curves.get(name)
            if last is None:  # whose period the next command shows
                due, before, haste = now + _LONGEST, state[name], inf
            else:
                period = _period(made - last.made, now - last.taken)
                before, haste = last.at(now), _HASTE
                slack, was_due = last.haste * period, last.due + last.lost(now)
                due = period + min(max(now + SPARE, was_due - slack), was_due + slack)
                if due > now + _LONGEST + period:  # it begins anew
                    due = now + SPARE + period
            self._curves[name] = _Curve(now, due, before, point, made, now, rest, haste)

    def rests_at(self, goals):
        """Return whether the streams of joints come to rest at goals, by name."""
        return all(name in self._curves and self._curves[name].after == (goal, 0.0)
                   for name, goal in goals.items())

    def drop(self, names=None):
        """End the stream of joints; ``None``: of all."""
        for name in list(self._curves) if names is None else names:
            self._curves.pop(name, None)

    def at(self, now):
        """Return position and velocity by name at a time [s]."""
        return {name: curve.at(now) for name, curve in self._curves.items()}

    def wait(self, seconds):
        """Go on later, after a time in which nobody followed [s]."""
        for curve in self._curves.values():
            curve.start += seconds
            curve.due += seconds

    def ended(self, now):
        """Return newest velocities by name, of joints whose next command is missing too long."""
        return {name: curve.after[1] for name, curve in self._curves.items()
                if now > curve.due + COAST}


def _period(by_stamps, by_arrival):
    period = by_stamps if _SHORTEST <= by_stamps <= _LONGEST else by_arrival
    return min(max(period, _SHORTEST), _LONGEST)
