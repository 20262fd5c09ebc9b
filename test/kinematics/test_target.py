# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What may be asked for, what is refused and how."""

from copy import copy, deepcopy
from fractions import Fraction
from math import cos, hypot, inf, nan, pi, sin
import pickle

from arm_ik import InvalidInputError, Target
from hypothesis import assume, given, settings
from hypothesis.strategies import floats, tuples
import numpy as np
import pytest

any_finite = floats(allow_nan=False, allow_infinity=False)


def test_a_target_holds_floats_and_unit_vectors():
    target = Target((1, 2, 3), (0, 0, -5), (2, 0, 0))
    assert target.position == (1.0, 2.0, 3.0)
    assert target.up == (0.0, 0.0, -1.0)
    assert target.forward == (1.0, 0.0, 0.0)
    assert all(type(x) is float for x in target.position + target.up + target.forward)


def test_numbers_known_to_be_good_make_the_same_target():
    position, up, forward = (0.1, 0.2, 0.3), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)
    for numbers in ((position, None, None), (position, up, None), (position, up, forward)):
        target = Target.of_unit_vectors(*numbers)
        assert target == Target(*numbers) and type(target) is Target
        with pytest.raises(AttributeError):
            target.up = None


def test_up_and_forward_may_be_left_open():
    target = Target((1, 2, 3))
    assert target.up is None and target.forward is None
    assert Target((1, 2, 3), forward=(0, 1, 0)).up is None


@pytest.mark.parametrize('position', [
    [0.1, 0.2, 0.3], np.array([0.1, 0.2, 0.3]), (x / 10 for x in (1, 2, 3)),
    (np.float64(0.1), Fraction(1, 5), '0.3')], ids=['list', 'array', 'generator', 'mixed'])
def test_anything_that_makes_three_numbers_is_taken(position):
    assert Target(position).position == pytest.approx((0.1, 0.2, 0.3))


@given(tuples(any_finite, any_finite, any_finite))
@settings(derandomize=True, deadline=None)
def test_an_up_vector_of_any_length_but_zero_is_made_unit(up):
    assume(any(up))
    x, y, z = Target((0, 0, 0), up).up
    assert hypot(x, y, z) == pytest.approx(1.0, abs=4e-16)
    scale = max(map(abs, up))
    a, b, c = (part / scale for part in up)
    assert hypot(b * z - c * y, c * x - a * z, a * y - b * x) < 1e-15
    assert a * x + b * y + c * z > 0.0


@pytest.mark.parametrize('bad', [nan, inf, -inf])
@pytest.mark.parametrize('place', range(3))
@pytest.mark.parametrize('what', ['position', 'up', 'forward'])
def test_nan_and_infinity_are_refused_anywhere(what, place, bad):
    vector = [0.1, 0.2, 0.3]
    vector[place] = bad
    parts = {'position': (1, 2, 3), what: vector}
    with pytest.raises(InvalidInputError) as caught:
        Target(**parts)
    message = str(caught.value)
    assert what in message and str(bad) in message and 'three finite numbers' in message


@pytest.mark.parametrize('wrong', [
    (), (1.0,), (1.0, 2.0), (1.0, 2.0, 3.0, 4.0), 5.0, 'ab', 'abc', [[1, 2, 3]] * 3,
    (1.0, None, 2.0), np.zeros((3, 3)), {'x': 1.0}, (1j, 0, 0), (10 ** 400, 0, 0),
    '123', b'123', bytearray(b'123'), {1, 2, 3}, frozenset((1, 2, 3)), {1: 'x', 2: 'y', 3: 'z'}],
    ids=repr)
@pytest.mark.parametrize('what', ['position', 'up', 'forward'])
def test_anything_else_than_three_numbers_is_refused_by_name(what, wrong):
    parts = {'position': (1, 2, 3), what: wrong}
    with pytest.raises(InvalidInputError, match=f'(?s)target {what}.* allowed: three'):
        Target(**parts)


