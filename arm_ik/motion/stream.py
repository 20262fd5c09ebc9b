# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Where joints should be between the commands of a stream, which give positions and velocities.

A command is *due* one period of its stream, and ``SPARE``, after it came: until then the joint
goes to its position and velocity on the cubic curve that begins where the last one has brought it,
so that it never runs ahead of what was commanded. After that it goes on at that velocity. The
period is that of the commands' stamps: messages that take longer than others change nothing then.

Time that was lost, by commands or by the bus, is made up for slowly: at once would be faster than
what is commanded.
"""

from dataclasses import dataclass
from math import inf

from .cubic_spline import hermite

#: How long a joint goes on at its velocity when the next command is missing [s].
COAST = 0.1

#: How much later than others a command may come [s].
SPARE = 0.015

#: Part by which a stream is faster or slower until commands are due ``SPARE`` after their periods.
_HASTE = 0.03

#: Shortest and longest period of a stream [s].
_SHORTEST, _LONGEST = 1e-3, 0.2


@dataclass
class _Way:
    start: float                # [s], as due
    due: float
    before: tuple               # position and velocity at start
    after: tuple                # when due
    made: float                 # the command's stamp
    taken: float                # when it came
    haste: float                # part of its period by which the next may be due sooner or later

    def at(self, now):
        position, velocity = self.after
        if now >= self.due:
            return position + velocity * (now - self.due), velocity
        return hermite(self.before, self.after, self.due - self.start, now - self.start)


class Stream:
    """The stream of each joint that has one."""

    def __init__(self):
        self._ways = {}

    def __contains__(self, name):
        return name in self._ways

    def take(self, points, standing, made, now):
        """
        Take a command.

        :param points: position and velocity by joint name.
        :param standing: position and velocity by name, of joints whose stream begins.
        :param made: when the command was made [s], on any clock.
        :param now: when it came [s].
        """
        for name, point in points.items():
            last = self._ways.get(name)
            if last is None:  # whose period the next command tells
                due, before, haste = now + _LONGEST, standing[name], inf
            else:
                period = _period(made - last.made, now - last.taken)
                before, haste = last.at(now), _HASTE
                slack = last.haste * period
                due = period + min(max(now + SPARE, last.due - slack), last.due + slack)
                if due > now + _LONGEST + period:  # it begins anew
                    due = now + SPARE + period
            self._ways[name] = _Way(now, due, before, point, made, now, haste)

    def rests_at(self, goals):
        """Tell whether the streams of joints come to rest at goals, by name."""
        return all(name in self._ways and self._ways[name].after == (goal, 0.0)
                   for name, goal in goals.items())

    def drop(self, names=None):
        """End the stream of joints; ``None``: of all."""
        for name in list(self._ways) if names is None else names:
            self._ways.pop(name, None)

    def at(self, now):
        """Return position and velocity by name at a time [s]."""
        return {name: way.at(now) for name, way in self._ways.items()}

    def wait(self, seconds):
        """Go on later, after a time in which nobody followed [s]."""
        for way in self._ways.values():
            way.start += seconds
            way.due += seconds

    def ended(self, now):
        """Return newest velocities by name, of joints whose next command is missing too long."""
        return {name: way.after[1] for name, way in self._ways.items() if now > way.due + COAST}


def _period(by_stamps, by_arrival):
    period = by_stamps if _SHORTEST <= by_stamps <= _LONGEST else by_arrival
    return min(max(period, _SHORTEST), _LONGEST)
