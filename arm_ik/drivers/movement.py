# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Which joints have moved just now, by what is measured; an arm that sags stands still.

A joint that stands may still be measured to go to and fro: the last digit of its encoder flickers.
How far that is differs from servo to servo. Where nobody tells it is seen from the readings
themselves: from steps to and fro.
"""

from math import inf

#: A joint that stays within this stands still [rad, m], whatever measures it.
STILL = 2e-3

#: One that stays within so many counts of its encoder stands still, too: the last digit flickers.
_COUNTS = 2.5

#: Longer steps to and fro are motion [rad]: more than one count of 0.29 deg, as AX-12 have them.
_LONGEST_FLICKER = 6e-3

#: How long ago the last motion may be [s].
JUST_NOW = 0.2


class Movement:
    """
    Watches measured positions.

    :param resolution: smallest step of a reading by joint [rad, m]; ``None``: it is learnt.
    """

    def __init__(self, resolution=None):
        self._counts = dict(resolution or {})
        self._steps = {} if resolution is None else None    # the newest, to learn from
        self._read = {}         # joint: newest position
        self._stood = {}        # joint: where it stands
        self._moved_at = {}     # joint: when it was seen to move

    def look(self, measured, now):
        """Take note of positions by joint [rad], measured at ``now`` [s]."""
        for name, position in measured.items():
            if self._steps is not None:
                self._learn(name, position)
            still = max(STILL, _COUNTS * self._counts.get(name, 0.0))
            if abs(position - self._stood.setdefault(name, position)) > still:
                self._stood[name], self._moved_at[name] = position, now

    def _learn(self, name, position):
        step = position - self._read.get(name, position)
        self._read[name] = position
        if step:
            last, self._steps[name] = self._steps.get(name, 0.0), step
            if last * step < 0.0 and (size := min(abs(last), abs(step))) <= _LONGEST_FLICKER:
                self._counts[name] = size

    def moved_at(self, names=None):
        """Return when one of these joints, or of all, was seen to move last [s]; or minus inf."""
        names = self._moved_at if names is None else names
        return max((self._moved_at.get(name, -inf) for name in names), default=-inf)

    def is_moving(self, now, names=None):
        """Tell whether one of these joints, or of all, has moved just now [s]."""
        return now - self.moved_at(names) <= JUST_NOW
