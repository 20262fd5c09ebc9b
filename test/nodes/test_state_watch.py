# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from arm_ik.nodes.state_watch import StateWatch


def watch(now=0.0):
    state = StateWatch(('a', 'b'), 1.0)
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


def test_the_state_is_paused_after_a_fifth_of_the_timeout():
    state = watch()
    assert not state.paused(0.2)
    assert state.paused(0.21)
    state.merge(0.3, ['a'], [1.0])
    assert state.paused(0.3)


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


def test_becoming_known_is_no_interruption():
    assert not watch(now=5.0).interrupted(5.0)
