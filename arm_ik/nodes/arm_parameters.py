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

from ..description import model_from_parameters
from ..description.parameter_file import nested
from ..description.words import NOTHING
from ..errors import InvalidArmError


def load_arm_model(node, is_open=lambda name: False):
    """
    Return the arm that a node's parameters describe.

    :param node: made with ``automatically_declare_parameters_from_overrides=True``.
    :param is_open: tells of a parameter's name whether somebody else lets it be changed later; the
        others are read-only from now on.
    :returns: the checked :class:`~arm_ik.kinematics.model.ArmModel`.
    :raises InvalidArmError: naming the parameter whose rule is broken, also if there is no arm.
    """
    source = f'parameters of {node.get_fully_qualified_name()}'
    given = {f'arm.{name}': parameter
             for name, parameter in node.get_parameters_by_prefix('arm').items()}
    if not given:
        raise InvalidArmError('arm', NOTHING, 'one: start with --arm NAME, or with '
                              '--ros-args --params-file FILE')
    flat = {name: _plain(parameter.value) for name, parameter in given.items()}
    model = model_from_parameters(nested(flat, 'arm', source), source)
    for name, parameter in given.items():
        if is_open(name):
            continue
        node.set_descriptor(name, ParameterDescriptor(
            name=name, type=parameter.type_.value, read_only=True,
            description='part of the arm, see docs/arms.md'))
    return model


def _plain(value):
    return list(value) if hasattr(value, 'tolist') or isinstance(value, tuple) else value
