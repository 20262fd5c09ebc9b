# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""How the node is, counted from its reports: what ``/diagnostics`` says of it."""

from .report import Level, State


class Health:
    """Counts reports and knows the node's level."""

    def __init__(self):
        self._newest = None
        self._counts = {'targets_accepted': 0, 'targets_relaxed': 0, 'reports_refused': 0}

    def count(self, report):
        """Take note of a report."""
        self._newest = report
        if report.state is State.REFUSED:
            self._counts['reports_refused'] += 1
        elif report.state is State.ACCEPTED and report.solution is not None:
            self._counts['targets_accepted'] += 1
            self._counts['targets_relaxed'] += not report.solution.reached

    def condition(self, complaint, enabled, state_age):
        """
        Return the node's level, one line about it, and key-values.

        :param complaint: why no target can be followed now; empty: one can.
        :param enabled: whether commands may leave.
        :param state_age: age of the arm's measured state [s].
        """
        values = {'enabled': str(enabled).lower(), 'joint_states_age_s': f'{state_age:.3f}',
                  **self._counts}
        if complaint:
            return (Level.STALE if enabled else Level.WARN), complaint, values
        if self._newest is None:
            return Level.OK, State.READY.value, values
        return self._newest.level, self._newest.summary, values
