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

Joints keep to the path received: the clock of playback slows where one of them could not follow.
It goes no faster than it can still be slowed to rest with every joint inside its largest velocity
and acceleration, on the lines that have come; and it slows for a joint that is behind. The time
that is lost is made up for where the joints can go faster.
"""

from itertools import pairwise
from math import copysign, exp
from typing import NamedTuple

#: Messages farther apart than this [s] are no stream; stamps nearer are no measure.
LONGEST, _SHORTEST = 0.2, 1e-3

#: Both poles of the filter [1/s]: it adds a lag of 2 / _POLE.
_POLE = 62.0

#: A goal for which a joint would have to be faster than so many times its largest velocity leaps:
#: it is none of the stream.
LEAP = 3.0

#: How fast the clock may be, how much that may change [1/s], and which part of its acceleration
#: a joint may need for that change alone.
_HASTE, _CHANGE, _BRAKES = 2.0, 25.0, 0.7

#: Steps of the look ahead [s], and how far behind a joint may be before the clock slows [rad, m].
_STEP, _BEHIND = 0.02, 0.01

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
    :param velocity_scaling: part of its largest velocity that a joint may run at.
    """

    def __init__(self, joints, velocity_scaling=1.0):
        self._joints, self._scaling = joints, velocity_scaling
        self._tracks, self._rate = {}, 1.0
        self.lag, self.slow_joint = 0.0, ''     # what the clock has lost [s], and by which joint

    @property
    def plays(self):
        """Whether it leads a joint."""
        return any(track.plays for track in self._tracks.values())

    def take(self, goals, state, made, now):
        """
        Take a command, and return the names of the joints that the stream leads now, as a set.

        The goal of a wrist roll or a gripper that cannot follow is one by itself, and holds up
        nobody. Where a joint that moves the tip cannot, all are goals by themselves. A command
        repeated with its stamp changes nothing.

        :param goals: by joint name [rad, m].
        :param state: position and velocity of the set-points by name.
        :param made: the stamp of the command [s]; 0: it has none.
        :param now: when it came [s].
        """
        known = {name: self._tracks[name] for name in goals if name in self._tracks}
        if made and len(known) == len(goals) and all(
                (made, goals[name]) == (track.made, track.goal) for name, track in known.items()):
            return {name for name, track in known.items() if track.plays}
        led = {name for name, track in known.items()
               if track.continues(goals[name], LEAP * self._fastest(name), made, now)}
        if not any(known[name].plays or known[name].goal != goals[name] for name in led):
            led.clear()
        late = {name: known[name].late(state[name], self._fastest(name), made, now)
                for name in led if not known[name].plays}
        led -= {name for name in late if late[name] > (self.lag if self.plays else LONGEST)}
        if any(getattr(self._joints[name], 'role', None) not in (None, 'wrist_roll')
               for name in goals.keys() - led):
            led.clear()
        self.lag = max([self.lag, *(late[name] for name in led & late.keys())])
        for name, goal in goals.items():
            if name in led:
                known[name].add(goal, state[name], made, now, self.lag)
            else:
                self._tracks[name] = _Track(goal, made, now)
        return led

    def _fastest(self, name):
        return self._scaling * self._joints[name].max_velocity

    def drop(self, names=None):
        """End the stream of joints; ``None``: of all."""
        for name in list(self._tracks) if names is None else names:
            self._tracks.pop(name, None)

    def step(self, dt, now, positions):
        """
        Go on by a time [s] to ``now``.

        :param positions: of the set-points by name: the clock waits for one that is behind, but
            not for a gripper.
        :returns: by name position, velocity, and the :class:`Range` of what is still to be played.
        """
        led = {name: track for name, track in self._tracks.items() if track.plays}
        if not led:
            self._rate, self.lag, self.slow_joint = 1.0, 0.0, ''
            return {}
        chain = {name: led[name] for name in led if hasattr(self._joints[name], 'role')}
        self._rate, slow = self._next_rate(chain or led, dt, now - dt - self.lag, positions)
        self.lag = max(0.0, self.lag + dt * (1.0 - self._rate))
        self.slow_joint = slow or (self.slow_joint if self.lag else '')
        return {name: track.step(dt, now - self.lag) for name, track in led.items()}

    def _next_rate(self, led, dt, time, positions):
        """Return how fast the clock is to go from a time [s] on, and the joint that slows it."""
        brakes, slow = min([_CHANGE, *(
            _BRAKES * self._joints[name].acceleration / max(track.speed(time), 1e-9)
            for name, track in led.items())]), ''
        for rate in (self._rate + brakes * dt, self._rate):
            rate = min(rate, _HASTE, 1.0 + 4.0 * self.lag)
            strains = {name: track.strain(
                time, rate, brakes, self._fastest(name), self._joints[name].acceleration,
                positions[name]) for name, track in led.items()}
            slowest = max(strains, key=strains.get)
            if strains[slowest] <= 1.0:
                return rate, slow
            slow = slowest
        return max(0.0, self._rate - _CHANGE * dt), slow

    def ended(self, now):
        """Return the last goals by name, of joints whose stream has ended."""
        return {name: track.goal for name, track in self._tracks.items() if track.plays and (
            self.lag > LATEST or now - track.came > LONGEST + track.delay + self.lag)}


