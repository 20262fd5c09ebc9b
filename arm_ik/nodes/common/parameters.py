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

Those of the arm and its servos are fixed.
"""

from math import isnan

from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor, SetParametersResult
from rclpy.parameter import Parameter

from ...errors import ArmIkError

_FIXED = 'arm.', 'servos.'


class Parameters:
    """
    The declared parameters of a node; ``parameters['state_rate']`` is the checked value.

    :param node: the rclpy node, made with :func:`overrides`.
    :param specs: every parameter of the node except those under ``arm`` and ``servos``.
    :param given: dict of the values that are given, by name.
    :param check: function of a dict of all values that raises :class:`~arm_ik.errors.ArmIkError`
        if they contradict each other; without side effects.
    :param apply: called without arguments after values have changed at run time.
    :raises InvalidInputError: if a value given at start is not allowed.
    """

    def __init__(self, node, specs, given, check=lambda values: None, apply=lambda: None):
        self._specs = {spec.name: spec for spec in specs}
        self._check, self._apply = check, apply
        self._values = {spec.name: spec.value_of(given.get(spec.name, spec.default))
                        for spec in specs}
        self._check(self._values)
        for spec in specs:
            node.declare_parameter(spec.name, self._values[spec.name], descriptor(spec),
                                   ignore_override=True)
        for name, value in given.items():
            if name.startswith(_FIXED) and value != []:
                node.declare_parameter(name, value, ParameterDescriptor(
                    read_only=True, description='Part of the arm: see docs/own_arm.md',
                    additional_constraints='fixed while the node runs'))
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
            self._check({**self._values, **self._changed(parameters)})
        except ArmIkError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _apply_change(self, parameters):
        if changed := self._changed(parameters):
            self._values.update(changed)
            self._apply()


def overrides(given):
    """Return the parameters that are given, for those that ROS declares, as use_sim_time."""
    return [Parameter(name, value=value) for name, value in given.items()
            if value != []]     # which ROS cannot declare


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
