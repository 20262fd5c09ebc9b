# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A driver process and a node beside it that hears all it publishes and can send all it takes."""

from bench import NodeBench, PATIENCE, STATUS_QOS
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger


class DriverBench(NodeBench):
    """
    ``driver_node`` as a process in a ROS domain of its own, and a node beside it.

    :param arguments: the driver's command line.
    :param namespace: the driver's.
    :param module: that runs it; ``None``: as everywhere.
    """

    def __init__(self, *arguments, namespace='', module=None):
        super().__init__('driver_node', arguments, namespace, module=module)
        self.states, self.diagnostics, self.statuses = [], [], []

    def set_up(self):
        super().set_up()
        self.commands = self.node.create_publisher(JointState, 'joint_commands', 10)
        self.gripper = self.node.create_publisher(Float64, 'gripper_command', 10)
        self.listen(JointState, 'joint_states', self.states.append)
        self.listen(DiagnosticArray, '/diagnostics',
                    lambda array: self.diagnostics.extend(array.status))
        self.hear_statuses()

    def hear_statuses(self):
        """Listen to ``~/status`` from now on, beside those who do already."""
        self.listen(DiagnosticStatus, 'driver_node/status', self.statuses.append, STATUS_QOS)

    def wait_for_commands(self, taken, **values):
        """Wait until the newest ``~/status`` says so of commands; return its message."""
        values['commands'] = taken
        self.wait_until(lambda: self.statuses and values.items() <= {
            pair.key: pair.value for pair in self.statuses[-1].values}.items(), f'{values}')
        return self.statuses[-1]

    @property
    def positions(self):
        """Return the newest measured positions, by name."""
        newest = self.states[-1]
        return dict(zip(newest.name, newest.position))

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

    def wait_until(self, holds, what, meanwhile=None, poll=None):
        """Wait until something holds; after each new state do something meanwhile."""
        seen = len(self.states)

        def look():
            nonlocal seen
            if holds():
                return True
            if meanwhile and len(self.states) > seen:
                seen = len(self.states)
                meanwhile()
            return False
        super().wait_until(look, what, poll or 0.5)

    def _heard(self):
        return f'{self.states[-1:]}, {self.diagnostics[-1:]}'

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

    def wait_for_condition(self, level, text, meanwhile=None):
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
        return self.ask(SetBool if request else Trigger, service, **request)

    def set_parameters(self, **values):
        """Ask the driver to change parameters and return the response."""
        parameters = [Parameter(name, value=value).to_parameter_msg()
                      for name, value in values.items()]
        return self.ask(SetParameters, 'set_parameters', parameters=parameters)


def _is_since(stamp, now):
    """Tell whether a stamp is not before a time; zero, of simulated time, counts."""
    return stamp.sec == 0 or (stamp.sec, stamp.nanosec) >= (now.sec, now.nanosec)
