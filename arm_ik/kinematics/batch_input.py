# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What comes into a batch: arrays checked as a whole before anything is solved, then read by blocks.

Checks are those of :class:`~arm_ik.kinematics.target.Target`, and name the first row that breaks
one.
"""

from typing import NamedTuple, Tuple

import numpy as np

from .pose import checked_array, joint_array
from .target import PARALLEL_TOLERANCE
from ..errors import InvalidInputError

#: Rows looked at in one go where vectors are compared.
_BLOCK = 4096


class BatchTargets(NamedTuple):
    """
    Checked targets, one in each row.

    Vectors (count, 3) or ``None``, ``near`` (count, joints); ``shape`` holds the leading axes that
    came in. Rows that are the same for all are views of one, not copies.
    """

    positions: np.ndarray
    ups: np.ndarray
    forwards: np.ndarray
    near: np.ndarray
    shape: Tuple[int, ...]

    @property
    def count(self):
        """Return the number of targets."""
        return len(self.positions)


def checked_targets(positions, ups, forwards, near, joints):
    """
    Return the targets of a batch, checked.

    :param positions: tip targets in ``base_link`` [m], shape (..., 3).
    :param ups: up vectors of any length but zero, shape (..., 3), or ``None``.
    :param forwards: forward vectors of any length but zero, not along up, shape (..., 3), or
        ``None``.
    :param near: readings [rad], shape (..., joints).
    :param joints: number of joints of the arm.
    :returns: :class:`BatchTargets`; the leading axes of all four are broadcast against each other.
    :raises InvalidInputError: naming the array and the first entry that is wrong.
    """
    arrays = {'positions': _vectors('positions', positions)}
    for what, vectors in (('ups', ups), ('forwards', forwards)):
        arrays[what] = None
        if vectors is not None:
            arrays[what] = _vectors(what, vectors)
            zero = ~arrays[what].any(axis=-1)
            if zero.any():
                _refuse(what, arrays[what], zero, 'a vector that is not zero')
    arrays['near'] = joint_array('near', near, joints)
    shape = _common_shape(arrays)
    rows = {what: None if array is None else
            np.broadcast_to(array, shape + array.shape[-1:]).reshape(-1, array.shape[-1])
            for what, array in arrays.items()}
    targets = BatchTargets(**rows, shape=shape)
    if ups is not None and forwards is not None:
        _check_not_parallel(targets)
    return targets


def columns(array, rows):
    """Return rows of an array as contiguous columns."""
    return np.ascontiguousarray(array[rows].T)


def shared_columns(array, rows):
    """Return :func:`columns`, or columns of length one where all rows are the same view."""
    return columns(array, slice(0, 1) if array.strides[0] == 0 else rows)


def unit_columns(array, rows):
    """Return rows of vectors, none of them zero, as columns made unit."""
    vectors = array[rows].T.copy()
    # Scaled first, so that neither 1e-200 nor 1e308 is taken for zero or infinity.
    vectors /= np.abs(vectors).max(axis=0)
    vectors /= np.sqrt((vectors * vectors).sum(axis=0))
    return vectors


def _vectors(what, values):
    return checked_array(what, values, 3, 'finite vectors, shape (..., 3)')


def _common_shape(arrays):
    shape = arrays['positions'].shape[:-1]
    for what, array in arrays.items():
        if array is None:
            continue
        try:
            shape = np.broadcast_shapes(shape, array.shape[:-1])
        except ValueError:
            raise InvalidInputError(
                what, f'an array of shape {array.shape}',
                f'leading axes that broadcast with {shape}, those of the targets') from None
    return shape


def _check_not_parallel(targets):
    for start in range(0, targets.count, _BLOCK):
        rows = slice(start, start + _BLOCK)
        (a, b, c), (x, y, z) = [
            unit_columns(vectors, rows) for vectors in (targets.ups, targets.forwards)]
        crossed = np.sqrt((b * z - c * y) ** 2 + (c * x - a * z) ** 2 + (a * y - b * x) ** 2)
        parallel = crossed < PARALLEL_TOLERANCE
        if parallel.any():
            row = start + int(np.argmax(parallel))
            index = [int(i) for i in np.unravel_index(row, targets.shape)]
            raise InvalidInputError(
                f'forwards{index or ""}', tuple(targets.forwards[row].tolist()),
                'any direction that is not along the up vector')


def _refuse(what, array, wrong, allowed):
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    raise InvalidInputError(
        f'{what}{list(index) or ""}', tuple(array[index].tolist()), allowed)
