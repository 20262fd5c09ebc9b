# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The rest of the path of an arm that moves: it is looked at again while shapes may move."""

from math import inf

#: Shortest times between two looks [s], for what stops the arm and for what is only warned of.
_LOOKS, _WARNS = 0.1, 0.5


class PathWatch:
    """
    Looks ahead; ``warning`` is what is only warned of on the path, or ``''``.

    :param planner: the :class:`~.planner.Planner`.
    :param tracker: the :class:`~.tracker.Tracker`.
    """

    def __init__(self, planner, tracker):
        self._planner, self._tracker = planner, tracker
        self._looked = self._warned = -inf
        self.warning = ''

    def restart(self):
        """Begin anew, on a path of which nothing is known."""
        self._warned, self.warning = -inf, ''

    @property
    def _is_asked(self):     # a jog looks ahead all the time
        return self._tracker.is_pending and not self._tracker.is_jogging

    def objection(self, now):
        """Return the objection to the rest of the path, or ``None``."""
        return self._planner.goals.paths.objection(
            self._planner.path_left(now)) if self._is_asked else None

    def look(self, now):
        """Return the same, if it is time and the path is not the one that was looked at."""
        paths = self._planner.goals.paths
        if not paths.refuses or now - self._looked < _LOOKS or not (
                paths.is_outdated or self._tracker.path is None):
            return None
        self._looked = now
        return self.objection(now)

    def look_for_warning(self, now):
        """Return whether :attr:`warning` has changed."""
        paths, before = self._planner.goals.paths, self.warning
        if paths.warns and now - self._warned >= _WARNS and self._is_asked:
            self._warned, self.warning = now, paths.warning(self._planner.path_left(now))
        return self.warning != before
