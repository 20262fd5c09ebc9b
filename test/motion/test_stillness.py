# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""When a joint counts as moving; the driver's rules and the checkers of ik_node rest on it."""

from arm_ik.motion.stillness import Stillness
import pytest


@pytest.fixture
def stillness():
    stillness = Stillness()
    stillness.look({'yaw': 0.0, 'elbow': 1.0}, 10.0)
    return stillness


def test_what_was_never_seen_to_move_stands_still(stillness):
    assert not Stillness().is_moving('yaw', 0.0) and not stillness.is_moving('yaw', 10.0)
    assert stillness.look({'yaw': 0.0, 'gripper': 1.0}, 11.0) == []


@pytest.mark.parametrize('joint', ['yaw', 'elbow'])
@pytest.mark.parametrize('far', [0.0021, -0.0021])
def test_a_joint_that_has_moved_moves_for_two_tenths_of_a_second(stillness, joint, far):
    positions = {'yaw': 0.0, 'elbow': 1.0}
    positions[joint] += far
    assert stillness.look(positions, 0.0) == [joint]
    assert [stillness.is_moving(joint, now) for now in (0.0, 0.2, 0.2000001)] == [
        True, True, False]
    assert stillness.rested(joint, 5.0) == 5.0
    assert stillness.look(positions, 6.0) == []     # it rests where it is now


def test_the_last_digit_of_an_encoder_is_no_motion(stillness):
    for position in (0.0015, -0.0015, 0.002):
        assert stillness.look({'yaw': position}, 11.0) == []


def test_creeping_adds_up_to_a_motion(stillness):
    assert any(stillness.look({'yaw': 0.0015 * number}, 11.0) for number in range(1, 5))


def test_coarse_encoders_flicker_by_more():
    stillness = Stillness({'yaw': 0.005})
    for position in (0.0, 0.01, 0.0, 0.012):
        assert stillness.look({'yaw': position}, 11.0) == []
    assert stillness.look({'yaw': 0.013}, 20.0) == ['yaw']


def test_how_far_an_encoder_flickers_is_learned_where_nobody_says():
    stillness = Stillness()
    seen = [stillness.look({'yaw': 0.005 * (number % 2)}, number, learn=True)
            for number in range(6)]
    assert seen[1:] == [['yaw'], [], [], [], []]


def test_joints_stand_where_they_are_when_it_is_begun_anew(stillness):
    stillness.restart({'yaw': 0.5})
    assert stillness.look({'yaw': 0.5}, 11.0) == []
