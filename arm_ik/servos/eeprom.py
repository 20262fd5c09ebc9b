# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What is written into the EEPROMs of servos: after a question, and with a backup file first.

Restore: what a backup file says was there.
"""

from datetime import datetime
from pathlib import Path

import yaml

from .given import find_each
from .terminal import table
from ..description.yaml_reader import parse_yaml
from ..drivers.families import bus_kind, bus_names
from ..errors import DriverError, InvalidInputError


def back_up(terminal, bus, family, port, ids):
    """
    Write what stands in EEPROMs into a new file; return its path.

    :param bus: the :class:`~arm_ik.drivers.maintenance.Maintenance`.
    :param family: its name.
    :param port: where.
    :param ids: by the name of their joint.
    :raises DriverError: naming a servo that does not answer; then there is no file.
    """
    now = datetime.now()
    servos = {}
    for name, servo_id in ids.items():
        settings = bus.settings(servo_id)
        if not settings:
            raise DriverError(bus.name, f'{name} (id {servo_id}) does not answer; nothing was '
                                        'written into any EEPROM')
        servos[name] = {'id': servo_id, 'settings': settings}
    path = Path(f'servos_backup_{now:%Y%m%d_%H%M%S_%f}.yaml')
    with open(path, 'x', encoding='utf-8') as file:
        file.write(f'# What stood in the EEPROMs of servos on {now:%Y-%m-%d} at {now:%H:%M:%S}.\n'
                   f'# To write that back: arm_ik servos restore {path}\n' + yaml.safe_dump(
                       {'family': family, 'port': str(port), 'baud': bus.baud, 'servos': servos},
                       sort_keys=False))
    terminal.say(f'backup: {path}')
    return path


def write(terminal, bus, ids, changes, backup):
    """
    Write settings, servo by servo, and read them back.

    :param ids: by the name of their joint.
    :param changes: values by their names, by the name of the joint.
    :param backup: path of the file, for messages.
    :raises DriverError: if a servo does not obey, saying how to go back.
    """
    before = terminal.state
    terminal.state = ('the torque is off; an EEPROM may be written in part: arm_ik servos restore '
                      f'{backup}')
    for name, values in changes.items():
        bus.write_settings(ids[name], values)
    terminal.state = before


def changes_of(terminal, bus, ids, wanted):
    """
    Show what stands in servos and what shall; return what differs, by the name of the joint.

    :param wanted: values by their names, by the name of the joint.
    """
    changes, rows = {}, []
    for name, values in wanted.items():
        now = bus.settings(ids[name])
        changes[name] = {what: value for what, value in values.items() if now.get(what) != value}
        rows += [(name, ids[name], what, now.get(what, '-'), value)
                 for what, value in changes[name].items()]
    if rows:
        terminal.say(*table(('joint', 'id', 'in the EEPROM', 'now', 'to be'), rows))
    return {name: values for name, values in changes.items() if values}


def restore(options, terminal):
    """Write back what a backup file says; return the exit code."""
    family, port, baud, servos = _read(options.backup)
    kind, port = bus_kind(family), options.port or port
    ids = {name: servo['id'] for name, servo in servos.items()}
    with kind(port, options.baud or baud) as bus:
        find_each(terminal, bus, ids)
        changes = changes_of(terminal, bus, ids,
                             {name: servo['settings'] for name, servo in servos.items()})
        if not changes:
            terminal.say('All of that stands in the servos. Nothing was written.')
            return 0
        if options.dry_run:
            terminal.say('Dry run: nothing was written.')
            return 0
        terminal.say('To do: torque off at these servos, and their EEPROM as in the backup. '
                     'A joint that is not held falls.')
        terminal.confirm(f'Write that into {len(changes)} servos?')
        backup = back_up(terminal, bus, family, port, ids)
        terminal.state = 'the torque is off: the arm is limp'
        bus.set_torque(False, [ids[name] for name in changes])
        write(terminal, bus, ids, changes, backup)
    terminal.say('Written and read back; these servos are limp, and their goals are where they '
                 'stand.', 'A servos file that was made since does not fit any more: the driver '
                 'says so.')
    return 0


def _read(path):
    """
    Return family, port, baud rate and servos of a backup file.

    :raises InvalidInputError: if it is none.
    """
    where = f'the backup file {path}'
    try:
        backup = parse_yaml(Path(path).read_text(encoding='utf-8'), path)
        family, servos = backup['family'], backup['servos']
        known = bus_kind(family).line_kind.settings if family in bus_names() else {}
        fits = all(
            type(servo['id']) is int and set(servo['settings']) <= set(known) and all(
                type(value) is int for value in servo['settings'].values())
            for servo in servos.values())
    except OSError as error:
        raise InvalidInputError(where, error.strerror, 'a file that can be read') from None
    except (KeyError, TypeError, AttributeError, ValueError):
        fits = False
    if not fits:
        raise InvalidInputError(where, 'another kind of file', 'one that arm_ik servos calibrate, '
                                'set or restore has written: servos_backup_....yaml')
    return family, backup['port'], backup.get('baud'), servos
