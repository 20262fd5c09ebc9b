# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Servos that take a goal for an order to hold: one that does not hold is given none.

After a brown-out a set-point would give such a servo its torque back, without the limits of its
speed and force, and nobody would notice that it was ever lost. So each reading brings along
whether a servo holds, and one that has not answered is given no goal before it is heard again.
"""

import time

from .frames import two_bytes
from .serial_servos import SerialServos


class TorqueByGoal(SerialServos):
    """
    As :class:`~arm_ik.drivers.serial_servos.SerialServos`, for such servos.

    ``torque_register`` and ``goal_register`` are the addresses of what they say.
    """

    torque_register = goal_register = 0

    def __init__(self, model, servos, clock=time.monotonic):
        super().__init__(model, servos, clock)
        self._holding = set()
        self._goals = {}        # the last of each servo, as bytes, by id

    def close(self):
        """Give the port back; as in :meth:`Backend.close`."""
        super().close()
        self._holding.clear()
        self._goals.clear()

    def _send_goals(self, ticks):
        self._goals.update({servo_id: two_bytes(self._inside(servo_id, tick))
                            for servo_id, tick in ticks.items()})
        self._write_goals(servo_id for servo_id in ticks if servo_id in self._holding)

    def _send_torque(self, ids, on):
        if on:
            self._write_goals(servo_id for servo_id in ids if servo_id in self._goals)
        self._line.write(self.torque_register, dict.fromkeys(ids, bytes((int(on),))))
        if on:
            self._write_limits(ids)

    def _inside(self, servo_id, tick):
        """Return the nearest tick that a servo takes as a goal."""
        return tick

    def _write_limits(self, ids):
        """Write what is only to be written to servos that hold where they are."""

    def _write_goals(self, ids):
        self._line.write(self.goal_register,
                         {servo_id: self._goals[servo_id] for servo_id in ids})

    def _note_holding(self, answers):
        """Take note of who holds; ``answers``: the registers from the torque's on of each."""
        self._holding.difference_update(answers.lost)
        for status in answers.found.values():
            self._holds(status)

    def _holds(self, status):
        """Take note whether a servo holds, by its registers from the torque's on; return it."""
        holds = self._is_held(status.data)
        (self._holding.add if holds else self._holding.discard)(status.id)
        return holds

    def _is_held(self, registers):
        """Return whether a servo holds, by its registers from the torque's on."""
        return registers[0] == 1