class _Track:
    """What came for one joint, and how it is played back."""

    def __init__(self, goal, made, came):
        self.goal, self.made, self.came = goal, made, came
        self.period = self.delay = 0.0          # [s]; how long after they are due goals are played
        self._count = 0
        self._due = (came, goal),               # when goals are due before the delay [s]
        self._filter = None                     # the outputs of both its stages

    @property
    def plays(self):
        return self._filter is not None

    def continues(self, goal, fastest, made, now):
        """Return whether a goal goes on with the stream."""
        return now - self.came <= LONGEST and abs(goal - self.goal) <= fastest * max(
            self._interval(made, now), self.period)

    def late(self, state, fastest, made, now):
        """Return how late a stream is [s] if its joint first goes to where it begins."""
        interval = self._interval(made, now)
        return max(0.0, abs(self.goal - self._ahead(*state)) / fastest
                   + interval - _delay(interval))

    def _ahead(self, position, velocity):
        """Return where on the lines a joint is that has a position and velocity."""
        ahead = position + 2.0 * velocity / _POLE
        return min(max(ahead, min(position, self.goal)), max(position, self.goal))

    def add(self, goal, state, made, now, lag):
        interval = self._interval(made, now)
        self._count += 1
        if self._filter is None:
            position, velocity = state
            self._filter = position + velocity / _POLE, position
            self._due = ((now - lag - _delay(interval), self._ahead(*state)),
                         (now - interval, self.goal))
        self.period += max(_PERIOD_GAIN, 1.0 / self._count) * (interval - self.period)
        self.delay = _delay(self.period)
        due = self._due[-1][0] + (interval if made and self.made else self.period)
        due += _CLOCK_GAIN * (now - due)
        due = min(max(due, now - 0.5 * self.period), now + 0.5 * self.period)
        self._due += (max(due, self._due[-1][0]), goal),
        self.goal, self.made, self.came = goal, made, now

    def step(self, dt, now):
        time = now - self.delay
        while len(self._due) > 1 and self._due[1][0] <= time:
            self._due = self._due[1:]
        wanted = self._played(time)
        self._filter = _filtered(self._filter, wanted, dt)
        left = [wanted, *(goal for _, goal in self._due)]
        return self._filter[1], _velocity(self._filter), Range(min(left), max(left))

    def speed(self, now):
        """Return how fast the lines are at a time [s]."""
        time = now - self.delay
        return abs(self._played(time + _SHORTEST) - self._played(time)) / _SHORTEST

    def strain(self, now, rate, brakes, fastest, acceleration, position):
        """
        Return which part of what it may do a joint needs at most, if the clock slows to rest.

        :param now: time of the clock [s].
        :param rate: how fast the clock is, and ``brakes`` how fast it slows [1/s].
        :param fastest: largest velocity of the joint [rad/s, m/s].
        :param position: of its set-point [rad, m].
        """
        time, stages = now - self.delay, self._filter
        velocity = _velocity(stages)
        most = copysign(1.0, velocity) * (stages[1] - position) / _BEHIND
        while rate > 0.0 and time < self._due[-1][0]:
            time += _STEP * rate
            rate -= _STEP * brakes
            stages = _filtered(stages, self._played(time), _STEP)
            before, velocity = velocity, _velocity(stages)
            most = max(most, abs(velocity) / fastest,
                       abs(velocity - before) / (_STEP * acceleration))
        return most

    def _interval(self, made, now):
        by_stamps = made - self.made if made and self.made else 0.0
        return by_stamps if _SHORTEST <= by_stamps <= LONGEST else now - self.came

    def _played(self, time):
        """Return where the straight lines from goal to goal are at a time [s]."""
        for (begin, goal), (end, next_goal) in pairwise(self._due):
            if time <= begin:
                return goal
            if time < end:
                return goal + (next_goal - goal) * (time - begin) / (end - begin)
        return self._due[-1][1]


def _delay(period):
    """Return how long after they are due goals of a period are played [s]."""
    return min(2.1 * period, period + 0.025)


def _filtered(stages, wanted, dt):
    """Return the outputs of both stages of the filter after a time [s]."""
    first, second = (stage - wanted for stage in stages)
    decay = exp(-_POLE * dt)
    return wanted + first * decay, wanted + (second + first * _POLE * dt) * decay


def _velocity(stages):
    return _POLE * (stages[0] - stages[1])
