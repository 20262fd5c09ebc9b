# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""How the node is, counted from its reports: what ``/diagnostics`` says of it."""

from collections import Counter
from time import monotonic

from .meters import Latencies, Rate, Receipts
from .report import Level, State

# Before Python 3.12 the members of an enum are slow to look up.
_OK, _REFUSED, _TROUBLES = Level.OK, State.REFUSED, (State.REFUSED, State.READY)


class Health:
    """
    Counts reports and traffic, and knows the node's level.

    The level is that of what is wrong with the arm (STALE: its state is silent, ERROR: it does
    not follow its command, WARN: commands are disabled), and else that of the newest report.

    :param clock: seconds that never run backwards.
    """

    def __init__(self, clock=monotonic):
        self.targets, self.states, self.commands = (Rate(clock) for _ in range(3))
        self.poses, self.points, self.ups = (Receipts() for _ in range(3))
        self.latencies = Latencies()
        self._clock = clock
        self._newest = None
        self._answered = 0
        self._counts = {'targets_accepted': 0, 'targets_relaxed': 0, 'targets_refused': 0}
        self._refused = Counter()
        self._last_error = '', 0.0

    def count(self, report):
        """Take note of a report."""
        self._newest = report
        if report.level is not _OK and report.state in _TROUBLES:
            self._last_error = report.reason, self._clock()
        if report.order.seq <= self._answered:
            return  # news of a target that was counted already; newer ones may be refused since
        self._answered = report.order.seq
        if report.state is _REFUSED:
            self._counts['targets_refused'] += 1
            self._refused[report.cause] += 1
        elif report.solution is not None:
            self._counts['targets_accepted'] += 1
            self._counts['targets_relaxed'] += not report.solution.reached

    def count_burst(self, burst):
        """Take note of an :class:`~.burst.Ended`, all of whose targets were reached."""
        self.targets.count(burst.count)
        self.commands.count(burst.count)
        self.latencies.add_all(burst.latencies)
        self._newest = burst.report
        self._answered = burst.report.order.seq
        self._counts['targets_accepted'] += burst.count

    def level(self, trouble):
        """Return the node's level; ``trouble``: as :func:`~.condition.trouble` says."""
        if trouble is not None:
            return trouble[0]
        return Level.OK if self._newest is None else self._newest.level

    def condition(self, trouble, **facts):
        """
        Return the node's level, one line about it, and key-values.

        :param trouble: what is wrong with the arm, ``(level, words)`` or ``None``.
        :param facts: more key-values.
        """
        p50, p99 = self.latencies.quantiles(0.5, 0.99)
        error, since = self._last_error
        values = {
            **facts, **self._counts,
            **{f'refused: {cause}': count for cause, count in sorted(self._refused.items())},
            'targets_dropped': sum(topic.dropped for topic in (self.poses, self.points, self.ups)),
            'targets_per_s': f'{self.targets.per_second():.1f}',
            'joint_states_per_s': f'{self.states.per_second():.1f}',
            'commands_per_s': f'{self.commands.per_second():.1f}',
            'latency_p50_ms': f'{1e3 * p50:.3f}', 'latency_p99_ms': f'{1e3 * p99:.3f}',
            'last_error': error,
            'last_error_age_s': f'{self._clock() - since:.1f}' if error else ''}
        if trouble is not None:
            return *trouble, values
        if self._newest is None:
            return Level.OK, State.READY.value, values
        return self._newest.level, self._newest.summary, values
