# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``~/status``: the state of the newest target, as a DiagnosticStatus."""

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

#: The keys of ``~/status``, in this order.
KEYS = ('seq', 'target_stamp', 'frame', 'state', 'status', 'reason', 'position_error_m',
        'up_error_rad', 'limited_by', 'step_rad', 'forward_error_rad', 'cause')


def status_message(report, name, hardware_id):
    """
    Return the message of a report.

    :param report: a :class:`~.report.Report`.
    :param name: of the node, fully qualified.
    :param hardware_id: name of the arm.
    """
    return DiagnosticStatus(
        level=bytes([report.level]), name=f'{name}: target', message=report.summary,
        hardware_id=hardware_id,
        values=[KeyValue(key=key, value=value) for key, value in zip(KEYS, _values(report))])


def _values(report):
    request, solution = report.request, report.solution
    seconds, nanoseconds = request.stamp
    shared = (str(request.seq), f'{seconds}.{nanoseconds:09d}', _short(request.frame),
              report.state.value)
    if solution is None:
        return (*shared, '', report.reason, 'nan', 'nan', '', 'nan', 'nan', report.cause)
    # repr of a float is the shortest text that reads back as the same float.
    return (*shared, solution.status.name, report.reason, repr(solution.position_error_m),
            repr(solution.up_error_rad), ', '.join(solution.limited_by), repr(solution.step_rad),
            repr(solution.forward_error_rad), report.cause)


def _short(frame, limit=120):
    # Long names from a sender must not make the status long.
    return frame if len(frame) <= limit else frame[:limit - 3] + '...'
