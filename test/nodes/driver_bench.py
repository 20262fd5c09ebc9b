# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A driver process and a node beside it that hears all it publishes and can send all it takes."""

from time import monotonic

from arm_ik.testing.domain import domain_environment, environment, reserved_domain
from arm_ik.testing.processes import NodeProcess
from bench import Bench
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rcl_interfaces.srv import GetParameters, SetParameters
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger

#: How long [s] to wait for what has to come: only ever used up by a test that fails.
PATIENCE = 60.0

MODULE = 'arm_ik.nodes.driver.driver_node'


class DriverBench(Bench):
    """
    ``driver_node`` as a process in a ROS domain of its own, and a node beside it.

    :param arguments: the driver's command line.
    :param namespace: the driver's.
    :param module: that runs it.
    """

    def __init__(self, *arguments, namespace='', module=MODULE):
        super().__init__()
        self.states = []
        self.diagnostics, self.statuses = [], []
        self._arguments = arguments
        self._namespace = namespace
        self._module = module

    def _start(self):
        domain = self._stack.enter_context(reserved_domain())
        variables = domain_environment(domain)
        self.process = NodeProcess.of_module(self._module, self._arguments, variables)
        self._stack.callback(self.process.stop)
        context = Context()
        with environment(**variables):
            rclpy.init(context=context, domain_id=domain,
                       signal_handler_options=SignalHandlerOptions.NO)
            self._stack.callback(context.try_shutdown)
            node = Node('bench', namespace=self._namespace, context=context,
                        use_global_arguments=False)
        self._stack.callback(node.destroy_node)
        self._executor = SingleThreadedExecutor(context=context)
        self._stack.callback(self._executor.shutdown)
        self._executor.add_node(node)
        self.node = node
        self.commands = node.create_publisher(JointState, 'joint_commands', 10)
        self.gripper = node.create_publisher(Float64, 'gripper_command', 10)
        node.create_subscription(JointState, 'joint_states', self.states.append, 100)
        node.create_subscription(DiagnosticArray, '/diagnostics',
                                 lambda array: self.diagnostics.extend(array.status), 100)
        self.hear_statuses()

    def hear_statuses(self):
        """Listen to ``~/status`` from now on, beside those who do already."""
        latched = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_subscription(
            DiagnosticStatus, 'driver_node/status', self.statuses.append, latched)

    def wait_for_commands(self, taken, **values):
        """Wait until the newest ``~/status`` says so of commands; return its message."""
        values['commands'] = taken
        self.wait_until(lambda: self.statuses and values.items() <= {
            pair.key: pair.value for pair in self.statuses[-1].values}.items(), f'{values}')
        return self.statuses[-1]

    @property
    def positions(self):
        """Return the newest measured positions, by name."""
        return dict(zip(self.states[-1].name, self.states[-1].position))

    @property
    def condition(self):
        """Return the newest level, from 0, and message of the driver's diagnostics."""
        newest = self.status('servos')
        return newest.level[0], newest.message

    def status(self, part):
        """Return the newest diagnostics of a part, ``'servos'`` or ``'servo NAME'``, if any."""
        return next((status for status in reversed(self.diagnostics)
                     if status.name.endswith(f': {part}')), None)

    def end(self, signal_number):
        """Send a signal to the driver and return its exit code."""
        self.process.signal(signal_number)
        assert self.process.wait(PATIENCE) is not None, self.process.describe()
        return self.process.exit_code

    def wait_until(self, holds, what, meanwhile=lambda: None):
        """Wait until something holds; after each new state do something meanwhile."""
        deadline = monotonic() + PATIENCE
        seen = len(self.states)
        while not holds():
            assert monotonic() < deadline and self.process.exit_code is None, (
                f'waited for {what}; {self.states[-1:]}, {self.diagnostics[-1:]}\n'
                f'{self.process.describe()}')
            self._executor.spin_once(timeout_sec=0.5)
            if len(self.states) > seen:
                seen = len(self.states)
                meanwhile()

    def spin_until(self, holds):
        """Wait until something holds, whatever becomes of the driver."""
        deadline = monotonic() + PATIENCE
        while not holds():
            assert monotonic() < deadline, self.process.describe()
            self._executor.spin_once(timeout_sec=0.1)

    def wait_for_states(self, count):
        """Return at least that many states measured from now on, as positions by name."""
        start, now = len(self.states), self.now()
        self.wait_until(lambda: len(self.states_since(now, start)) >= count, f'{count} states')
        return [dict(zip(state.name, state.position)) for state in self.states_since(now, start)]

    def come_to_rest(self):
        """Wait until the arm stands; return where, by name."""
        while True:
            first, *others = self.wait_for_states(4)
            if others == [first] * len(others):
                return first

    def states_since(self, stamp, start=0):
        """
        Return the states that were measured at a time or later.

        Those that come after it may be older, and say that a stopped arm still moves.
        """
        return [state for state in self.states[start:] if _is_since(state.header.stamp, stamp)]

    def wait_for_condition(self, level, text, meanwhile=lambda: None):
        """Wait for diagnostics of that level with that text."""
        self.wait_until(lambda: self.status('servos') and self.condition[0] == level
                        and text in self.condition[1], f'{level} {text!r}', meanwhile)

    def ready(self):
        """Wait until the driver is heard and can hear; return itself."""
        self.wait_until(lambda: self.states, 'the first state')
        self.wait_until(lambda: self.commands.get_subscription_count()
                        and self.gripper.get_subscription_count(), 'a driver to command')
        return self

    def command(self, stamp=None, **positions):
        """Command joints once."""
        message = JointState(name=list(positions), position=list(map(float, positions.values())))
        if stamp is not None:
            message.header.stamp = stamp
        self.commands.publish(message)

    def move(self, **positions):
        """Repeat a command until the joints are there."""
        self.wait_until(lambda: positions.items() <= self.positions.items(), f'{positions}',
                        lambda: self.command(**positions))

    def now(self):
        """Return the time as a stamp."""
        return self.node.get_clock().now().to_msg()

    def call(self, service, **request):
        """Call one of the driver's services and return the response."""
        return self._call(SetBool if request else Trigger, service, request)

    def set_parameters(self, **values):
        """Ask the driver to change parameters and return the response."""
        parameters = [Parameter(name, value=value).to_parameter_msg()
                      for name, value in values.items()]
        return self._call(SetParameters, 'set_parameters', {'parameters': parameters})

    def parameters(self, *names):
        """Return the values of the driver's parameters."""
        response = self._call(GetParameters, 'get_parameters', {'names': names})
        return [parameter_value_to_python(value) for value in response.values]

    def _call(self, kind, service, request):
        client = self.node.create_client(kind, f'driver_node/{service}')
        self.wait_until(client.service_is_ready, service)
        future = client.call_async(kind.Request(**request))
        self.wait_until(future.done, f'an answer of {service}')
        return future.result()


def _is_since(stamp, now):
    """Tell whether a stamp is not before a time; zero, of simulated time, counts."""
    return stamp.sec == 0 or (stamp.sec, stamp.nanosec) >= (now.sec, now.nanosec)
