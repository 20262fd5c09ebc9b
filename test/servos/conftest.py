# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An SO-101 on an emulated bus, and its back end."""

from dataclasses import replace

from emulated_bus import EmulatedBus
from emulated_so101 import example_file, MODEL, needs_pyserial, PATIENCE, TICKS, Time
import pytest


@pytest.fixture(scope='session')
def emulator(tmp_path_factory):
    """Return the process of an SO-101's bus; servos are made anew for each test."""
    with EmulatedBus(tmp_path_factory.mktemp('serial'), manual_time=True, servos=[
            {'servo_id': servo_id, 'actual': tick} for servo_id, tick in TICKS.items()]) as bus:
        yield bus


@pytest.fixture
def emulated(emulator):
    """Return a running SO-101 whose time passes when the test says so."""
    emulator.do('reset')
    return emulator


@pytest.fixture
def time(emulated):
    """Return the time of the back end and of the servos."""
    return Time(emulated)


@pytest.fixture
def servos(emulated):
    """Return the example file of the SO-101, its port that of the emulator."""
    return replace(example_file(), port=emulated.port)


@pytest.fixture
def make(servos, time):
    """Return a function that makes back ends; they are closed in the end."""
    needs_pyserial()
    from arm_ik.drivers.feetech.feetech import Feetech
    made = []

    def make_one(file=servos, patience=PATIENCE):
        made.append(Feetech(MODEL, replace(file, patience=patience), clock=time))
        return made[-1]

    yield make_one
    for backend in made:
        backend.close()


@pytest.fixture
def backend(make):
    """Return the back end, open, verified and engaged."""
    backend = make()
    backend.open()
    backend.verify()
    backend.engage()
    return backend
