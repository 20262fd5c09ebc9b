# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A controller that follows trajectories, and a core that sends them, on one clock and without ROS.

The controller does as ros2_control's ``joint_trajectory_controller`` does with
``interpolate_from_desired_state``: a new trajectory takes the place of the one before at once, on
a cubic curve from the present set-point to its first point that is to come; cubic curves lead on
from there; its last point holds.
"""

from bisect import bisect_right

from arm_ik import Arm
from arm_ik.nodes.ik.core import IkCore, Settings
from arm_ik.nodes.ik.report import Request
import numpy as np

ARM = Arm.preset('so101')


class Controller:
    """Set-points of all joints, at rest at ``q`` [rad] at first."""

    def __init__(self, q):
        self._points = [(0.0, np.array(q), np.zeros(len(q)))]

    def take(self, start, times, positions, velocities, now):
        """Follow a trajectory from now on, whose times [s] count from its start."""
        points = [(start + time, np.array(p), np.array(v))
                  for time, p, v in zip(times, positions, velocities)]
        assert all(a[0] < b[0] for a, b in zip(points, points[1:])), 'times have to grow'
        assert points[-1][0] > now and not points[-1][2].any(), 'it has to end at rest, later'
        self._points = [(now, *self.at(now)), *(point for point in points if point[0] > now)]

    def at(self, now):
        """Return positions [rad] and velocities [rad/s] at a time [s]."""
        after = bisect_right([point[0] for point in self._points], now)
        if after == len(self._points):
            return self._points[-1][1:]
        (t, p, v), (u, q, w) = self._points[after - 1:after + 1]
        dt, s = u - t, (now - t) / (u - t)
        position = ((1 + 2 * s) * (1 - s) ** 2 * p + s * (1 - s) ** 2 * dt * v
                    + s * s * (3 - 2 * s) * q + s * s * (s - 1) * dt * w)
        velocity = (6 * s * (s - 1) * (p - q) / dt + (1 - s) * (1 - 3 * s) * v
                    + s * (3 * s - 2) * w)
        return position, velocity


class _SlowArm(Arm):
    """An arm whose lines take their time to be planned."""

    def __init__(self, loop):
        super().__init__(ARM.model)
        self._loop = loop

    def line(self, *arguments, **options):
        self._loop.wait(self._loop.planning)
        return super().line(*arguments, **options)


class Loop:
    """
    A core whose trajectories take up to ``most`` seconds to the controller, and its states back.

    ``path`` holds the set-points of every 10 ms, ``reports`` what the core says, ``sent`` the
    trajectories that left, each with the time of its start.
    """

    def __init__(self, random, q, most=0.015, **settings):
        self.now, self._random, self._most = 100.0, random, most
        self.sag = np.zeros(len(q))     # of the measured joints [rad]
        self.lag = 0.0          # how late the arm is where the controller is [s]
        self.planning = 0.0     # how long lines take to be planned [s]
        self.core = IkCore(_SlowArm(self), Settings(output='trajectory', **settings),
                           clock=lambda: self.now)
        self.controller, self._under_way, self._seq = Controller(q), [], 0
        self.path, self.reports, self.sent = [q], [], []
        self.blocked = self.silent = self.stopped = False
        self._tick = 0
        self._hear()

    def request(self):
        self._seq += 1
        return Request(self._seq, (self._seq, 0), 'base_link')

    def do(self, report):
        """Take what the core says of a request, with what it sends."""
        self.reports.append(report)
        self._send(report and report.motion)
        return report

    def run(self, seconds):
        """Let time pass; the node's timers are every 20 ms, and states come as often."""
        for _ in range(round(seconds * 1000)):
            self.wait(0.001)
            if self._tick % 20 == 0 and not self.silent:
                self._hear()
            if self._tick % 20 == 7 and not self.stopped:
                self.do(self.core.check())
                self._send(self.core.go_on())

    def wait(self, seconds):
        """Let time pass for the controller alone."""
        for _ in range(round(seconds * 1000)):
            self._tick += 1
            self.now += 0.001
            while self._under_way and self._under_way[0][0] <= self.now:
                self.controller.take(*self._under_way.pop(0)[1:], self.now)
            if self._tick % 10 == 0:
                self.path.append(self.controller.at(self.now)[0])

    def until(self, state):
        """Let time pass until the newest report is in a state."""
        while [report for report in self.reports if report][-1].state is not state:
            assert self.now < 300.0, [report for report in self.reports if report][-1]
            self.run(0.02)

    def _hear(self):
        if not self.blocked:
            late = self.path[-min(2 + round(self.lag / 0.01), len(self.path))]
            self.measured = tuple((late - self.sag).tolist())
        self.do(self.core.take_state(ARM.joint_names, self.measured))

    def _send(self, due):
        if due is not None:
            spline, delay = due.spline, due.begins - self.now
            points = [point for point in zip(spline.times, spline.positions, spline.velocities)
                      if point[0] + delay > 0.0]
            self.sent.append((self.now + delay, spline))
            arrives = max(self.now + self._random.uniform(0.001, self._most),
                          self._under_way[-1][0] if self._under_way else 0.0)
            self._under_way.append((arrives, self.now + delay, *zip(*points)))


def require_inside_limits(path, period=0.01, slack=1e-6):
    """Check set-points of every period, the first and last of an arm at rest."""
    q = np.array(path)
    speeds = np.vstack([0.0 * q[:1], np.diff(q, axis=0) / period, 0.0 * q[:1]])
    top = np.array([joint.max_velocity for joint in ARM.model.joints])
    most = np.array([joint.acceleration * period for joint in ARM.model.joints])
    by_velocity = (np.abs(speeds) / top).max()
    by_acceleration = (np.abs(np.diff(speeds, axis=0)) / most).max()
    assert max(by_velocity, by_acceleration) < 1.0 + slack, (by_velocity, by_acceleration)
