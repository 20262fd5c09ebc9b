# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What one node is given as parameters, each with where it was given."""

from ...description.parameter_file import matches, ParameterFile
from ...description.ros_text import ros_text
from ...description.yaml_reader import parse_yaml
from ...errors import did_you_mean, InvalidArmError, InvalidInputError

_COMMAND_LINE = 'command line'


class GivenParameters:
    """
    The parameters of one node: ``values`` by dotted name, the later one wins.

    ``doubts`` are sentences on what is given to a node whose name is nearly this one's: it may be
    a slip, or meant for another node.

    :param node_name: the name the node runs under.
    :param namespace: the namespace it runs in.
    """

    def __init__(self, node_name, namespace='/'):
        self.node_name = node_name
        self.values = {}
        self.doubts = []
        self._namespace = namespace
        self._sources = {}
        self._shared = set()

    def add_file(self, path):
        """
        Add what a parameter file gives to the node.

        :raises InvalidArmError: naming file and key, if it is no parameter file.
        """
        file = ParameterFile.read(path)
        for pattern, parameters in file.sections:
            if matches(pattern, f'/{self._namespace}/{self.node_name}'):
                for name, value in parameters.items():
                    self._add(name, value, file.source, shared=pattern.endswith('*'))
            else:
                self._doubt(pattern, file.source)

    def add_argument(self, argument):
        """
        Add the argument of ``-p``: ``name:=value``, or ``node:name:=value``.

        :raises InvalidArmError: if the value is not one.
        :raises InvalidInputError: if the argument is not of that form.
        """
        left, assigned, right = argument.partition(':=')
        node, _, name = left.rpartition(':')
        if not (assigned and name):
            raise InvalidInputError('argument -p', argument, '-p NAME:=VALUE')
        if node and not matches(node, f'/{self._namespace}/{self.node_name}'):
            return
        value = parse_yaml(right, f'{_COMMAND_LINE}, -p {name}')
        if value is None or isinstance(value, dict):
            raise InvalidArmError(name, right, 'a value or a list of values', _COMMAND_LINE)
        self._add(name, value, _COMMAND_LINE)

    def source_of(self, name):
        """Return where a parameter, or those below a level, were given: file names in words."""
        found = [source for key, source in self._sources.items()
                 if key == name or key.startswith(f'{name}.')]
        return ', '.join(dict.fromkeys(found)) or None

    def is_shared(self, name):
        """Tell whether a parameter was given to every node and not to this one alone."""
        return name in self._shared

    def to_yaml(self):
        """Return the text of a parameter file that ROS takes as it is meant."""
        return ros_text([('/**', self.values)])

    def _doubt(self, pattern, source):
        name = pattern.rpartition('/')[2]
        hint = did_you_mean(name, [self.node_name], cutoff=0.8)
        if hint and self.node_name not in name:
            self.doubts.append(f'{source}: {pattern} is not for this node; {hint.rstrip()}')

    def _add(self, name, value, source, shared=False):
        self.values[name] = value
        self._sources[name] = source
        (self._shared.add if shared else self._shared.discard)(name)
