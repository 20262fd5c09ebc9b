# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A target of the arm: a tip position, an up vector, a forward vector."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import hypot, inf, isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .tolerances import TIE
from .tool_axes import axes_of, checked_up_axis, QUATERNION_NORM_TOLERANCE, up_and_forward
from .vectors import cross, dot
from ..errors import InvalidInputError

#: Iterable types that are not vectors: text, and collections without an order.
NOT_VECTORS = (str, bytes, bytearray, set, frozenset, dict)

#: What stays as it is in a copy of a target.
_SAME: Any = object()


@dataclass(frozen=True, init=False)
class Target:
    """
    A tip pose to reach, in ``base_link``.

    :param position: of the tip [m], three finite numbers.
    :param up: along the last link, from the wrist to the tip; any length but zero; ``None``: any
        direction will do.
    :param forward: where ``tool0``'s x axis should point, as far as the up vector leaves it free;
        any length but zero; ``None``: any. Only arms with a wrist roll can serve it.
    :raises InvalidInputError: for NaN, infinity, a wrong number of values, a zero vector, or a
        forward vector parallel to the up vector.
    """

    __slots__ = ('position', 'up', 'forward')

    position: tuple[float, float, float]
    up: tuple[float, float, float] | None
    forward: tuple[float, float, float] | None

    def __init__(self, position: Iterable[float], up: Iterable[float] | None = None,
                 forward: Iterable[float] | None = None) -> None:
        _set_position(self, _three_floats('target position', position))
        _set_up(self, None if up is None else unit_vector('target up vector', up))
        _set_forward(self, None if forward is None else unit_vector(
            'target forward vector', forward))
        if self.up is not None and self.forward is not None:
            (a, b, c), (x, y, z) = self.up, self.forward
            if hypot(b * z - c * y, c * x - a * z, a * y - b * x) < TIE:
                raise InvalidInputError('target forward vector', forward,
                                        'any direction that is not along the up vector')

    @classmethod
    def of_unit_vectors(cls, position: tuple[float, float, float],
                        up: tuple[float, float, float] | None,
                        forward: tuple[float, float, float] | None = None) -> Target:
        """
        Return a target of numbers that are known to be valid, in a fifth of the time.

        :param position: of the tip [m], three finite floats.
        :param up: three floats, of length one; or ``None``.
        :param forward: three floats, of length one and not along up; or ``None``.
        """
        target = _blank(cls)
        _set_position(target, position)
        _set_up(target, up)
        _set_forward(target, forward)
        return target

    @classmethod
    def from_quaternion(cls, position: Iterable[float], xyzw: Iterable[float],
                        up_axis: str = 'z') -> Target:
        """
        Return the target of a position and a quaternion.

        :param position: of the tip in ``base_link`` [m], three finite numbers.
        :param xyzw: of norm 1, the order of ROS; other libraries have w first.
        :param up_axis: the axis of this frame that is the up vector, as ``ik_node``'s parameter
            (``docs/conventions.md``): ``'z'``, whose x is the forward vector, ``'-z'``, ``'x'``,
            ``'-x'``, ``'y'`` or ``'-y'``.
        :raises InvalidInputError: for any other numbers or axis.
        """
        what = 'target quaternion'
        axes = axes_of(what, floats(what, xyzw, 4, 'four numbers x, y, z, w'))
        return cls(position, *up_and_forward(axes, checked_up_axis(up_axis)))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, up_axis: str = 'z') -> Target:
        """
        Return the target of a homogeneous transform: the frame of the tip in ``base_link``.

        :param matrix: shape (4, 4): a rotation, the position [m], and 0, 0, 0, 1 below.
        :param up_axis: as for :meth:`from_quaternion`.
        :raises InvalidInputError: for any other matrix or axis.
        """
        allowed = 'a 4 x 4 matrix of finite numbers: a rotation and a position above 0, 0, 0, 1'
        try:
            rows = np.array(nan if is_complex(matrix) else matrix, dtype=float)
        except (TypeError, ValueError, OverflowError):
            rows = np.array(nan)
        x, y, z, position = rows[:3].T.tolist() if rows.shape == (4, 4) else 4 * [[0.0, 0.0, 0.0]]
        off = [dot(x, x) - 1.0, dot(y, y) - 1.0, dot(z, z) - 1.0, dot(x, y), dot(y, z), dot(z, x)]
        if not (all(abs(each) <= QUATERNION_NORM_TOLERANCE for each in off)
                and dot(cross(x, y), z) > 0.0
                and all(abs(a - b) <= TIE for a, b in zip(rows[3].tolist(), (0, 0, 0, 1)))):
            raise InvalidInputError('target matrix', matrix, allowed)
        return cls(position, *up_and_forward((x, y, z), checked_up_axis(up_axis)))

    @classmethod
    def from_pose(cls, pose: Any, up_axis: str = 'z') -> Target:
        """
        Return the target of a ``geometry_msgs/Pose`` in ``base_link``, or of anything like it.

        :param pose: with ``position`` x, y, z [m] and ``orientation`` x, y, z, w. A PoseStamped is
            refused, because only tf knows where its frame is.
        :param up_axis: as for :meth:`from_quaternion`.
        :raises InvalidInputError: for any other object, numbers or axis.
        """
        try:
            at, turn = pose.position, pose.orientation
            position, xyzw = (at.x, at.y, at.z), (turn.x, turn.y, turn.z, turn.w)
        except AttributeError:
            raise InvalidInputError(
                'target pose', pose, 'a Pose, with position and orientation; of a PoseStamped '
                'its pose, if its frame is base_link') from None
        return cls.from_quaternion(position, xyzw, up_axis)

    def replace(self, *, position: Iterable[float] = _SAME, up: Iterable[float] | None = _SAME,
                forward: Iterable[float] | None = _SAME) -> Target:
        """Return a copy with position, up vector or forward vector changed, see the class."""
        copy = Target(self.position if position is _SAME else position,
                      self.up if up is _SAME else up,
                      self.forward if forward is _SAME else forward)
        # What stays is not made unit again, which would round it.
        _set_up(copy, self.up if up is _SAME else copy.up)
        _set_forward(copy, self.forward if forward is _SAME else copy.forward)
        return copy

    def __reduce__(self) -> tuple[object, ...]:
        return (Target, (self.position, self.up, self.forward))


