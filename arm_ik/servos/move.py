# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Move: one joint, or one servo by its id, slowly, commanded beside measured.

The set-point runs ahead at a constant speed, so it is never far from where the servo is: whatever
ends the tool, the servo stops at once and holds. One that is blocked is not pressed on.
"""

from contextlib import contextmanager
from math import degrees, pi, radians
import time
from typing import Callable, NamedTuple

from .arguments import address, find_known, load, port_of, reading_of, shown, unit_of
from ..bus.families import bus_kind
from ..bus.torque import MOST, running, STAYS
from ..errors import DriverError, InvalidInputError
from ..motion import generator

#: How far a servo may stay behind before it counts as blocked [rad], and on a slide [m].
_MAX_LEAD, _MAX_LEAD_ON_SLIDE = radians(9.0), 0.005

#: Part of that by which one that has arrived may be off: sag under its load.
_NEAR = 1.0 / 3.0

#: How often a set-point is written [s], and how long a servo may take to come to rest.
_PERIOD, _REST = 0.02, 0.4

#: Readings missed in a row after which a servo is not sent on.
_MISSES = 10


class Sample(NamedTuple):
    """Where a servo was sent, and where it was [rad, m or ticks], at a time [s]."""

    time: float
    commanded: float
    measured: float


class Moved(NamedTuple):
    """
    A joint, or a servo known by its id alone; places in rad, m or ticks.

    ``servo`` is what it is called on its bus. ``read`` returns where it is, or ``None`` if it does
    not answer now; ``torque`` takes a bool. ``turn`` is by how much it turns when its torque comes
    [rad at the servo]. ``max_lead`` is how far it may stay behind. ``scale`` and ``form`` make
    numbers and text for people.
    """

    name: str
    servo: str
    read: Callable
    write: Callable
    torque: Callable
    limits: tuple
    turn: float
    max_lead: float
    scale: float
    form: Callable

    def words(self, sample):
        """Return a sample for people."""
        return f'commanded {self.form(sample.commanded)}   measured {self.form(sample.measured)}'


class Stopped(Exception):
    """A servo does not follow or answer, as it says in words; it is not sent on."""


def run(options, terminal):
    """Move a joint or a servo; return the exit code."""
    if (options.by is None) == (options.to is None):
        raise InvalidInputError('--by and --to', (options.by, options.to), 'one of the two')
    if options.speed <= 0.0:
        raise InvalidInputError('--speed', options.speed, 'more than 0')
    with (_servo if options.servos is None else _joint)(options) as (moved, start, speed, notes):
        goal = options.to / moved.scale if options.by is None else \
            start + options.by / moved.scale
        lower, upper = moved.limits
        # Inside the limits, or on the path back to them.
        if not min(start, lower) <= goal <= max(start, upper):
            raise InvalidInputError(f'where {moved.name} would go', moved.form(goal),
                                    f'from {moved.form(lower)} to {moved.form(upper)}')
        terminal.say(f'{moved.servo} is at {moved.form(start)}.',
                     f'To do: torque on at {moved.name} alone, then slowly ({moved.form(speed)} '
                     f'a second) to {moved.form(goal)}. Nothing is written into the EEPROM.',
                     *[f'With torque it turns by {degrees(abs(moved.turn)):.1f} deg first, '
                       'slowly, to its own limit.'] * (abs(moved.turn) > STAYS), *notes)
        terminal.begin('Is there room?')
        terminal.state = f'the torque of {moved.name} may be on'
        moved.torque(True)
        code, terminal.state = 1, f'{moved.name} holds where it is, its torque is on'
        try:
            end = glide(moved, start, goal, speed, terminal)[-1]
            off = abs(end.measured - goal)
            # Of a small step half has to be seen.
            code = int(off > min(_NEAR * moved.max_lead, 0.5 * abs(goal - start)))
            terminal.say(moved.words(end), *[
                f'{moved.name} is {moved.form(off)} from where it was sent.'] * code)
        except Stopped as stopped:
            terminal.say(f'{stopped}. It was not sent on.')
        if options.limp:
            moved.torque(False)
            terminal.state = f'the torque of {moved.name} is off'
        terminal.say(terminal.state)
    return code


@contextmanager
def _joint(options):
    """Open the back end; return what :func:`run` needs of a joint."""
    _, servos, backend = load(options)
    name = options.joint
    backend.require_known((name,))
    with backend:
        missing = backend.verify()
        if name in missing:
            raise DriverError(backend.name, missing[name])
        backend.read()
        moved = moved_joint(backend, servos, name)._replace(
            turn=backend.turns([name], MOST).get(name, 0.0))
        start = reading_of(backend, name) if backend.has_feedback else \
            backend.read().positions.get(name, backend.home[name])
        notes = []
        if not servos.is_verified:
            notes.append('Nobody has verified this servos file: it may go in the other '
                         'direction. Be ready to press Ctrl-C, which stops and holds it.')
        if not backend.has_feedback:
            notes.append('This servo measures nothing: if it is elsewhere, it jumps to '
                         f'{moved.form(start)} first.')
        yield moved, start, min(options.speed / moved.scale,
                                backend.joints[name].max_velocity), notes


def moved_joint(backend, servos, name):
    """Return the :class:`Moved` of a joint, by its back end and its servos file."""
    joint = backend.joints[name]
    scale, unit = unit_of(joint)
    return Moved(
        name, f'{name} ({address(servos, name)})', lambda: backend.read().positions.get(name),
        lambda at: backend.write({name: at}),
        lambda on: _engage(backend, name) if on else backend.set_torque(False, [name]),
        (joint.lower, joint.upper), 0.0, _MAX_LEAD if unit == 'deg' else _MAX_LEAD_ON_SLIDE, scale,
        lambda at: shown(joint, at))


def _engage(backend, name):
    """Switch a joint's torque on; off again, and :class:`DriverError`, if it runs then."""
    goal = backend.engage([name], MOST)[name]
    begin = backend.read().positions.get(name, goal)
    if backend.has_feedback and running(
            lambda: {name: backend.read().positions.get(name, begin)}, {name: (begin, goal)},
            generator.unit(backend.joints[name])):
        backend.set_torque(False, [backend.main(name)])
        raise DriverError(backend.name, f'{name} ran as soon as it had torque, which is off again')


