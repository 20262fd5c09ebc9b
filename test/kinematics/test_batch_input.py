# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Arrays of a batch: what is taken, that it arrives row by row, and what is refused by entry."""

from math import inf, nan

from arm_ik.errors import InvalidInputError
from arm_ik.kinematics.batch import input as batch_input
from arm_ik.kinematics.batch.input import (
    checked_array, checked_targets, columns, made_unit)
from arm_ik.kinematics.target import Target
import numpy as np
import pytest

HOME = np.array([0.1, 0.2, 0.3, 0.4])
BLOCK = batch_input.BLOCK


def checked(positions, ups=None, forwards=None, near=HOME):
    return checked_targets(positions, ups, forwards, near, 4)


def numbered(*shape):
    """Return an array whose entries are 1, 2, 3 ..."""
    return np.arange(1.0, np.prod(shape) + 1.0).reshape(shape)


def rows_of(array, count):
    return [tuple(array[slice(i, i + 1)][0]) for i in range(count)]


def test_leading_axes_are_broadcast_and_rows_are_in_c_order():
    positions, ups, near = numbered(2, 1, 3), numbered(5, 3), numbered(2, 5, 4)
    targets = checked(positions, ups, None, near)
    assert targets.shape == (2, 5) and len(targets.positions) == 10
    assert targets.forwards is None
    for name, given, last in (('positions', positions, 3), ('ups', ups, 3), ('near', near, 4)):
        wanted = np.broadcast_to(given, (2, 5, last)).reshape(10, last)
        array = getattr(targets, name)
        assert len(array) == 10
        assert rows_of(array, 10) == [tuple(row) for row in wanted]
        some = np.array([7, 0, 9])
        assert np.array_equal(array[some], wanted[some])
        assert np.array_equal(array[2:9:3], wanted[2:9:3])


def test_one_vector_for_all_is_not_copied():
    targets = checked(np.ones((5, 3)), (0.0, 0.0, 1.0))
    assert targets.ups.strides[0] == 0 and targets.near.strides[0] == 0


@pytest.mark.parametrize('array', [
    numbered(6, 3), numbered(2, 3, 3), numbered(12, 3)[::2], numbered(2, 3, 6)[..., ::2].copy()],
    ids=['rows', 'axes', 'strided rows', 'contiguous'])
def test_rows_that_lie_in_order_are_not_copied(array):
    positions = checked(array).positions
    assert isinstance(positions, np.ndarray) and np.shares_memory(positions, array)


def test_rows_that_do_not_are_put_in_order():
    array = numbered(3, 2, 3).transpose(1, 0, 2)
    positions = checked(array).positions
    assert rows_of(positions, 6) == [tuple(row) for row in array.reshape(6, 3)]


def test_columns_are_contiguous_floats():
    array = np.arange(12, dtype=np.int32).reshape(4, 3)
    found = columns(array, slice(1, 3))
    assert found.dtype == float and found.flags.c_contiguous
    assert found.tolist() == [[3.0, 6.0], [4.0, 7.0], [5.0, 8.0]]


def test_vectors_of_any_length_are_made_unit():
    vectors = np.array([[3.0, 1e-200, 0.0], [-4.0, 0.0, 1e308], [0.0, -1e-200, 1e308]])
    half = 0.5 ** 0.5
    wanted = np.array([[0.6, half, 0.0], [-0.8, 0.0, half], [0.0, -half, half]])
    kept = vectors.copy()
    assert made_unit(vectors) == pytest.approx(wanted, abs=1e-15)
    assert np.array_equal(vectors, kept)


@pytest.mark.parametrize('kind', ['f8', 'f4', 'i4', 'u2', 'i8'])
def test_numbers_of_these_types_are_not_copied(kind):
    array = np.ones((2, 3), kind)
    assert checked_array('positions', array, 3, 'vectors') is array


@pytest.mark.parametrize('values', [
    [[1, 2, 3]], np.array([[1, 2, 3]], dtype=object), np.array([[1, 2, 3]], dtype=np.longdouble),
    np.array([[True, False, True]])], ids=['list', 'objects', 'long', 'bool'])
def test_others_are_made_floats(values):
    assert checked_array('positions', values, 3, 'vectors').dtype == np.float64


@pytest.mark.parametrize('values, found', [
    ([[10 ** 400, 0, 0]], '[[1000000'), ('abc', 'abc'),
    ([[1, 2], [3]], '[[1, 2], [3]]'), (None, 'nan'), (5.0, 'shape ()'),
    ([1.0, 2.0], 'shape (2,)'), (np.ones((3, 4)), 'shape (3, 4)'), (np.ones((3, 0)), '(3, 0)')],
    ids=lambda x: str(x)[:40])
def test_what_is_no_array_of_vectors_is_refused(values, found):
    with pytest.raises(InvalidInputError) as error:
        checked_array('positions', values, 3, 'three in each')
    assert error.value.allowed == 'three in each'
    assert str(error.value).startswith('positions is ')
    assert found in str(error.value) or values is None


@pytest.mark.parametrize('bad', [nan, inf, -inf])
@pytest.mark.parametrize('name, last', [('positions', 3), ('ups', 3), ('forwards', 3),
                                        ('near', 4)])
