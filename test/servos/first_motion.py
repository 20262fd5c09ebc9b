# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
From a fresh clone to the first motion of the emulated SO-101: seconds and commands typed.

``python test/servos/first_motion.py`` clones this repository, as it is committed, into a new
folder, installs it there without ROS, and goes the way that docs/servos.md says, with an arm that
LeRobot has calibrated. The hand that holds the arm takes no time, a person's does.
"""

import json
from pathlib import Path
import shlex
import subprocess
import sys
import tempfile
from time import monotonic

from arm_ik.testing.servos.emulated_bus import EmulatedBus
from held_arm import HeldArm, hold_poses, ZEROS
from test_import_lerobot import MOTORS, write_into_servos
from tool_process import ROOT, ToolProcess


class Stopwatch:
    """Types commands, and prints how long each took."""

    def __init__(self):
        self.begun = self.last = monotonic()
        self.commands = 0

    def done(self, command):
        now = monotonic()
        self.commands += 1
        print(f'{now - self.last:6.1f} s  {command}', flush=True)
        self.last = now

    def type(self, command, folder):  # noqa: A003
        subprocess.run(shlex.split(command), cwd=folder, check=True, stdout=subprocess.DEVNULL)
        self.done(command)


def main():
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        watch.type(f'git clone --quiet {ROOT} arm_ik', folder)
        watch.type(f'{sys.executable} -m venv venv', folder)
        watch.type("venv/bin/pip install --quiet './arm_ik[servos]'", folder)
        servos = [{'servo_id': servo_id, 'position': zero} for servo_id, zero in ZEROS.items()]
        with EmulatedBus(folder, kind='sts_servos', servos=servos) as bus:
            to_first_motion(watch, HeldArm(bus), folder)


def to_first_motion(watch, held, folder):
    write_into_servos(held)
    Path(folder, 'arm.json').write_text(json.dumps(MOTORS))
    program = ['env', '-u', 'PYTHONPATH', f'{folder}/venv/bin/arm_ik', 'servos']
    watch.type(f'venv/bin/arm_ik servos import-lerobot arm.json --port {held.port}', folder)
    with ToolProcess('verify', 'my_so101.yaml', folder=folder, program=program) as tool:
        hold_poses(tool, held)
        assert tool.end() == 0, tool.shown
    watch.done('venv/bin/arm_ik servos verify my_so101.yaml')
    before = held.position('gripper')
    with ToolProcess('move', 'gripper', '--by', 5, '--servos', 'my_so101.yaml', folder=folder,
                     program=program) as tool:
        tool.answer('Is there room?')
        while abs(held.position('gripper') - before) < 0.01:
            pass
        moved = monotonic()
        assert tool.end() == 0, tool.shown
    watch.done('venv/bin/arm_ik servos move gripper --by 5 --servos my_so101.yaml')
    print(f'first motion {moved - watch.begun:.1f} s after the first command, '
          f'{watch.commands} commands, five times Enter or y and Enter')


if __name__ == '__main__':
    main()
