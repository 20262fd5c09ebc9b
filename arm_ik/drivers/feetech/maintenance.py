# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Maintenance of STS and SMS servos."""

from . import identity, protocol
from .transactions import Transactions
from ..frames import signed, two_bytes, word
from ..maintenance import FoundServo
from ..serial_maintenance import SerialMaintenance
from ...errors import DriverError

_VOLTS = 0.1


class FeetechMaintenance(SerialMaintenance):
    """STS and SMS servos on a serial port; see :class:`Maintenance`."""

    name = 'feetech'
    # The order of register 6, but what servos come with first.
    bauds = (1000000, 57600, 115200, 500000, 250000, 128000, 76800, 38400)

    def set_id(self, servo_id, new_id):
        """See :meth:`Maintenance.set_id`."""
        self._lock(servo_id, False, 'does not unlock its EEPROM')
        self._line.write(protocol.ID, {servo_id: bytes((new_id,))})
        try:
            self._lock(new_id, True, 'does not answer after its id was written, or does not lock '
                                     'its EEPROM')
        except DriverError:
            self._line.write(protocol.LOCK, {servo_id: b'\x01'})    # if it did not take the id
            raise

    def _start(self, port, patience):
        return Transactions(port, patience)

    def _ping(self):
        return protocol.ping()

    def _ask_torque(self, servo_id):
        status, reason = self._ask(servo_id, protocol.TORQUE, 1)
        return (None if status is None else status.data[0] == 1), reason

    def _ask_all(self, servo_id):
        status, reason = self._ask(servo_id, 0, protocol.TABLE_END)
        return (None if status is None else _found(servo_id, status)), reason

    def _ask_tick(self, servo_id):
        status, reason = self._ask(servo_id, protocol.POSITION, 2)
        return (None if status is None else signed(word(status.data), protocol.POSITION_SIGN)), \
            reason

    def _send_goals(self, ticks):
        self._line.write(protocol.GOAL, {servo_id: two_bytes(tick)
                                         for servo_id, tick in ticks.items()})

    def _send_torque(self, ids, on):
        self._line.write(protocol.TORQUE, dict.fromkeys(ids, bytes((int(on),))))

    def _lock(self, servo_id, on, otherwise):
        def locked(servo_id):
            status, reason = self._ask(servo_id, protocol.LOCK, 1)
            return (None if status is None else bool(status.data[0])), reason

        self._obey([servo_id], lambda: self._line.write(
            protocol.LOCK, {servo_id: bytes((int(on),))}), locked, on, otherwise)

    def _ask(self, servo_id, address, length):
        """Return one servo's answer or ``None``, and the reason."""
        answers = self._line.read([servo_id], address, length)
        return answers.found.get(servo_id), answers.lost.get(servo_id, '')


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
