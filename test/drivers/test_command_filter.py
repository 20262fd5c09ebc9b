# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Commands are refused as a whole, or come out inside the limits."""

from math import inf, nan

from arm_ik.drivers.commands import filter_command, gripper_goals
from arm_ik.errors import InvalidInputError
import pytest
from small_arm import JOINTS, MODEL


def test_a_command_for_some_joints_is_a_goal_for_each_of_them():
    command = filter_command(JOINTS, ['wrist', 'yaw'], [0.25, -1.5])
    assert command.goals == {'wrist': 0.25, 'yaw': -1.5}
    assert command.clamped == ()


def test_joints_of_somebody_else_are_passed_over():
    assert filter_command(JOINTS, ['knee', 'yaw'], [9.0, 0.5]).goals == {'yaw': 0.5}
    assert filter_command(JOINTS, ['knee'], [9.0]).goals == {}
    assert filter_command(JOINTS, [], []).goals == {}


@pytest.mark.parametrize('asked, limit', [(7.0, 3.0), (-7.0, -3.0)])
def test_past_a_limit_becomes_the_limit_and_is_said(asked, limit):
    command = filter_command(JOINTS, ['wrist', 'yaw'], [0.0, asked])
    assert command.goals == {'wrist': 0.0, 'yaw': limit}
    assert len(command.clamped) == 1
    assert command.clamped[0].startswith('yaw ') and f'{limit:g}' in command.clamped[0]


def test_a_limit_itself_is_nothing_to_speak_of():
    assert filter_command(JOINTS, ['yaw'], [3.0]).clamped == ()


@pytest.mark.parametrize('bad', [nan, inf, -inf])
@pytest.mark.parametrize('whose', ['elbow', 'knee'])
def test_one_number_that_is_not_finite_refuses_all(bad, whose):
    for numbers in (([0.5, bad], ()), ([0.5, 0.5], [0.0, bad])):
        with pytest.raises(InvalidInputError, match=whose):
            filter_command(JOINTS, ['yaw', whose], *numbers)


@pytest.mark.parametrize('names, positions', [
    (['yaw', 'wrist'], [0.1]), (['yaw'], [0.1, 0.2]), (['yaw'], []), ([], [0.1])])
def test_unequal_lengths_are_refused_with_both(names, positions):
    with pytest.raises(InvalidInputError, match=f'{len(names)} names with {len(positions)} pos'):
        filter_command(JOINTS, names, positions)


@pytest.mark.parametrize('name', ['yaw', 'knee'])
def test_a_name_that_stands_twice_is_refused_no_matter_whose(name):
    with pytest.raises(InvalidInputError, match=f'{name} twice'):
        filter_command(JOINTS, [name, 'wrist', name], [0.1, 0.3, 0.2])


@pytest.mark.parametrize('opening, gripper, slide', [
    (0.0, 1.5, 0.0), (1.0, -0.1, 0.04), (0.5, 0.7, 0.02)])
def test_a_gripper_opens_from_its_closed_to_its_open_position(opening, gripper, slide):
    goals = gripper_goals(MODEL.extra_joints, opening)
    assert goals == pytest.approx({'gripper': gripper, 'slide': slide}, abs=1e-15)


def test_shut_is_exactly_shut_and_open_exactly_open():
    for joint in MODEL.extra_joints:
        assert gripper_goals((joint,), 0.0) == {joint.name: joint.closed}
        assert gripper_goals((joint,), 1.0) == {joint.name: joint.open}


@pytest.mark.parametrize('opening', [nan, inf, -0.01, 1.01])
def test_an_opening_that_is_none_is_refused(opening):
    with pytest.raises(InvalidInputError, match='from 0, closed, to 1, open'):
        gripper_goals(MODEL.extra_joints, opening)


def test_an_arm_without_a_gripper_says_so():
    with pytest.raises(InvalidInputError, match='no gripper'):
        gripper_goals((), 0.5)
