# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Scan: which servos there are, and what is odd about them. Set-id: another id for one."""

from functools import partial
import re

from .arguments import port_of
from .terminal import table
from ..bus.families import bus_kind
from ..bus.serial_port import ports
from ..errors import DriverError, InvalidInputError

#: How often progress is shown, in ids.
_PROGRESS = 16


def run(options, terminal):
    """Look for servos; return the exit code."""
    kind = bus_kind(options.backend)
    port = port_of(options.port, kind)
    found = find_all(terminal, kind, port, bauds_of(options.baud, kind),
                     ids_of(options.ids, kind), options.patience)
    if not found:
        terminal.say(*nobody(kind, port, options.baud))
        return 1
    terminal.say(*table(
        (kind.address, 'model', 'baud', 'tick', 'volt', 'deg C', 'torque', 'homing', 'limits',
         'firmware'),
        [(servo.id, facts.model or '?', baud or '-', _or_dash(servo.tick),
          _or_dash(health.voltage_v, '.1f'), _or_dash(health.temperature_c, '.0f'),
          {True: 'on', False: 'off'}.get(health.torque, '-'), _or_dash(facts.offset),
          '-' if facts.upper is None else f'{facts.lower}..{facts.upper}', facts.firmware or '-')
         for baud, servo in found for facts, health in [(servo.facts, servo.health)]]),
        *_remarks(kind, found))
    return 0


def find_all(terminal, kind, port, bauds, ids, patience=None):
    """
    Return the servos that answer, as pairs of baud rate and ``FoundServo``.

    :param kind: subclass of :class:`~arm_ik.bus.maintenance.Maintenance`.
    :param port: where.
    :param bauds: to try, ``(None,)`` where there is no such thing.
    :param ids: to ask.
    :param patience: how long an answer may take beside its time on the wire [s].
    """
    found = []
    for baud in bauds:
        with kind(port, baud, patience=patience) as bus:
            at = f'{baud} baud: ' if baud else ''
            terminal.show([f'{at}is anybody there?'], at_once=True)
            for servo_id in ids if bus.is_anybody_there() else ():
                if servo_id % _PROGRESS == 0:
                    terminal.show([f'{at}{kind.address} {servo_id} of {ids[-1]}, '
                                   f'{len(found)} found'])
                servo = bus.find(servo_id)
                if servo is not None:
                    found.append((baud, servo))
    terminal.say(f'{port}: asked {kind.address} {ids[0]} to {ids[-1]}'
                 + (f' at {", ".join(map(str, bauds))} baud' if bauds != (None,) else '')
                 + f': {len(found) or "nobody"} found')
    return found


def bauds_of(given, kind):
    """Return the baud rates to try."""
    return (given,) if given else kind.bauds or (None,)


def ids_of(text, kind):
    """
    Return the ids that text such as ``1-6,20`` names; ``None``: all there can be.

    :raises InvalidInputError: if it names none, or one that cannot be.
    """
    if text is None:
        return list(kind.ids)
    found = [re.fullmatch(r'(\d+)(?:-(\d+))?', word) for word in text.replace(',', ' ').split()]
    ids = {each for match in filter(None, found)
           for each in range(int(match[1]), int(match[2] or match[1]) + 1)}
    if not all(found) or not ids or not ids <= set(kind.ids):
        raise InvalidInputError('--ids', text, f'such as 1-6,20; from {kind.ids[0]} to '
                                f'{kind.ids[-1]}')
    return sorted(ids)


def nobody(kind, port, baud):
    """Yield in words what to look at when nobody answers."""
    yield 'Nobody answers. Look at these, in this order:'
    yield '- Has the arm power of its own, and is it switched on? USB alone moves no servo.'
    yield '- Is the cable in the adapter, and the first servo in the cable?'
    if baud:
        yield f'- Is {baud} its baud rate? Without --baud all common ones are tried.'
    if there := [each for each in ports() if each != port]:
        yield f'- Is this the port? There are others: {", ".join(there)}'
    if kind.name == 'feetech':
        yield '- Are these STS or SMS servos? Those of the SCS series do not answer here.'


def _remarks(kind, found):
    lines = [f'{kind.address} {servo.id}: {odd}' for _, servo in found for odd in servo.odd]
    bauds = {baud for baud, _ in found}
    if len(bauds) > 1:
        at = '; '.join(f'{rate}: {kind.address} ' + ', '.join(
            str(servo.id) for baud, servo in found if baud == rate) for rate in sorted(bauds))
        lines.append(f'Servos at {len(bauds)} baud rates ({at}): only those of one can run '
                     'together. arm_ik servos set brings them to that of the servos file.')
    elif kind.bauds and bauds != {kind.bauds[0]}:
        lines.append(f'Write "baud: {bauds.pop()}" into the servos file, and --baud here.')
    if not kind.has_feedback:
        lines.append('The board is there. Whether a servo is plugged in, is not known.')
    return lines or ['Nothing odd.']


def _or_dash(value, form=''):
    return '-' if value is None else format(value, form)


def set_id(options, terminal):
    """Give a servo another id; return the exit code."""
    kind, new = bus_kind(options.backend), options.new_id
    port, refusal = port_of(options.port, kind), partial(DriverError, kind.name)
    if kind.address != 'id':
        raise refusal(f'a servo here has no id: its {kind.address} is its socket')
    if new not in kind.ids:
        raise InvalidInputError('the new id', new, f'from {kind.ids[0]} to {kind.ids[-1]}')
    likely = {*range(11), new, options.old_id}.intersection(kind.ids)
    found = next(filter(None, (
        find_all(terminal, kind, port, (baud,), ids, options.patience)
        for ids in (*([] if options.ids else [sorted(likely)]), ids_of(options.ids, kind))
        for baud in bauds_of(options.baud, kind))), [])
    if not found:
        terminal.say(*nobody(kind, port, options.baud))
        return 1
    mine = [pair for pair in found if options.old_id in (None, pair[1].id)]
    if len(mine) != 1:
        ids = ', '.join(str(servo.id) for _, servo in mine)
        raise refusal(f'{len(mine)} servos answer: id {ids}; connect one alone, or name it with '
                      '--from' if mine else f'no servo answers with id {options.old_id}')
    (baud, servo), = mine
    if servo.tick is None:
        raise refusal(f'id {servo.id} {servo.odd[0]}')
    if servo.id == new:
        terminal.say(f'id {new} it is already: {servo.facts.model}. Nothing was written.')
        return 0
    if any(other.id == new for _, other in found):
        raise refusal(f'id {new} is taken by another servo; nothing was written')
    terminal.say(f'{servo.facts.model}, id {servo.id} at {baud} baud, tick {servo.tick}.', 'To be '
                 f'written into its EEPROM, where it lasts: id {new} instead of {servo.id}. '
                 'Nothing moves.')
    terminal.confirm(f'Write id {new}?')
    terminal.state = f'id {servo.id} may be {new} now; scan shows it'
    with kind(port, baud, patience=options.patience) as bus:
        with terminal.whole():
            bus.set_id(servo.id, new)
        if bus.find(servo.id) is not None:
            raise refusal(f'id {servo.id} answers as before, too; switch the power off and on, '
                          'and scan')
    terminal.say(f'Written and read back: {servo.facts.model} with id {new}.')
    return 0
