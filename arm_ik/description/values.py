# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Take values out of a mapping, each of the kind meant, or say what was found and what is allowed.

Every function takes the key's full name first, for the message. Integers are taken for floats;
bools never stand for numbers, nor text that looks like one.
"""

import re

from ..errors import did_you_mean, InvalidArmError


class _Nothing:
    """Stands for a missing value in a message: reads ``found nothing``."""

    def __repr__(self):
        return 'nothing'

    def __reduce__(self):
        return 'NOTHING'


#: What is found where a key is missing.
NOTHING = _Nothing()


def one_of(word, known):
    """
    Return the words allowed, led by the one that was probably meant.

    :param word: what stands in the file.
    :param known: the words allowed.
    """
    known = tuple(known)
    return f'{did_you_mean(word, known)}one of {", ".join(known)}' if known else 'no key here'


def mapping_at(key, value):
    """Return a mapping as it is."""
    return _require(isinstance(value, dict), key, value, 'a mapping with keys of its own')


def check_keys(key, mapping, known):
    """Require that a mapping holds no other keys than those known."""
    for name in mapping:
        if name not in known:
            raise InvalidArmError(f'{key}.{name}', mapping[name], one_of(name, known))


def number(key, value):
    """Return a float; whether it may be infinite is the model's to say."""
    return float(_require(_is_number(value), key, value, f'a number{_decimal_point(value)}'))


def integer(key, value):
    """Return an int; 1.0 counts as 1."""
    _require(_is_number(value) and value == value // 1, key, value, 'a whole number')
    return int(value)


def text(key, value):
    """Return text that is not empty."""
    return _require(isinstance(value, str) and value.strip() != '', key, value,
                    'text, in quotes if it looks like something else')


def number_list(key, value):
    """Return a tuple of floats."""
    _require(isinstance(value, (list, tuple)), key, value, 'a list of numbers')
    return tuple(number(f'{key}[{index}]', item) for index, item in enumerate(value))


def name_list(key, value):
    """Return a tuple of names; a dot is refused, because ROS takes it for a level."""
    _require(isinstance(value, (list, tuple)), key, value, 'a list of names')
    for index, item in enumerate(value):
        text(f'{key}[{index}]', item)
        _require('.' not in item, f'{key}[{index}]', item, 'a name without a dot')
    return tuple(value)


def required(key, mapping, name, kind=lambda key, value: value):
    """Return the value of a key that must be there, of its kind."""
    value = mapping.get(name, NOTHING)
    full_key = f'{key}.{name}'
    _require(value is not NOTHING, full_key, NOTHING, 'a value; this key is needed')
    return kind(full_key, value)


def optional(key, mapping, name, kind, default):
    """Return the value of a key that may be left out, of its kind."""
    value = mapping.get(name, NOTHING)
    return default if value is NOTHING else kind(f'{key}.{name}', value)


def _decimal_point(value):
    """Return a hint where text is a number with a decimal comma."""
    if isinstance(value, str) and re.fullmatch(r'[-+]?[0-9]*,[0-9]+', value):
        return f' with a decimal point; did you mean {float(value.replace(",", "."))}?'
    return ''


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _require(holds, key, found, allowed):
    if not holds:
        raise InvalidArmError(key, found, allowed)
    return found
