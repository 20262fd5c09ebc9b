# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How straight lines are, how fast they are gone, and how long they take to plan.

``python benchmark/lines.py [--lines 1000] [--set-points 1000000] [--arms so101 ...]`` prints, for
each arm that comes along:

- the largest distance of the tip from its line, and the largest error of the up vector that was
  planned, in the joint states of the simulated arm at 50 Hz. ``ik_node``'s core and the driver do
  as they do between ROS messages, on a clock of their own: no other program can make a command
  late. Beside it, the distance if the joints go directly;
- how many set-points are past a limit of velocity or acceleration, at any rate and speed;
- for a part of the lines, at 50, 200 and 4 000 Hz: their durations over TOPP-RA's optimum (``pip
  install toppra pytest``, or ask for none: ``--judged 0``), and the largest acceleration over its
  limit, sampled at 1 kHz on the cubic curves between set-points;

and how long a line of 300 mm takes to plan for so101, beside :meth:`Arm.track` of as many targets.
Lines start at random poses, lead 20 to 300 mm in random directions, and can be gone.
"""

import argparse
from pathlib import Path
import sys
from time import perf_counter

from arm_ik import Arm, Target
from arm_ik.bus.simulated import Simulated
from arm_ik.drivers import ServoDriver
from arm_ik.motion.cubic_spline import CubicSpline
from arm_ik.nodes.ik.core import IkCore, Settings
from arm_ik.nodes.ik.report import Request, State
import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / 'test' / 'motion'))
import random_lines  # noqa: E402

PRESETS = ('so101', 'open_manipulator_x', 'px100', 'rx150', 'braccio', 'phantomx_pincher',
           'simple', 'rolling_base')

#: A turn of the driver's bus [s]; commands and states come every second one, at 50 Hz.
TURN = 0.01

#: Set-points per second of lines that TOPP-RA judges.
RATES = 50.0, 200.0, 4000.0


class Clocked:
    """An arm at rest, its driver and the core of ``ik_node`` on one clock."""

    def __init__(self, arm, start, motion):
        self.now, self._arm = 100.0, arm
        servos = Simulated(arm.model, dict(zip(arm.joint_names, start)), clock=self._clock)
        self.driver = ServoDriver(servos, clock=self._clock, stamp_clock=self._clock,
                                  sleep=self._pass)
        self.driver.connect()
        self.core = IkCore(arm, Settings(motion=motion, avoid_base=False),
                           clock=self._clock)

    def _clock(self):
        return self.now

    def _pass(self, seconds):
        self.now += seconds

    def go_to(self, target):
        """Go to a target; return the joint states on the way there, shape (n, joints)."""
        states, arrived = [], False
        while not arrived:
            q = [self.driver.snapshot.positions[name] for name in self._arm.joint_names]
            report = self.core.take_state(self._arm.joint_names, q)
            arrived = report is not None and report.state is State.ARRIVED
            if not states:
                accepted = self.core.take_target(target, Request(1))
                assert accepted.state is State.ACCEPTED, accepted.summary
            states.append(q)
            command = self.core.go_on()
            self.driver.command(self._arm.joint_names, command.positions,
                                stamp=command.made, velocities=command.velocities)
            self.core.check()
            for _ in range(2):
                self.now += TURN
                self.driver.turn()
        return np.array(states)


def off(arm, line, target, states):
    """Return how far tip [m] and up vector [rad] are off the line at joint states, at most."""
    pose, planned = arm.forward(states), arm.forward(line.q)
    begin = planned.position[0]
    along = np.subtract(target.position, begin)
    part, parts = [np.clip((tips - begin) @ along / (along @ along), 0.0, 1.0)
                   for tips in (pose.position, planned.position)]
    distance = np.linalg.norm(pose.position - begin - part[:, None] * along, axis=1)
    wanted = np.column_stack([np.interp(part, parts, up) for up in planned.up.T])
    turned = 2.0 * np.arcsin(0.5 * np.linalg.norm(pose.up - wanted, axis=1))
    return distance.max(), turned.max()


def past_limits(arm, line):
    """Return how many set-points are past a limit of velocity or acceleration."""
    joints = arm.model.joints
    top = np.array([joint.max_velocity for joint in joints]) * (1.0 + 1e-6)
    most = np.array([joint.acceleration for joint in joints]) * (1.0 + 1e-6)
    steps = np.diff(line.times)[:, None]
    fast = np.abs(line.velocities) > top
    fast[1:] |= np.abs(np.diff(line.q, axis=0)) > top * steps
    fast[1:] |= np.abs(np.diff(line.velocities, axis=0)) > most * steps
    return int(fast.any(axis=1).sum())


def between(arm, line):
    """Return the largest acceleration over its limit of whoever follows a line at 1 kHz."""
    spline = CubicSpline(*[values.tolist() for values in (
        line.times, line.q, line.velocities)])
    velocities = [spline.at(time)[1] for time in np.arange(0.0, line.duration, 1e-3)]
    most = [joint.acceleration for joint in arm.model.joints]
    return (np.abs(np.diff(velocities, axis=0)) / 1e-3 / most).max()


def of_arm(arm, count, set_points, judged, seed=1):
    """Print the figures of one arm."""
    tips, ups, joint_tips, judged_lines = [], [], [], []
    for number, (start, (target,), line) in enumerate(random_lines.random_lines(arm, seed, count)):
        for motion, found in (('line', tips), ('joint', joint_tips)):
            states = Clocked(arm, start, motion).go_to(target)
            distance, turned = off(arm, line, target, states)
            found.append(distance)
            if motion == 'line':
                ups.append(turned)
        if number < judged:
            best = random_lines.optimum(arm, start, target, line)
            for rate in RATES:
                line = arm.line([target], start, rate=rate)
                judged_lines.append((line.duration / best, between(arm, line)))
    seen = past = 0
    random = np.random.default_rng(seed)
    while seen < set_points:
        options = {'tip_speed': 10.0 ** random.uniform(-1.5, 0.5), 'tip_turn_speed': 10.0,
                   'rate': 10.0 ** random.uniform(1.3, 3.0)}
        for _, _, line in random_lines.random_lines(arm, random.integers(1 << 30), 1, **options):
            seen += len(line.times)
            past += past_limits(arm, line)
    of_rates = ''.join([f'{most:10.3f}{between:8.3f}' for most, between in np.reshape(
        judged_lines, (-1, len(RATES), 2)).max(axis=0)]) if judged_lines else ''
    print(f'{arm.name:20}{1e3 * np.max(tips):10.4f}{1e3 * np.median(tips):10.5f}'
          f'{1e3 * np.max(joint_tips):10.1f}{np.max(ups):10.1e}{past:5d} of{seen:9d}{of_rates}',
          flush=True)


def planning():
    """Print how long a line of 300 mm takes to plan."""
    arm, down = Arm.preset('so101'), (0.0, 0.0, -1.0)
    start = arm.solve(Target((0.17, -0.15, 0.05), down)).q
    targets = [Target((0.17, -0.15 + 0.002 * i, 0.05), down) for i in range(1, 151)]

    def least_ms(function):
        seconds = []
        for _ in range(30):
            begun = perf_counter()
            function()
            seconds.append(perf_counter() - begun)
        return 1e3 * min(seconds)
    print(f'planning 300 mm on so101: {least_ms(lambda: arm.line(targets[-1:], start)):.1f} ms; '
          f'track of 150 targets: {least_ms(lambda: arm.track(targets, start)):.1f} ms')


def main():
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.strip().split('\n')[0])
    parser.add_argument('--lines', type=int, default=1000)
    parser.add_argument('--set-points', type=int, default=1_000_000)
    parser.add_argument('--judged', type=int, default=100, help='lines that TOPP-RA judges')
    parser.add_argument('--arms', nargs='+', choices=PRESETS, default=PRESETS)
    options = parser.parse_args()
    print(f'{options.lines} lines an arm\n{"":20}{"tip off its line [mm]":>20}'
          f'{"by joints":>10}{"up [rad]":>10}{"past limits":>17}'
          + ''.join([f'{"of optimum, acceleration at":>30}'] * bool(options.judged)) + '\n'
          f'{"":20}{"most":>10}{"median":>10}{"most":>10}{"most":>10}{"":17}'
          + ''.join([f'{rate:15g} Hz' for rate in RATES] * bool(options.judged)))
    for name in options.arms:
        of_arm(Arm.preset(name), options.lines, options.set_points // len(options.arms),
               options.judged)
    planning()


if __name__ == '__main__':
    main()
