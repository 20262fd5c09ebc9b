# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A node's report to ``/diagnostics``: once a second, and at once when its level changes."""

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType

_PERIOD_S = 1.0


class Diagnostics:
    """
    Publish the state of a node.

    :param node: the node.
    :param what: what it is about, e.g. ``'servos'``.
    :param hardware_id: the name of the arm.
    :param report: callable that returns the level, a message, and a dict of key-values.
    :param level: callable that returns the level alone, where that costs less.
    :param each_second: what else is to be called each time; timers cost more than what they do.
    """

    OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR

    def __init__(self, node, what, hardware_id, report, level=None,
                 each_second=lambda: None):
        self._node = node
        self._name = f'{node.get_fully_qualified_name().lstrip("/")}: {what}'
        self._hardware_id = hardware_id
        self._report = report
        self._level_now = level or (lambda: report()[0])
        self._level = None
        # Absolute by convention: one topic for the whole robot.
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self._each_second = each_second
        node.create_timer(_PERIOD_S, self._on_timer, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _on_timer(self):
        self._each_second()
        self.publish()

    def check(self):
        """Publish if the level is another one than was published last."""
        if self._level_now() != self._level:
            self.publish()

    def publish(self):
        """Publish the node's report."""
        self._level, message, values = self._report()
        status = DiagnosticStatus(
            level=self._level, name=self._name, message=message, hardware_id=self._hardware_id,
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])
        array = DiagnosticArray(status=[status])
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(array)
