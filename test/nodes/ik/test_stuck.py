# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Which joint is stuck: away from its command, and still, for long enough."""

from arm_ik.nodes.ik.arrival import REST_TOLERANCE
from arm_ik.nodes.ik.following import FOLLOW_TOLERANCE
from arm_ik.nodes.ik.stuck import PATIENCE, Stuck
import pytest


@pytest.fixture
def stuck():
    return Stuck()


def test_a_joint_that_stands_away_from_its_command_is_stuck_when_patience_ends(stuck):
    assert stuck.look((0.0,), (0.5,), 10.0) is None
    assert stuck.look((0.0,), (0.5,), 10.0 + 0.9 * PATIENCE) is None
    assert stuck.look((0.0,), (0.5,), 10.0 + PATIENCE) == (0, 0.5)
    assert stuck.look((0.0,), (-0.7,), 11.0) == (0, 0.7)


def test_a_joint_that_follows_is_not_stuck_however_long(stuck):
    for now in range(10, 20):
        assert stuck.look((0.0,), (FOLLOW_TOLERANCE,), float(now)) is None


def test_time_counts_from_when_the_joint_was_first_seen_away(stuck):
    assert stuck.look((0.0,), (0.0,), 10.0) is None
    assert stuck.look((0.0,), (0.5,), 20.0) is None
    assert stuck.look((0.0,), (0.0,), 20.4) is None
    assert stuck.look((0.0,), (0.5,), 20.5) is None
    assert stuck.look((0.0,), (0.5,), 20.9) is None
    assert stuck.look((0.0,), (0.5,), 21.0) == (0, 0.5)


def test_a_joint_that_moves_is_not_stuck_until_it_stands(stuck):
    step = 1.1 * REST_TOLERANCE
    for number in range(20):
        assert stuck.look((number * step,), (0.5,), 10.0 + 0.1 * number) is None
    assert stuck.look((19 * step,), (0.5,), 12.3) is None
    assert stuck.look((19 * step,), (0.5,), 12.5)[0] == 0


def test_the_last_digit_of_an_encoder_is_no_motion(stuck):
    stuck.look((0.0,), (0.5,), 10.0)
    stuck.look((REST_TOLERANCE,), (0.5,), 10.3)
    assert stuck.look((-REST_TOLERANCE,), (0.5,), 10.5)[0] == 0


def test_of_several_the_one_farthest_from_its_command_is_named(stuck):
    command = (0.2, 0.9, 0.05, -1.0)
    stuck.look((0.0, 0.0, 0.0, 0.0), command, 10.0)
    assert stuck.look((0.0, 0.0, 0.0, 0.5), command, 10.5) == (1, 0.9)
    assert stuck.look((0.0, 0.0, 0.0, 0.5), command, 11.0) == (3, 1.5)


def test_of_two_as_far_the_one_nearer_to_the_base_is_named(stuck):
    stuck.look((0.0, 0.0), (0.5, 0.5), 10.0)
    assert stuck.look((0.0, 0.0), (0.5, 0.5), 10.5) == (0, 0.5)


def test_what_was_seen_of_an_earlier_command_is_forgotten(stuck):
    stuck.look((0.0,), (0.5,), 10.0)
    stuck.clear()
    assert stuck.look((0.0,), (0.5,), 11.0) is None
