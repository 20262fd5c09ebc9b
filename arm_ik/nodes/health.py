# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``/diagnostics``: how the node is, counted from its reports."""

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from .report import Level, State
from .status_message import summary


class Health:
    """
    Counts reports and knows the node's level.

    :param name: of the node, fully qualified.
    :param hardware_id: name of the arm.
    """

    def __init__(self, name, hardware_id):
        self.level = Level.STALE
        self.name = name
        self._hardware_id = hardware_id
        self._summary = ''
        self._newest = None
        self._counts = {'targets_accepted': 0, 'targets_relaxed': 0, 'reports_refused': 0}

    def count(self, report):
        """Take note of a report."""
        self._newest = report
        if report.state is State.ACCEPTED:
            self._counts['targets_accepted'] += 1
            self._counts['targets_relaxed'] += report.solution is not None and (
                not report.solution.reached)
        elif report.state is State.REFUSED:
            self._counts['reports_refused'] += 1

    def update(self, complaint, enabled):
        """
        Work out the level.

        :param complaint: ``(reason, cause)`` why no target can be followed now, or ``None``.
        :param enabled: whether commands may leave.
        :returns: whether the level has changed.
        """
        before = self.level
        if not enabled:
            self.level, self._summary = Level.WARN, complaint[0]
        elif complaint:
            self.level, self._summary = Level.STALE, complaint[0]
        elif self._newest is None:
            self.level, self._summary = Level.OK, State.READY.value
        else:
            self.level, self._summary = self._newest.level, summary(self._newest)
        return self.level is not before

    def message(self, stamp, enabled, state_age):
        """Return the DiagnosticArray; ``stamp`` is a Time message, ``state_age`` in seconds."""
        values = {'enabled': str(enabled).lower(), 'joint_states_age_s': f'{state_age:.3f}',
                  **self._counts}
        status = DiagnosticStatus(
            level=bytes([self.level]), name=f'{self.name}: inverse kinematics',
            message=self._summary, hardware_id=self._hardware_id,
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])
        array = DiagnosticArray(status=[status])
        array.header.stamp = stamp
        return array
