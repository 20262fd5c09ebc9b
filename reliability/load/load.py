# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A busy machine, and more targets than can be answered.

*A busy machine*: 1000 targets a second for a minute along a path that the arm can follow, while
two other processes do nothing but take processor time. What has been overtaken is dropped and
counted; ``joint_commands`` has to go on at ``command_rate`` or more. Periods are those at which
``ik_node`` wrote its commands, told by the stamps that the middleware gives them.

*A flood*: for fifteen seconds targets come as fast as one sender gets rid of them. The newest
counts, each of the others is counted as dropped, the arm's state is heard all the same, and
nothing piles up.

Both are done in either executor; in the short form, for a second, in the default one.
"""

from collections import Counter
from itertools import pairwise
import os
import random

from arm_ik.nodes.ik.cdr import JointStateReader, read_pose
from arm_ik.nodes.process.executor import EXECUTORS
import numpy as np

from .arm_under_load import ArmUnderLoad
from .vitals import vitals
from ..figure import Figure

RATE = 1000.0
BUSY_PROCESSES = 2

#: For how long [s], and in the short form.
BUSY_S, SHORT_BUSY_S = 60.0, 1.0
FLOOD_S, SHORT_FLOOD_S = 15.0, 0.7

#: How often ``joint_commands`` is repeated, as it comes [Hz].
COMMAND_RATE = 50.0

#: How much memory of its own ik_node may take in a flood, its first third apart [KiB].
GROWTH_KIB = 1024

#: Into how many parts a flood is cut: memory is looked at in between.
_PARTS = 15

#: How far the tip of the last command may be from the last target [m].
_MISS = 1e-6


def run(short, seed, say):
    """
    Run the experiment.

    :param short: whether to take a second or so instead of a minute.
    :param seed: of the path's random numbers.
    :param say: called with words on the way.
    :returns: list of :class:`~.figure.Figure`.
    """
    figures = []
    for executor in EXECUTORS[:1] if short else EXECUTORS:
        with ArmUnderLoad(executor, RATE, random.Random(seed)) as arm:
            say(f'{executor}: a busy machine')
            found = _busy(arm, short)
            say(f'{executor}: a flood')
            found += _flood(arm, short)
            ended_badly = arm.stop()
            found.append(Figure('neither node crashed; both ended with exit code 0',
                                '; '.join(f'{name} ended with {code}: {output[-200:]}'
                                          for name, code, output in ended_badly) or '0 crashes',
                                '0 crashes', not ended_badly))
        figures += [figure._replace(what=f'{executor}: {figure.what}') for figure in found]
    return figures


def _busy(arm, short):
    """Return the figures of a busy machine; the short form bounds none by time."""
    seconds = SHORT_BUSY_S if short else BUSY_S
    with arm.busy(BUSY_PROCESSES):
        sent, answered, used = arm.sent, arm.answered, vitals(arm.ik.pid).cpu
        arm.left = left = []
        arm.send_for(seconds)
        arm.left = None
        sent, answered = arm.sent - sent, arm.answered - answered
        used = vitals(arm.ik.pid).cpu - used
    load, lost = os.getloadavg()[0], arm.unaccounted()
    periods = sorted((later - earlier) * 1e-6 for earlier, later in pairwise(left))
    slowest = min(_per_second(left))
    return [
        Figure('busy machine: commands per second',
               f'{len(left) / seconds:.0f} on the average, {slowest} in the slowest second',
               '' if short else f'>= {COMMAND_RATE:g} in every second',
               short or slowest >= COMMAND_RATE),
        Figure('busy machine: period of the commands',
               f'p50 {_part(periods, 0.5):.2f} ms, p99 {_part(periods, 0.99):.2f} ms, '
               f'max {periods[-1]:.1f} ms', '', True),
        Figure('busy machine: targets answered with a command of their own',
               f'{answered / sent:.1%} of {sent}; {used / seconds:.0%} of a core; '
               f'load average {load:.1f} on {os.cpu_count()} cores', '', True),
        Figure('busy machine: targets neither answered nor counted as dropped',
               f'{lost}, with {arm.diagnostics["targets_dropped"]} dropped', '0', lost == 0)]


def _flood(arm, short):
    """Return the figures of a flood."""
    seconds = SHORT_FLOOD_S if short else FLOOD_S
    before = arm.diagnostics  # everything has been reported on
    sent, memory = arm.sent, []
    for _ in range(_PARTS):
        arm.send_for(seconds / _PARTS, flood=True)
        memory.append(vitals(arm.ik.pid).anonymous)
    sent = arm.sent - sent
    lost, after = arm.unaccounted(), arm.diagnostics
    dropped, refused = (int(after[key]) - int(before[key])
                        for key in ('targets_dropped', 'targets_refused'))
    growth, miss = max(memory) - memory[_PARTS // 3], _miss(arm)
    return [
        Figure('flood: targets per second, answered ones',
               f'{sent / seconds:.0f}, {(sent - lost - dropped) / seconds:.0f}', '', True),
        Figure('flood: targets neither answered nor counted as dropped',
               f'{lost} of {sent}', '0', lost == 0),
        Figure('flood: targets refused since the state of the arm was not heard in time',
               f'{refused}', '0', refused == 0),
        Figure('flood: the last command is that of the last target',
               f'its tip is {miss:.1g} m from it', f'<= {_MISS:g} m', miss <= _MISS),
        Figure('flood: memory that ik_node makes grows by',
               f'{growth} KiB after the first third', f'<= {GROWTH_KIB} KiB',
               growth <= GROWTH_KIB)]


def _miss(arm):
    """Return how far the tip of the last command is from the last target [m]."""
    _, readings, _, _ = JointStateReader().read(arm.command)
    _, _, position, _ = read_pose(arm.target)
    return float(np.linalg.norm(np.subtract(arm.arm.forward(readings).position, position)))


def _per_second(times):
    """Return how many of these times [ns] are in each whole second."""
    numbers = Counter((time - times[0]) // 1_000_000_000 for time in times)
    return [numbers[second] for second in range(max(1, (times[-1] - times[0]) // 1_000_000_000))]


def _part(ordered, part):
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]
