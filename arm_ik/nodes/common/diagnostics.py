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
        ``'servos'``, its level, a message, and a callable that returns a dict of values. When a
        level changes, all is published at once.
    :param each_second: what else is to be called each time; timers cost more than what they do.
        It returns words to warn of, once as long as they stay the same, or nothing.
    """

    OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR

    def __init__(self, node, hardware_id, report, each_second=lambda: ''):
        self._node, self._hardware_id = node, hardware_id
        self._report, self._each_second = report, each_second
        self._full_name = node.get_fully_qualified_name().lstrip('/')
        self._levels, self._warned = None, ()
        self._status = node.create_publisher(DiagnosticStatus, '~/status', STATUS_QOS)
        # Absolute by convention: one topic for the whole robot.
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        steady_timer(node, _PERIOD_S, self._on_timer)

    def _on_timer(self):
        topic, warned = self._status.topic_name, self._warned
        self._warned = self._each_second(), '' if self._node.count_publishers(topic) < 2 else (
            f'another node publishes {topic}: a second one of this name, which commands the same '
            'arm (end one of them), or one that was killed just now')
        for words in filter(None, self._warned):
            if words not in warned:
                self._node.get_logger().warning(words)
        self.publish()

    def check(self):
        """Publish if a level is another one than was published last."""
        if [level for _, level, *_ in self._report()] != self._levels:
            self.publish()

    def publish(self):
        """Publish the node's report."""
        array = DiagnosticArray(status=[DiagnosticStatus(
            name=self._name(what), hardware_id=self._hardware_id, level=level, message=message,
            values=[KeyValue(key=key, value=str(value)) for key, value in values().items()])
            for what, level, message, values in self._report()])
        self._levels = [status.level for status in array.status]
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(array)

    def say(self, what, level, message, values):
        """Publish the status of a part of the node, with a dict of values."""
        self._status.publish(diagnostic_status(
            level, self._name(what), message, self._hardware_id, values))

    def _name(self, what):
        return f'{self._full_name}: {what}'


def steady_timer(node, period, action):
    """Return a timer of a node that goes on while simulated time does not; its period in [s]."""
    return node.create_timer(period, action, clock=Clock(clock_type=ClockType.STEADY_TIME))


def refusal(message, topic):
    """
    Return ``(reason, cause)`` why the driver takes no commands; ``None``: it takes them.

    :param message: the DiagnosticStatus.
    :param topic: its full name; the driver's services are next to it.
    """
    values = values_of(message)
    if values.get('commands') != 'refused':
        return None
    node, found = topic.removesuffix('/status'), []
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
