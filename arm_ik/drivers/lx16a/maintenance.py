# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""LX-16A servos without a servos file: looked for, moved, given another id."""

from . import protocol
from .protocol import signed_byte, signed_word
from .transactions import Transactions
from ..frames import word
from ..maintenance import FoundServo
from ..serial_maintenance import SerialMaintenance

_LAST_TICK = 1000

#: How long a step takes [ms]: whoever moves servos by this sends fifty a second.
_STEP = 20

_TOLD = (protocol.POSITION, protocol.VOLTAGE, protocol.TEMPERATURE, protocol.LOADED,
         protocol.OFFSET, protocol.LIMITS, protocol.MODE, protocol.TEMPERATURE_LIMIT,
         protocol.VOLTAGE_LIMITS)


class Lx16aMaintenance(SerialMaintenance):
    """LX-16A servos on a serial port; see :class:`~.maintenance.Maintenance`."""

    name = 'lx16a'
    bauds = (115200,)
    turn, last_tick = 1500.0, _LAST_TICK

    def write(self, ticks):
        """See :meth:`~.maintenance.Maintenance.write`."""
        # A move may give torque, so one without gets none.
        moves = [_move(servo_id, tick) for servo_id, tick in ticks.items()
                 if self._holds(servo_id)]
        if moves:
            self._line.send(b''.join(moves))

    def set_id(self, servo_id, new_id):
        """See :meth:`~.maintenance.Maintenance.set_id`."""
        self._until([servo_id], lambda: self._line.send(protocol.set_id(servo_id, new_id)),
                    lambda _: self._ask(new_id, protocol.ID),
                    'does not answer after its id was written')

    def _start(self, port, patience):
        return Transactions(port, patience), protocol.read(protocol.BROADCAST, protocol.ID)

    def _look(self, servo_id):
        return self._line.read([servo_id], protocol.ID)

    def _describe(self, servo_id):
        told = {command: self._ask(servo_id, command) for command in _TOLD}
        if None in told.values():
            return None
        return _found(servo_id, {command: answer.data for command, answer in told.items()})

    def _tick(self, servo_id):
        answer = self._ask(servo_id, protocol.POSITION)
        return signed_word(answer.data) if answer else None

    def _holds(self, servo_id):
        answer = self._ask(servo_id, protocol.LOADED)
        return bool(answer.data[0]) if answer else None

    def _switch(self, ids, on):
        ticks = self.read(ids) if on else dict.fromkeys(ids)
        self._require(ids, ticks, 'does not answer')

        def write():
            for servo_id in ids:
                move = _move(servo_id, ticks[servo_id]) if on else b''
                # Before, and after if one without torque does not hear it.
                self._line.send(move + protocol.load(servo_id, on) + move)

        self._until(ids, write, lambda servo_id: self._holds(servo_id) == on,
                    f'no torque {"on" if on else "off"}')


def _move(servo_id, tick):
    return protocol.move(servo_id, min(max(round(tick), 0), _LAST_TICK), _STEP)


def _found(servo_id, told):
    lower, upper = word(told[protocol.LIMITS]), word(told[protocol.LIMITS], 2)
    voltage, temperature = word(told[protocol.VOLTAGE]), told[protocol.TEMPERATURE][0]
    odd = []
    if told[protocol.MODE][0]:
        odd.append('runs as a motor; needed is the mode of a servo')
    if (lower, upper) != (0, _LAST_TICK):
        odd.append(f'goes only from tick {lower} to {upper}')
    if temperature > told[protocol.TEMPERATURE_LIMIT][0]:
        odd.append('is too hot; let it cool')
    limits = told[protocol.VOLTAGE_LIMITS]
    if not word(limits) <= voltage <= word(limits, 2):
        odd.append(f'has a voltage outside of its limits, {1e-3 * word(limits):.1f} to '
                   f'{1e-3 * word(limits, 2):.1f} V; look at the power supply')
    return FoundServo(
        servo_id, 'LX-16A', signed_word(told[protocol.POSITION]), voltage_v=1e-3 * voltage,
        temperature_c=float(temperature), torque=bool(told[protocol.LOADED][0]),
        homing_offset=signed_byte(told[protocol.OFFSET]), lower_tick=lower, upper_tick=upper,
        odd=tuple(odd))
