# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The back end for Dynamixel AX servos: AX-12 and AX-18, by protocol 1.0.

Each servo is read by itself: its position, and with it whether it holds. All set-points are
written by one request.

A goal switches the torque on, a speed does, and perhaps every write to these registers: so speed
and force are limited only after the goal is where the servo is. The e-Manual is silent on that.
Source: what others have seen, in comments of NVIDIA's Isaac SDK (DynamixelDriver.cpp) and of
Georgia Tech's ME 4451, 2012 (dxl_TorqueEnable.m).
"""

from math import ceil

from . import ax_line
from .ax_line import MOST
from ..frames import two_bytes, word
from ..serial_line import tried
from ..serial_servos import TorqueByGoal, TRIES

#: Ticks per second in one step of a speed, 0.111 revolutions per minute.
_SPEED = 0.111 * 1023 * 1.2 / 60.0


class AxSeries(TorqueByGoal):
    """One arm's AX servos; as :class:`~arm_ik.drivers.serial_servos.SerialServos`."""

    name, line_kind = 'dynamixel', ax_line.AxLine

    def begin(self):
        """As in :class:`.SerialServos`."""
        super().begin()
        self._limits = {}       # speed and torque as bytes, by id

    def _most_torque(self, servo_id):
        facts = self._facts.get(servo_id)
        return word(facts.data, ax_line.MAX_TORQUE) if facts else MOST

    def _write_limits(self, ids):
        self._line.write(ax_line.SPEED, {servo_id: self._limits[servo_id]
                                         for servo_id in ids if servo_id in self._limits})

    def _remedy(self, servo_id, flags):
        if self._ask_torque(servo_id)[0] is not False:
            return '; it holds, and forgets that by itself when it is well again'
        # With its switch off a limit gives it no torque, unless that switches it on.
        self._send_torque([servo_id], False)
        self._line.write(ax_line.TORQUE_LIMIT,
                         {servo_id: two_bytes(self._most_torque(servo_id))})
        self._send_torque([servo_id], False)
        health = self._ask_health(servo_id)
        return '' if health and health.flags else None

    def _limit(self, names):
        for name in names:
            servo = self._drive[name]
            torque = self._most_torque(servo.id)
            if servo.max_force is not None:
                status = tried(
                    lambda: self._line.ask_one(servo.id, ax_line.STATE), TRIES)[0]  # noqa: B023
                now = word(status.data, ax_line.TORQUE_LIMIT - ax_line.TORQUE) if status else 0
                torque = self._force(name, MOST, [
                    (most, f'torque limit (register {register}) is {100 * most / MOST:.0f} %')
                    for register, most in ((ax_line.TORQUE_LIMIT, now or torque),
                                           (ax_line.MAX_TORQUE, torque))])
            self._limits[servo.id] = two_bytes(
                min(ceil(self._speed(name, _SPEED)), MOST)) + two_bytes(torque)
