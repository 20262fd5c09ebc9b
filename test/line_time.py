# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The time of an emulated bus that tests and the tools in their process do not wait for."""

from arm_ik.bus import serial_line, serial_maintenance, serial_port
from arm_ik.bus.serial_port import SerialPort
from arm_ik.servos import move
from arm_ik.testing.servos.serial_buses import Time


def in_real_time(emulated):
    """Have servos begin anew, for other processes."""
    emulated.written = None     # what was written before is on its way
    emulated.do('reset')


class LineTime:
    """
    The time on the port of servos that begin anew: it passes only where somebody waits.

    So nothing waits for what does not come, and no answer is late because the machine is busy.
    """

    _read, _write = staticmethod(SerialPort.read), staticmethod(SerialPort.write)

    def __init__(self, emulated, monkeypatch):
        self.emulated = emulated
        in_real_time(emulated)
        self._heard = emulated.written = 0      # bytes: since something was written; all
        _, self._now = emulated.do('expire')
        for module in (serial_line, serial_maintenance, serial_port, move):
            monkeypatch.setattr(module, 'time', self)
        monkeypatch.setattr(SerialPort, 'read', lambda *args: self.read(*args))
        monkeypatch.setattr(SerialPort, 'write', lambda *args: self.write(*args))

    def monotonic(self):
        return self._now

    def sleep(self, seconds):
        end = self._now + seconds
        while self._now < end:
            _, self._now = self.emulated.do('expire', deadline=end)

    def read(self, port, deadline):
        """See :meth:`.SerialPort.read`."""
        received = self._read(port, self._now)
        while not received and self._now < deadline:
            sent, self._now = self.emulated.do('expire', deadline=deadline)
            while self._heard + len(received) < sent:
                received += self._read(port, self._now + 60.0)
        self._heard += len(received)
        return received

    def write(self, port, data):
        """See :meth:`.SerialPort.write`."""
        self._write(port, data)
        self.emulated.written, self._heard = self.emulated.written + len(data), 0


class BusTime(Time):
    """The time of a back end and of its servos, with which that of their line passes."""

    def __init__(self, line):
        super().__init__(line.emulated)
        self._line = line

    def advance(self, seconds):
        """Let time pass."""
        super().advance(seconds)
        self._line.sleep(seconds)
