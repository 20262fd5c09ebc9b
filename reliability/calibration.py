# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
SO-101s that nobody has calibrated, through ``arm_ik servos calibrate``, by a simulated hand.

Zeros, directions, ranges and homing offsets are random. The hand is a few degrees off in each
joint and pose, now and then too far off in one; it presses Enter, or holds still. Some are
interrupted at a random moment, the arm is moved about, and the same command begins anew. Judged
are the servos file, against what is true of the arm, and the EEPROMs, against the file.
"""

from importlib import import_module
from math import degrees, pi
import os
from pathlib import Path
import pty
from random import Random
import re
import select
import signal
import subprocess
import sys
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from arm_ik.description.presets import config_directory
from arm_ik.drivers.servos_file import load_servos
from arm_ik.servos.named_poses import named_poses

from .emulated import serial_buses
from .figures import every, Figure, none_of, within

ARMS, INTERRUPTED = 40, 10
SHORT_ARMS, SHORT_INTERRUPTED = 2, 1

#: Longest wait for what a tool has to show or read [s].
PATIENCE = 60.0

#: Errors of the hand [rad]: their spread, the largest, and one that has to be refused.
_SPREAD, _LARGEST, _TOO_FAR = 0.04, 0.08, 0.4

#: What counts as right: a zero, and an end of a range [degrees].
_ZERO, _END = 0.3, 1.0

_PER_RADIAN = 4096 / 2 / pi

#: How far a hand turns a joint from one reading to the next, at most [rad].
_STEP = 0.4

#: Questions of the tool, with the answers.
_ANSWERS = {'Do you hold it\\?': 'y', 'Go on moving\\?': 'n',
            'Write that into the EEPROM': 'y', r'Pose (\d) of 3.*?press Enter': '',
            'to both of its ends': ''}

_CONTROL = re.compile(r'\x1b\[[0-9]*[A-Za-z]|\r')


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    feetech, random = serial_buses().FEETECH, Random(seed)
    number, cut = (SHORT_ARMS, SHORT_INTERRUPTED) if short else (ARMS, INTERRUPTED)
    interrupted, zeros, right, odd, done, anew = set(
        random.sample(range(number), cut)), [], 0, 0, 0, 0
    for count in range(number):
        with TemporaryDirectory() as folder, _Arm(feetech, Path(folder), random) as arm:
            # Among some 100 movements, or while the EEPROM is written.
            code = arm.calibrate(random.randrange(120) if count in interrupted else None)
            faults, contradictions = ([f'exit code {code}'], []) if code else arm.judged(zeros)
            right += not faults
            odd += len(contradictions)
            done += code == 0
            anew += arm.was_interrupted
            say(f'arm {count + 1}{", interrupted" * arm.was_interrupted}: '
                f'{"; ".join([*faults, *contradictions]) or "right"}')
            if faults:
                say(arm.shown[-3000:])
    return [every('calibrated with the right directions and ranges', right, number),
            Figure('of these interrupted and begun anew', '', str(anew)),
            none_of('values in EEPROMs that the servos file contradicts', odd, 18 * done),
            within("zeros, beside the mean of the hand's errors", zeros, _ZERO, 'degrees')]


class _Arm:
    """An arm, what is true of it by joint name, the tool at work on it, and the hand."""

    def __init__(self, feetech, folder, random):
        self._random, self._folder = random, folder
        self._model, self._joints, self._ids = feetech.model, feetech.joints, feetech.ids
        self._poses = named_poses(feetech.model)
        self._zeros = {name: random.randrange(4096) for name in self._ids}
        self._directions = {name: random.choice((-1, 1)) for name in self._ids}
        self._ends = {joint.name: (joint.lower + random.uniform(-0.05, 0.05),
                                   joint.upper + random.uniform(-0.05, 0.05))
                      for joint in (*self._model.joints, *self._model.extra_joints)}
        self._errors = {name: [0.0] * 3 for name in self._ids}
        self._at = dict.fromkeys(self._ids, 0.0)
        self.shown, self.was_interrupted, self._cut, self._tool = '', False, None, None
        self._bus = import_module('arm_ik.testing.servos.emulated_bus').EmulatedBus(
            folder, servos=[{'servo_id': servo_id, 'offset': random.choice(
                (0, random.randrange(2048), 0x800 | random.randrange(2048)))}
                for servo_id in self._ids.values()])
        example = (config_directory() / 'servos' / 'so101.yaml').read_text(encoding='utf-8')
        (folder / 'like.yml').write_text(example.replace(
            'max_lead: 0.15', 'max_lead: 0.15\n      patience: 0.05'), encoding='utf-8')
        self._turn({})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._tool:
            self._tool.kill()
            self._tool.wait()
        self._bus.__exit__()

    def calibrate(self, cut=None):
        """
        Calibrate it; return the exit code.

        :param cut: the number of the movement at which the tool is interrupted, and begun anew.
        """
        self._cut = cut
        self._terminal, other = pty.openpty()
        self._tool = subprocess.Popen(
            [sys.executable, '-m', 'arm_ik', 'servos', 'calibrate', 'so101', '--like', 'like.yml',
             '--port', self._bus.port, '--output', 'my.yaml'], cwd=self._folder, stdin=other,
            stdout=other, stderr=other, start_new_session=True,
            env={**os.environ, 'PYTHONPATH': os.pathsep.join(map(os.path.abspath, sys.path))})
        os.close(other)
        read_to, deadline = len(self.shown), monotonic() + PATIENCE
        while self._look(0.05):
            match = re.compile('|'.join(_ANSWERS), re.DOTALL).search(self.shown, read_to)
            if monotonic() > deadline:
                break
            if match:
                read_to, deadline = match.end(), monotonic() + PATIENCE
                self._obey(match)
        os.close(self._terminal)
        if monotonic() > deadline:
            self._tool.kill()
        code, self._tool = self._tool.wait(), None
        if code == 130 and self._cut == -1:
            self.was_interrupted, self._cut = True, None
            self._turn({name: self._random.uniform(*ends) for name, ends in self._ends.items()})
            return self.calibrate()
        return code

    def _obey(self, match):
        """Do what the tool asks for."""
        keys = next(keys for words, keys in _ANSWERS.items()
                    if re.fullmatch(words, match[0], re.DOTALL))
        if match[1]:
            gross = self._hold(int(match[1]) - 1)
            keys = '' if gross else self._random.choice(('', None))    # None: it holds still
        elif not keys:
            for joint in self._model.joints:
                for end in (*self._ends[joint.name], 0.5 * sum(self._ends[joint.name])):
                    self._turn({joint.name: end})
        if keys is not None and self._cut != -1:
            os.write(self._terminal, f'{keys}\n'.encode())
        if 'EEPROM' in match[0] and self._cut is not None and self._cut >= 0:
            self._interrupt(self._random.uniform(0.0, 0.2))

    def _hold(self, number):
        """Hold a pose; return the joint that is too far off, ``None``: all are about right."""
        gross = self._random.choice(list(self._errors)) if number and self._random.random() < 0.2 \
            else None
        asked = self.shown.rfind(' of 3\n')
        while not re.search('^gripper .*\n', self.shown[asked:], re.M) and self._look(0.05):
            pass    # the tool shows which joints it has taken
        for name in self._errors:
            if not re.search(rf'^{name} .*taken$', self.shown[asked:], re.M) and name != 'gripper':
                error = max(-_LARGEST, min(self._random.gauss(0.0, _SPREAD), _LARGEST))
                self._errors[name][number] = error
        at = {name: position + self._errors[name][number] + _TOO_FAR * (name == gross)
              for name, position in self._poses[number].positions.items()}
        at['gripper'] = self._ends['gripper'][number == 1]
        self._turn(at)
        return gross

    def _turn(self, wanted):
        """Turn joints to positions [rad], no faster than they are read; interrupt when due."""
        steps = max([1, *(int(abs(at - self._at[name]) / _STEP) + 1
                          for name, at in wanted.items())])
        begin = dict(self._at)
        for step in range(1, steps + 1):
            for name, at in (wanted or self._at).items():
                self._at[name] = begin[name] + step / steps * (at - begin[name])
                self._bus.do('servo', servo_id=self._ids[name], actual=self._zeros[name]
                             + self._directions[name] * self._at[name] * _PER_RADIAN)
            self._be_read()
            if self._cut is not None and self._cut >= 0:
                self._cut -= 1
                if self._cut < 0:
                    self._interrupt(self._random.uniform(0.0, 0.05))

    def _interrupt(self, seconds):
        sleep(seconds)
        self._cut = -1
        self._tool.send_signal(signal.SIGINT)

    def _be_read(self):
        """Wait until the tool has read every joint twice."""
        self._bus.do('requests')
        heard, end = 0, monotonic() + PATIENCE
        while self._tool and heard < 3 * len(self._ids) and self._look(0.002) \
                and self._cut != -1 and monotonic() < end:
            heard += len(self._bus.do('requests'))

    def _look(self, seconds):
        """Take what the tool shows; return whether it goes on."""
        if self._tool.poll() is not None and not select.select([self._terminal], [], [], 0.0)[0]:
            return False
        if select.select([self._terminal], [], [], seconds)[0]:
            try:
                self.shown += _CONTROL.sub('', os.read(self._terminal, 65536).decode())
            except OSError:     # nobody has the other side open any more
                return False
        return True

    def judged(self, zeros):
        """Return what is wrong in the file, and what in the EEPROMs; add the errors of zeros."""
        wrong, contradictions = [], []
        for name, servo in load_servos(self._folder / 'my.yaml', self._joints).joints.items():
            first, last = servo.ticks.points[0][0], servo.ticks.points[-1][0]
            mean = sum(self._errors[name]) / 3
            if name != 'gripper':
                off = servo.ticks.tick(0.0) + servo.homing_offset - self._zeros[name] \
                    - self._directions[name] * mean * _PER_RADIAN
                zeros.append(abs(degrees(((off + 2048) % 4096 - 2048) / _PER_RADIAN)))
                if (servo.ticks.tick(0.1) > servo.ticks.tick(0.0)) != (self._directions[name] > 0):
                    wrong.append(f'{name}: direction')
                ends = [servo.ticks.lower + mean, servo.ticks.upper + mean]
            else:
                closed, opened = (self._zeros[name] + self._directions[name] * end * _PER_RADIAN
                                  - servo.homing_offset for end in self._ends[name])
                gripper, = self._model.extra_joints
                found = servo.ticks.tick(gripper.closed), servo.ticks.tick(gripper.open)
                ends = [end + ((tick - true + 2048) % 4096 - 2048) / _PER_RADIAN for end, tick,
                        true in zip(self._ends[name], found, (closed, opened))]
            if max(abs(degrees(one - other)) for one, other in zip(ends, self._ends[name])) > _END:
                wrong.append(f'{name}: range {ends}, true are {self._ends[name]}')
            eeprom = self._bus.do('state', servo_id=self._ids[name])['eeprom']
            lower, upper, offset = (eeprom[at] | eeprom[at + 1] << 8 for at in (9, 11, 31))
            offset = -(offset & 0x7FF) if offset & 0x800 else offset
            contradictions += [f'{name}: {what}' for what, is_wrong in (
                (f'offset {offset} {servo.homing_offset}', offset != servo.homing_offset),
                (f'lower limit {lower}, {first}', not (lower <= first and lower in (
                    0, max(first - 34, 0)))),
                (f'upper limit {upper}, {last}', not (last <= upper and upper in (
                    4095, last + 34)))) if is_wrong]
        return wrong, contradictions
