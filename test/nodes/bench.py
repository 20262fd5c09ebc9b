# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Nodes inside this process, and benches: several parts that are started and ended together."""

from contextlib import ExitStack
import sys

from arm_ik.nodes.startup.command_line import prepare
from arm_ik.testing.connection import NodeThread
from arm_ik.testing.processes import domain_environment, NodeProcess, reserved_domain
from rcl_interfaces.srv import GetParameters
from rclpy.parameter import parameter_value_to_python
from rclpy.qos import DurabilityPolicy, QoSProfile

#: Longest wait for an event [s]; only a failing test waits that long.
PATIENCE = 60.0

STATUS_QOS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def made(kind, specs, *args, **options):
    """Return a node of a class with some parameters, of a command line, in this process."""
    ros_args, _, given = prepare(args, 'some', specs)
    return kind(given, cli_args=ros_args, **options)


class Bench:
    """
    A context manager whose parts are all running inside, or none.

    A subclass starts its parts in ``set_up`` and puts the end of each on ``_stack``, a
    :class:`contextlib.ExitStack`. Where a part can't be started, those before it are ended.
    """

    def __init__(self):
        self._stack = ExitStack()

    def __enter__(self):
        try:
            self.set_up()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_):
        self._stack.close()

    def set_up(self):
        """Start the parts."""
        raise NotImplementedError


class NodeBench(Bench):
    """
    A node as a process, and ``node`` in a thread of this process, which hears and asks it.

    :param name: of the node that is tested.
    :param arguments: its command line.
    :param module: that runs it; ``None``: as everywhere.
    :param namespace: of both.
    :param domain: a ROS domain to share with another bench; ``None``: one of its own.
    """

    def __init__(self, name, arguments, namespace='', domain=None, module=None):
        super().__init__()
        self.domain = domain
        self._name, self._arguments = name, arguments
        self._module = [module] if module else ['arm_ik.nodes.startup.start', name]
        self._namespace = namespace

    def set_up(self):
        if self.domain is None:
            self.domain = self._stack.enter_context(reserved_domain())
        self.thread = self._stack.enter_context(
            NodeThread('bench', self._namespace, self.domain))
        self.node, self.listen = self.thread.node, self.thread.listen
        self.news, self.notify = self.thread.changed, self.thread.notify
        self.process = NodeProcess(
            self._name, [sys.executable, '-m', *self._module, *self._arguments],
            domain_environment(self.domain), self.notify)
        self._stack.callback(self.process.stop)

    def ask(self, kind, service, **request):
        """Call one of the node's services and return the response."""
        name = f'{self._name}/{service}'
        self.wait_until(self.thread.client(kind, name).service_is_ready, name, poll=0.05)
        future = self.thread.call(kind, name, **request)
        self.wait_until(future.done, f'an answer of {name}')
        return future.result()

    def get(self, *names):
        """Return the values of the node's parameters by name."""
        found = self.ask(GetParameters, 'get_parameters', names=names).values
        return {name: parameter_value_to_python(value) for name, value in zip(names, found)}

    def wait_until(self, holds, what, poll=None):
        """Wait until something holds that changes with news; ``poll`` [s] for what makes none."""
        failed = self.thread.wait_until(
            holds, PATIENCE, lambda: '' if self.process.exit_code is None else 'ended', poll)
        assert failed is None, (
            f'waited for {what}; came: {self._heard()}\n{self.process.describe()}')

    def _heard(self):
        """Return in words what has been heard, for a failed test."""
        return ''
