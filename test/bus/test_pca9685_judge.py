# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Whether the emulated PCA9685 is like a real one, and whether it is used as others use it.

Adafruit's library is the judge, in an environment of its own below ``$SERVO_JUDGES``;
CONTRIBUTING.md says how to make that.
"""

import json
from pathlib import Path
import subprocess

from arm_ik import Arm
from arm_ik.drivers import make_backend
from arm_ik.drivers.servos_file import servos_from_parameters
from arm_ik.testing.servos import emulated_i2c
from arm_ik.testing.servos.emulated_i2c import Chip, ioctl
from bus_helpers import python_of
import pytest

JUDGE = 'adafruit-circuitpython-servokit'

#: What stands in for the bus of a CircuitPython board, and what the judge does with it.
SCRIPT = """
import json, sys
from emulated_i2c import transfer
from adafruit_servokit import ServoKit

class I2c:
    def __init__(self, path):
        self._file = open(path, 'r+b', buffering=0)
    def try_lock(self):
        return True
    def unlock(self):
        pass
    def writeto(self, address, buffer, *, start=0, end=None):
        transfer(self._file.fileno(), address, list(buffer[start:end]))
    def writeto_then_readfrom(self, address, out_buffer, in_buffer, *, out_start=0, out_end=None,
                              in_start=0, in_end=None):
        in_buffer[in_start:in_end] = bytes(transfer(
            self._file.fileno(), address, list(out_buffer[out_start:out_end]),
            len(in_buffer[in_start:in_end])))

path, pulses = sys.argv[1], json.loads(sys.argv[2])
kit = ServoKit(channels=16, i2c=I2c(path))
for channel, pulse in pulses.items():
    servo = kit.servo[int(channel)]
    servo.set_pulse_width_range(pulse, pulse + 500)
    servo.fraction = 0.0
print(json.dumps({channel: kit._pca.channels[channel].duty_cycle >> 4 for channel in range(16)}))
"""

COUNT = 4.88

#: Pulses a third of a count above a whole one, as Adafruit's library cuts off.
PULSES = {0: (102 + 1 / 3) * COUNT, 3: (307 + 1 / 3) * COUNT, 7: (512 + 1 / 3) * COUNT,
          15: (250 + 1 / 3) * COUNT}


@pytest.fixture
def judge(tmp_path):
    """Return a function that lets the judge make pulses, and returns the counts it reads back."""
    python = python_of(JUDGE)

    def run(chip, pulses):
        told = subprocess.run(
            [python, '-c', SCRIPT, str(chip.path), json.dumps(pulses)], capture_output=True,
            text=True, timeout=120, env={'PYTHONPATH': str(Path(emulated_i2c.__file__).parent)})
        assert told.returncode == 0, told.stderr
        return {int(channel): count for channel, count in json.loads(told.stdout).items()}
    return run


@pytest.fixture
def make(monkeypatch):
    """Return a function that opens our back end on a chip, a tick being a microsecond."""
    monkeypatch.setattr('smbus2.smbus2.ioctl', ioctl)
    model = Arm.preset('simple').model
    joints = {name: {'channel': channel, 'ticks': [400, 2600], 'positions': [-4.0, 4.0]}
              for name, channel in zip(model.joint_names, PULSES)}

    def open_one(chip):
        servos = servos_from_parameters(
            {'backend': 'pca9685', 'port': str(chip.path), 'joints': joints}, joints)
        backend = make_backend('pca9685', model, servos=servos)
        backend.open()
        backend.verify()
        return backend
    return open_one


def position(pulse):
    return (pulse - 1500.0) * 8.0 / 2200.0


def test_pulses_of_adafruits_library_are_what_it_was_asked_for(judge, tmp_path):
    chip = Chip(tmp_path / 'i2c-1')
    assert judge(chip, PULSES) == {channel: int(PULSES.get(channel, 0) / COUNT)
                                   for channel in range(16)}
    assert chip.pulses == pytest.approx(PULSES, abs=COUNT)


def test_the_same_pulses_are_the_same_registers(judge, make, tmp_path):
    chip, theirs = Chip(tmp_path / 'i2c-1'), Chip(tmp_path / 'i2c-2')
    backend = make(chip)
    backend.engage()
    backend.write(dict(zip(backend.joints, map(position, PULSES.values()))))
    backend.close()
    judge(theirs, PULSES)
    assert chip.registers == theirs.registers


def test_arms_that_adafruits_library_has_moved_are_taken_up_there(judge, make, tmp_path):
    chip = Chip(tmp_path / 'i2c-1')
    judge(chip, PULSES)
    assert list(make(chip).read().positions.values()) == pytest.approx(
        list(map(position, PULSES.values())), abs=COUNT * 8.0 / 2200.0)
