# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.


"""Which commands are obeyed: what they ask for, and whether they are old."""

from dataclasses import replace
from math import copysign, inf, nan

from arm_ik.drivers.gate import CommandAge, filter_command, PauseAfterStop
from arm_ik.errors import InvalidInputError
import pytest
from small_arm import JOINTS, MODEL, Time


def test_a_command_for_some_joints_is_a_goal_for_each_of_them():
    command = filter_command(JOINTS, ['wrist', 'yaw'], [0.25, -1.5])
    assert command.goals == {'wrist': 0.25, 'yaw': -1.5}
    assert command.clamped == ()


def test_joints_of_somebody_else_are_passed_over():
    assert filter_command(JOINTS, ['knee', 'yaw'], [9.0, 0.5]).goals == {'yaw': 0.5}
    assert filter_command(JOINTS, ['knee'], [9.0]).goals == {}
    assert filter_command(JOINTS, [], []).goals == {}


@pytest.mark.parametrize('asked, limit', [(3.7, 3.0), (-3.7, -3.0)])
def test_past_a_limit_becomes_the_limit_and_is_said(asked, limit):
    command = filter_command(JOINTS, ['wrist', 'yaw'], [0.0, asked])
    assert command.goals == {'wrist': 0.0, 'yaw': limit}
    assert len(command.clamped) == 1
    assert command.clamped[0].startswith('yaw ') and f'{limit:g}' in command.clamped[0]


def test_a_limit_itself_is_nothing_to_speak_of():
    assert filter_command(JOINTS, ['yaw'], [3.0]).clamped == ()


@pytest.mark.parametrize('name', ['yaw', 'slide'])
@pytest.mark.parametrize('side', ['lower', 'upper'])
def test_a_command_more_than_one_radian_past_a_limit_is_refused_as_a_whole(name, side):
    limit, out = getattr(JOINTS[name], side), 1.0 if side == 'upper' else -1.0
    command = filter_command(JOINTS, ['elbow', name], [-0.5, limit + out])
    assert command.goals == {'elbow': -0.5, name: limit} and len(command.clamped) == 1
    for past in (1.001, 9.0, 90.0):
        with pytest.raises(InvalidInputError, match=f'{name} is .*at most 1 past its limit'):
            filter_command(JOINTS, ['elbow', name], [-0.5, limit + past * out])
    assert filter_command(JOINTS, ['wheel'], [99.0]).goals == {}


@pytest.mark.parametrize('bad', [nan, inf, -inf])
@pytest.mark.parametrize('whose', ['elbow', 'knee'])
def test_one_number_that_is_not_finite_refuses_all(bad, whose):
    for numbers in (([0.5, bad], ()), ([0.5, 0.5], [0.0, copysign(inf, bad)])):
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


def test_a_velocity_that_nobody_measured_is_none():
    names, positions = ['yaw', 'wrist'], [0.1, 0.2]
    assert filter_command(JOINTS, names, positions, [nan, nan]).velocities == {}
    assert filter_command(JOINTS, names, positions, [nan, 0.3]).velocities == {}
    assert filter_command(JOINTS, names, positions, [0.1, 0.3]).velocities == {
        'yaw': 0.1, 'wrist': 0.3}


def test_a_gripper_opens_from_exactly_its_closed_to_exactly_its_open_position():
    assert MODEL.gripper_goals(0.0) == {'gripper': 1.5, 'slide': 0.0}
    assert MODEL.gripper_goals(1.0) == {'gripper': -0.1, 'slide': 0.04}
    assert MODEL.gripper_goals(0.5) == pytest.approx({'gripper': 0.7, 'slide': 0.02})


@pytest.mark.parametrize('opening', [nan, inf, -0.01, 1.01])
def test_an_opening_that_is_none_is_refused(opening):
    with pytest.raises(InvalidInputError, match='from 0, closed, to 1, open'):
        MODEL.gripper_goals(opening)


def test_an_arm_without_a_gripper_says_so():
    with pytest.raises(InvalidInputError, match='no gripper'):
        replace(MODEL, extra_joints=()).gripper_goals(0.5)


# How old they are.

@pytest.fixture
def time():
    return Time(100.0)


@pytest.fixture
def age(time):
    return CommandAge(time)


def test_a_command_without_a_stamp_is_never_old(age, time):
    assert not age.is_old(0.0)
    time.advance(10.0)
    age.begin()
    assert not age.is_old(0.0)
    assert not age.is_old(time.now)


