# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What a parameter of a node may be; no ROS."""

from math import isnan, nan
from typing import NamedTuple

from ...errors import InvalidInputError


class Spec(NamedTuple):
    """
    One parameter, of the type of its default: bool, float, str or a tuple of floats.

    :param default: a float may be NaN only if its default is NaN; a tuple has the length of its
        default.
    :param unit: of a float, e.g. ``'Hz'``; ``''`` for pure numbers.
    :param lower: least value of a float, and of each in a tuple.
    :param upper: largest value of a float, and of each in a tuple.
    :param choices: the values a text may have; empty: any.
    :param read_only: fixed once the node has started.
    """

    name: str
    default: object
    description: str
    unit: str = ''
    lower: float = 0.0
    upper: float = 1e9
    choices: tuple = ()
    read_only: bool = False

    @property
    def allowed(self):
        """Return in words what is allowed."""
        if isinstance(self.default, bool):
            return 'true or false'
        unit = f' [{self.unit}]' if self.unit else ''
        numbers = f'from {self.lower:g} to {self.upper:g}{unit}'
        if isinstance(self.default, float):
            return f'a number {numbers}{", or nan" if isnan(self.default) else ""}'
        if isinstance(self.default, tuple):
            return f'a list of {len(self.default)} numbers {numbers}'
        if self.choices:
            return f'one of {", ".join(map(repr, self.choices))} (in quotes)'
        return 'a text (in quotes)'

    @property
    def plain(self):
        """Return the default as ROS takes it."""
        return list(self.default) if isinstance(self.default, tuple) else self.default

    def value_of(self, found):
        """
        Return a value in this parameter's type.

        :raises InvalidInputError: if it is of another type, or out of range.
        """
        if isinstance(self.default, tuple):
            value = self._numbers(found)
        elif isinstance(self.default, float):
            value = self._number(found)
        else:
            ok = type(found) is type(self.default) and (not self.choices or found in self.choices)
            value = found if ok else None
        if value is None:
            raise InvalidInputError(f'parameter {self.name}', found, self.allowed)
        return value

    def _number(self, found):
        """Return what was found as a float if it is a number in range, or ``None``."""
        if found == 'nan':  # what ros2 param dump and load make of .nan
            found = nan
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            return None
        fits = self.lower <= found <= self.upper or (
            isnan(found) and isinstance(self.default, float) and isnan(self.default))
        return float(found) if fits else None

    def _numbers(self, found):
        if isinstance(found, str) or not hasattr(found, '__len__'):
            return None
        values = tuple(map(self._number, found))
        return None if len(values) != len(self.default) or None in values else values
