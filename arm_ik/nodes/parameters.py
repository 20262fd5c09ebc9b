# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
ROS parameters that are described, checked and changed as a whole.

A node lists its parameters as :class:`Spec`; :class:`Parameters` declares them with description,
unit and range, takes integers for floats, and refuses what is out of range with the reason, before
anything changes.
"""

from dataclasses import dataclass
from math import isfinite

from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor, SetParametersResult

from ..errors import InvalidInputError


@dataclass(frozen=True)
class Spec:
    """
    One parameter: its default says of what type it is (bool, float or str).

    :param unit: of a float, e.g. ``'Hz'``; ``''`` for pure numbers.
    :param lower: least value of a float.
    :param upper: largest value of a float.
    :param choices: the values a text may have; none given: any.
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
        """Words for what may stand there."""
        if isinstance(self.default, bool):
            return 'true or false'
        if isinstance(self.default, float):
            unit = f' [{self.unit}]' if self.unit else ''
            return f'a number from {self.lower:g} to {self.upper:g}{unit}'
        if self.choices:
            return f'one of {", ".join(map(repr, self.choices))} (in quotes)'
        return 'a text (in quotes)'

    def value_of(self, found):
        """
        Return a value in this parameter's type.

        :raises InvalidInputError: if its type is another one, or it is out of range.
        """
        kind = type(self.default)
        if kind is float and isinstance(found, int) and not isinstance(found, bool):
            found = float(found)
        fits = type(found) is kind
        if fits and kind is float:
            fits = isfinite(found) and self.lower <= found <= self.upper
        elif fits and self.choices:
            fits = found in self.choices
        if not fits:
            raise InvalidInputError(f'parameter {self.name}', found, self.allowed)
        return found

    def descriptor(self):
        """Return what ``ros2 param describe`` shows."""
        unit = f' [{self.unit}]' if self.unit else ''
        descriptor = ParameterDescriptor(
            name=self.name, description=self.description + unit, read_only=self.read_only,
            additional_constraints=self.allowed,
            dynamic_typing=True)  # so that 50 may stand where 50.0 is meant
        if isinstance(self.default, float):
            descriptor.floating_point_range.append(
                FloatingPointRange(from_value=self.lower, to_value=self.upper, step=0.0))
        return descriptor


class Parameters:
    """
    The declared parameters of a node; ``parameters['state_rate']`` is the checked value.

    :param node: the node they belong to.
    :param specs: every parameter of the node but those under ``arm``.
    :param check: function of a dict of all values that raises :class:`InvalidInputError` where
        they don't go together; without side effects.
    :param apply: called without arguments after values have changed at run time.
    :raises InvalidInputError: if a value given at start is not allowed.
    """

    def __init__(self, node, specs, check=None, apply=None):
        self._specs = {spec.name: spec for spec in specs}
        self._check = check or (lambda values: None)
        self._apply = apply or (lambda: None)
        self._values = {spec.name: _declare(node, spec) for spec in specs}
        self._check(self._values)
        node.add_on_set_parameters_callback(self._verdict)
        node.add_post_set_parameters_callback(self._take_over)

    def __getitem__(self, name):
        return self._values[name]

    def _changed(self, parameters):
        return {parameter.name: self._specs[parameter.name].value_of(parameter.value)
                for parameter in parameters if parameter.name in self._specs}

    def _verdict(self, parameters):
        try:
            self._check({**self._values, **self._changed(parameters)})
        except InvalidInputError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _take_over(self, parameters):
        changed = self._changed(parameters)
        if changed:
            self._values.update(changed)
            self._apply()


def _declare(node, spec):
    # Declared loosely first: only so can a wrong value be answered with a clear message.
    if node.has_parameter(spec.name):
        found = node.get_parameter(spec.name).value
    else:
        found = node.declare_parameter(
            spec.name, spec.default, ParameterDescriptor(dynamic_typing=True)).value
    value = spec.value_of(found)
    node.undeclare_parameter(spec.name)
    node.declare_parameter(spec.name, value, spec.descriptor(), ignore_override=True)
    return value
