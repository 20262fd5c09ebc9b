# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Check: sweep each joint slowly, commanded beside measured.

At rest at the same places, reached from below and from above: their mean difference is the offset
(sag, a zero that is off), the difference of the two is the backlash. While it moves, how far it
stays behind divided by its speed is the lag.
"""

from math import radians

from .arguments import load, reading_of, require_all, unit_of
from .move import glide, Stopped
from .terminal import table
from ..errors import DriverError, InvalidInputError
from ..kinematics.forward import Geometry, heights

#: Places in a sweep at which both directions are compared, as parts of its half.
_PLACES = (-0.5, 0.0, 0.5)

#: A sweep keeps elbow, wrist and tip above this, or above where they are [m].
_LEAST_HEIGHT = 0.02


def run(options, terminal):
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
