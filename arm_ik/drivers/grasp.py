# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A gripper that moves to a goal of its own, and how that ends."""

from concurrent.futures import Future
from math import radians

from .following import Outcome
from ..motion.generator import unit

#: So near its goal a gripper is there; farther than so, having moved by less for so long [s], it
#: has stalled. Angles [rad]; on a prismatic joint parts of its range.
_NEAR, _FAR, _STILL, _LONG = radians(1.0), radians(3.0), radians(1.0), 1.0


class Grasp:
    """
    A gripper that goes somewhere.

    ``outcome`` is a :class:`concurrent.futures.Future` of its :class:`~.following.Outcome`.

    :param joint: the gripper's.
    :param goal: its position there [rad, m].
    :param now: the time [s].
    """

    def __init__(self, joint, goal, now):
        self.outcome = Future()
        self._goal, self._unit = goal, unit(joint)
        self._place, self._since = goal, now

    def judge(self, position, set_point, waits, now):
        """
        Return the :class:`~.following.Outcome`, ``None`` while it is in progress.

        :param position: where it is.
        :param set_point: of it.
        :param waits: whether its set-point waits for it.
        :param now: the time [s].
        """
        off, arrived = abs(position - self._goal) / self._unit, set_point == self._goal
        if arrived and off <= _NEAR:
            return Outcome('SUCCESSFUL')
        if not (arrived or waits) or abs(position - self._place) > _STILL * self._unit:
            self._place, self._since = position, now
        if now - self._since > _LONG:
            return Outcome('STALLED' if off > _FAR else 'SUCCESSFUL')
        return None
