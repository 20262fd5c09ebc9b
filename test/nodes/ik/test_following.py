# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from arm_ik.nodes.ik.following import DEAD_TIME, FOLLOW_TOLERANCE, Following


def following(command=(1.0, 0.5), velocities=(1.0, 1.0)):
    follower = Following(velocities)
    follower.start((0.0, 0.0))
    follower.command(command, 0.0)
    return follower


def test_at_rest_a_tenth_of_a_radian_is_allowed():
    assert following().follows((0.91, 0.59), 100.0)
    assert not following().follows((0.89, 0.5), 100.0)
    assert not following().follows((1.0, 0.61), 100.0)
    assert following((FOLLOW_TOLERANCE, 0.0)).follows((0.0, 0.0), 100.0)


def test_an_arm_that_has_not_started_yet_follows():
    assert following().follows((0.0, 0.0), DEAD_TIME)


def test_an_arm_at_max_velocity_follows_all_the_way():
    follower = following()
    for step in range(121):
        now = step * 0.01
        way = min(1.0, max(0.0, now - 0.05))
        assert follower.follows((way, min(0.5, way)), now)


def test_joints_that_arrive_together_follow():
    follower = following()
    for step in range(121):
        way = min(1.0, step * 0.01)
        assert follower.follows((way, 0.5 * way), step * 0.01)


def test_a_joint_that_is_stuck_does_not_follow_for_long():
    follower = following()
    assert follower.follows((0.0, 0.0), 0.25)
    assert not follower.follows((0.0, 0.3), 0.5)


def test_an_arm_that_goes_the_other_way_does_not_follow():
    assert not following().follows((-0.2, 0.0), 0.1)


def test_an_arm_that_is_stuck_does_not_follow_a_stream_of_small_steps():
    follower = following((0.01, 0.0))
    for step in range(1, 100):
        follower.command((0.01 * step, 0.0), 0.02 * step)
    assert not follower.follows((0.0, 0.0), 2.0)


def test_an_arm_that_keeps_up_with_a_stream_follows_it():
    follower = following((0.01, 0.0))
    for step in range(1, 200):
        now = 0.02 * step
        assert follower.follows((max(0.0, 0.01 * (step - 4)), 0.0), now)
        follower.command((0.01 * step, 0.0), now)


def test_an_arm_that_has_arrived_sets_out_anew_without_being_looked_at():
    follower = following()
    follower.command((2.0, 0.5), 10.0)
    assert follower.follows((1.0, 0.5), 10.0 + DEAD_TIME)
    assert follower.follows((1.0, 0.5), 10.0 + DEAD_TIME + 0.09)
    assert not follower.follows((1.0, 0.5), 10.0 + DEAD_TIME + 0.11)


def test_the_slowest_joint_sets_the_time():
    assert following(velocities=(0.1, 1.0)).follows((0.0, 0.0), 0.9)
    assert not following(velocities=(1.0, 1.0)).follows((0.0, 0.0), 0.9)


def test_the_way_counts_from_where_the_arm_set_out():
    follower = Following((1.0, 1.0))
    follower.start((0.9, 0.5))
    follower.command((1.5, 0.5), 0.0)
    assert follower.follows((1.11, 0.59), DEAD_TIME + 0.3)
    assert not follower.follows((1.11, 0.61), DEAD_TIME + 0.3)
    assert not follower.follows((1.09, 0.5), DEAD_TIME + 0.3)
