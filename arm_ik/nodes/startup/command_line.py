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
declares the result: one clear error instead of a node that starts half. If a name is given twice,
the later file wins, and ``-p`` wins over files.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
import sys
from typing import Any
from warnings import catch_warnings, simplefilter

from . import discovery
from ..common.spec import Spec
from ...description import model_from_parameters
from ...description.parameter_file import matches, nested, ParameterFile
from ...description.presets import arm_file
from ...description.values import NOTHING
from ...description.yaml_reader import parse_yaml
from ...drivers.servos_file import servos_from_parameters, ServosFile
from ...errors import ArmFileWarning, did_you_mean, in_file, InvalidArmError, InvalidInputError
from ...kinematics.model import ArmModel

_FILE, _VALUE, _REMAP = ('--params-file',), ('-p', '--param'), ('-r', '--remap')
_TYPED = 'command line'

#: Parameters of ROS itself, in every node; of a wrong value it would log an error, and start.
_OF_ROS = Spec('use_sim_time', False, ''), Spec('start_type_description_service', False, '')


class GivenParameters:
    """
    The parameters of one node: ``values`` by dotted name, the later one wins.

    ``warnings`` are sentences about sections for a node of a similar name: it may be misspelt, or
    meant for another node. After :meth:`check`, ``model`` is the arm, ``notes`` are what looks odd
    in it, in words, and ``servos`` is its :class:`~arm_ik.drivers.servos_file.ServosFile`, or
    ``None``.

    :param node_name: the name the node runs under.
    :param namespace: the namespace it runs in.
    """

    def __init__(self, node_name: str, namespace: str = '/') -> None:
        self.node_name = node_name
        self.values: dict[str, Any] = {}
        self.warnings: list[str] = []
        self.notes: list[str] = []
        self.model: ArmModel
        self.servos: ServosFile | None = None
        self._full_name = f'/{namespace}/{node_name}'
        self._sources: dict[str, str] = {}
        self._shared: dict[str, bool] = {}  # whether they are given to every node, not to this one

    def add_file(self, path: Path | str) -> None:
        """
        Add what a parameter file gives to the node.

        :raises InvalidArmError: naming file and key, if it is not a parameter file.
        """
        file = ParameterFile(path)
        for pattern, parameters in file.sections:
            if matches(pattern, self._full_name):
                for name, value in parameters.items():
                    self.add(name, value, file.source, shared=pattern.endswith('*'))
                continue
            named = pattern.rpartition('/')[2]
            hint = did_you_mean(named, [self.node_name], cutoff=0.8)
            if hint and self.node_name not in named:
                self.warnings.append(
                    f'{file.source}: {pattern} is not for this node; {hint.rstrip()}')

    def add_argument(self, argument: str) -> None:
        """
        Add the argument of ``-p``: ``name:=value``, or ``node:name:=value``.

        :raises InvalidArmError: if the value is not valid.
        :raises InvalidInputError: if the argument is not of that form.
        """
        left, assigned, right = argument.partition(':=')
        node, _, name = left.rpartition(':')
        if not (assigned and name):
            raise InvalidInputError('argument -p', argument, '-p NAME:=VALUE')
        if node and not matches(node, self._full_name):
            return
        value = parse_yaml(right, f'{_TYPED}, -p {name}')
        if value is None or isinstance(value, dict):
            raise InvalidArmError(name, right, 'a value or a list of values', _TYPED)
        self.add(name, value)

    def check(self, specs: Iterable[Spec]) -> None:
        """
        Require a valid arm, valid servos if any, and parameters that exist with valid values.

        :param specs: the node's parameters.
        :raises InvalidArmError: naming where, key, what was found and what is allowed.
        """
        by_name = {spec.name: spec for spec in (*specs, *_OF_ROS)}
        for name, value in self.values.items():
            if name in by_name:
                try:
                    by_name[name].value_of(value)
                except InvalidInputError as error:
                    raise InvalidArmError(name, error.found, error.allowed,
                                          self._sources[name]) from None
            else:
                self._check_other(name, value, by_name)
        self._take_arm()
        source = self._sources_below('servos')
        servos = nested(self.values, 'servos', source)
        if servos is not None:
            self.servos = servos_from_parameters(servos, tuple(self.model.all_joints), source)

    def add(self, name: str, value: Any, source: str = _TYPED, shared: bool = False) -> None:
        """Add a value, from a file or the command line; ``shared``: given to every node."""
        self.values[name], self._sources[name], self._shared[name] = value, source, shared

    def _check_other(self, name: str, value: Any, own_names: Iterable[str]) -> None:
        """Check a parameter that is not the node's own: of the arm, or of another node."""
        level = name.split('.')[0]
        if level in ('qos_overrides', 'arm', 'servos'):
            return
        known = {*own_names, 'arm', 'servos'}
        if self._shared[name]:
            # Only to explain a wrong name: a driver does not need the solver's code otherwise.
            from ..driver import parameters as of_driver
            from ..ik import parameters as of_ik
            known |= {spec.name for spec in (*of_driver.SPECS, *of_ik.SPECS)}
        hint = did_you_mean(level, sorted(known), cutoff=0.75)
        if name not in known and (hint or not self._shared[name]):
            raise InvalidArmError(name, value, f'{hint}one of {", ".join(sorted(known))}',
                                  self._sources[name])

    def _take_arm(self) -> None:
        arm = nested(self.values, 'arm', self._sources_below('arm'))
        if arm is None:
            raise InvalidArmError('arm', NOTHING, 'one: start with --arm NAME, or with '
                                  '--ros-args --params-file FILE')
        try:
            with catch_warnings(record=True) as caught:
                simplefilter('always', ArmFileWarning)
                self.model = model_from_parameters(arm)
        except InvalidArmError as error:
            with in_file(self._sources_below(error.key) or self._sources_below('arm')):
                raise
        self.notes = [str(warning.message) for warning in caught]

    def _sources_below(self, name: str) -> str | None:
        """Return the files that gave a parameter, or those below a level."""
        found = [source for key, source in self._sources.items()
                 if key == name or key.startswith(f'{name}.')]
        return ', '.join(dict.fromkeys(found)) or None


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
    parser.add_argument('--servos', metavar='FILE', help='YAML file of the servos of this unit')
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
    others += [text for remap in found.remaps for text in (_REMAP[0], remap)]
    renamed = {left.rpartition(':')[2].replace('__name', '__node'): right
               for left, _, right in (remap.partition(':=') for remap in found.remaps)}
    given = GivenParameters(renamed.get('__node', node_name), renamed.get('__ns', '/'))
    arm = options.arm and arm_file(options.arm)
    for file in filter(None, [arm, options.servos, *found.files]):
        given.add_file(file)
    for name, value in (('arm.tip', options.tip), ('objects', options.objects)):
        if value is not None:
            given.add(name, value)
    for argument in found.values:
        given.add_argument(argument)
    return given, others
