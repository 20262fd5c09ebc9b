# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The back end against an emulated PCA9685 that is well, and what is said of one that is not."""

import errno
from math import pi
import subprocess
import sys

from arm_ik import Arm
from arm_ik.bus.pca9685 import chip as chip_module
from arm_ik.drivers import make_backend
from arm_ik.drivers.servos_file import servos_from_parameters
from arm_ik.errors import DriverError
from arm_ik.testing.servos.emulated_i2c import Chip, DEFAULTS, ioctl
from bus_helpers import opened, ready, verified
import pytest

MODEL = Arm.preset('simple').model
HOME = dict(zip(MODEL.joint_names, MODEL.home))
BLOCKS = {'yaw': {'channel': 0, 'ticks': [500, 2500], 'positions': [-3.2, 3.2]},
          'shoulder': {'channel': 1, 'ticks': [2400, 600], 'positions': [-0.8, 4.0]},
          'elbow': {'channel': 4, 'ticks': [500, 1500, 2400], 'positions': [-2.9, 0.0, 2.9]},
          'wrist': {'channel': 15, 'ticks': [500, 2500], 'positions': [-2.9, 2.9]}}
PULSES = {0: 1500.0, 1: 1275.0, 4: 1500.0 - 2.0 / 2.9 * 1000.0, 15: 1500.0 - 0.5 / 2.9 * 1000.0}
COUNT = 122 / 25.0


@pytest.fixture
def chip(tmp_path, monkeypatch):
    monkeypatch.setattr('smbus2.smbus2.ioctl', ioctl)
    return Chip(tmp_path / 'i2c-7')


@pytest.fixture
def make(chip):
    made = []

    def make_one(joints={}, model=MODEL, **more):
        servos = servos_from_parameters(
            {'backend': 'pca9685', 'port': str(chip.path), 'joints': {**BLOCKS, **joints}, **more},
            [*BLOCKS, *joints])
        made.append(make_backend('pca9685', model, servos=servos))
        return made[-1]

    yield make_one
    for backend in made:
        backend.close()


def close_to(pulses, counts=0.5):
    return pytest.approx(pulses, abs=counts * COUNT + 1e-9)


# The registers.

@pytest.mark.parametrize('oscillator, frequency, prescale', [
    (25e6, 50.0, 121), (25e6, 200.0, 30), (27e6, 50.0, 131), (25e6, 1526.0, 3)])
def test_a_prescale_is_the_one_of_the_data_sheet(oscillator, frequency, prescale):
    assert chip_module.prescale_of(oscillator, frequency) == prescale


def test_a_count_at_50_hz_is_4_88_us():
    assert chip_module.count_time(25e6, 121) == pytest.approx(4.88)


@pytest.mark.parametrize('counts, block', [
    (307.4, (0, 0, 0x33, 0x01)), (0.0, (0, 0, 1, 0)), (5000.0, (0, 0, 0xFF, 0x0F))])
def test_a_pulse_is_on_at_0_and_off_at_its_count(counts, block):
    assert chip_module.pulse_registers(counts) == bytes(block)


@pytest.mark.parametrize('block, counts', [
    ((0, 0, 0x33, 0x01), 307), ((0x64, 0, 0x33, 0x01), 207), ((0, 0, 0, 0x10), None),
    ((0, 0x10, 0, 0), None), ((7, 0, 7, 0), None), ((0xFF, 0x0F, 1, 0), 2)])
def test_the_counts_of_a_channel_are_those_that_it_is_on(block, counts):
    assert chip_module.counts_of(bytes(block)) == counts


# Ready.

def test_before_it_is_engaged_nothing_is_written_and_nothing_is_known(make, chip):
    backend = verified(make())
    backend.write({'yaw': 0.5})
    assert set(backend.read().missing) == set(HOME) and not backend.read().readings
    assert backend.read_health('yaw').torque is False
    assert chip.registers == DEFAULTS


def test_pulses_that_no_set_point_of_the_file_has_are_those_of_another_program(make, chip):
    first = ready(make())
    first.bus.pulse(4, 2450.0 / COUNT)
    first.close()
    with pytest.raises(DriverError, match='elbow has pulses of 24[45]. us, beyond its range'):
        verified(make())


def test_engaged_it_pulses_at_home_and_on_no_other_channel(backend, chip):
    assert chip.pulses == close_to(PULSES)
    assert chip.registers[0] == 0x20 and chip.registers[0xFE] == 121
    readings = backend.read().readings
    assert {name: reading.position for name, reading in readings.items()} == HOME
    assert not any(reading.measured for reading in readings.values())


