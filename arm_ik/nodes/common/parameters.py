# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
ROS parameters that are described, checked and changed as a whole.

A node lists its parameters as :class:`Spec`. :class:`Parameters` declares them with description,
unit and range, and accepts integers as floats. A value out of range is refused with the reason,
before anything changes.

Those of the arm, ``arm.*``, are fixed, but for joint limits that may change later.
"""

from dataclasses import replace
from math import isnan, nan
from typing import NamedTuple

from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor, SetParametersResult
from rclpy.parameter import Parameter

from ...errors import ArmIkError, InvalidInputError
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


class Spec(NamedTuple):
    """
    One parameter, of the type of its default: bool, float, str or a tuple of floats.

    :param default: a float may be NaN only if its default is NaN; a tuple has the length of its
        default.
    :param unit: of a float, e.g. ``'Hz'``; ``''`` for pure numbers.
    :param lower: least value of a float, and of each in a tuple.
    :param upper: largest value of a float, and of each in a tuple.
    :param choices: the values a text may have; empty: any.
    :param read_only: fixed once the node has started.
    """

    name: str
    default: object
    description: str
    unit: str = ''
    lower: float = 0.0
    upper: float = 1e9
    choices: tuple = ()
    read_only: bool = False

    @property
    def allowed(self):
        """Return in words what is allowed."""
        if isinstance(self.default, bool):
            return 'true or false'
        unit = f' [{self.unit}]' if self.unit else ''
        if isinstance(self.default, float):
            nan = ', or nan' if isnan(self.default) else ''
            return f'a number from {self.lower:g} to {self.upper:g}{unit}{nan}'
        if isinstance(self.default, tuple):
            return (f'a list of {len(self.default)} numbers from {self.lower:g} to '
                    f'{self.upper:g}{unit}')
        if self.choices:
            return f'one of {", ".join(map(repr, self.choices))} (in quotes)'
        return 'a text (in quotes)'

    @property
    def plain(self):
        """Return the default as ROS takes it."""
        return list(self.default) if isinstance(self.default, tuple) else self.default

    def value_of(self, found):
        """
        Return a value in this parameter's type.

        :raises InvalidInputError: if it is of another type, or out of range.
        """
        if isinstance(self.default, tuple):
            value = self._numbers(found)
        elif isinstance(self.default, float):
            value = self._number(found)
        else:
            fits = type(found) is type(self.default) and (
                not self.choices or found in self.choices)
            value = found if fits else None
        if value is None:
            raise InvalidInputError(f'parameter {self.name}', found, self.allowed)
        return value

    def _number(self, found):
        """Return what was found as a float if it is a number in range, or ``None``."""
        if found == 'nan':  # what ros2 param dump and load make of .nan
            found = nan
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            return None
        fits = self.lower <= found <= self.upper or (
            isnan(found) and isinstance(self.default, float) and isnan(self.default))
        return float(found) if fits else None

    def _numbers(self, found):
        if isinstance(found, str) or not hasattr(found, '__len__'):
            return None
        values = tuple(map(self._number, found))
        return None if len(values) != len(self.default) or None in values else values

    def descriptor(self):
        """Return what ``ros2 param describe`` shows."""
        unit = f' [{self.unit}]' if self.unit else ''
        descriptor = ParameterDescriptor(
            name=self.name, description=self.description + unit, read_only=self.read_only,
            additional_constraints=self.allowed,
            dynamic_typing=True)  # so that 50 is accepted for 50.0
        # ROS checks no ranges of lists, and treats NaN as out of range.
        if isinstance(self.default, float) and not isnan(self.default):
            descriptor.floating_point_range.append(
                FloatingPointRange(from_value=self.lower, to_value=self.upper, step=0.0))
        return descriptor


class Parameters:
    """
    The declared parameters of a node; ``parameters['state_rate']`` is the checked value.

    :param node: the node they belong to.
    :param specs: every parameter of the node except those under ``arm``.
    :param check: function of a dict of all values that raises :class:`~arm_ik.errors.ArmIkError`
        if they contradict each other; without side effects.
    :param apply: called without arguments after values have changed at run time.
    :raises InvalidInputError: if a value given at start is not allowed.
    """

    def __init__(self, node, specs, check=None, apply=None):
        self._specs = {spec.name: spec for spec in specs}
        self._check = check or (lambda values: None)
        self._apply = apply or (lambda: None)
        self._values = {spec.name: _declare(node, spec) for spec in specs}
        self._check(self._values)
        node.add_on_set_parameters_callback(self._check_change)
        node.add_post_set_parameters_callback(self._apply_change)

    def __getitem__(self, name):
        return self._values[name]

    def _changed(self, parameters):
        return {parameter.name: self._specs[parameter.name].value_of(parameter.value)
                for parameter in parameters if parameter.name in self._specs}

    def _check_change(self, parameters):
        try:
            changed = self._changed(parameters)
            if changed:
                self._check({**self._values, **changed})
        except ArmIkError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _apply_change(self, parameters):
        changed = self._changed(parameters)
        if changed:
            self._values.update(changed)
            self._apply()


def _declare(node, spec):
    # Declared with dynamic type first, so that a wrong type is refused with a clear message.
    if node.has_parameter(spec.name):
        found = node.get_parameter(spec.name).value
    else:
        found = node.declare_parameter(
            spec.name, spec.plain, ParameterDescriptor(dynamic_typing=True)).value
    value = spec.value_of(found)
    node.undeclare_parameter(spec.name)
    node.declare_parameter(
        spec.name, list(value) if isinstance(value, tuple) else value, spec.descriptor(),
        ignore_override=True)
    return value


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
