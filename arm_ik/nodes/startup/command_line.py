# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What a node does with its command line before ROS sees it.

ROS reads parameter files by rules of its own: it reads ``up_axis: y`` as a bool, ends the process
at ``home: [0, -1.2]``, and silently ignores a misspelt name. So the files and ``-p`` values for
the node are read and checked here, by the same loader as in ``Arm.from_yaml``, and the node
declares the result. If a name is given twice, the later file wins, and ``-p`` wins over files.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import sys

from . import discovery
from .given_parameters import GivenParameters
from ..common.spec import Spec
from ...description.presets import arm_file

_FILE, _VALUE, _REMAP = ('--params-file',), ('-p', '--param'), ('-r', '--remap')


def prepare(args: Sequence[str], node_name: str, specs: Sequence[Spec] = ()
            ) -> tuple[list[str], str, GivenParameters]:
    """
    Return the arguments for ``rclpy.init``, the value of ``--discovery``, and what is given.

    :param args: the command line without the program's name.
    :param node_name: the node's name, for its sections of parameter files.
    :param specs: the node's parameters.
    :raises ArmIkError: naming file and key, if a parameter is wrong.
    """
    own, ros = split(args)
    options = _options(own, node_name, specs)
    given, others = _given(options, ros, node_name)
    given.check(specs)
    # A node with a name of its own may well run together with one of a similar name.
    if given.node_name == node_name:
        for warning in given.warnings:
            print(f'{node_name}: {warning}', file=sys.stderr)
    return ['--ros-args', *others], options.discovery, given


def split(args: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return a command line's own arguments and those between ``--ros-args`` and ``--``."""
    own: list[str] = []
    ros: list[str] = []
    to_ros = False
    for arg in args:
        if arg == '--ros-args':
            to_ros = True
        elif arg == '--' and to_ros:
            to_ros = False
        else:
            (ros if to_ros else own).append(arg)
    return own, ros


def add_options(parser: argparse.ArgumentParser, arm: str | None = None) -> None:
    """Add ``--arm``, with a default, ``--tip`` and ``--discovery``."""
    parser.add_argument('--arm', metavar='ARM', default=arm,
                        help='an arm that comes with the package, by name, or the path of a YAML '
                        'file that describes one' + (f' ({arm})' if arm else ''))
    parser.add_argument('--tip', metavar='TIP', help='the tip of the arm that tool0 is at')
    parser.add_argument('--discovery', choices=discovery.CHOICES, default='',
                        help=discovery.DESCRIPTION)


def _options(own: list[str], node_name: str, specs: Sequence[Spec]) -> argparse.Namespace:
    """Return the parsed arguments of the node itself."""
    parameters = '\n'.join(f'  {spec.name}: {spec.description} (default {spec.plain!r})'
                           for spec in specs)
    parser = argparse.ArgumentParser(
        prog=node_name, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f'parameters, as --ros-args -p NAME:=VALUE or in a --params-file:\n{parameters}')
    add_options(parser)
    parser.add_argument('--servos', metavar='FILE',
                        help='YAML file that says which servos this unit has')
    parser.add_argument('--objects', metavar='FILE',
                        help="YAML file of the objects in mujoco's world, for driver_node")
    options, others = parser.parse_known_args(own)
    if others:
        hint = ''.join(f'; {other.partition("=")[0]} belongs behind --ros-args' for other in others
                       if other.startswith((*_FILE, *_VALUE, *_REMAP)))
        parser.error(f'unrecognized arguments: {" ".join(others)}{hint}')
    return options


def _given(options: argparse.Namespace, ros_args: list[str], node_name: str
           ) -> tuple[GivenParameters, list[str]]:
    """Return the parameters given to the node, and the arguments that are not parameters."""
    parser = argparse.ArgumentParser(prog=node_name, add_help=False, allow_abbrev=False)
    for names, of in ((_FILE, 'files'), (_VALUE, 'values'), (_REMAP, 'remaps')):
        parser.add_argument(*names, dest=of, action='append', default=[])
    found, others = parser.parse_known_args(ros_args)
    namespace = '/'
    for remap in found.remaps:
        others += [_REMAP[0], remap]
        left, _, right = remap.partition(':=')
        if left.rpartition(':')[2] == '__ns':
            namespace = right
        elif left.rpartition(':')[2] in ('__node', '__name'):
            node_name = right
    given = GivenParameters(node_name, namespace)
    arm = options.arm and arm_file(options.arm)
    for file in filter(None, [arm, options.servos, *found.files]):
        given.add_file(file)
    for name, value in (('arm.tip', options.tip), ('objects', options.objects)):
        if value is not None:
            given.add(name, value)
    for argument in found.values:
        given.add_argument(argument)
    return given, others
