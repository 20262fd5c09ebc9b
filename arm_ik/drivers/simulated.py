# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Ideal simulated servos: the joints of one command start and arrive together, as fast as they can.

The joint that needs the most time runs at its ``max_velocity``, the others as much slower as
they have time: an arm whose joints arrive one after the other swings far off between two near
poses. Where a joint is follows from the clock alone::

    q(t) = q0 + sign(goal - q0) min(v (t - t0), |goal - q0|)

with q0 where it was when the goal came at t0. There is no step to simulate: a position is right at
whatever moment it is taken, and equal to the goal, to the last bit, once that is reached.
"""

import time
from typing import NamedTuple

from .backend import Backend
from ..errors import DriverError


class _Run(NamedTuple):
    """A joint's motion from ``start`` at ``since`` [s] to ``goal``, ``speed`` in rad/s or m/s."""

    start: float
    goal: float
    since: float
    speed: float

    def at(self, now):
        distance = self.goal - self.start
        done = self.speed * max(0.0, now - self.since)
        if done >= abs(distance):
            return self.goal
        return self.start + (done if distance > 0.0 else -done)


class Simulated(Backend):
    """
    Simulated servos, without mass, friction, backlash or noise.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param start: mapping from joint names to positions, where they differ from the arm's home;
        extra joints start closed.
    :param clock: returns the time [s]; steadily growing.
    :raises DriverError: if a start is not inside its joint's limits.
    """

    name = 'simulated'

    def __init__(self, model, start=None, clock=time.monotonic):
        super().__init__(model)
        starts = dict(zip(model.joint_names, model.home))
        starts.update({joint.name: joint.closed for joint in model.extra_joints})
        starts.update(start or {})
        if self.clamped(starts) != starts:
            outside = [name for name, position in self.clamped(starts).items()
                       if position != starts[name]]
            raise DriverError(self.name, f'start of {", ".join(outside)} is outside the limits')
        self._clock = clock
        self._connected = False
        self._torque = False
        self._runs = {name: self._rest(name, float(start)) for name, start in starts.items()}

    def connect(self):
        """See :meth:`Backend.connect`."""
        if not self._connected:
            self._connected = True
            self.set_torque(True)

    def read(self):
        """See :meth:`Backend.read`."""
        self._require_connection()
        now = self._clock()
        return {name: run.at(now) for name, run in self._runs.items()}

    def write(self, goals):
        """See :meth:`Backend.write`."""
        self._require_connection()
        goals = self.clamped(goals)
        if not self._torque:
            return
        now = self._clock()
        starts = {name: self._runs[name].at(now) for name, goal in goals.items()
                  if goal != self._runs[name].goal}
        times = {name: abs(goals[name] - start) / self.joints[name].max_velocity
                 for name, start in starts.items()}
        longest = max(times.values(), default=0.0)
        for name, start in starts.items():
            speed = self.joints[name].max_velocity
            if longest > 0.0:
                speed *= times[name] / longest
            self._runs[name] = _Run(start, goals[name], now, speed)

    def set_torque(self, on):
        """See :meth:`Backend.set_torque`; a simulated arm does not fall, it stays where it is."""
        for name, position in self.read().items():
            self._runs[name] = self._rest(name, position)
        self._torque = bool(on)

    def close(self):
        """See :meth:`Backend.close`."""
        self._connected = False

    def _rest(self, name, position):
        return _Run(position, position, 0.0, self.joints[name].max_velocity)

    def _require_connection(self):
        if not self._connected:
            raise DriverError(self.name, 'not connected')
