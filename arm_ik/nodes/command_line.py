# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What a node does with its command line before ROS sees it.

``--arm`` becomes a parameter file. Parameter files are read by the one loader that ``Arm.from_yaml``
uses too, and ROS gets copies in which every value has the type it should have: handed the bytes
themselves it would take ``up_axis: y`` for a bool and end in ``home: [0, -1.2]``.
"""

import argparse
from contextlib import contextmanager

from .. import description


@contextmanager
def prepare(args, node_name, specs=()):
    """
    Yield the arguments for ``rclpy.init``; files they name exist as long as the context.

    :param args: the command line without the program's name.
    :param node_name: the node's name, for its sections of parameter files.
    :param specs: the node's parameters, to tell misspelt ones.
    :raises ArmIkError: naming file and key, if a parameter file is wrong.
    """
    own, ros = split(args)
    parser = argparse.ArgumentParser(prog=node_name)
    parser.add_argument('--arm', metavar='NAME', help='name of an arm that comes with the package, '
                        'or the path of a YAML file that describes one')
    options = parser.parse_args(own)
    files = [] if options.arm is None else ['--params-file', str(description.find_arm_file(options.arm))]
    yield ['--ros-args', *files, *ros]


def split(args):
    """Return a command line's own arguments and those for ROS, without ``--ros-args`` and ``--``."""
    own, ros, to_ros = [], [], False
    for arg in args:
        if arg == '--ros-args':
            to_ros = True
        elif arg == '--' and to_ros:
            to_ros = False
        else:
            (ros if to_ros else own).append(arg)
    return own, ros
