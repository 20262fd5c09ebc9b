# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A simulated arm as its two nodes, and a sender beside them that keeps a strict time."""

from contextlib import contextmanager, ExitStack
import random
import signal
from time import monotonic, perf_counter, sleep, time_ns

from arm_ik import Arm
from arm_ik.testing.domain import domain_environment, environment, reserved_domain
from arm_ik.testing.processes import Guard, NodeProcess
from arm_ik.testing.simulated import DRIVER, IK
from arm_ik.testing.whole import Whole
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
import rclpy
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

from .path import out_of_reach, path

#: Longest wait for what has to come [s].
PATIENCE = 60.0

#: How often what has come is taken in while targets are sent [s]; less than the queues hold.
_LISTEN_S = 0.02
_DEPTH = 5000

#: What the sender remembers for a node that falls behind.
_SENDERS_DEPTH = 10


class ArmUnderLoad(Whole):
    """
    Two nodes as processes, and targets for them; a context manager.

    Nothing here runs in an executor: what is sent leaves at once, and what has come is taken in
    between. When a command left is told by the stamp that its writer gave it.

    :param executor: the parameter of ``ik_node``.
    :param rate: of the targets, when they come at a rate [1/s].
    :param rng: a :class:`random.Random`.
    :param arm: name of the arm; of the default one, targets in close succession go the short way.
    """

    def __init__(self, executor, rate, rng, arm='simple'):
        super().__init__()
        self.sent = 0
        self.answered = 0    # commands of another stamp than the one before
        self.command = b''   # the newest
        self.left = None     # when each command left [ns]; a list, while somebody wants to know
        self.diagnostics = {}
        self._reported = 0   # when diagnostics went out [ns]
        self._executor, self._rate, self._arm_name = executor, rate, arm
        self.arm = Arm.preset(arm)
        self.target = b''    # the newest that was sent, serialized
        self._targets = path(self.arm, rate, rng)

    def _start(self):
        domain = self._stack.enter_context(reserved_domain())
        variables = domain_environment(domain, quick=False)
        arm = ('--arm', self._arm_name, '--ros-args')
        self.ik = self._process(NodeProcess.of_module(
            IK, [*arm, '-p', f'executor:={self._executor}'], variables))
        self.driver = self._process(NodeProcess.of_module(DRIVER, [*arm], variables))
        self._stack.enter_context(_guarded(self.ik, self.driver))
        with environment(**domain_environment(domain)):
            context = Context()
            rclpy.init(context=context, domain_id=domain,
                       signal_handler_options=SignalHandlerOptions.NO)
            self._stack.callback(context.try_shutdown)
            self._node = Node('sender', context=context, use_global_arguments=False)
        self._topic = self._node.create_publisher(PoseStamped, 'target_pose', _SENDERS_DEPTH)
        self._commands = self._ear(JointState, 'joint_commands')
        self._diagnostics = self._ear(DiagnosticArray, '/diagnostics')
        # The driver has to be found, and its first state: targets before that are refused.
        self._wait(lambda: self.answered, 'a command', self._send)
        self._before = self.sent - self._counted()

    def _process(self, process):
        self._stack.callback(process.stop)
        return process

    def _ear(self, kind, topic):
        return kind, self._node.create_subscription(
            kind, topic, lambda _: None, QoSProfile(depth=_DEPTH), raw=True)

    def send_for(self, seconds, flood=False):
        """
        Send targets at the rate, or as fast as they leave, and listen.

        A sender that is late makes up for it: all the targets of that time are sent.

        :param seconds: for how long.
        :param flood: whether to take no breath between them.
        """
        start = heard = perf_counter()
        sent = 0
        while (now := perf_counter()) - start < seconds:
            if now - heard > _LISTEN_S:
                self.listen()
                heard = now
            if flood or sent <= (now - start) * self._rate:
                self._send()
                sent += 1
            else:
                sleep(max(0.0, start + sent / self._rate - perf_counter()))

    @contextmanager
    def busy(self, count):
        """Have so many processes do nothing but take processor time until the context's end."""
        with ExitStack() as stack:
            loops = [NodeProcess('busy', ['sh', '-c', 'while :; do :; done'], {})
                     for _ in range(count)]
            for loop in loops:
                stack.callback(loop.stop)
            stack.enter_context(_guarded(*loops))
            yield

    def reach_too_far(self, seconds):
        """Send targets that are out of reach, a few a second."""
        within, self._targets = self._targets, out_of_reach(self.arm, random.Random(0))
        end = monotonic() + seconds
        while monotonic() < end:
            self._send()
            sleep(0.1)
            self.listen()
        self._targets = within

    def stall(self, node, seconds):
        """Have a node stand still for a while in a flood of targets."""
        node.signal(signal.SIGSTOP)
        self.send_for(seconds, flood=True)
        node.signal(signal.SIGCONT)

    def unaccounted(self):
        """Return how many targets ``ik_node`` neither answered nor counted as overtaken."""
        return self.sent - self._counted() - self._before

    def _counted(self):
        counts = self.settle()
        return sum(int(counts[f'targets_{fate}']) for fate in ('accepted', 'refused', 'dropped'))

    def settle(self):
        """Wait until ``ik_node`` has reported on all that came in; return its diagnostics."""
        # What was lost on the way is sent once more when the middleware asks, in seconds.
        self._topic.wait_for_all_acked(Duration(seconds=PATIENCE))
        acknowledged = time_ns()
        for _ in range(2):  # the first may go out just before what has come is read
            self.diagnostics = {}
            self._wait(lambda: self.diagnostics and self._reported > acknowledged, 'diagnostics')
        return self.diagnostics

    def _wait(self, holds, what, act=lambda: None):
        deadline = monotonic() + PATIENCE
        while not holds():
            if self.crashed() or monotonic() > deadline:
                raise RuntimeError(f'waited for {what}\n' + '\n'.join(
                    process.describe() for process in (self.ik, self.driver)))
            act()
            sleep(0.05)
            self.listen()

    def _send(self):
        self.target = self._targets[self.sent % len(self._targets)]
        self._topic.publish(self.target)
        self.sent += 1

    def listen(self):
        """Take in what has come."""
        for data, info in _waiting(self._commands):
            self.answered += data[4:12] != self.command[4:12]
            self.command = data
            if self.left is not None:
                self.left.append(info['source_timestamp'])
        for array, _ in _waiting(self._diagnostics, raw=False):
            for status in array.status:
                if status.name.startswith('ik_node'):
                    self.diagnostics = {pair.key: pair.value for pair in status.values}
                    stamp = array.header.stamp
                    self._reported = stamp.sec * 1_000_000_000 + stamp.nanosec

    def crashed(self):
        """Return the names of the nodes that have ended."""
        return [node.name for node in (self.ik, self.driver) if node.exit_code is not None]

    def stop(self):
        """End both nodes; return ``(name, exit code, output)`` of those that ended badly."""
        for node in (self.ik, self.driver):
            node.stop()
        return [(node.name, node.exit_code, node.output()) for node in (self.ik, self.driver)
                if node.exit_code != 0 or 'Traceback' in node.output()]


@contextmanager
def _guarded(*processes):
    guard = Guard([process.pid for process in processes])
    try:
        yield
    finally:
        guard.close()


def _waiting(ear, raw=True):
    kind, subscription = ear
    while (taken := subscription.handle.take_message(kind, raw)) is not None:
        yield taken
