# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Streams of targets with full poses, through core and driver, in simulated time.

The targets go round a circle of 4 cm that is upright, at 0.1 m/s, with eight constant orientations
and one that turns with the circle, for five arms at four rates; each comes up to 20 % of its
period early or late. *Path* is joint-linear through the answers to the targets received. *Off* is
the tip's distance from what of it was received within the last seconds, *below* how far it is
under all of that. Then the same with noise of 1 mm; 1.5 s at twice the speed that the slowest
joint can follow; and a camera at 10 Hz with 3 mm of Gaussian noise. Counted are the streams that
are worse than wanted, and every set-point beyond a limit.

A stream is given up, or shortened, if the driver's goal is sent as one by itself: how often is
reported.
"""

from math import cos, pi, sin, sqrt
from random import Random

from arm_ik import Arm, Target
from arm_ik.drivers import ServoDriver
from arm_ik.drivers.simulated import Simulated
from arm_ik.nodes.ik.core import IkCore
from arm_ik.nodes.ik.report import Request
import numpy as np

from .figures import Figure, none_of

#: The arms, and where their circles are in the plane y = 0 [m].
_CENTRES = {'so101': (0.2, 0.12), 'rx150': (0.22, 0.15), 'open_manipulator_x': (0.2, 0.12),
            'px100': (0.16, 0.11), 'simple': (0.18, 0.12)}
_RATES = (10.0, 30.0, 50.0, 100.0)

#: Lag at each rate [s], where the joints can follow.
_LAGS = dict(zip(_RATES, (0.155, 0.092, 0.075, 0.054)))

RADIUS, SPEED, JITTER = 0.04, 0.1, 0.2

#: Quaternions x, y, z, w.
_HALF = sqrt(0.5)
ORIENTATIONS = {'(1, 0, 0, 0)': (1, 0, 0, 0), '(0, 1, 0, 0)': (0, 1, 0, 0),
                '(0, 0, 1, 0)': (0, 0, 1, 0), '(0, 0, 0, 1)': (0, 0, 0, 1),
                'ahead': (0, _HALF, 0, _HALF), 'ahead, rolled': (0.5, 0.5, 0.5, 0.5),
                'left': (-_HALF, 0, 0, _HALF), 'askew': (0.8, 0.4, 0.4, 0.2), 'turning': None}

#: Turn of the bus, of states and of checks [s].
_TURN, _STATE, _CHECK = 0.01, 0.02, 0.1

#: The path received is compared with for so long [s].
_WINDOW = 2.0

#: Kind: noise [m], most off the path and below it [m].
_KINDS = {'clean': (0.0, 5e-3, 2e-3), '1 mm of noise': (1e-3, 5e-3, 2e-3),
          'too fast by 2 for 1.5 s': (0.0, 5e-3, 2e-3), 'camera': (3e-3, 10e-3, 5e-3)}


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    figures, outside, count, given_up, alone = [], 0, 0, 0, 0
    for kind, (noise, off, below) in list(_KINDS.items())[:1 if short else None]:
        seen = []
        for name in list(_CENTRES)[:1 if short else None]:
            for rate in _RATES[:1] if kind == 'camera' else _RATES[1::2] if short else _RATES:
                for turned in list(ORIENTATIONS)[:1 if short else None]:
                    seen.append(Trial(name, rate, turned, kind, noise, seed).run(
                        2.0 if short else 6.0))
        say(f'{kind}: {len(seen)} streams')
        figures += _judged(kind, seen, off, below)
        outside += sum(trial.outside for trial in seen)
        count += sum(len(trial.tips) for trial in seen)
        given_up += sum(trial.lag > 1.5 for trial in seen)
        alone += len(seen)
    return [*figures, Figure('streams more than 1.5 s late', '', f'{given_up} of {alone}'),
            none_of('turns of the bus with a set-point past a position, velocity or acceleration '
                    'limit', outside, count)]


def _judged(kind, seen, off, below):
    def count(what, values, bound, unit, scale):
        values = sorted(scale * value for value in values)
        over = sum(value > scale * bound for value in values)
        return Figure(f'{kind}: {what}', f'<= {scale * bound:g} {unit}',
                      f'{over} of {len(values)} streams over it; median '
                      f'{values[len(values) // 2]:.2f}, largest {values[-1]:.2f} {unit}', not over)
    figures = [count('off the path', [trial.off for trial in seen], off, 'mm', 1e3),
               count('below it', [trial.below for trial in seen], below, 'mm', 1e3)]
    if kind == 'clean':
        smooth = [trial for trial in seen if trial.can_follow]
        figures += [
            count('ripple of the speed', [trial.ripple for trial in smooth], 0.15, '', 1.0),
            count('stall', [trial.stall for trial in smooth], 0.1, 's', 1.0),
            *[count(f'lag at {rate:g} Hz', [trial.late for trial in smooth if trial.rate == rate],
                    _LAGS[rate], 'ms', 1e3)
              for rate in _RATES if any(trial.rate == rate for trial in smooth)]]
    return figures


class Trial:
    """
    One stream, and what came of it.

    ``off``, ``below`` [m], ``lag`` [s] are the largest; ``stall`` [s] is the longest time at less
    than a tenth of the speed, ``ripple`` the deviation of the tip's speed over its mean, ``late``
    the mean lag [s]. ``can_follow`` says whether the answers are on the circle and no joint has to
    be faster than it may.
    """

    def __init__(self, name, rate, turned, kind, noise, seed):
        self.arm, self.rate, self.kind, self.noise = Arm.preset(name), rate, kind, noise
        self.what = f'{name}, {rate:g} Hz, {turned}, {kind}'
        self._orientation, self._centre = ORIENTATIONS[turned], _CENTRES[name]
        self._random, self.now = Random(f'{seed} {self.what}'), 10.0
        self.driver = ServoDriver(Simulated(self.arm.model, clock=self._time), clock=self._time,
                                  stamp_clock=self._time)
        self.driver.connect()
        self.core = IkCore(self.arm, clock=self._time)
        self._number, self._seq, self._stamp = None, 0, 0.0
        self.answers = []               # time of the target, when it came, positions
        self.times, self.tips, self.q, self.lag, self.outside = [], [], [], 0.0, 0
        self.slow_joints = set()

    def _time(self):
        return self.now

    def run(self, seconds):
        """Send a stream for a time and see what becomes of it; return it."""
        self._pass(self.now)
        self._target(0.0, stamp=False)
        while self.now < 15.0:
            self._pass(self.now + _TURN)
        self._start(seconds)
        self._judge(seconds)
        return self

    def _start(self, seconds):
        self.begin = self.now + 0.05
        self.answers = [(-1.0, self.now, *self.answers[-1][2:])]    # it is there
        period = 1.0 / self.rate
        events = sorted((self.begin + time + self._random.uniform(-JITTER, JITTER) * period, time)
                        for time in np.arange(0.0, seconds, period).tolist())
        last = self.begin + seconds
        while self.now < last + 3.0:
            turn = self.now + _TURN
            while events and events[0][0] <= turn:
                self.now, time = events.pop(0)
                self._target(time)
            self._pass(turn)
            self.times.append(self.now)
            self.q.append([self.driver.set_points[name] for name in self.arm.joint_names])

    def _pass(self, turn):
        """Go on to a turn of the bus, and do what is due then."""
        number = round(turn / _TURN)
        self.now = turn
        self.driver.turn()
        if number % round(_STATE / _TURN) == 0:
            self._send(self.core.take_state(self.arm.joint_names, [
                self.driver.snapshot.positions[name] for name in self.arm.joint_names]))
            self._command(self.core.go_on())
        if number % round(_CHECK / _TURN) == 0:
            self._send(self.core.check())
            status = self.driver.status
            if 'lag_s' in status:
                self.lag = max(self.lag, float(status['lag_s']))
                self.slow_joints.add(status['slow_joint'])
                self._send(self.core.take_lag(float(status['lag_s']), status['slow_joint']))

    def _target(self, time, stamp=True):
        self._seq += 1
        angle = self._angle(time)
        x, z = self._centre
        position = [x + RADIUS * cos(angle), RADIUS * sin(angle), z]
        quaternion = self._orientation or (
            0.0, _HALF * cos(0.5 * angle), _HALF * sin(0.5 * angle), _HALF)
        a, b, c, d = np.array(quaternion) / np.linalg.norm(quaternion)
        target = Target(
            [value + self._random.gauss(0.0, self.noise) for value in position],
            (2.0 * (a * c + b * d), 2.0 * (b * c - a * d), 1.0 - 2.0 * (a * a + b * b)),
            (1.0 - 2.0 * (b * b + c * c), 2.0 * (a * b + c * d), 2.0 * (a * c - b * d)))
        report = self.core.take_target(target, Request(
            self._seq, divmod(round(1e9 * (self.begin + time)), 10 ** 9) if stamp else (0, 0)))
        if report.solution is not None and report.state.value != 'refused':
            self.answers.append((time, self.now, report.solution.q,
                                 report.solution.position_error_m))
        self._send(report)

    def _angle(self, time):
        """Return the angle on the circle; for 1.5 s of it too fast by 2."""
        angle = SPEED / RADIUS * time
        if self.kind.startswith('too fast'):
            angle += self._haste * min(max(time - 1.0, 0.0), 1.5)
        return angle

    @property
    def _haste(self):
        """How much faster it is for 1.5 s [rad/s] so that a joint would have to go at 2 V."""
        if not hasattr(self, '_found'):
            q = [self.arm.solve(Target((self._centre[0] + RADIUS * cos(angle),
                                        RADIUS * sin(angle), self._centre[1]))).q
                 for angle in np.linspace(0.0, 2.0 * pi, 180)]
            steps = np.abs(np.diff(q, axis=0)) / (2.0 * pi / 179)
            steps = steps[np.max(steps, axis=1) < 3.0]
            rates = steps / [joint.max_velocity for joint in self.arm.model.joints]
            self._found = 2.0 / rates.max() - SPEED / RADIUS
        return self._found

    def _send(self, report):
        if report is not None:
            self._command(report.motion)

    def _command(self, motion):
        if motion is None:
            return
        if motion.velocities or motion.number != self._number:
            self._stamp = self.now - getattr(motion, 'late', 0.0)
        self._number = motion.number
        self.driver.command(self.arm.joint_names, motion.positions, self._stamp,
                            motion.velocities)

    def _judge(self, seconds):
        times, q = np.array(self.times), np.array(self.q)
        model = self.arm.model
        velocities = np.diff(q, axis=0) / _TURN
        changes = np.diff(velocities, axis=0) / _TURN
        limits = np.array([(joint.lower, joint.upper, joint.max_velocity, joint.acceleration)
                           for joint in model.joints]).T
        bad = np.any((q < limits[0] - 1e-9) | (q > limits[1] + 1e-9), axis=1)
        bad[1:] |= np.any(np.abs(velocities) > limits[2] * (1.0 + 1e-6), axis=1)
        bad[2:] |= np.any(np.abs(changes) > limits[3] * (1.0 + 1e-6), axis=1)
        self.outside = int(bad.sum())
        self.tips = self.arm.forward(q).position
        asked, came, answers, missed = (np.array(values) for values in zip(*self.answers))
        path, path_came, path_asked = self._path(asked, came, answers)
        ends = np.searchsorted(path_came, times, 'right')
        begins = np.minimum(np.searchsorted(path_came, times - _WINDOW), ends - 1)
        nearest, lowest, late = [], [], []
        for tip, time, begin, end in zip(self.tips, times, begins, ends):
            received = path[begin:end]
            off = np.linalg.norm(received - tip, axis=1)
            nearest.append(off.min())
            lowest.append(received[:, 2].min() - tip[2])
            late.append(time - self.begin - path_asked[begin + off.argmin()])
        self.off, self.below = max(nearest), max(0.0, *lowest)
        speeds = np.linalg.norm(np.diff(self.tips, axis=0), axis=1) / _TURN
        steady = (times[1:] > self.begin + 0.6) & (times[1:] < self.begin + seconds)
        asked_speed = np.linalg.norm(np.diff(path, axis=0), axis=1) / np.maximum(
            np.diff(path_asked), 1e-9)
        speeds = speeds[steady]
        self.ripple = speeds.std() / max(speeds.mean(), 1e-9)
        self.stall = _TURN * _longest(speeds < 0.1 * SPEED)
        self.late = float(np.mean(np.array(late)[1:][steady]))
        fastest = np.abs(np.diff(answers[:, :], axis=0)) / np.diff(asked)[:, None]
        chain = [joint.role != 'wrist_roll' for joint in model.joints]
        self.can_follow = bool(
            missed.max() < 1e-4 and np.all((fastest < limits[2])[:, chain])
            and asked_speed.max() < 1.5 * SPEED)

    def _path(self, asked, came, answers):
        """Return tips along the joint-linear path, when each was received and was asked for."""
        parts = np.linspace(0.125, 1.0, 8)[:, None]
        q, when = (np.concatenate([values[:1], *(
            before + parts * (after - before) for before, after in zip(values, values[1:]))])
            for values in (answers, asked[:, None]))
        return self.arm.forward(q).position, np.repeat(came, 8)[7:], when[:, 0]


def _longest(flags):
    """Return the length of the longest run of true ones."""
    longest = length = 0
    for flag in flags:
        length = length + 1 if flag else 0
        longest = max(longest, length)
    return longest
