# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The current state of the arm, merged from joint states, and whether it can be relied on.

Each message is merged by joint name, whole or not at all: refused are unequal lengths and
positions of the chain that are not finite or farther than any joint turns; ignored are other
joints and messages without positions. NaN velocities are missing ones.

*Unknown*: not every joint was heard. *Stale*: a joint's newest position is older than ``timeout``.
*Slow*: its usual interval is longer than that. *Paused*: its newest position is older than 2.5 of
its usual intervals and a fifth of ``timeout``; no command is sent then.
"""

from collections import deque
from math import inf, isfinite

from ...errors import InvalidInputError

#: Largest accepted position [rad]: beyond it a float no longer resolves a nanoradian, and the
#: sender is broken or uses other units.
LARGEST_POSITION = 1e6

#: Commands do not pause before the state is older than this share of the timeout.
PAUSE = 0.2

#: Commands pause when the newest position of a joint is older than so many usual intervals.
PAUSE_INTERVALS = 2.5

#: The usual interval is the second longest of the newest intervals, of which so many are kept. So
#: a single gap does not count, and of a sender with jitter the longer intervals do.
INTERVALS = 5

#: Cause of the trouble that some joint was never heard.
UNKNOWN = 'state unknown'


class StateMonitor:
    """
    The newest position of each joint of the chain.

    ``positions`` holds them [rad], base to tip, ``None`` where a joint was never heard,
    ``speeds`` [rad/s] at what they changed last, and ``accelerations`` [rad/s^2] at what these
    did. ``heard`` is the time of receipt of the oldest of them [s], minus infinity if a joint was
    never heard.

    :param joint_names: of the chain, base to tip.
    :param timeout: age from which a position is stale [s]; may be changed later.
    """

    def __init__(self, joint_names, timeout):
        self.timeout = timeout
        self.joint_names = tuple(joint_names)
        self.positions = (None,) * len(self.joint_names)
        self.heard = -inf
        self.speeds = [0.0] * len(self.joint_names)
        self.accelerations = [0.0] * len(self.joint_names)
        self._stamps = [-inf] * len(self.joint_names)
        self._index = {name: i for i, name in enumerate(self.joint_names)}
        self._heard = [-inf] * len(self.joint_names)
        self._intervals = [deque(maxlen=INTERVALS) for _ in self.joint_names]
        self._usual = [0.0] * len(self.joint_names)
        self._resumed = -inf

    def merge(self, now, names, positions, *others, stamp=None):
        """
        Merge a message into the state.

        :param now: time of receipt on the monotonic clock [s].
        :param names: of joints, any.
        :param positions: [rad], one per name, or none at all.
        :param others: the message's other arrays; only their lengths are checked.
        :param stamp: when the positions were measured, on any clock [s]; ``None``: at ``now``.
        :returns: whether the message held a position of the chain.
        :raises InvalidInputError: if the message is refused; then nothing is merged.
        """
        count = len(names)
        for array in (positions, *others):
            if len(array) not in (0, count):
                raise InvalidInputError(
                    'joint_states', f'{count} names and an array of {len(array)}',
                    'arrays as long as the names, or empty')
        index = self._index
        news = [(index[name], position) for name, position in zip(names, positions)
                if name in index]
        for i, position in news:
            if not -LARGEST_POSITION <= position <= LARGEST_POSITION:  # false for NaN, too
                raise InvalidInputError(f'joint_states position of {self.joint_names[i]}',
                                        position, 'a finite number from '
                                        f'{-LARGEST_POSITION:g} to {LARGEST_POSITION:g}')
        if not news:
            return False
        was_paused = isfinite(self.heard) and self.pause(now)
        merged = list(self.positions)
        for i, position in news:
            merged[i] = position
            self._measure_speed(i, position, now if stamp is None else stamp)
            self._hear(i, now)
        self.positions = tuple(merged)
        self.heard = min(self._heard)
        if was_paused and not self.pause(now):
            self._resumed = now
        return True

    def _measure_speed(self, i, position, stamp):
        elapsed = stamp - self._stamps[i]
        if 0.0 < elapsed < inf:
            speed = (position - self.positions[i]) / elapsed
            self.accelerations[i] = (speed - self.speeds[i]) / elapsed
            self.speeds[i] = speed
        self._stamps[i] = stamp

    def _hear(self, i, now):
        if isfinite(self._heard[i]):
            intervals = self._intervals[i]
            intervals.append(now - self._heard[i])
            if len(intervals) > 1:
                self._usual[i] = sorted(intervals)[-2]
        self._heard[i] = now

    def age(self, now):
        """Return the age of the oldest joint position [s]; infinite if a joint was never heard."""
        return now - self.heard

    def pause(self, now):
        """Return ``(reason, cause)`` why commands pause; ``None``: they don't."""
        if self.age(now) <= PAUSE * self.timeout:
            return None
        for name, heard, usual in zip(self.joint_names, self._heard, self._usual):
            allowed = max(PAUSE * self.timeout, PAUSE_INTERVALS * usual)
            if now - heard > allowed:
                return (f'commands pause: the last joint_states of {name} came {now - heard:.3g} '
                        f's ago, expected within {allowed:.3g} s', 'paused')
        return None

    def was_interrupted(self, now):
        """Return whether the state is paused, or was less than a timeout ago."""
        return bool(self.pause(now)) or now - self._resumed < self.timeout

    def unavailable(self, now):
        """Return ``(reason, cause)`` why the state can't be relied on; ``None``: it can."""
        if self.age(now) <= self.timeout and max(self._usual) <= self.timeout:
            return None
        unknown = [name for name, heard in zip(self.joint_names, self._heard)
                   if not isfinite(heard)]
        if unknown:
            return ('the state of the arm is not known yet: no joint_states of '
                    + ', '.join(unknown) + ' (no driver, or one that waits for ~/torque)',
                    UNKNOWN)
        allowed = f'allowed: at most {self.timeout:g} s (state_timeout)'
        slowest = max(self._usual)
        if slowest > self.timeout:
            name = self.joint_names[self._usual.index(slowest)]
            return f'joint_states of {name} come every {slowest:.3g} s; {allowed}', 'state slow'
        oldest = self.joint_names[self._heard.index(self.heard)]
        return (f'the last joint_states of {oldest} came {self.age(now):.3g} s ago; {allowed}',
                'state stale')
