# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Of messages that wait the newest is handed on, the others are counted."""

from time import monotonic

from arm_ik.nodes.meters import Receipts
from arm_ik.nodes.newest import Newest, QUEUE
from geometry_msgs.msg import Vector3Stamped
import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.serialization import deserialize_message

#: How long [s] to wait for what has to come: only ever used up by a test that fails.
PATIENCE = 20.0


class Bench:
    """A sender and a listener that hears only when it is told to."""

    def __init__(self, context, raw):
        self.node = Node('some', context=context, use_global_arguments=False)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self.receipts = Receipts()
        self.heard = []
        self._raw = raw
        Newest(self.node, Vector3Stamped, 'up', self.take, self.receipts, raw)
        self.sender = self.node.create_publisher(Vector3Stamped, 'up', 1000)
        self.until(self.sender.get_subscription_count)

    def take(self, message, age):
        if self._raw:
            message = deserialize_message(message, Vector3Stamped)
        self.heard.append((message.vector.x, age))

    def until(self, done):
        end = monotonic() + PATIENCE
        while not done():
            assert monotonic() < end, self.heard
            self.executor.spin_once(0.01)

    def send(self, numbers, sender=None):
        sender = sender or self.sender
        for number in numbers:
            message = Vector3Stamped()
            message.vector.x = float(number)
            sender.publish(message)
        assert sender.wait_for_all_acked(rclpy.duration.Duration(seconds=PATIENCE))


@pytest.fixture(params=[False, True], ids=['messages', 'bytes'])
def bench(request, context):
    bench = Bench(context, request.param)
    yield bench
    bench.node.destroy_node()


def test_messages_that_come_alone_are_all_handed_on(bench):
    for number in range(3):
        bench.send([number])
        bench.until(lambda: len(bench.heard) > number)
    assert [number for number, _ in bench.heard] == [0.0, 1.0, 2.0]
    assert all(0.0 < age < PATIENCE for _, age in bench.heard)
    assert bench.receipts.dropped == 0


def test_of_those_that_wait_the_newest_is_handed_on_with_its_age(bench):
    bench.send(range(5))
    begin = monotonic()
    bench.until(lambda: bench.heard)
    (number, age), = bench.heard
    assert number == 4.0
    # Longer than none, and no longer than since before it was sent.
    assert 0.0 < age < PATIENCE + monotonic() - begin
    assert bench.receipts.dropped == 4


def test_two_bursts_are_counted_together(bench):
    for first in (0, 10):
        bench.send(range(first, first + 3))
        bench.until(lambda: bench.heard and bench.heard[-1][0] == first + 2)
    assert [number for number, _ in bench.heard] == [2.0, 12.0]
    assert bench.receipts.dropped == 4


def test_what_a_full_queue_loses_is_counted_too(bench):
    for first in (0, 1000):
        bench.send(range(first, first + 3 * QUEUE))
        bench.until(lambda: bench.heard and bench.heard[-1][0] == first + 3 * QUEUE - 1)
    # What the first burst lost is not known: there was no number before it.
    lost_first = 2 * QUEUE
    assert bench.receipts.dropped == 2 * (3 * QUEUE - 1) - lost_first


def test_the_numbers_of_two_senders_are_not_taken_for_losses(bench):
    other = bench.node.create_publisher(Vector3Stamped, 'up', 1000)
    bench.until(lambda: bench.node.count_publishers('up') == 2)
    bench.until(other.get_subscription_count)
    for number in range(3):
        bench.send([number])
        bench.until(lambda: len(bench.heard) > number)
    bench.send([3], other)
    bench.until(lambda: len(bench.heard) == 4)
    bench.send([4])
    bench.until(lambda: len(bench.heard) == 5)
    assert bench.receipts.dropped == 0
