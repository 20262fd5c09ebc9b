# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A driver on simulated servos whose turns the test takes, with the time in its hand."""

from dataclasses import replace

from arm_ik.bus.simulated import Imperfections, Simulated
from arm_ik.drivers import ServoDriver
from arm_ik.errors import InvalidInputError
import pytest
from small_arm import JOINTS, MODEL, Time

#: From one turn of the bus to the next [s].
PERIOD = 0.01


class Recorded(Simulated):
    """Servos that remember what was done to them, with the time of it."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.done = []

    def write(self, set_points):
        self.done.append((self.clock(), 'write', dict(set_points)))
        super().write(set_points)

    def set_torque(self, on, names=None):
        self.done.append((self.clock(), 'torque', on))
        super().set_torque(on, names)

    def close(self):
        self.done.append((self.clock(), 'close', None))
        super().close()

    @property
    def written(self):
        """Set-points that were written, oldest first."""
        return [what for _, verb, what in self.done if verb == 'write']


class DrivenArm:
    """
    A :class:`ServoDriver`, its servos and its time.

    :param model: the arm.
    :param backend: function of a model, a clock and imperfections that makes the servos.
    :param imperfections: of the servos, by name.
    :param options: of the driver.
    """

    def __init__(self, model=MODEL, backend=Recorded, stamp_clock=None, imperfections={},
                 **options):
        self.time = Time()
        self.servos = backend(model, clock=self.time,
                              imperfections=Imperfections(**imperfections))
        self.driver = ServoDriver(
            self.servos, clock=self.time, stamp_clock=stamp_clock or self.time,
            sleep=self.time.advance, **options)
        self.driver.connect()

    def disturb(self, **imperfections):
        """Change imperfections of the servos."""
        self.servos.imperfections = replace(self.servos.imperfections, **imperfections)

    def refuses(self, words, names, positions, **more):
        """Send a command, and see it refused in such words."""
        with pytest.raises(InvalidInputError, match=words):
            self.driver.command(names, positions, **more)

    def turn(self, dt=PERIOD):
        """Take a turn of the bus after a time [s]; return what is published of it."""
        self.time.advance(dt)
        self.driver.turn()
        return self.positions

    def run(self, seconds, names=(), positions=()):
        """Let time pass, and repeat a command fifty times a second meanwhile, if there is one."""
        for number in range(round(seconds / PERIOD)):
            if names and number % 2 == 0:
                self.driver.command(names, positions)
            self.turn()
        return self.positions

    def let_go(self, how):
        """Take ``'torque'`` or ``'bus'`` away and give it back, or have a ``'fault'``."""
        if how == 'torque':
            self.driver.set_torque(False)
            self.turn()
            self.driver.set_torque(True)
            self.turn()
        elif how == 'bus':
            self.disturb(unplugged=True)
            self.turn()
            self.disturb(unplugged=False)
            self.turn(0.3)
        else:
            self.disturb(brown_out='wrist')
            self.run(0.5)

    @property
    def positions(self):
        """Newest positions; ``None`` while there are none."""
        return self.driver.snapshot and self.driver.snapshot.positions

    @property
    def set_points(self):
        return self.driver.set_points

    def assert_stays(self, seconds=3.0):
        there = self.turn()
        for _ in range(round(seconds / PERIOD)):
            assert self.turn() == there
        return there

    def come_to_rest(self):
        """Let time pass until the set-points stand; return the positions."""
        before = None
        while before != self.set_points:
            before = self.set_points
            self.turn()
        return self.turn()


class LimitsKept:
    """
    Looks at set-points turn by turn: inside the limits of position, velocity and acceleration.

    :param blocked: names of joints that may stop at once.
    """

    def __init__(self, blocked=()):
        self._blocked, self._before = blocked, {}

    def look(self, set_points):
        for name, position in set_points.items():
            joint, (last, speed) = JOINTS[name], self._before.get(name, (None, None))
            now = None if last is None else (position - last) / PERIOD
            self._before[name] = position, now
            assert joint.lower <= position <= joint.upper
            if speed is not None:
                assert abs(now) <= joint.max_velocity * (1.0 + 1e-9)
                assert name in self._blocked \
                    or abs(now - speed) <= joint.acceleration * PERIOD + 1e-9
