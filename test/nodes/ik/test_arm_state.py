# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from array import array
from math import inf, nan

from arm_ik.errors import InvalidInputError
from arm_ik.nodes.ik.arm_state import ArmState
import pytest


def known(now=10.0):
    state = ArmState(('a', 'b', 'c'))
    assert state.merge(now, ['a', 'b', 'c'], array('d', [1.0, 2.0, 3.0]))
    return state


def test_nothing_is_known_at_first():
    state = ArmState(('a', 'b'))
    assert state.positions == (None, None)
    assert state.unknown_joints == ('a', 'b')
    assert state.oldest(5.0) == (inf, 'a')


def test_partial_messages_are_merged_by_name_whatever_their_order():
    state = ArmState(('a', 'b', 'c'))
    state.merge(1.0, ['c', 'a'], [3.0, 1.0])
    assert state.unknown_joints == ('b',)
    state.merge(2.0, ['b'], [2.0])
    assert state.positions == (1.0, 2.0, 3.0)
    assert state.unknown_joints == ()


def test_each_joint_has_its_own_age():
    state = known(now=10.0)
    state.merge(12.0, ['a', 'c'], [1.0, 3.0])
    assert state.oldest(13.0) == (3.0, 'b')
    state.merge(13.0, ['b'], [2.0])
    assert state.oldest(13.0) == (1.0, 'a')


def test_unknown_names_are_somebody_elses_joints():
    state = known()
    assert not state.merge(20.0, ['wheel'], [nan])
    assert state.merge(20.0, ['wheel', 'b'], [nan, 5.0])
    assert state.positions == (1.0, 5.0, 3.0)


def test_a_message_without_positions_tells_nothing():
    state = known(now=10.0)
    assert not state.merge(20.0, ['a', 'b', 'c'], [], [], [1.0, 2.0, 3.0])
    assert not state.merge(20.0, [], [])
    assert state.oldest(20.0) == (10.0, 'a')


def test_velocities_may_be_nan():
    assert known().merge(20.0, ['a'], [1.5], [nan], [])


@pytest.mark.parametrize('names, arrays', [
    (['a', 'b'], ([7.0],)), (['a'], ([7.0, 8.0],)), ([], ([7.0],)),
    (['a', 'b'], ([7.0, 8.0], [0.0])), (['a'], ([7.0], [], [0.0, 0.0])),
    (['a'], (array('d', bytes(8 * 200_000)),))])
def test_arrays_of_unequal_length_are_refused_and_lose_nothing(names, arrays):
    state = known(now=10.0)
    with pytest.raises(InvalidInputError, match='joint_states is .* names and an array of'):
        state.merge(20.0, names, *arrays)
    assert state.positions == (1.0, 2.0, 3.0)
    assert state.oldest(20.0)[0] == 10.0


@pytest.mark.parametrize('bad', [nan, inf, -inf, 1000000.5, -1000000.5, -1e15, 1e308])
def test_a_position_that_no_joint_can_have_is_refused_and_loses_nothing(bad):
    # From near 1e15 rad, say, a reachable target would come out 4 mm off.
    state = known(now=10.0)
    with pytest.raises(InvalidInputError, match=f'joint_states position of b is {bad}; allowed'
                       .replace('+', '.')):
        state.merge(20.0, ['a', 'b'], [7.0, bad])
    assert state.positions == (1.0, 2.0, 3.0)
    assert state.oldest(20.0)[0] == 10.0


def test_a_position_as_far_as_any_joint_may_stand_is_taken():
    state = known()
    assert state.merge(20.0, ['a', 'b'], [1e6, -1e6])
    assert state.positions == (1e6, -1e6, 3.0)


def test_of_a_name_given_twice_the_later_reading_counts():
    state = known()
    state.merge(11.0, ['a', 'a'], [5.0, 6.0])
    assert state.positions == (6.0, 2.0, 3.0)
