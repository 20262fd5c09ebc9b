# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A busy machine, and more targets than can be answered.

*A busy machine*: 1000 targets a second along a path that the arm can follow, for a minute, while
as many processes as there are cores do nothing but take processor time. *A flood*: 40 000 targets
a second for 15 s. The newest target counts: ``joint_commands`` has to go on, none may be refused
for missing joint states, the last command has to lead to the last target, and memory may not grow.
Targets that are replaced by newer ones are never read; they are counted. Both are done with both
executors; the short form takes a second, with the default one.
"""

from collections import Counter
from contextlib import ExitStack
from itertools import pairwise
from math import pi, sin
import os
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from .figures import Figure
from .odd_messages import pose_at, position_of
from .running_arm import IK, RunningArm
from .senders import write_poses

RATE, FLOOD_RATE = 1000.0, 40_000.0

#: For how long [s]: full and short.
BUSY_S, FLOOD_S = (60.0, 1.0), (15.0, 1.0)

#: Wanted: commands in each second, the longest gap between two [s], how far the tip of the last
#: command may be from the last target [m], and how much memory may grow [KiB].
COMMAND_RATE, GAP, MISS, GROWTH_KIB = 50, 0.5, 1e-6, 2048

EXECUTORS = 'events', 'single_threaded'

#: How long one round of the path and one of its poses take [s], and what part of its range and
#: speed a joint uses.
ROUND_S, STEP_S, _OF_RANGE, _OF_SPEED = 8.0, 0.004, 0.6, 0.5


class Vitals(NamedTuple):
    """What Linux says of a process: memory [KiB], threads, open files, processor time [s]."""

    resident: int
    threads: int
    files: int
    cpu: float


def vitals(pid):
    """Return the :class:`Vitals` of a process."""
    proc = Path('/proc') / str(pid)
    lines = dict(line.split(':', 1) for line in (proc / 'status').read_text().splitlines())
    # The fields after the program's name, which may contain anything: from the third one on.
    fields = (proc / 'stat').read_text().rpartition(')')[2].split()
    return Vitals(int(lines['VmRSS'].split()[0]), int(lines['Threads']),
                  len(os.listdir(proc / 'fd')),
                  (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK'))


def path(arm, random):
    """Return the poses of one round of a path that an arm can follow."""
    phases = [random.uniform(0.0, 2.0 * pi) for _ in arm.joint_names]
    turn = 2.0 * pi / ROUND_S

    def positions(time):
        for low, high, joint, phase in zip(arm.lower, arm.upper, arm.model.joints, phases):
            amplitude = min(_OF_RANGE * (high - low) / 2.0, _OF_SPEED * joint.max_velocity / turn)
            yield (low + high) / 2.0 + amplitude * sin(turn * time + phase)

    return [pose_at(arm, list(positions(number * STEP_S)))
            for number in range(round(ROUND_S / STEP_S))]


class Stream:
    """
    A process that sends a running arm targets.

    :param arm: the :class:`~.running_arm.RunningArm`.
    :param poses: what it sends, each for :data:`STEP_S`.
    :param file: where they are written for it.
    """

    def __init__(self, arm, poses, file):
        self.last = None   # target that was sent
        self._arm, self._poses = arm, poses
        self._file = write_poses(file, poses)

    def send(self, rate, seconds, look=lambda: None, every=1.0):
        """
        Send for some seconds, listen meanwhile, and return how many targets were sent.

        :param look: called every so many seconds.
        """
        sender = self._arm.module('sender', 'reliability.sender', self._file, '--rate', str(rate),
                                  '--hold', str(STEP_S), '--seconds', str(seconds))
        while sender.exit_code is None:
            self._arm.spin(min(every, seconds / 4.0))
            if self._arm.ended():
                raise RuntimeError(self._arm.ended())
            look()
        words = sender.output().split()
        self.last = self._poses[int(words[-1])]
        return int(words[-3])


def counted(values):
    """Return how many targets ``ik_node`` has answered, by its diagnostics."""
    return sum(int(values[f'targets_{fate}']) for fate in ('accepted', 'refused'))


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    figures = []
    for executor in EXECUTORS[:1] if short else EXECUTORS:
        with ExitStack() as stack:
            file = Path(stack.enter_context(TemporaryDirectory())) / 'poses.json'
            arm = stack.enter_context(RunningArm('so101', {IK: {'executor': executor}}))
            stream = Stream(arm, path(arm.arm, Random(seed)), file)
            with ExitStack() as busy:
                for _ in range(os.cpu_count()):
                    busy.callback(arm.process('busy', 'sh', '-c', 'while :; do :; done').stop)
                found, counts = _measured(arm, stream, 'busy machine', RATE, BUSY_S[short], short,
                                          arm.settled_diagnostics())
            say(f'{executor}: {found[0].seen}')
            flood, _ = _measured(arm, stream, 'flood', FLOOD_RATE, FLOOD_S[short], short, counts)
            say(f'{executor}: {flood[0].seen}')
            found += flood
            miss = _miss(arm, stream)
            found += [Figure('flood: the last command leads to the last target',
                             f'<= {MISS:g} m', f'{miss:.1g} m from it', miss <= MISS)]
            codes = arm.stop()
            found.append(Figure('exit codes when told to end', '0 of both',
                                ', '.join(map(str, codes.values())), {*codes.values()} == {0}))
        figures += [figure._replace(what=f'{executor}, {figure.what}') for figure in found]
    return figures


def _measured(arm, stream, what, rate, seconds, short, before):
    """Return figures, and new counts; a short run is not held to the bounds of time."""
    memory = vitals(arm.nodes[IK].pid)
    arm.commands.clear()
    sent = stream.send(rate, seconds)
    after, used = arm.settled_diagnostics(), vitals(arm.nodes[IK].pid)
    times = [time for time, _ in arm.commands]
    gap = max(later - earlier for earlier, later in pairwise(times))
    per_second = Counter(int(time - times[0]) for time in times[:-1])
    slowest = min(per_second[second] for second in range(int(seconds)))
    accepted, refused = (int(after[key]) - int(before[key])
                         for key in ('targets_accepted', 'targets_refused'))
    overtaken = sent + counted(before) - counted(after)
    grown = used.resident - memory.resident
    return [Figure(f'{what}: {words}', wanted, seen, kept) for words, wanted, seen, kept in (
        ('targets sent and answered per second', '',
         f'{sent / seconds:.0f}, {accepted / seconds:.0f}; '
         f'{(used.cpu - memory.cpu) / seconds:.0%} of a core', True),
        ('commands in the slowest second', '' if short else f'>= {COMMAND_RATE}', f'{slowest}',
         short or slowest >= COMMAND_RATE),
        ('longest gap between two commands', '' if short else f'<= {GAP:g} s', f'{gap:.3f} s',
         short or gap <= GAP),
        ('targets overtaken by newer ones', '', f'{overtaken} of {sent}', True),
        ('targets refused', '0', f'{refused}', refused == 0),
        ('resident memory of ik_node grows by', f'<= {GROWTH_KIB} KiB', f'{grown} KiB',
         grown <= GROWTH_KIB))], after


def _miss(arm, stream):
    """Return how far the tip of the last command is from the last target [m]."""
    tip = arm.arm.forward(arm.commands[-1][1].position)
    return float(np.linalg.norm(tip.position - position_of(stream.last)))
