# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What maintenance has in common on all buses where every servo answers a ping to all.

They answer it together, so that only bytes come: somebody is there. One servo is asked for its
torque first, which is quick where nobody answers. Two servos with one id may give the same answer
then, and clash as soon as each is asked for all it knows.
"""

from abc import abstractmethod
import time

from .maintenance import FoundServo, Maintenance
from .serial_port import SerialPort
from ..errors import DriverError

#: Tries before a servo is said not to answer, or not to obey.
TRIES = 5

#: Pings, each with twice the patience of the one before.
_PINGS = 3

#: So long answers may take at least [s]: nothing is in a hurry here, and the machine may be busy.
_PATIENCE = 0.01


class SerialMaintenance(Maintenance):
    """Servos on a serial port; the methods from :meth:`_start` on are the bus's own."""

    def __init__(self, port, baud=None, patience=None, **_):
        self.baud = baud or self.bauds[0]
        self._port = SerialPort(self.name, port, self.baud)
        self._patience = max(self._port.latency, patience or _PATIENCE)
        self._line = self._start(self._port, self._patience)

    def is_anybody_there(self):
        """See :meth:`Maintenance.is_anybody_there`."""
        request = self._ping()
        for attempt in range(_PINGS):
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
        _, reason = self._tried(lambda: self._ask_torque(servo_id), 2)
        if reason == 'no answer':
            return None
        found, _ = self._tried(lambda: self._ask_all(servo_id))
        return found or FoundServo(servo_id, odd=(
            'answers, but garbled: two servos with this id, or a bad cable. Connect one servo '
            'alone',))

    def read(self, ids):
        """See :meth:`Maintenance.read`."""
        ticks = {}
        for servo_id in ids:    # one that is gone would silence those after it
            tick, _ = self._tried(lambda: self._ask_tick(servo_id))
            if tick is not None and 0 <= tick <= self.last_tick:
                ticks[servo_id] = tick
        return ticks

    def write(self, ticks):
        """See :meth:`Maintenance.write`."""
        self._send_goals({servo_id: min(max(round(tick), 0), self.last_tick)
                          for servo_id, tick in ticks.items()})

    def set_torque(self, on, ids):
        """See :meth:`Maintenance.set_torque`."""
        ids = list(ids)
        if on:
            ticks = self.read(ids)
            self._require(ids, ticks, 'does not answer')
            self.write(ticks)
        self._obey(ids, lambda: self._send_torque(ids, on), self._ask_torque, on,
                   f'no torque {"on" if on else "off"}')

    def close(self):
        """See :meth:`Maintenance.close`."""
        self._line.close()

    # The bus's own. What is asked is asked once: an answer and '', or None and the reason.

    @abstractmethod
    def _start(self, port, patience):
        """Return the :class:`~.serial_transactions.SerialTransactions` on an open port."""

    @abstractmethod
    def _ping(self):
        """Return the request that every servo answers, whoever it is."""

    @abstractmethod
    def _ask_torque(self, servo_id):
        """Return whether a servo holds."""

    @abstractmethod
    def _ask_all(self, servo_id):
        """Return the :class:`FoundServo`."""

    @abstractmethod
    def _ask_tick(self, servo_id):
        """Return where a servo stands."""

    @abstractmethod
    def _send_goals(self, ticks):
        """Send servos to ticks, by id."""

    @abstractmethod
    def _send_torque(self, ids, on):
        """Switch the torque of servos."""

    # What helps them.

    def _tried(self, ask, tries=TRIES):
        """Ask until there is an answer, a few times."""
        for _ in range(tries):
            answer, reason = ask()
            if answer is not None:
                break
        return answer, reason

    def _obey(self, ids, tell, ask, value, otherwise):
        """Tell servos something, and read it back."""
        for _ in range(TRIES):
            tell()
            obeying = [servo_id for servo_id in ids
                       if self._tried(lambda: ask(servo_id))[0] == value]
            if len(obeying) == len(ids):
                return
        self._require(ids, obeying, otherwise)

    def _require(self, ids, answering, otherwise):
        silent = [str(servo_id) for servo_id in ids if servo_id not in answering]
        if silent:
            raise DriverError(self.name, f'id {", ".join(silent)}: {otherwise}')
