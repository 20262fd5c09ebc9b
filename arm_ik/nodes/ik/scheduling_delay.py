# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How long messages may have waited before the node reads them.

A process that is stopped, swapped out or busy reads late what came meanwhile, and the middleware
that stood still with it may take that for just received. A periodic timer tells: when it fires
late, whatever is read then may have waited as long, and for a little while after it too, as the
middleware needs time to catch up.
"""

from time import monotonic

#: How long the middleware may take to deliver what has waited [s].
CATCH_UP_S = 0.2


class SchedulingDelay:
    """
    Measures by how much a periodic timer is late.

    :param period: of the timer [s].
    :param clock: seconds that never run backwards.
    """

    def __init__(self, period, clock=monotonic):
        self._period = period
        self._clock = clock
        self._ticked = clock()
        self._longest, self._forget_at = 0.0, self._ticked

    def tick(self):
        """Take note that the timer fires."""
        now = self._clock()
        late = now - self._ticked - self._period
        self._ticked = now
        if now >= self._forget_at or late >= self._longest:
            self._longest, self._forget_at = late, now + CATCH_UP_S

    def seconds(self):
        """Return how long what is read now may have waited [s]; zero: not at all."""
        now = self._clock()
        late = now - self._ticked - self._period
        return max(0.0, late, self._longest if now < self._forget_at else 0.0)
