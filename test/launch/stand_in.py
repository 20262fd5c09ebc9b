# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Stand-ins for programs of ROS 2: they take what they are given and say so, over real ROS."""

from pathlib import Path
import sys

import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String


def install(prefix, *names):
    """Make an ament prefix with stand-ins for programs of those names, each in its package."""
    for name in names:
        program = prefix / 'lib' / name / name
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__)} {name} "$@"\n')
        program.chmod(0o755)
        marker = prefix / 'share' / 'ament_index' / 'resource_index' / 'packages' / name
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.touch()


def main():
    """Print what the node with the name of this program was given, then wait."""
    rclpy.init(signal_handler_options=SignalHandlerOptions.ALL)
    node = Node(sys.argv[1], automatically_declare_parameters_from_overrides=True)
    if sys.argv[1] == 'robot_state_publisher':
        node.create_publisher(String, 'robot_description', 1)
    print('name', node.get_fully_qualified_name(), flush=True)
    print('log level', node.get_logger().get_effective_level().name, flush=True)
    print('arguments', rclpy.utilities.remove_ros_args(sys.argv)[2:], flush=True)
    for name, parameter in node.get_parameters_by_prefix('').items():
        if parameter.type_ is not Parameter.Type.NOT_SET:
            print('parameter', name, repr(parameter.value), flush=True)
    print('that is all of', sys.argv[1], flush=True)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
        pass


if __name__ == '__main__':
    main()
