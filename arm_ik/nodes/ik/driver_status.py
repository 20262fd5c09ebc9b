# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Why a driver takes no commands, by its ``~/status``, and what to call about it."""


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
