# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Whether the arm's state can be relied on: known, fresh, interrupted, or another driver's.

- *Unknown*: some joint was never heard of.
- *Stale*: some joint has been silent for longer than ``timeout``.
- *Paused*: silent for longer than a fifth of that. A driver that dies and is back at once must not
  find old commands waiting for it, so none leave meanwhile.
- *Restarted*: a new sender appears during such a pause or right after it.
"""

from math import inf, isfinite

from .arm_state import ArmState

#: Commands pause while the state is older than this part of the timeout.
PAUSE = 0.2


class StateWatch:
    """
    An :class:`~.arm_state.ArmState` with a sense of time.

    :param joint_names: of the chain, base to tip.
    :param timeout: age from which a joint's reading is stale [s]; may be changed later.
    """

    def __init__(self, joint_names, timeout):
        self.timeout = timeout
        self._state = ArmState(joint_names)
        self._resumed = -inf
        self._interval = inf

    @property
    def positions(self):
        """Return the newest readings [rad], base to tip."""
        return self._state.positions

    def merge(self, now, *arrays):
        """Take over a message, as :meth:`~.arm_state.ArmState.merge`; tell if it told anything."""
        before = self.age(now)
        heard = self._state.heard
        told = self._state.merge(now, *arrays)
        if self._state.heard != heard:
            self._interval = self._state.heard - heard
        if isfinite(before) and before > PAUSE * self.timeout >= self.age(now):
            self._resumed = now
        return told

    def age(self, now):
        """Return the age of the joint not heard of for longest [s]; infinite: never."""
        return now - self._state.heard

    @property
    def interval(self):
        """Return the time from the last but one whole state to the last [s]; infinite: none."""
        return self._interval

    def fresh(self, now):
        """Tell whether every joint was heard of within the timeout."""
        return self.age(now) <= self.timeout

    def paused(self, now):
        """Tell whether the state is old enough for commands to pause."""
        return self.age(now) > PAUSE * self.timeout

    @property
    def pauses_at(self):
        """Return when the state is old enough for commands to pause [s], unless it is heard."""
        return self._state.heard + PAUSE * self.timeout

    def interrupted(self, now):
        """Tell whether the state is paused, or was less than a timeout ago."""
        return self.paused(now) or now - self._resumed < self.timeout

    def complaint(self, now):
        """Return ``(reason, cause)`` why the state can't be relied on; ``None``: it can."""
        if self.fresh(now):
            return None
        unknown = self._state.unknown_joints
        if unknown:
            return ('the state of the arm is not known yet: no joint_states of '
                    + ', '.join(unknown), 'state unknown')
        age, name = self._state.oldest(now)
        return (f'joint_states last told of {name} {age:.3g} s ago; allowed: at most '
                f'{self.timeout:g} s (state_timeout)', 'state stale')
