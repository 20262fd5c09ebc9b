# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The driver on the emulated servos of an SO-101, which take the time of the wire.

*Death*: ``driver_node`` gets a signal while the arm is on its way. Then every servo has to have
torque and to stand, at the last set-point that it was given; told is how far the arm still went.

*Replug*: the plug of the bus is pulled, at rest and on the way, and put in again half a second
later, every other time as another device behind the same link. Told is when positions are read
again, counted from when the port is there, and how far the arm goes then: not at all.
"""

from pathlib import Path
from random import Random
import signal
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from arm_ik.description.presets import config_directory
from arm_ik.drivers import ServoDriver
from arm_ik.testing import ArmClient
from arm_ik.testing.processes import domain_environment, reserved_domain
from arm_ik.testing.processes import NodeProcess
from sensor_msgs.msg import JointState

from .emulated import serial_buses
from .figures import every, Figure, spread, within

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGABRT,
           signal.SIGKILL)
SHORT_SIGNALS = (signal.SIGTERM, signal.SIGKILL)
DEATHS, SHORT_DEATHS = 20, 1
REPLUGS, SHORT_REPLUGS = 20, 2

#: Longest wait for what has to come [s].
PATIENCE = 60.0

#: What counts as standing where it should [ticks], and as not moving [degrees].
_TICKS, _STILL = 3, 0.1

#: Longest time until positions are read again [s].
_BACK, _SHORT_BACK = 0.5, 5.0

#: How long an answer may take on a busy machine [s].
_ANSWER = 0.05

_DEGREES = 360.0 / 4096.0
_JOINT = 'shoulder_pan'


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    servos, random = serial_buses().FEETECH, Random(seed)
    with TemporaryDirectory() as folder:
        return [*_deaths(servos, folder, random, short, say),
                *_replugs(servos, folder, random, short, say)]


# Death


def _deaths(servos, folder, random, short, say):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup is handed on, and obeyed
    ends = {number: _Ends() for number in (SHORT_SIGNALS if short else SIGNALS)}
    with servos.emulated(folder) as bus:
        file = Path(folder) / 'so101.yaml'
        text = (config_directory() / 'servos' / 'so101.yaml').read_text(encoding='utf-8')
        file.write_text(text.replace(servos.file.port, bus.port).replace(
            'max_lead: 0.15', f'max_lead: 0.15\n      patience: {_ANSWER}'), encoding='utf-8')
        with reserved_domain() as domain:
            arm = ArmClient('so101', domain_id=domain)
            for count in range(SHORT_DEATHS if short else DEATHS):
                for number, seen in ends.items():
                    driver = NodeProcess.of_node(
                        'driver_node', ['--arm', 'so101', '--servos', str(file)],
                        domain_environment(domain))
                    _kill(arm, bus, servos, driver, random, number, seen)
                say(f'{count + 1} deaths by each signal')
            arm.close()
    return [figure for number, seen in ends.items() for figure in seen.figures(number.name)]


class _Ends:
    """What the servos did after a signal."""

    def __init__(self):
        self.held = self.count = 0
        self.degrees = []

    def figures(self, name):
        return [every(f'{name}: all servos hold, at their last set-points', self.held, self.count),
                Figure(f'{name}: the arm still goes', '', spread(self.degrees, 'degrees'))]


def _kill(arm, bus, servos, driver, random, number, seen):
    ids, before = servos.ids, bus.position(servos.ids[_JOINT])
    goal = -0.8 if before > 2047 else 0.8
    deadline = monotonic() + PATIENCE
    while abs(bus.position(ids[_JOINT]) - before) < 150:
        if monotonic() > deadline:
            raise RuntimeError(f'the arm does not go: {driver.describe()}')
        arm.publish(JointState(name=[_JOINT], position=[goal]))
        sleep(random.uniform(0.01, 0.03))
    there = bus.position(ids[_JOINT])
    driver.signal(number)
    if driver.wait(PATIENCE) is None:
        raise RuntimeError(f'{number.name} does not end it: {driver.describe()}')
    bus.do('advance', seconds=0.5)  # their time passes with what they hear
    ends = [bus.do('state', servo_id=servo_id) for servo_id in ids.values()]
    bus.do('advance', seconds=0.2)
    later = [bus.position(servo_id) for servo_id in ids.values()]
    seen.count += 1
    seen.held += all(end['torque'] and abs(end['position'] - end['goal']) <= _TICKS
                     and abs(end['position'] - now) <= 1 for end, now in zip(ends, later))
    seen.degrees.append(abs(later[list(ids).index(_JOINT)] - there) * _DEGREES)


# Replug


def _replugs(servos, folder, random, short, say):
    times = SHORT_REPLUGS if short else REPLUGS
    seconds, degrees = [], []
    with servos.emulated(folder) as bus:
        driver = ServoDriver(servos.backend(bus.port, patience=_ANSWER), 0.0, 100.0)
        driver.connect()
        driver.start()
        for number in range(times):
            pan = bus.position(servos.ids[_JOINT])
            driver.command([_JOINT], [-0.8 if pan > 2047 else 0.8])
            sleep(random.uniform(0.1, 0.3) if number % 2 else 3.0)
            bus.do('unplug')
            sleep(0.5)
            bus.do('advance', seconds=0.5)
            before = [bus.position(servo_id) for servo_id in servos.ids.values()]
            start = monotonic()
            bus.do('plug', elsewhere=number % 4 > 1)
            while driver.bus_error is not None or driver.snapshot is None:
                if monotonic() > start + PATIENCE:
                    raise RuntimeError(str(driver.bus_error))
                sleep(1e-3)
            seconds.append(monotonic() - start)
            sleep(0.5)
            degrees += [abs(bus.position(servo_id) - tick) * _DEGREES
                        for servo_id, tick in zip(servos.ids.values(), before)]
        driver.close()
    say(f'{times} times unplugged')
    return [within('plugged in: positions are read again after', seconds,
                   _SHORT_BACK if short else _BACK, 's'),
            within('plugged in: a joint goes', degrees, _STILL, 'degrees')]
