# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Check everything a node is given before it starts: one clear error instead of a half start."""

from ..description import model_from_parameters
from ..description.parameter_file import nested
from ..description.values import NOTHING
from ..errors import did_you_mean, InvalidArmError, InvalidInputError

#: Parameters that ROS itself gives to every node, true or false.
_ROS_NAMES = ('use_sim_time', 'start_type_description_service')
_ROS_LEVELS = ('qos_overrides',)


def check(given, specs):
    """
    Require an arm whose rules hold, and parameters that exist and may have the values given.

    :param given: the :class:`GivenParameters`.
    :param specs: the node's parameters.
    :raises InvalidArmError: naming where, key, what was found and what is allowed.
    """
    by_name = {spec.name: spec for spec in specs}
    for name, value in given.values.items():
        if name in by_name:
            _check_value(by_name[name], value, given.source_of(name))
        else:
            _check_name(name, value, given, by_name)
    _check_arm(given)


def _check_value(spec, value, source):
    try:
        spec.value_of(value)
    except InvalidInputError as error:
        raise InvalidArmError(spec.name, error.found, error.allowed, source) from None


def _check_name(name, value, given, by_name):
    level = name.split('.')[0]
    if name in _ROS_NAMES and not isinstance(value, bool):
        # ROS would say so and start without.
        raise InvalidArmError(name, value, 'true or false', given.source_of(name))
    if name in _ROS_NAMES or level in (*_ROS_LEVELS, 'arm'):
        return
    others = _names_of_all_nodes()
    if given.is_shared(name) and name in others:
        return
    known = (*by_name, *others, *_ROS_NAMES, 'arm') if given.is_shared(name) else (
        *by_name, *_ROS_NAMES, 'arm')
    hint = did_you_mean(level, known, cutoff=0.75)
    if hint or not given.is_shared(name):
        raise InvalidArmError(name, value, f'{hint}one of {", ".join(sorted(set(known)))}',
                              given.source_of(name))


def _names_of_all_nodes():
    # Imported when a name is in question only: a driver has no other use for the solver's code.
    from . import driver_parameters, ik_parameters
    return {spec.name for spec in (*driver_parameters.SPECS, *ik_parameters.SPECS)}


def _check_arm(given):
    arm = nested(given.values, 'arm', given.source_of('arm'))
    if arm is None:
        raise InvalidArmError('arm', NOTHING, 'one: start with --arm NAME, or with '
                              '--ros-args --params-file FILE')
    try:
        model_from_parameters(arm)
    except InvalidArmError as error:
        source = given.source_of(error.key) or given.source_of('arm')
        raise error.in_file(source) from None
