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
from ..description.values import NOTHING
from ..errors import InvalidArmError
from ..kinematics.model import EXTRA_JOINT_TYPES, ROLES


#: What the keys of an arm say, those of all joints alike by their last level.
_WORDS = {
    'name': 'What the arm is called',
    'source': 'Where its numbers come from',
    'upper_arm': 'Length from the shoulder to the elbow axis, above zero [m]',
    'forearm': 'Length from the elbow to the wrist axis, above zero [m]',
    'hand': 'Length from the wrist axis to the tip, above zero [m]',
    'x': 'Where the yaw axis stands, forward [m]',
    'y': 'Where the yaw axis stands, to the left [m]',
    'height': 'Of the shoulder axis above base_link [m]',
    'shoulder_offset': 'Way from the yaw axis to the shoulder axis, forward [m]',
    'lateral': 'Way from the yaw axis to the arm plane, to the left [m]',
    'joint_names': 'Joints of the chain, base to tip',
    'home': 'Reading of each joint at home, inside its limits [rad]',
    'floor_height': 'Height that no solution reaches below [m]',
    'extra_joint_names': 'Joints beside the chain, such as a gripper',
    'role': f'What the joint is in the chain: {", ".join(ROLES)}',
    'sign': 'Way the servo counts: 1 or -1',
    'offset': 'Canonical angle at reading zero [rad]',
    'lower': 'Least reading [rad, m of a prismatic joint]',
    'upper': 'Largest reading [rad, m of a prismatic joint]',
    'max_velocity': 'Speed the joint may have, above zero [rad/s, m/s of a prismatic joint]',
    'type': f'Kind of joint: {" or ".join(EXTRA_JOINT_TYPES)}',
    'closed': 'Reading of gripper_command 0, from lower to upper [rad, m of a prismatic joint]',
    'open': 'Reading of gripper_command 1, from lower to upper [rad, m of a prismatic joint]',
}


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
            description=_WORDS[name.rpartition('.')[2]],
            additional_constraints='part of the arm: fixed while the node runs'))
    return model


def _plain(value):
    return list(value) if hasattr(value, 'tolist') or isinstance(value, tuple) else value
