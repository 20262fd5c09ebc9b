# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A simulated arm as its two nodes, and a plain ROS 2 client of it.

The nodes are processes of their own, started as by hand. The client is a node of this process, as
a user would write it. It has none of the package's settings of the middleware: the command has
removed all such variables from the environment.
"""

from collections import deque
from contextlib import ExitStack
from math import isfinite
from signal import SIGKILL
import sys
from time import monotonic, time

from arm_ik import Arm
from arm_ik.testing import TargetStatus
from arm_ik.testing.domain import reserved_domain
from arm_ik.testing.processes import Guard, NodeProcess
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped, Vector3Stamped
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool

#: The module that starts a node as the executables do.
START = 'arm_ik.nodes.startup.start'
IK, DRIVER = 'ik_node', 'driver_node'

#: Longest wait for what has to come [s].
PATIENCE = 60.0

#: The topic of each kind of target.
TARGETS = {PoseStamped: 'target_pose', PointStamped: 'target_point', Vector3Stamped: 'target_up'}

_KINDS = {**{topic: kind for kind, topic in TARGETS.items()},
          'joint_states': JointState, 'joint_commands': JointState}

#: ``frame_id`` of the joint states and commands that this client sends itself.
OWN = 'from the client'

_QUEUE = QoSProfile(depth=5000)
_STATUS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class RunningArm:
    """
    See the module; to be used as a context manager.

    ``states`` holds ``(stamp [s], positions of the chain)`` of the newest joint states,
    ``statuses`` the newest :class:`~arm_ik.testing.TargetStatus` with the time when each was
    heard, ``commands`` ``(when it was published [s], JointState)``. ``outside`` counts the
    received values that are not finite or past a limit.

    :param arm: name of an arm that comes with the package.
    :param parameters: ``{'ik_node': {'target_timeout': 0.3}, ...}``; of ``'both'``, for both.
    :param arguments: of both nodes, besides the arm and parameters.
    :param prefix: what a node is started by, ``{'ik_node': ['nsenter', ...]}``.
    :param ready: whether to wait until both nodes have been heard.
    """

    def __init__(self, arm='so101', parameters=None, arguments=(), prefix=None, ready=True):
        self.name, self.arm = arm, Arm.preset(arm)
        self.states, self.statuses = deque(maxlen=4000), deque(maxlen=1000)
        self.commands = deque(maxlen=100_000)
        self.diagnostics = {}      # newest key-values by node
        self.reported = {}         # when these went out [s]
        self.outside = 0
        self.judges = True         # what it hears by the joint limits
        self.nodes = {}
        self._parameters, self._arguments = parameters or {}, arguments
        self._prefix, self._ready = prefix or {}, ready
        self._guards = {}
        self._joints = {joint.name: joint for joint in (
            *self.arm.model.joints, *self.arm.model.extra_joints)}

    def __enter__(self):
        with ExitStack() as stack:
            self.domain = stack.enter_context(reserved_domain())
            stack.callback(self.stop)
            for name in (DRIVER, IK):
                self.start(name)
            self._connect(stack)
            if self._ready:
                self.wait(lambda: self.states and self.statuses, 'both nodes heard')
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    # The processes

    def start(self, name):
        """Start a node."""
        # Targets are random poses, some of them inside the base.
        given = {**({'avoid_base': 'false'} if name == IK else {}),
                 **self._parameters.get('both', {}), **self._parameters.get(name, {})}
        arguments = [part for key, value in given.items() for part in ('-p', f'{key}:={value}')]
        self.nodes[name] = self.process(
            name, *self._prefix.get(name, ()), sys.executable, '-m', START, name,
            '--arm', self.name, *self._arguments, '--ros-args', *arguments)

    def module(self, name, module, *arguments):
        """Start a Python module as a :meth:`process`."""
        return self.process(name, sys.executable, '-m', module, *arguments)

    def process(self, name, *command):
        """Start a process in the arm's domain that does not outlive this one."""
        process = NodeProcess(name, command, {'ROS_DOMAIN_ID': str(self.domain)})
        for other in [other for other in self._guards if other.exit_code is not None]:
            self._guards.pop(other).close()
        self._guards[process] = Guard([process.pid])
        return process

    def kill(self, *names):
        """Kill nodes with SIGKILL, start them again, and return when they were killed [s]."""
        now = time()
        for name in names:
            self.nodes[name].signal(SIGKILL)
        for name in names:
            self.nodes[name].wait(None)
            self.start(name)
        return now

    def ended(self):
        """Return in words which nodes have ended by themselves; empty: none."""
        return '; '.join(node.describe() for node in self.nodes.values()
                         if node.exit_code is not None)

    def stop(self):
        """Tell both nodes to end; return their exit codes, and those that printed a traceback."""
        codes = {}
        for name, node in self.nodes.items():
            codes[name] = node.stop()
            if 'Traceback' in node.output():
                codes[name] = f'{codes[name]}, with a traceback'
        for guard in self._guards.values():
            guard.close()
        self._guards = {}
        return codes

    # The client

    def spin(self, seconds):
        """Listen for some time [s]."""
        deadline = monotonic() + seconds
        while (left := deadline - monotonic()) > 0.0:
            self._executor.spin_once(timeout_sec=left)

    def wait(self, holds, expected, patience=PATIENCE):
        """Listen until something holds; raise ``RuntimeError`` if it does not."""
        deadline = monotonic() + patience
        while not holds():
            if self.ended() or monotonic() > deadline:
                raise RuntimeError(f'expected: {expected}; after {patience:g} s\n' + '\n'.join(
                    node.describe() for node in self.nodes.values()))
            self._executor.spin_once(timeout_sec=0.1)

    def waited(self, holds, patience=PATIENCE):
        """Listen until something holds; return whether it does."""
        try:
            self.wait(holds, '', patience)
        except RuntimeError:
            return False
        return True

    def send(self, message):
        """Send a target with the present stamp; return that stamp."""
        message.header.stamp = self.node.get_clock().now().to_msg()
        self.publish(TARGETS[type(message)], message)
        return message.header.stamp.sec, message.header.stamp.nanosec

    def publish(self, topic, message):
        """Publish a message, or the bytes of one, on a topic that the nodes subscribe to."""
        if topic not in self._publishers:
            publisher = self._publishers[topic] = self.node.create_publisher(
                _KINDS[topic], topic, 10)
            self.wait(publisher.get_subscription_count, f'a subscriber of {topic}')
        self._publishers[topic].publish(message)

    def status_of(self, stamp):
        """Return the newest status of the target with a stamp, ``None`` before the first."""
        return next((status for _, status in reversed(self.statuses)
                     if status.target_stamp == stamp), None)

    def move_to(self, message):
        """Send a target and wait until the arm has arrived."""
        stamp = self.send(message)
        self.wait(lambda: (status := self.status_of(stamp)) and status.state == 'arrived',
                  'the arm arrives')

    def enable(self, on):
        """Let commands leave ``ik_node``, or none."""
        self.wait(self._enable.service_is_ready, 'the service ik_node/enable')
        future = self._enable.call_async(SetBool.Request(data=on))
        self.wait(future.done, 'an answer of ik_node/enable')

    def settled_diagnostics(self):
        """Return ``ik_node``'s key-values once they count all that has come by now."""
        since = time()
        for _ in range(2):  # the first may go out just before what has come is read
            self.wait(lambda: self.reported.get(IK, 0.0) > since, 'diagnostics of ik_node')
            since = self.reported[IK]
        return self.diagnostics[IK]

    def _connect(self, stack):
        context = Context()
        rclpy.init(context=context, domain_id=self.domain,
                   signal_handler_options=SignalHandlerOptions.NO)
        stack.callback(context.try_shutdown)
        self.node = rclpy.create_node('client', context=context)
        stack.callback(self.node.destroy_node)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self.node)
        self._publishers = {}
        self._enable = self.node.create_client(SetBool, 'ik_node/enable')
        for kind, topic, take, qos in (
                (JointState, 'joint_states', self._on_state, _QUEUE),
                (JointState, 'joint_commands', self._on_command, _QUEUE),
                (DiagnosticStatus, 'ik_node/status', self._on_status, _STATUS),
                (DiagnosticArray, '/diagnostics', self._on_diagnostics, _QUEUE)):
            self.node.create_subscription(kind, topic, take, qos)

    def _on_state(self, message):
        if message.header.frame_id == OWN:
            return
        self._judge(message)
        positions = dict(zip(message.name, message.position))
        self.states.append((_seconds(message.header.stamp),
                            tuple(map(positions.get, self.arm.joint_names))))

    def _on_command(self, message, info):
        if message.header.frame_id == OWN:
            return
        self._judge(message)
        self.commands.append((info['source_timestamp'] * 1e-9, message))

    def _on_status(self, message):
        self.statuses.append((time(), TargetStatus.from_message(message)))

    def _on_diagnostics(self, message):
        for status in message.status:
            name = status.name.partition(':')[0]
            self.diagnostics[name] = {pair.key: pair.value for pair in status.values}
            self.reported[name] = _seconds(message.header.stamp)

    def _judge(self, message):
        joints = [self._joints.get(name) for name in message.name]
        self.outside += self.judges and not (len(joints) == len(message.position) > 0 and all(
            joint and isfinite(position) and joint.lower <= position <= joint.upper
            for joint, position in zip(joints, message.position)))


def states_since(arm, since):
    """Return what a :class:`RunningArm` has heard of joint states since a time [s]."""
    return [state for state in arm.states if state[0] > since]


def motions(states):
    """Return the stamps [s] at which the arm has moved since the state before."""
    return [stamp for (_, before), (stamp, q) in zip(states, states[1:]) if q != before]


def distance(a, b):
    """Return how far apart joint positions are: the largest difference of a joint [rad]."""
    return max(abs(x - y) for x, y in zip(a, b))


def _seconds(stamp):
    return stamp.sec + stamp.nanosec * 1e-9
