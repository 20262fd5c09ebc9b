# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""When commands leave, with which stamps, and that the last one gets there."""

from contextlib import suppress
from math import nan
from queue import Empty, Queue
from time import sleep
from types import SimpleNamespace

from arm_ik import Arm
from arm_ik.nodes.common.pose_message import pose_message
from arm_ik.nodes.ik.ik_node import IkNode
from arm_ik.nodes.ik.output import JointCommands
from arm_ik.nodes.ik.parameters import SPECS
from arm_ik.testing.connection import NodeThread
from arm_ik.testing.processes import reserved_domain
from bench import made
from geometry_msgs.msg import PoseStamped
import pytest
from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState

pytestmark = pytest.mark.about_time


def test_the_end_of_a_way_has_the_stamp_of_when_it_was_due():
    arm, heard = Arm.preset('so101'), Queue()
    core = SimpleNamespace(arm=arm, command=arm.home, velocities=(0.0,) * 5, late=0.5)
    with reserved_domain() as domain, NodeThread('commander', domain_id=domain) as thread:
        node = thread.node
        node.create_subscription(JointState, 'joint_commands', heard.put, 10)
        commands = JointCommands(node, core, lambda: None)
        now = node.get_clock().now().nanoseconds
        stamp = None
        while stamp is None:  # until they know of each other
            commands.go_on()
            with suppress(Empty):
                stamp = heard.get(timeout=0.05).header.stamp
    assert 1e-9 * (stamp.sec * 10**9 + stamp.nanosec - now) == pytest.approx(-0.5, abs=0.4)


@pytest.mark.parametrize('output, topic', [
    ('commands', '/joint_commands'), ('trajectory', '/joint_trajectory')])
def test_the_end_waits_until_the_last_command_is_acknowledged(node, monkeypatch, output, topic):
    waited_for = []
    monkeypatch.setattr(Publisher, 'wait_for_all_acked',
                        lambda publisher, _: waited_for.append(publisher.topic_name))
    made(IkNode, SPECS, '--arm', 'so101', '--ros-args', '-p', f'output:={output}').destroy_node()
    assert waited_for == [topic]


def test_refused_targets_do_not_put_off_the_commands_of_a_way(node):
    ik_node = made(IkNode, SPECS, '--arm', 'so101', '--ros-args', '-p', 'command_rate:=7',
                   '-p', 'motion:=line')
    arm, callbacks = Arm.preset('so101'), {
        topic.msg_type: topic.callback for topic in ik_node.subscriptions}
    commands, = (timer for timer in ik_node.timers if timer.timer_period_ns == 10**9 // 7)
    sleep(0.05)
    late = commands.time_until_next_call()
    callbacks[JointState](JointState(name=arm.joint_names, position=arm.home))
    tip = arm.forward([0.1, *arm.home[1:]])
    callbacks[PoseStamped](pose_message(tip.position, tip.rotation, '', (0, 0)))
    due = commands.time_until_next_call()
    assert due > late  # a stream of commands begins with a whole period
    refused = PoseStamped()
    refused.pose.position.x = nan
    for _ in range(3):
        sleep(0.02)
        callbacks[PoseStamped](refused)
    assert commands.time_until_next_call() < due - 0.04e9
    ik_node.destroy_node()
