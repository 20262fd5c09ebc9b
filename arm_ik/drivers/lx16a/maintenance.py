# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
LX-16A servos without a servos file: looked for, moved, given another id.

All servos answer a question to everybody, together, so that only bytes come: somebody is there.
Two servos with one id say the same when asked for that, and clash as soon as each is asked where
it stands.
"""

import time

from . import protocol
from .protocol import signed_byte, signed_word, word
from .transactions import Transactions
from ..maintenance import FoundServo, Maintenance
from ..serial_port import SerialPort
from ...errors import DriverError

#: Tries before a servo is said not to answer, or not to obey; and before nobody is there.
_TRIES, _TRIES_TO_FIND = 5, 2

#: Questions to everybody, each with twice the patience of the one before.
_CALLS = 3

#: So long answers may take at least [s]: nothing is in a hurry here, and the machine may be busy.
_PATIENCE = 0.01

_LAST_TICK = 1000

#: How long a step takes [ms]: whoever moves servos by this sends fifty a second.
_STEP = 20

_TOLD = (protocol.POSITION, protocol.VOLTAGE, protocol.TEMPERATURE, protocol.LOADED,
         protocol.OFFSET, protocol.LIMITS, protocol.MODE, protocol.TEMPERATURE_LIMIT,
         protocol.VOLTAGE_LIMITS)


class Lx16aMaintenance(Maintenance):
    """LX-16A servos on a serial port; see :class:`Maintenance`."""

    name = 'lx16a'
    bauds = (115200,)
    turn, last_tick = 1500.0, _LAST_TICK

    def __init__(self, port, baud=None, patience=None, **_):
        self._port = SerialPort(self.name, port, baud or self.bauds[0])
        self._patience = max(self._port.latency, patience or _PATIENCE)
        self._line = Transactions(self._port, self._patience)

    def is_anybody_there(self):
        """See :meth:`Maintenance.is_anybody_there`."""
        request = protocol.read(protocol.BROADCAST, protocol.ID)
        for attempt in range(_CALLS):
            received = bytearray()
            self._port.discard()
            self._port.write(request)
            deadline = time.monotonic() + 2.0 ** (attempt + 1) * self._patience
            while time.monotonic() < deadline:
                received += self._port.read(deadline)
                if received.startswith(request):    # the adapter's echo
                    del received[:len(request)]
            if received:
                return True
        return False

    def find(self, servo_id):
        """See :meth:`Maintenance.find`."""
        data, reason = self._ask(servo_id, protocol.ID, _TRIES_TO_FIND)
        if data is None and reason == 'no answer':
            return None
        told = {command: self._ask(servo_id, command)[0] for command in _TOLD}
        if None in told.values():
            return FoundServo(servo_id, odd=(
                'answers, but garbled: two servos with this id, or a bad cable. Connect one '
                'servo alone',))
        return _found(servo_id, told)

    def read(self, ids):
        """See :meth:`Maintenance.read`."""
        answers = {servo_id: self._ask(servo_id, protocol.POSITION)[0] for servo_id in ids}
        return {servo_id: signed_word(data) for servo_id, data in answers.items()
                if data is not None}

    def write(self, ticks):
        """See :meth:`Maintenance.write`; a move may give torque, so one without gets none."""
        moves = [_move(servo_id, tick) for servo_id, tick in ticks.items()
                 if self._ask(servo_id, protocol.LOADED)[0] == b'\x01']
        if moves:
            self._line.send(b''.join(moves))

    def set_torque(self, on, ids):
        """See :meth:`Maintenance.set_torque`."""
        ids = list(ids)
        ticks = self.read(ids) if on else dict.fromkeys(ids)
        self._require(ids, ticks, 'does not answer')
        for _ in range(_TRIES):
            for servo_id in ids:
                move = _move(servo_id, ticks[servo_id]) if on else b''
                # Before, and after if one without torque does not hear it.
                self._line.send(move + protocol.load(servo_id, on) + move)
            obeying = [servo_id for servo_id in ids
                       if self._ask(servo_id, protocol.LOADED)[0] == bytes((int(on),))]
            if len(obeying) == len(ids):
                return
        self._require(ids, obeying, f'no torque {"on" if on else "off"}')

    def set_id(self, servo_id, new_id):
        """See :meth:`Maintenance.set_id`."""
        for _ in range(_TRIES):
            self._line.send(protocol.set_id(servo_id, new_id))
            if self._ask(new_id, protocol.ID)[0] == bytes((new_id,)):
                return
        raise DriverError(self.name, f'id {servo_id}: does not answer after its id was written')

    def close(self):
        """See :meth:`Maintenance.close`."""
        self._line.close()

    def _ask(self, servo_id, command, tries=_TRIES):
        """Return the data of one servo's answer or ``None``, and the reason."""
        for _ in range(tries):
            answers = self._line.read([servo_id], command)
            if servo_id in answers.found:
                return answers.found[servo_id].data, ''
        return None, answers.lost[servo_id]

    def _require(self, ids, answering, otherwise):
        silent = [str(servo_id) for servo_id in ids if servo_id not in answering]
        if silent:
            raise DriverError(self.name, f'id {", ".join(silent)}: {otherwise}')


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
