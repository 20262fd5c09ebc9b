# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The executors that run callbacks.

``events`` is rclpy's EventsExecutor. It is written in C++, and the middleware notifies it of each
message. ``single_threaded``, the default of rclpy, polls every entity in Python before each
callback: twice the CPU time at a thousand targets a second. The multi-threaded executor is not
offered, because it loses messages above a few hundred a second.
"""

from __future__ import annotations

from typing import Any

from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.task import Future

#: Names of the executors there are; the first is the default.
EXECUTORS = ('events', 'single_threaded')

# On Jazzy and Kilted ``EventsExecutor.spin()`` without a timeout uses a whole core and dispatches
# nothing, so every wait has a timeout.
_WAIT_S = 3600.0


def make_executor(name: str, logger: Any) -> Executor:
    """
    Return an executor; the single-threaded one, with a warning, where rclpy has no other.

    :param name: one of :data:`EXECUTORS`.
    :param logger: of the node that is to run in it.
    """
    if name == 'events':
        try:
            from rclpy.experimental import EventsExecutor
            return EventsExecutor()
        except (ImportError, AttributeError) as error:
            logger.warning(f'this rclpy has no events executor ({error}): '
                           'running in the single-threaded one')
    return SingleThreadedExecutor()


def spin_until(executor: Executor, stop: Future) -> None:
    """
    Run callbacks until a future is done; its completion has to wake the executor.

    :param executor: from :func:`make_executor`, or any other of rclpy's.
    :param stop: an rclpy Future.
    """
    while not stop.done():
        if isinstance(executor, SingleThreadedExecutor):
            executor.spin_once()  # cheaper than spin_until_future_complete
        else:
            executor.spin_until_future_complete(stop, timeout_sec=_WAIT_S)


def end_spin(executor: Executor, stop: Future) -> None:
    """End :func:`spin_until` from another thread."""
    stop.set_result(None)
    # An executor that waits returns only when there is work.
    executor.create_task(lambda: None)
