# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from math import inf

from arm_ik.nodes.ik.state_watch import StateWatch
import pytest


def watch(now=0.0, timeout=1.0):
    state = StateWatch(('a', 'b'), timeout)
    state.merge(now, ['a', 'b'], [1.0, 2.0])
    return state


def test_an_incomplete_state_is_complained_of_by_joint():
    state = StateWatch(('a', 'b', 'c'), 1.0)
    state.merge(0.0, ['b'], [2.0])
    reason, cause = state.complaint(0.0)
    assert reason == 'the state of the arm is not known yet: no joint_states of a, c'
    assert cause == 'state unknown'


def test_a_silent_joint_is_complained_of_by_name():
    state = watch()
    assert state.complaint(1.0) is None
    state.merge(1.0, ['a'], [1.0])
    reason, cause = state.complaint(1.5)
    assert reason == ('joint_states last told of b 1.5 s ago; allowed: at most 1 s '
                      '(state_timeout)')
    assert cause == 'state stale'


@pytest.mark.parametrize('timeout', [0.5, 1.0, 4.0])
def test_the_state_is_paused_after_a_fifth_of_the_timeout(timeout):
    state = watch(timeout=timeout)
    assert not state.paused(0.2 * timeout)
    assert state.paused(0.21 * timeout)
    assert state.pauses_at == 0.2 * timeout
    state.merge(0.3 * timeout, ['a'], [1.0])
    assert state.paused(0.3 * timeout)


def test_it_counts_as_interrupted_for_a_while_after_the_pause():
    state = watch()
    assert not state.interrupted(0.1)
    assert state.interrupted(0.3)
    state.merge(0.4, ['a', 'b'], [1.0, 2.0])
    for now in (0.5, 0.65, 0.8, 0.95, 1.1, 1.25, 1.35):
        state.merge(now, ['a', 'b'], [1.0, 2.0])
        assert state.interrupted(now)
    state.merge(1.41, ['a', 'b'], [1.0, 2.0])
    assert not state.interrupted(1.41)


@pytest.mark.parametrize('timeout', [0.5, 1.0, 4.0])
def test_a_silence_counts_as_interruption_from_a_fifth_of_the_timeout_on(timeout):
    for silence, interrupted in ((0.2, False), (0.21, True)):
        state = watch(timeout=timeout)
        state.merge(silence * timeout, ['a', 'b'], [1.0, 2.0])
        assert state.interrupted(silence * timeout) == interrupted


def test_an_interruption_is_over_a_timeout_after_it():
    state = watch(timeout=4.0)
    state.merge(1.0, ['a', 'b'], [1.0, 2.0])
    for now in (1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5):
        state.merge(now, ['a', 'b'], [1.0, 2.0])
    assert state.interrupted(4.999)
    assert not state.interrupted(5.0)


def test_a_joint_heard_of_just_in_time_ends_a_pause():
    state = watch(timeout=2.0)
    state.merge(0.1, ['b'], [2.0])
    state.merge(0.5, ['a'], [1.0])  # b is as old as it may be
    state.merge(0.5, ['b'], [2.0])
    assert state.interrupted(0.6)


def test_becoming_known_is_no_interruption():
    assert not watch(now=5.0).interrupted(5.0)


def test_the_interval_is_that_between_the_last_two_whole_states():
    state = StateWatch(('a', 'b'), 1.0)
    assert state.interval == inf
    state.merge(1.0, ['a', 'b'], [1.0, 2.0])
    assert state.interval == inf
    state.merge(1.5, ['a'], [1.0])
    assert state.interval == inf
    state.merge(1.75, ['b'], [2.0])
    assert state.interval == 0.5
