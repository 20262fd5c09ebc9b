# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""How long messages may have waited before the node reads them."""

from time import monotonic

#: How long the middleware may take to deliver messages that have waited [s].
CATCH_UP_S = 0.2


class SchedulingDelay:
    """
    How long messages may have waited before the node reads them, by how late a timer fires.

    A process that was stopped, swapped out or busy reads messages late, and the middleware, which
    stopped with it, may stamp them as just received. The same holds for a short time
    afterwards, because the middleware needs time to catch up.

    :param period: of the timer [s]; see :meth:`expect`.
    :param clock: returns monotonic seconds.
    """

    def __init__(self, period, clock=monotonic):
        self._clock, self._period = clock, period
        self._forget_at = now = clock()
        self._longest, self._due = 0.0, now + period

    def tick(self):
        """Record that the timer has fired; return how late it is [s]."""
        now = self._clock()
        late = now - self._due
        self._due = now + self._period
        if now >= self._forget_at or late >= self._longest:
            self._longest, self._forget_at = late, now + CATCH_UP_S
        return late

    def expect(self, period):
        """Take note that the timer begins anew, with a period [s]."""
        now, self._period = self._clock(), period
        if now <= self._due:
            self._due = now + period    # else it has not fired when it had to

    def seconds(self):
        """Return how long a message that is read now may have waited [s]."""
        now = self._clock()
        return max(0.0, now - self._due, self._longest if now < self._forget_at else 0.0)
