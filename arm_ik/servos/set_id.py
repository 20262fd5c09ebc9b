# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Set-id: give one servo another id, for good."""

from . import scan
from .given import find_known
from ..drivers.families import bus_kind
from ..errors import DriverError, InvalidInputError


def run(options, terminal):
    """Give a servo another id; return the exit code."""
    kind = bus_kind(options.backend)
    port = scan.port_of(options.port, kind)
    if kind.address != 'id':
        raise DriverError(kind.name, f'a servo here has no id: its {kind.address} is its socket')
    new = options.new_id
    if new not in kind.ids:
        raise InvalidInputError('the new id', new, f'from {kind.ids[0]} to {kind.ids[-1]}')
    found = []
    for baud in scan.bauds_of(options.baud, kind):
        found = scan.find_all(terminal, kind, port, (baud,),
                              scan.ids_of(options.ids, kind), options.patience)
        if found:
            break
    if not found:
        terminal.say(*scan.nobody(kind, port, options.baud))
        return 1
    baud, servo = scan.found_alone(found, options.old_id, kind)
    if servo.id == new:
        terminal.say(f'{kind.address} {new} it is already: {servo.model}. Nothing was written.')
        return 0
    if any(other.id == new for _, other in found):
        raise DriverError(kind.name, f'{kind.address} {new} is taken by another servo; nothing '
                                     'was written')
    terminal.say(f'{servo.model}, {kind.address} {servo.id} at {baud} baud, tick {servo.tick}.',
                 f'To be written into its EEPROM, where it lasts: {kind.address} {new} instead of '
                 f'{servo.id}. Nothing moves.')
    if options.dry_run:
        terminal.say('Dry run: nothing was written.')
        return 0
    terminal.confirm(f'Write {kind.address} {new}?')
    terminal.state = f'{kind.address} {servo.id} may be {new} now; scan shows it'
    with kind(port, baud, patience=options.patience) as bus:
        bus.set_id(servo.id, new)
        now = find_known(bus, new)
        gone = bus.find(servo.id) is None
    if now is None or not gone:
        raise DriverError(kind.name, f'read back, {kind.address} {new} is not there as it should '
                                     'be; switch the power off and on, and scan')
    terminal.say(f'Written and read back: {now.model} with {kind.address} {new}.')
    return 0
