# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The hold command on its way to a driver that brakes: core, driver and servos on one clock."""

from random import Random

from arm_ik import Arm, Target
from arm_ik.drivers import ServoDriver
from arm_ik.drivers.simulated import Simulated
from arm_ik.nodes.ik.core import IkCore
from arm_ik.nodes.ik.report import Request
import pytest

ARM = Arm.preset('so101')


class Loop:
    """Both sides; a message is under way for 1 ms, states come at 50 Hz, the bus at 100 Hz."""

    def __init__(self, random):
        self._now, self._under_way, self._random = 10.0, [], random
        self._driver = ServoDriver(Simulated(ARM.model, clock=self._time), clock=self._time,
                                   stamp_clock=self._time)
        self._driver.connect()
        self.core = IkCore(ARM, clock=self._time)
        self._due = {'bus': random.uniform(0.0, 0.01), 'state': random.uniform(0.0, 0.02),
                     'command': random.uniform(0.0, 0.02)}
        self.path = []  # positions at every turn of the bus

    def _time(self):
        return self._now

    def run(self, seconds):
        """Let time pass."""
        for _ in range(round(seconds / 0.001)):
            self._now += 0.001
            if self._is_due('bus', 0.01):
                self._driver.turn()
                self.path.append([self._driver.snapshot.positions[name]
                                  for name in ARM.joint_names])
            if self._is_due('state', 0.02):
                stamp = self._driver.snapshot.readings[ARM.joint_names[0]].stamp
                self._send(self.core.take_state, self._driver.snapshot.positions, stamp=stamp)
            command = self.core.command if self._is_due('command', 0.02) else None
            for positions in (command, self.core.take_hold_command()):
                if positions is not None:
                    self._send(self._driver.command, dict(zip(ARM.joint_names, positions)))
            while self._under_way and self._under_way[0][0] <= self._now:
                _, take, positions, more = self._under_way.pop(0)
                take(list(positions), list(positions.values()), **more)

    def _is_due(self, what, period):
        self._due[what] -= 0.001
        if self._due[what] > 0.0:
            return False
        self._due[what] += period
        return True

    def _send(self, take, positions, **more):
        self._under_way.append((self._now + 0.001, take, positions, more))


@pytest.mark.parametrize('seed', range(12))
def test_a_disabled_arm_brakes_on_its_way_and_does_not_come_back(seed):
    random = Random(seed)
    loop = Loop(random)
    loop.run(0.1)
    goal = ARM.forward([random.uniform(low, high) for low, high in zip(ARM.lower, ARM.upper)])
    goal = loop.core.take_target(Target(goal.position, goal.up), Request(1)).solution.q
    loop.run(random.uniform(0.06, 0.6))  # before, it has not been heard to move
    stood = len(loop.path)
    loop.core.enable(False)
    loop.run(0.5)
    for joint, end, *path in zip(ARM.model.joints, goal, *loop.path[stood - 1:]):
        farthest = max(path, key=lambda position: abs(position - path[0]))
        assert path[-1] == pytest.approx(farthest, abs=1e-4)
        gone, allowed = abs(farthest - path[0]), (
            0.5 * joint.max_velocity ** 2 / joint.acceleration + 0.06 * joint.max_velocity)
        assert gone <= min(allowed, abs(end - path[0]) + 1e-9)
