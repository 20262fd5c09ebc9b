# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.


"""
Which files and functions of the package a full pose runs through, from its message to the command.

``python benchmark/pose_path.py`` hands a pose for so101 to ``ik_node`` where the executor would,
with the arm at home and nobody listening to ``~/status`` and the like.
"""

from collections import Counter
from pathlib import Path
import sys

import arm_ik
from arm_ik import Arm
from arm_ik.nodes.common.pose_message import pose_message
from arm_ik.nodes.ik.ik_node import IkNode
from arm_ik.nodes.ik.parameters import SPECS
from arm_ik.nodes.startup.command_line import prepare
from arm_ik.testing.processes import environment, reserved_domain
from geometry_msgs.msg import PoseStamped
import rclpy
from sensor_msgs.msg import JointState

PACKAGE = Path(arm_ik.__file__).parent


def main():
    """Print the functions by file, in the order in which they are met."""
    name = sys.argv[1] if len(sys.argv) > 1 else 'so101'
    arm, met = Arm.preset(name), {}
    with reserved_domain() as domain, environment(ROS_DOMAIN_ID=str(domain)):
        rclpy.init()
        with prepare(['--arm', name], 'ik_node', SPECS) as (ros_args, _, given):
            node = IkNode(given, cli_args=ros_args)
        callbacks = {topic.msg_type: topic.callback for topic in node.subscriptions}
        callbacks[JointState](JointState(name=arm.joint_names, position=arm.home))

        def on_call(frame, event, _):
            path = Path(frame.f_code.co_filename)
            if event == 'call' and PACKAGE in path.parents:
                met.setdefault(path.relative_to(PACKAGE), Counter())[frame.f_code.co_name] += 1
        for step in (0.0, 0.02, 0.04):  # the last one is an ordinary target
            tip = arm.forward([position + step for position in arm.home])
            pose = pose_message(tip.position, tip.rotation, 'base_link', (1, 1))
            met.clear()
            sys.setprofile(on_call)
            callbacks[PoseStamped](pose)
            sys.setprofile(None)
        node.destroy_node()
        rclpy.try_shutdown()
    for path, functions in met.items():
        print(f'{path}: {", ".join(functions)}')
    print(f'{len(met)} files, {sum(map(len, met.values()))} functions, '
          f'{sum(sum(functions.values()) for functions in met.values())} calls')


if __name__ == '__main__':
    main()
