# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Servos that measure nothing: calibrate and verify, the arm sent into the poses by keys."""

import argparse
from math import pi
import os
import sys

from arm_ik import Arm
from arm_ik.drivers.maintenance import FoundServo, Maintenance
from arm_ik.drivers.servos_file import load_servos
from arm_ik.drivers.simulated import Simulated
from arm_ik.servos import calibrate, verify
from arm_ik.servos.named_poses import named_poses
from arm_ik.servos.terminal import Terminal
from arm_ik.servos.writing import joint_names
import pytest

ARM = Arm.preset('braccio')
NAMES = joint_names(ARM)
POSES = named_poses(ARM.model)

#: True of the arm: pulse at position 0, and microseconds a radian.
ZERO, SCALE = 560.0, 1850.0 / pi

LIKE = """\
/**:
  ros__parameters:
    servos:
      backend: pca9685
      port: /dev/i2c-1
      joints:
""" + ''.join(f"""\
        {name}: {{channel: {channel}, ticks: [500, 2500], positions: [0.0, 3.1416]}}
""" for channel, name in enumerate(NAMES))


class Pulses(Maintenance):
    """A bus that remembers what was written."""

    name, address, has_feedback, bauds, turn = 'pca9685', 'channel', False, (), None
    last_tick, ids = 20000, range(16)
    made = None

    def __init__(self, port, baud=None, **bus):
        Pulses.made = self
        self.pulses, self.holding = {}, []

    def find(self, servo_id):
        return FoundServo(servo_id)

    def read(self, ids):
        return {channel: self.pulses[channel] for channel in ids if channel in self.pulses}

    def write(self, ticks):
        self.pulses.update(ticks)

    def set_torque(self, on, ids):
        assert on and set(ids) <= set(self.pulses)
        self.holding += ids

    def close(self):
        pass


class Unmeasured(Simulated):
    """Servos that are where they are sent."""

    has_feedback = False


@pytest.fixture
def typing(monkeypatch):
    """Return a function that has keys typed."""
    reading, writing = os.pipe()
    stdin = os.fdopen(reading)
    monkeypatch.setattr(sys, 'stdin', stdin)
    with os.fdopen(writing, 'w') as keys:
        def type_keys(text):
            keys.write(text)
            keys.flush()
        yield type_keys
    stdin.close()


def keys_for(at, wanted, small, large):
    """Return the keys that bring joints from somewhere to a pose, one joint after the other."""
    keys = ''
    for name in NAMES:
        steps = round((wanted[name] - at[name]) / small)
        many, few = divmod(abs(steps), round(large / small))
        keys += ('D' if steps > 0 else 'A') * many + ('d' if steps > 0 else 'a') * few + 'n'
        at[name] += (many * round(large / small) + few) * small * (1 if steps > 0 else -1)
    return keys + '\n'


def options(**more):
    return argparse.Namespace(**{'dry_run': False, 'yes': False, 'arm': None, **more})


def test_by_keys_pulses_are_found_for_every_joint(typing, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(calibrate, 'bus_kind', lambda name: Pulses)
    (tmp_path / 'like.yaml').write_text(LIKE)
    output = tmp_path / 'my.yaml'
    at = {name: 500.0 + 2000.0 / 3.1416 * position
          for name, position in zip(NAMES, (*ARM.home, ARM.model.extra_joints[0].closed))}
    typing('y\n')
    for pose in POSES:
        typing(keys_for(at, {name: ZERO + SCALE * pose.positions[name] for name in NAMES},
                        6.0, 48.0).replace('D', 8 * 'd').replace('A', 8 * 'a'))
    assert calibrate.run(options(arm='braccio', like=str(tmp_path / 'like.yaml'), port=None,
                                 baud=None, output=str(output)), Terminal()) == 0
    assert Pulses.made.holding == list(range(6))
    servos = load_servos(output, NAMES)
    for joint in ARM.model.joints:
        ticks = servos.joints[joint.name].ticks
        for position in (0.6, 1.2, 1.8):
            assert ticks.position(ZERO + SCALE * position) == pytest.approx(position, abs=0.02)
    assert 'not looked for' in capsys.readouterr().out


@pytest.mark.parametrize('off, code', [(0.0, 0), (0.3, 1)])
def test_by_keys_a_file_is_verified_or_not(typing, monkeypatch, tmp_path, capsys, off, code):
    path = tmp_path / 'mine.yaml'
    path.write_text(LIKE)
    servos = load_servos(path, NAMES)
    monkeypatch.setattr(verify, 'load',
                        lambda options: (ARM, servos, Unmeasured(ARM.model)))
    degree = pi / 180
    at = dict(zip(NAMES, (*ARM.home, ARM.model.extra_joints[0].closed)))
    typing('y\n')
    for pose in POSES:
        # Where the arm has to be sent to stand as drawn, if its file is off by so much.
        typing(keys_for(at, {**pose.positions, 'joint_1': pose.positions['joint_1'] + off},
                        degree, 5 * degree))
    assert verify.run(options(servos=str(path)), Terminal()) == code
    assert load_servos(path, NAMES).is_verified == (not off)
    if off:
        assert 'joint_1 (channel 1): off by +17' in capsys.readouterr().out
