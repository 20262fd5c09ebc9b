# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Senders that can't be heard are told in the log; nothing else is listened to."""

from time import monotonic

from arm_ik.nodes.qos_events import publisher_events, sender_events, subscription_events
from geometry_msgs.msg import Vector3Stamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile, ReliabilityPolicy

#: How long [s] to wait for what has to come: only ever used up by a test that fails.
PATIENCE = 20.0

BEST_EFFORT = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


def spin_until(node, done):
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    end = monotonic() + PATIENCE
    while not done():
        assert monotonic() < end
        executor.spin_once(0.01)


def test_a_sender_that_is_not_heard_is_told(node, capfd):
    node.create_subscription(Vector3Stamped, 'up', print, 1,
                             event_callbacks=subscription_events(node, 'up'))
    # Its own handlers would say so too, and be taken for the subscription's.
    node.create_publisher(Vector3Stamped, 'up', BEST_EFFORT, event_callbacks=publisher_events())
    said = []
    spin_until(node, lambda: said.append(capfd.readouterr().err) or 'up: a sender' in said[-1])
    assert 'RELIABILITY' in said[-1] and 'WARN' in said[-1]


def test_a_sender_that_appears_and_leaves_is_told(node):
    changes = []
    node.create_subscription(
        Vector3Stamped, 'up', print, BEST_EFFORT,
        event_callbacks=sender_events(lambda event: changes.append(event.current_count_change)))
    sender = node.create_publisher(Vector3Stamped, 'up', 1, event_callbacks=publisher_events())
    spin_until(node, lambda: changes == [1])
    node.destroy_publisher(sender)
    spin_until(node, lambda: changes == [1, -1])


def test_each_handler_is_one_more_to_ask_before_every_callback(node):
    before = len(list(node.waitables))
    node.create_publisher(Vector3Stamped, 'up', 1, event_callbacks=publisher_events())
    assert len(list(node.waitables)) == before
    node.create_subscription(Vector3Stamped, 'up', print, 1,
                             event_callbacks=subscription_events(node, 'up'))
    assert len(list(node.waitables)) == before + 1
