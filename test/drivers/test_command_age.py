# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Which commands are old: made before the driver was let go, whatever the clock has done since."""

from arm_ik.drivers.commands import CommandAge
import pytest
from small_arm import Time


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
    assert age.is_old(99.9)
    assert not age.is_old(100.0)
    time.advance(5.0)
    assert not age.is_old(101.0)
    age.begin()
    assert age.is_old(101.0) and age.is_old(104.9)
    assert not age.is_old(105.0) and not age.is_old(106.0)


def test_a_stamp_before_all_time_is_old(age):
    assert age.is_old(-1.0) and age.is_old(-1e-9)


def test_what_was_heard_last_is_old_from_the_next_beginning_on(age, time):
    ahead = 200.0  # of a sender whose clock is
    assert not age.is_old(ahead)
    age.begin()
    assert age.is_old(ahead)
    assert not age.is_old(ahead + 0.1)


def test_a_clock_set_back_makes_no_new_command_old(age, time):
    time.advance(-50.0)
    age.look()
    assert not age.is_old(60.0)


def test_a_clock_set_back_unseen_is_seen_when_a_command_comes(age, time):
    time.advance(-50.0)
    assert not age.is_old(60.0)


def test_a_clock_that_stands_still_was_not_set_back(age):
    age.look()
    assert age.is_old(99.0)


def test_after_a_clock_is_set_back_what_was_refused_stays_refused(age, time):
    refused = [90.0 + number for number in range(3)]
    assert all(map(age.is_old, refused))
    time.advance(-50.0)
    age.look()
    assert all(map(age.is_old, refused))
    assert not age.is_old(89.0)


def test_after_a_clock_is_set_back_a_beginning_counts_from_there(age, time):
    time.advance(-50.0)
    age.begin()
    assert age.is_old(49.0)
    assert not age.is_old(50.0)


def test_sixteen_old_senders_are_remembered(age, time):
    refused = [10.0 + number for number in range(16)]
    assert all(map(age.is_old, refused))
    time.advance(-95.0)
    assert all(map(age.is_old, refused))


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
