# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.


from array import array
from math import inf, nan

from arm_ik.errors import InvalidInputError
from arm_ik.nodes.ik.state_monitor import StateMonitor
import pytest


def known(now=10.0):
    state = StateMonitor(('a', 'b', 'c'), 1.0)
    assert state.merge(now, ['a', 'b', 'c'], array('d', [1.0, 2.0, 3.0]))
    return state


# What is known

def test_nothing_is_known_at_first():
    state = StateMonitor(('a', 'b'), 1.0)
    assert state.positions == (None, None)
    assert state.age(5.0) == inf and state.pause(5.0)


def test_partial_messages_are_merged_by_name_whatever_their_order():
    state = StateMonitor(('a', 'b', 'c'), 1.0)
    state.merge(1.0, ['c', 'a'], [3.0, 1.0])
    assert state.positions == (1.0, None, 3.0)
    assert state.age(2.0) == inf
    state.merge(2.0, ['b'], [2.0])
    assert state.positions == (1.0, 2.0, 3.0)
    assert state.age(2.0) == 1.0


def test_the_age_is_that_of_the_joint_that_has_been_silent_longest():
    state = known(now=10.0)
    state.merge(12.0, ['a', 'c'], [1.0, 3.0])
    assert (state.heard, state.age(13.0)) == (10.0, 3.0)
    state.merge(13.0, ['b'], [2.0])
    assert (state.heard, state.age(13.0)) == (12.0, 1.0)


def test_joints_of_other_names_are_passed_over():
    state = known()
    assert not state.merge(20.0, ['wheel'], [nan])
    assert state.merge(20.0, ['wheel', 'b'], [nan, 5.0])
    assert state.positions == (1.0, 5.0, 3.0)


def test_a_message_without_positions_changes_nothing():
    state = known(now=10.0)
    assert not state.merge(20.0, ['a', 'b', 'c'], [], [], [1.0, 2.0, 3.0])
    assert not state.merge(20.0, [], [])
    assert state.age(20.0) == 10.0


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
    assert state.age(20.0) == 10.0


@pytest.mark.parametrize('bad', [nan, inf, -inf, 1000000.5, -1000000.5, -1e15, 1e308])
def test_a_position_that_no_joint_can_have_is_refused_and_loses_nothing(bad):
    # From near 1e15 rad, say, a reachable target would come out 4 mm off.
    state = known(now=10.0)
    with pytest.raises(InvalidInputError, match=f'joint_states position of b is {bad}; allowed'
                       .replace('+', '.')):
        state.merge(20.0, ['a', 'b'], [7.0, bad])
    assert state.positions == (1.0, 2.0, 3.0)
    assert state.age(20.0) == 10.0


def test_a_position_as_far_as_any_joint_may_stand_is_taken():
    state = known()
    assert state.merge(20.0, ['a', 'b'], [1e6, -1e6])
    assert state.positions == (1e6, -1e6, 3.0)


def test_of_a_name_given_twice_the_later_position_counts():
    state = known()
    state.merge(11.0, ['a', 'a'], [5.0, 6.0])
    assert state.positions == (6.0, 2.0, 3.0)


# How old it is

def two(now=0.0, timeout=1.0):
    state = StateMonitor(('a', 'b'), timeout)
    state.merge(now, ['a', 'b'], [1.0, 2.0])
    return state


def test_an_incomplete_state_is_unavailable_with_the_names_of_its_joints():
    state = StateMonitor(('a', 'b', 'c'), 1.0)
    state.merge(0.0, ['b'], [2.0])
    reason, cause = state.unavailable(0.0)
    assert reason.startswith('the state of the arm is not known yet: no joint_states of a, c (no')
    assert cause == 'state unknown'


def test_a_stale_state_is_unavailable_with_the_name_of_the_joint():
    state = two()
    assert state.unavailable(1.0) is None
    state.merge(1.0, ['a'], [1.0])
    reason, cause = state.unavailable(1.5)
    assert reason == ('the last joint_states of b came 1.5 s ago; allowed: at most 1 s '
                      '(state_timeout)')
    assert cause == 'state stale'


@pytest.mark.parametrize('timeout', [0.5, 1.0, 4.0])
def test_the_state_is_paused_and_interrupted_after_a_fifth_of_the_timeout(timeout):
    for silence, paused in ((0.2, False), (0.21, True)):
        state = two(timeout=timeout)
        assert bool(state.pause(silence * timeout)) == paused
        state.merge(silence * timeout, ['a'], [1.0])
        assert bool(state.pause(silence * timeout)) == paused
        state.merge(silence * timeout, ['b'], [1.0])
        assert state.was_interrupted(silence * timeout) == paused


