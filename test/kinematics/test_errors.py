# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Errors: one family, the builtin a caller expects, facts in the message, fit for pickling."""

from copy import copy
import pickle

from arm_ik import (
    Arm, ArmIkError, DriverError, InvalidArmError, InvalidInputError, UnknownPresetError)
from arm_ik.errors import in_file
import numpy as np
import pytest

ERRORS = [
    (InvalidInputError('target position', (1, 2), 'three numbers'), ValueError,
     'target position is (1, 2); allowed: three numbers'),
    (InvalidArmError('arm.links.hand', -1.0, 'a length above zero'), ValueError,
     'arm.links.hand: found -1.0; allowed: a length above zero'),
    (InvalidArmError('arm.links.hand', -1.0, 'a length above zero', 'my.yaml'), ValueError,
     'my.yaml: arm.links.hand: found -1.0; allowed: a length above zero'),
    (UnknownPresetError('so100', ('px100', 'so101')), LookupError,
     "no arm named 'so100'; did you mean 'so101'? there are: px100, so101"),
    (UnknownPresetError('zzz', ('px100', 'so101')), LookupError,
     "no arm named 'zzz'; there are: px100, so101"),
    (UnknownPresetError('so102', ('so100', 'so101', 'px100')), LookupError,
     "no arm named 'so102'; did you mean 'so101'? there are: so100, so101, px100"),
    (DriverError('simulated', 'not connected'), RuntimeError, 'simulated: not connected'),
]
each_error = pytest.mark.parametrize('error, builtin, message', ERRORS, ids=lambda x: (
    type(x).__name__ if isinstance(x, Exception) else ''))


@each_error
def test_it_says_what_was_found_and_what_is_allowed(error, builtin, message):
    assert str(error) == message


@each_error
def test_it_is_of_the_family_and_of_the_builtin_a_caller_expects(error, builtin, message):
    assert isinstance(error, ArmIkError) and isinstance(error, builtin)
    assert issubclass(ArmIkError, Exception) and not issubclass(ArmIkError, builtin)


@each_error
@pytest.mark.parametrize('again', [copy, lambda error: pickle.loads(pickle.dumps(error))],
                         ids=['copy', 'pickle'])
def test_it_survives_being_copied_and_pickled_with_its_facts(error, builtin, message, again):
    found = again(error)
    assert type(found) is type(error) and str(found) == message
    assert vars(found) == vars(error)


def test_an_arm_error_can_be_told_its_file():
    with pytest.raises(InvalidArmError) as raised, in_file('arm.yaml'):
        raise InvalidArmError('arm.name', 5, 'a word')
    assert str(raised.value) == 'arm.yaml: arm.name: found 5; allowed: a word'
    assert raised.value.source == 'arm.yaml'


def test_what_is_too_long_is_cut_short():
    error = InvalidInputError('near', list(range(1000)), 'four readings')
    assert len(str(error)) < 200 and '...' in str(error)
    assert error.found == list(range(1000))


def test_what_is_printed_over_lines_is_told_in_one():
    error = InvalidInputError('position', np.zeros((3, 3)), 'three numbers')
    assert '\n' not in str(error) and '[0., 0., 0.], [0., 0., 0.]' in str(error)


def test_asking_for_an_arm_that_is_not_there_names_the_nearest():
    with pytest.raises(UnknownPresetError, match="did you mean 'so101'"):
        Arm.preset('so-1011')
