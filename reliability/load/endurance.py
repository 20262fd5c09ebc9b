# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What an hour of targets leaves behind in the two nodes: memory, threads, open files.

``ik_node`` and the simulated ``driver_node`` as processes of their own; 1000 targets a second
along a path that the arm can follow. After two minutes of warming up ``/proc`` is asked every five
seconds. Half-way through these two minutes targets are out of reach for some seconds, every other
one above the yaw axis, and each node is stopped for a second and a bit in a flood of targets: what
is done for the first time (load the search for the closest pose, refuse, catch up) takes memory
once. What grows without an end shows here, long before it fills a machine that runs for weeks.

The short form lasts two seconds: it sees a thread or a descriptor per message, and a leak of ten
kilobytes per target.
"""

import argparse
import random
from statistics import median
import sys
from time import monotonic

from arm_ik.nodes.process.executor import EXECUTORS

from .arm_under_load import ArmUnderLoad
from .vitals import vitals
from .. import circumstances, record
from ..figure import Figure

#: Of the full form.
MINUTES = 60.0
WARM_UP_S, STALL_S, PERIOD_S = 120.0, 1.2, 5.0

#: Of the short form.
SHORT_S, SHORT_WARM_UP_S, SHORT_STALL_S, SHORT_PERIOD_S = 2.0, 0.6, 0.1, 0.2

RATE = 1000.0

#: How much resident memory may grow by [KiB].
GROWTH_KIB = 1024

#: Samples of which a median is taken at both ends.
_ENDS = 5


def run(short, seed, say):
    """
    Run the experiment.

    :param short: whether to take two seconds instead of :data:`MINUTES`.
    :param seed: of the path's random numbers.
    :param say: called with words on the way.
    :returns: list of :class:`~.figure.Figure`.
    """
    if short:
        return watch(SHORT_S, SHORT_WARM_UP_S, SHORT_STALL_S, SHORT_PERIOD_S, seed, say)
    return watch(60.0 * MINUTES, WARM_UP_S, STALL_S, PERIOD_S, seed, say)


def watch(seconds, warm_up, stall, period, seed, say, executor=EXECUTORS[0]):
    """Run the experiment for that many seconds after warming up; see `run`."""
    with ArmUnderLoad(executor, RATE, random.Random(seed)) as arm:
        arm.send_for(warm_up / 2.0)
        arm.reach_too_far(10.0 * stall)
        for node in (arm.ik, arm.driver):
            arm.stall(node, stall)
        arm.send_for(warm_up / 2.0)
        nodes = {'ik_node': arm.ik, 'driver_node': arm.driver}
        samples = {name: [vitals(node.pid)] for name, node in nodes.items()}
        for number in range(1, round(seconds / period) + 1):
            arm.send_for(period)
            if arm.crashed():
                break
            for name, node in nodes.items():
                samples[name].append(vitals(node.pid))
            if number * period % 60.0 < period:
                say(f'{number * period / 60.0:.0f} min: ' + ', '.join(
                    f'{name} {taken[-1]}' for name, taken in samples.items()))
        sent = arm.sent
        lost = sent if arm.crashed() else arm.unaccounted()
        ended_badly = arm.stop()
    figures = [
        Figure('Neither node crashed; both ended with exit code 0',
               ', '.join(f'{name} ended with {code}' for name, code, _ in ended_badly)
               or f'{seconds / 60.0:.2g} min, {sent} targets', '0 crashes', not ended_badly),
        Figure('Targets neither answered nor counted as overtaken',
               f'{lost} of {sent}', '0', lost == 0)]
    for name, taken in samples.items():
        figures += _figures(name, taken, seconds)
    return figures


def _figures(name, taken, seconds):
    """Return the figures of one node."""
    resident = [sample.resident for sample in taken]
    start = resident[0]
    growth = max(resident) - start
    own = max(sample.anonymous for sample in taken) - taken[0].anonymous
    ends = median(resident[:_ENDS]), median(resident[-_ENDS:])
    threads = sorted({sample.threads for sample in taken})
    files = sorted({sample.files for sample in taken})
    busy = (taken[-1].cpu - taken[0].cpu) / seconds
    return [
        Figure(f'{name}: resident memory grows after warming up by',
               f'{growth} KiB at most, {own} KiB of it anonymous, from {start} KiB; medians of '
               f'the first and last {_ENDS} samples {ends[1] - ends[0]:+g} KiB apart',
               f'<= {GROWTH_KIB} KiB', growth <= GROWTH_KIB),
        Figure(f'{name}: threads', _numbers(threads), 'constant', len(threads) == 1),
        Figure(f'{name}: open files', _numbers(files), 'constant', len(files) == 1),
        Figure(f'{name}: part of a core used', f'{busy:.0%}', '', True)]


def _numbers(values):
    return ', '.join(map(str, values))


def main():
    """Run it for another time, or in another executor, and print; on record if asked to."""
    parser = argparse.ArgumentParser(prog='python -m reliability.load.endurance')
    parser.add_argument('--minutes', type=float, default=MINUTES)
    parser.add_argument('--executor', default=EXECUTORS[0])
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--write', action='store_true')
    options = parser.parse_args()
    commit, start = circumstances.commit(), monotonic()
    figures = watch(60.0 * options.minutes, WARM_UP_S, STALL_S, PERIOD_S, options.seed,
                    lambda text: print(text, flush=True), options.executor)
    for figure in figures:
        print(*figure, sep=' | ')
    if options.write:
        command = (f'{parser.prog} --minutes {options.minutes:g} --executor {options.executor} '
                   f'--seed {options.seed}')
        record.store('endurance', circumstances.distro(), figures, command=command,
                     seed=options.seed, commit=commit, date=circumstances.today(),
                     machine=circumstances.machine(), seconds=round(monotonic() - start))
    return 0 if all(figure.held for figure in figures) else 1


if __name__ == '__main__':
    sys.exit(main())
