# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Maintenance of Dynamixel servos, of both protocols.

Without a protocol given both are tried, 2.0 first; what answers is spoken to from then on.
"""

from . import ax_table, protocol2, x_table
from .protocol2 import little, little_number
from .transactions1 import Transactions1
from .transactions2 import Transactions2
from .. import frames
from ..frames import two_bytes, word
from ..maintenance import FoundServo
from ..serial_maintenance import SerialMaintenance

_VOLTS = 0.1

#: Secondary ids from this on are none.
_NO_SHADOW = 253


class DynamixelMaintenance(SerialMaintenance):
    """X and AX servos on a serial port; see :class:`Maintenance`."""

    name = 'dynamixel'
    bauds = (1000000, 57600, 115200, 2000000, 3000000, 4000000, 9600)

    def __init__(self, port, baud=None, patience=None, protocol=None, **_):
        self._kinds = {2: (_X,), 1: (_Ax,)}.get(protocol, (_X, _Ax))
        super().__init__(port, baud, patience)

    def is_anybody_there(self):
        """See :meth:`Maintenance.is_anybody_there`."""
        for kind in self._kinds:
            self._speak(kind)
            if super().is_anybody_there():
                self._kinds = (kind,)
                return True
        return False

    def find(self, servo_id):
        """See :meth:`Maintenance.find`."""
        for kind in self._kinds:
            self._speak(kind)
            found = super().find(servo_id)
            if found is not None:
                self._kinds = (kind,)
                return found
        return None

    def set_id(self, servo_id, new_id):
        """See :meth:`Maintenance.set_id`."""
        # The EEPROM of an X servo is locked while it holds.
        self.set_torque(False, [servo_id])
        self._obey([new_id], lambda: self._dialect.write_id(servo_id, new_id),
                   self._dialect.ask_id, new_id, 'does not answer after its id was written')

    def _start(self, port, patience):
        self._lines = {_X: Transactions2(port, patience), _Ax: Transactions1(port, patience)}
        self._speak(self._kinds[0])
        return self._dialect.line

    def _speak(self, kind):
        self._dialect = kind(self._lines[kind])
        self.turn, self.last_tick = kind.turn, kind.last_tick

    def _ping(self):
        return self._dialect.ping()

    def _ask_torque(self, servo_id):
        return self._dialect.ask_torque(servo_id)

    def _ask_all(self, servo_id):
        return self._dialect.ask_all(servo_id)

    def _ask_tick(self, servo_id):
        return self._dialect.ask_tick(servo_id)

    def _send_goals(self, ticks):
        self._dialect.send_goals(ticks)

    def _send_torque(self, ids, on):
        self._dialect.send_torque(ids, on)


class _X:
    """How X servos are asked and told; each question once, an answer or ``None`` and why."""

    turn, last_tick = 4096.0, 4095

    def __init__(self, line):
        self.line = line

    def ping(self):
        return protocol2.ping()

    def ask_torque(self, servo_id):
        status, reason = self.line.ask_one(servo_id, x_table.TORQUE)
        return (None if status is None else bool(status.data[0])), reason

    def ask_tick(self, servo_id):
        status, reason = self.line.ask_one(servo_id, x_table.POSITION)
        return (None if status is None else little_number(status.data, signed=True)), reason

    def ask_id(self, servo_id):
        status, reason = self.line.ask_one(servo_id, x_table.IDENTITY)
        return (None if status is None else status.data[x_table.ID]), reason

    def ask_all(self, servo_id):
        facts, reason = self.line.facts(servo_id)
        if facts is None:
            return None, reason
        words = x_table.oddities(facts)
        if facts.model is None:
            return FoundServo(servo_id, f'model {facts.number}', odd=tuple(words)), ''
        answers = [self.line.ask_one(servo_id, block) for block in (
            x_table.HEALTH, x_table.POSITION, x_table.TORQUE, x_table.ERRORS)]
        if any(status is None for status, _ in answers):
            return None, next(reason for status, reason in answers if status is None)
        health, position, torque, errors = (status.data for status, _ in answers)
        if facts.secondary_id < _NO_SHADOW:
            words.append(f'follows the servo with id {facts.secondary_id} as its shadow; if it '
                         'should not, write 255 to register 12')
        flags = x_table.flags(errors[-1])
        if flags:
            words.append(f'complains of {" and ".join(flags)}; only a reboot makes it forget '
                         'that: switch the power of the arm off and on')
        words += filter(None, [x_table.advice(facts)])
        return FoundServo(
            servo_id, facts.model.name, little_number(position, signed=True),
            voltage_v=_VOLTS * little_number(health[18:20]), temperature_c=float(health[20]),
            torque=bool(torque[0]), homing_offset=facts.offset, lower_tick=facts.lower,
            upper_tick=facts.upper, odd=tuple(words)), ''

    def send_goals(self, ticks):
        # One that its watchdog has stopped takes no goals.
        self.line.write(x_table.WATCHDOG, dict.fromkeys(ticks, b'\0'))
        self.line.write(x_table.GOAL, {servo_id: little(tick, 4)
                                       for servo_id, tick in ticks.items()})

    def send_torque(self, ids, on):
        self.line.write(x_table.TORQUE.address, dict.fromkeys(ids, bytes((int(on),))))

    def write_id(self, servo_id, new_id):
        self.line.write(x_table.ID, {servo_id: bytes((new_id,))})


class _Ax:
    """How AX servos are asked and told; as :class:`_X`."""

    turn, last_tick = 1023 * 1.2, 1023

    def __init__(self, line):
        self.line = line

    def ping(self):
        return frames.frame(frames.BROADCAST, ax_table.PING)

    def ask_torque(self, servo_id):
        status, reason = self.line.ask_one(servo_id, ax_table.STATE)
        return (None if status is None else bool(status.data[0])), reason

    def ask_tick(self, servo_id):
        status, reason = self.line.ask_one(servo_id, ax_table.STATE)
        return (None if status is None else word(
            status.data, ax_table.POSITION - ax_table.TORQUE)), reason

    def ask_id(self, servo_id):
        status, reason = self.line.ask_one(servo_id, ax_table.IDENTITY)
        return (None if status is None else status.data[ax_table.ID]), reason

    def ask_all(self, servo_id):
        identity, reason = self.line.ask_one(servo_id, ax_table.IDENTITY)
        state, late = self.line.ask_one(servo_id, ax_table.STATE)
        if identity is None or state is None:
            return None, reason or late
        words = ax_table.oddities(identity.data)
        flags = ax_table.flags(state.error)
        if flags:
            words.append(f'complains of {" and ".join(flags)}; switch the power of the arm off '
                         'and on')
        words += filter(None, [ax_table.advice(identity.data)])
        lower, upper = ax_table.limits(identity.data)
        at = {address: state.data[address - ax_table.TORQUE]
              for address in (ax_table.VOLTAGE, ax_table.TEMPERATURE, ax_table.TORQUE)}
        return FoundServo(
            servo_id, ax_table.model_name(identity.data),
            word(state.data, ax_table.POSITION - ax_table.TORQUE),
            voltage_v=_VOLTS * at[ax_table.VOLTAGE],
            temperature_c=float(at[ax_table.TEMPERATURE]), torque=bool(at[ax_table.TORQUE]),
            lower_tick=lower, upper_tick=upper, odd=tuple(words)), ''

    def send_goals(self, ticks):
        self.line.write(ax_table.GOAL, {servo_id: two_bytes(tick)
                                        for servo_id, tick in ticks.items()})

    def send_torque(self, ids, on):
        self.line.write(ax_table.TORQUE, dict.fromkeys(ids, bytes((int(on),))))

    def write_id(self, servo_id, new_id):
        self.line.write(ax_table.ID, {servo_id: bytes((new_id,))})
