# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""When an arm counts as moving: a driver that ends then holds it, and lets a resting one rest."""

from arm_ik.drivers.readings import Movement
import pytest


@pytest.fixture
def movement():
    movement = Movement()
    movement.look({'yaw': 0.0, 'elbow': 1.0}, 10.0)
    return movement


def test_what_was_never_seen_to_move_stands_still(movement):
    assert not Movement().is_moving(0.0) and not movement.is_moving(10.0)
    movement.look({'yaw': 0.0, 'gripper': 1.0}, 11.0)
    assert not movement.is_moving(11.0)


@pytest.mark.parametrize('joint, other', [('yaw', 'elbow'), ('elbow', 'yaw')])
@pytest.mark.parametrize('far', [0.0021, -0.0021])
def test_a_joint_that_has_moved_moves_for_two_tenths_of_a_second(movement, joint, other, far):
    positions = {'yaw': 0.0, 'elbow': 1.0}
    positions[joint] += far
    movement.look(positions, 0.0)
    assert [movement.is_moving(now) for now in (0.0, 0.2, 0.2000001)] == [True, True, False]
    assert movement.is_moving(0.0, ['hand', joint]) and not movement.is_moving(0.0, [other])
    movement.look(positions, 1.0)
    assert not movement.is_moving(1.0), 'it does not rest where it is now'


def test_the_last_digit_of_an_encoder_is_no_motion(movement):
    for number, position in enumerate((0.0015, -0.0015, 0.002)):
        movement.look({'yaw': position, 'elbow': 1.0}, 11.0 + number)
        assert not movement.is_moving(11.0 + number)


def test_creeping_adds_up_to_a_motion(movement):
    for number in range(1, 5):
        movement.look({'yaw': 0.0015 * number, 'elbow': 1.0}, 11.0)
    assert movement.is_moving(11.0)


def test_coarse_encoders_flicker_by_more():
    movement = Movement({'yaw': 0.005})
    for number, position in enumerate((0.0, 0.01, 0.0, 0.012)):
        movement.look({'yaw': position}, 11.0 + number)
        assert not movement.is_moving(11.0 + number)
    movement.look({'yaw': 0.013}, 20.0)
    assert movement.is_moving(20.0)
