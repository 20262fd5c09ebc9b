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
from arm_ik.drivers.joint_ticks import JointTicks
from arm_ik.errors import DriverError
from emulated_bus import EmulatedBus
from emulated_so101 import example_file, MODEL, needs_pyserial, PATIENCE, TICKS
import pytest

STEP = 2.0 * pi / 4096


@pytest.fixture
def emulated(tmp_path):
    """Return an SO-101 that lives in real time."""
    needs_pyserial()
    with EmulatedBus(tmp_path, servos=[{'servo_id': servo_id, 'actual': tick}
                                       for servo_id, tick in TICKS.items()]) as bus:
        yield bus


@pytest.fixture
def make(emulated):
    drivers = []

    def make_one(joints={}, **options):
        servos = example_file()
        servos = replace(servos, port=emulated.port, patience=PATIENCE,
                         joints={**servos.joints, **joints})
        backend = make_backend('feetech', MODEL, servos=servos)
        drivers.append(ServoDriver(backend, command_timeout=0.0, **options))
        drivers[0].connect()
        drivers[0].start()
        return drivers[0]

    yield make_one
    for driver in drivers:
        driver.close()


@pytest.fixture
def driver(make):
    return make()


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


def test_no_command_sends_a_servo_past_its_own_range(make, emulated):
    joints = example_file().joints
    narrow = {name: replace(joints[name], ticks=JointTicks([low, high], [tick * STEP for tick in (
        low - zero, high - zero)])) for name, zero, low, high in (
            ('wrist_roll', 2047, 1900, 2200), ('gripper', 1535, 1900, 2100))}
    driver = make(narrow)
    assert driver.command(['wrist_roll'], [2.0]).goals == {'wrist_roll': 153 * STEP}
    driver.open_gripper(1.0)
    assert until(lambda: (emulated.position(5), emulated.position(6)) == (2200, 2100))


def test_without_a_servo_the_arm_does_not_start(make, emulated):
    emulated.do('servo', servo_id=4, present=False)
    with pytest.raises(DriverError, match=r'wrist_flex \(id 4\) does not answer'):
        make()


def test_without_a_servo_the_others_start_where_faults_let_them_go_on(make, emulated):
    emulated.do('servo', servo_id=4, present=False)
    driver = make(on_fault='continue')
    assert driver.missing == ('wrist_flex',)
    driver.command(['shoulder_pan', 'wrist_flex'], [0.3, 0.3])
    assert until(lambda: abs(emulated.position(1) - tick(0.3)) <= 1)
    driver.stop().result(10.0)
    driver.set_torque(False).result(10.0)
    driver.set_torque(True).result(10.0)
    emulated.do('servo', servo_id=4, present=True)
    assert until(lambda: 'torque lost' in driver.faults.of('wrist_flex'))
    driver.clear_faults().result(10.0)
    driver.set_torque(True).result(10.0)
    driver.reset()
    driver.command(['wrist_flex'], [0.3])
    assert until(lambda: abs(emulated.position(4) - tick(0.3)) <= 1)


def test_a_bus_that_is_back_without_a_servo_serves_the_others(make, emulated):
    driver = make(on_fault='continue')
    emulated.do('unplug')
    assert until(lambda: driver.bus_error is not None)
    emulated.do('servo', servo_id=4, present=False)
    emulated.do('plug')
    assert until(lambda: driver.missing == ('wrist_flex',))
    driver.command(['shoulder_pan'], [0.3])
    assert until(lambda: abs(emulated.position(1) - tick(0.3)) <= 1)


def test_a_bus_that_is_back_with_another_servo_is_not_taken(driver, emulated):
    emulated.do('unplug')
    assert until(lambda: driver.bus_error is not None)
    emulated.do('write', servo_id=3, address=33, value=1)
    emulated.do('plug')
    assert until(lambda: 'elbow_flex (id 3) runs in mode 1' in driver.condition)
