# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Move: one joint, or one servo by its id, slowly."""

from math import inf, pi, radians

from . import scan
from .given import address, find_known, home_of, load, reading_of, shown, unit_of
from .glide import Blocked, glide, Silent
from ..drivers.maintenance import bus_kind
from ..errors import DriverError, InvalidInputError

#: How far a servo may stay behind before it counts as blocked [rad], and on a slide [m].
MAX_LEAD, MAX_LEAD_ON_SLIDE = radians(9.0), 0.005


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
            backend.read().positions.get(name, home_of(backend.model, name))
        goal = start + options.by / scale if options.by is not None else options.to / scale
        if not _is_allowed(start, goal, joint):
            raise InvalidInputError(
                f'where {name} would go', f'{goal * scale:.1f} {unit}',
                f'from {joint.lower * scale:.1f} to {joint.upper * scale:.1f} {unit}')
        speed = min(options.speed / scale, joint.max_velocity)
        terminal.say(f'{name} ({address(servos, name)}) is at {shown(joint, start)}.',
                     f'To do: torque on at {name} alone, then slowly ({speed * scale:.0f} '
                     f'{unit}/s) to {shown(joint, goal)}. Nothing is written into the EEPROM.')
        if not servos.is_verified:
            terminal.say('Nobody has verified this servos file: it may go in the other '
                         'direction. Be ready to press Ctrl-C, which stops and holds it.')
        if not backend.has_feedback:
            terminal.say('This servo measures nothing: if it is elsewhere, it jumps to '
                         f'{shown(joint, start)} first.')
        if options.dry_run:
            terminal.say('Dry run: nothing was done.')
            return 0
        terminal.confirm('Is there room?')
        terminal.state = f'{name} holds where it is, its torque is on'
        backend.engage([name])
        lead = MAX_LEAD if unit == 'deg' else MAX_LEAD_ON_SLIDE
        code = _glide(
            terminal, lambda: backend.read().positions.get(name),
            lambda at: backend.write({name: at}), start, goal, speed, lead,
            lambda at: shown(joint, at))
        if options.limp:
            backend.set_torque(False, [name])
            terminal.state = f'the torque of {name} is off'
        terminal.say(terminal.state)
    return code


def _move_id(options, terminal):
    if not options.joint.isdecimal():
        raise InvalidInputError('the joint', options.joint, 'an id; or a name, with --servos FILE')
    kind = bus_kind(options.backend)
    servo_id = int(options.joint)
    port = scan.port_of(options.port, kind)
    with kind(port, options.baud, patience=options.patience) as bus:
        servo = find_known(bus, servo_id)
        if servo is None:
            raise DriverError(kind.name, f'no servo answers with {kind.address} {servo_id} on '
                                         f'{port}; arm_ik servos scan looks for it')
        if servo.tick is None:
            raise DriverError(kind.name, f'{kind.address} {servo_id} '
                              + (servo.odd[0] if servo.odd else 'does not report where it is'))
        goal = servo.tick + options.by if options.by is not None else options.to
        lower, upper = (servo.lower_tick, servo.upper_tick) if servo.upper_tick else \
            (0, bus.last_tick)
        if not lower <= goal <= upper:
            raise InvalidInputError('where it would go', f'tick {goal:g}',
                                    f'from {lower} to {upper}')
        turn = bus.turn or inf
        speed = max(1.0, options.speed / 360.0 * turn) if bus.turn else options.speed
        terminal.say(f'{servo.model}, {kind.address} {servo_id}, is at tick {servo.tick}.',
                     f'To do: torque on at {kind.address} {servo_id} alone, then slowly to tick '
                     f'{goal:g}. Nothing is written into the EEPROM.')
        if options.dry_run:
            terminal.say('Dry run: nothing was done.')
            return 0
        terminal.confirm('Is there room?')
        terminal.state = f'{kind.address} {servo_id} holds where it is, its torque is on'
        bus.set_torque(True, [servo_id])
        code = _glide(
            terminal, lambda: bus.read([servo_id]).get(servo_id),
            lambda at: bus.write({servo_id: round(at)}), servo.tick, goal, speed,
            MAX_LEAD * (bus.turn or 4096) / (2.0 * pi), lambda at: f'tick {at:.0f}')
        if options.limp:
            bus.set_torque(False, [servo_id])
            terminal.state = f'the torque of {kind.address} {servo_id} is off'
        terminal.say(terminal.state)
    return code


def _glide(terminal, read, write, start, goal, speed, lead, form):
    def show(sample):
        terminal.show([f'commanded {form(sample.commanded)}   measured {form(sample.measured)}'])
    try:
        last = glide(read, write, start, goal, speed, lead, show)[-1]
    except Blocked as blocked:
        sample = blocked.sample
        terminal.say(f'Blocked: commanded {form(sample.commanded)}, measured '
                     f'{form(sample.measured)}. It is not pressed on.')
        return 1
    except Silent:
        terminal.say('No answer any more: it was not sent on. arm_ik servos scan shows who is '
                     'there.')
        return 1
    terminal.say(f'commanded {form(last.commanded)}   measured {form(last.measured)}')
    return 0


def _is_allowed(start, goal, joint):
    """Tell whether a goal is inside the limits, or on the way back to them."""
    return min(start, joint.lower) <= goal <= max(start, joint.upper)
