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

from . import line
from ..frames import two_bytes
from ..serial_servos import TorqueByGoal

#: Ticks per second in one step of a servo's coarse unit of speed, 0.732 revolutions per minute.
_COARSE_SPEED = 50.0


class Feetech(TorqueByGoal):
    """One arm's STS or SMS servos; as :class:`~arm_ik.drivers.serial_servos.SerialServos`."""

    name, line_kind = 'feetech', line.FeetechLine

    def _limit(self, names):
        blocks, forces = {}, {}
        for name in names:
            servo = self._drive[name]
            facts = self._facts.get(servo.id)
            eeprom = facts.data if facts else bytes(line.EEPROM_END)
            unit = 1.0 if eeprom[line.PHASE] & line.FINE_SPEED else _COARSE_SPEED
            blocks[servo.id] = bytes(2) + two_bytes(min(ceil(self._speed(name, unit)), 0x7FFF))
            if servo.max_force is not None:
                overload = eeprom[line.OVERLOAD_TORQUE]
                limits = [(10 * (overload - 1), f'overload torque (register 36) is {overload} %')]
                forces[servo.id] = two_bytes(
                    self._force(name, int(line.FULL_LOAD), limits if overload else []))
        self._line.write(line.GOAL_TIME, blocks)
        self._line.write(line.TORQUE_LIMIT, forces)
