# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Values of a mapping, each checked for its type; errors say what was found and what is allowed.

Every function takes the key's full name first, for the message. An integer is accepted as a float.
A bool, or text that looks like a number, is not a number.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, MISSING
from numbers import Real
import re
from typing import Any

from ..errors import InvalidArmError, InvalidInputError, one_of, require, require_one_of


class _Nothing:
    """Represents a missing value in a message: reads ``found nothing``."""

    def __repr__(self) -> str:
        return 'nothing'


#: What is found where a key is missing.
NOTHING = _Nothing()


def pairs(what: str, words: Iterable[str], separator: str) -> dict[str, str]:
    """Return names and values of words of a command line, such as ``NAME=VALUE``."""
    parts = [word.partition(separator) for word in words]
    if not all(name and value for name, _, value in parts):
        raise InvalidInputError(what, list(words), f'NAME{separator}VALUE each')
    return {name: value for name, _, value in parts}


def mapping_at(key: str, value: Any) -> dict[str, Any]:
    """Return a mapping as it is."""
    return require(isinstance(value, dict), key, value, 'a mapping with keys of its own')


def check_keys(key: str, mapping: dict[str, Any], known: Iterable[str]) -> None:
    """Require that a mapping holds no other keys than those known."""
    for name in mapping:
        if name not in known:
            raise InvalidArmError(f'{key}.{name}', mapping[name], one_of(name, known))


def number(key: str, value: Any) -> float:
    """Return a float; the model checks whether it may be infinite."""
    hint = ''
    if isinstance(value, str) and re.fullmatch(r'[-+]?[0-9]*,[0-9]+', value):
        hint = f' with a decimal point; did you mean {float(value.replace(",", "."))}?'
    return float(require(_is_number(value), key, value, f'a number{hint}'))


def integer(key: str, value: Any) -> int:
    """Return an int; 1.0 counts as 1."""
    require(_is_number(value) and value == value // 1, key, value, 'a whole number')
    return int(value)


def text(key: str, value: Any, least: int = 1) -> str:
    """Return text that has at least so many characters."""
    return require(isinstance(value, str) and len(value.strip()) >= least, key, value,
                   'text, in quotes if it looks like something else')


def number_list(key: str, value: Any) -> tuple[float, ...]:
    """Return a tuple of floats."""
    require(isinstance(value, (list, tuple)), key, value, 'a list of numbers')
    return tuple(number(f'{key}[{index}]', item) for index, item in enumerate(value))


_KINDS: dict[Any, Callable[[str, Any], Any]] = {
    int: integer, float: number, float | None: number, tuple[float, ...]: number_list}


def name_list(key: str, value: Any) -> tuple[str, ...]:
    """Return a tuple of names; a dot is refused, because in ROS it separates levels."""
    require(isinstance(value, (list, tuple)), key, value, 'a list of names')
    for index, item in enumerate(value):
        text(f'{key}[{index}]', item)
        require('.' not in item, f'{key}[{index}]', item, 'a name without a dot')
    return tuple(value)


def required(key: str, mapping: dict[str, Any], name: str,
             kind: Callable[[str, Any], Any] = lambda key, value: value) -> Any:
    """Return the value of a required key, checked by ``kind``."""
    value = mapping.get(name, NOTHING)
    full_key = f'{key}.{name}'
    require(value is not NOTHING, full_key, NOTHING, 'a value; this key is required')
    return kind(full_key, value)


def given(key: str, block: dict[str, Any], table: Mapping[str, Field[Any]]) -> dict[str, Any]:
    """
    Return what a block gives, and the defaults of what it leaves out, by the fields' names.

    :param table: fields of a dataclass, by their keys.
    """
    return {field.name: required(key, block, name, kind_of(field))
            if name in block or field.default is MISSING else field.default
            for name, field in table.items()}


def kind_of(field: Field[Any]) -> Callable[[str, Any], Any]:
    """Return the function that checks a field's value: its ``check``, or by its type."""
    return field.metadata.get('check') or _KINDS.get(
        field.type, lambda key, value: text(key, value, least=int(field.default != '')))


def among(words: tuple[str, ...]) -> Callable[[str, Any], Any]:
    """Return the function that checks for one of some words."""
    return lambda key, value: require_one_of(key, value, words)


def within(least: float, most: float, kind: Callable[[str, Any], Any] = number
           ) -> Callable[[str, Any], Any]:
    """Return the function that checks for a number in a range."""
    def check(key: str, value: Any) -> Any:
        value = kind(key, value)
        return require(least <= value <= most, key, value, f'from {least:g} to {most:g}')
    return check


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