@pytest.mark.parametrize('position, pulse', [(-3.4, 437.5), (-9.0, COUNT), (60.0, 4095 * COUNT)])
def test_a_set_point_past_a_limit_is_a_pulse_as_far_as_the_chip_can(
        backend, chip, position, pulse):
    backend.write({'yaw': position})
    assert chip.pulses[0] == close_to(pulse)


def test_an_oscillator_that_is_off_is_made_up_for(make, chip):
    chip.oscillator = 26.3e6
    ready(make(oscillator=26.3e6))
    assert chip.pulses == close_to(PULSES)


def test_at_another_frequency_pulses_are_as_long(make, chip):
    ready(make(frequency=200.0))
    assert chip.registers[0xFE] == 30
    assert chip.pulses == close_to(PULSES)


def test_without_torque_there_are_no_pulses_and_no_positions(backend, chip):
    backend.set_torque(False, ['yaw'])
    assert set(chip.pulses) == {1, 4, 15} and set(backend.read().missing) == {'yaw'}
    backend.set_torque(False)
    assert chip.pulses == {} and not backend.read().readings
    with pytest.raises(DriverError, match='no pulses for yaw without a set-point'):
        backend.set_torque(True)
    assert chip.pulses == {}


def test_a_second_finger_goes_where_the_first_goes(make, chip):
    model = Arm.preset('open_manipulator_x').model
    names = [joint.name for joint in (*model.joints, *model.extra_joints)]
    blocks = {name: {'channel': number, 'ticks': [500, 2500], 'positions': [-3.2, 3.2]}
              for number, name in enumerate(names[:-1])}
    blocks[names[-1]] = {'same_as': names[-2]}
    servos = servos_from_parameters(
        {'backend': 'pca9685', 'port': str(chip.path), 'joints': blocks}, names)
    with make_backend('pca9685', model, servos=servos) as backend:
        assert list(backend.engage([names[-1]])) == [names[-1]]
        assert list(chip.pulses) == [len(names) - 2]
        backend.write({names[-2]: 0.01, names[-1]: 0.4})
        positions = backend.read().positions
        assert positions == {names[-2]: 0.01, names[-1]: 0.01}
        backend.set_torque(False)
        assert chip.pulses == {}


def test_a_step_is_a_count_and_a_cycle_the_time_of_its_bytes(make):
    backend = make()
    assert backend.resolution == pytest.approx(
        {'yaw': 3.2e-3 * COUNT, 'shoulder': 4.8 / 1800 * COUNT, 'elbow': 2.9 / 900 * COUNT,
         'wrist': 2.9e-3 * COUNT})
    assert backend.cycle_time == pytest.approx(47 * 9e-5)


# What outlives a process, and what does not.

def test_joints_are_where_a_driver_that_is_gone_has_left_them(backend, make, chip):
    backend.write({'elbow': 1.0, 'yaw': -0.7})
    backend.close()
    before = chip.registers
    successor = make()
    successor.open()
    successor.verify()
    there = {**HOME, 'elbow': 1.0, 'yaw': -0.7}
    assert successor.read().positions == pytest.approx(there, abs=0.01)
    assert 'all servos have pulses already' in successor.notes[-2]
    assert chip.registers == before
    assert successor.engage() == pytest.approx(there, abs=0.01)
    assert chip.registers == before


def test_a_chip_that_has_lost_its_power_has_no_positions_and_no_pulses_by_itself(backend, chip):
    backend.write({'yaw': 1.0})
    chip.cut_power()
    with pytest.raises(DriverError, match='nobody answers at 0x40 on .*i2c-7: has the board'):
        backend.read()
    chip.give_power()
    assert set(backend.read().missing) == set(HOME)
    backend.write({'yaw': 1.0})
    assert backend.read_health('yaw').torque is False
    assert chip.pulses == {}
    assert backend.engage() == HOME
    assert chip.pulses == close_to(PULSES)


@pytest.mark.parametrize('register, value', [(0, 0x31), (0, 0x00), (0xFE, 100)])
def test_a_chip_that_another_program_has_changed_is_noticed(backend, chip, register, value):
    chip.write(register, value)
    assert backend.read_health('yaw').torque is False
    assert set(backend.read().missing) == set(HOME)
    backend.engage()
    assert chip.pulses == close_to(PULSES)


def test_a_channel_that_another_program_has_ended_is_noticed(backend, chip):
    chip.write(chip_module.channel_register(4) + 3, 0x10)
    assert backend.read_health('elbow').torque is False
    assert backend.read_health('yaw').torque is True
    assert set(backend.read().missing) == {'elbow'}


def test_pulses_of_another_program_are_not_disturbed(make, chip):
    chip.write(0xFE, 101)
    chip.write(chip_module.channel_register(9), 0, 0, 0x33, 0x01)
    chip.write(0, 0x20)
    backend = opened(make())
    with pytest.raises(DriverError, match='0x40 on .*i2c-7 makes pulses for another program'):
        backend.verify()
    chip.write(0, 0x31)     # asleep
    backend.verify()
    backend.engage(['yaw'])
    assert list(chip.pulses) == [0]


