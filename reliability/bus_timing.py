# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How regularly each bus is served, and how many readings are lost.

The driver moves an arm of emulated servos, which take the time of the wire, for some seconds: with
all of them there, and with one gone. Told is how far the start of a turn is from a period after
the one before, how long reading and writing takes, and how many positions of the servos that are
there were not read.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from arm_ik import Arm
from arm_ik.description.presets import config_directory
from arm_ik.drivers import make_backend, ServoDriver
from arm_ik.drivers.servos_file import load_servos

from .emulated import serial_buses
from .figures import Figure

SECONDS, SHORT_SECONDS = 12.0, 0.5

#: The start of a turn may be so late at 200 Hz [ms], p99.9; and so many readings may be lost.
_LATE, _LOST = 2.5, 1e-3

#: The arm goes to and fro, so often [s] and so far [rad, m].
_PERIOD, _WAY = 0.5, 0.1

#: How long an answer may take in the short form, on a machine that does much else [s].
_SHORT_PATIENCE = 0.15

#: The servo that is gone.
_GONE = 3

#: At which rates each bus is driven [Hz].
RATES = {'feetech': (50.0, 100.0, 200.0), 'dynamixel': (50.0, 100.0, 200.0), 'ax12': (100.0,),
         'lx16a': (50.0,)}


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    figures, seconds = [], SHORT_SECONDS if short else SECONDS
    for bus in serial_buses().BUSES:
        with TemporaryDirectory() as folder, bus.emulated(folder) as emulated:
            for state in ('all there', 'one gone'):
                emulated.do('servo', servo_id=_GONE, present=state == 'all there')
                there = {name: servo_id for name, servo_id in bus.ids.items()
                         if state == 'all there' or servo_id != _GONE}
                for rate in RATES[bus.name][:1 if short else None]:
                    what = f'{bus.name} x {len(bus.ids)}, {state}, {rate:g} Hz'
                    backend = bus.backend(emulated.port, on_fault='continue',
                                          patience=_SHORT_PATIENCE if short else None)
                    figures.append(_figure(what, _ours(backend, rate, seconds, there), rate,
                                           len(there), not short))
                    say(what)
    return [*figures, _pca9685(short, seconds)]


def _pca9685(short, seconds):
    from arm_ik.testing.servos import emulated_i2c
    emulated_i2c.install()
    model = Arm.preset('braccio').model
    names = [joint.name for joint in (*model.joints, *model.extra_joints)]
    file = load_servos(config_directory() / 'servos' / 'braccio.yaml', names)
    with TemporaryDirectory() as folder:
        chip = emulated_i2c.Chip(Path(folder) / 'i2c-7')
        backend = make_backend('pca9685', model, servos=replace(file, port=str(chip.path)))
        return _figure(f'pca9685 x {len(names)}, 50 Hz',
                       _ours(backend, 50.0, seconds, dict.fromkeys(names)), 50.0, len(names),
                       not short)


def _ours(backend, rate, seconds, there):
    """Return the driver's turns: start, end of writing [s], and how many joints there lack."""
    turns, read, write = [], backend.read, backend.write

    def timed_read():
        start = monotonic()
        snapshot = read()
        turns.append([start, start, len(there.keys() & snapshot.missing.keys())])
        return snapshot

    def timed_write(set_points):
        write(set_points)
        turns[-1][1] = monotonic()
    driver = ServoDriver(backend, 0.0, rate, on_fault='continue')
    driver.connect()
    backend.read, backend.write = timed_read, timed_write
    driver.start()
    if not backend.has_feedback:
        driver.set_torque(True).result(10.0)
    begin = len(turns) + 2      # the first two come at once, late as the connecting has made them
    held = {name: position for name, position in driver.set_points.items()
            if name in backend.model.joint_names}
    for number in range(round(seconds / _PERIOD)):
        way = -_WAY if number % 2 else _WAY
        driver.command(list(held), [position + way for position in held.values()])
        sleep(_PERIOD)
    backend.read, backend.write = read, write
    driver.close()
    return turns[begin:]


def _figure(what, turns, rate, count, is_bound=False):
    starts, ends, lost = zip(*turns)
    late = [abs(b - a - 1.0 / rate) for a, b in zip(starts, starts[1:])]
    took = [end - start for start, end in zip(starts, ends)]
    total = count * len(turns)
    late_bound = is_bound and rate == 200.0
    kept = not is_bound or sum(lost) <= _LOST * total
    return Figure(
        what, ', '.join([f'p99.9 <= {_LATE:g} ms'] * late_bound
                        + [f'lost <= {_LOST:.1%}'] * is_bound),
        f'start off by {_quantiles(late)}; reads and writes in {_quantiles(took)}; lost '
        f'{sum(lost)} of {total}; {len(late) / (starts[-1] - starts[0]):.0f} turns a second',
        kept and not (late_bound and 1e3 * _quantile(late, 0.999) > _LATE))


def _quantiles(times):
    return ', '.join(f'{1e3 * _quantile(times, part):.2f}' for part in (0.5, 0.99, 0.999)) + ' ms'


def _quantile(times, part):
    return sorted(times)[int(part * len(times))]
