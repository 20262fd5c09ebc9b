# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The options of a solve, besides target and near, and their allowed values."""

from math import inf, isfinite
from numbers import Real
from typing import Any, get_args, Literal

from .target import NOT_VECTORS
from ..errors import InvalidInputError

Elbow = Literal['nearest', 'up', 'down']
Priority = Literal['position', 'up']

ELBOWS, PRIORITIES = get_args(Elbow), get_args(Priority)

#: Rows in a chunk of a batch: its columns fit into the second-level cache, and numpy's overhead is
#: small.
CHUNK_SIZE = 16384


def plain(number: float | None) -> float | None:
    """Return a checked number, of whatever type, as a float, and ``None`` as it is."""
    return None if number is None else float(number)


def check(elbow: object, priority: object, position_tolerance: object, up_tolerance: object,
          elevation: object = None, branch_tolerance: object = None) -> None:
    """
    Check the options of a solve.

    :param elbow: one of ``ELBOWS``.
    :param priority: one of ``PRIORITIES``.
    :param position_tolerance: [m], finite, zero or more.
    :param up_tolerance: [rad], finite, zero or more.
    :param elevation: [rad], finite, or ``None``.
    :param branch_tolerance: ``None`` or a pair ([m], [rad]), both finite, zero or more.
    :raises InvalidInputError: naming the first one that is not allowed.
    """
    if not (isinstance(elbow, str) and elbow in ELBOWS):
        raise InvalidInputError('elbow', elbow, ', '.join(ELBOWS))
    if not (isinstance(priority, str) and priority in PRIORITIES):
        raise InvalidInputError('priority', priority, ', '.join(PRIORITIES))
    if not are_lengths((position_tolerance, up_tolerance)):
        raise InvalidInputError('(position_tolerance, up_tolerance)',
                                (position_tolerance, up_tolerance), 'finite numbers, zero or more')
    if elevation is not None and not _is_finite(elevation):
        raise InvalidInputError('elevation', elevation, 'a finite number, or None')
    if branch_tolerance is not None and not are_lengths(branch_tolerance):
        raise InvalidInputError('branch_tolerance', branch_tolerance,
                                'a pair of finite numbers, zero or more, or None')


def between(what: str, value: Any, low: float, high: float) -> float:
    """
    Return a number from low to high as a float.

    :param what: its name, for messages.
    :raises InvalidInputError: for anything else.
    """
    if isinstance(value, bool) or not _is_finite(value) or not low <= float(value) <= high:
        raise InvalidInputError(what, value, f'a number from {low:g} to {high:g}')
    return float(value)


def _is_finite(value: object) -> bool:
    try:
        return isinstance(value, Real) and isfinite(value)
    except OverflowError:
        return False


def are_lengths(pair: Any) -> bool:
    """Return whether something is a pair of finite numbers, zero or more."""
    if pair.__class__ is not tuple and isinstance(pair, NOT_VECTORS):
        return False
    try:
        first, second = pair
        # Added to 0.0, because an int may be finite and too large for a float.
        return 0.0 <= first + 0.0 < inf and 0.0 <= second + 0.0 < inf
    except (TypeError, ValueError, OverflowError):
        return False
