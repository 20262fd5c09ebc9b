# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What tests of back ends on a bus have in common."""

import os
from pathlib import Path
import time

from arm_ik.bus import serial_line, serial_maintenance, serial_port
from arm_ik.bus.serial_port import SerialPort
from arm_ik.errors import DriverError
import pytest


#: How long an answer is waited for before the emulator is asked for it [s].
PROMPT = 0.003


class LineTime:
    """
    The time on a port: it goes on to the deadline of a question where no answer is on its way.

    So nothing waits for what does not come, and no answer is late because the machine is busy.
    """

    sleep = staticmethod(time.sleep)

    def __init__(self, emulated, monkeypatch):
        self._emulated, self._ahead = emulated, 0.0
        self._written = self._heard = 0     # bytes: all; since something was written
        self._read, self._write = SerialPort.read, SerialPort.write
        for module in (serial_line, serial_maintenance, serial_port):
            monkeypatch.setattr(module, 'time', self)
        monkeypatch.setattr(SerialPort, 'read', lambda *args: self.read(*args))
        monkeypatch.setattr(SerialPort, 'write', lambda *args: self.write(*args))

    def monotonic(self):
        return time.monotonic() + self._ahead

    def read(self, port, deadline):
        """See :meth:`.SerialPort.read`."""
        received = self._read(port, min(deadline, self.monotonic() + PROMPT))
        while not received and self.monotonic() < deadline:
            sent, self._ahead = self._emulated.do(
                'expire', deadline=deadline, written=self._written)
            while self._heard + len(received) < sent:
                received += self._read(port, self.monotonic() + 60.0)
        self._heard += len(received)
        return received

    def write(self, port, data):
        """See :meth:`.SerialPort.write`."""
        self._write(port, data)
        self._written, self._heard = self._written + len(data), 0


def opened(backend):
    """Return the back end, open."""
    backend.open()
    return backend


def verified(backend):
    """Return the back end, open and verified."""
    opened(backend).verify()
    return backend


def ready(backend):
    """Return the back end, open, verified and engaged."""
    verified(backend).engage()
    return backend


def refusal(backend):
    """Return why a back end's servos are refused."""
    backend.open()
    with pytest.raises(DriverError) as caught:
        backend.verify()
    return str(caught.value)


def register(emulated, servo_id, address, size=1):
    """Return what a servo's registers hold."""
    ram = emulated.do('state', servo_id=servo_id)['ram']
    return int.from_bytes(ram[address:address + size], 'little')


def writes(bus, emulated):
    """Return (address, {id: data}) of all sync writes since the last time this was asked."""
    sent = map(bus.servos.written, map(bytes.fromhex, emulated.do('requests')))
    return [each for each in sent if each is not None]


def drive(backend, time, seconds, set_points={}):
    """Drive at 50 Hz for a while."""
    for _ in range(round(50 * seconds)):
        time.advance(0.02)
        backend.read()
        backend.write(set_points)


def remake(emulated, servo_id, **more):
    """Put another servo in the place of one."""
    state = emulated.do('state', servo_id=servo_id)
    emulated.do('remove', servo_id=servo_id)
    emulated.do('add', **{'servo_id': servo_id, 'position': state['position'], **more})


def python_of(judge):
    """Return the Python of a judge's environment; skip where it was not made."""
    folder = os.environ.get('SERVO_JUDGES')
    python = Path(folder or '', judge, 'bin', 'python')
    if not folder or not python.exists():
        pytest.skip(f'no {judge} in $SERVO_JUDGES; CONTRIBUTING.md says how to install it')
    return python
