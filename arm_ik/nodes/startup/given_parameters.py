# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The parameters given to one node, each with its source, and their check.

Files and arguments are read once, here, and checked before anything starts: one clear error
instead of a node that starts half. The node gets the arm and the servos that come out.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from ..common.spec import Spec
from ...description import model_from_parameters
from ...description.parameter_file import matches, nested, ParameterFile
from ...description.values import NOTHING
from ...description.yaml_reader import parse_yaml
from ...drivers.servos_file import servos_from_parameters, ServosFile
from ...errors import ArmFileWarning, did_you_mean, InvalidArmError, InvalidInputError
from ...kinematics.model import ArmModel

_COMMAND_LINE = 'command line'

#: Parameters of ROS itself, in every node; of a wrong value it would log an error, and start.
_OF_ROS = tuple(Spec(name, False, '')
                for name in ('use_sim_time', 'start_type_description_service'))


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
        self._shared: set[str] = set()  # names given to every node, not only to this one

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
        value = parse_yaml(right, f'{_COMMAND_LINE}, -p {name}')
        if value is None or isinstance(value, dict):
            raise InvalidArmError(name, right, 'a value or a list of values', _COMMAND_LINE)
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

    def add(self, name: str, value: Any, source: str = _COMMAND_LINE,
            shared: bool = False) -> None:
        """Add a value, from a file or the command line; ``shared``: given to every node."""
        self.values[name] = value
        self._sources[name] = source
        (self._shared.add if shared else self._shared.discard)(name)

    def _check_other(self, name: str, value: Any, own_names: Iterable[str]) -> None:
        """Check a parameter that is not the node's own: of the arm, or of another node."""
        level = name.split('.')[0]
        if level in ('qos_overrides', 'arm', 'servos'):
            return
        known = {*own_names, 'arm', 'servos'}
        if name in self._shared:
            # Only to explain a wrong name: a driver does not need the solver's code otherwise.
            from ..driver import parameters as of_driver
            from ..ik import parameters as of_ik
            known |= {spec.name for spec in (*of_driver.SPECS, *of_ik.SPECS)}
        hint = did_you_mean(level, sorted(known), cutoff=0.75)
        if name not in known and (hint or name not in self._shared):
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
            source = self._sources_below(error.key) or self._sources_below('arm')
            raise error.in_file(source) from None
        self.notes = [str(warning.message) for warning in caught]

    def _sources_below(self, name: str) -> str | None:
        """Return the files that gave a parameter, or those below a level."""
        found = [source for key, source in self._sources.items()
                 if key == name or key.startswith(f'{name}.')]
        return ', '.join(dict.fromkeys(found)) or None
