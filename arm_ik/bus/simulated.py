# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Simulated servos: ideal ones, which are at a set-point as soon as it is written, or worse.

How a motion runs in time is up to the set-points. What real servos do to them and to their
replies can be switched on, all of it at any moment: see :class:`Imperfections`.
"""

from collections import deque
from dataclasses import dataclass
from math import inf
from random import Random
import time

from .backend import Backend, Health, JointReading, Snapshot
from ..errors import DriverError

#: Roles of the joints that carry the arm's weight, and sag.
_LOADED = ('shoulder', 'elbow', 'wrist')

#: Noise of a position before it is counted, to either side, in counts.
_FLICKER = 0.75

#: A velocity is the mean of at least so long [s]: set-points come in steps, and turns of the bus
#: not at equal times.
_MEAN = 0.0199


@dataclass(frozen=True)
class Imperfections:
    """
    What is wrong with simulated servos; nothing, by default.

    ``latency`` is how long a set-point takes to have an effect, ``read_time`` how long a read
    takes [s]; ``resolution`` [rad] is one count of the encoders, whose last digit flickers;
    ``sag`` [rad] is how far below their set-points the joints are that carry the arm;
    ``lost_replies`` is the part of all replies that get lost. ``blocked``, ``dead`` and
    ``brown_out`` are names of joints, ``''`` for none: one that does not move, one that neither
    answers nor hears but holds, and one whose torque is lost. ``unplugged``: the bus is missing.
    """

    latency: float = 0.0
    read_time: float = 0.0
    resolution: float = 0.0
    sag: float = 0.0
    lost_replies: float = 0.0
    blocked: str = ''
    dead: str = ''
    brown_out: str = ''
    unplugged: bool = False


class Simulated(Backend):
    """
    Simulated servos.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param start: mapping from joint names to positions, where they differ from the arm's home;
        extra joints start closed.
    :param clock: returns the time [s]; steadily growing.
    :param imperfections: :class:`Imperfections`; they may be replaced at any time.
    :param seed: of lost replies and flicker.
    :raises DriverError: if a start is of no joint here, or not finite.
    """

    name = 'simulated'

    def __init__(self, model, start=None, clock=time.monotonic, imperfections=Imperfections(),
                 seed=0):
        super().__init__(model, clock)
        starts = {**self.home, **(start or {})}
        self.require_finite(starts)
        self.imperfections = imperfections
        self._random = Random(seed)
        self._positions, self._set_points = dict(starts), dict(starts)
        self._torque = dict.fromkeys(starts, False)
        self._lost = dict.fromkeys(starts, 0)
        self._moved = {}                # position, time and velocity, by name
        self._sent = deque()    # (time when they arrive, set-points)
        self._down = {joint.name: -joint.sign for joint in model.joints if joint.role in _LOADED}
        self._sliding = {joint.name for joint in model.extra_joints if joint.type == 'prismatic'}

    @property
    def imperfections(self):
        """Hold the :class:`Imperfections`."""
        return self._imperfections

    @imperfections.setter
    def imperfections(self, imperfections):
        self.require_known([name for name in (imperfections.blocked, imperfections.dead,
                                              imperfections.brown_out) if name])
        self._imperfections = imperfections

    @property
    def resolution(self):
        """See :attr:`Backend.resolution`."""
        return {name: self._count(name) for name in self.joints}

    @property
    def cycle_time(self):
        """See :attr:`Backend.cycle_time`."""
        return self._imperfections.read_time

    def open(self):  # noqa: A003
        """See :meth:`Backend.open`."""
        if self._imperfections.unplugged:
            raise DriverError(self.name, 'no such port (unplugged)')
        self._bus = True

    def read(self):
        """See :meth:`Backend.read`."""
        self._require_bus()
        if self._imperfections.read_time:
            time.sleep(self._imperfections.read_time)
        self._follow()
        now = self.clock()
        snapshot = Snapshot({}, {})
        for name in self.joints:
            lost = self._imperfections.lost_replies
            if name != self._imperfections.dead and not (lost and self._random.random() < lost):
                snapshot.readings[name] = JointReading(
                    self._measure(name), now, velocity=self._velocity(name, now))
            else:
                self._lost[name] += 1
                snapshot.missing[name] = 'no reply'
        return snapshot

    def write(self, set_points):
        """See :meth:`Backend.write`."""
        self._require_bus()
        self.require_finite(set_points)
        self._sent.append((self.clock() + self._imperfections.latency, dict(set_points)))
        self._follow()

    def set_torque(self, on, names=None):
        """See :meth:`Backend.set_torque`; a simulated arm does not fall, it stays where it is."""
        self._require_bus()
        self._follow(inf)       # latency is no reason to follow older set-points than there are
        for name in self.joints if names is None else names:
            if name != self._imperfections.dead:
                self._torque[name] = bool(on)
        self._follow()

    def read_health(self, name):
        """See :meth:`Backend.read_health`."""
        self._require_bus()
        self.require_known((name,))
        self._follow()
        dead = name == self._imperfections.dead
        return Health(torque=None if dead else self._torque[name], lost_replies=self._lost[name],
                      strain=float(name == self._imperfections.blocked))

    def close(self):
        """See :meth:`Backend.close`."""
        self._bus = None

    def push(self, positions):
        """Move joints by hand to positions by name; those that hold go back to set-points."""
        self._positions.update(positions)

    def _follow(self, now=None):
        """Bring set-points that have arrived into force, and the joints to them."""
        faults, now = self._imperfections, self.clock() if now is None else now
        while self._sent and self._sent[0][0] <= now:
            set_points = self._sent.popleft()[1]
            set_points.pop(faults.dead, None)
            self._set_points.update(set_points)
        if faults.brown_out:
            self._torque[faults.brown_out] = False
        self._move()

    def _move(self):
        """Bring the joints to the set-points in force."""
        for name, set_point in self._set_points.items():
            if self._torque[name] and name != self._imperfections.blocked:
                self._positions[name] = set_point

    def _velocity(self, name, now):
        """Return the mean velocity of the last time [rad/s, m/s]."""
        position, then, velocity = self._moved.get(name, (self._positions[name], now, 0.0))
        if now - then >= _MEAN:
            velocity = (self._positions[name] - position) / (now - then)
            position, then = self._positions[name], now
        self._moved[name] = position, then, velocity
        return velocity

    def _measure(self, name):
        position, count = self._positions[name], self._count(name)
        if self._torque[name]:
            position += self._imperfections.sag * self._down.get(name, 0.0)
        if not count:
            return position
        return round(position / count + self._random.uniform(-_FLICKER, _FLICKER)) * count

    def _count(self, name):
        return 0.0 if name in self._sliding else self._imperfections.resolution

    def _require_bus(self):
        self.require_open()
        if self._imperfections.unplugged:
            raise DriverError(self.name, 'the bus is missing (unplugged)')
