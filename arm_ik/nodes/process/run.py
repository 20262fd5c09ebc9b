# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Start a node, spin it, end it cleanly: what ``main`` of every node does."""

import gc
import os
import sys

import rclpy
from rclpy.signals import SignalHandlerOptions

from . import discovery
from .command_line import prepare
from .executor import make_executor
from .stop_signal import StopSignal
from .transport import by_udp
from ...errors import ArmIkError, DriverError, InvalidInputError

#: Exit code for a wrong command line or parameter file, as argparse has it.
USAGE_ERROR = 2

#: Exit code for servos that cannot be reached.
DRIVER_FAILURE = 1


def run(make_node, args=None, *, name, specs=()):
    """
    Run a node until a signal ends it.

    :param make_node: callable without arguments that returns the node; its parameter ``executor``,
        if it has one, names what its callbacks run in.
    :param args: the command line without the program's name; None: ``sys.argv[1:]``.
    :param name: the node's name, for messages and for its section of parameter files.
    :param specs: the node's parameters, to tell misspelt ones.
    :returns: the exit code of the process.
    """
    stop_signal = StopSignal()
    node = None
    try:
        with prepare(sys.argv[1:] if args is None else args, name, specs) as ros_args, \
                by_udp(os.environ):
            _init(ros_args)
            node = make_node()
        node.get_logger().info(discovery.words(os.environ))
        executor = _executor(node)
        executor.add_node(node)
        _leave_what_is_there_to_itself()
        stop_signal.spin(executor)
        return 0
    except ArmIkError as error:
        print(f'{name}: {error}', file=sys.stderr)
        return DRIVER_FAILURE if isinstance(error, DriverError) else USAGE_ERROR
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()


def _executor(node):
    name = 'single_threaded'
    if node.has_parameter('executor'):
        name = node.get_parameter('executor').value
    return make_executor(name, node.get_logger())


def _leave_what_is_there_to_itself():
    # Modules, the node and the arm are no garbage as long as the process lives. To look through
    # them for some again and again would hold up a target for 20 ms now and then.
    gc.freeze()


def _init(ros_args):
    try:
        rclpy.init(args=ros_args, signal_handler_options=SignalHandlerOptions.NO)
    except RuntimeError as error:  # the base of rclpy's own, which are not public
        raise InvalidInputError('command line', ' '.join(ros_args),
                                f'arguments that ROS takes; it says: {error}') from None
