# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The executables: they handle signals before the slow imports of ROS.

A signal during the imports ends the process like a later one: with exit code 0 and without a
traceback. Where no scripts are installed, ``python -m arm_ik.nodes.startup.start ik_node`` does
the same.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
import signal
import sys

from ...errors import missing_module

#: The modules of the executables' nodes.
_MODULES = {'driver_node': '..driver.driver_node', 'ik_node': '..ik.ik_node',
            'target_marker': '..ik.target_marker'}


def ik_node(args: Sequence[str] | None = None) -> int:
    """Run ``ik_node``; the exit code is the process's."""
    return _run('ik_node', args)


def driver_node(args: Sequence[str] | None = None) -> int:
    """Run ``driver_node``; the exit code is the process's."""
    return _run('driver_node', args)


def handle_signals(handler: Callable[..., object]) -> None:
    """Have a function called for each signal that ends a node."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, handler)


def _run(name: str, args: Sequence[str] | None = None) -> int:
    signals: list[int] = []
    handle_signals(lambda number, _: signals.append(number))
    try:
        main = import_module(_MODULES[name], __package__).main
    except ModuleNotFoundError as error:
        print(f'{name}: {missing_module(error)}', file=sys.stderr)
        return 1
    return 0 if signals else main(args)


if __name__ == '__main__':
    sys.exit(_run(sys.argv.pop(1)))
