# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
End a node's spinning when the process is told to end.

SIGINT, SIGTERM and SIGHUP end it between two callbacks. They are not left to rclpy, which shuts
its context down under a running callback: whatever that callback publishes next ends in a
traceback.
"""

import os
import signal
import threading

from rclpy.task import Future

from .executor import spin_until


class StopSignal:
    """
    Wait for the signals that end a process; to be made in the main thread.

    Python runs signal handlers in the main thread, which an executor keeps waiting inside ROS. So
    the handlers do nothing, and a thread of its own is told of the signal through a pipe.
    """

    def __init__(self):
        self._stop = Future()
        self._executor = None
        self._told, tell = os.pipe()
        os.set_blocking(tell, False)
        signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
                signal.signal(number, lambda *_: None)
        threading.Thread(target=self._wait, name='stop_signal', daemon=True).start()

    def spin(self, executor):
        """Run an executor's callbacks until a signal has come."""
        self._executor = executor
        spin_until(executor, self._stop)

    def _wait(self):
        os.read(self._told, 1)
        self._stop.set_result(None)
        if self._executor is not None:
            # An executor that waits for work only returns when there is some.
            self._executor.create_task(lambda: None)
