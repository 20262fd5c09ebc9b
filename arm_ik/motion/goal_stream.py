# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A stream of goals without velocities, as a phone, a camera or a leader arm sends, made smooth.

Goals are played back late enough that the next one has come when one is reached, although messages
come early and late: in a straight line from each to the next, and through a critically damped
filter of the second order. Nothing is extrapolated. The filter's answer to a step has no
overshoot, so that a set-point never leaves the range of the goals received, and a stream that ends
comes to rest at its last one.

Joints keep to the path received: its clock goes slower where a joint would be too fast. On a
line from goal to goal at the velocity v it may go at the rate V / |v|. Past a corner, where v
becomes w, the filter accelerates by _POLE |w - v| / e at the most: so the rate is at most
e A / (_POLE |w - v|). What is lost so is made up for where there is room.
"""

from itertools import pairwise
from math import e, exp
from typing import NamedTuple

#: Messages farther apart than this [s] are no stream; stamps nearer tell no time.
LONGEST, _SHORTEST = 0.2, 1e-3

#: Both poles of the filter [1/s]: it adds a lag of 2 / _POLE.
_POLE = 62.0

#: Joints are as near to a stream that begins as it comes in its period and _BEHIND [s], give or
#: take what they may go in _NEARLY [s].
_BEHIND, _NEARLY = 0.05, 5e-3

#: The clock slows for a joint that is behind by more than this [rad, m], and stops so much later.
_SLACK, _WAITS = 0.01, 0.05

#: How fast the clock goes that makes up for what it has lost, and how much it may change [1/s].
_HASTE, _CHANGE = 1.1, 10.0

#: From goals so far apart [s] the filter feels each corner by itself.
_LONG = 4.0 / _POLE

#: A stream that is later than this [s] is given up: its newest goal is one by itself. Whoever
#: sends the goals hears of its lag, and sends a single one before.
LATEST = 3.0

#: Gains: of a new interval on the period, at least, and of an arrival on the clock of playback.
_PERIOD_GAIN, _CLOCK_GAIN = 0.05, 0.1


class Range(NamedTuple):
    """Bounds of a joint [rad, m]."""

    lower: float
    upper: float


class GoalStream:
    """
    The stream of each joint that has one.

    :param joints: mapping from names to joints with ``max_velocity``.
    :param velocity_scaling: a joint that would have to run faster than so many times its largest
        velocity follows no stream: the goal is one by itself, to which the joints go together.
    """

    def __init__(self, joints, velocity_scaling=1.5):
        self._joints, self._scaling = joints, velocity_scaling
        self._tracks = {}
        self._rate = 1.0
        self.lag, self.slow_joint = 0.0, ''     # what the clock has lost [s], and by which joint

    @property
    def plays(self):
        """Whether it leads a joint."""
        return any(track.plays for track in self._tracks.values())

    def take(self, goals, standing, made, now):
        """
        Take a command, and return the names of the joints that the stream leads now, as a set.

        The goal of a wrist roll or a gripper that cannot follow is one by itself, and holds up
        nobody. Where a joint that moves the tip cannot, all are goals by themselves. A command
        repeated with its stamp changes nothing.

        :param goals: by joint name [rad, m].
        :param standing: position and velocity of the set-points by name.
        :param made: the stamp of the command [s]; 0: it has none.
        :param now: when it came [s].
        """
        known = {name: self._tracks[name] for name in goals if name in self._tracks}
        if made and len(known) == len(goals) and all(
                (made, goal) == (known[name].made, known[name].goal)
                for name, goal in goals.items()):
            return {name for name, track in known.items() if track.plays}
        fastest = {name: self._scaling * self._joints[name].max_velocity for name in known}
        led = {name for name, track in known.items() if track.continues(
            goals[name], standing[name][0], fastest[name], made, now, self.lag)}
        if any(getattr(self._joints[name], 'role', None) not in (None, 'wrist_roll')
               for name in goals.keys() - led):
            led.clear()
        if not any(known[name].plays or known[name].goal != goals[name] for name in led):
            led.clear()
        for name, goal in goals.items():
            if name in led:
                known[name].add(goal, standing[name], made, now)
            else:
                self._tracks[name] = _Track(goal, made, now)
        return led

    def drop(self, names=None):
        """End the stream of joints; ``None``: of all."""
        for name in list(self._tracks) if names is None else names:
            self._tracks.pop(name, None)

    def step(self, dt, now, positions):
        """
        Go on by a time [s] to ``now``.

        :param positions: of the set-points by name: the clock waits for one that is behind.
        :returns: by name position, velocity, and the :class:`Range` of what is still to be played.
        """
        led = {name: track for name, track in self._tracks.items() if track.plays}
        if not led:
            self._rate, self.lag, self.slow_joint = 1.0, 0.0, ''
            return {}
        rates = {name: track.rate(now - self.lag, min(1.0, self._scaling) * joint.max_velocity,
                                  joint.acceleration, positions[name])
                 for name, track in led.items() for joint in (self._joints[name],)}
        slowest = min(rates, key=rates.get)
        wanted = min(_HASTE if self.lag else 1.0, rates[slowest])
        self._rate += min(max(wanted - self._rate, -_CHANGE * dt), _CHANGE * dt)
        self.lag = max(0.0, self.lag + dt * (1.0 - self._rate))
        self.slow_joint = slowest if rates[slowest] < 1.0 else self.slow_joint if self.lag else ''
        return {name: track.step(dt, now - self.lag) for name, track in led.items()}

    def ended(self, now):
        """Return the last goals by name, of joints whose stream has ended."""
        return {name: track.goal for name, track in self._tracks.items() if track.plays and (
            self.lag > LATEST or now - track.came > LONGEST + track.delay + self.lag)}


class _Track:
    """What came for one joint, and how it is played back."""

    def __init__(self, goal, made, came):
        self.goal, self.made, self.came = goal, made, came
        self.period = None
        self._count = 0
        self._due = (came, goal),               # when goals are due before the delay [s]
        self._filter = None                     # the outputs of both its stages

    @property
    def plays(self):
        return self._filter is not None

    @property
    def delay(self):
        """How long after they are due goals are played [s]."""
        return min(2.1 * self.period, self.period + 0.025)

    def continues(self, goal, position, fastest, made, now, lag):
        """Tell whether a goal goes on with the stream, so late [s], from a set-point on."""
        interval = self._interval(made, now)
        period, step = self.period or interval, abs(goal - self.goal)
        away = fastest * (period + LONGEST + lag) if self.plays else fastest * _NEARLY + step * (
            1.0 + _BEHIND / max(interval, _SHORTEST))
        return (now - self.came <= LONGEST and step <= fastest * max(interval, period)
                and abs(goal - position) <= away)

    def add(self, goal, standing, made, now):
        interval = self._interval(made, now)
        self._count += 1
        if self._filter is None:
            position, velocity = standing
            self._filter = position + velocity / _POLE, position
            self.period = interval
            self._due = (now - interval, self.goal),
        self.period += max(_PERIOD_GAIN, 1.0 / self._count) * (interval - self.period)
        due = self._due[-1][0] + (interval if made and self.made else self.period)
        due += _CLOCK_GAIN * (now - due)
        due = min(max(due, now - 0.5 * self.period), now + 0.5 * self.period)
        self._due += (max(due, self._due[-1][0]), goal),
        self.goal, self.made, self.came = goal, made, now

    def step(self, dt, now):
        wanted = self._played(now - self.delay)
        first, second = (stage - wanted for stage in self._filter)
        decay = exp(-_POLE * dt)
        second = wanted + (second + first * _POLE * dt) * decay
        first = wanted + first * decay
        self._filter = first, second
        left = [wanted, *(goal for _, goal in self._due)]
        return second, _POLE * (first - second), Range(min(left), max(left))

    def rate(self, now, fastest, acceleration, position):
        """Return how fast the clock may go at a time [s] for the joint to follow, at most."""
        time, before = now - self.delay, None
        rate = max(0.0, 1.0 - (abs(self._filter[1] - position) - _SLACK) / _WAITS) * _HASTE
        for (begin, goal), (end, next_goal) in pairwise(self._due):
            if end <= time:
                continue
            velocity = (next_goal - goal) / max(end - begin, _SHORTEST)
            rate = min(rate, fastest / max(abs(velocity), 1e-9))
            if before is not None and end - begin > _LONG:
                rate = min(rate, e * acceleration / max(_POLE * abs(velocity - before), 1e-9))
            before = velocity
        return rate

    def _interval(self, made, now):
        by_stamps = made - self.made if made and self.made else 0.0
        return by_stamps if _SHORTEST <= by_stamps <= LONGEST else now - self.came

    def _played(self, time):
        """Return where the straight lines from goal to goal are at a time [s]."""
        while len(self._due) > 1 and self._due[1][0] <= time:
            self._due = self._due[1:]
        begin, goal = self._due[0]
        if time <= begin or len(self._due) == 1:
            return goal
        end, next_goal = self._due[1]
        return goal + (next_goal - goal) * (time - begin) / (end - begin)
