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
from arm_ik.bus.families import bus_kind
from arm_ik.drivers.servos_file import load_servos
from arm_ik.errors import DriverError
from arm_ik.servos import calibrate, verify
from arm_ik.servos.named_poses import named_poses
from arm_ik.servos.terminal import Terminal
from arm_ik.testing.servos import emulated_i2c
import pytest
from tool_process import ToolProcess

pytestmark = pytest.mark.about_time

ARM = Arm.preset('braccio')
NAMES = tuple(ARM.model.all_joints)
POSES = named_poses(ARM.model)

#: True of the arm: pulse at position 0, and microseconds a radian.
ZERO, SCALE = 560.0, 1850.0 / pi

LIKE = """\
/**:
  ros__parameters:
    servos:
      backend: pca9685
      port: PORT
      joints:
""" + ''.join(f"""\
        {name}: {{channel: {channel}, ticks: [500, 2500], positions: [0.0, 3.1416]}}
""" for channel, name in enumerate(NAMES))


@pytest.fixture
def chip(monkeypatch, tmp_path):
    """Return an emulated board, in the place of Linux."""
    monkeypatch.setattr('smbus2.smbus2.ioctl', emulated_i2c.ioctl)
    return emulated_i2c.Chip(tmp_path / 'i2c-1')


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
    return argparse.Namespace(**{
        'within': 3.0, 'yes': False, 'arm': None, **more})


def test_by_keys_pulses_are_found_for_every_joint(chip, typing, tmp_path, capsys):
    (tmp_path / 'like.yaml').write_text(LIKE.replace('PORT', str(chip.path)))
    output = tmp_path / 'my.yaml'
    at = {name: 500.0 + 2000.0 / 3.1416 * position
          for name, position in zip(NAMES, (*ARM.home, ARM.model.extra_joints[0].closed))}
    typing('y\n')
    for pose in POSES:
        typing(keys_for(at, {name: ZERO + SCALE * pose.positions[name] for name in NAMES},
                        6.0, 48.0).replace('D', 8 * 'd').replace('A', 8 * 'a'))
    assert calibrate.run(options(arm='braccio', like=str(tmp_path / 'like.yaml'), port=None,
                                 baud=None, output=str(output)), Terminal()) == 0
    for channel, name in enumerate(NAMES):      # the last pose
        assert chip.pulses[channel] == pytest.approx(
            ZERO + SCALE * POSES[2].positions[name], abs=8.0)
    servos = load_servos(output, NAMES)
    for joint in ARM.model.joints:
        ticks = servos.joints[joint.name].ticks
        for position in (0.6, 1.2, 1.8):
            assert ticks.position(ZERO + SCALE * position) == pytest.approx(position, abs=0.02)
    assert 'not looked for' in capsys.readouterr().out


@pytest.mark.parametrize('off, code', [(0.0, 0), (0.3, 1)])
def test_by_keys_a_file_is_verified_or_not(chip, typing, tmp_path, capsys, off, code):
    path = tmp_path / 'mine.yaml'
    path.write_text(LIKE.replace('PORT', str(chip.path)))
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


def test_a_chip_that_runs_already_is_taken_up_where_it_pulses(chip):
    with bus_kind('pca9685')(str(chip.path)) as bus:
        bus.write({3: 1200.0})
        bus.write({3: 1300.0})
    with bus_kind('pca9685')(str(chip.path)) as bus:
        assert bus.read(range(16)) == {3: pytest.approx(1300.0, abs=3.0)}
        assert bus.find(3).health.torque and not bus.find(4).health.torque
    assert list(chip.pulses) == [3]


def test_pulses_of_another_program_are_not_disturbed(chip):
    chip.write(0xFE, 99)
    chip.write(0x00, 0x01)
    chip.write(0x06, 0, 0, 0, 1)
    with bus_kind('pca9685')(str(chip.path)) as bus:
        with pytest.raises(DriverError, match='makes pulses for another program'):
            bus.write({3: 1200.0})


#: Two joints that are sent about, at a terminal.
JOG = """
from arm_ik import Arm
from arm_ik.servos.posing import ByKeys
from arm_ik.servos.terminal import Terminal
keys = ByKeys(Terminal(assume_yes=True), Arm.preset('braccio').model, lambda name: 0.0,
              lambda at: None, dict.fromkeys('ab', (1.0, 5.0)), dict.fromkeys('ab', (-50.0, 9.0)))
print('reached', keys.reach('Turn it', lambda at: [str(at)]))
"""


def test_keys_typed_fast_at_a_terminal_count_all_of_them(tmp_path):
    with ToolProcess(folder=tmp_path, program=[sys.executable, '-c', JOG]) as tool:
        tool.expect('now turning: a')
        tool.type('a' * 20 + '\x1b[D' * 5 + 'n' + 'd' * 20)
        tool.answer("{'a': -25.0, 'b': 9.0}", 'Apd\x1b[C\n')
        tool.expect("reached {'a': -23.0, 'b': 4.0}")
        assert tool.end() == 0


def test_interrupted_among_keys_the_terminal_is_as_it_was(tmp_path):
    script = f"import subprocess\nsubprocess.run(['stty', '-a'])\ntry:\n    exec({JOG!r})\n" \
        "except KeyboardInterrupt:\n    subprocess.run(['stty', '-a'])"
    with ToolProcess(folder=tmp_path, program=[sys.executable, '-c', script]) as tool:
        tool.expect('now turning: a')
        tool.type('a')
        tool.expect("{'a': -1.0")
        tool.interrupt()
        tool.end()
    before, after = [line for line in tool.shown.splitlines() if ' icanon ' in line]
    assert before == after
