# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The node's health for ``/diagnostics``, by its reports."""

from collections import Counter
from time import monotonic

from .report import Level, State

#: How long the middleware may take to deliver messages that have waited [s].
CATCH_UP_S = 0.2


class SchedulingDelay:
    """
    How long messages may have waited before the node reads them, by how late a timer fires.

    A process that was stopped, swapped out or busy reads messages late, and the middleware, which
    stopped with it, may stamp them as just received. The same holds for a short time
    afterwards, because the middleware needs time to catch up.

    :param period: of the timer [s].
    :param clock: returns monotonic seconds.
    """

    def __init__(self, period, clock=monotonic):
        self._period = period
        self._clock = clock
        self._ticked = clock()
        self._longest, self._forget_at = 0.0, self._ticked

    def tick(self):
        """Record that the timer has fired; return how late it is [s]."""
        now = self._clock()
        late = now - self._ticked - self._period
        self._ticked = now
        if now >= self._forget_at or late >= self._longest:
            self._longest, self._forget_at = late, now + CATCH_UP_S
        return late

    def seconds(self):
        """Return how long a message that is read now may have waited [s]."""
        now = self._clock()
        late = now - self._ticked - self._period
        return max(0.0, late, self._longest if now < self._forget_at else 0.0)


class NodeHealth:
    """
    Counts reports, and computes the node's level.

    If the arm has a fault, the level is that of the fault, otherwise that of the newest report.

    :param core: the :class:`~.core.IkCore`.
    """

    def __init__(self, core):
        self._core = core
        self._newest = None
        self._counted = 0  # number of the newest request that was counted
        self._counts = {'targets_accepted': 0, 'targets_relaxed': 0, 'targets_refused': 0}
        self._refused = Counter()

    def count(self, report):
        """Take note of a report."""
        self._newest = report
        if report.request.seq <= self._counted or report.state in (State.READY, State.PLANNING):
            return  # progress of a target that was already counted, or one that is kept
        self._counted = report.request.seq
        if report.state is State.REFUSED:
            self._counts['targets_refused'] += 1
            self._refused[report.cause] += 1
        elif report.solution is not None:
            self._counts['targets_accepted'] += 1
            self._counts['targets_relaxed'] += not report.solution.reached

    def diagnostics(self):
        """Return the node's level, one line about it, and key-values."""
        core = self._core
        return (*self.level_and_message(), {
            'enabled': str(core.gate.enabled).lower(),
            'joint_states_age_s': f'{core.gate.state.age(core.clock()):.3f}',
            **self._counts,
            **{f'refused: {cause}': count for cause, count in sorted(self._refused.items())}})

    def level_and_message(self):
        """Return the node's level, and one line about it."""
        core = self._core
        unavailable = core.unavailable()
        if unavailable:
            is_silent = core.gate.enabled and not core.gate.refusal
            return (Level.STALE if is_silent else Level.WARN), unavailable[0]
        if core.tracker.blocked:
            return Level.ERROR, core.tracker.blocked
        if self._newest is None:
            return Level.OK, State.READY.value
        return self._newest.level, self._newest.summary
