# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Stamps of commands that say where an arm should have been between two of them."""

from contextlib import suppress
from queue import Empty, Queue
from types import SimpleNamespace

from arm_ik import Arm
from arm_ik.nodes.ik.output import JointCommands
from arm_ik.testing.domain import reserved_domain
from ik_bench import ros_node
import pytest
from sensor_msgs.msg import JointState

pytestmark = pytest.mark.about_time


def test_the_end_of_a_way_has_the_stamp_of_when_it_was_due():
    arm, heard = Arm.preset('so101'), Queue()
    core = SimpleNamespace(arm=arm, command=arm.home, velocities=(0.0,) * 5, late=0.5)
    with reserved_domain() as domain, ros_node('commander', domain) as (node, _):
        node.create_subscription(JointState, 'joint_commands', heard.put, 10)
        commands = JointCommands(node, core, lambda: None)
        now = node.get_clock().now().nanoseconds
        stamp = None
        while stamp is None:  # until they know of each other
            commands.go_on()
            with suppress(Empty):
                stamp = heard.get(timeout=0.05).header.stamp
    assert 1e-9 * (stamp.sec * 10**9 + stamp.nanosec - now) == pytest.approx(-0.5, abs=0.4)
