# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
``ik_node``: target poses in, joint commands out.

In: ``target_pose``, ``target_point``, ``target_up``, ``joint_states``. Out: ``joint_commands``,
``~/solved_pose``, ``~/status``, ``~/markers``, ``/diagnostics``. Services: ``~/enable``,
``~/home``. What is decided is decided by :class:`~.ik_core.IkCore`; here are only its wires.
"""

import sys

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped, Vector3Stamped
from rclpy.clock import Clock, ClockType
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import MarkerArray

from .arm_parameters import load_arm_model
from .diagnostics import Diagnostics
from .frames import transforms
from .health import Health
from .ik_core import IkCore
from .ik_parameters import settings_of, SPECS
from .marker_message import marker_message
from .parameters import Parameters
from .pose_message import pose_message
from .report import Level, Order, State
from .run import run
from .status_message import status_message
from .target_input import TargetInput
from ..arm import Arm
from ..errors import InvalidInputError

#: Targets: none is lost on its way, and the newest is the one that counts.
TARGET_QOS = QoSProfile(depth=1)
#: Joint states: whatever its sender offers; deep enough for several senders of partial messages.
STATE_QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
#: Status: whoever comes late gets the newest.
STATUS_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class IkNode(Node):
    """The ROS side of the core; see the module."""

    def __init__(self):
        super().__init__('ik_node', automatically_declare_parameters_from_overrides=True)
        self._given = Parameters(self, SPECS, apply=self._apply_parameters)
        self._arm = Arm(load_arm_model(self))
        self._base_frame = self._given['frame_prefix'] + self._given['base_frame']
        self._input = TargetInput(self._base_frame, self._given['up_axis'],
                                  transforms(self, self._base_frame).look_up)
        self._core = IkCore(self._arm, settings_of(self._given))
        self._health = Health()
        self._full_name = self.get_fully_qualified_name().lstrip('/')
        self._seq = 0
        self._logged = None
        self._solved = None  # the newest report that an arm's pose belongs to
        self._command = JointState(name=list(self._arm.joint_names))
        self._make_publishers()
        self._make_subscriptions()
        self._make_services()
        self._make_timers()

    def _make_publishers(self):
        self._commands = self.create_publisher(JointState, 'joint_commands', 10)
        self._poses = self.create_publisher(PoseStamped, '~/solved_pose', 10)
        self._status = self.create_publisher(DiagnosticStatus, '~/status', STATUS_QOS)
        self._markers = self.create_publisher(MarkerArray, '~/markers', 10)
        self._diagnostics = Diagnostics(
            self, 'inverse kinematics', self._arm.name, self._condition)

    def _make_subscriptions(self):
        subscribe = self.create_subscription
        subscribe(PoseStamped, 'target_pose', self._on_pose, TARGET_QOS)
        subscribe(PointStamped, 'target_point', self._on_point, TARGET_QOS)
        subscribe(Vector3Stamped, 'target_up', self._on_up, TARGET_QOS)
        subscribe(JointState, 'joint_states', self._on_state, STATE_QOS,
                  event_callbacks=SubscriptionEventCallbacks(matched=self._on_sender))

    def _make_services(self):
        self.create_service(SetBool, '~/enable', self._on_enable)
        self.create_service(Trigger, '~/home', self._on_home)

    def _make_timers(self):
        # Rates and ages are those of real time, whatever the stamps' clock does.
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        period = 1.0 / self._given['command_rate']
        self._command_timer = self.create_timer(period, self._on_command_timer, clock=steady)
        self.create_timer(1.0, self._publish_markers, clock=steady)

    def _apply_parameters(self):
        self._core.settings = settings_of(self._given)
        self._command_timer.timer_period_ns = int(1e9 / self._given['command_rate'])

    def _on_pose(self, message):
        self._on_target(message, self._input.from_pose)

    def _on_point(self, message):
        self._on_target(message, self._input.from_point)

    def _on_target(self, message, read):
        order = self._order(message.header)
        try:
            target = read(message, self.get_clock().now().nanoseconds)
        except InvalidInputError as error:
            self._tell(self._core.refuse(order, str(error), error.what))
            return
        self._tell_motion(self._core.take_target(target, order))

    def _on_up(self, message):
        order = self._order(message.header)
        try:
            self._input.store_up(message, self.get_clock().now().nanoseconds)
        except InvalidInputError as error:
            self._tell(self._core.refuse(order, str(error), error.what))
            return
        self._tell(self._core.acknowledge(order, f'up vector of later points: '
                                          f'{self._input.stored_up or "any"}'))

    def _on_state(self, message):
        self._tell(self._core.take_state(
            message.name, message.position, message.velocity, message.effort))

    def _on_sender(self, event):
        if event.current_count_change > 0:
            self._tell(self._core.sender_appeared())

    def _on_enable(self, request, response):
        self._tell(self._core.enable(request.data))
        response.success = True
        response.message = 'enabled' if request.data else 'disabled: no commands leave'
        return response

    def _on_home(self, request, response):
        report = self._core.go_home(self._order())
        self._tell_motion(report)
        response.success = report.state is not State.REFUSED
        response.message = report.summary
        return response

    def _on_command_timer(self):
        self._tell(self._core.check())
        self._send_command()

    def _order(self, header=None):
        """Return the next order; a zero stamp and an empty frame stand for now and the base."""
        self._seq += 1
        stamp = header.stamp if header is not None else None
        if stamp is None or not (stamp.sec or stamp.nanosec):
            stamp = self.get_clock().now().to_msg()
        frame = header.frame_id if header is not None else ''
        return Order(self._seq, (stamp.sec, stamp.nanosec), frame or self._base_frame)

    def _send_command(self):
        readings = self._core.command
        if readings is None:
            return
        self._command.position = readings
        self._commands.publish(self._command)

    def _tell_motion(self, report):
        """Send off what an accepted order leads to, the command first."""
        if report.state is State.ACCEPTED:
            # Once for all repetitions: a driver that was stopped and reset knows by it that this
            # command is an old one.
            self._command.header.stamp = self.get_clock().now().to_msg()
            self._send_command()
            self._solved = report
            if self._poses.get_subscription_count():
                self._poses.publish(pose_message(
                    self._arm.forward(report.solution.q), self._base_frame, report.order.stamp))
            self._publish_markers()
        self._tell(report)

    def _tell(self, report):
        """Publish a report, and log it unless it only repeats the one before."""
        if report is None:
            return
        self._status.publish(status_message(report, self._full_name, self._arm.name))
        self._log(report)
        self._health.count(report)
        self._diagnostics.check()

    def _log(self, report):
        event = report.level, report.cause
        if event != self._logged:
            self._logged = event
            # Two lines of code: rclpy ties a severity to the place it is called from.
            if report.level is Level.OK:
                self.get_logger().info(report.summary)
            else:
                self.get_logger().warning(report.summary)

    def _condition(self):
        reason, _ = self._core.complaint() or ('', '')
        level, message, values = self._health.condition(
            reason, self._core.enabled, self._core.state_age)
        return bytes([level]), message, values

    def _publish_markers(self):
        if self._solved is None or not self._markers.get_subscription_count():
            return
        self._markers.publish(marker_message(
            self._solved, self._arm.forward(self._solved.solution.q), self._base_frame))


def main(args=None):
    """Run the node until a signal ends it; the exit code is the process's."""
    return run(IkNode, args, name='ik_node', specs=SPECS)


if __name__ == '__main__':
    sys.exit(main())
