# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""STS and SMS servos without a servos file: looked for, moved, given another id."""

from . import identity, protocol
from .transactions import Transactions
from ..frames import signed, two_bytes, word
from ..maintenance import FoundServo
from ..serial_maintenance import SerialMaintenance
from ...errors import DriverError

_VOLTS = 0.1


class FeetechMaintenance(SerialMaintenance):
    """STS and SMS servos on a serial port; see :class:`~.maintenance.Maintenance`."""

    name = 'feetech'
    # Those of register 6, but what servos come with first.
    bauds = (1000000, 57600, 115200, 500000, 250000, 128000, 76800, 38400)

    def write(self, ticks):
        """See :meth:`~.maintenance.Maintenance.write`."""
        self._line.write(protocol.GOAL, {
            servo_id: two_bytes(min(max(round(tick), 0), self.last_tick))
            for servo_id, tick in ticks.items()})

    def set_id(self, servo_id, new_id):
        """See :meth:`~.maintenance.Maintenance.set_id`."""
        self._set([servo_id], protocol.LOCK, 0, 'does not unlock its EEPROM')
        self._line.write(protocol.ID, {servo_id: bytes((new_id,))})
        try:
            self._set([new_id], protocol.LOCK, 1, 'does not answer after its id was written, or '
                                                  'does not lock its EEPROM')
        except DriverError:
            self._line.write(protocol.LOCK, {servo_id: b'\x01'})    # if it did not take the id
            raise

    def _start(self, port, patience):
        return Transactions(port, patience), protocol.ping()

    def _look(self, servo_id):
        return self._line.read([servo_id], protocol.ID, 1)

    def _describe(self, servo_id):
        status = self._ask(servo_id, 0, protocol.TABLE_END)
        if status is None:
            return None
        data = status.data
        return FoundServo(
            servo_id, identity.model_name(data),
            signed(word(data, protocol.POSITION), protocol.POSITION_SIGN),
            voltage_v=_VOLTS * data[protocol.VOLTAGE],
            temperature_c=float(data[protocol.TEMPERATURE]),
            torque=data[protocol.TORQUE] == 1,
            homing_offset=signed(word(data, protocol.HOMING_OFFSET), protocol.OFFSET_SIGN),
            lower_tick=word(data, protocol.LOWER_LIMIT),
            upper_tick=word(data, protocol.UPPER_LIMIT), odd=tuple(_odd(status)))

    def _tick(self, servo_id):
        status = self._ask(servo_id, protocol.POSITION, 2)
        tick = signed(word(status.data), protocol.POSITION_SIGN) if status else -1
        return tick if 0 <= tick <= self.last_tick else None

    def _switch(self, ids, on):
        self._set(ids, protocol.TORQUE, int(on), f'no torque {"on" if on else "off"}')

    def _set(self, ids, address, value, otherwise):
        """Write a register of one byte, and read it back."""
        def obeys(servo_id):
            status = self._ask(servo_id, address, 1)
            return status and status.data[0] == value

        self._until(ids, lambda: self._line.write(address, dict.fromkeys(ids, bytes((value,)))),
                    obeys, otherwise)


def _odd(status):
    words = identity.oddities(status.data)
    advice = identity.advice(status.data)
    flags = protocol.flags(status.error | status.data[protocol.STATUS])
    if flags:
        words.append(f'complains of {" and ".join(flags)}' + (
            '; switch the power of the arm off and on' if 'overload' in flags else ''))
    return [*words, advice] if advice else words
