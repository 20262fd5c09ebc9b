# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Both nodes as processes, with every wire between them and the world in one hand.

What ``ik_node`` commands goes to ``wanted_commands``, what it is told of the arm comes from
``reported_states``; both are passed on here. So whatever is heard on a topic comes from one node
alone, and is judged: every value has to be finite and inside its joint's limits.
"""

from math import isfinite
from time import monotonic

from arm_ik import Arm
from arm_ik.testing.domain import domain_environment, environment, reserved_domain
from arm_ik.testing.processes import Guard, NodeProcess
from arm_ik.testing.status import TargetStatus
from arm_ik.testing.whole import Whole
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped, Vector3Stamped
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

from .tally import OUTSIDE

#: How long to wait for what has to come [s]; only used up where it does not.
PATIENCE = 60.0

KINDS = {'target_pose': PoseStamped, 'target_point': PointStamped, 'target_up': Vector3Stamped,
         'reported_states': JointState, 'joint_commands': JointState}

_QUEUE = QoSProfile(depth=10)
_STATUS = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_IK = ['--ros-args', '-r', 'joint_commands:=wanted_commands', '-r',
       'joint_states:=reported_states', '-p', 'state_timeout:=10.0', '-p', 'command_rate:=20.0']
# A good command is sent once: it has to be carried out, however long the way.
_DRIVER = ['--ros-args', '-p', 'state_rate:=25.0', '-p', 'command_timeout:=30.0']


class WiredArm(Whole):
    """
    To be used as a context manager.

    :param name: of an arm that comes with the package.
    :param tally: the :class:`~.tally.Tally` to count in.
    """

    def __init__(self, name, tally):
        super().__init__()
        self.arm = Arm.preset(name)
        self.status = None        # the newest TargetStatus
        self.command = None       # (stamp [ns], readings) newest of ik_node
        self.readings = {}        # newest of driver_node, by joint
        self.refusals = 0         # of commands, as the driver's diagnostics tell
        self.complaints = 0       # of joint states, as ik_node's status tells
        self.answers = {}         # the first status of each target, by its stamp
        self.passes_commands = True
        self.doing = ''           # the class tried at present, for faults
        self._diagnosed = False
        self._tally = tally
        self._joints = {joint.name: joint for joint in (
            *self.arm.model.joints, *self.arm.model.extra_joints)}

    def publish(self, topic, message):
        """Publish a message, or bytes as one."""
        self._publishers[topic].publish(message)

    def publish_nothing(self, topic):
        """Publish a message of no bytes, by a sender of its own: it cuts itself off."""
        publisher = self._node.create_publisher(KINDS[topic], topic, _QUEUE)
        self.wait(lambda: publisher.get_subscription_count())
        publisher.publish(b'')
        self._node.destroy_publisher(publisher)

    def listen_to_refusals(self):
        """Begin to count the driver's refusals: not before it is told of, for that costs time."""
        self._node.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics,
                                       _QUEUE)
        self.wait(lambda: self._diagnosed)

    def now_ns(self):
        """Return the time on the stamps' clock [ns]."""
        return self._node.get_clock().now().nanoseconds

    def wait(self, holds, patience=PATIENCE):
        """Listen until something holds; return whether it does, after so long [s] at most."""
        deadline = monotonic() + patience
        while not holds():
            if monotonic() > deadline or self.ended():
                return False
            self._executor.spin_once(timeout_sec=0.1)
        return True

    def ended(self):
        """Return in words which processes have ended; empty if both run."""
        return ', '.join(f'{process.name} ended with {process.exit_code}'
                         for process in self._processes if process.exit_code is not None)

    def stop(self):
        """End both nodes; return their exit codes."""
        return [process.stop() for process in self._processes]

    def _start(self):
        domain = self._stack.enter_context(reserved_domain())
        variables = domain_environment(domain, quick=False)
        self._processes = [
            NodeProcess.of_module(f'arm_ik.nodes.{node}', ['--arm', self.arm.name, *arguments],
                                  variables)
            for node, arguments in (('driver_node', _DRIVER), ('ik_node', _IK))]
        for process in self._processes:
            self._stack.callback(process.stop)
        self._stack.callback(Guard([process.pid for process in self._processes]).close)
        context = Context()
        with environment(**domain_environment(domain)):
            rclpy.init(context=context, domain_id=domain,
                       signal_handler_options=SignalHandlerOptions.NO)
            self._node = Node('reliability', context=context, use_global_arguments=False,
                              enable_rosout=False, start_parameter_services=False)
        self._stack.callback(context.try_shutdown)
        self._stack.callback(self._node.destroy_node)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._node)
        self._listen()

    def _listen(self):
        self._publishers = {topic: self._node.create_publisher(kind, topic, _QUEUE)
                            for topic, kind in KINDS.items()}
        for kind, topic, take, qos in (
                (JointState, 'joint_states', self._on_state, _QUEUE),
                (JointState, 'wanted_commands', self._on_command, _QUEUE),
                (DiagnosticStatus, 'ik_node/status', self._on_status, _STATUS)):
            self._node.create_subscription(kind, topic, take, qos)
        if not self.wait(lambda: self.status and self.readings and all(
                publisher.get_subscription_count() for publisher in self._publishers.values())):
            raise RuntimeError(f'the nodes are not ready after {PATIENCE:g} s; {self.ended()}')

    def _on_state(self, message):
        self.readings = dict(zip(message.name, message.position))
        self._judge('joint_states', message)
        self._publishers['reported_states'].publish(message)

    def _on_command(self, message):
        stamp = message.header.stamp
        self.command = stamp.sec * 10**9 + stamp.nanosec, tuple(message.position)
        self._judge('joint_commands', message)
        if self.passes_commands:
            self._publishers['joint_commands'].publish(message)

    def _on_status(self, message):
        self.status = TargetStatus.from_message(message)
        self.answers.setdefault(self.status.target_stamp, self.status)
        self.complaints += 'joint_states' in self.status.reason or \
            'serialized JointState' in self.status.reason

    def _on_diagnostics(self, message):
        self._diagnosed = True
        self.refusals += any('driver_node' in status.name and len(status.message) > 12
                             and status.message.startswith('refused: ')
                             for status in message.status)

    def _judge(self, topic, message):
        right = len(message.name) == len(message.position) > 0
        for name, reading in zip(message.name, message.position):
            joint = self._joints.get(name)
            right = right and joint and isfinite(reading) and joint.lower <= reading <= joint.upper
        if not right:
            self._tally.fault(OUTSIDE, f'{topic} during {self.doing}', message)
