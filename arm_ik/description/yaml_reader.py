# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Read YAML the way ROS 2 reads it, and say clearly what is wrong with it.

ROS 2 (``rcl_yaml_param_parser``) and PyYAML disagree on what plain words mean: ROS reads ``1e-3``
as a number and ``1_000`` as text, PyYAML the other way round. This module follows ROS, with one
exception: a plain ``y`` or ``n`` is a letter, as in ``up_axis: y``, and not a bool. Keys are
always text. Aliases, tags and duplicate keys, which ROS refuses or silently ignores, are errors
that name the line.
"""

from __future__ import annotations

from pathlib import Path
import re
from typing import Any

import yaml

from ..errors import InvalidArmError

#: Plain words that ROS reads as bools; the single letters are left out on purpose.
BOOLEANS = {
    **dict.fromkeys(('true', 'True', 'TRUE', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'), True),
    **dict.fromkeys(('false', 'False', 'FALSE', 'no', 'No', 'NO', 'off', 'Off', 'OFF'), False),
}

# As many digits as the range needs; a longer number, or one beyond the range, is a float.
_INTEGERS = ((re.compile(r'[-+]?(0|[1-9][0-9]{0,18})\Z'), 10),
             (re.compile(r'[-+]?0+[0-7]{1,22}\Z'), 8),
             (re.compile(r'[-+]?0[xX]0*[0-9a-fA-F]{1,16}\Z'), 16))
_INTEGER_RANGE = range(-2 ** 63, 2 ** 63)
_FLOAT = re.compile(r'[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\Z')
_HEXADECIMAL_FLOAT = re.compile(r'[-+]?0[xX]0*[0-9a-fA-F]{1,255}\Z')   # one more: too large
_NOT_FINITE = re.compile(r'[-+]?\.?(inf|infinity|nan)\Z', re.IGNORECASE)

_PLAIN = 'plain'
_TEXT = 'tag:yaml.org,2002:str'


def read_yaml(path: Path | str) -> Any:
    """
    Return the content of a YAML file as dicts, lists, text, numbers, bools and ``None``.

    :param path: the file.
    :returns: the document's value; ``None`` for an empty document and for a key without a value.
    :raises InvalidArmError: naming file and line, if there is no such file, or it is not UTF-8, or
        it is not YAML that ROS 2 can read.
    """
    source = str(path)
    return parse_yaml(_read_text(path, source), source)


def parse_yaml(text: str, source: str) -> Any:
    """
    Return the content of a YAML text, as :func:`read_yaml` does for a file.

    :param text: the YAML.
    :param source: the name of the file it is from, for messages.
    """
    try:
        return _value(yaml.compose(text, Loader=_Loader), source, ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f'line {mark.line + 1}, column {mark.column + 1}' if mark else 'the file'
        raise InvalidArmError(where, error.problem or str(error), 'valid YAML', source) from None
    except yaml.YAMLError as error:
        raise InvalidArmError('the file', str(error), 'valid YAML', source) from None
    except RecursionError:
        raise InvalidArmError('the file', 'too many nested levels', 'valid YAML',
                              source) from None


def scalar(word: str) -> bool | int | float | str:
    """
    Return the value that ROS 2 reads from a plain (unquoted) word.

    :param word: the word as it stands in the file.
    """
    if word in BOOLEANS:
        return BOOLEANS[word]
    for pattern, base in _INTEGERS:
        if pattern.match(word):
            whole = int(word, base)
            if whole in _INTEGER_RANGE:
                return whole
    if _FLOAT.match(word):
        number = float(word)
        return number if abs(number) != float('inf') else word    # too large: text in ROS, too
    if _HEXADECIMAL_FLOAT.match(word):
        return float(int(word, 16))
    if _NOT_FINITE.match(word):
        return float(word.replace('.', ''))
    return word


def _read_text(path: Path | str, source: str) -> str:
    try:
        return Path(path).read_bytes().decode('utf-8')
    except UnicodeDecodeError as error:
        found = f'byte {error.object[error.start]:#04x} at {error.start}'
        raise InvalidArmError('the file', found, 'text in UTF-8', source) from None
    except (OSError, ValueError) as error:
        found = getattr(error, 'strerror', None) or str(error)
        raise InvalidArmError('the file', found, 'a YAML file that can be read', source) from None


class _Loader(yaml.SafeLoader):
    """Composes nodes whose tag tells plain words from quoted text; refuses aliases."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        if kind is yaml.ScalarNode and implicit[0]:
            return _PLAIN
        return super().resolve(kind, value, implicit)

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.MarkedYAMLError(problem='an alias, which ROS 2 does not read',
                                       problem_mark=mark)
        return super().compose_node(parent, index)


def _value(node: Any, source: str, path: tuple[str, ...]) -> Any:
    if node is None:
        return None
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, source, path)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, source, (*path, str(index)))
                for index, item in enumerate(node.value)]
    if node.tag == _PLAIN:
        return scalar(node.value) if node.value else None
    if node.tag != _TEXT:
        raise InvalidArmError(_place(node, path), f'the tag {node.tag}', 'values without a tag',
                              source)
    return node.value


def _mapping(node: Any, source: str, path: tuple[str, ...]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise InvalidArmError(_place(key_node, path), 'a list or mapping as a key',
                                  'text as a key', source)
        key = key_node.value
        if key in values:
            raise InvalidArmError(_place(key_node, (*path, key)),
                                  f'the key again, first in line {lines[key]}',
                                  'each key once', source)
        lines[key] = key_node.start_mark.line + 1
        values[key] = _value(value_node, source, (*path, key))
    return values


def _place(node: Any, path: tuple[str, ...]) -> str:
    line = node.start_mark.line + 1
    return f'line {line}, {".".join(path)}' if path else f'line {line}'
