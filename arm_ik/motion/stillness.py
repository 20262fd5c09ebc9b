# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Which joints stand still, by what is measured; an arm that sags stands still.

The one definition, for the driver and for ``ik_node``: a joint moves when it leaves the place
where it stood by more than :data:`STILL` or, where a count of its encoder is larger, by more than
its last digit flickers.
"""

from math import inf

#: A joint that stays within this stands still [rad, m], whatever measures it: more than one count
#: of a 12-bit encoder (0.0015 rad).
STILL = 2e-3

#: How long a joint has to stand still to be at rest [s].
REST_TIME = 0.2

#: One that stays within so many counts of its encoder stands still, too; or within so many of the
#: steps that it is seen to make to and fro, where nobody says what a count is.
_COUNTS, _STEPS = 2.5, 2.1

#: Longer steps to and fro are motion [rad]: more than one count of 0.29 deg, as AX-12 have them.
_LONGEST_FLICKER = 6e-3


class Stillness:
    """
    Watches measured positions, by joint.

    :param resolution: smallest step of a reading by joint [rad, m], as far as it is known.
    """

    def __init__(self, resolution={}):
        self._tolerances = {joint: max(STILL, _COUNTS * count)
                            for joint, count in resolution.items()}
        self._stood = {}        # where each joint stands
        self._moved_at = {}     # when it was seen to move
        self._last, self._steps = {}, {}

    def restart(self, measured):
        """Take it that joints stand where they are now."""
        self._stood.update(measured)

    def _learn(self, measured):
        """See how far readings go to and fro."""
        for joint, now in measured.items():
            step = now - self._last.get(joint, now)
            if step:
                last, self._steps[joint] = self._steps.get(joint, 0.0), step
                size = min(abs(last), abs(step))
                if last * step < 0.0 and size <= _LONGEST_FLICKER:
                    self._tolerances[joint] = max(STILL, _STEPS * size)
        self._last.update(measured)

    def look(self, measured, now, learn=False):
        """
        Take positions measured at ``now`` [s]; return the joints that have moved.

        :param learn: see from the readings how far they flicker.
        """
        if learn:
            self._learn(measured)
        moved = [joint for joint, position in measured.items() if abs(
            position - self._stood.setdefault(joint, position))
            > self._tolerances.get(joint, STILL)]
        for joint in moved:
            self._stood[joint], self._moved_at[joint] = measured[joint], now
        return moved

    def rested(self, joint, now):
        """Return for how long a joint has stood still [s]; ``inf``: it never was seen to move."""
        return now - self._moved_at.get(joint, -inf)

    def is_moving(self, joint, now):
        """Tell whether a joint has moved just now."""
        return self.rested(joint, now) <= REST_TIME