def test_a_target_needs_a_position():
    with pytest.raises(InvalidInputError, match='target position is None'):
        Target(None)


@pytest.mark.parametrize('what', ['up', 'forward'])
@pytest.mark.parametrize('zero', [(0, 0, 0), (0.0, -0.0, 0.0), np.zeros(3)], ids=repr)
def test_a_zero_vector_is_refused(what, zero):
    with pytest.raises(InvalidInputError, match=f'target {what} vector.* not zero'):
        Target((0, 0, 0), **{what: zero})


@pytest.mark.parametrize('forward', [(0, 0, 1), (0, 0, -7), (0, 1e-12, 1), (1e-200, 0, 1e-180)])
def test_a_forward_vector_along_the_up_vector_is_refused(forward):
    with pytest.raises(InvalidInputError, match='not along the up vector'):
        Target((0, 0, 0), (0, 0, 3), forward)


@pytest.mark.parametrize('up', [(1, 2, 3), (-3, 1, 2), (2, -3, 1)])
def test_along_a_slanted_up_vector_means_in_all_three_coordinates(up):
    for forward in (up, [-5 * x for x in up]):
        with pytest.raises(InvalidInputError, match='not along the up vector'):
            Target((0, 0, 0), up, forward)


@pytest.mark.parametrize('up, forward', [
    ((1, 1, 0), (1, -1, 0)), ((1, 0, 1), (1, 0, -1)), ((0, 1, 1), (0, 1, -1))])
def test_a_forward_vector_that_is_up_but_for_a_sign_is_taken(up, forward):
    assert Target((0, 0, 0), up, forward).forward is not None


@pytest.mark.parametrize('off', [1e-9, 2e-9, 1e-6, -2e-9])
def test_a_forward_vector_almost_along_the_up_vector_is_taken(off):
    for up, forward in (((0, 0, 1), (off, 0, 1)), ((1, 0, 0), (1, off, 0)),
                        ((0, 1, 0), (0, 1, off))):
        assert max(Target((0, 0, 0), up, forward).forward) == pytest.approx(1.0)


def test_a_target_cannot_be_changed():
    target = Target((1, 2, 3), (0, 0, 1))
    for name in ('position', 'up', 'forward', 'colour'):
        with pytest.raises(AttributeError, match=name):
            setattr(target, name, (0, 0, 0))
    assert target == Target((1, 2, 3), (0, 0, 1))


def test_a_target_keeps_what_it_was_given_when_the_array_changes():
    position = np.array([1.0, 2.0, 3.0])
    target = Target(position)
    position[0] = 9.0
    assert target.position == (1.0, 2.0, 3.0)


def test_equal_targets_are_equal_and_hash_alike():
    one, same = Target((1, 2, 3), (0, 0, 1)), Target([1.0, 2.0, 3.0], (0, 0, 9))
    assert one == same and hash(one) == hash(same)
    assert one != Target((1, 2, 3)) and one != Target((1, 2, 4), (0, 0, 1))
    assert one != Target((1, 2, 3), (0, 0, 1), (1, 0, 0))
    assert one != (1, 2, 3)


@pytest.mark.parametrize('again', [
    copy, deepcopy, lambda target: pickle.loads(pickle.dumps(target)),
    lambda target: eval(repr(target), {'Target': Target})],
    ids=['copy', 'deepcopy', 'pickle', 'repr'])
def test_a_target_survives_being_copied_pickled_and_printed(again):
    for angle in range(20):
        up = cos(angle), sin(angle), 0.3
        target = Target((0.1, 0.2, 0.3), up, (0, 0, 1))
        found = again(target)
        assert found.position == target.position
        assert found.up == pytest.approx(target.up, abs=2e-16)
        assert found.forward == pytest.approx(target.forward, abs=2e-16)
    assert again(Target((0, 0, pi))) == Target((0, 0, pi))
