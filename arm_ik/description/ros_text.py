# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Write parameters so that ROS 2 takes each for what it is meant to be.

Given to ``rclpy.init`` as they stand, ``up_axis: y`` becomes a bool, ``home: [0, -1.2]`` and
``extra_joints: {}`` end the process, and ``lower: -3`` is an integer where a float is declared.
This text can stand in for the file: text that looks like something else in quotes, numbers of an
arm with a decimal point, nothing empty.
"""

from .parameter_file import ParameterFile
from .yaml_writer import write

_INTEGERS = ('sign',)


def normalised_text(path):
    """
    Return a parameter file's text in a form that ROS reads as :func:`load_model` does.

    :param path: the file.
    :returns: the text of a parameter file with the same sections in the same order.
    :raises InvalidArmError: if it cannot be read or is not a parameter file; with the place.
    """
    return ros_text(ParameterFile.read(path).sections)


def ros_text(sections):
    """
    Return the text of a parameter file.

    :param sections: pairs of a section's name and its flat parameters, in order. Empty lists are
        left out, because ROS cannot declare them: a parameter that is not given.
    """
    return ''.join(_section(name, parameters) for name, parameters in sections)


def _section(name, parameters):
    lines = [f'    {write(key)}: {write(_as_declared(key, value))}\n'
             for key, value in parameters.items() if value != []]
    return f'{write(name)}:\n  ros__parameters:\n{"".join(lines)}' if lines else ''


def _as_declared(key, value):
    """Return the numbers of an arm as floats, its signs as integers, everything else as it is."""
    if not key.startswith('arm.'):
        return value
    if isinstance(value, list):
        return [_as_declared(key, item) for item in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    whole = key.rpartition('.')[2] in _INTEGERS and value == value // 1
    return int(value) if whole else float(value)
