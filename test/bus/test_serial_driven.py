# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Commands in, servos moved: the driver on emulated servos whose time is ours, faults included."""

import subprocess
import sys
from time import monotonic, sleep

from arm_ik.drivers import ServoDriver
from arm_ik.errors import DriverError
import pytest

pytestmark = pytest.mark.about_time


@pytest.fixture
def emulated(bus, tmp_path):
    """Return an arm that lives in real time."""
    with bus.emulated(tmp_path) as emulated:
        yield emulated


@pytest.fixture
def make(bus, emulated):
    drivers = []

    def make_one(joints={}, **options):
        drivers.append(ServoDriver(bus.backend(emulated.port, joints), command_timeout=0.0,
                                   **options))
        drivers[0].connect()
        drivers[0].start()
        return drivers[0]

    yield make_one
    for driver in drivers:
        driver.close()


@pytest.fixture
def driver(make):
    return make()


@pytest.fixture
def stands(bus, emulated):
    """Return a function that tells whether a joint's servo is at a position, to a tick."""
    def is_there(name, position):
        return abs(emulated.position(bus.ids[name]) - bus.tick(name, position)) <= 1.5
    return is_there


def until(condition, seconds=20.0):
    """Wait until something holds; say whether it ever did."""
    end = monotonic() + seconds
    while monotonic() < end:
        if condition():
            return True
        sleep(0.01)     # the bus and the emulator need the processor, too
    return False


def led(driver, names, positions, condition):
    """Command until something holds: an answer missed on a busy machine stops its joint."""
    return any(driver.command(names, positions) and until(condition) for _ in range(3))


def test_a_command_ends_in_the_servos(bus, driver, emulated, stands):
    driver.command([bus.elbow, bus.pan], [0.5, -0.4])
    assert until(lambda: stands(bus.elbow, 0.5) and stands(bus.pan, -0.4))
    assert abs(emulated.position(2) - bus.ticks[2]) <= 1


def test_without_a_servo_the_arm_does_not_start(bus, make, emulated):
    servo_id = bus.ids[bus.wrist]
    emulated.do('servo', servo_id=servo_id, present=False)
    with pytest.raises(DriverError, match=rf'{bus.wrist} \(id {servo_id}\) does not answer'):
        make()


def test_without_a_servo_the_others_start_where_faults_let_them_go_on(
        bus, make, emulated, stands):
    emulated.do('servo', servo_id=bus.ids[bus.wrist], present=False)
    driver = make(on_fault='continue')
    assert driver.missing == (bus.wrist,)
    assert led(driver, [bus.pan, bus.wrist], [0.3, 0.3], lambda: stands(bus.pan, 0.3))
    driver.stop().result(10.0)
    driver.set_torque(True).result(10.0)
    emulated.do('servo', servo_id=bus.ids[bus.wrist], present=True)
    assert until(lambda: 'torque lost' in driver.faults.of(bus.wrist))
    driver.clear_faults().result(10.0)
    driver.set_torque(True).result(10.0)
    driver.reset()
    assert led(driver, [bus.wrist], [0.3], lambda: stands(bus.wrist, 0.3))


def test_a_servo_that_was_not_heard_when_all_were_switched_off_is_once_it_is(
        bus, driver, emulated):
    assert until(lambda: bus.wrist in driver.health)
    emulated.do('servo', servo_id=bus.ids[bus.wrist], present=False)
    assert until(lambda: driver.missing)
    with pytest.raises(DriverError, match=f'{bus.wrist}: no reply; torque is switched off there'):
        driver.set_torque(False).result(10.0)
    assert not driver.torque
    emulated.do('servo', servo_id=bus.ids[bus.wrist], present=True)
    assert until(lambda: driver.health[bus.wrist].torque)
    assert until(lambda: driver.health[bus.wrist].torque is False)
    assert not driver.faults


def test_a_bus_that_is_back_with_another_servo_is_not_taken(bus, driver, emulated):
    servo_id = bus.ids[bus.elbow]
    address, value, words = bus.another
    emulated.do('unplug')
    assert until(lambda: driver.bus_error is not None)
    emulated.do('write', servo_id=servo_id, address=address, value=value)
    emulated.do('plug')
    assert until(lambda: f'{bus.elbow} (id {servo_id}) {words}' in driver.condition)


INTRUDER = """
import os, sys, threading, time, tty
port = os.open(os.path.realpath(sys.argv[1]), os.O_RDWR | os.O_NOCTTY)
tty.setraw(port)
print(flush=True)
hear = threading.Thread(target=sys.stdin.read)
hear.start()
while hear.is_alive():
    os.write(port, bytes.fromhex(sys.argv[2]))
    time.sleep(0.02)
"""


def test_who_opens_the_port_later_and_talks_stops_the_arm_and_is_named(bus, driver, emulated):
    servos, place = bus.servos, bus.ids[bus.wrist]
    ping = (servos.frame(place, servos.PING) if hasattr(servos, 'PING')
            else servos.frame(place, 14)).hex()
    driver.command([bus.elbow], [0.5])
    with subprocess.Popen([sys.executable, '-c', INTRUDER, emulated.port, ping], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        began = monotonic()
        assert until(lambda: driver.bus_error is not None)
        assert monotonic() - began < 0.5
        assert f'(process {other.pid})' in str(driver.bus_error)
        emulated.do('requests')
        assert until(lambda: 'is used by' in str(driver.bus_error))
        heard = emulated.do('requests')
        assert set(heard) <= {ping}
        other.stdin.close()
    assert until(lambda: driver.bus_error is None)
