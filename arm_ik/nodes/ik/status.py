# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``~/status``: that of ``ik_node`` about the newest target, and what a driver's says."""

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


def refusal(message, topic):
    """
    Return ``(reason, cause)`` why the driver takes no commands; ``None``: it takes them.

    :param message: the DiagnosticStatus.
    :param topic: its full name; the driver's services are beside it.
    """
    values = {item.key: item.value for item in message.values}
    if values.get('commands') != 'refused':
        return None
    node = topic.removesuffix('/status')
    found = []
    if values.get('fault'):
        call = f': call {node}/clear_faults' if 'clear_faults' in values['fault'] else ''
        found.append((f'at fault: {values["fault"]}{call}', 'driver at fault'))
    if values.get('stopped', '').lower() == 'true':
        found.append((f'stopped: call {node}/reset', 'driver stopped'))
    if values.get('torque') == 'off':
        found.append((f'without torque: call {node}/torque with true (servos without feedback: '
                      'with the arm at home)', 'driver without torque'))
    reasons, causes = zip(*found or [(f'refusing commands: {message.message}', 'driver')])
    return f'{node.rpartition("/")[2]} is {"; ".join(reasons)}', causes[0]
