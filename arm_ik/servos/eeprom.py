# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What is written into the EEPROMs of servos: after a question, and with a backup file first.

Set: what the driver needs there. Restore: what a backup file says was there.
"""

from datetime import datetime
from pathlib import Path

import yaml

from .arguments import arm_for, bus_of, find_known, port_of
from .terminal import table
from ..arm import arm_of
from ..bus.families import bus_kind
from ..errors import DriverError, InvalidInputError

#: So long answers may take [s]: nothing is in a hurry here, and none must be missed.
_PATIENCE = 0.05


def write(terminal, bus, port, ids, changes, settings):
    """
    Write settings, servo by servo, and read them back; Ctrl-C waits until all are written.

    What is in the servos is in a file before.

    :param bus: the :class:`~arm_ik.bus.maintenance.Maintenance`.
    :param port: where it is.
    :param ids: by the name of their joint.
    :param changes: as of :func:`changes_of`.
    :param settings: as of :func:`changes_of`.
    :returns: the path of the file.
    :raises DriverError: if a servo does not obey; the terminal's state says how to go back.
    """
    backup = f'servos_backup_{datetime.now():%Y%m%d_%H%M%S_%f}.yaml'
    text = yaml.safe_dump({'family': bus.family.name, 'port': port, 'servos': {
        name: {'id': ids[name], **now} for name, now in settings.items()}})
    with open(backup, 'x', encoding='utf-8') as file:
        file.write('# What was in EEPROMs of servos. To write that back:\n'
                   f'# arm_ik servos restore {backup}\n{text}')
    terminal.say(f'backup: {backup}')
    with terminal.whole():
        before = terminal.state
        terminal.state = ('the torque is off; an EEPROM may be written in part: arm_ik servos '
                          f'restore {backup}')
        for name, values in changes.items():
            bus.write_settings(ids[name], values)
        terminal.state = f'{before}; EEPROMs were written whole, {backup} says what was there'
    return backup


def changes_of(terminal, bus, ids, wanted):
    """
    Show what is in servos and what shall be.

    :param wanted: function of what is in the servo of a joint by its name: values by name.
    :returns: what differs, and all that is there now, each by the name of the joint.
    :raises DriverError: if a servo does not say.
    """
    changes, settings, rows = {}, {}, []
    for name, servo_id in ids.items():
        now = bus.settings(servo_id)
        if not now:
            raise DriverError(bus.name, f'id {servo_id}: no answer; nothing was written')
        values = {what: value for what, value in wanted(name, now).items() if now[what] != value}
        if values:
            changes[name], settings[name] = values, now
        rows += [(name, servo_id, what, now[what], value) for what, value in values.items()]
    if rows:
        terminal.say(*table(('joint', 'id', 'in the EEPROM', 'now', 'to be'), rows))
    return changes, settings


def set_needed(options, terminal):
    """Set what the driver needs; return the exit code."""
    path = options.arm_or_file if options.arm_or_file.endswith(('.yaml', '.yml')) else None
    arm = arm_for(options.arm, path) if path else arm_of(options.arm_or_file)
    _, servos = bus_of(arm, path)
    kind, entries = bus_kind(servos.family), {}
    for name, servo in servos.joints.items():
        for each in () if servo.same_as else (servo.id, *servo.shadow_ids):
            main_id = None if each == servo.id else servo.id
            entries[name if main_id is None else f'{name} (shadow {each})'] = servo, each, main_id
    if not kind.baud_codes:
        raise DriverError(kind.name, 'there is nothing here that could be set')

    def wanted(name, now):
        servo, _, main_id = entries[name]
        return {**kind.needed(servo, now, main_id),
                'baud': kind.baud_codes.get(servos.baud, now['baud'])}

    return _apply(options, terminal, kind, servos.baud, options.port or (path and servos.port),
                  {name: servo_id for name, (_, servo_id, _) in entries.items()}, wanted)


def restore(options, terminal):
    """Write back what a backup file says; return the exit code."""
    where = f'the backup file {options.backup}'
    try:
        backup = yaml.safe_load(Path(options.backup).read_text(encoding='utf-8'))
        servos, kind = backup['servos'], bus_kind(backup['family'])
        ids = {name: servo.pop('id') for name, servo in servos.items()}
        for servo in servos.values():
            for what, value in servo.items():
                kind.line_kind.settings[what].data(value)
    except OSError as error:
        raise InvalidInputError(where, error.strerror, 'a file that can be read') from None
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError, yaml.YAMLError):
        raise InvalidInputError(where, 'something else', 'what arm_ik servos calibrate, set or '
                                'restore has written: servos_backup_....yaml') from None
    return _apply(options, terminal, kind, kind.bauds[0], options.port or backup['port'], ids,
                  lambda name, _: {what: value for what, value in servos[name].items()
                                   if what not in ('model', 'baud')})


def _apply(options, terminal, kind, baud, port, ids, wanted):
    """Write what is wanted, at whatever baud rate servos answer; return the exit code."""
    port, left, differs = port_of(port, kind), dict(ids), False
    for rate in dict.fromkeys((baud, *kind.bauds)):
        with kind(port, rate, patience=_PATIENCE) as bus:
            find = find_known if rate == baud else kind.find
            here = {name: servo_id for name, servo_id in left.items()
                    if (servo := find(bus, servo_id)) and servo.facts.model}
            left = {name: servo_id for name, servo_id in left.items() if name not in here}
            if here:
                terminal.say(f'{len(here)} servos at {rate} baud')
            changes, settings = changes_of(terminal, bus, here, wanted)
            differs = differs or changes
            if changes:
                terminal.say('To do: torque off at these, so that joints fall that nobody holds; '
                             'a backup file; and that.')
                terminal.confirm(f'Write it into the EEPROM of {len(changes)} servos?')
                terminal.state = 'the torque is off at these servos'
                bus.release([here[name] for name in changes])
                write(terminal, bus, port, here, changes, settings)
                terminal.say('Written and read back. These servos are limp, and their goals are '
                             'old: switch their power off and on before another program gives '
                             'them torque.')
        if not left:
            break
    if left:
        raise DriverError(kind.name, f'no answer at any baud rate: {", ".join(left)}')
    if not differs:
        terminal.say('All is as it has to be. Nothing was written.')
    return 0
