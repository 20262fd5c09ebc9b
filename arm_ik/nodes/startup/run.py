# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Run a node until a signal ends it: what ``main`` of every node does.

*Signals.* SIGINT, SIGTERM, SIGHUP and SIGQUIT end the node between two callbacks. rclpy's own
handlers are not used: they shut the context down while a callback runs, and its next publish ends
in a traceback.

*Executors.* ``events`` is rclpy's EventsExecutor. It is written in C++, and the middleware
notifies it of each message. ``single_threaded``, the default of rclpy, polls every entity in
Python before each callback: twice the CPU time at a thousand targets a second. The multi-threaded
executor is not offered, because it loses messages above a few hundred a second.
"""

from collections.abc import Callable, Sequence
import gc
import os
import signal
import sys
import threading
from typing import Any

import rclpy
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from . import discovery
from .command_line import GivenParameters, prepare
from .start import handle_signals
from ..common.spec import Spec
from ...errors import ArmIkError, DriverError, InvalidInputError

#: Exit code for a wrong command line or parameter file, as argparse has it.
USAGE_ERROR = 2

#: Exit code for servos that cannot be reached.
DRIVER_FAILURE = 1

#: How long a thread, of the bus or for planning, may keep the interpreter from another one [s];
#: Python's own is 5 ms.
_SWITCH_INTERVAL = 5e-4

# On Jazzy and Kilted ``EventsExecutor.spin()`` without a timeout uses a whole core and dispatches
# nothing, so every wait has a timeout.
_WAIT_S = 3600.0


def run(make_node: Callable[[GivenParameters], Node], args: Sequence[str] | None = None, *,
        name: str, specs: Sequence[Spec] = ()) -> int:
    """
    Run a node until a signal ends it.

    :param make_node: makes the node of its :class:`~.command_line.GivenParameters`; its
        parameter ``executor``, if it has one, names the executor of its callbacks.
    :param args: the command line without the program's name; None: ``sys.argv[1:]``.
    :param name: the node's name, for messages and for its section of parameter files.
    :param specs: the node's parameters, to find misspelt ones.
    :returns: the exit code of the process.
    """
    sys.setswitchinterval(_SWITCH_INTERVAL)
    stop_signal, node = StopSignal(), None
    try:
        ros_args, asked, given = prepare(sys.argv[1:] if args is None else args, name, specs)
        found_by = discovery.adopt(asked)
        node = _start(make_node, ros_args, given)
        for note in given.notes:
            node.get_logger().warning(note)
        node.get_logger().info(found_by)
        executor = make_executor(
            node.get_parameter('executor').value if node.has_parameter('executor')
            else 'single_threaded', node.get_logger())
        executor.add_node(node)
        # Modules, the node and the arm live as long as the process. Without this, the garbage
        # collector would search them again and again and sometimes delay a target by 20 ms.
        gc.freeze()
        stop_signal.spin(executor)
        return 0
    except ArmIkError as error:
        print(f'{name}: {error}', file=sys.stderr)
        return DRIVER_FAILURE if isinstance(error, DriverError) else USAGE_ERROR
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()


class StopSignal:
    """
    Wait for the signals that end a process; to be made in the main thread.

    Python runs signal handlers in the main thread, which an executor keeps waiting inside ROS. So
    the handlers do nothing, and a thread reads the signal from a pipe.
    """

    def __init__(self) -> None:
        self._stop = Future()
        self._executor: Executor | None = None
        self._pipe, write_end = os.pipe()
        os.set_blocking(write_end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        handle_signals(lambda *_: None)
        threading.Thread(target=self._wait, name='stop_signal', daemon=True).start()

    def spin(self, executor: Executor) -> None:
        """Run an executor's callbacks until a signal has come."""
        self._executor = executor
        spin_until(executor, self._stop)

    def _wait(self) -> None:
        os.read(self._pipe, 1)
        end_spin(self._executor, self._stop)


def _start(make_node: Callable[[GivenParameters], Node], ros_args: list[str],
           given: GivenParameters) -> Node:
    try:
        rclpy.init(args=ros_args, signal_handler_options=SignalHandlerOptions.NO)
        return make_node(given)
    except ArmIkError:
        raise
    except RuntimeError as error:  # the base class of rclpy's errors, which are not public
        raise InvalidInputError('start of ROS 2', str(error).splitlines()[0],
                                'valid ROS arguments and environment') from None


def make_executor(name: str, logger: Any) -> Executor:
    """
    Return an executor; the single-threaded one, with a warning, where rclpy has no other.

    :param name: ``'events'`` or ``'single_threaded'``.
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


def end_spin(executor: Executor | None, stop: Future) -> None:
    """End :func:`spin_until` from another thread, or before it has begun."""
    stop.set_result(None)
    if executor is not None:    # one that waits returns only when there is work
        executor.create_task(lambda: None)
