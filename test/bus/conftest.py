# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The arms on emulated buses, and their back ends: a test that takes any of this runs on each bus.

A file of tests for one bus has a fixture ``bus`` of its own.
"""

from contextlib import ExitStack
from functools import cache

from arm_ik.testing.servos.serial_buses import BUSES
from bus_helpers import ready
from line_time import BusTime, LineTime
import pytest


@pytest.fixture(params=BUSES, ids=lambda bus: bus.name)
def bus(request):
    """Return the bus of this test."""
    return request.param


@pytest.fixture(scope='session')
def start(tmp_path_factory):
    """Return a function that starts the process of a bus, once."""
    with ExitStack() as running:
        yield cache(lambda bus: running.enter_context(
            bus.emulated(tmp_path_factory.mktemp('serial'), manual_time=True)))


@pytest.fixture
def line(start, bus, monkeypatch):
    """Return the time of the line of a running bus, its servos new."""
    return LineTime(start(bus), monkeypatch)


@pytest.fixture
def emulated(line):
    """Return the bus, whose time passes when the test says so."""
    return line.emulated


@pytest.fixture
def time(line):
    """Return the time of the back end and of the servos."""
    return BusTime(line)


@pytest.fixture
def make(bus, emulated, time):
    """Return a function that makes back ends; they are closed in the end."""
    made = []

    def make_one(joints={}, **more):
        made.append(bus.backend(emulated.port, joints, clock=time, **more))
        return made[-1]

    yield make_one
    for backend in made:
        backend.close()


@pytest.fixture
def backend(make):
    """Return the back end, open, verified and engaged."""
    return ready(make())
