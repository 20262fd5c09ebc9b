# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Whether the arm follows, has arrived, is blocked: on measured positions that are made up."""

from math import radians

from arm_ik.bus.readings import STILL
from arm_ik.nodes.ik.checkers import (
    DEAD_TIME, EXACT, FOLLOW_TOLERANCE, FollowingErrorChecker, PATIENCE, ProgressChecker,
    REST_TIME)
import pytest


# Has the arm arrived?

def goal_checker(command=(1.0, 0.0), measured=(0.0, 0.0)):
    checker = ProgressChecker(0.05)
    checker.start(measured, 0.0)
    arrived = checker.arrived
    checker.arrived = lambda measured, now: arrived(measured, command, now)
    return checker


def rest(checker, measured, since, until):
    """Show an arm that stands still, in steps of 0.1 s; return the last answer."""
    while since < until - 1e-9:
        since = min(since + 0.1, until)
        arrived = checker.arrived(measured, since)
    return arrived


@pytest.mark.parametrize('off, arrived', [(0.0, True), (EXACT, True), (2.0 * EXACT, False)])
def test_an_arm_that_is_off_by_rounding_at_most_has_arrived_at_once(off, arrived):
    assert goal_checker((off, 0.0)).arrived((0.0, 0.0), 0.01) == arrived


def test_an_arm_on_its_way_has_not_arrived():
    checker = goal_checker()
    assert not checker.arrived((0.0, 0.0), 0.1)
    assert not checker.arrived((0.5, 0.0), 0.5)
    assert not checker.arrived((0.97, 0.0), 0.7)


def test_an_arm_that_sags_has_arrived_when_it_has_come_to_rest():
    checker = goal_checker()
    assert not checker.arrived((0.97, 0.0), 1.0)
    assert not rest(checker, (0.97, 0.001), 1.0, 1.0 + REST_TIME - 0.01)
    assert checker.arrived((0.97, 0.001), 1.01 + REST_TIME)


@pytest.mark.parametrize('off, arrived', [(0.05, True), (0.051, False)])
def test_an_arm_that_rests_as_far_away_as_tolerated_has_arrived(off, arrived):
    assert rest(goal_checker((off, 0.0)), (0.0, 0.0), 0.0, REST_TIME) == arrived


def test_nearness_says_nothing_of_a_step_smaller_than_the_tolerance():
    checker = goal_checker((0.02, 0.0))
    assert not checker.arrived((0.0, 0.0), 0.01)
    assert not checker.arrived((0.01, 0.0), 0.1)
    assert checker.arrived((0.02, 0.0), 0.12)


def test_it_notes_whether_the_arm_has_moved():
    checker = goal_checker()
    checker.arrived((STILL, 0.0), 0.1)
    assert not checker.moved
    checker.arrived((1.1 * STILL, 0.0), 0.2)
    assert checker.moved
    checker.start((0.1, 0.0), 0.3)
    assert not checker.moved


def test_rest_under_the_command_before_does_not_count():
    checker = goal_checker()
    checker.arrived((0.99, 0.0), 0.1)
    checker.start((0.99, 0.0), 10.0)
    assert not rest(checker, (0.99, 0.0), 10.0, 9.99 + REST_TIME)
    assert checker.arrived((0.99, 0.0), 10.01 + REST_TIME)


def test_what_is_read_after_a_pause_does_not_say_that_the_arm_rests():
    checker = goal_checker((0.02, 0.0))
    # Measured before the command reached the arm, and read late all at once.
    for now in (5.0, 5.001, 5.002):
        assert not checker.arrived((0.0, 0.0), now)
    assert not checker.arrived((0.01, 0.0), 5.02)
    assert not rest(checker, (0.01, 0.0), 5.02, 5.01 + REST_TIME)
    assert checker.arrived((0.01, 0.0), 5.03 + REST_TIME)


def test_states_that_come_seldom_end_in_an_arrival_too():
    checker = goal_checker((0.02, 0.0))
    assert [checker.arrived((0.0, 0.0), now) for now in (1.0, 2.0, 3.0)] == [False, True, True]


# Coarse encoders

