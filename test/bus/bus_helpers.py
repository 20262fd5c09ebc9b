# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What tests of back ends on a bus have in common."""

import os
from pathlib import Path

from arm_ik.errors import DriverError
import pytest


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
