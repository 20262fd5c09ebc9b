# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The ``arm.*`` parameters of a node: fixed, but for joint limits that may change later."""

from dataclasses import replace

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.parameter import Parameter

from .parameters import Parameters, Spec
from ...kinematics.forward import ROLES
from ...kinematics.model import EXTRA_JOINT_TYPES

#: The limits of a joint that may change: description, unit and range of each.
_LIMITS = {
    'lower': ('Lower limit', 'rad', -1000.0, 1000.0),
    'upper': ('Upper limit', 'rad', -1000.0, 1000.0),
    'max_velocity': ('Largest velocity', 'rad/s', 0.0, 1000.0)}

#: Descriptions of the keys of an arm; those of a joint by their last level.
DESCRIPTIONS = {
    'name': 'Name of the arm',
    'source': 'Source of its numbers',
    'upper_arm': 'Shoulder axis to elbow axis, above zero [m]',
    'forearm': 'Elbow axis to wrist axis, above zero [m]',
    'hand': 'Wrist axis to tip, above zero [m]',
    'x': 'Position of the yaw axis, forward [m]',
    'y': 'Position of the yaw axis, to the left [m]',
    'height': 'Height of the shoulder axis above base_link [m]',
    'shoulder_offset': 'Yaw axis to shoulder axis, forward [m]',
    'lateral': 'Yaw axis to arm plane, to the left [m]',
    'joint_names': 'Joints of the chain, base to tip',
    'home': 'Joint positions of the home pose, inside the limits [rad]',
    'floor_height': 'Height of the floor: elbow, wrist and tip stay above it [m]',
    'extra_joint_names': 'Joints that are not in the chain, such as a gripper',
    'role': f'One of {", ".join(ROLES)}',
    'sign': 'Direction the servo counts in: 1 or -1',
    'offset': 'Canonical angle at position zero [rad]',
    'lower': 'Lower limit of the position [rad or m]',
    'upper': 'Upper limit of the position [rad or m]',
    'max_velocity': 'Speed the joint may have, above zero [rad/s or m/s]',
    'max_acceleration': 'Acceleration it may have, above zero [rad/s^2 or m/s^2]',
    'type': f'Kind of joint: {" or ".join(EXTRA_JOINT_TYPES)}',
    'closed': 'Position for gripper_command 0, from lower to upper [rad or m]',
    'open': 'Position for gripper_command 1, from lower to upper [rad or m]',
}


def describe_arm(node, is_open=lambda name: False):
    """
    Describe the parameters of a node's arm, and fix them.

    :param node: made with ``automatically_declare_parameters_from_overrides=True``.
    :param is_open: function of a parameter's name: whether it may be changed later, as by
        :func:`declare_limits`. The others are read-only from now on.
    """
    for rest, parameter in node.get_parameters_by_prefix('arm').items():
        if not is_open(name := f'arm.{rest}'):
            node.set_descriptor(name, ParameterDescriptor(
                name=name, type=parameter.type_.value, read_only=True,
                description=DESCRIPTIONS[name.rpartition('.')[2]],
                additional_constraints='part of the arm: fixed while the node runs'))


def is_limit(name):
    """Tell whether a parameter's name is that of a limit of a joint of the chain."""
    return name.startswith('arm.joints.') and name.rpartition('.')[2] in _LIMITS


def declare_limits(node, model, check, apply):
    """
    Let ``arm.joints.NAME.lower``, ``.upper`` and ``.max_velocity`` change while a node runs.

    A change makes a new arm, which is checked as a whole: its ranges, home inside them, and the
    conditions of the node. If a check fails, the change is refused with the reason.

    :param node: the node; its arm's parameters are declared.
    :param model: the :class:`~arm_ik.kinematics.model.ArmModel` to begin with.
    :param check: function of a new model that raises :class:`~arm_ik.errors.ArmIkError` if the
        node can't go on with it; without side effects.
    :param apply: called with a new model after it has been checked.
    """
    def changed(values):
        return replace(model, joints=tuple(
            replace(joint, **{limit: values[_name(joint, limit)] for limit in _LIMITS})
            for joint in model.joints))

    for joint in model.joints:
        node.set_parameters([Parameter(_name(joint, limit), value=float(getattr(joint, limit)))
                             for limit in _LIMITS])
    parameters = Parameters(
        node, [_spec(joint, limit) for joint in model.joints for limit in _LIMITS],
        check=lambda values: check(changed(values)), apply=lambda: apply(changed(parameters)))


def _spec(joint, limit):
    description, unit, lower, upper = _LIMITS[limit]
    given = float(getattr(joint, limit))  # allowed at any rate: some arms are as good as unlimited
    return Spec(_name(joint, limit), given, f'{description} of {joint.name}; home and the command '
                'in force stay inside the limits', unit, min(lower, given), max(upper, given))


def _name(joint, limit):
    return f'arm.joints.{joint.name}.{limit}'
