# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Dynamixel X servos, by protocol 2.0.

All positions are read by one request and all set-points written by one. Which lengths a block is
read in is in :class:`Block`: position, health and torque have none in common, so an answer to one
of them is never taken for an answer to another either.

While the arm is driven the servos' bus watchdog is set: without a request on the bus for half a
second they stop and hold where they are. After that they take no goals. One that has not been
heard for so long is set free again when it is: with its position as its goal, from which
set-points go on.

Source: the control tables of ROBOTIS' e-Manual.
"""

from contextlib import suppress
from math import ceil
import time
from typing import NamedTuple

from . import protocol2
from ..backend import Facts, Health
from ..families import FAMILIES
from ..frames import little, little_number
from ..serial_line import (
    delay_advice, flag_names, heard, NoAnswerError, Question, SerialLine, Setting)
from ..serial_maintenance import SerialMaintenance
from ..serial_servos import SerialServos, TRIES
from ...errors import DriverError

_VOLTS, _FULL = 0.1, 1000.0

#: The secondary id of a servo that follows no other is greater.
_LAST_ID = 252

#: Ticks that a servo and its shadow may say they are apart, 5 degrees.
_APART = 57


class Block(NamedTuple):
    """
    Registers that are read together.

    What is read may be longer, ``first`` to ``last``: all of these are defined. A servo refuses to
    report registers that are not.
    """

    address: int
    length: int
    first: int
    last: int


class Model(NamedTuple):
    """What differs: the largest current [counts] and its unit [A]; without, it has a load."""

    name: str
    most_current: int = 0
    amperes: float = 0.0


#: Model numbers; MX servos with the firmware of protocol 2.0. Source: ROBOTIS, dynamixel.model
#: of dynamixel_hardware_interface; e-Manual, XH540-V150.
_MODELS = {
    30: Model('MX-28'), 311: Model('MX-64', 1941, 3.36e-3), 321: Model('MX-106', 2047, 3.36e-3),
    1060: Model('XL430-W250'), 1070: Model('XC430-W150'), 1080: Model('XC430-W240'),
    1090: Model('2XL430-W250'), 1160: Model('2XC430-W250'),
    1000: Model('XH430-W350', 648, 2.69e-3), 1010: Model('XH430-W210', 648, 2.69e-3),
    1040: Model('XH430-V350', 689, 1.34e-3), 1050: Model('XH430-V210', 689, 1.34e-3),
    1001: Model('XD430-T350', 648, 2.69e-3), 1011: Model('XD430-T210', 648, 2.69e-3),
    1020: Model('XM430-W350', 1193, 2.69e-3), 1030: Model('XM430-W210', 1193, 2.69e-3),
    1100: Model('XH540-W270', 2047, 2.69e-3), 1110: Model('XH540-W150', 2047, 2.69e-3),
    1101: Model('XD540-T270', 2047, 2.69e-3), 1111: Model('XD540-T150', 2047, 2.69e-3),
    1120: Model('XM540-W270', 2047, 2.69e-3), 1130: Model('XM540-W150', 2047, 2.69e-3),
    1140: Model('XH540-V270', 2047, 2.69e-3), 1150: Model('XH540-V150', 1188, 2.69e-3),
    1190: Model('XL330-M077', 1750, 1e-3), 1200: Model('XL330-M288', 1750, 1e-3),
    1210: Model('XC330-T181', 910, 1e-3), 1220: Model('XC330-T288', 910, 1e-3),
    1230: Model('XC330-M181', 2352, 1e-3), 1240: Model('XC330-M288', 2352, 1e-3)}

# Blocks in the EEPROM: model to secondary id, homing offset, limits.
IDENTITY, OFFSET, LIMITS = Block(0, 13, 0, 13), Block(20, 4, 20, 27), Block(44, 12, 44, 55)
CURRENT_LIMIT = Block(38, 2, 36, 39)

# Blocks that are lost with the power. The lengths show which one an answer is to.
ERRORS, TORQUE = Block(68, 3, 68, 70), Block(64, 2, 64, 65)
POSITION, HEALTH = Block(132, 4, 120, 146), Block(126, 21, 120, 146)

# Registers that are written.
WATCHDOG, GOAL_CURRENT, PROFILE, GOAL = 98, 102, 108, 116

#: Places in the block IDENTITY; and registers, as that begins at 0.
_MODEL, _ID, _BAUD, _RETURN_DELAY, _DRIVE_MODE, _MODE, _SECONDARY_ID = 0, 7, 8, 9, 10, 11, 12

#: Bits of the drive mode that do not fit.
_ODD_DRIVE_MODES = {0x04: 'a speed is a time', 0x08: 'a goal brings the torque'}

#: Operating modes: by position, within a turn and over several; and with a limited current.
_POSITION_MODE, TURNS_MODE, CURRENT_MODE = 3, 4, 5

#: How far a servo may be that counts turns.
_FARTHEST = 1048575

#: What the bits of the register of errors mean.
_FLAGS = {0x01: 'voltage', 0x04: 'overheat', 0x08: 'encoder', 0x10: 'electrical shock',
          0x20: 'overload'}


def _table(number):
    return _MODELS.get(number, Model(f'model {number}'))


class XFacts(Facts):
    """As :class:`~..backend.Facts`; ``table`` is the :class:`Model`."""

    table = property(lambda self: _table(self.number(_MODEL, 2)))
    drive_mode = property(lambda self: self.data[_DRIVE_MODE])
    mode = property(lambda self: self.data[_MODE])
    secondary_id = property(lambda self: self.data[_SECONDARY_ID])
    velocity_limit = property(lambda self: self.number(LIMITS.address, 4))
    current_limit = property(lambda self: self.number(CURRENT_LIMIT.address, 2))   # [counts]

    def number(self, address, size, signed=False):
        """Return what is in registers."""
        return little_number(self.data[address:address + size], signed)

    def turn(self, tick):
        """As in :class:`.Facts`: in position mode it counts within a turn, once it has torque."""
        if self.mode != _POSITION_MODE:
            return super().turn(tick)
        turned, sign = tick - self.offset, 1
        if self.drive_mode & 1:     # in the other direction
            turned, sign = 4096 - turned, -1
        return super().turn(tick) + sign * (turned // 4096) * 4096


class XLine(SerialLine):
    """As :class:`~arm_ik.bus.serial_line.SerialLine`."""

    position_block, torque_block, presence_block = POSITION, TORQUE, IDENTITY
    health_blocks = (HEALTH, TORQUE)
    torque_register, goal_register, id_register = TORQUE.address, GOAL, _ID
    settings = {'model': Setting(_MODEL, 2), 'return delay': Setting(_RETURN_DELAY),
                'drive mode': Setting(_DRIVE_MODE), 'mode': Setting(_MODE),
                'secondary id': Setting(_SECONDARY_ID), 'upper limit': Setting(48, 4),
                'lower limit': Setting(52, 4), 'baud': Setting(_BAUD)}
    goal_size, protocol = 4, protocol2

    @staticmethod
    def question(ids, block, turn=0):
        """See :class:`.SerialLine`; a :class:`Block`."""
        longest = block.last - block.first + 1
        size = block.length + turn % (longest - block.length + 1)
        start = max(block.first, min(block.address, block.last + 1 - size))
        skip = block.address - start
        return Question(protocol2.sync_read(ids, start, size), size + protocol2.OVERHEAD, size,
                        slice(skip, skip + block.length))

    @staticmethod
    def tick(data):
        """See :class:`.SerialLine`."""
        return little_number(data, signed=True)

    def ask_facts(self, servo_id):
        """See :class:`.SerialLine`; they are :class:`XFacts`."""
        eeprom = bytearray(LIMITS.address + LIMITS.length)
        for block in (IDENTITY, OFFSET, LIMITS):
            eeprom[block.address:block.address + block.length] = self.ask_one(servo_id, block).data
        most = _table(little_number(eeprom[:2])).most_current
        if most:
            limit = heard(self.ask_one, servo_id, CURRENT_LIMIT, tries=TRIES)
            eeprom[38:40] = limit.data if limit else little(most, 2)
        facts = XFacts(data=bytes(eeprom))
        upper, lower = (facts.number(LIMITS.address + at, 4, signed=True) for at in (4, 8)) \
            if facts.mode == _POSITION_MODE else (_FARTHEST, -_FARTHEST)
        is_known, delay = facts.table in _MODELS.values(), 2 * eeprom[_RETURN_DELAY]
        return facts._replace(
            model=facts.table.name, is_known=is_known, lower=lower, upper=upper,
            offset=facts.number(OFFSET.address, 4, signed=True), odd=tuple(_oddities(facts)),
            advice=delay_advice(delay, _RETURN_DELAY) if is_known else '',
            limit_registers='52 and 48', speed_unit=0.229 * 4096 / 60.0)    # 0.229 rev/min

    def health(self, servo_id):
        """See :class:`.SerialLine`."""
        status, torque, errors = self.ask_one(servo_id, HEALTH), self.holds(servo_id), None
        if status.error & protocol2.ALERT:
            errors = heard(self.ask_one, servo_id, ERRORS)
        load, facts = little_number(status.data[0:2], signed=True), self.known.get(servo_id)
        most = facts.table.most_current if facts else 0
        return Health(
            temperature_c=float(status.data[20]),
            voltage_v=_VOLTS * little_number(status.data[18:20]),
            current_a=load * facts.table.amperes if most else None, load=load / (most or _FULL),
            strain=abs(load) / (most and facts.current_limit or _FULL),
            torque=torque, flags=flag_names(_FLAGS, errors.data[-1] if errors else 0))

    def remedy(self, flags):
        """See :meth:`.SerialLine.remedy`."""
        return '; switch the power of the arm off and on'


def _oddities(facts):
    """Return in words what keeps a servo from being driven, whatever the servos file says."""
    if facts.table not in _MODELS.values():
        return [f'is of {facts.table.name}, whose registers are not known here; known are '
                f'{", ".join(model.name for model in _MODELS.values())}']
    words = [] if facts.mode in (_POSITION_MODE, TURNS_MODE, CURRENT_MODE) else [
        f'runs in mode {facts.mode} (register 11); needed is {_POSITION_MODE}, position']
    return words + [f'has drive mode {facts.drive_mode} (register 10), in which {what}; needed is '
                    f'{facts.drive_mode & 1}'
                    for bit, what in _ODD_DRIVE_MODES.items() if facts.drive_mode & bit]


def needed_mode(servo, table):
    """
    Return the operating mode a servo needs; ``None``: one of those by position.

    :param servo: the :class:`~arm_ik.drivers.servos_file.ServoJoint`.
    :param table: its :class:`Model`.
    """
    if servo.max_force and table.most_current:
        return CURRENT_MODE
    return None if 0 <= servo.ticks.first <= servo.ticks.last <= 4095 else TURNS_MODE


class XMaintenance(SerialMaintenance):
    """X servos without a servos file; see :class:`~.maintenance.Maintenance`."""

    name, holds_its_id = 'dynamixel', True
    family, line_kind = FAMILIES['dynamixel'], XLine
    baud_codes = {1000000: 3, 57600: 1, 115200: 2, 2000000: 4, 3000000: 5, 4000000: 6, 9600: 0}
    bauds = tuple(baud_codes)

    @classmethod
    def needed(cls, servo, now, main_id=None):
        """See :meth:`.SerialMaintenance.needed`."""
        mode = needed_mode(servo, _table(now['model'])) or (
            now['mode'] if now['mode'] in (TURNS_MODE, CURRENT_MODE) else _POSITION_MODE)
        drive_mode = now['drive mode'] & 1 if main_id is not None or servo.drive_mode is None \
            else servo.drive_mode
        return {**super().needed(servo, now), 'mode': mode, 'drive mode': drive_mode,
                'secondary id': 255 if main_id is None else main_id}

    def odd(self, facts, health):
        """Say what is unusual, each with what to do."""
        yield from super().odd(facts, health)
        if facts.is_known and facts.secondary_id <= _LAST_ID:
            yield f'follows id {facts.secondary_id} (register 12): it is a shadow of that'


#: The bus watchdog, in steps of 20 ms.
_WATCHDOG_TIME = 25

#: A servo that has not been heard for so long [s] may have stopped by its watchdog.
_SILENCE = 0.02 * _WATCHDOG_TIME / 2.0

#: How long a servo that is rebooted may take to be back [s].
_BOOT = 2.0


class XSeries(SerialServos):
    """One arm's X servos; as :class:`~arm_ik.bus.serial_servos.SerialServos`."""

    name, line_kind = 'dynamixel', XLine

    def close(self):
        """Give the port back, the watchdog off; as in :meth:`Backend.close`."""
        with suppress(DriverError):     # the port is missing, or was given back
            self.bus.write(WATCHDOG, dict.fromkeys(self._awake, b'\0'))
        super().close()

    def begin(self):
        """As in :class:`.SerialServos`."""
        self._heard = {}        # when each was last asked and has answered [s], by id
        self._awake = set()     # whose watchdog is set, and has not stopped them
        self._offsets = {}      # whole turns [ticks] between a servo's count and the file's, by id

    def complaints(self, servo, facts):
        """As in :class:`.SerialServos`."""
        yield from super().complaints(servo, facts)
        if not facts.is_known:
            return
        needed = needed_mode(servo, facts.table)
        if servo.max_force and not facts.table.most_current:
            yield (f'is a {facts.model} and has no limit of force: take max_force out of the '
                   'servos file')
        elif needed and facts.mode in {_POSITION_MODE, TURNS_MODE} - {needed}:
            yield f'runs in mode {facts.mode} (register 11); ' + (
                f'over the jump from 4095 to 0 needed is {needed}, position over several turns'
                if needed == TURNS_MODE else
                f'with max_force needed is {needed}, position with a limited current')
        if servo.drive_mode is not None and (facts.drive_mode ^ servo.drive_mode) & 1:
            yield (f'has drive mode {facts.drive_mode} (register 10); the servos file says '
                   f'{servo.drive_mode}: it turns in the other direction')

    def identify(self, servo_id):
        """As in :class:`.SerialServos`."""
        words = super().identify(servo_id)
        for shadow_id in self._drive[self._names[servo_id]].shadow_ids:
            shadow = heard(self.bus.facts, shadow_id)
            positions = self.bus.ticks([servo_id, shadow_id])
            if shadow is None or positions.lost:
                raise NoAnswerError(f'has a shadow (id {shadow_id}) that does not answer')
            facts, apart = self.bus.known[servo_id], abs(
                positions.found[shadow_id] - positions.found[servo_id])
            wrong = ' and '.join(what for is_so, what in (
                (shadow.secondary_id != servo_id, f'has the secondary id {shadow.secondary_id} '
                                                  f'(register 12); needed is {servo_id}'),
                ((shadow.model, shadow.mode) != (facts.model, facts.mode),
                 'is of another model, or runs in another mode'),
                ((shadow.drive_mode ^ facts.drive_mode) & ~1,
                 f'has drive mode {shadow.drive_mode} (register 10)'),
                (apart > _APART, f'is {apart} ticks away from it, and would press against it: its '
                                 'drive mode (register 10) or its homing offset (register 20) is '
                                 'wrong')) if is_so)
            if wrong:
                words.append(f'has a shadow (id {shadow_id}) that {wrong}')
        return words

    def _turns(self, servo_id, tick):
        """
        Return by how many ticks a servo that counts turns does so otherwise than the servos file.

        After its power has come it begins to count anew. A joint goes less than a turn: it is
        where that is nearest to the middle of its range.
        """
        facts, servo = self.bus.known.get(servo_id), self._drive[self._names[servo_id]]
        if not facts or facts.mode == _POSITION_MODE or abs(tick) > _FARTHEST:
            return 0
        middle = 0.5 * (servo.ticks.first + servo.ticks.last)
        return round((tick - middle) / 4096.0) * 4096

    def _is_reading(self, servo_id, tick):
        facts = self.bus.known.get(servo_id)
        return abs(tick) <= 2 * 4096 if facts and facts.mode != _POSITION_MODE \
            else super()._is_reading(servo_id, tick)

    def doubts(self, servo_id, tick):
        """As in :class:`.SerialServos`: which turn a servo is in, that counts them."""
        facts = self.bus.known.get(servo_id) if tick is not None else None
        at = self._drive[self._names[servo_id]].ticks
        if not facts or facts.mode == _POSITION_MODE \
                or max(at.first - tick, tick - at.last) <= (4096 - at.last + at.first) / 4.0:
            return []
        return [f'is at tick {tick}, far from its range of {at.first:g} to {at.last:g}: on which '
                'side is it? Move it there by hand']

    def _ask_positions(self, ids):
        asked = [(servo_id, each) for servo_id in ids for each in self._ids(self._names[servo_id])]
        answers, lost = self.bus.ticks([each for _, each in asked]), {}
        for servo_id, each in asked:
            if each in answers.lost:
                of_shadow = f' of its shadow (id {each})' if each != servo_id else ''
                lost.setdefault(servo_id, f'{answers.lost[each]}{of_shadow}')
        answers.lost = lost     # in the order in which they answer
        answers.found = {each: answers.found[each] for each in ids if each not in lost}
        for servo_id, tick in answers.found.items():
            self._offsets[servo_id] = self._turns(servo_id, tick)
            answers.found[servo_id] = tick - self._offsets[servo_id]
            if answers.asked - self._heard.get(servo_id, answers.asked) > _SILENCE:
                self._awake.discard(servo_id)
            self._heard[servo_id] = answers.asked
        return answers

    def _send_goals(self, ticks):
        goals = {servo_id: tick for servo_id, tick in ticks.items() if servo_id in self._awake}
        # The others go on from where they are, and not before that is known.
        asleep = {servo_id: self._servos[servo_id].tick for servo_id in ticks
                  if servo_id not in self._awake and self._servos[servo_id].tick is not None}
        self.bus.write(WATCHDOG, dict.fromkeys(asleep, b'\0'))
        self._write_limits(asleep)
        self.bus.send_goals({each: self._inside(each, tick) + self._offsets.get(each, 0)
                             for each, tick in {**goals, **asleep}.items()})
        self.bus.write(WATCHDOG, dict.fromkeys(asleep, bytes((_WATCHDOG_TIME,))))
        self._awake.update(asleep)

    def _remedy(self, servo_id, flags):
        ids = self._ids(self._names[servo_id])
        if any(heard(self._ask_torque, each) is not False for each in ids):
            return '; only a reboot makes it forget that, and its joint would fall: switch its ' \
                   'torque off before'
        for each in ids:
            self.bus.send(protocol2.reboot(each))
            self._awake.discard(each)
        end = time.monotonic() + _BOOT
        while time.monotonic() < end and None in (heard(self._ask_torque, each) for each in ids):
            pass
        health = heard(self._ask_health, servo_id)
        return '; still so after a reboot' if health and health.flags else None

    def limits(self, name, facts):
        """As in :class:`.SerialServos`."""
        yield PROFILE, bytes(4) + little(
            min(ceil(self._speed(name, facts.speed_unit)), facts.velocity_limit), 4)
        servo, full = self._drive[name], facts.table.most_current
        if servo.max_force is not None:
            limit = facts.current_limit
            reason = f'current limit (register 38) is {100 * limit / full:.0f} %'
            yield GOAL_CURRENT, little(self._force(name, full, limit, reason), 2)
