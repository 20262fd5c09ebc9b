# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What a node's callbacks run in.

``events``: rclpy's EventsExecutor, which is told by the middleware what came and does its work in
C++. ``single_threaded``: rclpy's usual one, which asks every entity anew for each callback, in
Python: twice the CPU at a thousand targets a second. The multi-threaded one loses messages from a
few hundred a second on and is not offered.

On Jazzy and Kilted ``EventsExecutor.spin()`` without a time-out burns a core and dispatches
nothing, so every wait here has an end.
"""

from rclpy.executors import SingleThreadedExecutor

#: Names of the executors there are; the first is the default.
EXECUTORS = ('events', 'single_threaded')

#: How long one wait of the events executor lasts at most [s].
_WAIT_S = 3600.0


def make_executor(name, logger):
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


def spin_until(executor, stop):
    """
    Run callbacks until a future is done; whoever completes it has to wake the executor.

    :param executor: from :func:`make_executor`, or any other of rclpy's.
    :param stop: an rclpy Future.
    """
    if isinstance(executor, SingleThreadedExecutor):
        while not stop.done():
            executor.spin_once()  # cheaper than spinning until the future is done
        return
    while not stop.done():
        executor.spin_until_future_complete(stop, timeout_sec=_WAIT_S)