def flicker(checker, middle, count, pattern, since=1.0):
    """Show readings that go to and fro about the middle, fifty a second; return all answers."""
    return [checker.arrived((middle + count * digit, 0.0), since + 0.02 * number)
            for number, digit in enumerate(pattern)]


@pytest.mark.parametrize('degrees', [0.088, 0.24, 0.29])
@pytest.mark.parametrize('pattern', [(0, 1) * 20, (0, 0, 1, 0, 0, 0, -1) * 6,
                                     (1, -1, 0, 0, 1, 0, -1) * 6])
def test_an_arm_whose_encoders_flicker_arrives(degrees, pattern):
    checker = goal_checker()
    assert flicker(checker, 0.98, radians(degrees), pattern)[-1]


@pytest.mark.parametrize('degrees', [0.088, 0.24, 0.29])
def test_a_flicker_of_the_way_before_does_not_make_motion_look_like_rest(degrees):
    checker, count = goal_checker(), radians(degrees)
    flicker(checker, 0.9, count, (0, 1) * 20)
    # A third of a radian a second, in steps of whole counts.
    positions = [count * round((0.955 + 0.0067 * number) / count) for number in range(12)]
    assert not any(checker.arrived((position, 0.0), 3.0 + 0.02 * number)
                   for number, position in enumerate(positions) if position < 0.99)


def test_an_arm_that_swings_to_and_fro_does_not_rest():
    assert not any(flicker(goal_checker(), 0.98, 0.007, (0, 1) * 40))


# Does it follow?

def following(command=(1.0, 0.5), velocities=(1.0, 1.0)):
    checker = FollowingErrorChecker(velocities)
    checker.start((0.0, 0.0))
    checker.command(command, 0.0)
    return checker


@pytest.mark.parametrize('measured, now, follows', [
    ((0.91, 0.59), 100.0, True), ((0.89, 0.5), 100.0, False), ((1.0, 0.61), 100.0, False),
    ((0.0, 0.0), DEAD_TIME, True),                                  # it has not started yet
    ((0.0, 0.0), 0.25, True), ((0.0, 0.3), 0.5, False),             # one joint is stuck
    ((-0.2, 0.0), 0.1, False)])                                     # the other way
def test_it_follows_within_a_tenth_of_a_radian_of_what_was_possible(measured, now, follows):
    assert following().follows(measured, now) == follows
    assert following((FOLLOW_TOLERANCE, 0.0)).follows((0.0, 0.0), 100.0)


def test_an_arm_at_max_velocity_follows_all_the_way():
    checker = following()
    for step in range(121):
        now = step * 0.01
        distance = min(1.0, max(0.0, now - 0.05))
        assert checker.follows((distance, min(0.5, distance)), now)


def test_joints_that_arrive_together_follow():
    checker = following()
    for step in range(121):
        distance = min(1.0, step * 0.01)
        assert checker.follows((distance, 0.5 * distance), step * 0.01)


def test_an_arm_that_is_stuck_does_not_follow_a_stream_of_small_steps():
    checker = following((0.01, 0.0))
    for step in range(1, 100):
        checker.command((0.01 * step, 0.0), 0.02 * step)
    assert not checker.follows((0.0, 0.0), 2.0)


@pytest.mark.parametrize('lag, follows', [
    (0.08, True), (0.18, True), (0.24, True), (0.34, False)])
def test_an_arm_may_be_behind_a_stream_by_the_dead_time_and_the_tolerance(lag, follows):
    checker, seen = following((0.016, 0.0)), []
    for step in range(1, 200):   # at 0.8 rad/s
        now = 0.02 * step
        seen.append(checker.follows((max(0.0, 0.8 * (now - lag)), 0.0), now))
        checker.command((0.016 * (step + 1), 0.0), now)
    assert all(seen) == follows


def test_an_arm_that_has_arrived_sets_out_anew_without_being_looked_at():
    checker = following()
    checker.command((2.0, 0.5), 10.0)
    assert checker.follows((1.0, 0.5), 10.0 + DEAD_TIME)
    assert checker.follows((1.0, 0.5), 10.0 + DEAD_TIME + 0.09)
    assert not checker.follows((1.0, 0.5), 10.0 + DEAD_TIME + 0.11)


