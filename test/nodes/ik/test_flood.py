# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Messages that come more quickly than they are read, in either executor."""

from pathlib import Path

from arm_ik.nodes.process.executor import EXECUTORS, make_executor, spin_until
from arm_ik.nodes.ik.ik_node import IkNode
from arm_ik.nodes.ik.meters import Receipts
from arm_ik.nodes.ik.newest import Newest, QUEUE, QUIET_READS
from geometry_msgs.msg import PoseStamped
import pytest
from rclpy.clock import Clock, ClockType
from rclpy.duration import Duration
from rclpy.task import Future
from std_msgs.msg import Int32

ARM = Path(__file__).resolve().parents[2] / 'config' / 'so101.yaml'


class Reader:
    """A node that reads numbers, and sends them to itself."""

    def __init__(self, node, executor):
        self.receipts, self.floods, self.taken = Receipts(), [], []
        self.newest = Newest(node, Int32, 'numbers', self._take, self.receipts,
                             flood=lambda _, flooded: self.floods.append(flooded))
        self._topic = node.create_publisher(Int32, 'numbers', 1000)
        self._executor = make_executor(executor, node.get_logger())
        self._executor.add_node(node)
        self._answer = Future()

    def send(self, *numbers):
        for number in numbers:
            self._topic.publish(Int32(data=number))
        assert self._topic.wait_for_all_acked(Duration(seconds=60))

    def spin(self):
        """Wait until something is handed on, and return it."""
        self._answer = Future()
        spin_until(self._executor, self._answer)
        return self._answer.result()

    def _take(self, message, age):
        self.taken.append(message.data)
        if not self._answer.done():
            self._answer.set_result((message.data, age))
            self._executor.wake()


@pytest.mark.parametrize('executor', EXECUTORS)
def test_one_that_waits_alone_is_handed_on_with_its_age(node, executor):
    reader = Reader(node, executor)
    reader.send(7)
    number, age = reader.spin()
    assert number == 7 and 0.0 < age < 60.0
    assert reader.receipts.dropped == 0


@pytest.mark.parametrize('executor', EXECUTORS)
def test_of_several_the_newest_is_handed_on_and_all_others_are_counted(node, executor):
    reader = Reader(node, executor)
    reader.send(1)
    reader.spin()
    reader.send(*range(2, 102))
    assert reader.spin()[0] == 101
    reader.send(102)
    assert reader.spin()[0] == 102
    assert reader.receipts.dropped == 101 - 2
    assert reader.taken == [1, 101, 102]


@pytest.mark.parametrize('executor', EXECUTORS)
def test_a_flood_is_told_until_there_has_been_room_for_a_while(node, executor):
    reader = Reader(node, executor)
    reader.send(*range(QUEUE - 1))
    reader.spin()
    assert reader.floods == []
    reader.send(*range(QUEUE))
    reader.spin()
    assert reader.floods == [True]
    for _ in range(QUIET_READS - 1):
        reader.newest.read()
    reader.send(*range(QUEUE))
    reader.newest.read()
    for number in range(QUIET_READS - 1):
        reader.send(number)
        reader.newest.read()
        assert reader.taken[-1] == number
    assert reader.floods == [True]
    reader.newest.read()
    assert reader.floods == [True, False]


@pytest.mark.parametrize('executor', EXECUTORS)
def test_in_a_flood_the_events_executor_is_not_bothered_and_afterwards_it_is(node, executor):
    ik_node = IkNode(cli_args=['--ros-args', '--params-file', str(ARM),
                               '-p', f'executor:={executor}'])
    topic = node.create_publisher(PoseStamped, 'target_pose', 1000)
    watched, stop = [], Future()

    def look():
        watched.append('/target_pose' in [found.topic_name for found in ik_node.subscriptions])
        over = watched[-1] and (executor != 'events' or not all(watched))
        if over or len(watched) == 2000:
            stop.set_result(None)
            looking.wake()
    for _ in range(2 * QUEUE):
        topic.publish(PoseStamped())
    assert topic.wait_for_all_acked(Duration(seconds=60))
    timer = ik_node.create_timer(0.005, look, clock=Clock(clock_type=ClockType.STEADY_TIME))
    looking = make_executor(executor, node.get_logger())
    looking.add_node(ik_node)
    spin_until(looking, stop)
    timer.destroy()
    ik_node.destroy_node()
    assert watched[-1] and all(watched) == (executor != 'events')
