# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Which joints have moved just now, by what is measured; an arm that sags stands still."""

#: A joint that stays within this stands still [rad, m], whatever measures it.
_STILL = 2e-3

#: One that stays within so many counts of its encoder stands still, too: the last digit flickers.
_COUNTS = 2.5

#: How long ago the last motion may be [s].
JUST_NOW = 0.2


class Movement:
    """
    Watches measured positions.

    :param resolution: smallest step of a reading by joint name [rad, m].
    """

    def __init__(self, resolution={}):
        self._still = {name: max(_STILL, _COUNTS * count) for name, count in resolution.items()}
        self._stood = {}        # joint's name: where it stands
        self._moved_at = {}     # joint's name: when it was seen to move

    def look(self, measured, now):
        """Take note of positions by name [rad], measured at ``now`` [s]."""
        for name, position in measured.items():
            if abs(position - self._stood.setdefault(name, position)) > self._still.get(
                    name, _STILL):
                self._stood[name], self._moved_at[name] = position, now

    def is_moving(self, now, names=None, lately=JUST_NOW):
        """Tell whether one of these joints, or of all, has moved ``lately``; both in seconds."""
        names = self._moved_at if names is None else names
        return any(now - self._moved_at[name] <= lately
                   for name in names if name in self._moved_at)
