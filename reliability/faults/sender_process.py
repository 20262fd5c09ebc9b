# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The process that sends targets, started when it is not there."""

import json
from signal import SIGKILL

from arm_ik.nodes.common.rotation import quaternion
from arm_ik.testing.processes import Guard, NodeProcess


class SenderProcess:
    """
    A process of :mod:`.target_sender`; it does not outlive the context.

    :param bench: the :class:`~.fault_bench.FaultBench` it sends to.
    :param mode: what it does.
    :param readings: whose poses it sends, each base to tip [rad].
    """

    def __init__(self, bench, mode, readings):
        self._command = ('reliability.faults.target_sender',
                         [mode, json.dumps([_pose(bench.arm.forward(q)) for q in readings])],
                         bench.variables)
        self._process = self._guard = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._end()

    def start(self):
        """Start it unless it runs."""
        if self._process is None or self._process.exit_code is not None:
            self._end()
            self._process = NodeProcess.of_module(*self._command)
            self._guard = Guard([self._process.pid])

    def signal(self, number):
        """Send it a signal; one that has been killed has ended on return."""
        self._process.signal(number)
        if number == SIGKILL:
            self._process.wait(None)

    def _end(self):
        if self._process is not None:
            self.signal(SIGKILL)
            self._guard.close()


def _pose(tip):
    return [*map(float, tip.position), *map(float, quaternion(tip.rotation))]
