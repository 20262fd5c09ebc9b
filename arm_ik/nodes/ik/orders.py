# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What was asked of the node last, and the reports that say what became of it."""

from .report import Level, Order, Report, State


class Orders:
    """Makes reports; knows which order they are about."""

    def __init__(self):
        self._latest = Order()
        self._complained = ''  # of bad joint states, since the newest order

    @property
    def seq(self):
        """Return the number of the newest order."""
        return self._latest.seq

    def refuse(self, order, reason, cause, target=None, solution=None):
        """Say that an order is not followed; the command in force stays."""
        self._take_order(order)
        return Report(State.REFUSED, Level.WARN, order, reason, cause, target, solution)

    def acknowledge(self, order, reason):
        """Say that an order was taken that moves nothing."""
        self._take_order(order)
        return Report(State.ACCEPTED, Level.OK, order, reason, 'acknowledged')

    def complain(self, error):
        """Say that joint states cannot be taken, unless that was the last word."""
        # Bad joint states come at their sender's rate: one report says it.
        reason = str(error)
        if reason == self._complained:
            return None
        self._complained = reason
        return Report(State.REFUSED, Level.WARN, self._latest, reason, error.what)

    def _ready(self, reason):
        return Report(
            State.READY, Level.OK, self._latest, f'{reason}; waiting for a target', 'ready')

    def _stopped(self, state, level, reason, cause):
        return Report(state, level, self._latest, reason, cause)

    def _take_order(self, order):
        self._latest = order
        self._complained = ''
