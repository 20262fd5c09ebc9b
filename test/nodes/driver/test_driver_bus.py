# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A bus that fails: no guessed states, a clear error, and on again when it is back."""

from time import monotonic

from arm_ik.drivers.simulated import Simulated
from arm_ik.errors import DriverError
from arm_ik.nodes.driver import driver_node
from arm_ik.testing.processes import own_domain
from bench import made
from diagnostic_msgs.msg import DiagnosticArray
import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState

pytestmark = pytest.mark.about_time

ERROR = 2
PATIENCE = 60.0


class Plug(Simulated):
    """Servos whose plug can be pulled, all of them at once; what is written to them is kept."""

    plugged = True
    written = []

    @classmethod
    def made(cls, name, model, **options):
        """Stand in for ``make_backend``."""
        return cls(model)

    def write(self, set_points):
        Plug.written.append(set_points)
        super().write(set_points)

    def close(self):
        Plug.written.append('closed')
        super().close()

    def read(self):
        if not Plug.plugged:
            raise DriverError(self.name, 'no answer of servo 3')
        return super().read()


class Rig:
    """The driver's node and one that listens, in one process."""

    def __init__(self, context):
        self.states, self.conditions = [], []
        self.driver = made(driver_node.DriverNode, driver_node.SPECS, '--arm', 'simple',
                           context=context)
        self.listener = Node('listener', context=context, use_global_arguments=False)
        self.listener.create_subscription(JointState, 'joint_states', self.states.append, 100)
        self.listener.create_subscription(DiagnosticArray, '/diagnostics', self._on_array, 100)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.driver)
        self.executor.add_node(self.listener)
        self.wait_until(lambda: self.states)

    def _on_array(self, array):
        self.conditions += [(status.level[0], status.message) for status in array.status
                            if status.name == 'driver_node: servos']

    def wait_until(self, holds):
        deadline = monotonic() + PATIENCE
        while not holds():
            assert monotonic() < deadline, (self.states[-1:], self.conditions[-3:])
            self.executor.spin_once(timeout_sec=0.1)

    def close(self):
        self.driver.destroy_node()
        self.listener.destroy_node()
        self.executor.shutdown()


@pytest.fixture
def rig(monkeypatch):
    monkeypatch.setattr(driver_node, 'make_backend', Plug.made)
    monkeypatch.setattr(Plug, 'plugged', True)
    monkeypatch.setattr(Plug, 'written', [])
    context = Context()
    with own_domain():
        rclpy.init(context=context)
        rig = Rig(context)
        yield rig
        rig.close()
        context.shutdown()


def test_while_servos_do_not_answer_no_state_is_made_up(rig):
    Plug.plugged = False
    rig.wait_until(lambda: (ERROR, 'simulated: no answer of servo 3') in rig.conditions)
    now = rig.listener.get_clock().now().nanoseconds
    rig.conditions.clear()
    rig.wait_until(lambda: len(rig.conditions) >= 2)
    newest = rig.states[-1].header.stamp
    assert newest.sec * 1_000_000_000 + newest.nanosec < now


def test_a_node_that_ends_while_the_arm_moves_holds_it_and_gives_the_bus_back(rig):
    start = dict(zip(rig.states[-1].name, rig.states[-1].position))
    goal = {name: position + 0.5 for name, position in start.items()}
    commands = rig.listener.create_publisher(JointState, 'joint_commands', 10)
    rig.wait_until(commands.get_subscription_count)
    commands.publish(JointState(name=['elbow'], position=[goal['elbow']]))
    rig.wait_until(lambda: rig.states[-1].position[2] > start['elbow'])
    rig.driver.destroy_node()
    *_, held, closed = Plug.written
    assert start['elbow'] < held['elbow'] < goal['elbow'] and closed == 'closed'


def test_a_node_that_ends_gives_the_bus_back_before_it_is_taken_apart(rig, monkeypatch):
    destroy = Node.destroy_node

    def taken_apart(node):
        Plug.written.append('taken apart')
        destroy(node)
    monkeypatch.setattr(Node, 'destroy_node', taken_apart)
    rig.driver.destroy_node()
    assert Plug.written[-2:] == ['closed', 'taken apart']
