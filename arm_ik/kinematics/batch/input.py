# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The input of a batch: arrays checked as a whole before anything is solved, then read by blocks.

Checks are those of :class:`~arm_ik.kinematics.target.Target`, and name the first entry that breaks
one. Arrays are not copied as a whole, even if they are of another number type or mapped from a
file: only the rows of one block at a time are copied. Those whose leading axes can't be merged
otherwise are.
"""

from math import prod
from typing import Any, NamedTuple, Tuple

import numpy as np

from ..target import is_complex
from ..tolerances import TIE
from ..vectors import cross, dot
from ...errors import InvalidInputError

#: Rows checked together.
BLOCK = 8192


class BatchTargets(NamedTuple):
    """
    Checked targets, one in each row.

    Vectors (count, 3) and ``near`` (count, joints), ``None`` where nothing was given; ``shape``
    holds the leading axes that came in.
    """

    positions: Any
    ups: Any
    forwards: Any
    near: Any
    shape: Tuple[int, ...]


def checked_targets(positions, ups, forwards, near, joints):
    """
    Return the targets of a batch, checked.

    :param positions: tip targets in ``base_link`` [m], shape (..., 3).
    :param ups: up vectors of any length but zero, shape (..., 3), or ``None``.
    :param forwards: forward vectors of any length but zero, not along up, shape (..., 3), or
        ``None``.
    :param near: positions [rad], shape (..., joints), or ``None``.
    :param joints: number of joints of the arm.
    :returns: :class:`BatchTargets`; the leading axes of all four are broadcast against each other.
    :raises InvalidInputError: naming the array and the first entry that is wrong.
    """
    vectors = 'finite vectors, shape (..., 3)'
    arrays = {'positions': checked_array('positions', positions, 3, vectors)}
    for what, values in (('ups', ups), ('forwards', forwards)):
        arrays[what] = None
        if values is not None:
            arrays[what] = checked_array(what, values, 3, vectors)
            _check_not_zero(what, arrays[what])
    arrays['near'] = None if near is None else checked_array(
        'near', near, joints, f'finite positions, shape (..., {joints})')
    shape = _common_shape(arrays)
    targets = BatchTargets(**{what: None if array is None else _rows(array, shape)
                              for what, array in arrays.items()}, shape=shape)
    if ups is not None and forwards is not None:
        _check_not_parallel(targets)
    return targets


def columns(array, rows):
    """Return rows of an array as contiguous columns of floats."""
    return np.ascontiguousarray(array[rows].T, dtype=float)


def made_unit(vectors):
    """Return columns of vectors normalised; none of them may be zero."""
    # Scaled first, so that neither 1e-200 nor 1e308 is taken for zero or infinity.
    vectors = vectors / np.abs(vectors).max(axis=0)
    return vectors / np.sqrt((vectors * vectors).sum(axis=0))


def checked_array(what, values, last, allowed):
    """Return values as an array of finite numbers whose last axis has length ``last``."""
    if not (isinstance(values, np.ndarray) and values.dtype.kind in 'fiu'
            and values.dtype.itemsize <= 8):
        try:
            if is_complex(values := np.asarray(values)):
                raise TypeError
            values = np.asarray(values, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise InvalidInputError(what, values, allowed) from None
    if values.ndim == 0 or values.shape[-1] != last:
        raise InvalidInputError(what, f'an array of shape {values.shape}', allowed)
    for start, block in _blocks(values):
        finite = np.isfinite(block)
        if not finite.all():
            row, entry = (int(i) for i in np.argwhere(~finite)[0])
            where = [*_index(start + row, values.shape[:-1]), entry]
            raise InvalidInputError(f'{what}{where}', float(block[row, entry]), allowed)
    return values


def _check_not_zero(what, array):
    for start, block in _blocks(array):
        if block.all():
            continue
        zero = (block[:, 0] == 0.0) & (block[:, 1] == 0.0) & (block[:, 2] == 0.0)
        if zero.any():
            row = int(np.argmax(zero))
            raise InvalidInputError(f'{what}{_index(start + row, array.shape[:-1]) or ""}',
                                    tuple(block[row].tolist()), 'a vector that is not zero')


def _check_not_parallel(targets):
    for start in range(0, len(targets.positions), BLOCK):
        rows = slice(start, start + BLOCK)
        u, forward = targets.ups[rows], targets.forwards[rows]
        with np.errstate(all='ignore'):
            uu, ff, uf = [np.einsum('ij,ij->i', a, b, dtype=float)
                          for a, b in ((u, u), (forward, forward), (u, forward))]
            # Far from parallel; false where squares overflow or vanish.
            if (uf * uf < 0.9 * (uu * ff)).all():
                continue
        crossed = cross(*[
            made_unit(columns(vectors, rows)) for vectors in (targets.ups, targets.forwards)])
        parallel = dot(crossed, crossed) < TIE * TIE
        if parallel.any():
            row = start + int(np.argmax(parallel))
            raise InvalidInputError(
                f'forwards{_index(row, targets.shape) or ""}',
                tuple(targets.forwards[row].tolist()),
                'any direction that is not along the up vector')


def _common_shape(arrays):
    shape = ()
    for what, array in arrays.items():
        if array is None or array.shape[:-1] == shape:
            continue
        try:
            shape = np.broadcast_shapes(shape, array.shape[:-1])
        except ValueError:
            raise InvalidInputError(
                what, f'an array of shape {array.shape}',
                f'leading axes that broadcast with {shape}, those of the targets') from None
    return shape


def _rows(array, shape):
    """Return an array broadcast to leading axes, these merged to one."""
    last = array.shape[-1]
    if array.size == last:
        return np.broadcast_to(array.reshape(last), (prod(shape), last))
    return np.broadcast_to(array, (*shape, last)).reshape(-1, last)


def _blocks(array):
    """Yield an array's rows in blocks, each with the number of its first row."""
    rows = _rows(array, array.shape[:-1])
    for start in range(0, len(rows), BLOCK):
        yield start, rows[start:start + BLOCK]


def _index(row, shape):
    return [int(i) for i in np.unravel_index(row, shape)]
