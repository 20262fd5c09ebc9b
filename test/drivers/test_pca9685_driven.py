# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The driver on servos that tell nothing back, its time ours: what is believed of them, and when.

Whatever happens, a pulse only ever begins because somebody has said that the arm is at home.
"""


from arm_ik import Arm
from arm_ik.drivers import make_backend, ServoDriver
from arm_ik.drivers.servos_file import servos_from_parameters
from arm_ik.errors import DriverError, InvalidInputError
from arm_ik.testing.servos.emulated_i2c import Chip, ioctl
import pytest
from small_arm import Time

MODEL = Arm.preset('simple').model
HOME = dict(zip(MODEL.joint_names, MODEL.home))
CHANNELS = dict(zip(MODEL.joint_names, (0, 1, 4, 15)))
COUNT = 8.0 / 2000.0 * 4.88     # in rad
PERIOD = 0.02


class DrivenChip:
    """A driver, its chip and their time."""

    def __init__(self, path):
        self.chip = Chip(path)
        self.time = Time()
        joints = {name: {'channel': channel, 'ticks': [500, 2500], 'positions': [-4.0, 4.0]}
                  for name, channel in CHANNELS.items()}
        self.file = servos_from_parameters(
            {'backend': 'pca9685', 'port': str(path), 'joints': joints}, CHANNELS)

    def start(self, model=MODEL, **options):
        backend = make_backend('pca9685', model, servos=self.file, clock=self.time)
        self.driver = ServoDriver(backend, bus_rate=50.0, clock=self.time, stamp_clock=self.time,
                                  sleep=self.time.advance, **options)
        self.driver.connect()
        return self.driver

    def turn(self, count=1, command=None):
        for _ in range(count):
            self.time.advance(PERIOD)
            if command:
                self.driver.command(list(command), list(command.values()))
            self.driver.turn()

    def switch(self, on):
        future = self.driver.set_torque(on)
        while not future.done():
            self.turn()
        future.result()

    @property
    def sent(self):
        """Where pulses send joints."""
        return {name: (self.chip.pulses[channel] - 1500.0) * 4e-3
                for name, channel in CHANNELS.items() if channel in self.chip.pulses}

    @property
    def told(self):
        return self.driver.snapshot.positions


@pytest.fixture
def arm(tmp_path, monkeypatch):
    monkeypatch.setattr('smbus2.smbus2.ioctl', ioctl)
    arm = DrivenChip(tmp_path / 'i2c-7')
    yield arm
    arm.driver.close()


@pytest.fixture
def driver(arm):
    """Return the driver of an arm that stands at home, held."""
    driver = arm.start()
    arm.switch(True)
    return driver


def at(positions):
    return pytest.approx(positions, abs=0.51 * COUNT + 1e-9)


# The first motion.

def test_before_somebody_says_where_the_arm_is_there_is_no_pulse_and_no_state(arm):
    driver = arm.start()
    arm.turn(20)
    assert arm.sent == {} and arm.told == {} and not driver.torque
    assert driver.condition == 'torque is off; ~/torque true says that the arm is at home'
    assert driver.fault == ''
    with pytest.raises(InvalidInputError, match='torque is off'):
        driver.command(['yaw'], [0.5])
    driver.reset()
    driver.stop()
    arm.turn(20)
    assert arm.sent == {}


def test_joints_start_one_by_one_at_home_and_then_the_torque_is_on(arm):
    driver = arm.start()
    future = driver.set_torque(True)
    starts = []
    while not future.done():
        arm.turn()
        if len(arm.sent) > len(starts):
            starts.append(arm.time.now)
            assert driver.torque == (len(starts) == 4)
            assert future.done() == driver.torque
            assert list(arm.sent) == list(HOME)[:len(starts)]
    assert arm.sent == at(HOME)
    assert all(0.1 <= later - earlier <= 0.13 for earlier, later in zip(starts, starts[1:]))
    arm.turn()
    assert arm.told == HOME
    assert not any(reading.measured for reading in driver.snapshot.readings.values())
    assert driver.condition == ''


@pytest.mark.parametrize('interrupt', [
    lambda driver: driver.stop(), lambda driver: driver.set_torque(False)],
    ids=['stop', 'torque off'])
def test_the_start_is_interrupted_by_whatever_may_interrupt_it(arm, interrupt):
    driver = arm.start()
    future = driver.set_torque(True)
    while len(arm.sent) < 2:
        arm.turn()
    interrupt(driver)
    arm.turn(20)
    assert future.done() and len(arm.sent) <= 2
    with pytest.raises(DriverError, match='no torque for .*elbow, wrist: it was stopped'):
        future.result()
    arm.switch(True)
    assert arm.sent == at(HOME)


def test_a_power_supply_that_breaks_down_at_the_start_ends_it(arm):
    driver = arm.start()
    future = driver.set_torque(True)
    while len(arm.sent) < 2:
        arm.turn()
    arm.chip.give_power()       # it was away meanwhile
    arm.turn(20)
    assert arm.sent == {}
    with pytest.raises(DriverError, match='no torque for elbow, wrist: yaw: torque lost; shou'):
        future.result()
    assert 'torque lost' in driver.fault


def test_an_arm_that_is_held_already_is_taken_up_where_it_is(arm, driver):
    arm.turn(100, {'elbow': -1.0, 'yaw': 0.4})
    before = arm.sent
    driver.close()
    driver = arm.start()
    arm.turn(5)
    assert driver.torque and arm.sent == before
    assert arm.told == pytest.approx(before, abs=1e-6)
    arm.turn(50, {'yaw': 0.0})
    assert arm.sent == at({**before, 'yaw': 0.0})


# At work.

def test_without_torque_nothing_is_known_and_with_it_the_arm_is_at_home(arm, driver):
    arm.turn(60, {'yaw': 1.0})
    arm.switch(False)
    arm.turn(20)
    assert arm.sent == {} and arm.told == {}
    assert driver.condition.startswith('torque is off; ') and driver.fault == ''
    with pytest.raises(InvalidInputError, match='torque is off'):
        driver.command(['yaw'], [0.5])
    arm.switch(True)
    arm.turn(20)
    assert arm.sent == at(HOME) and arm.told == HOME


# Faults.

@pytest.mark.parametrize('on_fault', ['stop', 'continue'])
def test_a_chip_that_has_lost_its_power_is_a_fault_that_stays(arm, on_fault):
    driver = arm.start(on_fault=on_fault)
    arm.switch(True)
    arm.turn(10, {'yaw': 1.0})
    arm.chip.give_power()       # for less than a turn it was away
    arm.turn()
    assert arm.told == {}
    assert all(driver.faults.of(name) == ('torque lost',) for name in HOME)
    arm.turn(30)
    assert arm.sent == {}
    assert set(driver.missing) == set()
    assert all(driver.faults.of(name) == ('torque lost',) for name in HOME)
    with pytest.raises(DriverError, match='no reset with a fault'):
        driver.reset()
    with pytest.raises(DriverError, match='no torque for .*torque lost'):
        arm.switch(True)
    with pytest.raises(InvalidInputError):
        driver.command(['yaw'], [1.0])
    assert arm.sent == {}
    future = driver.clear_faults()
    arm.turn(30)
    future.result(0.0)
    assert driver.fault == '' and not driver.torque and arm.sent == {}
    arm.switch(True)
    assert arm.sent == at(HOME)
    arm.turn(60, {'yaw': 0.5})
    assert arm.sent == at({**HOME, 'yaw': 0.5})


def test_a_bus_that_is_back_finds_the_arm_where_it_was_held(arm, driver):
    arm.turn(15, {'yaw': 2.0})
    arm.chip.unplug()
    held = arm.driver.set_points['yaw']
    arm.turn()
    assert 'is missing' in driver.condition and driver.snapshot is None
    assert driver.stop().exception(0.0) is driver.bus_error
    arm.turn(20)
    arm.chip.plug_in()
    arm.turn(30)
    assert driver.bus_error is None and driver.torque
    assert arm.told['yaw'] == at(held) and arm.sent['yaw'] == at(held)
    driver.reset()
    arm.turn(60, {'yaw': 0.0})
    assert arm.sent == at(HOME)


def test_a_bus_that_is_back_without_its_power_kept_is_a_fault(arm, driver):
    arm.turn(15, {'yaw': 2.0})
    arm.chip.cut_power()
    arm.turn(20)
    assert 'nobody answers at 0x40' in driver.condition
    arm.chip.give_power()
    arm.turn(30)
    assert arm.sent == {} and arm.told == {}
    assert 'torque lost' in driver.fault


# The end.

@pytest.mark.parametrize('on_exit, sent', [
    ('hold', {**HOME, 'yaw': 0.6}), ('park', HOME), ('limp', {})])
def test_the_end_is_as_it_was_asked_for(arm, on_exit, sent):
    driver = arm.start(on_exit=on_exit)
    arm.switch(True)
    arm.turn(60, {'yaw': 0.6})
    driver.close()
    assert arm.sent == at(sent)


@pytest.mark.parametrize('on_exit', ['hold', 'park', 'limp'])
def test_the_end_of_an_arm_nobody_has_confirmed_makes_no_pulse(arm, on_exit):
    arm.start(on_exit=on_exit).close()
    assert arm.sent == {}
