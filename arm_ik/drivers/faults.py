# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What is wrong with servos by what they tell of themselves: kept until somebody clears it.

A servo that has cut its torque for an overload may take it back a second later: the arm has sunk
by then, and its owner should have a look before it goes on.
"""

#: The flags of servos that are faults.
FLAGS = ('overload', 'overheat', 'voltage')

#: A servo that should hold and does not.
TORQUE_LOST = 'torque lost'


class Faults:
    """The faults of each joint, in words, from when they were first seen."""

    def __init__(self):
        self._latched = {}      # joint's name: words, in the order they came

    def __contains__(self, name):
        return name in self._latched

    def __bool__(self):
        return bool(self._latched)

    def __str__(self):
        return '; '.join(f'{name}: {", ".join(words)}' for name, words in self._latched.items())

    def of(self, name):
        """Return the faults of a joint, a tuple of words."""
        return tuple(self._latched.get(name, ()))

    def look(self, name, health, should_hold):
        """
        Take note of a :class:`~.backend.Health`; tell whether it has a fault not known yet.

        :param should_hold: whether the servo's torque has been switched on.
        """
        found = [flag for flag in health.flags if flag in FLAGS]
        if should_hold and health.torque is False:
            found.append(TORQUE_LOST)
        known = self._latched.get(name, [])
        new = [fault for fault in found if fault not in known]
        if new:
            self._latched[name] = known + new
        return bool(new)

    def clear(self, names):
        """Forget those of some joints; what is still there comes again with the next look."""
        for name in names:
            self._latched.pop(name, None)
