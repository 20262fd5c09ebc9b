# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Set-points under adversarial commands, and stops of a driver that runs in real time.

*Set-points*: goals at random, at limits and anywhere, all joints and single ones, streams of
positions and velocities that go together or do not, and stops, at random moments and with a
jittery period; every set-point has to be inside its joint's position, velocity and acceleration
limits. The same again with joints that lag, stick and are pushed: then no set-point may lead by
more than ``max_lead``.

*Goals in mid-motion*: another one whenever the arm is on its way to the last; told is the largest
acceleration of all.

*Stream*: a sine, sent to the driver's own thread 50 times a second; what is written to the servos
is compared with the sine one period and what streams spare before, and how late it is told from
where it is steep.

*Stops*: the driver's own thread at 100 Hz on simulated servos, on its way, with a dead servo, and
with the bus gone. What counts is what is written to the servos, and when.
"""

from math import cos, inf, sin
from random import Random
from time import monotonic, sleep

from arm_ik import Arm
from arm_ik.bus.simulated import Imperfections, Simulated
from arm_ik.drivers import ServoDriver
from arm_ik.errors import DriverError
from arm_ik.motion.generator import Generator
from arm_ik.motion.stream import SPARE, Stream

from .figures import Figure, none_of, spread, within

FULL, SHORT = 1_000_000, 20_000
RETARGETS, SHORT_RETARGETS = 10_000, 200
STOPS, SHORT_STOPS = 200, 3

_ARMS = ('so101', 'open_manipulator_x', 'px100')

#: Rounding of a finite difference, as a part of the limit.
_ROUNDING = 1e-6

_MAX_LEAD = 0.15
_MOVING, _DEAD = 'stop on the way', 'stop on the way with a dead servo'
_RATE = 100.0

#: Rate of the stream [Hz], how long it lasts, and how long it may take until what is written is
#: noted on a busy machine [s].
_STREAM, _SECONDS, _SHORT_SECONDS, _JITTER = 50.0, 20.0, 2.0, 2e-3

#: From a stop to the first set-points of the braking [s]: a period, and a transaction. In the
#: short form, on a machine that does much else, longer; so is the rest.
_FIRST, _GONE, _SHORT_BOUND = 1.0 / _RATE + 2e-3, 0.1, 1.0


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    figures = []
    for follows in (True, False):
        trial = _SetPoints(Random(seed), follows)
        for name in _ARMS:
            trial.run(Arm.preset(name).model, (SHORT if short else FULL) // len(_ARMS) + 1)
            say(f'{trial.count} set-points of {name}')
        figures += trial.figures()
    figures.append(_retargets(Random(seed), SHORT_RETARGETS if short else RETARGETS))
    figures += _sine(short)
    stops = _Stops(Random(seed))
    for number in range(SHORT_STOPS if short else STOPS):
        for case in stops.first:
            stops.stop(case)
        stops.unplug()
        if number % 20 == 19:
            say(f'{number + 1} stops of each kind')
    return figures + stops.figures(short)


class _SetPoints:
    """Set-points of a generator, judged."""

    def __init__(self, random, follows):
        self.count = self.outside = self.leads = 0
        self._random, self._follows = random, follows

    def run(self, model, count):
        """Judge so many set-points of an arm."""
        random, generator = self._random, Generator(model, _MAX_LEAD)
        joints = {joint.name: joint for joint in (*model.joints, *model.extra_joints)}
        generator.begin({name: random.uniform(joint.lower, joint.upper)
                         for name, joint in joints.items()})
        before = {name: (position, 0.0, 0.01) for name, position in generator.set_points.items()}
        measured, done, now, stream = generator.set_points, 0, 0.0, Stream(joints)
        while done < count:
            self._command(generator, stream, joints, now)
            for _ in range(random.choice((1, 1, 2, 5, 20, 80))):
                dt = random.choice((0.01, 0.01, 0.005, 0.02, random.uniform(0.001, 0.02)))
                now += dt
                set_points = generator.step(dt, measured, stream.at(now))
                for name, joint in joints.items():
                    before[name] = self._judge(joint, before[name], set_points[name], dt,
                                               measured[name])
                done += len(joints)
                measured = set_points if self._follows else self._badly(measured, set_points)
        self.count += done

    def _command(self, generator, stream, joints, now):
        random, what = self._random, self._random.random()
        if what < 0.1:
            names = random.choice((list(joints), [random.choice(list(joints))]))
            stream.drop(names)
            generator.stop(names)
        elif what < 0.4:
            goals = _goals(random, joints)
            stream.drop(goals)
            generator.move(goals)
        elif what < 0.8:
            speeds, positions = generator.speeds, generator.set_points
            stream.take({name: random.choice((
                (goal, random.uniform(-2.0, 2.0) * joints[name].max_velocity),
                (positions[name] + random.gauss(0.0, 0.01), speeds[name] + random.gauss(0.0, 0.1))
            )) for name, goal in _goals(random, joints).items()}, {
                name: (position, speeds[name]) for name, position in positions.items()}, now, now)

    def _badly(self, measured, set_points):
        """Return where joints are that lag and stick."""
        return {name: position + self._random.choice((0.0, 0.02, 0.3)) * (
            set_points[name] - position) for name, position in measured.items()}

    def _judge(self, joint, before, position, dt, measured):
        last, speed, last_dt = before
        now = (position - last) / dt
        change = abs(now - speed) / (0.5 * (dt + last_dt))
        fits = joint.lower <= position <= joint.upper \
            and abs(now) <= joint.max_velocity * (1.0 + _ROUNDING)
        if self._follows:
            fits = fits and change <= joint.acceleration * (1.0 + _ROUNDING)
        self.outside += not fits
        lead = _MAX_LEAD * (1.0 if getattr(joint, 'type', '') != 'prismatic'
                            else joint.upper - joint.lower)
        self.leads += abs(position - measured) > lead + 1e-9
        return position, now, dt

    def figures(self):
        """Return what was counted."""
        if self._follows:
            return [none_of('set-points past a position, velocity or acceleration limit',
                            self.outside, self.count)]
        return [none_of('joints that lag and stick: set-points past a position or velocity limit',
                        self.outside, self.count),
                none_of(f'joints that lag and stick: set-points more than {_MAX_LEAD:g} ahead',
                        self.leads, self.count)]


def _goals(random, joints):
    return {name: random.choice((joint.lower, joint.upper,
                                 random.uniform(joint.lower, joint.upper)))
            for name, joint in joints.items() if random.random() < 0.7} or _goals(random, joints)


def _retargets(random, count):
    model = Arm.preset(_ARMS[0]).model
    generator = Generator(model, _MAX_LEAD)
    joints = {joint.name: joint for joint in (*model.joints, *model.extra_joints)}
    generator.begin(dict.fromkeys(joints, 0.0))
    last, worst = dict.fromkeys(joints, (0.0, 0.0)), 0.0
    for _ in range(count):
        generator.move({name: random.uniform(joint.lower, joint.upper)
                        for name, joint in joints.items()})
        for _ in range(random.randint(1, 30)):
            set_points = generator.step(1.0 / _RATE, generator.set_points)
            for name, (position, speed) in last.items():
                now = (set_points[name] - position) * _RATE
                worst = max(worst, abs(now - speed) * _RATE / joints[name].acceleration)
                last[name] = set_points[name], now
    return Figure('goals in mid-motion: largest acceleration over its limit',
                  f'0 (rounding: {_ROUNDING:g} of it)',
                  f'{max(0.0, worst - 1.0):.1g} of it, {count} goals', worst <= 1.0 + _ROUNDING)


def _sine(short):
    """Return how late a stream is, and how exact."""
    servos = _Recording(Arm.preset(_ARMS[0]).model)
    name, period = servos.model.joints[0].name, 1.0 / _STREAM
    driver = ServoDriver(servos, 0.0, _RATE, stamp_clock=monotonic)
    driver.connect()
    driver.start()
    start, count = monotonic(), _SHORT_SECONDS if short else _SECONDS
    for number in range(int(count * _STREAM)):
        sleep(max(0.0, start + number * period - monotonic()))
        position, velocity = _sine_at(number * period)
        driver.command([name], [position], start + number * period, [velocity])
    driver.close()
    late, off = [], []
    for when, written in servos.written:
        time = when - start
        if 0.5 < time < count:
            position, velocity = _sine_at(time)
            off.append(1e3 * abs(written[name] - _sine_at(time - period - SPARE)[0]))
            if abs(velocity) > 0.5:
                late.append((position - written[name]) / velocity)
    return [_p99(f'sine of {_STREAM:g} Hz: set-points late by', late,
                 period + SPARE + (_SHORT_BOUND if short else _JITTER)),
            Figure(f'sine of {_STREAM:g} Hz: off the sine that is due by', '',
                   spread(off, 'mrad'))]


def _sine_at(time):
    return 0.4 * (1.0 - cos(2.5 * time)), sin(2.5 * time)


class _Recording(Simulated):
    """Servos that remember what was written to them, and when."""

    def __init__(self, model):
        super().__init__(model)
        self.written = []

    def write(self, set_points):
        super().write(set_points)
        self.written.append((monotonic(), set_points))


class _Stops:
    """Stops of a driver in real time."""

    def __init__(self, random):
        self.first = {_MOVING: [], _DEAD: []}
        self._rests, self._gone, self._late, self._unlatched = [], [], 0, 0
        self._random = random
        self._model = Arm.preset(_ARMS[0]).model
        self._joint = self._model.joints[0]
        self._bound = self._joint.max_velocity / self._joint.acceleration + 2.0 / _RATE

    def stop(self, case):
        """Stop an arm on its way."""
        servos, driver = self._on_its_way()
        if case == _DEAD:
            servos.imperfections = Imperfections(dead=self._model.joints[3].name)
        sleep(self._random.uniform(0.0, 2.0 / _RATE))
        asked = monotonic()
        driver.stop().result(5.0)
        sleep(2.0 * self._bound)
        driver.close()
        name = self._joint.name
        times, positions = zip(*(
            (when, what[name]) for when, what in servos.written if name in what))
        steps = [b - a for a, b in zip(positions, positions[1:])]
        before = max(step for step, when in zip(steps, times[1:]) if when <= asked)
        braking = (when for step, when in zip(steps, times[1:])
                   if when > asked and step < before * 0.999)
        moving = [when for step, when in zip(steps, times[1:]) if step > 0.0]
        self.first[case].append(next(braking, inf) - asked)
        self._rests.append(max(moving) - asked)

    def unplug(self):
        """Stop an arm whose bus is gone, and look at what it is told when that is back."""
        servos, driver = self._on_its_way()
        servos.imperfections = Imperfections(unplugged=True)
        asked = monotonic()
        try:
            driver.stop().result(5.0)
            self._unlatched += 1
        except DriverError:
            self._gone.append(monotonic() - asked)
        last, told = servos.written[-1][1], len(servos.written)
        servos.imperfections = Imperfections()
        while len(servos.written) < told + 5:
            sleep(0.01)
        self._late += any(what.items() - last.items() for _, what in servos.written[told:])
        driver.close()

    def _on_its_way(self):
        servos = _Recording(self._model)
        driver = ServoDriver(servos, 0.0, _RATE)
        driver.connect()
        driver.start()
        driver.command([self._joint.name], [self._joint.upper])
        sleep(self._random.uniform(0.15, 0.3))
        return servos, driver

    def figures(self, short):
        """Return what was measured."""
        late = _SHORT_BOUND if short else 0.0
        return [
            *(_p99(f'{case}: first braking set-points written after', times, _FIRST + late)
              for case, times in self.first.items()),
            _p99('stop on the way: at rest after', self._rests, self._bound + late),
            within('stop with the bus gone: an error after', self._gone, _GONE + late, 's'),
            none_of('stop with the bus gone: no error', self._unlatched,
                    self._unlatched + len(self._gone)),
            none_of('after a reconnect, set-points that were commanded before', self._late,
                    len(self._gone))]


def _p99(what, values, bound):
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    seen = (f'median {1e3 * ordered[len(ordered) // 2]:.1f}, p99 {1e3 * p99:.1f}, '
            f'largest {1e3 * ordered[-1]:.1f} ms, {len(ordered)} times')
    return Figure(what, f'p99 <= {1e3 * bound:.0f} ms', seen, p99 <= bound)
