# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Streams of targets with full poses, through ``ik_node``'s core and the driver, in simulated time.

The tips of five arms are sent round an upright circle of 4 cm at 0.1 m/s, with eight constant
orientations and one that turns with the circle, at four rates; targets come up to 20 % of their
period early or late. The kinds are: clean; with 1 mm of noise; too fast, with joints so slow that
one of them would need twice its velocity for 1.5 s; and a camera, 10 Hz with 3 mm of noise.

Only commands and set-points are compared. The *path* is joint-linear through the positions that
were commanded for the targets received. *Off* is the tip's distance from what came of it within
the last 2 s, *below* how far the tip is under all of that. A stream is judged if no target was
refused, and no joint of the arm, the wrist roll apart, would need more than 2.5 times its velocity
at any time, or more than its velocity for longer than 1.6 s.

A stream that becomes 1.5 s late is shortened, by a single goal: such streams are counted, and
judged by the lowest target alone. Lag and stall are those of clean streams whose targets are
reached, and need at most 0.9 of any joint's velocity.
"""

from dataclasses import replace
from math import cos, degrees, pi, sin, sqrt
from random import Random

from arm_ik import Arm, Target
from arm_ik.bus.simulated import Simulated
from arm_ik.drivers import ServoDriver
from arm_ik.nodes.ik.core import IkCore
from arm_ik.nodes.ik.report import Request, State
import numpy as np

from .figures import Figure, none_of

#: The arms, and where their circles are in the plane y = 0 [m].
_CENTRES = {'so101': (0.2, 0.12), 'rx150': (0.22, 0.15), 'open_manipulator_x': (0.2, 0.12),
            'px100': (0.16, 0.11), 'simple': (0.18, 0.12)}
RADIUS, SPEED, JITTER = 0.04, 0.1, 0.2

#: Largest mean lag at each rate [s].
_LAGS = {10.0: 0.155, 30.0: 0.092, 50.0: 0.075, 100.0: 0.054}

#: Quaternions x, y, z, w; ``None`` turns.
_HALF = sqrt(0.5)
ORIENTATIONS = {'(1, 0, 0, 0)': (1, 0, 0, 0), '(0, 1, 0, 0)': (0, 1, 0, 0),
                '(0, 0, 1, 0)': (0, 0, 1, 0), '(0, 0, 0, 1)': (0, 0, 0, 1),
                'ahead': (0, _HALF, 0, _HALF), 'ahead, rolled': (0.5, 0.5, 0.5, 0.5),
                'left': (-_HALF, 0, 0, _HALF), 'askew': (0.8, 0.4, 0.4, 0.2), 'turning': None}

#: Noise, and the most off and below the path [m].
_FAST = 'too fast by 2 for 1.5 s'
_KINDS = {'clean': (0.0, 5e-3, 2e-3), '1 mm of noise': (1e-3, 5e-3, 2e-3),
          _FAST: (0.0, 5e-3, 2e-3), 'camera': (3e-3, 10e-3, 5e-3)}

#: Turn of the bus, of states and of checks [s], and for how long the path is compared with [s].
_TURN, _STATE, _CHECK, _WINDOW = 0.01, 0.02, 0.1, 2.0


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    figures, trials = [], []
    for kind in list(_KINDS)[:1 if short else None]:
        rates = (10.0,) if kind == 'camera' else (50.0,) if short else _LAGS
        seen = [Trial(name, rate, turned, kind, seed).run(2.0 if short else 6.0)
                for name in list(_CENTRES)[:1 if short else None] for rate in rates
                for turned in list(ORIENTATIONS)[:1 if short else None]]
        say(f'{kind}: {len(seen)} streams')
        figures += _figures(kind, seen)
        trials += seen
    return [*figures,
            none_of('turns of the bus with a set-point past a position, velocity or acceleration '
                    'limit', sum(trial.outside for trial in trials),
                    sum(len(trial.times) for trial in trials)),
            _most('largest step of a joint within 33 ms', [trial.step for trial in trials], 15.0,
                  'deg')]


def _figures(kind, seen):
    judged = [trial for trial in seen if trial.judged and not trial.shortened]
    shortened = [trial for trial in seen if trial.judged and trial.shortened]
    _, off, below = _KINDS[kind]
    figures = [Figure(f'{kind}: streams that can be judged; of those, shortened', '',
                      f'{len(judged) + len(shortened)} of {len(seen)}; {len(shortened)}'),
               _most(f'{kind}: off the path', [1e3 * trial.off for trial in judged], 1e3 * off,
                     'mm'),
               _most(f'{kind}: below it', [1e3 * trial.below for trial in judged], 1e3 * below,
                     'mm')]
    if shortened:
        figures.append(_most(f'{kind}, shortened: below the lowest target',
                             [1e3 * trial.beneath for trial in shortened], 1e3 * below, 'mm'))
    if kind == 'clean':
        smooth = [trial for trial in judged if trial.can_follow]
        figures += [_most('stall', [trial.stall for trial in smooth], 0.1, 's'), *(
            _most(f'lag at {rate:g} Hz', late, 1e3 * bound, 'ms') for rate, bound in _LAGS.items()
            if (late := [1e3 * trial.late for trial in smooth if trial.rate == rate]))]
    return figures


def _most(what, values, bound, unit):
    values = sorted(values) or [0.0]
    over = sum(value > bound for value in values)
    return Figure(what, f'<= {bound:g} {unit}', f'{over} of {len(values)} over it; median '
                  f'{values[len(values) // 2]:.2f}, largest {values[-1]:.2f} {unit}', not over)


class Trial:
    """
    One stream, and what came of it.

    ``off``, ``below`` and ``beneath``, the lowest target, are the largest [m], ``late`` is the
    mean lag [s], ``stall`` the longest time at less than a tenth of the speed [s], ``step`` the
    largest step of a joint within 33 ms [deg]. ``shortened`` counts the goals sent because the
    stream was late.
    """

    def __init__(self, name, rate, turned, kind, seed):
        self.arm, self.rate, self.kind = Arm.preset(name), rate, kind
        self._orientation, self._centre = ORIENTATIONS[turned], _CENTRES[name]
        self._random = Random(f'{seed} {name} {rate:g} {turned} {kind}')
        if kind == _FAST:
            self.arm = self._slowed()
        self.now, self._seq = 10.0, 0
        self.driver = ServoDriver(Simulated(self.arm.model, clock=self._time), clock=self._time,
                                  stamp_clock=self._time)
        self.driver.connect()
        self.core = IkCore(self.arm, clock=self._time)
        self.commanded = []             # time of the target, when it came, positions, error [m]
        self.times, self.q, self.refused, self.shortened = [], [], 0, 0

    def _time(self):
        return self.now

    def run(self, seconds):
        """Send a stream for a time and see what becomes of it; return it."""
        self._pass(self.now)
        self._take(0.0, False)
        before = None
        while self.now < 12.0 or before != self.driver.set_points:
            before = self.driver.set_points
            self._pass(self.now + _TURN)
        self.begin = self.now + 0.05
        self.commanded = [(-1.0, self.now, *self.commanded[-1][2:])]    # it is there
        period = 1.0 / self.rate
        events = sorted((self.begin + time + self._random.uniform(-JITTER, JITTER) * period, time)
                        for time in np.arange(0.0, seconds, period).tolist())
        while self.now < self.begin + seconds + 3.0:
            turn = self.now + _TURN
            while events and events[0][0] <= turn:
                self.now, time = events.pop(0)
                self._take(time)
            self._pass(turn)
            self.times.append(self.now)
            self.q.append([self.driver.set_points[name] for name in self.arm.joint_names])
        self._judge(seconds)
        return self

    def _pass(self, turn):
        """Go on to a turn of the bus, and do what is due then."""
        self.now, number = turn, round(turn / _TURN)
        self.driver.turn()
        if number % round(_STATE / _TURN) == 0:
            self._send(self.core.take_state(self.arm.joint_names, [
                self.driver.snapshot.positions[name] for name in self.arm.joint_names]))
            self._command(self.core.go_on())
        if number % round(_CHECK / _TURN) == 0:
            self._send(self.core.check())
            status = self.driver.status
            if 'lag_s' in status:
                report = self.core.take_lag(float(status['lag_s']), status['slow_joint'])
                self.shortened += report is not None
                self._send(report)

    def _take(self, time, stamped=True):
        self._seq += 1
        target = self._target(self._angle(time), _KINDS[self.kind][0] if stamped else 0.0)
        report = self.core.take_target(target, Request(self._seq, divmod(
            round(1e9 * (self.begin + time)), 10 ** 9) if stamped else (0, 0)))
        self.refused += report.state is State.REFUSED
        if report.motion:
            q = report.motion.positions
            self.commanded.append((time, self.now, q, np.linalg.norm(
                self.arm.forward(q).position - target.position)))
        self._send(report)

    def _target(self, angle, noise=0.0):
        x, z = self._centre
        position = [x + RADIUS * cos(angle), RADIUS * sin(angle), z]
        quaternion = np.array(self._orientation or (
            0.0, _HALF * cos(0.5 * angle), _HALF * sin(0.5 * angle), _HALF))
        return Target.from_quaternion(
            [value + self._random.gauss(0.0, noise) for value in position],
            quaternion / np.linalg.norm(quaternion))

    def _angle(self, time):
        """Return the angle on the circle [rad]."""
        if self.kind == _FAST:
            time = 0.3 * time + 0.7 * min(max(time - 1.0, 0.0), 1.5)
        return SPEED / RADIUS * time

    def _slowed(self):
        """Return an arm one of whose joints would have to go at twice its velocity."""
        angles, q, speeds = np.linspace(0.0, pi, 200), self.arm.home, []
        for angle in angles:
            solution = self.arm.solve(self._target(angle), q)
            speeds.append(max(abs(a - b) / joint.max_velocity for a, b, joint in zip(
                solution.q, q, self.arm.model.joints) if joint.role != 'wrist_roll'))
            q = solution.q
        part = 0.5 * np.percentile(speeds[1:], 90) / angles[1] * SPEED / RADIUS
        return Arm(replace(self.arm.model, joints=tuple(
            replace(joint, max_velocity=part * joint.max_velocity)
            for joint in self.arm.model.joints)))

    def _send(self, report):
        if report is not None:
            self._command(report.motion)

    def _command(self, motion):
        if motion is None:
            return
        self.driver.command(self.arm.joint_names, motion.positions, motion.made,
                            motion.velocities)

    def _judge(self, seconds):
        times, q, joints = np.array(self.times), np.array(self.q), self.arm.model.joints
        lower, upper, fastest, most = np.array([
            (joint.lower, joint.upper, joint.max_velocity, joint.acceleration)
            for joint in joints]).T
        velocities = np.diff(q, axis=0) / _TURN
        bad = np.any((q < lower - 1e-9) | (q > upper + 1e-9), axis=1)
        bad[1:] |= np.any(np.abs(velocities) > fastest * (1.0 + 1e-6), axis=1)
        bad[2:] |= np.any(np.abs(np.diff(velocities, axis=0)) > most * _TURN * (1.0 + 1e-6),
                          axis=1)
        self.outside = int(bad.sum())
        self.step = degrees(np.abs(q[3:] - q[:-3]).max())
        tips = self.arm.forward(q).position
        asked, came, goals, missed = (np.array(values) for values in zip(*self.commanded))
        path, path_came, path_asked = self._path(asked, came, goals)
        ends = np.searchsorted(path_came, times, 'right')
        begins = np.minimum(np.searchsorted(path_came, times - _WINDOW), ends - 1)
        off, low, late = [], [], []
        for tip, time, begin, end in zip(tips, times, begins, ends):
            far = np.linalg.norm(path[begin:end] - tip, axis=1)
            off.append(far.min())
            low.append(path[begin:end, 2].min() - tip[2])
            late.append(time - self.begin - path_asked[begin + far.argmin()])
        self.off, self.below = max(off), max(0.0, *low)
        self.beneath = max(0.0, path[:, 2].min() - tips[:, 2].min())
        steady = (times[1:] > self.begin + 0.6) & (times[1:] < self.begin + seconds)
        speeds = np.linalg.norm(np.diff(tips, axis=0), axis=1)[steady] / _TURN
        self.stall = _TURN * _longest(speeds < 0.1 * SPEED)
        self.late = float(np.mean(np.array(late)[1:][steady]))
        chain = [joint.role != 'wrist_roll' for joint in joints]
        parts = np.max((np.abs(np.diff(goals, axis=0)) / np.diff(asked)[:, None]
                        / fastest)[:, chain], axis=1)
        self.judged = bool(not self.refused and parts.max() < 2.5
                           and np.sum(np.diff(asked)[parts > 1.0]) < 1.6)
        self.can_follow = bool(missed.max() < 1e-4 and parts.max() < 0.9)

    def _path(self, asked, came, goals):
        """Return tips along the joint-linear path, when each was received and was asked for."""
        parts = np.linspace(0.125, 1.0, 8)[:, None]
        q, when = (np.concatenate([values[:1], *(
            before + parts * (after - before) for before, after in zip(values, values[1:]))])
            for values in (goals, asked[:, None]))
        return self.arm.forward(q).position, np.repeat(came, 8)[7:], when[:, 0]


def _longest(flags):
    """Return the length of the longest run of true ones."""
    longest = length = 0
    for flag in flags:
        length = length + 1 if flag else 0
        longest = max(longest, length)
    return longest
