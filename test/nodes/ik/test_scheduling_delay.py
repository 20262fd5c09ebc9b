# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from arm_ik.nodes.ik.ik_node import CATCH_UP_S, SchedulingDelay
import pytest


def about(seconds):
    return pytest.approx(seconds, abs=1e-9)


class Process:
    """A clock, and a timer of 0.02 s that fires when it is told to."""

    def __init__(self):
        self.now = 100.0
        self.delay = SchedulingDelay(0.02, clock=lambda: self.now)

    def run(self, seconds):
        for _ in range(round(seconds / 0.02)):
            self.pause(0.02)

    def pause(self, seconds):
        self.now += seconds
        self.delay.tick()


@pytest.fixture
def process():
    process = Process()
    process.run(1.0)
    return process


def test_what_is_read_while_the_timer_is_on_time_has_not_waited(process):
    for _ in range(5):
        process.now += 0.019
        assert process.delay.seconds() == about(0.0)
        process.now += 0.001
        process.delay.tick()
        assert process.delay.seconds() == about(0.0)


def test_what_is_read_after_a_pause_may_have_waited_for_it_until_all_has_been_delivered(process):
    process.now += 0.5
    assert process.delay.seconds() == about(0.48)
    process.delay.tick()
    assert process.delay.seconds() == about(0.48)
    process.run(CATCH_UP_S - 0.02)
    assert process.delay.seconds() == about(0.48)
    process.run(0.04)
    assert process.delay.seconds() == about(0.0)


def test_of_two_pauses_the_longer_counts_and_then_the_later(process):
    process.pause(0.5)
    process.pause(0.1)
    assert process.delay.seconds() == about(0.48)
    process.run(1.0)
    process.pause(0.1)
    assert process.delay.seconds() == about(0.08)


def test_before_the_first_tick_time_counts_from_the_start():
    late = Process()
    assert late.delay.seconds() == about(0.0)
    late.now += 0.3
    assert late.delay.seconds() == about(0.28)


def test_a_timer_that_is_set_to_another_period_is_late_by_that_one(process):
    process.now += 0.01
    process.delay.expect(0.2)
    process.now += 0.2
    assert process.delay.seconds() == about(0.0)
    process.pause(0.1)
    assert process.delay.seconds() == about(0.1)


def test_a_timer_that_is_late_stays_so_when_it_is_set_anew(process):
    process.now += 0.5
    process.delay.expect(0.2)
    assert process.delay.seconds() == about(0.48)
    process.delay.tick()
    assert process.delay.seconds() == about(0.48)
