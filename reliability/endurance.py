# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What ten minutes of targets leave behind in the two nodes: memory, threads, open files.

1000 targets a second along a path that the arm can follow; 600 000 in all. Before, for a while,
targets come in a flood, and then some that are out of reach: what is done for the first time takes
memory once. After that nothing may grow.
"""

from contextlib import ExitStack
from random import Random
from tempfile import TemporaryDirectory

from .figures import Figure, none_of
from .load import counted, FLOOD_RATE, GROWTH_KIB, RATE, Stream, vitals
from .odd_messages import Targets
from .running_arm import IK, RunningArm

#: How long a flood and what follows it take [s], how many times memory is looked at, and how long
#: targets are sent before each look [s]; and the same in the short form.
FULL, SHORT = (30.0, 60, 10.0), (1.0, 2, 1.0)

#: How many targets that are mostly out of reach.
_OUT_OF_REACH = 50


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    warm_up, looks, seconds = SHORT if short else FULL
    random = Random(seed)
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        arm = stack.enter_context(RunningArm('so101'))
        stream = Stream(arm, random, folder)
        stream.send(FLOOD_RATE, warm_up)
        targets = Targets(arm.arm, random, None)
        for _ in range(_OUT_OF_REACH):
            arm.send(targets.around())
            arm.spin(0.02)
        stream.send(RATE, warm_up)
        before = counted(arm.settled_diagnostics())
        samples = {name: [vitals(node.pid)] for name, node in arm.nodes.items()}
        sent = 0
        for number in range(looks):
            sent += stream.send(RATE, seconds)
            for name, node in arm.nodes.items():
                samples[name].append(vitals(node.pid))
            if number % 6 == 5:
                say(f'{sent} targets, {samples[IK][-1]}')
        lost = sent + before - counted(arm.settled_diagnostics())
        codes = arm.stop()
    return [none_of('targets neither answered nor counted as dropped', lost, sent),
            *(figure for name, taken in samples.items() for figure in _figures(name, taken)),
            Figure('exit codes when told to end', '0 of both', ', '.join(map(str, codes.values())),
                   {*codes.values()} == {0})]


def _figures(name, samples):
    grown = max(sample.resident for sample in samples) - samples[0].resident
    return [Figure(f'{name}: resident memory grows by', f'<= {GROWTH_KIB} KiB',
                   f'{grown} KiB from {samples[0].resident} KiB', grown <= GROWTH_KIB),
            *(Figure(f'{name}: {what}', 'constant', ', '.join(map(str, sorted(values))),
                     len(values) == 1)
              for what, values in (('threads', {sample.threads for sample in samples}),
                                   ('open files', {sample.files for sample in samples})))]
