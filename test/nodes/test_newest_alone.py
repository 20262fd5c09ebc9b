# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What is made of messages one by one: test_newest.py and test_flood.py send them for real."""

from itertools import repeat
import sys

from arm_ik.nodes.meters import Receipts
from arm_ik.nodes.newest import Newest, QUEUE, QUIET_READS
import pytest

NOW = 7_000_000_000
SECOND = 1_000_000_000


class StandIn:
    """A node, its subscription and that one's handle, with numbers for messages."""

    def __init__(self, **how):
        self.waiting, self.senders = iter(()), 1
        self.taken, self.floods, self.receipts = [], [], Receipts()
        self.newest = Newest(self, int, 'numbers', lambda *taken: self.taken.append(taken),
                             self.receipts, **how)

    def create_subscription(self, kind, topic, callback, qos, raw, event_callbacks):
        self.callback, self.raw = callback, raw
        return self

    @property
    def handle(self):
        return self

    def take_message(self, kind, raw):
        assert raw is self.raw
        return next(self.waiting, None)

    def get_publisher_count(self):
        return self.senders

    def hear(self, *numbers, received=NOW):
        """Let the executor serve the first of messages that have come."""
        self.wait(*numbers, received=received)
        self.callback(*next(self.waiting))

    def wait(self, *numbers, received=NOW):
        self.waiting = iter([(number, {
            'publication_sequence_number': number, 'received_timestamp': received})
            for number in numbers])


@pytest.fixture
def stand_in(monkeypatch):
    monkeypatch.setattr(sys.modules[Newest.__module__], 'time_ns', lambda: NOW)
    return StandIn()


@pytest.fixture
def flooded():
    """Return one that is told of floods; there is one."""
    flooded = StandIn(flood=lambda which, begins: flooded.floods.append((which, begins)))
    flooded.hear(*range(QUEUE))
    return flooded


def floods(stand_in):
    assert all(which is stand_in.newest for which, _ in stand_in.floods)
    return [begins for _, begins in stand_in.floods]


def test_messages_come_unpacked_unless_bytes_are_asked_for(stand_in):
    assert stand_in.raw is False
    assert StandIn(raw=True).raw is True


def test_either_executor_may_call(stand_in):
    info = {'publication_sequence_number': 1, 'received_timestamp': NOW}
    stand_in.callback(5, info)
    stand_in.callback((6, info))
    assert stand_in.taken == [(5, 0.0), (6, 0.0)]


@pytest.mark.parametrize('received, age', [
    (NOW, 0.0), (NOW - SECOND // 2, 0.5), (NOW - 3 * SECOND, 3.0), (SECOND, 6.0),
    (NOW + SECOND, 0.0), (0, 0.0)], ids=['now', 'half', 'three', 'six', 'clock set back', 'none'])
def test_the_age_counts_from_receipt_where_that_is_known(stand_in, received, age):
    stand_in.hear(1, received=received)
    assert stand_in.taken == [(1, age)]


def test_the_age_is_that_of_the_newest(stand_in):
    stand_in.wait(2, received=NOW - SECOND)
    stand_in.callback(1, {'publication_sequence_number': 1, 'received_timestamp': SECOND})
    assert stand_in.taken == [(2, 1.0)]
    assert stand_in.receipts.dropped == 1


@pytest.mark.parametrize('senders, dropped', [(0, 0), (1, 7), (2, 0), (3, 0)])
def test_missing_numbers_are_losses_where_there_is_one_sender(stand_in, senders, dropped):
    stand_in.senders = senders
    stand_in.hear(1)
    stand_in.hear(9)
    assert stand_in.receipts.dropped == dropped


@pytest.mark.parametrize('waiting, dropped', [(QUEUE - 1, QUEUE - 2), (QUEUE, QUEUE - 1 + 8)])
def test_missing_numbers_are_losses_where_the_queue_was_full(stand_in, waiting, dropped):
    stand_in.senders = 2
    stand_in.hear(1)
    stand_in.hear(*range(10, 10 + waiting))
    assert stand_in.receipts.dropped == dropped


def test_a_full_queue_is_a_flood_and_is_told_once(flooded):
    assert floods(flooded) == [True]
    flooded.hear(*range(2 * QUEUE))
    flooded.wait(*range(QUEUE))
    flooded.newest.read()
    assert floods(flooded) == [True]


def test_a_queue_with_room_for_one_more_is_no_flood():
    calm = StandIn(flood=lambda *told: calm.floods.append(told))
    calm.hear(*range(QUEUE - 1))
    for _ in range(2 * QUIET_READS):
        calm.newest.read()
    assert calm.floods == []


def test_a_flood_is_over_after_quiet_reads_and_the_next_one_is_told_again(flooded):
    for _ in range(2):
        for _ in range(QUIET_READS - 1):
            flooded.newest.read()
        assert floods(flooded)[-1] is True
        flooded.newest.read()
        assert floods(flooded)[-1] is False
        flooded.newest.read()
        flooded.hear(*range(QUEUE))
    assert floods(flooded) == [True, False, True, False, True]


def test_a_flood_that_goes_on_is_not_over(flooded):
    for _ in range(5):
        for _ in range(QUIET_READS - 1):
            flooded.newest.read()
        flooded.wait(*range(QUEUE))
        flooded.newest.read()
    assert floods(flooded) == [True]
    for _ in range(QUIET_READS):
        flooded.newest.read()
    assert floods(flooded) == [True, False]


def test_in_a_flood_the_newest_that_waits_is_read_if_there_is_one(flooded):
    flooded.taken.clear()
    flooded.newest.read()
    assert flooded.taken == []
    flooded.wait(7, 8, 9)
    flooded.newest.read()
    assert [message for message, _ in flooded.taken] == [9]


def test_a_sender_that_is_quicker_than_reading_does_not_keep_the_newest_to_itself(stand_in):
    info = {'publication_sequence_number': 1, 'received_timestamp': 0}
    stand_in.waiting = repeat((5, info), 10_000)
    stand_in.callback(5, info)
    assert stand_in.taken == [(5, 0.0)]
    assert QUEUE < sum(1 for _ in stand_in.waiting) < 10_000 - QUEUE
