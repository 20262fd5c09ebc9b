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


class _Joint:
    """What is known of a joint; ``usual`` is its usual interval [s]."""

    def __init__(self):
        self.position, self.speed, self.acceleration = None, 0.0, 0.0
        self.heard = self._stamp = -inf
        self.usual, self._intervals = 0.0, deque(maxlen=INTERVALS)

    def take(self, position, now, stamp):
        """Take a position [rad] that was measured at a stamp and heard now [s]."""
        elapsed = stamp - self._stamp
        if 0.0 < elapsed < inf:
            speed = (position - self.position) / elapsed
            self.acceleration, self.speed = (speed - self.speed) / elapsed, speed
        if isfinite(self.heard):
            self._intervals.append(now - self.heard)
            if len(self._intervals) > 1:
                self.usual = sorted(self._intervals)[-2]
        self.position, self.heard, self._stamp = position, now, stamp


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
        self._joints, self._resumed = {name: _Joint() for name in joint_names}, -inf
        self._sum_up()

    def _sum_up(self):
        joints = self._joints.values()
        self.positions, self.speeds, self.accelerations = zip(*[
            (joint.position, joint.speed, joint.acceleration) for joint in joints])
        self.heard = min([joint.heard for joint in joints])

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
        news = [(name, at) for name, at in zip(names, positions) if name in self._joints]
        for name, position in news:
            if not -LARGEST_POSITION <= position <= LARGEST_POSITION:  # false for NaN, too
                raise InvalidInputError(f'joint_states position of {name}', position,
                                        f'from {-LARGEST_POSITION:g} to {LARGEST_POSITION:g} rad')
        if not news:
            return False
        was_paused = isfinite(self.heard) and self.pause(now)
        for name, position in news:
            self._joints[name].take(position, now, now if stamp is None else stamp)
        self._sum_up()
        if was_paused and not self.pause(now):
            self._resumed = now
        return True

    def age(self, now):
        """Return the age of the oldest joint position [s]; infinite if a joint was never heard."""
        return now - self.heard

    def pause(self, now):
        """Return ``(reason, cause)`` why commands pause; ``None``: they don't."""
        if self.age(now) <= PAUSE * self.timeout:
            return None
        for name, joint in self._joints.items():
            age, allowed = now - joint.heard, max(
                PAUSE * self.timeout, PAUSE_INTERVALS * joint.usual)
            if age > allowed:
                return (f'commands pause: the last joint_states of {name} came {age:.3g} s ago, '
                        f'expected within {allowed:.3g} s', 'paused')
        return None

    def was_interrupted(self, now):
        """Return whether the state is paused, or was less than a timeout ago."""
        return bool(self.pause(now)) or now - self._resumed < self.timeout

    def unavailable(self, now):
        """Return ``(reason, cause)`` why the state can't be relied on; ``None``: it can."""
        if None in self.positions:
            unknown = [name for name, joint in self._joints.items() if joint.position is None]
            return ('the state of the arm is not known yet: no joint_states of '
                    f'{", ".join(unknown)} (no driver, or one that waits for ~/torque)', UNKNOWN)
        for name, joint in self._joints.items():
            age, usual = now - joint.heard, joint.usual
            if age > self.timeout or usual > self.timeout:
                words, cause = (
                    (f'joint_states of {name} come every {usual:.3g} s', 'state slow')
                    if usual > self.timeout else
                    (f'the last joint_states of {name} came {age:.3g} s ago', 'state stale'))
                return f'{words}; allowed: at most {self.timeout:g} s (state_timeout)', cause
        return None