def test_the_first_entry_that_is_not_finite_is_named(name, last, bad):
    given = {'positions': numbered(2, 3, 3), 'ups': np.ones(3), 'forwards': np.array([1., 0., 0.]),
             'near': HOME, name: numbered(2, 3, last)}
    given[name][1, 0, 2] = bad
    given[name][1, 2, 0] = nan
    with pytest.raises(InvalidInputError) as error:
        checked(**given)
    assert error.value.what == f'{name}[1, 0, 2]'
    assert repr(error.value.found) == repr(bad)
    assert f'shape (..., {last})' in error.value.allowed


@pytest.mark.parametrize('row', [0, BLOCK - 1, BLOCK, 2 * BLOCK + 5])
def test_an_entry_of_a_later_block_is_named_by_its_own_number(row):
    positions = np.ones((2 * BLOCK + 7, 3))
    positions[row, 1] = nan
    with pytest.raises(InvalidInputError) as error:
        checked(positions)
    assert error.value.what == f'positions[{row}, 1]'
    ups = np.ones((2 * BLOCK + 7, 3))
    ups[row] = 0.0
    with pytest.raises(InvalidInputError) as error:
        checked(np.ones(3), ups)
    assert error.value.what == f'ups[{row}]'
    ups[row] = (-2.0, 0.0, 0.0)
    with pytest.raises(InvalidInputError) as error:
        checked(np.ones(3), ups, (1.0, 0.0, 0.0))
    assert error.value.what == f'forwards[{row}]'


@pytest.mark.parametrize('name', ['ups', 'forwards'])
def test_the_first_zero_vector_is_named(name):
    vectors = numbered(2, 3, 3)
    vectors[0, 1, :2] = 0.0  # two zeros are no zero vector
    vectors[0, 2, 1:] = 0.0
    vectors[1, 0, ::2] = 0.0
    checked(np.ones(3), **{name: vectors})
    vectors[1, 1:] = 0.0
    with pytest.raises(InvalidInputError) as error:
        checked(np.ones(3), **{name: vectors})
    assert error.value.what == f'{name}[1, 1]'
    assert error.value.found == (0.0, 0.0, 0.0)
    assert error.value.allowed == 'a vector that is not zero'
    with pytest.raises(InvalidInputError) as error:
        checked(np.ones(3), **{name: np.zeros(3)})
    assert error.value.what == name


@pytest.mark.parametrize('up, forward', [
    ((0., 0., 1.), (0., 0., -3.)), ((1., 2., 3.), (2., 4., 6.)), ((1., -2., 3.), (-1., 2., -3.)),
    ((0., 5., 0.), (0., 1e-300, 0.)), ((1., 1., 0.), (1e200, 1e200, 0.))])
def test_a_forward_vector_along_up_is_refused_by_entry(up, forward):
    ups = np.tile(np.array([0.3, -0.5, 0.8]), (2, 3, 1))
    ups[1, 2] = up
    with pytest.raises(InvalidInputError) as error:
        checked(np.ones((2, 3, 3)), ups, forward)
    assert error.value.what == 'forwards[1, 2]'
    assert error.value.found == forward
    assert error.value.allowed == 'any direction that is not along the up vector'
    with pytest.raises(InvalidInputError) as error:
        checked(np.ones(3), up, forward)
    assert error.value.what == 'forwards'


@pytest.mark.parametrize('up, forward', [
    ((1., 1., 0.), (1., -1., 0.)), ((1., 0., 1.), (1., 0., -1.)), ((0., 1., 1.), (0., 1., -1.)),
    ((0., 0., 1.), (1e-6, 0., 1.)), ((1., 2., 3.), (1., 2., 3.00001)),
    ((1., 2., 2.), (2., 1., 2.)), ((1., 0., 0.), (0., 1., 0.)), ((0., 1., 0.), (0., 0., 1.)),
    ((0., 0., 1.), (1., 0., 0.))])
def test_any_other_is_taken(up, forward):
    assert checked(np.ones((2, 3)), up, forward).shape == (2,)


@pytest.mark.parametrize('off', [0.5e-9, -0.5e-9, 0.99e-9, 1e-9, -1e-9, 2e-9, -2e-9])
@pytest.mark.parametrize('along, across', [(0, 1), (1, 2), (2, 0)])
def test_along_up_means_to_the_same_angle_as_for_one_target(along, across, off):
    up, forward = np.eye(3)[along], np.eye(3)[along] + off * np.eye(3)[across]
    if abs(off) >= 1e-9:
        assert checked(np.ones(3), up, forward).shape == ()
        Target((1, 1, 1), up, forward)
        return
    with pytest.raises(InvalidInputError):
        checked(np.ones(3), up, forward)
    with pytest.raises(InvalidInputError):
        Target((1, 1, 1), up, forward)


@pytest.mark.parametrize('name, last', [('ups', 3), ('forwards', 3), ('near', 4)])
def test_leading_axes_that_do_not_go_together_are_refused(name, last):
    with pytest.raises(InvalidInputError) as error:
        checked(**{'positions': np.ones((5, 3)), name: np.ones((4, last))})
    assert error.value.what == name
    assert f'({4}, {last})' in str(error.value) and '(5,)' in str(error.value)
