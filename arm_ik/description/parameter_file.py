# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A ROS 2 parameter file: sections by node name, merged in order; the later one wins.

A section is named by a node's full name, where ``*`` means one level and ``**`` for any
number of them::

    /**:                      every node
    ik_node:   /ik_node:      the node of that name without a namespace
    /left/ik_node:            the node of that name in the namespace /left
    left:
      ik_node:                the same, in levels
    /*/ik_node:               the node of that name in any namespace of one level

Parameters are kept flat, as ROS keeps them: ``{'arm.links.forearm': 0.135}``.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
import re
from typing import Any

from .values import NOTHING
from .yaml_reader import read_yaml
from ..errors import in_file, InvalidArmError, require

_PARAMETERS = 'ros__parameters'
_SHAPE = "sections such as '/**: {ros__parameters: {arm: ...}}'"


class ParameterFile:
    """
    What is in a parameter file: ``sections`` are pairs of name and flat parameters, in its order.

    :param path: the file, ``source`` in messages.
    :raises InvalidArmError: naming the place, if it cannot be read or is no parameter file.
    """

    def __init__(self, path: Path | str) -> None:
        self.source, content = str(path), read_yaml(path)
        with in_file(self.source):
            require(content and isinstance(content, dict), 'the file', content or NOTHING, _SHAPE)
            self.sections = _sections(content, ())

    def block(self, name: str) -> Any:
        """Return what every node is given below a level, as :func:`nested`."""
        merged = {key: value for pattern, parameters in self.sections if matches(pattern, '')
                  for key, value in parameters.items()}
        return nested(merged, name, self.source)


def matches(pattern: str, full_name: str) -> bool:
    """
    Return whether a section of that name is for a node.

    :param pattern: the section's name, e.g. ``'/**'`` or ``'left/ik_node'``.
    :param full_name: the node's name with its namespace; repeated slashes count once.
    """
    regex = ''.join({'/**': '(/[^/]+)*', '/*': '/[^/]+'}.get(token, re.escape(token))
                    for token in re.findall('/[^/]*', _with_slashes(pattern)))
    return re.fullmatch(regex, _with_slashes(full_name)) is not None


def nested(flat: Mapping[str, Any], prefix: str, source: str | None = None) -> Any:
    """
    Return the parameters below a prefix as nested dicts.

    :param flat: parameters by dotted name.
    :param prefix: the level wanted, e.g. ``'arm'``.
    :param source: the file, for messages.
    :returns: nested dicts; the value itself where ``prefix`` names a value; ``None`` for nothing.
    :raises InvalidArmError: if a name is both a value and a level.
    """
    root: dict[str, Any] = {}
    for name, value in flat.items():
        levels = name.split('.')
        if levels[0] != prefix:
            continue
        level = root
        for index, key in enumerate(levels[:-1]):
            level = level.setdefault(key, {})
            if not isinstance(level, dict):
                raise InvalidArmError('.'.join(levels[:index + 1]), level,
                                      f'a level, because the file also gives {name}', source)
        if isinstance(level.get(levels[-1]), dict):
            raise InvalidArmError(name, value, 'a level, as elsewhere in the file', source)
        level[levels[-1]] = value
    return root.get(prefix)


def _with_slashes(name: str) -> str:
    """Return a name with exactly one slash before every level."""
    return re.sub('/+', '/', f'/{name}').rstrip('/')


def _sections(level: dict[str, Any], path: tuple[str, ...]) -> list[tuple[str, dict[str, Any]]]:
    """Return the sections at and below a level; ``path`` holds the keys that lead to it."""
    if _PARAMETERS in level:
        for key in level:
            require(key == _PARAMETERS, ': '.join((*path, key)), level[key],
                    f'no other key beside {_PARAMETERS}')
        return [(re.sub('/+', '/', '/'.join(path)), _parameters(level[_PARAMETERS]))]
    sections = []
    for key, value in level.items():
        require(not get_close_matches(key, [_PARAMETERS], cutoff=0.8), ': '.join(path), key,
                f'{_PARAMETERS}, with two underscores')
        require(isinstance(value, dict) and value, ': '.join((*path, key)),
                NOTHING if value in (None, {}) else value, _SHAPE)
        sections += _sections(value, (*path, key))
    return sections


def _parameters(block: Any) -> dict[str, Any]:
    """Return the parameters of a section by their names."""
    require(isinstance(block, dict), _PARAMETERS, NOTHING if block is None else block,
            'a mapping from parameter to value')
    found: dict[str, Any] = {}
    for name, value in _flat(block):
        require(name not in found, name, value, 'each name once, in levels or with dots')
        found[name] = value
    return found


def _flat(level: dict[str, Any], prefix: str = '') -> Iterator[tuple[str, Any]]:
    for key, value in level.items():
        name = f'{prefix}{key}'
        if isinstance(value, dict):
            yield from _flat(value, f'{name}.')
        elif value is None:
            allowed = ('a decimal point in numbers; between braces a comma begins a new key'
                       if key.isdecimal() else 'a value; leave the key out for the default')
            raise InvalidArmError(name, NOTHING, allowed)
        else:
            yield name, _of_one_kind(name, value) if isinstance(value, list) else value


def _of_one_kind(name: str, values: list[Any]) -> list[Any]:
    """Return a list as ROS demands it."""
    kinds = {type(value) for value in values}
    if kinds == {int, float}:
        return [float(value) for value in values]
    return require(len(kinds) < 2 and kinds <= {str, bool, int, float}, name, values,
                   'a list of values, all of one kind')
