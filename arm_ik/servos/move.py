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

from math import pi, radians
import time
from typing import NamedTuple

from . import scan
from .given import address, find_known, load, reading_of, shown, unit_of
from ..drivers.families import bus_kind
from ..errors import DriverError, InvalidInputError

#: How far a servo may stay behind before it counts as blocked [rad], and on a slide [m].
_MAX_LEAD, _MAX_LEAD_ON_SLIDE = radians(9.0), 0.005

#: How often a set-point is written [s], and how long a servo may take to come to rest.
_PERIOD, _REST = 0.02, 0.4

#: Readings missed in a row after which a servo is not sent on.
_MISSES = 10


class Sample(NamedTuple):
    """Where a servo was sent, and where it was [rad, m or ticks], at a time [s]."""

    time: float
    commanded: float
    measured: float

    def words(self, form):
        """Return it for people; ``form`` is a function of a place."""
        return f'commanded {form(self.commanded)}   measured {form(self.measured)}'


class Stopped(Exception):
    """A servo does not follow or answer, as it says in words; it holds, and is not sent on."""


def run(options, terminal):
    """Move a joint or a servo; return the exit code."""
    if (options.by is None) == (options.to is None):
        raise InvalidInputError('--by and --to', (options.by, options.to), 'one of the two')
    if options.speed <= 0.0:
        raise InvalidInputError('--speed', options.speed, 'more than 0')
    if options.servos is None:
        return _move_id(options, terminal)
    return _move_joint(options, terminal)


def _move_joint(options, terminal):
    arm, servos, backend = load(options)
    name = options.joint
    backend.require_known((name,))
    joint = backend.joints[name]
    scale, unit = unit_of(joint)
    with backend:
        missing = backend.verify()
        if name in missing:
            raise DriverError(backend.name, missing[name])
        start = reading_of(backend, name) if backend.has_feedback else \
            backend.read().positions.get(name, backend.home[name])
        goal = start + options.by / scale if options.by is not None else options.to / scale
        # Inside the limits, or on the way back to them.
        if not min(start, joint.lower) <= goal <= max(start, joint.upper):
            raise InvalidInputError(
                f'where {name} would go', f'{goal * scale:.1f} {unit}',
                f'from {joint.lower * scale:.1f} to {joint.upper * scale:.1f} {unit}')
        speed = min(options.speed / scale, joint.max_velocity)
        words = [f'{name} ({address(servos, name)}) is at {shown(joint, start)}.',
                 f'To do: torque on at {name} alone, then slowly ({speed * scale:.0f} {unit}/s) '
                 f'to {shown(joint, goal)}. Nothing is written into the EEPROM.']
        if not servos.is_verified:
            words.append('Nobody has verified this servos file: it may go in the other '
                         'direction. Be ready to press Ctrl-C, which stops and holds it.')
        if not backend.has_feedback:
            words.append('This servo measures nothing: if it is elsewhere, it jumps to '
                         f'{shown(joint, start)} first.')
        return _go(
            options, terminal, name, words, lambda: backend.engage([name]),
            lambda: backend.set_torque(False, [name]), lambda at: shown(joint, at),
            read=lambda: backend.read().positions.get(name),
            write=lambda at: backend.write({name: at}),
            start=start, goal=goal, speed=speed, max_lead=max_lead(joint))


def _move_id(options, terminal):
    if not options.joint.isdecimal():
        raise InvalidInputError('the joint', options.joint, 'an id; or a name, with --servos FILE')
    kind = bus_kind(options.backend)
    servo_id, port = int(options.joint), scan.port_of(options.port, kind)
    called = f'{kind.address} {servo_id}'
    with kind(port, options.baud, patience=options.patience) as bus:
        servo = find_known(bus, servo_id)
        if servo is None:
            raise DriverError(kind.name, f'no servo answers with {called} on {port}; '
                                         'arm_ik servos scan looks for it')
        if servo.tick is None:
            raise DriverError(kind.name, f'{called} ' + (
                servo.odd[0] if servo.odd else 'does not report where it is'))
        goal = servo.tick + options.by if options.by is not None else options.to
        lower, upper = (servo.lower_tick, servo.upper_tick) if servo.upper_tick else \
            (0, bus.last_tick)
        if not lower <= goal <= upper:
            raise InvalidInputError('where it would go', f'tick {goal:g}',
                                    f'from {lower} to {upper}')
        words = [f'{servo.model}, {called}, is at tick {servo.tick}.',
                 f'To do: torque on at {called} alone, then slowly to tick {goal:g}. Nothing is '
                 'written into the EEPROM.']
        return _go(
            options, terminal, called, words, lambda: bus.set_torque(True, [servo_id]),
            lambda: bus.set_torque(False, [servo_id]), lambda at: f'tick {at:.0f}',
            read=lambda: bus.read([servo_id]).get(servo_id),
            write=lambda at: bus.write({servo_id: round(at)}), start=servo.tick, goal=goal,
            speed=max(1.0, options.speed / 360.0 * bus.turn) if bus.turn else options.speed,
            max_lead=_MAX_LEAD * (bus.turn or 4096) / (2.0 * pi))


def _go(options, terminal, called, words, switch_on, switch_off, form, **way):
    """Say what is to be done, ask, do it; return the exit code. ``way``: as for :func:`glide`."""
    terminal.say(*words)
    if options.dry_run:
        terminal.say('Dry run: nothing was done.')
        return 0
    terminal.confirm('Is there room?')
    terminal.state = f'{called} holds where it is, its torque is on'
    switch_on()

    code = 1
    try:
        terminal.say(glide(**way, form=form, show=lambda words: terminal.show([words]))[-1].words(
            form))
        code = 0
    except Stopped as stopped:
        terminal.say(f'{stopped}. It was not sent on.')
    if options.limp:
        switch_off()
        terminal.state = f'the torque of {called} is off'
    terminal.say(terminal.state)
    return code


def max_lead(joint):
    """Return how far a joint's servo may stay behind before it counts as blocked [rad, m]."""
    return _MAX_LEAD if unit_of(joint)[1] == 'deg' else _MAX_LEAD_ON_SLIDE


def glide(read, write, start, goal, speed, max_lead, form, show):
    """
    Move one servo.

    :param read: returns where it is; ``None`` if it does not answer now.
    :param write: takes a set-point.
    :param start: the set-point to begin with.
    :param goal: the last one.
    :param speed: per second.
    :param max_lead: how far it may stay behind.
    :param form: function of a place that returns it for people.
    :param show: is called with words on every :class:`Sample`.
    :returns: the list of samples; the last one at rest.
    :raises Stopped: if it stays behind farther, or does not answer any more.
    """
    samples, begun, misses = [], time.monotonic(), 0
    duration = abs(goal - start) / speed
    while True:
        now = time.monotonic() - begun
        part = min(now / duration, 1.0) if duration else 1.0
        commanded = start + part * (goal - start)
        write(commanded)
        measured = read()
        misses = misses + 1 if measured is None else 0
        if misses == _MISSES:
            raise Stopped('No answer any more')
        if measured is not None:
            samples.append(Sample(now, commanded, measured))
            show(samples[-1].words(form))
            if abs(commanded - measured) > max_lead:
                write(measured)
                raise Stopped(f'Blocked: {samples[-1].words(form)}')
        if now >= duration + _REST and samples:
            return samples
        time.sleep(_PERIOD)
