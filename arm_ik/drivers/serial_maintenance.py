# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What the tools for all serial servo buses have in common.

All servos answer a ping, together, so that only bytes come: somebody is there. One servo is asked
for little first, which is quick where nobody answers. Two servos with one id may give the same
answer then, and clash as soon as each is asked where it stands.
"""

from abc import abstractmethod
import time

from .maintenance import FoundServo, Maintenance
from .serial_port import SerialPort
from ..errors import DriverError

#: Tries before a servo is said not to answer, or not to obey; before it is said not to be there.
_TRIES, _LOOKS = 5, 2

#: Pings, each with twice the patience of the one before.
_PINGS = 3

#: So long answers may take at least [s]: nothing is in a hurry here, and the machine may be busy.
_PATIENCE = 0.01


class SerialMaintenance(Maintenance):
    """
    Servos on a serial port; see :class:`Maintenance`.

    The methods from :meth:`_start` on are the bus's own.
    """

    def __init__(self, port, baud=None, patience=None, **_):
        self._port = SerialPort(self.name, port, baud or self.bauds[0])
        self._patience = max(self._port.latency, patience or _PATIENCE)
        self._line, self._ping = self._start(self._port, self._patience)

    def is_anybody_there(self):
        """See :meth:`Maintenance.is_anybody_there`."""
        for attempt in range(_PINGS):
            received = bytearray()
            self._port.discard()
            self._port.write(self._ping)
            deadline = time.monotonic() + 2.0 ** (attempt + 1) * self._patience
            while time.monotonic() < deadline:
                received += self._port.read(deadline)
                if received.startswith(self._ping):    # the adapter's echo
                    del received[:len(self._ping)]
            if received:
                return True
        return False

    def find(self, servo_id):
        """See :meth:`Maintenance.find`."""
        reason = ''
        for _ in range(_LOOKS):
            answers = self._look(servo_id)
            reason = answers.lost.get(servo_id, '')
            if reason != 'no answer':
                break
        if reason == 'no answer':
            return None
        return self._describe(servo_id) or FoundServo(servo_id, odd=(
            'answers, but garbled: two servos with this id, or a bad cable. Connect one servo '
            'alone',))

    def read(self, ids):
        """See :meth:`Maintenance.read`."""
        ticks = {servo_id: self._tick(servo_id) for servo_id in ids}
        return {servo_id: tick for servo_id, tick in ticks.items() if tick is not None}

    def set_torque(self, on, ids):
        """See :meth:`Maintenance.set_torque`."""
        ids = list(ids)
        if on:
            ticks = self.read(ids)
            self._require(ids, ticks, 'does not answer')
            self._hold(ticks)
        self._switch(ids, bool(on))

    def close(self):
        """See :meth:`Maintenance.close`."""
        self._line.close()

    def _hold(self, ticks):
        """Give servos without torque the goals that they shall hold."""
        self.write(ticks)

    @abstractmethod
    def _start(self, port, patience):
        """Return the transactions on a port, and the request that all servos answer."""

    @abstractmethod
    def _look(self, servo_id):
        """Ask one servo for little; return the :class:`~.serial_transactions.Answers`."""

    @abstractmethod
    def _describe(self, servo_id):
        """Return a :class:`FoundServo`, ``None`` if it is not understood."""

    @abstractmethod
    def _tick(self, servo_id):
        """Return where one servo stands, ``None`` if it does not say."""

    @abstractmethod
    def _switch(self, ids, on):
        """Switch the torque and read it back."""

    def _ask(self, servo_id, *block):
        """Return one servo's answer to a read, ``None`` if there is none."""
        for _ in range(_TRIES):
            answers = self._line.read([servo_id], *block)
            if servo_id in answers.found:
                return answers.found[servo_id]
        return None

    def _until(self, ids, write, obeys, otherwise):
        """Write until all servos obey; raise a sentence on those that do not."""
        obeying = []
        for _ in range(_TRIES):
            write()
            obeying = [servo_id for servo_id in ids if obeys(servo_id)]
            if len(obeying) == len(ids):
                return
        self._require(ids, obeying, otherwise)

    def _require(self, ids, answering, otherwise):
        silent = [str(servo_id) for servo_id in ids if servo_id not in answering]
        if silent:
            raise DriverError(self.name, f'id {", ".join(silent)}: {otherwise}')
