# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Which readings are believed."""

from arm_ik.drivers.readings import MARGIN, Plausibility
import pytest

SPEED, SLACK, PERIOD = 3.0, 0.005, 0.01


@pytest.fixture
def joint():
    """Return a joint that is believed to stand at 0.0, last asked at 0 s."""
    joint = Plausibility(SPEED, SLACK)
    for _ in range(3):
        seen = joint.believes(0.0, 0.0, 0.0)
    assert seen
    return joint


def after(joint, seconds, position):
    return joint.believes(position, seconds, seconds)


def test_the_first_reading_is_believed_with_the_third_that_agrees():
    joint = Plausibility(SPEED, SLACK)
    assert [joint.believes(1.0, time, time) for time in (0.0, 0.01, 0.02, 0.03)] == [
        False, False, True, True]


def test_one_wrong_reading_among_the_first_is_not_believed():
    joint = Plausibility(SPEED, SLACK)
    believed = [joint.believes(position, time, time) for time, position in enumerate(
        (1.0, 9.0, 1.0, 1.0, 1.0))]
    assert believed == [False, False, False, False, True]


def test_a_joint_may_go_as_fast_as_the_margin_allows(joint):
    assert after(joint, PERIOD, MARGIN * SPEED * PERIOD)


@pytest.mark.parametrize('side', [1, -1])
def test_a_jump_is_not_believed_and_the_next_true_reading_is(joint, side):
    assert not after(joint, PERIOD, side * (MARGIN * SPEED * PERIOD + SLACK + 1e-6))
    assert after(joint, 2 * PERIOD, 0.0)


def test_a_joint_not_read_for_long_may_have_gone_far(joint):
    assert after(joint, 0.5, MARGIN * SPEED * 0.5)


def test_the_time_counts_from_the_last_reading_believed(joint):
    assert not after(joint, PERIOD, 1.0)
    assert not after(joint, 2 * PERIOD, MARGIN * SPEED * 2 * PERIOD + SLACK + 0.01)


def test_an_answer_that_was_late_may_be_of_the_time_when_it_came(joint):
    assert joint.believes(0.05, PERIOD, PERIOD)
    assert joint.believes(0.05 + MARGIN * SPEED * 0.04, 2 * PERIOD, 5 * PERIOD)


def test_three_readings_that_agree_are_believed_wherever_they_are(joint):
    assert [after(joint, PERIOD * step, 2.0 + 0.01 * step) for step in range(1, 5)] == [
        False, False, True, True]


def test_three_wrong_readings_that_do_not_agree_are_not_believed(joint):
    assert [after(joint, PERIOD * (step + 1), position) for step, position in enumerate(
        (2.0, 1.0, 2.0, 3.0, 1.5))] == [False] * 5


def test_wrong_readings_with_true_ones_between_them_do_not_add_up(joint):
    for step in range(1, 12, 2):
        assert not after(joint, PERIOD * step, 2.0)
        assert after(joint, PERIOD * (step + 1), 0.0)
