# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
STS and SMS servos without a servos file: looked for, moved, given another id.

All servos answer a ping, together, so that only bytes come: somebody is there. One servo is asked
for one register first, which is quick where nobody answers. Two servos with one id give the same
answer then, and clash as soon as each is asked where it stands.
"""

import time

from . import identity, protocol
from .transactions import Transactions
from ..frames import signed, two_bytes, word
from ..maintenance import FoundServo, Maintenance
from ..serial_port import SerialPort
from ...errors import DriverError

#: Tries before a servo is said not to answer, or not to obey.
_TRIES = 5

#: Pings, each with twice the patience of the one before.
_PINGS = 3

#: So long answers may take at least [s]: nothing is in a hurry here, and the machine may be busy.
_PATIENCE = 0.01

_VOLTS = 0.1

_LAST_TICK = 4095


class FeetechMaintenance(Maintenance):
    """STS and SMS servos on a serial port; see :class:`Maintenance`."""

    name = 'feetech'
    # The order of register 6, but what servos come with first.
    bauds = (1000000, 57600, 115200, 500000, 250000, 128000, 76800, 38400)

    def __init__(self, port, baud=None, patience=None, **_):
        self.baud = baud or self.bauds[0]
        self._port = SerialPort(self.name, port, self.baud)
        self._patience = max(self._port.latency, patience or _PATIENCE)
        self._line = Transactions(self._port, self._patience)

    def is_anybody_there(self):
        """See :meth:`Maintenance.is_anybody_there`."""
        request = protocol.ping()
        for attempt in range(_PINGS):
            received = bytearray()
            self._port.discard()
            self._port.write(request)
            deadline = time.monotonic() + 2.0 ** (attempt + 1) * self._patience
            while time.monotonic() < deadline:
                received += self._port.read(deadline)
                if received.startswith(request):    # the adapter's echo
                    del received[:len(request)]
            if received:
                return True
        return False

    def find(self, servo_id):
        """See :meth:`Maintenance.find`."""
        status, reason = self._ask(servo_id, protocol.ID, 1, 2)
        if status is None and reason == 'no answer':
            return None
        status, _ = self._ask(servo_id, 0, protocol.TABLE_END)
        if status is None:
            return FoundServo(servo_id, odd=(
                'answers, but garbled: two servos with this id, or a bad cable. Connect one '
                'servo alone',))
        return _found(servo_id, status)

    def read(self, ids):
        """See :meth:`Maintenance.read`."""
        ticks = {}
        for servo_id in ids:    # one that is gone would silence those after it
            status, _ = self._ask(servo_id, protocol.POSITION, 2)
            tick = signed(word(status.data), protocol.POSITION_SIGN) if status else -1
            if 0 <= tick <= _LAST_TICK:
                ticks[servo_id] = tick
        return ticks

    def write(self, ticks):
        """See :meth:`Maintenance.write`."""
        self._line.write(protocol.GOAL, {servo_id: two_bytes(min(max(round(tick), 0), _LAST_TICK))
                                         for servo_id, tick in ticks.items()})

    def set_torque(self, on, ids):
        """See :meth:`Maintenance.set_torque`."""
        ids = list(ids)
        if on:
            ticks = self.read(ids)
            self._require(ids, ticks, 'does not answer')
            self.write(ticks)
        self._set(ids, protocol.TORQUE, int(on), f'no torque {"on" if on else "off"}')

    def set_id(self, servo_id, new_id):
        """See :meth:`Maintenance.set_id`."""
        self._set([servo_id], protocol.LOCK, 0, 'does not unlock its EEPROM')
        self._line.write(protocol.ID, {servo_id: bytes((new_id,))})
        try:
            self._set([new_id], protocol.LOCK, 1, 'does not answer after its id was written, or '
                                                  'does not lock its EEPROM')
        except DriverError:
            self._line.write(protocol.LOCK, {servo_id: b'\x01'})    # if it did not take the id
            raise

    def close(self):
        """See :meth:`Maintenance.close`."""
        self._line.close()

    def _ask(self, servo_id, address, length, tries=_TRIES):
        """Return one servo's answer or ``None``, and the reason."""
        for _ in range(tries):
            answers = self._line.read([servo_id], address, length)
            if servo_id in answers.found:
                return answers.found[servo_id], ''
        return None, answers.lost[servo_id]

    def _set(self, ids, address, value, otherwise):
        """Write a register of one byte, and read it back."""
        for _ in range(_TRIES):
            self._line.write(address, dict.fromkeys(ids, bytes((value,))))
            answers = {servo_id: self._ask(servo_id, address, 1)[0] for servo_id in ids}
            obeying = [servo_id for servo_id, status in answers.items()
                       if status and status.data[0] == value]
            if len(obeying) == len(ids):
                return
        self._require(ids, obeying, otherwise)

    def _require(self, ids, answering, otherwise):
        silent = [str(servo_id) for servo_id in ids if servo_id not in answering]
        if silent:
            raise DriverError(self.name, f'id {", ".join(silent)}: {otherwise}')


def _found(servo_id, status):
    data = status.data
    tick = signed(word(data, protocol.POSITION), protocol.POSITION_SIGN)
    return FoundServo(
        servo_id, identity.model_name(data), tick,
        voltage_v=_VOLTS * data[protocol.VOLTAGE],
        temperature_c=float(data[protocol.TEMPERATURE]),
        torque=data[protocol.TORQUE] == 1,
        homing_offset=signed(word(data, protocol.HOMING_OFFSET), protocol.OFFSET_SIGN),
        lower_tick=word(data, protocol.LOWER_LIMIT), upper_tick=word(data, protocol.UPPER_LIMIT),
        odd=tuple(_odd(status)))


def _odd(status):
    words = identity.oddities(status.data)
    advice = identity.advice(status.data)
    flags = protocol.flags(status.error | status.data[protocol.STATUS])
    if flags:
        words.append(f'complains of {" and ".join(flags)}' + (
            '; switch the power of the arm off and on' if 'overload' in flags else ''))
    return [*words, advice] if advice else words