_blank = object.__new__
_set_position, _set_up, _set_forward = [getattr(Target, name).__set__ for name in Target.__slots__]


def _three_floats(what: str, values: Iterable[float]) -> tuple[float, float, float]:
    x, y, z = floats(what, values, 3, 'three numbers')
    if not (isfinite(x) and isfinite(y) and isfinite(z)):
        raise InvalidInputError(what, (x, y, z), 'three finite numbers')
    return x, y, z


def floats(what: str, values: Iterable[float], count: int, allowed: str) -> tuple[float, ...]:
    """
    Return so many numbers, of whatever type, as floats; they may be infinite or NaN.

    :param allowed: for messages, ``{}`` in it is the count.
    :raises InvalidInputError: for anything else.
    """
    given = values
    if values.__class__ not in (tuple, list):
        if isinstance(values, np.ndarray):
            given = values.tolist()
        elif isinstance(values, NOT_VECTORS):
            given = ()
    try:
        numbers = tuple([float(value) for value in given])
    except (TypeError, ValueError, OverflowError):
        numbers = ()
    if len(numbers) != count:
        raise InvalidInputError(what, values, allowed.format(count))
    return numbers


def is_complex(values: object) -> bool:
    """Return whether values are an array of complex numbers, of which ``float`` takes a part."""
    return getattr(getattr(values, 'dtype', None), 'kind', '') == 'c'


def unit_vector(what: str, values: Iterable[float]) -> tuple[float, float, float]:
    """
    Return a vector of length one in the direction of another one.

    :param what: name of the vector, for messages.
    :param values: three finite numbers, not all zero.
    :raises InvalidInputError: for other values.
    """
    x, y, z = _three_floats(what, values)
    length = hypot(x, y, z)
    if not 1e-300 < length < inf:
        # Scaled first, for a length that is no plain float.
        scale = max(abs(x), abs(y), abs(z))
        if scale == 0.0:
            raise InvalidInputError(what, (x, y, z), 'a vector that is not zero')
        return unit_vector(what, (x / scale, y / scale, z / scale))
    return x / length, y / length, z / length
