# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Both nodes on their own, to be ended and started at will, and a client that watches."""

from arm_ik.testing import ArmClient
from arm_ik.testing.processes import domain_environment, NodeProcess, reserved_domain
from bench import Bench


class Shelf(Bench):
    """An arm on a shelf: both nodes as processes that can be ended and started, and a client."""

    def __init__(self, driver=(), ik=()):
        super().__init__()
        self._arguments = {'driver_node': driver, 'ik_node': ik}
        self.processes = {}

    def set_up(self):
        self.domain = self._stack.enter_context(reserved_domain())
        for name in self._arguments:
            self.start(name)
        self.arm = self._stack.enter_context(ArmClient('so101', domain_id=self.domain))

    def start(self, name):
        self.processes[name] = NodeProcess.of_node(
            name, ['--arm', 'so101', *self._arguments[name]],
            domain_environment(self.domain))
        self._stack.callback(self.processes[name].stop)

    def end(self, name, number):
        """Send a signal to a node and return its exit code."""
        self.processes[name].signal(number)
        return self.processes[name].wait(60.0)

    def wait_for_motion(self):
        start = self.arm.q
        self.arm.wait_until(lambda: self.arm.q != start, 'the arm on its way')

    def wait_until_ready(self, statuses):
        """Wait until ik_node has said that it waits for a target, after so many statuses."""
        self.arm.wait_until(lambda: [
            status for status in self.arm.statuses()[statuses:] if status.state == 'ready'],
            'ready')


def come_to_rest(arm):
    """Wait until an arm that brakes stands."""
    record = arm.record()
    arm.wait_until(lambda: len(record) > 10 and record[-1] == record[-10], 'rest')


def assert_rests(arm, states=30):
    """Assert that an arm does not move while that many joint states come."""
    record = arm.record()
    arm.wait_until(lambda: len(record) >= states, f'{states} states')
    assert all(positions == record[0] for positions in record)
