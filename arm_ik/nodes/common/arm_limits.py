# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The limits of the arm's joints, as parameters that may be changed while the node runs.

A change makes another arm, which is checked as a whole: ranges, home inside them, and whatever the
node asks beside. What is wrong with it is the reason of the refusal, and nothing has changed then.
"""

from dataclasses import replace

from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor, SetParametersResult

from ...errors import ArmIkError, InvalidInputError

#: What may be changed of a joint: words for it, its unit, its range.
_LIMITS = {
    'lower': ('Least reading', 'rad', -1000.0, 1000.0),
    'upper': ('Largest reading', 'rad', -1000.0, 1000.0),
    'max_velocity': ('Speed the joint may have', 'rad/s', 0.0, 1000.0)}


def is_limit(name):
    """Tell of a parameter's name whether it is a limit of a joint of the chain."""
    return name.startswith('arm.joints.') and name.rpartition('.')[2] in _LIMITS


class ArmLimits:
    """
    Parameters ``arm.joints.NAME.lower``, ``.upper`` and ``.max_velocity`` of a node.

    :param node: the node; its arm's parameters are declared.
    :param model: the :class:`~arm_ik.kinematics.model.ArmModel` they describe.
    :param check: function of another model that raises :class:`~arm_ik.errors.ArmIkError` if the
        node can't go on with it; without side effects.
    :param apply: called with another model after it has been checked.
    """

    def __init__(self, node, model, check, apply):
        self._model = model
        self._check = check
        self._apply = apply
        self._names = {f'arm.joints.{joint.name}.{limit}': (joint.name, limit)
                       for joint in model.joints for limit in _LIMITS}
        self._ranges = {}
        for joint in model.joints:
            for limit in _LIMITS:
                name = f'arm.joints.{joint.name}.{limit}'
                descriptor = _descriptor(name, joint, limit)
                node.set_descriptor(name, descriptor)
                self._ranges[name] = descriptor.floating_point_range[0]
        node.add_on_set_parameters_callback(self._verdict)
        node.add_post_set_parameters_callback(self._take_over)

    def _changed(self, parameters):
        """Return the model that parameters lead to, or ``None`` if they change no limit."""
        changes = {}
        for parameter in parameters:
            if parameter.name in self._names:
                joint, limit = self._names[parameter.name]
                changes.setdefault(joint, {})[limit] = parameter.value
        if not changes:
            return None
        return replace(self._model, joints=tuple(
            replace(joint, **changes.get(joint.name, {})) for joint in self._model.joints))

    def _verdict(self, parameters):
        try:
            for parameter in parameters:
                self._require_in_range(parameter)
            model = self._changed(parameters)
            if model is not None:
                self._check(model)
        except ArmIkError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _require_in_range(self, parameter):
        # ROS looks at floats only, not at integers.
        found = self._ranges.get(parameter.name)
        if found and isinstance(parameter.value, int) and not (
                found.from_value <= parameter.value <= found.to_value):
            raise InvalidInputError(f'parameter {parameter.name}', parameter.value,
                                    f'a number from {found.from_value:g} to {found.to_value:g}')

    def _take_over(self, parameters):
        model = self._changed(parameters)
        if model is not None:
            self._model = model
            self._apply(model)


def _descriptor(name, joint, limit):
    words, unit, lower, upper = _LIMITS[limit]
    given = float(getattr(joint, limit))  # allowed at any rate: some arms are as good as unlimited
    lower, upper = min(lower, given), max(upper, given)
    return ParameterDescriptor(
        name=name, description=f'{words} of {joint.name} [{unit}]',
        additional_constraints='home and the command in force stay inside the limits',
        dynamic_typing=True,  # so that 2 may stand where 2.0 is meant
        floating_point_range=[FloatingPointRange(from_value=lower, to_value=upper, step=0.0)])