def test_an_arm_that_is_sent_back_goes_on_to_its_goal_for_the_dead_time():
    checker = FollowingErrorChecker((1.0,))
    checker.start((0.0,))
    checker.command((1.0,), 0.0)
    checker.command((0.0,), 0.6)
    assert checker.follows((0.75,), 0.75)   # a prompt one has passed the one that is simulated
    assert not checker.follows((0.75,), 2.0)


def test_the_slowest_joint_sets_the_time():
    assert following(velocities=(0.1, 1.0)).follows((0.0, 0.0), 0.9)


def test_the_distance_counts_from_where_the_arm_set_out():
    checker = FollowingErrorChecker((1.0, 1.0))
    checker.start((0.9, 0.5))
    checker.command((1.5, 0.5), 0.0)
    assert checker.follows((1.11, 0.59), DEAD_TIME + 0.3)
    assert not checker.follows((1.11, 0.61), DEAD_TIME + 0.3)
    assert not checker.follows((1.09, 0.5), DEAD_TIME + 0.3)


# Is a joint blocked?

class Stuck:
    """Positions that are looked at fifty times a second, and the joint that is blocked by then."""

    def __init__(self, *measured):
        self.measured, self.now, self.checker = measured, 10.0, ProgressChecker(0.05)

    def blocked(self, *command, after=0.0):
        for _ in range(1 + round(after / 0.02)):
            found = self.checker.blocked(self.measured, command, self.now)
            self.now += 0.02
        return found


def test_a_joint_is_blocked_when_it_has_been_seen_away_from_its_command_for_long():
    joint = Stuck(0.0)
    assert joint.blocked(FOLLOW_TOLERANCE, after=9.0) is None       # it follows
    assert joint.blocked(0.5, after=0.9 * PATIENCE) is None
    assert joint.blocked(0.5, after=0.1 * PATIENCE) == (0, 0.5)
    assert joint.blocked(-0.7) == (0, 0.7)
    assert joint.blocked(0.0) is None
    assert joint.blocked(0.5, after=0.9 * PATIENCE) is None
    assert joint.blocked(0.5, after=0.1 * PATIENCE) == (0, 0.5)


def test_a_joint_that_moves_is_not_blocked_until_it_stands():
    joint = Stuck(0.0)
    for number in range(100):
        joint.measured = 0.3 * number * STILL,
        assert joint.blocked(0.5) is None
    assert joint.blocked(0.5, after=0.8 * PATIENCE) is None
    assert joint.blocked(0.5, after=0.3 * PATIENCE)[0] == 0


def test_a_pause_of_the_node_is_no_time_in_which_a_joint_stands():
    joint = Stuck(0.0)
    joint.blocked(0.5)
    joint.now += 10.0
    assert joint.blocked(0.5) is None


def test_the_last_digit_of_an_encoder_is_no_motion():
    joint = Stuck(0.0)
    for measured in (0.0, STILL, -STILL):
        joint.measured = measured,
        found = joint.blocked(0.5, after=0.2)
    assert found[0] == 0


@pytest.mark.parametrize('degrees', [0.24, 0.29])
def test_a_blocked_joint_is_told_of_although_its_encoder_flickers(degrees):
    joint = Stuck(0.0)
    for number in range(50):
        joint.measured = radians(degrees) * (number % 2),
        found = joint.blocked(0.5)
    assert found and found[0] == 0


def test_of_several_the_one_farthest_from_its_command_is_named_or_nearest_to_the_base():
    joints, command = Stuck(0.0, 0.0, 0.0, 0.0), (0.2, 0.9, 0.9, -1.0)
    joints.blocked(*command)
    joints.measured = 0.0, 0.0, 0.0, 0.5
    assert joints.blocked(*command, after=0.98 * PATIENCE) == (1, 0.9)
    assert joints.blocked(*command, after=PATIENCE) == (3, 1.5)


def test_what_was_seen_of_an_earlier_command_is_forgotten():
    joint = Stuck(0.0)
    joint.blocked(0.5, after=0.9 * PATIENCE)
    joint.checker.clear()
    assert joint.blocked(0.5, after=0.2 * PATIENCE) is None