def test_it_counts_as_interrupted_for_a_while_after_the_pause():
    state = two()
    assert not state.was_interrupted(0.1)
    assert state.was_interrupted(0.3)
    state.merge(0.4, ['a', 'b'], [1.0, 2.0])
    for now in (0.5, 0.65, 0.8, 0.95, 1.1, 1.25, 1.35):
        state.merge(now, ['a', 'b'], [1.0, 2.0])
        assert state.was_interrupted(now)
    state.merge(1.41, ['a', 'b'], [1.0, 2.0])
    assert not state.was_interrupted(1.41)


def test_a_joint_heard_of_just_in_time_ends_a_pause():
    state = two(timeout=2.0)
    state.merge(0.1, ['b'], [2.0])
    state.merge(0.5, ['a'], [1.0])  # b is as old as it may be
    state.merge(0.5, ['b'], [2.0])
    assert state.was_interrupted(0.6)


def test_becoming_known_is_no_interruption():
    assert not two(now=5.0).was_interrupted(5.0)


@pytest.mark.parametrize('stamps', [True, False])
def test_speeds_and_accelerations_are_those_of_the_newest_positions(stamps):
    state = StateMonitor(('a', 'b'), 1.0)
    for time, a in ((5.0, 1.0), (5.5, 2.0), (6.0, 4.0)):
        # By stamps, the time of receipt does not count.
        state.merge(7.0 + 0.001 * time if stamps else time, ['a'], [a],
                    stamp=time if stamps else None)
    state.merge(8.0, ['b'], [1.0])
    assert state.speeds == (4.0, 0.0)
    assert state.accelerations == (4.0, 0.0)


def test_a_stamp_that_stands_still_changes_no_speed():
    state = StateMonitor(('a',), 1.0)
    for now, stamp, a in ((5.0, 5.0, 1.0), (6.0, 6.0, 2.0), (7.0, 6.0, 9.0)):
        state.merge(now, ['a'], [a], stamp=stamp)
    assert state.speeds == (1.0,)


# Each joint's own rhythm

def fed(*intervals, timeout=1.0):
    """Return a monitor of one joint that was heard at intervals [s], and when it was last."""
    state, now = StateMonitor(('a',), timeout), 100.0
    state.merge(now, ['a'], [0.0])
    for interval in intervals:
        now += interval
        state.merge(now, ['a'], [0.0])
    return state, now


def paused_after(state, now):
    """Return the age [s] from which a state is paused, to a millisecond."""
    return next(age for age in (0.001 * step for step in range(10_000))
                if state.pause(now + age))


@pytest.mark.parametrize('intervals, expected', [
    ([], 0.2), ([0.02] * 5, 0.2), ([0.4] * 5, 1.0),
    ([0.1, 0.3, 0.1, 0.3, 0.1, 0.3], 0.75),     # a jittery sender
    ([0.4] * 5 + [0.02] * 5, 0.2),              # it has become quicker
    ([0.02] * 5 + [0.9], 0.2),                  # one gap
])
def test_commands_pause_after_two_and_a_half_of_the_usual_intervals(intervals, expected):
    assert paused_after(*fed(*intervals)) == pytest.approx(expected, abs=2e-3)


def test_each_joint_has_a_rhythm_of_its_own():
    state, now = StateMonitor(('a', 'b'), 1.0), 100.0
    for number in range(40):
        now += 0.05
        state.merge(now, ['a', 'b'] if number % 8 == 7 else ['a'],
                    [0.0, 0.0] if number % 8 == 7 else [0.0])
    state.merge(now, ['b'], [0.0])
    assert paused_after(state, now) == pytest.approx(0.2, abs=2e-3)
    assert 'of a ' in state.pause(now + 0.3)[0]
    state.merge(now + 0.9, ['a'], [0.0])
    assert not state.pause(now + 0.9)
    state.merge(now + 1.05, ['a'], [0.0])
    assert 'of b ' in state.pause(now + 1.05)[0]


def test_a_joint_that_usually_comes_too_seldom_makes_the_state_unavailable():
    state, now = fed(1.2, 1.2, 1.2)
    assert state.age(now) == 0.0
    assert state.unavailable(now) == (
        'joint_states of a come every 1.2 s; allowed: at most 1 s (state_timeout)', 'state slow')
    state, now = fed(1.2, 0.1, 0.1, 0.1)
    assert state.unavailable(now) is None


def test_one_joint_that_comes_too_seldom_among_others_is_enough():
    state = StateMonitor(('a', 'b'), 1.0)
    for number in range(8):
        state.merge(0.6 * number, ['a'] if number % 2 else ['a', 'b'], [0.0] * (2 - number % 2))
    assert state.unavailable(0.6 * 7) == (
        'joint_states of b come every 1.2 s; allowed: at most 1 s (state_timeout)', 'state slow')
