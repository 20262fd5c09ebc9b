# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""LX-16A servos without a servos file: looked for, moved, given another id."""

from . import protocol
from .protocol import signed_word, word
from .transactions import Transactions
from ..maintenance import FoundServo
from ..serial_maintenance import SerialMaintenance

_BROADCAST = 0xFE

#: A set-point's time [ms]: until the next one comes, and some more.
_STEP = 40

_TOLD = (protocol.POSITION, protocol.VOLTAGE, protocol.TEMPERATURE, protocol.LOADED,
         protocol.LIMITS, protocol.MODE)


class Lx16aMaintenance(SerialMaintenance):
    """LX-16A servos on a serial port; see :class:`~.maintenance.Maintenance`."""

    name = 'lx16a'
    bauds = (115200,)
    turn, last_tick = 1500.0, 1000

    def write(self, ticks):
        """See :meth:`~.maintenance.Maintenance.write`."""
        for servo_id, tick in ticks.items():
            self._line.send(protocol.move(servo_id, min(max(round(tick), 0), self.last_tick),
                                          _STEP))

    def set_id(self, servo_id, new_id):
        """See :meth:`~.maintenance.Maintenance.set_id`."""
        self._line.send(protocol.set_id(servo_id, new_id))
        self._require([new_id], self.read([new_id]), 'does not answer after its id was written')

    def _start(self, port, patience):
        return Transactions(port, patience), protocol.read(_BROADCAST, protocol.ID)

    def _look(self, servo_id):
        return self._line.read([servo_id], protocol.POSITION)

    def _describe(self, servo_id):
        answers = {command: self._ask(servo_id, command) for command in _TOLD}
        if None in answers.values():
            return None
        told = {command: answer.data for command, answer in answers.items()}
        limits = told[protocol.LIMITS]
        return FoundServo(
            servo_id, 'LX-16A', signed_word(told[protocol.POSITION]),
            voltage_v=1e-3 * word(told[protocol.VOLTAGE]),
            temperature_c=float(told[protocol.TEMPERATURE][0]),
            torque=bool(told[protocol.LOADED][0]),
            lower_tick=word(limits), upper_tick=word(limits, 2),
            odd=('runs as a motor; needed is the mode of a servo',) * bool(
                told[protocol.MODE][0]))

    def _tick(self, servo_id):
        answer = self._ask(servo_id, protocol.POSITION)
        return signed_word(answer.data) if answer else None

    def _hold(self, ticks):
        outside = [servo_id for servo_id, tick in ticks.items()
                   if not 0 <= tick <= self.last_tick]
        self._require(ticks, [each for each in ticks if each not in outside], 'stands outside of '
                      f'ticks 0 to {self.last_tick}, and would move: bring it inside by hand')
        self.write(ticks)

    def _switch(self, ids, on):
        def write():
            for servo_id in ids:
                self._line.send(protocol.load(servo_id, on))

        def obeys(servo_id):
            answer = self._ask(servo_id, protocol.LOADED)
            return answer and bool(answer.data[0]) == on

        self._until(ids, write, obeys, f'no torque {"on" if on else "off"}')