def test_a_chip_that_runs_idle_is_taken(make, chip):
    chip.write(0, 0x01)
    ready(make())
    assert chip.pulses == close_to(PULSES)


# What goes wrong on the bus.

def test_a_transfer_is_tried_three_times(backend, chip):
    chip.refuse(2)
    backend.write({'yaw': 1.0})
    assert chip.pulses[0] == close_to(1812.5)
    chip.refuse(3)
    with pytest.raises(DriverError, match='nobody answers at 0x40'):
        backend.write({'yaw': 2.0})


def test_a_pulse_garbled_on_the_wire_is_right_with_the_next_set_point(backend, chip):
    chip.write(chip_module.channel_register(0) + 2, 0xFF, 0x0F)
    backend.write(HOME)
    assert chip.pulses == close_to(PULSES)


def test_nobody_at_the_address_is_told_and_the_bus_is_given_back(make, chip, monkeypatch):
    given_back = []
    monkeypatch.setattr(chip_module.Chip, 'close', lambda self: given_back.append(self))
    backend = make(address=0x41)
    with pytest.raises(DriverError, match=r'nobody answers at 0x41 on .*\(i2cdetect -y 7\)'):
        backend.open()
    assert given_back
    with pytest.raises(DriverError, match='not open'):
        backend.read()


def test_an_adapter_that_is_unplugged_is_told(backend, chip):
    chip.unplug()
    with pytest.raises(DriverError, match='i2c-7 is missing or has failed .*No such device'):
        backend.read()
    backend.close()
    with pytest.raises(DriverError, match='no bus .*i2c-7; there'):
        backend.open()


def test_a_chip_that_a_driver_of_the_system_has_is_told(make, chip):
    chip.be_taken()
    with pytest.raises(DriverError, match='0x40 on .*i2c-7 is used by a driver of the system'):
        make().open()


def test_a_device_that_is_no_bus_is_told(make, chip):
    chip.path.write_bytes(b'')
    with pytest.raises(DriverError, match='i2c-7 is no I2C bus'):
        make().open()


def test_a_bus_one_may_not_use_is_told_with_the_command_that_helps(chip):
    words = chip_module.why_not_opened(
        PermissionError(errno.EACCES, 'Permission denied'), str(chip.path))
    group = chip.path.group()
    assert words == (f'no right to {chip.path}, which belongs to the group {group}: '
                     f'sudo usermod -a -G {group} $USER, then log out and in again')


def test_the_buses_there_are_are_told(tmp_path):
    for name in ('i2c-2', 'i2c-1', 'ttyUSB0'):
        (tmp_path / name).touch()
    assert chip_module.buses(tmp_path) == [f'{tmp_path}/i2c-1', f'{tmp_path}/i2c-2']


@pytest.mark.parametrize('address, is_free', [(0x40, False), (0x41, True)])
def test_a_chip_is_driven_by_one_process_and_its_neighbour_by_another(
        make, chip, address, is_free):
    holder = subprocess.Popen(
        [sys.executable, '-c', 'import fcntl, sys\n'
         'file = open(sys.argv[1], "r+b")\n'
         'fcntl.lockf(file, fcntl.LOCK_EX, 1, int(sys.argv[2]))\n'
         'print(flush=True)\nsys.stdin.read()', str(chip.path), str(address)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        holder.stdout.readline()
        if is_free:
            make().open()
        else:
            with pytest.raises(DriverError, match='0x40 on .*i2c-7 is driven by another process'):
                make().open()
    finally:
        holder.communicate()


# What no chip can do.

@pytest.mark.parametrize('more, words', [
    ({'frequency': 24.0, 'oscillator': 30e6}, 'frequency 24 Hz; allowed with this oscillator: '
                                              '28.6 to 1831 Hz'),
    ({'frequency': 400.0}, 'pulses of 2500 us for yaw; at 400 Hz allowed: less than 2458 us')])
def test_pulses_that_the_chip_cannot_make_are_refused(make, more, words):
    with pytest.raises(DriverError, match=words):
        make(**more)


def test_limits_are_narrowed_to_what_the_servo_may(make):
    backend = make({'yaw': {'channel': 0, 'ticks': [500, 2500], 'positions': [-pi / 2, pi / 2]}})
    assert backend.joints['yaw'].upper == pi / 2
    backend.open()
    assert 'yaw goes only from -1.57 to 1.57' in backend.notes[0]
    assert 'is at home (yaw 0.00, shoulder 2.20, elbow -2.00' in backend.notes[1]
