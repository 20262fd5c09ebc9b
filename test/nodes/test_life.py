# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""How both nodes begin and end: no process that dies or comes back moves the arm by itself."""

import signal

from arm_ik.testing import ArmClient
from arm_ik.testing.domain import domain_environment, reserved_domain
from arm_ik.testing.processes import NodeProcess
from arm_ik.testing.whole import Whole
import pytest

HERE, THERE, DOWN = (0.20, 0.15, 0.05), (0.20, -0.15, 0.05), (0.0, 0.0, -1.0)

#: A driver that waits for its sender for ever: only a command can stop the arm.
PATIENT = ('--ros-args', '-p', 'command_timeout:=0.0')


class Shelf(Whole):
    """An arm on a shelf: both nodes as processes that can be ended and started, and a client."""

    def __init__(self, driver=(), ik=()):
        super().__init__()
        self._arguments = {'driver_node': driver, 'ik_node': ik}
        self.processes = {}

    def _start(self):
        self._domain = self._stack.enter_context(reserved_domain())
        for name in self._arguments:
            self.start(name)
        self.arm = self._stack.enter_context(ArmClient('so101', domain_id=self._domain))

    def start(self, name):
        self.processes[name] = NodeProcess.of_module(
            f'arm_ik.nodes.{name}', ['--arm', 'so101', *self._arguments[name]],
            domain_environment(self._domain))
        self._stack.callback(self.processes[name].stop)

    def end(self, name, number):
        """Send a signal to a node and return its exit code."""
        self.processes[name].signal(number)
        return self.processes[name].wait(60.0)

    def wait_for_motion(self):
        start = self.arm.q
        self.arm.wait_until(lambda: self.arm.q != start, 'the arm on its way')

    def wait_for_rest(self):
        record = self.arm.record()
        self.arm.wait_until(lambda: len(record) > 10 and record[-1] == record[-10], 'rest')

    def assert_rests(self, states=30):
        """Assert that the arm does not move while that many joint states come."""
        record = self.arm.record()
        self.arm.wait_until(lambda: len(record) >= states, f'{states} states')
        assert all(readings == record[0] for readings in record)

    def wait_until_ready(self, statuses):
        """Wait until ik_node has said that it waits for a target, after so many statuses."""
        self.arm.wait_until(lambda: [
            status for status in self.arm.statuses()[statuses:] if status.state == 'ready'],
            'ready')


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_ik_node_that_is_told_to_end_holds_the_arm(number):
    with Shelf(driver=PATIENT) as shelf:
        shelf.arm.move_to(THERE, DOWN)
        shelf.arm.send(HERE, DOWN)
        shelf.wait_for_motion()
        assert shelf.end('ik_node', number) == 0
        assert 'Traceback' not in shelf.processes['ik_node'].output()
        shelf.wait_for_rest()
        shelf.assert_rests()
        y = shelf.arm.tip().position[1]
        assert THERE[1] < y < HERE[1] - 0.02  # it has not got there


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_driver_that_is_told_to_end_under_way_ends_cleanly(number):
    with Shelf() as shelf:
        shelf.arm.send(HERE, DOWN)
        shelf.wait_for_motion()
        assert shelf.end('driver_node', number) == 0
        assert 'Traceback' not in shelf.processes['driver_node'].output()


def test_disabling_holds_the_arm_at_once():
    with Shelf(driver=PATIENT) as shelf:
        shelf.arm.move_to(THERE, DOWN)
        shelf.arm.send(HERE, DOWN)
        shelf.wait_for_motion()
        shelf.arm.enable(False)
        shelf.wait_for_rest()
        assert shelf.arm.tip().position[1] < HERE[1] - 0.02
        shelf.arm.enable(True)
        shelf.assert_rests()
        shelf.arm.move_to(HERE, DOWN)


def test_a_stream_that_falls_silent_leaves_the_arm_at_rest_by_itself():
    with Shelf(driver=PATIENT, ik=('--ros-args', '-p', 'target_timeout:=0.2')) as shelf:
        stamp = shelf.arm.send(HERE, DOWN)
        shelf.arm.wait_until(lambda: [status for status in shelf.arm.statuses(stamp)
                                      if 'target_timeout' in status.reason], 'the time-out')
        shelf.wait_for_rest()
        shelf.assert_rests()
        assert 'arrived' not in {status.state for status in shelf.arm.statuses(stamp)}
        assert shelf.arm.tip().position[1] < HERE[1] - 0.02


def test_home_is_approached_at_half_speed():
    with Shelf() as shelf:
        shelf.arm.move_to(HERE, DOWN)
        joints = shelf.arm.arm.model.joints
        longest = max(abs(q - home) / joint.max_velocity
                      for q, home, joint in zip(shelf.arm.q, shelf.arm.arm.home, joints))
        record = shelf.arm.record()
        shelf.arm.go_home()
        shelf.arm.wait_until(lambda: shelf.arm.q == shelf.arm.arm.home, 'home')
        # States come fifty times a second: those of the way tell how long it took.
        moving = sum(before != after for before, after in zip(record, record[1:]))
        assert moving * 0.02 > 1.5 * longest


def test_an_ik_node_that_dies_under_way_leaves_the_arm_to_the_drivers_time_out():
    with Shelf() as shelf:
        shelf.arm.move_to(THERE, DOWN)
        shelf.arm.send(HERE, DOWN)
        shelf.wait_for_motion()
        assert shelf.end('ik_node', signal.SIGKILL) == -signal.SIGKILL
        shelf.wait_for_rest()
        statuses = len(shelf.arm.statuses())
        shelf.start('ik_node')
        shelf.wait_until_ready(statuses)
        shelf.assert_rests()
        shelf.arm.move_to(HERE, DOWN)


@pytest.mark.parametrize('order', [('ik_node',), ('driver_node',), ('ik_node', 'driver_node'),
                                   ('driver_node', 'ik_node')], ids=' then '.join)
def test_nodes_that_die_and_come_back_do_not_move_the_arm(order):
    with Shelf() as shelf:
        shelf.arm.move_to(HERE, DOWN)
        for name in order:
            assert shelf.end(name, signal.SIGKILL) == -signal.SIGKILL
        statuses = len(shelf.arm.statuses())
        for name in order:
            shelf.start(name)
        # A new simulated arm stands at home; nobody must send it where the old one was.
        stands = shelf.arm.arm.home if 'driver_node' in order else shelf.arm.q
        shelf.wait_until_ready(statuses)
        shelf.arm.wait_until(lambda: shelf.arm.q == stands, 'the arm where it is')
        shelf.assert_rests()
        assert shelf.arm.q == stands
        shelf.arm.move_to(THERE, DOWN)
        shelf.arm.assert_at(THERE, DOWN)
