# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Move: one joint, slowly, commanded beside measured. Check: sweep each joint so.

The set-point runs ahead at a constant speed, so it is never far from where the servo is: whatever
ends the tool, the servo stops at once and holds. One that is blocked is not pressed on.

In a sweep, at rest at the same places, reached from below and from above: their mean difference is
the offset (sag, a zero that is off), the difference of the two is the backlash. While it moves,
how far it stays behind divided by its speed is the lag.
"""

from math import degrees, radians
import time
from typing import NamedTuple

from .arguments import address, load, reading_of, require_all, shown, unit_of
from .terminal import table
from ..bus.torque import MOST, RUNS, runs, SLOWLY, STAYS, WATCHED
from ..errors import DriverError, InvalidInputError
from ..kinematics.forward import Geometry, heights
from ..motion import generator

#: How far a servo may stay behind before it counts as blocked [rad], and on a slide [m].
_MAX_LEAD, _MAX_LEAD_ON_SLIDE = radians(9.0), 0.005

#: Part of that by which one that has arrived may be off: sag under its load.
_NEAR = 1.0 / 3.0

#: How often a set-point is written [s], and how long a servo may take to come to rest.
_PERIOD, _REST = 0.02, 0.4

#: Readings missed in a row after which a servo is not sent on.
_MISSES = 10

#: Places in a sweep at which both directions are compared, as parts of its half.
_PLACES = (-0.5, 0.0, 0.5)

#: A sweep keeps elbow, wrist and tip above this, or above where they are [m].
_LEAST_HEIGHT = 0.02


class Sample(NamedTuple):
    """Where a joint was sent, and where it was [rad, m], at a time [s]."""

    time: float
    commanded: float
    measured: float


class Stopped(Exception):
    """A servo does not follow or answer, as it says in words; it is not sent on."""


def run(options, terminal):
    """Move a joint; return the exit code."""
    if (options.by is None) == (options.to is None):
        raise InvalidInputError('--by and --to', (options.by, options.to), 'one of the two')
    if options.speed <= 0.0:
        raise InvalidInputError('--speed', options.speed, 'more than 0')
    _, servos, backend = load(options)
    name = options.joint
    backend.require_known((name,))
    with backend:
        missing = backend.verify()
        if name in missing:
            raise DriverError(backend.name, missing[name])
        backend.read()
        joint, turn = backend.joints[name], backend.turns([name], MOST).get(name, 0.0)
        start = reading_of(backend, name) if backend.has_feedback else \
            backend.read().positions.get(name, backend.home[name])
        scale = unit_of(joint)[0]
        speed = min(options.speed / scale, joint.max_velocity)
        goal = options.to / scale if options.by is None else start + options.by / scale
        # Inside the limits, or on the path back to them.
        if not min(start, joint.lower) <= goal <= max(start, joint.upper):
            raise InvalidInputError(f'where {name} would go', shown(joint, goal),
                                    f'{shown(joint, joint.lower)} to {shown(joint, joint.upper)}')
        terminal.say(f'{name} ({address(servos, name)}) is at {shown(joint, start)}.',
                     f'To do: torque on at {name} alone, then slowly ({shown(joint, speed)} '
                     f'a second) to {shown(joint, goal)}. Nothing is written into the EEPROM.')
        if abs(turn) > STAYS:
            terminal.say(f'With torque it turns by {degrees(abs(turn)):.1f} deg first, '
                         'slowly, to its own limit.')
        if not servos.is_verified:
            terminal.say('Nobody has verified this servos file: it may go in the other '
                         'direction. Be ready to press Ctrl-C, which stops and holds it.')
        if not backend.has_feedback:
            terminal.say('This servo measures nothing: if it is elsewhere, it jumps to '
                         f'{shown(joint, start)} first.')
        terminal.confirm('Is there room?')
        terminal.state = f'the torque of {name} may be on'
        _engage(backend, name)
        code, terminal.state = 1, f'{name} holds where it is, its torque is on'
        try:
            end = glide(backend, name, start, goal, speed, terminal)[-1]
            off = abs(end.measured - goal)
            # Of a small step half has to be seen.
            code = int(off > min(_NEAR * max_lead(joint), 0.5 * abs(goal - start)))
            terminal.say(_words(joint, end))
            if code:
                terminal.say(f'{name} is {shown(joint, off)} from where it was sent.')
        except Stopped as stopped:
            terminal.say(f'{stopped}. It was not sent on.')
        if options.limp:
            backend.set_torque(False, [name])
            terminal.state = f'the torque of {name} is off'
        terminal.say(terminal.state)
    return code


def max_lead(joint):
    """Return how far a joint may stay behind [rad, m]."""
    return _MAX_LEAD if unit_of(joint)[1] == 'deg' else _MAX_LEAD_ON_SLIDE


def _words(joint, sample):
    return f'commanded {shown(joint, sample.commanded)}   measured {shown(joint, sample.measured)}'


def _engage(backend, name):
    """Switch a joint's torque on; off again, and :class:`DriverError`, if it runs then."""
    goal, unit = backend.engage([name], MOST)[name], generator.unit(backend.joints[name])
    begin = backend.read().positions.get(name, goal)
    end = time.monotonic() + WATCHED + abs(goal - begin) / unit / SLOWLY
    while backend.has_feedback and time.monotonic() < end:
        if runs(backend.read().positions.get(name, begin), begin, goal, RUNS * unit):
            backend.set_torque(False, [backend.main(name)])
            raise DriverError(backend.name, f'{name} ran as soon as it had torque, which is off '
                                            'again')


