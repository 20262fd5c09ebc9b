# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What stood still for a while reads what came meanwhile late."""

from arm_ik.nodes.ik.pauses import CATCHING_UP_S, Pauses
import pytest


def about(seconds):
    return pytest.approx(seconds, abs=1e-9)


class Node:
    """A clock, and a beat of 0.02 s that comes when it is told to."""

    def __init__(self):
        self.now = 100.0
        self.pauses = Pauses(0.02, clock=lambda: self.now)

    def run(self, seconds):
        for _ in range(round(seconds / 0.02)):
            self.pause(0.02)

    def pause(self, seconds):
        self.now += seconds
        self.pauses.beat()


@pytest.fixture
def node():
    node = Node()
    node.run(1.0)
    return node


def test_what_comes_between_beats_in_time_is_new(node):
    for _ in range(5):
        node.now += 0.019
        assert node.pauses.waited() == about(0.0)
        node.now += 0.001
        node.pauses.beat()
        assert node.pauses.waited() == about(0.0)


def test_what_is_read_before_the_late_beat_may_have_waited_for_the_pause(node):
    node.now += 0.5
    assert node.pauses.waited() == about(0.48)


def test_what_is_read_after_the_late_beat_may_have_too_until_all_has_been_delivered(node):
    node.pause(0.5)
    assert node.pauses.waited() == about(0.48)
    node.run(CATCHING_UP_S - 0.02)
    assert node.pauses.waited() == about(0.48)
    node.run(0.04)
    assert node.pauses.waited() == about(0.0)


def test_of_two_pauses_the_longer_counts_and_then_the_later(node):
    node.pause(0.5)
    node.pause(0.1)
    assert node.pauses.waited() == about(0.48)
    node.run(1.0)
    node.pause(0.1)
    assert node.pauses.waited() == about(0.08)


def test_a_longer_period_is_no_pause(node):
    node.pauses.period = 1.0
    node.now += 0.9
    assert node.pauses.waited() == about(0.0)