def test_what_was_made_before_the_driver_was_let_go_is_old(age, time):
    assert age.is_old(99.9) and age.is_old(-1.0) and age.is_old(-1e-9)
    assert not age.is_old(100.0)
    time.advance(5.0)
    assert not age.is_old(101.0)
    age.begin()
    assert age.is_old(101.0) and age.is_old(104.9)
    assert not age.is_old(105.0) and not age.is_old(106.0)


def test_what_was_heard_last_is_old_from_the_next_beginning_on(age, time):
    ahead = 200.0  # of a sender whose clock is
    assert not age.is_old(ahead)
    age.begin()
    assert age.is_old(ahead)
    assert not age.is_old(ahead + 0.1)


@pytest.mark.parametrize('look', [CommandAge.look, lambda age: None], ids=['seen', 'unseen'])
def test_a_clock_set_back_makes_no_new_command_old(age, time, look):
    time.advance(-50.0)
    look(age)
    assert not age.is_old(60.0)


def test_a_clock_that_stands_still_was_not_set_back(age):
    age.look()
    assert age.is_old(99.0)


def test_after_a_clock_is_set_back_a_beginning_counts_from_there(age, time):
    time.advance(-50.0)
    age.begin()
    assert age.is_old(49.0)
    assert not age.is_old(50.0)


def test_after_a_clock_is_set_back_sixteen_senders_that_were_refused_stay_refused(age, time):
    refused = [10.0 + number for number in range(16)]
    assert all(map(age.is_old, refused))
    time.advance(-95.0)
    age.look()
    assert all(map(age.is_old, refused))
    assert not age.is_old(9.0)


class TestBeforeSimulatedTimeBegins:
    """The clock shows zero, the driver has just started."""

    @pytest.fixture
    def time(self):
        return Time(0.0)

    def test_a_command_with_a_time_was_made_before(self, age, time):
        assert not age.has_begun
        assert age.is_old(1000.45) and age.is_old(0.1)
        time.advance(1000.5)
        assert age.is_old(1000.45)
        assert age.has_begun

    def test_one_not_heard_before_it_begins_is_old_too(self, age, time):
        time.advance(1000.5)
        assert age.is_old(1000.39)
        assert not age.is_old(1000.41)

    def test_a_numbered_one_is_new_and_goes_on_when_time_begins(self, age, time):
        assert not age.is_old(1e-6)
        time.advance(1000.5)
        assert not age.is_old(1e-6)

    def test_a_numbered_one_heard_before_a_beginning_is_old(self, age, time):
        age.is_old(1e-6)
        age.begin()
        assert age.is_old(1e-6) and age.is_old(-1e-9)
        assert not age.is_old(2e-6)

    def test_a_numbered_one_is_old_to_a_driver_that_starts_when_time_has_begun(self, time):
        time.advance(60.0)
        assert CommandAge(time).is_old(1e-6)

    def test_it_begins_with_the_first_moment(self, age, time):
        time.advance(0.5)
        assert age.is_old(0.3) and not age.is_old(0.45)
        assert age.has_begun and CommandAge(time).has_begun

    def test_it_begins_once(self, age, time):
        time.advance(1000.0)
        age.look()
        time.advance(-1000.0)
        age.look()
        assert age.has_begun and not age.is_old(1000.0)
        time.advance(10.0)
        assert not age.is_old(5.0)


# Whether what goes on since a stop has paused

@pytest.mark.parametrize('messages, free', [
    ([(0.0, 0.0), (0.1, 0.1), (0.35, 0.35)], False),        # made, came: 0.25 s apart
    ([(0.0, 0.0), (0.1, 0.1), (0.45, 0.45)], True),
    ([(0.0, 0.0), (0.1, 0.1), (0.2, 0.45)], False),         # one that is only late
    ([(0.0, 0.0), (0.1, 0.2), (-0.15, 0.25), (0.2, 0.56)], False),  # and in another order
    ([(0.0, 0.0), (0.1, 0.1), (0.1, 0.3), (0.1, 0.5), (0.1, 0.7)], False),    # the last, repeated
    ([(0.0, 0.0), (0.1, 0.1), (5.0, 0.2)], False),          # by a clock that is wrong
    ([(0.0, 0.0), (0.1, 0.1), (0.1, 0.3), (0.45, 0.45)], True)])
def test_what_goes_on_since_a_stop_has_paused_by_when_it_was_made_and_came(messages, free):
    pause = PauseAfterStop()
    assert pause.take(9.9, 9.9)
    pause.stop()
    assert [pause.take(10.0 + made, 10.0 + came) for made, came in messages][-1] is free
