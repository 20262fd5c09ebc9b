# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A node that is started again whenever it ends, as ``respawn`` has it in launch files."""

from signal import SIGKILL
from threading import Condition
from time import monotonic

from arm_ik.testing.processes import Guard, NodeProcess

#: Ends of its own doing after which a node is given up.
_PATIENCE = 5


class Respawned:
    """
    See the module.

    :param module: what to run.
    :param arguments: its command line.
    :param environment: variables to set beside those of this process.
    """

    def __init__(self, module, arguments, environment):
        self._command = module, arguments, environment
        self._lock = Condition()
        self._process = self._guard = None
        self._closed = False
        self.crashes = []  # what is to be said of ends that nobody asked for
        self._start()

    def kill(self):
        """Kill the node and return when that was [s]; it is dead and its successor begins."""
        with self._lock:
            process, now = self._process, monotonic()
            process.signal(SIGKILL)
            self._lock.wait_for(lambda: self._process is not process)
        return now

    def close(self):
        """End the node for good."""
        with self._lock:
            self._closed = True
        self._process.stop()
        self._guard.close()

    def _start(self):
        with self._lock:
            self._process = NodeProcess.of_module(*self._command, self._on_end)
            self._guard = Guard([self._process.pid])
            self._lock.notify_all()

    def _on_end(self):
        with self._lock:  # until the process is known here that has ended
            if self._closed:
                return
            self._guard.close()
            if self._process.exit_code != -SIGKILL:
                self.crashes.append(self._process.describe())
            if len(self.crashes) < _PATIENCE:
                self._start()
