# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A process that answers target poses with joint commands: what ``node_round_trip.py`` measures.

``echo``: a plain rclpy node on rclpy's usual executor, which copies the stamp and sends four
constants. Anything else: ``ik_node`` as it is, with that ``executor``, but for two things: it
answers every target in its turn, where the node itself passes over those that have been overtaken;
and it is told where the arm is once, which does not grow old.
"""

from contextlib import nullcontext
import os
import sys

from arm_ik.nodes.process.transport import by_udp
from geometry_msgs.msg import PoseStamped
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState


def echo(udp=False):
    """Run the plain node, by UDP or as rclpy has it; it ends with its process."""
    with by_udp(os.environ) if udp else nullcontext():
        rclpy.init()
        node = rclpy.create_node('ik_node')
    answer = JointState(name=['a', 'b', 'c', 'd'], position=[0.0] * 4)
    publisher = node.create_publisher(JointState, 'joint_commands', 10)

    def on_pose(message):
        answer.header = message.header
        publisher.publish(answer)
    node.create_subscription(PoseStamped, 'target_pose', on_pose, QoSProfile(depth=100))
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    executor.spin()


def ik_node(executor, *arguments):
    """Run ``ik_node``; return its exit code."""
    from arm_ik.nodes.ik import ik_node
    from arm_ik.nodes.ik import newest

    def answer_all(self, message, _):
        while message is not None:
            self._receipts.count()
            self._take(message, 0.0)
            waiting = self._waiting()
            message = None if waiting is None else waiting[0]
    newest.Newest._on_message = answer_all
    return ik_node.main([*arguments, '--ros-args', '-p', f'executor:={executor}',
                         '-p', 'state_timeout:=3600.0'])


if __name__ == '__main__':
    sys.exit(echo('--udp' in sys.argv) if sys.argv[1] == 'echo' else ik_node(*sys.argv[1:]))
