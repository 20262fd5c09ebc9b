# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
ROS parameters that are described, checked and changed as a whole.

A node lists its parameters as :class:`~.spec.Spec`. :class:`Parameters` declares them with
description, unit and range, and accepts integers as floats. A value out of range is refused with
the reason, before anything changes.

Those of the arm, ``arm.*``, are fixed, but for joint limits that may change later.
"""

from dataclasses import replace
from math import isnan

from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor, SetParametersResult
from rclpy.parameter import Parameter

from .spec import Spec
from ...errors import ArmIkError

#: The limits of a joint that may change: description, unit and range of each.
_LIMITS = {
    'lower': ('Lower limit', 'rad', -1000.0, 1000.0),
    'upper': ('Upper limit', 'rad', -1000.0, 1000.0),
    'max_velocity': ('Largest velocity', 'rad/s', 0.0, 1000.0)}


class Parameters:
    """
    The declared parameters of a node; ``parameters['state_rate']`` is the checked value.

    :param node: made with ``automatically_declare_parameters_from_overrides=True``.
    :param specs: every parameter of the node except those under ``arm``.
    :param check: function of a dict of all values that raises :class:`~arm_ik.errors.ArmIkError`
        if they contradict each other; without side effects.
    :param apply: called without arguments after values have changed at run time.
    :raises InvalidInputError: if a value given at start is not allowed.
    """

    def __init__(self, node, specs, check=lambda values: None, apply=lambda: None):
        self._specs = {spec.name: spec for spec in specs}
        self._check, self._apply = check, apply
        self._values = {spec.name: _declare(node, spec) for spec in specs}
        self._check(self._values)
        node.add_on_set_parameters_callback(self._check_change)
        node.add_post_set_parameters_callback(self._apply_change)

    def __getitem__(self, name):
        return self._values[name]

    def values(self):
        """Return the checked values, in the order of the specs."""
        return self._values.values()

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
    value = spec.default
    if node.has_parameter(spec.name):  # given, and declared by ROS without what is allowed
        value = spec.value_of(node.get_parameter(spec.name).value)
        node.undeclare_parameter(spec.name)
    node.declare_parameter(
        spec.name, list(value) if isinstance(value, tuple) else value, descriptor(spec),
        ignore_override=True)
    return value


def descriptor(spec):
    """Return what ``ros2 param describe`` shows of a :class:`~.spec.Spec`."""
    unit = f' [{spec.unit}]' if spec.unit else ''
    found = ParameterDescriptor(
        name=spec.name, description=spec.description + unit, read_only=spec.read_only,
        additional_constraints=spec.allowed,
        dynamic_typing=True)  # so that 50 is accepted for 50.0
    # ROS checks no ranges of lists, and treats NaN as out of range.
    if isinstance(spec.default, float) and not isnan(spec.default):
        found.floating_point_range.append(
            FloatingPointRange(from_value=spec.lower, to_value=spec.upper, step=0.0))
    return found


def describe_arm(node, is_open=lambda name: False):
    """
    Fix the parameters of a node's arm, and say so in their descriptions.

    :param node: made with ``automatically_declare_parameters_from_overrides=True``.
    :param is_open: function of a parameter's name: whether it may be changed later, as by
        :func:`declare_limits`. The others are read-only from now on.
    """
    for parameter in node.get_parameters_by_prefix('arm').values():
        if not is_open(parameter.name):
            node.set_descriptor(parameter.name, ParameterDescriptor(
                name=parameter.name, type=parameter.type_.value, read_only=True,
                description='Part of the arm: see docs/own_arm.md',
                additional_constraints='fixed while the node runs'))


def is_limit(name):
    """Return whether a parameter's name is that of a limit of a joint of the chain."""
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

    specs = []
    for joint in model.joints:
        for limit, (words, unit, lower, upper) in _LIMITS.items():
            given = float(getattr(joint, limit))  # allowed at any rate: it may be unlimited
            specs.append(Spec(
                _name(joint, limit), given, f'{words} of {joint.name}; home and the command in '
                'force stay inside the limits', unit, min(lower, given), max(upper, given)))
    node.set_parameters([Parameter(spec.name, value=spec.default) for spec in specs])
    parameters = Parameters(node, specs, check=lambda values: check(changed(values)),
                            apply=lambda: apply(changed(parameters)))


def _name(joint, limit):
    return f'arm.joints.{joint.name}.{limit}'
