# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Growth of the two nodes in ten minutes of targets: memory, threads, open files.

1000 targets a second along a path that the arm can follow; 600 000 in all. During a warm-up some
targets are out of reach, and then they come in a flood, because everything done for the first time
takes memory once. After that nothing may grow.
"""

from contextlib import ExitStack
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from .figures import Figure
from .load import counted, FLOOD_RATE, path, RATE, Stream, vitals
from .odd_messages import Targets
from .running_arm import IK, RunningArm

#: For how long, and how often memory is looked at [s]: full and short.
FULL, SHORT = (600.0, 10.0), (2.0, 0.4)

#: How much memory may grow [KiB].
GROWTH_KIB = 1024

#: How long each part of the warm-up takes [s]; the short form has none.
_WARM_UP = 30.0

#: Of targets that are mostly out of reach [Hz].
_OUT_OF_REACH_RATE = 50.0


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    seconds, every = SHORT if short else FULL
    random = Random(seed)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        arm = stack.enter_context(RunningArm('so101'))
        stream = Stream(arm, path(arm.arm, random), folder / 'path.json')
        if not short:
            around = [Targets(arm.arm, random, None).around() for _ in range(1000)]
            Stream(arm, around, folder / 'around.json').send(_OUT_OF_REACH_RATE, _WARM_UP)
            stream.send(FLOOD_RATE, _WARM_UP)
        before = counted(arm.settled_diagnostics())
        samples = {name: [] for name in arm.nodes}

        def look():
            for name, node in arm.nodes.items():
                samples[name].append(vitals(node.pid))
            if len(samples[IK]) % 6 == 0:
                say(samples[IK][-1])

        sent = stream.send(RATE, seconds, look, every)
        overtaken = sent + before - counted(arm.settled_diagnostics())
        codes = arm.stop()
    return [Figure('targets overtaken by newer ones', '', f'{overtaken} of {sent}', True),
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
