# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Which commands were made since the driver was last let go, by their stamps.

A command is old if its stamp lies before that moment. Where the clock of the stamps is set back
(simulated time that starts over, a host whose time is corrected), *before* says nothing any more:
then a command is old if it was heard already before the moment, or was refused since.

Where that clock shows no time yet, nobody can tell: then a command that has a time was made before
this driver. Until simulated time has begun nobody has one, and senders count their commands in
microseconds; of these the one heard last is old, for a driver that was there before time began.
"""

from collections import deque
from math import inf

#: Old commands remembered: one for each sender that goes on repeating its own.
_REMEMBERED = 16

#: A stamp below this [s] is no time but the number of a command.
_NO_TIME = 0.1

#: How long a command may take from its sender's clock to this one [s], ticks of simulated time
#: included; to start a driver takes longer.
_ON_ITS_WAY = 0.1


class CommandAge:
    """
    Tells old commands from new ones.

    ``has_begun`` tells whether that time has begun: simulated time is zero until then.

    :param clock: returns the time [s] that the stamps of commands are of.
    """

    def __init__(self, clock):
        self._clock = clock
        self._newest_time = clock()
        self.has_begun = False
        self._knows_numbers = not self._newest_time
        self._newest_stamp = None
        self._old = deque(maxlen=_REMEMBERED)
        self.begin()

    def begin(self):
        """Take every command that was made until now for old."""
        self.look()
        self._since = self._newest_time
        if self._newest_stamp is not None:
            self._old.append(self._newest_stamp)

    def look(self):
        """Look at the clock, often enough to see it run back."""
        now = self._clock()
        if now < self._newest_time:
            self._since = -inf
        elif now > 0.0 and not self.has_begun:
            self.has_begun, self._since = True, now - _ON_ITS_WAY
        self._newest_time = now

    def is_old(self, stamp):
        """Tell whether a command is; ``stamp`` [s], 0: made now."""
        if not stamp:
            return False
        self.look()
        self._newest_stamp = stamp
        if self._was_before(stamp) and stamp not in self._old:
            self._old.append(stamp)
        return stamp in self._old

    def _was_before(self, stamp):
        if self._knows_numbers and 0.0 < stamp < _NO_TIME:
            return False
        return not self.has_begun or stamp < self._since
