# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Write values as YAML that ROS 2 and PyYAML read with the type that was meant.

Text that looks like another type is in quotes: to ROS a single ``y`` is a bool.
"""

from collections.abc import Container, Mapping
import json
import re
from typing import Any

from yaml.representer import SafeRepresenter

from .yaml_reader import scalar

_PLAIN = re.compile(r'[A-Za-z_]\w{,59}', re.ASCII)
#: Characters that JSON does not escape, but that YAML reads as line breaks or forbids.
_UNSAFE = re.compile('[\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]')


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


def parameter_file(name: str, block: Mapping[str, Any], listed: Container[str]) -> str:
    """
    Return the text of a parameter file that gives every node a block.

    :param name: of the block.
    :param listed: its keys with mappings of which each entry has a line of its own.
    """
    lines = ['/**:', '  ros__parameters:', f'    {name}:']
    for key, value in block.items():
        lines += [f'      {key}: {write(value)}'] if key not in listed else [f'      {key}:', *(
            f'        {write_key(entry)}: {write(item)}' for entry, item in value.items())]
    return '\n'.join([*lines, ''])


def write_key(key: str) -> str:
    """Return a key; keys are always text, even a single letter."""
    return key if _is_plain(key) else write(key)


def _is_plain(text: str) -> bool:
    """Return whether every reader takes the word as text without quotes."""
    return bool(_PLAIN.fullmatch(text)) and scalar(text) == text and text.lower() != 'null'
