# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Write values as YAML in one line, so that PyYAML, ROS 2 and others read the same values."""

import json
import re

from .yaml_reader import scalar

_PLAIN = re.compile(r'[A-Za-z_]\w{,59}', re.ASCII)
#: What JSON leaves as it is and YAML takes for a line break or does not allow.
_UNSAFE = re.compile('[\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]')


def write(value):
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
        if len(value) > 1 and _is_plain(value):    # y and n alone are yes and no to ROS
            return value
        return _UNSAFE.sub(lambda match: f'\\u{ord(match[0]):04x}',
                           json.dumps(value, ensure_ascii=False))
    if isinstance(value, float):
        return _write_float(value)
    return json.dumps(value)


def write_key(key):
    """Return a key; keys are always text, even a single letter."""
    return key if _is_plain(key) else write(key)


def _is_plain(text):
    """Tell whether every reader takes the text for text without quotes."""
    return bool(_PLAIN.fullmatch(text)) and scalar(text) == text and text.lower() != 'null'


def _write_float(value):
    """Return a float with every digit, and with a point: PyYAML takes 1e-07 for text."""
    text = repr(value)
    if value - value != 0.0:
        return f'.{text}'.replace('.-', '-.')    # .inf, -.inf, .nan
    return text.replace('e', '.0e') if 'e' in text and '.' not in text else text
