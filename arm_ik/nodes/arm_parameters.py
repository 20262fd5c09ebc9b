# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The arm, read from the ``arm.*`` parameters of a node.

The node has to be made with ``automatically_declare_parameters_from_overrides=True``: only so does
ROS tell which parameters it was given, and a misspelt one can be answered instead of ignored.
"""

from rcl_interfaces.msg import ParameterDescriptor

from .. import description
from ..errors import InvalidInputError


def load_arm_model(node):
    """
    Return the arm that a node's parameters describe.

    :param node: made with ``automatically_declare_parameters_from_overrides=True``.
    :returns: the checked :class:`~arm_ik.kinematics.model.ArmModel`.
    :raises InvalidArmError: naming the parameter whose rule is broken.
    :raises InvalidInputError: if the node was given no arm at all.
    """
    flat = node.get_parameters_by_prefix('arm')
    if not flat:
        raise InvalidInputError('parameter arm', None,
                                'an arm: start with --arm NAME or --params-file FILE')
    for name in flat:
        node.set_descriptor(f'arm.{name}', ParameterDescriptor(
            name=f'arm.{name}', description='part of the arm, see docs/arms.md', read_only=True))
    values = {name: _plain(parameter.value) for name, parameter in flat.items()}
    return description.model_from_parameters(
        nest(values), f'parameters of {node.get_fully_qualified_name()}')


def nest(flat):
    """
    Return ``{'base.x': 1.0}`` as ``{'base': {'x': 1.0}}``.

    :param flat: mapping of dotted names to values.
    :raises InvalidInputError: if a name is both a value and a group of values.
    """
    tree = {}
    for name, value in flat.items():
        *groups, key = name.split('.')
        branch = tree
        for group in groups:
            branch = branch.setdefault(group, {})
            if not isinstance(branch, dict):
                raise InvalidInputError(f'parameter {name}', value, f'{group!r} as a group only')
        if isinstance(branch.get(key), dict):
            raise InvalidInputError(f'parameter {name}', value, f'{key!r} as a group only')
        branch[key] = value
    return tree


def _plain(value):
    return list(value) if hasattr(value, 'tolist') or isinstance(value, tuple) else value
