# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Feetech's STS and SMS servos.

*Sync read* asks servos for a block of registers, and each answers in turn: so all positions are
read by one request, and with each whether its servo holds. *Sync write*
(:func:`arm_ik.bus.frames.sync_write`) gives each servo a block of its own, and none answers:
so all set-points are written. A block is its first register and how many; after a lost answer it
is read with more registers behind it.

A goal that is not where the servo is switches its torque on. Source of that: measurements of
others on an STS3215 (firmware 3.10, jakegibs617/robotic-arm-paint) and on the STS servos of a
myCobot 280 (firmware 3.9, mycobot-280-lab), both of 2026. Of all else: Feetech's protocol manual
and memory table of the SMS/STS series.
"""

from math import ceil, inf

from . import frames
from .backend import Facts, Health
from .families import FAMILIES
from .frames import BROADCAST, frame, little, signed, word
from .serial_line import delay_advice, flag_names, Question, SerialLine, Setting
from .serial_maintenance import SerialMaintenance
from .serial_servos import TorqueByGoal

_SYNC_READ = 0x82

# Registers in the EEPROM.
MAJOR_MODEL, MODEL, ID, BAUD, RETURN_DELAY, LOWER_LIMIT, UPPER_LIMIT = 3, 3, 5, 6, 7, 9, 11
MOST_HEAT, MOST_VOLTAGE, LEAST_VOLTAGE = 13, 14, 15
PHASE, P_GAIN, PROTECTION_CURRENT, RESOLUTION, HOMING_OFFSET, MODE = 18, 21, 28, 30, 31, 33
OVERLOAD_TORQUE, EEPROM_END = 36, 40
# Registers that are lost with the power; the speed is after GOAL_TIME.
TORQUE, GOAL, GOAL_TIME, TORQUE_LIMIT, LOCK, POSITION, LOAD = 40, 42, 44, 48, 55, 56, 60
VOLTAGE, TEMPERATURE, STATUS, CURRENT, TABLE_END = 62, 63, 65, 69, 71

#: Bits of PHASE.
FINE_SPEED, _MANY_TURNS = 0x04, 0x10

#: Which bit of a register is the sign; the others are the magnitude.
_POSITION_SIGN, _LOAD_SIGN, _OFFSET_SIGN = 15, 10, 11

#: What the bits of the error byte and of STATUS mean.
_FLAGS = {0x01: 'voltage', 0x02: 'encoder', 0x04: 'overheat', 0x08: 'overcurrent',
          0x20: 'overload'}

#: Model numbers; their low byte is the family.
_MODELS = {777: 'STS3215', 2057: 'STS3235', 2825: 'STS3250', 11272: 'SM8512BL', 1284: 'SCS0009'}

_SCS_FAMILY = 5

#: The P gain that servos come with.
_GAIN = 32

_AMPERES, _VOLTS, FULL_LOAD = 6.5e-3, 0.1, 1000.0

#: Ticks per second in one step of a servo's coarse unit of speed, 0.732 revolutions per minute.
_COARSE_SPEED = 50.0


class FeetechLine(SerialLine):
    """As :class:`~arm_ik.bus.serial_line.SerialLine`."""

    # With a position comes whether its servo holds.
    position_block, torque_block = (TORQUE, POSITION + 2 - TORQUE), (TORQUE, 1)
    health_blocks, presence_block = ((TORQUE, TABLE_END - TORQUE),), (ID, 1)
    torque_register, goal_register, id_register = TORQUE, GOAL, ID
    settings = {'return delay': Setting(RETURN_DELAY), 'phase': Setting(PHASE),
                'resolution': Setting(RESOLUTION), 'mode': Setting(MODE),
                'lower limit': Setting(LOWER_LIMIT, 2), 'upper limit': Setting(UPPER_LIMIT, 2),
                'P gain': Setting(P_GAIN), 'baud': Setting(BAUD),
                'homing offset': Setting(HOMING_OFFSET, 2, _OFFSET_SIGN)}

    @staticmethod
    def question(ids, block, turn=0):
        """See :class:`.SerialLine`."""
        address, length = block
        size = length + turn
        return Question(frame(BROADCAST, _SYNC_READ, bytes((address, size, *ids))),
                        size + frames.OVERHEAD, size, slice(length))

    @staticmethod
    def tick(data):
        """See :class:`.SerialLine`."""
        return signed(word(data, POSITION - TORQUE), _POSITION_SIGN)

    def ask_facts(self, servo_id):
        """See :class:`.SerialLine`; ``data`` is the whole EEPROM."""
        eeprom = self.ask_one(servo_id, (0, EEPROM_END)).data
        number, is_scs = word(eeprom, MODEL), eeprom[MAJOR_MODEL] == _SCS_FAMILY
        model, gain = _MODELS.get(number, f'model {number}'), eeprom[P_GAIN]
        odd = [words for is_so, words in (
            (eeprom[MODE],
             f'runs in mode {eeprom[MODE]}; needed is 0, position (register {MODE})'),
            (eeprom[PHASE] & _MANY_TURNS,
             'counts turns, so that positions overflow; clear bit 4 of its phase (register '
             f'{PHASE}, now {eeprom[PHASE]}): arm_ik servos set does it'),
            (eeprom[RESOLUTION] > 1, f'counts in steps of {eeprom[RESOLUTION]} ticks; needed is 1 '
                                     f'(register {RESOLUTION})'),
            (not gain, f'has a P gain of 0 (register {P_GAIN}; the maker has {_GAIN}): it cannot '
                       'hold; arm_ik servos set gives it one')) if is_so]
        if is_scs:
            odd = [f'is an SCS servo ({model}); only STS and SMS servos can be driven']
        advice = [delay_advice(2 * eeprom[RETURN_DELAY], RETURN_DELAY)]
        if not is_scs and 0 < gain < _GAIN:
            advice.append(f'has a P gain of {gain} (register {P_GAIN}; the maker has {_GAIN}), '
                          f'and sags {_GAIN / gain:.2g} times as far under a load: see trim')
        return Facts(
            model, word(eeprom, LOWER_LIMIT), word(eeprom, UPPER_LIMIT),
            signed(word(eeprom, HOMING_OFFSET), _OFFSET_SIGN), tuple(odd),
            '; '.join(filter(None, advice)), not is_scs, eeprom, f'{eeprom[0]}.{eeprom[1]}',
            '9 and 11', 1.0 if eeprom[PHASE] & FINE_SPEED else _COARSE_SPEED)

    def weakness(self, servo_id, is_limited=False):
        """See :meth:`.SerialLine.weakness`."""
        at, facts = bytes(TORQUE) + self.ask_one(
            servo_id, self.health_blocks[0]).data, self.known[servo_id]
        least, volts, most = (_VOLTS * each for each in (
            facts.data[LEAST_VOLTAGE], at[VOLTAGE], facts.data[MOST_VOLTAGE]))
        if facts.is_known and not least <= volts <= most:
            yield (f'measures {volts:.1f} V, its limits are {least:.1f} to {most:.1f} V '
                   f'(registers {LEAST_VOLTAGE} and {MOST_VOLTAGE}): ') + (
                       'a 7.4 V servo breaks on 12 V; take the supply that is printed on it'
                       if volts > most else 'the supply is too weak, or a wrong one')
        if facts.is_known and not is_limited and not word(at, TORQUE_LIMIT):
            yield (f'has a torque limit of 0 (register {TORQUE_LIMIT}): it cannot hold; switch '
                   'its power off and on')

    def health(self, servo_id):
        """See :class:`.SerialLine`."""
        status = self.ask_one(servo_id, self.health_blocks[0])
        at = bytes(TORQUE) + status.data
        load = signed(word(at, LOAD), _LOAD_SIGN)
        current = signed(word(at, CURRENT), _POSITION_SIGN)
        eeprom = self.known[servo_id].data if servo_id in self.known else bytes(EEPROM_END)
        most_load, most_heat = 10.0 * eeprom[OVERLOAD_TORQUE] or inf, eeprom[MOST_HEAT] or inf
        most_current = word(eeprom, PROTECTION_CURRENT) or inf
        return Health(
            temperature_c=float(at[TEMPERATURE]), voltage_v=_VOLTS * at[VOLTAGE],
            current_a=_AMPERES * current, load=load / FULL_LOAD, torque=self.is_held(status.data),
            strain=max(abs(load) / most_load, abs(current) / most_current,
                       at[TEMPERATURE] / most_heat),
            flags=flag_names(_FLAGS, status.error | at[STATUS]))

    def is_called(self, model, found):
        """See :meth:`.SerialLine.is_called`; models that are not known here pass."""
        return model.upper() == found or model.upper() not in _MODELS.values()

    def remedy(self, flags):
        """See :meth:`.SerialLine.remedy`."""
        # What was too hot or the wrong voltage, a servo takes back by itself.
        return '; switch the power of the arm off and on' if 'overload' in flags else ''


class FeetechMaintenance(SerialMaintenance):
    """STS and SMS servos without a servos file; see :class:`~.maintenance.Maintenance`."""

    name, family, line_kind = 'feetech', FAMILIES['feetech'], FeetechLine
    # Those of register 6, but what servos come with first.
    baud_codes = {1000000: 0, 57600: 6, 115200: 4, 500000: 1, 250000: 2, 128000: 3, 76800: 5,
                  38400: 7}
    bauds = tuple(baud_codes)

    def set_id(self, servo_id, new_id):
        """See :meth:`.SerialMaintenance.set_id`."""
        self._set_lock(servo_id, 0, 'does not unlock its EEPROM')
        self._line.send_id(servo_id, new_id)
        try:
            self._set_lock(new_id, 1, 'does not answer after its id was written, or does not '
                                      'lock its EEPROM')
        finally:
            self._line.write(LOCK, {servo_id: b'\x01'})    # if it did not take the id

    @classmethod
    def needed(cls, servo, now, main_id=None):
        """See :meth:`.SerialMaintenance.needed`."""
        return {**super().needed(servo, now), 'mode': 0, 'resolution': 1,
                'phase': now['phase'] & ~_MANY_TURNS, 'P gain': now['P gain'] or _GAIN}

    def write_settings(self, servo_id, values):
        """See :meth:`.SerialMaintenance.write_settings`."""
        self._tune(self.baud)
        try:
            self._set_lock(servo_id, 0, 'does not unlock its EEPROM')
            super().write_settings(servo_id, values)
            self._set_lock(servo_id, 1, 'does not lock its EEPROM')
        finally:    # the goal stays as it was: a new one may bring torque
            self._line.write(LOCK, {servo_id: b'\x01'})

    def _set_lock(self, servo_id, value, otherwise):
        """Lock the EEPROM or unlock it, and read that back."""
        self._until([servo_id], lambda: self._line.write(LOCK, {servo_id: bytes((value,))}),
                    lambda _: self._line.ask_one(servo_id, (LOCK, 1)).data[0] == value, otherwise)

    def tick_of(self, servo_id):
        """Return where one servo is, ``None`` if it does not say."""
        tick = super().tick_of(servo_id)
        return tick if tick is not None and 0 <= tick <= self.family.last_tick else None


class Feetech(TorqueByGoal):
    """One arm's STS or SMS servos; as :class:`~arm_ik.bus.serial_servos.SerialServos`."""

    name, line_kind = 'feetech', FeetechLine

    def limits(self, name, facts):
        """As in :class:`.SerialServos`."""
        yield GOAL_TIME, bytes(2) + little(min(ceil(self._speed(name, facts.speed_unit)), 0x7FFF))
        overload = facts.data[OVERLOAD_TORQUE]
        if self._drive[name].max_force is not None:
            yield TORQUE_LIMIT, little(self._force(
                name, int(FULL_LOAD), 10 * (overload - 1) if overload else int(FULL_LOAD),
                f'overload torque (register 36) is {overload} %'))
