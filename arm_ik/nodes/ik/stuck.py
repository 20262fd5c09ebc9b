# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Which joints stand still although they are commanded elsewhere.

A joint is stuck when it has stood farther than a following arm may from its command, and has not
moved, for ``PATIENCE``: something blocks it, or the driver does not obey. New commands don't
change that: a stream of targets must not hide it.
"""

from .arrival import REST_TOLERANCE
from .following import FOLLOW_TOLERANCE

#: How long commands may leave without a joint moving before that is worth a word [s]: more than
#: a driver takes to start, less than a person takes to wonder.
PATIENCE = 0.5


class Stuck:
    """Watches measured states against commands."""

    def __init__(self):
        self._since = {}  # joint's index: since when it stands [s], and where [rad]

    def clear(self):
        """Forget what was seen: there is no command any more."""
        self._since.clear()

    def look(self, measured, command, now):
        """
        Take a look at the arm.

        :param measured: readings [rad].
        :param command: readings [rad] that are sent.
        :param now: time [s], monotonic.
        :returns: ``(index, rad)`` of the joint that is stuck farthest from its command, or
            ``None``.
        """
        found = None
        for index, (here, there) in enumerate(zip(measured, command)):
            way = abs(here - there)
            if way <= FOLLOW_TOLERANCE:
                self._since.pop(index, None)
                continue
            since, stood = self._since.setdefault(index, (now, here))
            if abs(here - stood) > REST_TOLERANCE:
                self._since[index] = now, here
            elif now - since >= PATIENCE and (found is None or way > found[1]):
                found = index, way
        return found
