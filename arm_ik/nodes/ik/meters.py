# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What a node counts of its traffic: how often, how long, and how many were overtaken."""

from collections import deque
from time import monotonic

#: Latencies remembered: enough for a 99th percentile, of the newest seconds under load.
REMEMBERED = 1000

#: Shortest time that a rate is taken over [s].
WINDOW = 1.0


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

    def count(self, events=1):
        """Take note of events."""
        self._count += events

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

    def add_all(self, latencies):
        """Take note of several."""
        self._newest.extend(latencies)

    def quantiles(self, *parts):
        """Return what these parts (0 to 1) of them do not exceed [s]; NaN while there is none."""
        ordered = sorted(self._newest)
        if not ordered:
            return [float('nan')] * len(parts)
        return [ordered[min(len(ordered) - 1, int(part * len(ordered)))] for part in parts]


class Receipts:
    """
    How many messages of a topic were overtaken by newer ones before they were read.

    Those that waited are seen and counted. Those that a full queue had no place for, at either
    end, are known by the number their sender gave the newest; which is exact for one sender.
    """

    def __init__(self):
        self.dropped = 0
        self._number = None  # that was known last
        self._since = 0      # messages seen since

    def count(self, overtaken=0, number=None, plausible=lambda: True):
        """
        Take note of a message that was handed on.

        :param overtaken: how many older ones waited with it.
        :param number: of the message among its sender's, where known.
        :param plausible: tells whether missing numbers are lost, and not another sender's.
        """
        self.dropped += overtaken
        self._since += 1 + overtaken
        if number is None:
            return
        if self._number is not None:
            lost = number - self._number - self._since
            if lost > 0 and plausible():
                self.dropped += lost
        self._number, self._since = number, 0
