# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A node's reports to ``/diagnostics`` and ``~/status``, and what a driver's refuses."""

from contextlib import suppress
from math import isfinite

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.qos import DurabilityPolicy, QoSProfile

from .serialized import diagnostic_status

_PERIOD_S = 1.0

#: QoS of ``~/status``: a late subscriber gets the newest.
STATUS_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Diagnostics:
    """
    Publish the state of a node: all of it on ``/diagnostics``, what changes on ``~/status``.

    :param node: the node.
    :param hardware_id: the name of the arm.
    :param report: callable that returns what there is to say, in parts: what each is about, e.g.
        ``'servos'``, its level, a message, and a dict of key-values.
    :param level: callable that returns whatever is to be published at once when it changes.
    :param each_second: what else is to be called each time; timers cost more than what they do.
    """

    OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR

    def __init__(self, node, hardware_id, report, level, each_second=lambda: None):
        self._node, self._hardware_id = node, hardware_id
        self._report, self._level_now, self._each_second = report, level, each_second
        self._full_name = node.get_fully_qualified_name().lstrip('/')
        self._level = None
        self._has_twin = False
        self._status = node.create_publisher(DiagnosticStatus, '~/status', STATUS_QOS)
        # Absolute by convention: one topic for the whole robot.
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        node.create_timer(_PERIOD_S, self._on_timer, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _on_timer(self):
        self._each_second()
        topic = self._status.topic_name
        has_twin = self._node.count_publishers(topic) > 1
        if has_twin and not self._has_twin:
            self._node.get_logger().warning(
                f'another node publishes {topic}: a second one of this name, which commands the '
                'same arm (end one of them), or one that was killed just now')
        self._has_twin = has_twin
        self.publish()

    def check(self):
        """Publish if the level is another one than was published last."""
        if self._level_now() != self._level:
            self.publish()

    def publish(self):
        """Publish the node's report."""
        self._level = self._level_now()
        array = DiagnosticArray(status=[
            DiagnosticStatus(
                name=self._name(what), hardware_id=self._hardware_id, level=level, message=message,
                values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])
            for what, level, message, values in self._report()])
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(array)

    def say(self, what, level, message, values):
        """Publish the status of a part of the node, with a dict of values."""
        self._status.publish(diagnostic_status(
            level, self._name(what), message, self._hardware_id, values))

    def _name(self, what):
        return f'{self._full_name}: {what}'


def refusal(message, topic):
    """
    Return ``(reason, cause)`` why the driver takes no commands; ``None``: it takes them.

    :param message: the DiagnosticStatus.
    :param topic: its full name; the driver's services are next to it.
    """
    values = values_of(message)
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


def values_of(message):
    """Return the values of a DiagnosticStatus by key, as texts."""
    return {item.key: item.value for item in message.values}


def number(values, key, default):
    """Return the finite number of a key of a DiagnosticStatus; the default where there is none."""
    with suppress(ValueError):
        if isfinite(value := float(values.get(key, default))):
            return value
    return default


def speed(values):
    """Return the part of ``max_velocity`` at which the driver that sent them goes to goals."""
    return min(max(number(values, 'speed', 1.0), 0.05), 1.0)
