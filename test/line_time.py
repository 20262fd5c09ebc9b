# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The time of an emulated bus that tests and the tools in their process do not wait for."""

import time

from arm_ik.bus import serial_line, serial_maintenance, serial_port, torque
from arm_ik.bus.serial_port import SerialPort
from arm_ik.servos import move


class LineTime:
    """
    The time on the port of servos that begin anew: it goes on where somebody waits.

    So nothing waits for what does not come, and no answer is late because the machine is busy.
    """

    _read, _write = staticmethod(SerialPort.read), staticmethod(SerialPort.write)

    def __init__(self, emulated, monkeypatch):
        self._emulated, self._ahead = emulated, 0.0
        emulated.written = None     # what was written before is on its way
        emulated.do('reset')
        self._heard = emulated.written = 0      # bytes: since something was written; all
        for module in (serial_line, serial_maintenance, serial_port, torque, move):
            monkeypatch.setattr(module, 'time', self)
        monkeypatch.setattr(SerialPort, 'read', lambda *args: self.read(*args))
        monkeypatch.setattr(SerialPort, 'write', lambda *args: self.write(*args))

    def monotonic(self):
        return time.monotonic() + self._ahead

    def sleep(self, seconds):
        end = self.monotonic() + seconds
        while self.monotonic() < end:
            _, self._ahead = self._emulated.do('expire', deadline=end)

    def read(self, port, deadline):
        """See :meth:`.SerialPort.read`."""
        received = self._read(port, self.monotonic())
        while not received and self.monotonic() < deadline:
            sent, self._ahead = self._emulated.do('expire', deadline=deadline)
            while self._heard + len(received) < sent:
                received += self._read(port, self.monotonic() + 60.0)
        self._heard += len(received)
        return received

    def write(self, port, data):
        """See :meth:`.SerialPort.write`."""
        self._write(port, data)
        self._emulated.written, self._heard = self._emulated.written + len(data), 0
