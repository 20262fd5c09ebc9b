# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The back end for Feetech's STS and SMS servos.

All positions are read by one request, and with each whether its servo holds; all set-points are
written by one. A goal that is not where the servo is switches its torque on.

Source of that: measurements of others on an STS3215 (firmware 3.10, jakegibs617/robotic-arm-paint)
and on the STS servos of a myCobot 280 (firmware 3.9, mycobot-280-lab), both of 2026.
"""

from math import ceil

from . import identity, protocol
from .transactions import read_duration, Transactions
from ..backend import Health
from ..frames import signed, two_bytes, word, write_duration
from ..serial_servos import SPEED_MARGIN
from ..torque_by_goal import TorqueByGoal

#: Ticks per second in one step of a servo's coarse unit of speed, 0.732 revolutions per minute.
_COARSE_SPEED = 50.0

_AMPERES, _VOLTS, _FULL_LOAD = 6.5e-3, 0.1, 1000.0

#: Registers that tell where a servo is, from torque to position, and its health, to current.
_STATE = range(protocol.TORQUE, protocol.POSITION + 2)
_HEALTH = range(protocol.TORQUE, protocol.TABLE_END)


class Feetech(TorqueByGoal):
    """One arm's STS or SMS servos; as :class:`~arm_ik.drivers.serial_servos.SerialServos`."""

    name = 'feetech'
    torque_register, goal_register = protocol.TORQUE, protocol.GOAL

    @property
    def cycle_time(self):
        """What reading, writing and one health reading take on the wire [s]."""
        count, baud = len(self._drive), self._file.baud
        return (read_duration(count, len(_STATE), baud) + write_duration(count, 2, baud)
                + read_duration(1, len(_HEALTH), baud))

    def _start(self, port):
        self._eeproms = {}     # by id
        return Transactions(port, self._file.patience, self.clock)

    def _identify(self, servo_id):
        status, reason = self._ask_one(servo_id, 0, protocol.EEPROM_END)
        if status is None:
            return None, reason
        name = self._names[servo_id]
        self._eeproms[servo_id] = status.data
        self._note(name, identity.advice(status.data))
        return identity.complaints(self._drive[name], status.data), ''

    def _ask_positions(self, ids):
        answers = self._line.read(ids, _STATE.start, len(_STATE))
        self._note_holding(answers)
        for servo_id, status in answers.found.items():
            answers.found[servo_id] = signed(
                word(status.data, protocol.POSITION - _STATE.start), protocol.POSITION_SIGN)
        return answers

    def _ask_torque(self, servo_id):
        status, reason = self._ask_one(servo_id, protocol.TORQUE, 1)
        return (None if status is None else self._holds(status)), reason

    def _ask_health(self, servo_id):
        status, _ = self._ask_one(servo_id, _HEALTH.start, len(_HEALTH))
        if status is None:
            return None
        at = {address: status.data[address - _HEALTH.start:] for address in _HEALTH}
        return Health(
            temperature_c=float(at[protocol.TEMPERATURE][0]),
            voltage_v=_VOLTS * at[protocol.VOLTAGE][0],
            current_a=_AMPERES * signed(word(at[protocol.CURRENT]), protocol.POSITION_SIGN),
            load=signed(word(at[protocol.LOAD]), protocol.LOAD_SIGN) / _FULL_LOAD,
            torque=self._holds(status),
            flags=protocol.flags(status.error | at[protocol.STATUS][0]))

    def _remedy(self, servo_id, flags):
        # What was too hot or the wrong voltage, a servo takes back by itself.
        return '; switch the power of the arm off and on' if 'overload' in flags else ''

    def _limit(self, names):
        blocks, forces = {}, {}
        for name in names:
            servo = self._drive[name]
            eeprom = self._eeproms.get(servo.id, bytes(protocol.EEPROM_END))
            unit = 1.0 if eeprom[protocol.PHASE] & protocol.FINE_SPEED else _COARSE_SPEED
            speed = ceil(SPEED_MARGIN * self.joints[name].max_velocity
                         / servo.ticks.finest / unit)
            blocks[servo.id] = bytes(2) + two_bytes(min(speed, 0x7FFF))
            if servo.max_force is not None:
                overload = eeprom[protocol.OVERLOAD_TORQUE]
                limits = [(10 * (overload - 1), f'overload torque (register 36) is {overload} %')]
                forces[servo.id] = two_bytes(
                    self._force(name, int(_FULL_LOAD), limits if overload else []))
        self._line.write(protocol.GOAL_TIME, blocks)
        self._line.write(protocol.TORQUE_LIMIT, forces)

    def _ask_one(self, servo_id, address, length):
        """Return one servo's :class:`~.frames.Status` or ``None``, and the reason."""
        answers = self._line.read([servo_id], address, length)
        return answers.found.get(servo_id), answers.lost.get(servo_id, '')
