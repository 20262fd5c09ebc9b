# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What a node counts of its traffic: how often, how long, and how many were overtaken."""

from collections import deque
from time import monotonic, time_ns

#: Latencies remembered: enough for a 99th percentile, of the newest seconds under load.
REMEMBERED = 1000

#: Shortest time that a rate is taken over [s].
WINDOW = 1.0

#: Senders of one topic told apart.
_SENDERS = 16


class Rate:
    """
    Events per second.

    :param clock: seconds that never run backwards.
    """

    def __init__(self, clock=monotonic):
        self._clock = clock
        self._since = clock()
        self._count = 0
        self._rate = 0.0

    def count(self):
        """Take note of one event."""
        self._count += 1

    def per_second(self):
        """Return the rate [1/s] over the newest second or more that has passed."""
        elapsed = self._clock() - self._since
        if elapsed >= WINDOW:
            self._rate = self._count / elapsed
            self._since += elapsed
            self._count = 0
        return self._rate


class Latencies:
    """The newest latencies [s]."""

    def __init__(self):
        self._newest = deque(maxlen=REMEMBERED)

    def add(self, seconds):
        """Take note of one."""
        self._newest.append(seconds)

    def quantiles(self, *parts):
        """Return what these parts (0 to 1) of them do not exceed [s]; NaN while there is none."""
        ordered = sorted(self._newest)
        if not ordered:
            return [float('nan')] * len(parts)
        return [ordered[min(len(ordered) - 1, int(part * len(ordered)))] for part in parts]


class Receipts:
    """
    When the messages of a topic were received, and how many were overtaken unread.

    The middleware keeps the newest message only; its number among those of its sender tells how
    many came between. Where it does not say who the sender is (on Jazzy), a number is taken
    for the next of whoever sent the nearest smaller one.
    """

    def __init__(self):
        self.dropped = 0
        self._numbers = {}

    def take(self, info):
        """Take note of a message's ``MessageInfo``; return how long ago it was received [s]."""
        number = info['publication_sequence_number']
        if number is not None:
            self._count(number, info.get('publisher_gid'))
        received = info['received_timestamp']
        return max(0.0, (time_ns() - received) * 1e-9) if received else 0.0

    def _count(self, number, gid):
        if gid is not None:
            sender = gid['data']
        else:
            sender = max((n for n in self._numbers if n < number), default=None)
        last = self._numbers.pop(sender, None)
        if last is not None:
            self.dropped += max(0, number - last - 1)
        self._numbers[number if gid is None else sender] = number
        if len(self._numbers) > _SENDERS:
            del self._numbers[next(iter(self._numbers))]
