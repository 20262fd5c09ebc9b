# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A stop and a reset at a random moment of any motion: nothing may move after it.

``ik_node``'s core and the driver in simulated time. What moves the arm when the stop comes is a
goal, a line, a path of lines, home, a stream of targets at 10 to 50 Hz, or twists; senders of
streams and twists go on through the stop without a pause in half of the trials. Every message is
up to 200 ms late, in any order; in half of the trials the core does not hear of the stop. After
the stop each joint may go as far as it takes to brake. A last target, sent by itself, has to move
the arm: so a driver that takes nothing any more does not pass.
"""

from heapq import heappop, heappush
from random import Random

from arm_ik import Arm, Target
from arm_ik.bus.simulated import Simulated
from arm_ik.drivers import ServoDriver
from arm_ik.errors import InvalidInputError
from arm_ik.motion.jog import Twist
from arm_ik.nodes.ik.core import CHECK_PERIOD, IkCore, REST_PERIOD
from arm_ik.nodes.ik.parameters import Settings
from arm_ik.nodes.ik.report import Request

from .figures import every, none_of

FULL, SHORT = 500, 12

#: Periods of the bus, of states, commands and checks, and of the driver's status [s].
_PERIODS = {'bus': 0.01, 'state': 0.02, 'go_on': 0.02, 'check': CHECK_PERIOD, 'status': 0.1}

#: How late messages are at most [s]; until when an arm that brakes is at rest [s].
_LATEST, _RESTS = 0.2, 0.6

#: From a stop to braking [s], and how far beyond that a joint may be that was still speeding up;
#: how far one at rest may go [rad].
_BEGINS, _BEYOND, _STILL = 0.03, 0.02, 1e-6

_KINDS = ('goal', 'line', 'path', 'home', 'stream', 'twists')


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    moved, alive, count = [], 0, SHORT if short else FULL
    for number in range(count):
        trial = _Trial(Random(f'{seed} {number}'), _KINDS[number % len(_KINDS)])
        if trial.run() > 0.0:
            moved.append(trial.words)
            say(f'{trial.words}: {trial.farthest:.3f} rad too far')
        alive += trial.is_alive
    return [none_of('motions after stop and reset', len(moved), count),
            every('single targets that move the arm afterwards', alive, count)]


class _Trial:
    """One stop; ``words`` say what it was, ``farthest`` how far a joint moved after it [rad]."""

    def __init__(self, random, kind):
        self._random, self._kind, self._now = random, kind, 10.0
        self._arm = Arm.preset('so101')
        self._driver = ServoDriver(Simulated(self._arm.model, clock=self._clock),
                                   clock=self._clock, stamp_clock=self._clock)
        self._driver.connect()
        self._core = IkCore(self._arm, Settings(
            motion='line' if kind == 'line' else 'joint', tip_speed=0.3), clock=self._clock)
        self._due, self._count = [], 0
        self._sent, self._made, self._stamp = -1.0, None, 0.0
        self._latest = random.choice((0.002, 0.05, _LATEST))
        self._deaf, self._hears = random.random() < 0.5, True
        self._goes_on, self._sends, self._seq = random.random() < 0.5, True, 0
        self._period = random.uniform(0.02, 0.1)
        for name, period in _PERIODS.items():
            self._at(random.uniform(0.0, period), self._repeat, getattr(self, f'_{name}'), period)
        self.words = (f'{kind}, messages up to {1e3 * self._latest:.0f} ms late'
                      + ', the core deaf' * self._deaf + ', the sender goes on' * self._goes_on)

    def run(self):
        """Return how much farther than allowed a joint moved after the stop [rad]; 0.0: none."""
        self._pass(0.5)
        self._begin()
        self._pass(self._random.uniform(0.3, 2.5))
        self._hears = not self._deaf
        begin = self._set_points()
        speeds = [(at - earlier) / _PERIODS['bus'] for at, earlier in zip(begin, self._earlier)]
        brakes = [abs(speed) * _BEGINS + 0.5 * speed ** 2 / joint.acceleration
                  + _BEYOND for speed, joint in zip(speeds, self._arm.model.joints)]
        self._driver.stop()
        self._sends = self._goes_on
        self._pass(self._random.uniform(0.0, 0.1))
        self._driver.reset()
        self._see(_RESTS, begin, brakes)
        rest = self._set_points()
        self._see(2.0, rest, [_STILL] * len(rest))
        self._sends, self._hears, self._latest = False, True, 0.002
        self._pass(1.0)
        begin = self._set_points()
        self._target(Target((0.18, -0.04, 0.1)))
        self._pass(2.0)
        self.is_alive = max(abs(at - before) for at, before in zip(
            self._set_points(), begin)) > 0.02
        return self.farthest

    is_alive, farthest = False, 0.0

    def _see(self, seconds, begin, allowed):
        for _ in range(round(seconds / _PERIODS['bus'])):
            self._pass(_PERIODS['bus'])
            self.farthest = max(self.farthest, *[abs(at - before) - most for at, before, most
                                                 in zip(self._set_points(), begin, allowed)])

    def _set_points(self):
        return [self._driver.set_points[name] for name in self._arm.joint_names]

    def _begin(self):
        """Send what moves the arm."""
        sides = [Target((0.2, y, 0.06), (0.0, 0.0, -1.0)) for y in (0.1, -0.1, 0.0)]
        if self._kind in ('goal', 'line'):
            self._target(sides[0])
        elif self._kind == 'path':
            self._send(lambda: self._core.take_path(sides, self._request()))
        elif self._kind == 'home':
            self._target(sides[0])
            self._pass(2.0)
            self._send(lambda: self._core.go_home(self._request()))
        else:
            self._stream()

    def _stream(self):
        if self._sends:
            if self._kind == 'twists':
                sent = self._now
                self._send(lambda: self._core.take_twist(
                    Twist((0.0, 0.05, 0.0)), self._request()._replace(age=self._now - sent)))
            else:
                y = 0.1 - abs((0.15 * self._now) % 0.4 - 0.2)
                self._target(Target((0.2, y, 0.06), (0.0, 0.0, -1.0)))
        self._at(self._period, self._stream)

    def _target(self, target):
        request, sent = self._request(), self._now
        self._send(lambda: self._core.take_target(
            target, request._replace(age=self._now - sent)))

    def _request(self):
        self._seq += 1
        return Request(self._seq, divmod(round(1e9 * self._now), 10 ** 9))

    # Messages, each as late as it happens to be

    def _send(self, take):
        self._at(self._random.uniform(0.0, self._latest), lambda: self._answer(take()))

    def _answer(self, report):
        if report is not None:
            self._command(report.motion)

    def _command(self, motion):
        if motion is None:
            return
        is_new = motion.made != self._made
        if not is_new and motion.rests and self._now - self._sent < REST_PERIOD:
            return
        if is_new:
            self._stamp = max(motion.made, self._stamp + 1e-6)
        self._made, self._sent, stamp = motion.made, self._now, self._stamp

        def take():
            try:
                self._driver.command(self._arm.joint_names, motion.positions, stamp,
                                     motion.velocities)
            except InvalidInputError:
                pass        # refused, as it should be
        self._at(self._random.uniform(0.0, self._latest), take)

    # What happens again and again

    def _bus(self):
        self._earlier = self._set_points()
        self._driver.turn()

    def _state(self):
        positions, stamp = self._driver.snapshot.positions, self._now
        self._send(lambda: self._core.take_state(list(positions), list(positions.values()),
                                                 stamp=stamp))

    def _go_on(self):
        self._command(self._core.go_on())

    def _check(self):
        self._answer(self._core.check())

    def _status(self):
        status = self._driver.status
        if self._hears:
            self._send(lambda: self._core.take_stops(float(status['stops'])))

    def _repeat(self, action, period):
        action()
        self._at(period, self._repeat, action, period)

    def _at(self, delay, action, *args):
        self._count += 1
        heappush(self._due, (self._now + delay, self._count, action, args))

    def _pass(self, seconds):
        """Let time pass."""
        end = self._now + seconds
        while self._due and self._due[0][0] <= end:
            self._now, _, action, args = heappop(self._due)
            action(*args)
        self._now = end

    def _clock(self):
        return self._now
