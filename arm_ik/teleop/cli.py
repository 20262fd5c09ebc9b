# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The command line of teleop."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import os
import signal
import sys
from time import monotonic

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from .keys import HELP, Keyboard, keyboard, Keys
from .teleop import Teleop
from ..arm import Arm
from ..errors import ArmIkError, InvalidInputError
from ..nodes.startup import discovery
from ..nodes.startup.command_line import arm_file, split

DONE, USAGE = 0, 2

#: Period of twists [s]; a tip that hears none for 0.2 s stops.
PERIOD = 0.02

#: How often the lines are shown [s].
_REFRESH = 0.1

_DESCRIPTION = f"""\
Drive the tip from the keyboard, by twists to a running ik_node. A key latches its direction: the
tip goes on until the next key.

{HELP}
"""


def main(args: Sequence[str] | None = None) -> int:
    """Drive the tip until q, Ctrl-C or a signal; return the exit code."""
    own, ros = split(sys.argv[1:] if args is None else args)
    options = _parser().parse_args(own)
    keys = Keys(options.speed, options.turn_speed, options.step)
    # No KeyboardInterrupt: raised while a destructor runs, it is lost.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, lambda *_: keys.press('q', monotonic()))
    try:
        arm = Arm.from_yaml(arm_file(options.arm))
        with keyboard() as terminal:
            _drive(arm, options, ros, terminal, keys)
    except EOFError:
        pass
    except ArmIkError as error:
        print(f'arm_ik teleop: {error}', file=sys.stderr)
        return USAGE
    return DONE


def _drive(arm: Arm, options: argparse.Namespace, ros: list[str], terminal: Keyboard, keys: Keys
           ) -> None:
    variables, _ = discovery.settings(options.discovery, os.environ)
    os.environ.update(variables)
    rclpy.init(args=['--ros-args', *ros], signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = rclpy.create_node('teleop', namespace=options.namespace)
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        teleop = Teleop(node, arm, options.frame_prefix)
        print(HELP, flush=True)
        try:
            _loop(terminal, executor, teleop, keys)
        finally:
            teleop.stop()
            print(flush=True)
    finally:
        rclpy.try_shutdown()


def _loop(terminal: Keyboard, executor: SingleThreadedExecutor, teleop: Teleop, keys: Keys
          ) -> None:
    due = shown = monotonic()
    while not keys.quits:
        for key in terminal.keys(max(0.0, due - monotonic())):
            keys.press(key, monotonic())
        executor.spin_once(timeout_sec=0.0)
        now = monotonic()
        if now >= due:
            due = max(due + PERIOD, now)
            teleop.send(keys, now)
        if now >= shown:
            shown = now + _REFRESH
            terminal.show(teleop.lines(keys))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='arm_ik teleop', description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--arm', metavar='ARM', default='so101', help='an arm that comes with '
                        'the package, or the path of a YAML file (default: %(default)s)')
    parser.add_argument('--speed', metavar='M/S', type=_positive, default=0.05,
                        help='of the tip (default: %(default)g)')
    parser.add_argument('--turn-speed', metavar='RAD/S', type=_positive, default=0.5,
                        help='of the hand (default: %(default)g)')
    parser.add_argument('--step', metavar='M', type=_positive, nargs='?', const=0.005,
                        help='each key moves the tip by one step (default: %(const)g m), or turns '
                        'the hand for as long as that takes')
    parser.add_argument('--namespace', default='', help="the arm's")
    parser.add_argument('--frame-prefix', metavar='PREFIX', default='', help="the arm's")
    parser.add_argument('--discovery', choices=discovery.CHOICES, default='',
                        help=discovery.DESCRIPTION)
    return parser


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number <= 10.0:
        raise argparse.ArgumentTypeError(str(InvalidInputError(
            'the number', text, 'one above zero and at most 10')))
    return number
