# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Commands in, servos moved: the driver on emulated servos whose time is ours, faults included."""

from dataclasses import replace
from math import pi
from time import monotonic

from arm_ik.drivers import make_backend, ServoDriver
from emulated_bus import EmulatedBus
from emulated_so101 import example_file, MODEL, needs_pyserial, PATIENCE, TICKS
import pytest


@pytest.fixture
def emulated(tmp_path):
    """Return an SO-101 that lives in real time."""
    needs_pyserial()
    with EmulatedBus(tmp_path, servos=[{'servo_id': servo_id, 'actual': tick}
                                       for servo_id, tick in TICKS.items()]) as bus:
        yield bus


@pytest.fixture
def driver(emulated):
    servos = replace(example_file(), port=emulated.port)
    backend = make_backend('feetech', MODEL, servos=servos, patience=PATIENCE)
    driver = ServoDriver(backend, MODEL, command_timeout=0.0)
    driver.connect()
    driver.start()
    yield driver
    driver.close()


def until(condition, seconds=20.0):
    """Wait until something holds; say whether it ever did."""
    end = monotonic() + seconds
    while monotonic() < end:
        if condition():
            return True
    return False


def tick(position):
    return 2047 + round(position * 4096 / (2.0 * pi))


def test_a_command_ends_in_the_servos(driver, emulated):
    driver.command(['elbow_flex', 'shoulder_pan'], [0.5, -0.4])
    assert until(lambda: abs(emulated.position(3) - tick(0.5)) <= 1
                 and abs(emulated.position(1) - tick(-0.4)) <= 1)
    assert emulated.position(2) == TICKS[2]


def test_the_arm_stops_with_a_dead_servo_too(driver, emulated):
    driver.command(['shoulder_pan'], [1.5])
    assert until(lambda: emulated.position(1) > tick(0.1))
    emulated.do('servo', servo_id=4, present=False)
    driver.stop().result(10.0)
    assert until(lambda: emulated.do('state', servo_id=1)['ram'][66] == 0)    # moving
    assert emulated.position(1) < tick(1.45)
    assert until(lambda: 'wrist_flex' in driver.missing)


def test_a_brown_out_is_a_fault_that_stays(driver, emulated):
    emulated.do('power_cycle', servo_id=3)
    assert until(lambda: 'torque lost' in driver.faults.of('elbow_flex'))
    assert emulated.do('state', servo_id=3)['ram'][40] == 0


def test_plugged_in_again_the_arm_takes_commands_again(driver, emulated):
    emulated.do('unplug')
    assert until(lambda: driver.bus_error is not None)
    emulated.do('plug', elsewhere=True)
    assert until(lambda: driver.bus_error is None)
    driver.reset()
    driver.command(['elbow_flex'], [0.9])
    assert until(lambda: abs(emulated.position(3) - tick(0.9)) <= 1)
