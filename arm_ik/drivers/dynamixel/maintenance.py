# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Dynamixel servos without a servos file: X by protocol 2.0, AX by protocol 1.0."""

from typing import Any

from . import ax_table, protocol2, x_table
from .protocol2 import little, little_number
from .transactions1 import Transactions1
from .transactions2 import Transactions2
from .. import frames
from ..frames import two_bytes, word
from ..maintenance import FoundServo
from ..serial_maintenance import SerialMaintenance
from ...errors import DriverError

_PING = 0x01

_VOLTS = 0.1

#: Where the voltage stands in the block HEALTH; the temperature follows.
_VOLTAGE = 144 - x_table.HEALTH.address

#: The secondary id of a servo that follows no other is greater.
_LAST_ID = 252


class _Dynamixel(SerialMaintenance):
    """What X and AX servos have in common; see :class:`~.maintenance.Maintenance`."""

    name = 'dynamixel'

    #: The registers of the id and of the torque, and the block that begins with the torque.
    _id_at = _torque_at = 0
    _torque_in: Any = ()

    def set_id(self, servo_id, new_id):
        """See :meth:`~.maintenance.Maintenance.set_id`; its torque has to be off."""
        found = self.find(servo_id)
        if found is None or found.torque:
            raise DriverError(self.name, f'id {servo_id} holds; nothing is written then. Switch '
                                         'the power of the arm off and on, and it is limp')
        self._line.write(self._id_at, {servo_id: bytes((new_id,))})
        self._require([new_id], self.read([new_id]), 'does not answer after its id was written')

    def _switch(self, ids, on):
        def obeys(servo_id):
            status = self._ask(servo_id, self._torque_in)
            return status and bool(status.data[0]) == on

        self._until(ids, lambda: self._line.write(
            self._torque_at, dict.fromkeys(ids, bytes((int(on),)))),
            obeys, f'no torque {"on" if on else "off"}')


class XMaintenance(_Dynamixel):
    """X servos on a serial port."""

    bauds = (1000000, 57600, 115200, 2000000, 3000000, 4000000, 9600)

    _id_at, _torque_at, _torque_in = x_table.ID, x_table.TORQUE.address, x_table.TORQUE

    def write(self, ticks):
        """See :meth:`~.maintenance.Maintenance.write`."""
        # One that its watchdog has stopped takes no goals.
        self._line.write(x_table.WATCHDOG, dict.fromkeys(ticks, b'\0'))
        self._line.write(x_table.GOAL, {servo_id: little(round(tick), 4)
                                        for servo_id, tick in ticks.items()})

    def _start(self, port, patience):
        return Transactions2(port, patience), protocol2.ping()

    def _look(self, servo_id):
        return self._line.read([servo_id], x_table.IDENTITY)

    def _describe(self, servo_id):
        blocks = [self._ask(servo_id, block) for block in (
            x_table.IDENTITY, x_table.OFFSET, x_table.LIMITS, x_table.ERRORS, x_table.HEALTH)]
        tick, torque = self._tick(servo_id), self._ask(servo_id, x_table.TORQUE)
        if None in (*blocks, tick, torque):
            return None
        facts = x_table.Facts(*(each.data for each in blocks[:3]))
        health = blocks[4].data[_VOLTAGE:]
        return FoundServo(
            servo_id, facts.model.name if facts.model else f'model {facts.number}', tick,
            voltage_v=_VOLTS * little_number(health[:2]),
            temperature_c=float(health[2]), torque=bool(torque.data[0]),
            homing_offset=facts.offset, lower_tick=facts.range[0], upper_tick=facts.range[1],
            odd=tuple(_odd(facts, x_table.flags(blocks[3].data[2]))))

    def _tick(self, servo_id):
        status = self._ask(servo_id, x_table.POSITION)
        return little_number(status.data, signed=True) if status else None

    def _hold(self, ticks):
        for servo_id, tick in ticks.items():
            found = self._describe(servo_id)
            if found is None or not found.lower_tick <= tick <= found.upper_tick:
                raise DriverError(self.name, f'id {servo_id} is at tick {tick}, and takes no '
                                             'goal there: bring it inside its limits by hand')
        self.write(ticks)


def _odd(facts, flags):
    yield from x_table.oddities(facts)
    if facts.model is None:
        return
    if facts.secondary_id <= _LAST_ID:
        yield f'follows id {facts.secondary_id} (register 12): it is a shadow of that'
    if facts.delay:
        yield x_table.advice(facts)
    if flags:
        yield f'complains of {" and ".join(flags)}; switch the power of the arm off and on'


class AxMaintenance(_Dynamixel):
    """AX servos on a serial port."""

    bauds = (1000000, 57600, 115200, 500000, 250000, 200000, 400000, 9600)
    turn, last_tick = 1023 * 1.2, 1023

    _id_at, _torque_at, _torque_in = ax_table.ID, ax_table.TORQUE, ax_table.STATE

    def write(self, ticks):
        """See :meth:`~.maintenance.Maintenance.write`; a goal brings the torque, too."""
        self._line.write(ax_table.GOAL, {
            servo_id: two_bytes(min(max(round(tick), 0), self.last_tick))
            for servo_id, tick in ticks.items()})

    def _start(self, port, patience):
        return Transactions1(port, patience), frames.frame(frames.BROADCAST, _PING)

    def _look(self, servo_id):
        return self._line.read([servo_id], ax_table.STATE)

    def _describe(self, servo_id):
        identity, state = (self._ask(servo_id, block)
                           for block in (ax_table.IDENTITY, ax_table.STATE))
        if identity is None or state is None:
            return None
        lower, upper = ax_table.limits(identity.data)
        at = {address: state.data[address - ax_table.TORQUE:]
              for address in (ax_table.POSITION, ax_table.VOLTAGE, ax_table.TEMPERATURE)}
        flags, advice = ax_table.flags(state.error), ax_table.advice(identity.data)
        odd = [f'complains of {" and ".join(flags)}'] if flags else []
        odd += ax_table.oddities(identity.data)
        return FoundServo(
            servo_id, ax_table.model_name(identity.data),
            word(at[ax_table.POSITION]), voltage_v=_VOLTS * at[ax_table.VOLTAGE][0],
            temperature_c=float(at[ax_table.TEMPERATURE][0]), torque=bool(state.data[0]),
            lower_tick=lower, upper_tick=upper, odd=(*odd, *([advice] if advice else [])))

    def _tick(self, servo_id):
        status = self._ask(servo_id, ax_table.STATE)
        return word(status.data, ax_table.POSITION - ax_table.TORQUE) if status else None
