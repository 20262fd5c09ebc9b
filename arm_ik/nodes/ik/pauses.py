# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How long the node stood still just before now.

A process that is stopped, swapped out or busy reads late what has come meanwhile; and since the
middleware may have stood still with it, it may take that for just received. What tells is a beat
of a known period that comes late. What is read then may have waited for as long as the pause, and
for a little while after it: the middleware needs its time to catch up.
"""

from time import monotonic

#: How long the middleware may take to deliver what has waited [s].
CATCHING_UP_S = 0.2


class Pauses:
    """
    Listens for beats that are late.

    :param period: of the beats [s]; may be changed.
    :param clock: seconds that never run backwards.
    """

    def __init__(self, period, clock=monotonic):
        self.period = period
        self._clock = clock
        self._beat = clock()
        self._longest, self._forgotten = 0.0, self._beat

    def beat(self):
        """Take note that the node runs; to be called once a period."""
        now = self._clock()
        late = now - self._beat - self.period
        self._beat = now
        if now >= self._forgotten or late >= self._longest:
            self._longest, self._forgotten = late, now + CATCHING_UP_S

    def waited(self):
        """Return how long ago what is read now may have come [s]; zero: just now."""
        now = self._clock()
        waited = now - self._beat - self.period
        if now < self._forgotten:
            waited = max(waited, self._longest)
        return max(0.0, waited)
