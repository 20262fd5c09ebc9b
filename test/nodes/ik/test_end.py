# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""How ``ik_node`` ends: not before what it published last has got there."""

from arm_ik.nodes.ik.ik_node import IkNode
from arm_ik.nodes.ik.parameters import SPECS
from bench import made
import pytest
from rclpy.publisher import Publisher


@pytest.mark.parametrize('output, topic', [
    ('commands', '/joint_commands'), ('trajectory', '/joint_trajectory')])
def test_the_end_waits_until_the_last_command_is_acknowledged(node, monkeypatch, output, topic):
    waited_for = []
    monkeypatch.setattr(Publisher, 'wait_for_all_acked',
                        lambda publisher, _: waited_for.append(publisher.topic_name))
    made(IkNode, SPECS, '--arm', 'so101', '--ros-args', '-p', f'output:={output}').destroy_node()
    assert waited_for == [topic]
