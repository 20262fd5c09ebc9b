# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from arm_ik.nodes.audience import Audience, STALE_S


class Topic:
    """Counts how often it is asked who listens."""

    def __init__(self, listeners):
        self.listeners = listeners
        self.asked = 0

    def get_subscription_count(self):
        self.asked += 1
        return self.listeners


def test_listeners_are_counted_at_once_and_anew_when_the_answer_is_stale():
    topics = Topic(0), Topic(2)
    audience = Audience(*topics)
    assert audience.counts(10.0) == (0, 2)
    topics[0].listeners = 1
    assert audience.counts(10.0 + 1.01 * STALE_S) == (1, 2)


def test_a_flood_does_not_ask_each_time():
    topic = Topic(1)
    audience = Audience(topic)
    for number in range(1000):
        assert audience.counts(5.0 + number * 1e-5) == (1,)
    assert 5 <= topic.asked <= 6


def test_a_clock_that_starts_at_zero_is_none_too_early():
    assert Audience(Topic(3)).counts(0.0) == (3,)
