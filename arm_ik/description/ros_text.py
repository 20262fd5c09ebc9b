# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Write parameters so that ROS 2 reads each with the type that was meant.

If ``rclpy.init`` reads the user's file itself, ``up_axis: y`` becomes a bool, ``home: [0, -1.2]``
and ``extra_joints: {}`` end the process, and ``lower: -3`` is an integer where a float is
declared. The text written here replaces the file. Text that looks like another type is in quotes,
the numbers of an arm have a decimal point, and empty values are left out. PyYAML and others read
the same values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import json
import re
from typing import Any

from yaml.representer import SafeRepresenter

from .yaml_reader import scalar

_INTEGERS = ('sign',)
_PLAIN = re.compile(r'[A-Za-z_]\w{,59}', re.ASCII)
#: Characters that JSON does not escape, but that YAML reads as line breaks or forbids.
_UNSAFE = re.compile('[\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]')


def ros_text(sections: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """
    Return the text of a parameter file.

    :param sections: pairs of a section's name and its flat parameters, in order. Empty lists are
        left out, because ROS cannot declare them.
    """
    return ''.join(_section(name, parameters) for name, parameters in sections)


def write(value: object) -> str:
    """
    Return a value as YAML.

    :param value: dict, list, str, bool, int or float.
    """
    if isinstance(value, dict):
        return '{' + ', '.join(f'{write_key(key)}: {write(item)}'
                               for key, item in value.items()) + '}'
    if isinstance(value, list):
        return f'[{", ".join(map(write, value))}]'
    if isinstance(value, str):
        if len(value) > 1 and _is_plain(value):    # ROS reads a single y or n as a bool
            return value
        return _UNSAFE.sub(lambda match: f'\\u{ord(match[0]):04x}',
                           json.dumps(value, ensure_ascii=False))
    if isinstance(value, float):
        return str(SafeRepresenter().represent_float(value).value)    # PyYAML reads 1e-07 as text
    return json.dumps(value)


def write_key(key: str) -> str:
    """Return a key; keys are always text, even a single letter."""
    return key if _is_plain(key) else write(key)


def _section(name: str, parameters: Mapping[str, Any]) -> str:
    lines = [f'    {write(key)}: {write(_as_declared(key, value))}\n'
             for key, value in parameters.items() if value != []]
    return f'{write(name)}:\n  ros__parameters:\n{"".join(lines)}' if lines else ''


def _as_declared(key: str, value: Any) -> Any:
    """Return the numbers of an arm as floats, its signs as integers, everything else as it is."""
    if not key.startswith('arm.'):
        return value
    if isinstance(value, list):
        return [_as_declared(key, item) for item in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    whole = key.rpartition('.')[2] in _INTEGERS and value == value // 1
    return int(value) if whole else float(value)


def _is_plain(text: str) -> bool:
    """Return whether every reader takes the word as text without quotes."""
    return bool(_PLAIN.fullmatch(text)) and scalar(text) == text and text.lower() != 'null'
