# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
End a node's spinning when the process is told to end.

SIGINT, SIGTERM and SIGHUP end it between two callbacks. They are not left to rclpy, which shuts its
context down under a running callback: whatever that callback publishes next ends in a traceback.
"""

import signal
import threading


class StopSignal:
    """
    Wait in a thread of its own for the signals that end a process.

    To be made before any other thread starts: the signals are blocked, all later threads inherit
    that, and so no wait or system call of theirs is ever interrupted.
    """

    def __init__(self):
        self._signals = {signal.SIGINT, signal.SIGTERM}
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as nohup sets it
            self._signals.add(signal.SIGHUP)
        self._stopped = threading.Event()
        self._executor = None
        signal.pthread_sigmask(signal.SIG_BLOCK, self._signals)
        threading.Thread(target=self._wait, name='stop_signal', daemon=True).start()

    def spin(self, executor):
        """Run an executor's callbacks until a signal has come."""
        self._executor = executor
        while not self._stopped.is_set():
            executor.spin_once()

    def _wait(self):
        signal.sigwait(self._signals)
        self._stopped.set()
        if self._executor is not None:
            # An executor that waits for work only returns when there is some.
            self._executor.create_task(lambda: None)
