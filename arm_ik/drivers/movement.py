# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Whether the arm has moved just now, by what is measured; an arm that sags stands still."""

from math import inf

#: A joint that stays within this stands still [rad, m]: the last digit of an encoder flickers.
_STILL = 2e-3

#: How long ago the last motion may be [s].
_JUST_NOW = 0.2


class Movement:
    """Watches measured readings."""

    def __init__(self):
        self._stood = {}
        self._moved_at = -inf

    def look(self, measured, now):
        """Take note of readings by name [rad], measured at ``now`` [s]."""
        if any(abs(reading - self._stood.get(name, reading)) > _STILL
               for name, reading in measured.items()):
            self._moved_at = now
        elif self._stood:
            return
        self._stood = dict(measured)

    def is_moving(self, now):
        """Tell whether a joint has moved lately; ``now`` [s]."""
        return now - self._moved_at <= _JUST_NOW
