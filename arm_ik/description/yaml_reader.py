# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Read YAML as ROS 2 reads it, and say clearly what is wrong with it.

ROS 2 (``rcl_yaml_param_parser``) and PyYAML disagree on what plain words mean: ROS reads ``1e-3``
as a number and ``1_000`` as text, PyYAML vice versa. This module follows ROS, with one
exception: a plain ``y`` or ``n`` is a letter, as in ``up_axis: y``, and not a bool. Keys are
always text. Aliases, tags and duplicate keys, which ROS refuses or silently ignores, are errors
that name the line.
"""

from pathlib import Path
import re
from typing import Any

import yaml

from ..errors import InvalidArmError

#: Plain words that ROS reads as bools; the single letters are left out on purpose.
BOOLEANS = {
    **dict.fromkeys(('true', 'True', 'TRUE', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'), True),
    **dict.fromkeys(('false', 'False', 'FALSE', 'no', 'No', 'NO', 'off', 'Off', 'OFF'), False)}

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
    try:
        text = Path(path).read_bytes().decode('utf-8')
    except (OSError, ValueError) as error:
        found = getattr(error, 'strerror', None) or str(error)
        raise InvalidArmError('the file', found, 'a YAML file in UTF-8 that can be read',
                              str(path)) from None
    return parse_yaml(text, str(path))


def parse_yaml(text: str, source: str) -> Any:
    """
    Return the content of a YAML text, as :func:`read_yaml` does for a file.

    :param text: the YAML.
    :param source: the name of the file it is from, for messages.
    """
    where, found = 'the file', ''
    try:
        return _value(yaml.compose(text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        mark, found = error.problem_mark or error.context_mark, error.problem or str(error)
        if mark:
            where = f'line {mark.line + 1}, column {mark.column + 1}'
    except yaml.YAMLError as error:
        found = str(error)
    except RecursionError:
        found = 'too many nested levels'
    raise InvalidArmError(where, found, 'valid YAML', source)


def scalar(word: str) -> bool | int | float | str:
    """
    Return the value that ROS 2 reads from a plain (unquoted) word.

    :param word: the word as it is in the file.
    """
    if word in BOOLEANS:
        return BOOLEANS[word]
    for pattern, base in _INTEGERS:
        if pattern.match(word) and int(word, base) in _INTEGER_RANGE:
            return int(word, base)
    if _FLOAT.match(word) and abs(float(word)) != float('inf'):    # too large: text in ROS, too
        return float(word)
    if _HEXADECIMAL_FLOAT.match(word):
        return float(int(word, 16))
    return float(word.replace('.', '')) if _NOT_FINITE.match(word) else word


class _Loader(yaml.SafeLoader):
    """Composes nodes whose tag distinguishes plain words from quoted text; refuses aliases."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        if kind is yaml.ScalarNode and implicit[0]:
            return _PLAIN
        return super().resolve(kind, value, implicit)

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise _refusal(self.peek_event(), 'an alias, which ROS 2 does not read')
        return super().compose_node(parent, index)


def _value(node: Any) -> Any:
    if node is None:
        return None
    if isinstance(node, yaml.MappingNode):
        values: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _refusal(key, 'a list or mapping as a key')
            if key.value in values:
                raise _refusal(key, f'the key {key.value} again, first in line {lines[key.value]}')
            lines[key.value] = key.start_mark.line + 1
            values[key.value] = _value(value)
        return values
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in node.value]
    if node.tag == _PLAIN:
        return scalar(node.value) if node.value else None
    if node.tag != _TEXT:
        raise _refusal(node, f'the tag {node.tag}, which ROS 2 does not read')
    return node.value


def _refusal(place: Any, problem: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=place.start_mark)