@contextmanager
def _servo(options):
    """Open the bus; return what :func:`run` needs of a servo by its id."""
    if not options.joint.isdecimal():
        raise InvalidInputError('the joint', options.joint, 'an id; or a name, with --servos FILE')
    kind = bus_kind(options.backend)
    servo_id, port = int(options.joint), port_of(options.port, kind)
    called = f'{kind.address} {servo_id}'
    with kind(port, options.baud, patience=options.patience) as bus:
        servo = find_known(bus, servo_id)
        if servo is None:
            raise DriverError(kind.name, f'no servo answers with {called} on {port}; '
                                         'arm_ik servos scan looks for it')
        if servo.tick is None:
            raise DriverError(kind.name, f'{called} ' + (
                servo.odd[0] if servo.odd else 'does not report where it is'))
        turn = bus.turn or 360.0    # of what is no angle, the speed is that of its ticks
        yield Moved(
            called, f'{servo.model}, {called},', lambda: bus.read([servo_id]).get(servo_id),
            lambda at: bus.write({servo_id: round(at)}),
            lambda on: bus.set_torque(on, [servo_id]),
            (servo.lower_tick, servo.upper_tick) if servo.upper_tick else (0, bus.last_tick),
            bus.turn_with_torque(servo_id), _MAX_LEAD * (bus.turn or 4096) / (2.0 * pi), 1.0,
            lambda at: f'{at:.0f} ticks'), servo.tick, max(1.0, options.speed / 360.0 * turn), []


def glide(moved, start, goal, speed, terminal):
    """
    Move one servo.

    :param moved: the :class:`Moved`.
    :param start: the set-point to begin with.
    :param goal: the last one.
    :param speed: per second.
    :param terminal: where it is shown.
    :returns: the list of samples; the last one at rest.
    :raises Stopped: if it stays behind too far, or does not answer any more.
    """
    samples, begun, misses = [], time.monotonic(), 0
    duration = abs(goal - start) / speed
    while True:
        now = time.monotonic() - begun
        part = min(now / duration, 1.0) if duration else 1.0
        commanded = start + part * (goal - start)
        moved.write(commanded)
        measured = moved.read()
        misses = misses + 1 if measured is None else 0
        if misses == _MISSES:
            terminal.state = f'{moved.name} has its torque, and goes on to its last goal'
            raise Stopped(f'No answer any more; its last goal is {moved.form(commanded)}')
        if measured is not None:
            samples.append(Sample(now, commanded, measured))
            terminal.show([f'{moved.name}   {moved.words(samples[-1])}'])
            if abs(commanded - measured) > moved.max_lead:
                moved.write(measured)
                raise Stopped(f'Blocked: {moved.words(samples[-1])}')
        if now >= duration + _REST and samples:
            return samples
        time.sleep(_PERIOD)