def glide(backend, name, start, goal, speed, terminal):
    """
    Move one joint, which has torque.

    :param backend: the open :class:`~arm_ik.drivers.Backend`.
    :param name: of the joint.
    :param start: the set-point to begin with [rad, m].
    :param goal: the last one.
    :param speed: per second.
    :param terminal: where it is shown.
    :returns: the list of samples; the last one at rest.
    :raises Stopped: if it stays behind too far, or does not answer any more.
    """
    joint, samples, begun, misses = backend.joints[name], [], time.monotonic(), 0
    duration = abs(goal - start) / speed
    while True:
        now = time.monotonic() - begun
        part = min(now / duration, 1.0) if duration else 1.0
        commanded = start + part * (goal - start)
        backend.write({name: commanded})
        measured = backend.read().positions.get(name)
        misses = misses + 1 if measured is None else 0
        if misses == _MISSES:
            terminal.state = f'{name} has its torque, and goes on to its last goal'
            raise Stopped(f'No answer any more; its last goal is {shown(joint, commanded)}')
        if measured is not None:
            samples.append(Sample(now, commanded, measured))
            words = _words(joint, samples[-1])
            terminal.show([f'{name}   {words}'])
            if abs(commanded - measured) > max_lead(joint):
                backend.write({name: measured})
                raise Stopped(f'Blocked: {words}')
        if now >= duration + _REST and samples:
            return samples
        time.sleep(_PERIOD)


def check(options, terminal):
    """Sweep joints; return the exit code."""
    arm, servos, backend = load(options)
    if not backend.has_feedback:
        raise DriverError(backend.name, 'these servos measure nothing: nothing to compare')
    if not 1.0 <= options.range <= 90.0:
        raise InvalidInputError('--range', options.range, 'from 1 to 90 degrees')
    if options.speed <= 0.0:
        raise InvalidInputError('--speed', options.speed, 'more than 0')
    names = options.joint or [name for name in backend.joints if not servos.joints[name].same_as]
    backend.require_known(names)
    with backend:
        require_all(backend)
        if not servos.is_verified:
            terminal.say('Nobody has verified this servos file: arm_ik servos verify first.')
            return 1
        terminal.say(f'To do: torque on at every servo, then one joint after the other '
                     f'{options.range:g} deg to both sides of where it is, slowly: '
                     f'{", ".join(names)}. Nothing is written into an EEPROM.')
        terminal.confirm('Is there room around the arm, and does somebody hold it, or does it '
                         'stay up by itself?')
        terminal.state = 'the arm holds where it is, torque is on'
        backend.engage()
        rows, blocked = [], 0
        for name in names:
            try:
                rows.append((name, *sweep(arm.model, backend, name, options, terminal)))
            except Stopped as stopped:
                blocked += 1
                rows.append((name, stopped, '', '', ''))
        terminal.say(*table(('joint', 'swept', 'offset', 'backlash', 'lag'), rows))
        terminal.say(terminal.state)
    return 1 if blocked else 0


def sweep(model, backend, name, options, terminal):
    """
    Move one joint to and fro.

    :returns: in words how far, and what was seen: offset, backlash, lag.
    :raises Stopped: if the joint does not follow or answer; it holds.
    """
    joint, centre = backend.joints[name], reading_of(backend, name)
    half = _half(model, backend, joint, centre, options.range)
    if half <= 0.0:
        return 'not: the table is too near', '', '', ''
    scale, unit = unit_of(joint)
    speed = min(options.speed / scale, joint.max_velocity) if unit == 'deg' else \
        0.2 * (joint.upper - joint.lower)
    low, high = max(centre - half, joint.lower), min(centre + half, joint.upper)
    middle, reach = 0.5 * (low + high), 0.5 * (high - low)
    places = [middle + part * reach for part in _PLACES]
    errors, lags, at = {'up': [], 'down': []}, [], centre
    for direction, goals in (('', [low]), ('up', places), ('', [high]), ('down', places[::-1]),
                             ('', [low, min(max(centre, low), high)])):
        for goal in goals:
            samples = glide(backend, name, at, goal, speed, terminal)
            duration, at = abs(goal - at) / speed, goal
            if direction:
                errors[direction].append(samples[-1].measured - goal)
            # Speeding up is over after a fifth.
            lags += [abs(sample.commanded - sample.measured) / speed for sample in samples
                     if 0.2 * duration < sample.time < duration]
    offset, backlash = judged(errors['up'], errors['down'])
    return (f'{half * scale:.0f} {unit} to both sides', f'{offset * scale:+.2f} {unit}',
            f'{backlash * scale:.2f} {unit}', f'{1e3 * sum(lags) / max(len(lags), 1):.0f} ms')


def judged(up, down):
    """
    Return offset and backlash.

    :param up: measured minus commanded, at rest, reached from below.
    :param down: the same places reached from above.
    """
    from_below, from_above = sum(up) / len(up), sum(down) / len(down)
    return 0.5 * (from_below + from_above), abs(from_above - from_below)


def _half(model, backend, joint, centre, wanted):
    """Return how far a joint may go to both sides [rad, m]."""
    if unit_of(joint)[1] != 'deg':
        return 0.4 * (joint.upper - joint.lower)
    half = radians(wanted)
    if joint.name not in model.joint_names:
        return half
    positions = backend.read().positions
    q = [positions.get(name, home) for name, home in zip(model.joint_names, model.home)]
    index, geometry = model.joint_names.index(joint.name), Geometry(model)
    least = min(_LEAST_HEIGHT, min(heights(geometry, q)) - 0.001)
    while half > radians(1.0):
        if all(min(heights(geometry, [*q[:index], at, *q[index + 1:]])) >= least
               for at in (centre - half, centre + half)):
            return half
        half *= 0.7
    return 0.0
