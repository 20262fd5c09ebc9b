# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The back end for Dynamixel AX servos: AX-12 and AX-18, by protocol 1.0.

Each servo is read by itself: its position, and with it whether it holds. All set-points are
written by one request. A servo that shuts down for an overload or for heat sets its limit of
torque to 0: it has lost its torque then, whatever its switch says.

A goal switches the torque on, a speed does, and perhaps every write to these registers: so speed
and force are limited only after the goal is where the servo is. The e-Manual is silent on that.
Source: what others have seen, in comments of NVIDIA's Isaac SDK (DynamixelDriver.cpp) and of
Georgia Tech's ME 4451, 2012 (dxl_TorqueEnable.m).
"""

from math import ceil

from . import ax_table
from .transactions1 import read_duration, Transactions1
from ..backend import Health
from ..frames import signed, two_bytes, word, write_duration
from ..serial_servos import SPEED_MARGIN
from ..torque_by_goal import TorqueByGoal

#: Ticks per second in one step of a speed, 0.111 revolutions per minute.
_SPEED = 0.111 * 1023 * 1.2 / 60.0

#: The most of a speed and of a torque.
_MOST = 1023

_VOLTS = 0.1


class AxSeries(TorqueByGoal):
    """One arm's AX servos; as :class:`~arm_ik.drivers.serial_servos.SerialServos`."""

    name = 'dynamixel'
    last_tick = 1023
    torque_register, goal_register = ax_table.TORQUE, ax_table.GOAL

    @property
    def cycle_time(self):
        """What reading, writing and one health reading take on the wire [s]."""
        count, baud = len(self._drive), self._file.baud
        return (read_duration(count, ax_table.STATE[1], baud)
                + write_duration(count, 2, baud)
                + read_duration(1, ax_table.STATE[1], baud))

    def engage(self, names=None):
        """Switch torque on where the joints are; as in :meth:`Backend.engage`."""
        self._require_open()
        self._refuse_outside(names, self._ranges, '6 and 8')
        return super().engage(names)

    def _start(self, port):
        self._ranges, self._most_torque, self._limits = {}, {}, {}      # by id
        return Transactions1(port, self._file.patience, self.clock)

    def _identify(self, servo_id):
        status, reason = self._line.ask_one(servo_id, ax_table.IDENTITY)
        if status is None:
            return None, reason
        name = self._names[servo_id]
        self._ranges[servo_id] = ax_table.limits(status.data)
        self._most_torque[servo_id] = word(status.data, ax_table.MAX_TORQUE)
        self._note(name, ax_table.advice(status.data))
        return ax_table.complaints(self._drive[name], status.data), ''

    def _ask_positions(self, ids):
        answers = self._line.read(ids, ax_table.STATE)
        self._note_holding(answers)
        for servo_id, status in answers.found.items():
            answers.found[servo_id] = word(status.data, ax_table.POSITION - ax_table.TORQUE)
        return answers

    def _inside(self, servo_id, tick):
        lower, upper = self._ranges.get(servo_id, (0, _MOST))
        return min(max(tick, lower), upper)

    def _write_limits(self, ids):
        self._line.write(ax_table.SPEED, {servo_id: self._limits[servo_id]
                                          for servo_id in ids if servo_id in self._limits})

    def _ask_torque(self, servo_id):
        status, reason = self._line.ask_one(servo_id, ax_table.STATE)
        return (None if status is None else self._holds(status)), reason

    def _ask_health(self, servo_id):
        status, _ = self._line.ask_one(servo_id, ax_table.STATE)
        if status is None:
            return None
        at = {address: status.data[address - ax_table.TORQUE:]
              for address in range(ax_table.TORQUE, ax_table.TEMPERATURE + 1)}
        return Health(
            temperature_c=float(at[ax_table.TEMPERATURE][0]),
            voltage_v=_VOLTS * at[ax_table.VOLTAGE][0],
            load=signed(word(at[ax_table.LOAD]), ax_table.LOAD_SIGN) / _MOST,
            torque=self._holds(status), flags=ax_table.flags(status.error))

    def _remedy(self, servo_id, flags):
        if self._ask_torque(servo_id)[0] is not False:
            return '; it holds, and forgets that by itself when it is well again'
        # With its switch off a limit gives it no torque, unless that switches it on.
        self._send_torque([servo_id], False)
        self._line.write(ax_table.TORQUE_LIMIT,
                         {servo_id: two_bytes(self._most_torque.get(servo_id, _MOST))})
        self._send_torque([servo_id], False)
        health = self._ask_health(servo_id)
        return '' if health and health.flags else None

    def _limit(self, names):
        for name in names:
            servo = self._drive[name]
            speed = ceil(SPEED_MARGIN * self.joints[name].max_velocity
                         / servo.ticks.finest / _SPEED)
            torque = self._most_torque.get(servo.id, _MOST)
            if servo.max_force is not None:
                status = self._tried(
                    lambda: self._line.ask_one(servo.id, ax_table.STATE))[0]  # noqa: B023
                now = word(status.data, ax_table.TORQUE_LIMIT - ax_table.TORQUE) if status else 0
                torque = self._force(name, _MOST, [
                    (most, f'torque limit (register {register}) is {100 * most / _MOST:.0f} %')
                    for register, most in ((ax_table.TORQUE_LIMIT, now or torque),
                                           (ax_table.MAX_TORQUE, torque))])
            self._limits[servo.id] = two_bytes(min(speed, _MOST)) + two_bytes(torque)

    def _is_held(self, registers):
        return bool(registers[0] and word(registers, ax_table.TORQUE_LIMIT - ax_table.TORQUE))
