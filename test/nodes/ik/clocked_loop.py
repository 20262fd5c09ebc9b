# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Core, driver and simulated servos on one clock, without ROS."""

from arm_ik import Arm
from arm_ik.bus.simulated import Simulated
from arm_ik.drivers import ServoDriver
from arm_ik.nodes.ik.core import IkCore

ARM = Arm.preset('so101')


class Loop:
    """
    Both sides; a message is under way for 1 ms, states come at 50 Hz, the bus at 100 Hz.

    ``path`` holds the positions [rad] after every turn of the bus; ``reports`` the core's.
    """

    def __init__(self, random):
        self.now, self._under_way = 10.0, []
        self.driver = ServoDriver(Simulated(ARM.model, clock=self._time), clock=self._time,
                                  stamp_clock=self._time)
        self.driver.connect()
        self.core = IkCore(ARM, clock=self._time)
        self._due = {'bus': random.uniform(0.0, 0.01), 'state': random.uniform(0.0, 0.02),
                     'command': random.uniform(0.0, 0.02), 'check': 0.01}
        self.path, self.reports = [], []
        self.deaf = False  # the driver
        self.busy = False  # the core's machine: no turn of it comes

    def _time(self):
        return self.now

    def run(self, seconds):
        """Let time pass."""
        for _ in range(round(seconds / 0.001)):
            self.now += 0.001
            if self._is_due('bus', 0.01):
                self.driver.turn()
                self.path.append([self.driver.snapshot.positions[name]
                                  for name in ARM.joint_names])
            if self._is_due('state', 0.02):
                stamp = self.driver.snapshot.readings[ARM.joint_names[0]].stamp
                self._send(self.core.take_state, self.driver.snapshot.positions, stamp=stamp)
            if self._is_due('check', 0.02):
                self.do(self.core.check())
                status = self.driver.status
                self.do(self.core.take_lag(float(status['lag_s']), status['slow_joint']))
            if not self.busy and self._is_due('command', 0.02):
                self._command(self.core.go_on())
            while self._under_way and self._under_way[0][0] <= self.now:
                _, take, positions, more = self._under_way.pop(0)
                report = take(list(positions), list(positions.values()), **more)
                if take == self.core.take_state:
                    self.do(report)

    def do(self, report):
        """Take what the core says, with what leaves for the driver."""
        if report is not None:
            self.reports.append(report)
            self._command(report.motion)

    def _command(self, motion):
        if motion is not None and not self.deaf:
            self._send(self.driver.command, dict(zip(ARM.joint_names, motion.positions)),
                       velocities=motion.velocities, stamp=motion.made)

    def _is_due(self, what, period):
        self._due[what] -= 0.001
        if self._due[what] > 0.0:
            return False
        self._due[what] += period
        return True

    def _send(self, take, positions, **more):
        self._under_way.append((self.now + 0.001, take, positions, more))
