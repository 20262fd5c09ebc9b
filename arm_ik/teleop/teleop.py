# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The ROS 2 side: twists and the gripper out, status and joint states in."""

from __future__ import annotations

from math import dist, nan

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TwistStamped, Vector3
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64

from .keys import Keys, Vector
from ..arm import Arm

_STATUS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_STATES = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


class Teleop:
    """
    An arm that is driven by keys.

    :param node: a node in the arm's namespace.
    :param arm: the :class:`~arm_ik.Arm`.
    :param frame_prefix: the arm's.
    """

    def __init__(self, node: Node, arm: Arm, frame_prefix: str = '') -> None:
        self._node, self._arm, self._prefix = node, arm, frame_prefix
        self._twists = node.create_publisher(TwistStamped, 'target_twist', 1)
        self._grippers = node.create_publisher(Float64, 'gripper_command', 1)
        self._status = 'no ik_node heard; is it running here?'
        self._positions: dict[str, float] = {}
        self._opening: float | None = None
        node.create_subscription(
            DiagnosticStatus, 'ik_node/status', self._on_status, _STATUS)
        node.create_subscription(JointState, 'joint_states', self._on_state, _STATES)

    def send(self, keys: Keys, now: float) -> None:
        """Send what keys ask for at a time [s]."""
        twist = keys.twist(now)
        if twist is not None:
            self._send(twist, keys.in_tool)
        # Keys may be faster than discovery: the opening waits for a driver that hears it.
        if keys.opening != self._opening and self._grippers.get_subscription_count():
            self._opening = keys.opening
            self._grippers.publish(Float64(data=self._opening))

    def stop(self) -> None:
        """Stop the tip, for good."""
        self._send(((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), False)
        self._twists.wait_for_all_acked(Duration(seconds=0.2))

    def _send(self, twist: tuple[Vector, Vector], in_tool: bool) -> None:
        message = TwistStamped()
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.header.frame_id = f'{self._prefix}tool0' if in_tool else ''
        for vector, (x, y, z) in zip(('linear', 'angular'), twist):
            setattr(message.twist, vector, Vector3(x=x, y=y, z=z))
        self._twists.publish(message)

    def lines(self, keys: Keys) -> list[str]:
        """Return what there is to show."""
        return [f'  {keys}', f'  {self._place()}', f'  {self._gripper()}', f'  {self._status}']

    def _place(self) -> str:
        q = [self._positions.get(name, nan) for name in self._arm.joint_names]
        if any(position != position for position in q):
            return 'tip unknown: joint_states of some joints have not come'
        tip, model = self._arm.forward(q).position, self._arm.model
        shoulder = (model.base_x, model.base_y, model.base_height)
        part = dist(tip, shoulder) / (model.reach + abs(model.shoulder_offset))
        x, y, z = tip
        return f'tip {x:+.3f} {y:+.3f} {z:+.3f} m, {100.0 * part:.0f} % of the reach'

    def _gripper(self) -> str:
        joints = self._arm.model.extra_joints
        if not joints:
            return 'no gripper'
        joint = joints[0]
        position = self._positions.get(joint.name, nan)
        opening = (position - joint.closed) / (joint.open - joint.closed)
        return f'{joint.name} {opening:.2f} (0 closed, 1 open)'

    def _on_status(self, message: DiagnosticStatus) -> None:
        self._status = message.message

    def _on_state(self, message: JointState) -> None:
        self._positions.update(zip(message.name, message.position))
