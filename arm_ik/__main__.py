# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The command ``arm_ik``, or ``python -m arm_ik``: its first argument says which command runs.

Only the command that runs is imported, so the others may need what is not installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
import sys

from .errors import did_you_mean

USAGE_ERROR, NOT_INSTALLED = 2, 1

#: What each command does, and the function that runs it: from its arguments to the exit code.
COMMANDS = {
    'demo': ('a simulated arm follows files of targets, and is judged', 'demo:main'),
    'workspace': ('draw what an arm reaches, and what stops it elsewhere', 'workspace:main'),
    'ik_node': ('ROS 2 node: targets in, joint commands out', 'nodes.process.start:ik_node'),
    'driver_node': ('ROS 2 node: joint commands in, joint states out',
                    'nodes.process.start:driver_node'),
}


def main(args: Sequence[str] | None = None) -> int:
    """
    Run a command.

    :param args: its name and its arguments; None: those of the process.
    :returns: the exit code.
    """
    name, *rest = (sys.argv[1:] if args is None else args) or ['--help']
    if name in ('--help', '-h'):
        print(_help())
        return 0
    if name not in COMMANDS:
        print(f'arm_ik: no command {name!r}; {did_you_mean(name, COMMANDS)}'
              f'there are: {", ".join(COMMANDS)}', file=sys.stderr)
        return USAGE_ERROR
    module, function = COMMANDS[name][1].split(':')
    try:
        return getattr(import_module(f'.{module}', __package__), function)(rest)
    except ModuleNotFoundError as error:
        print(f'arm_ik {name}: no Python module {error.name!r}; is ROS 2 sourced, or arm_ik '
              'installed with the extra jazzy or kilted?', file=sys.stderr)
        return NOT_INSTALLED


def _help() -> str:
    lines = [f'  {name:12} {what}' for name, (what, _) in COMMANDS.items()]
    return '\n'.join(['usage: arm_ik COMMAND [ARGUMENT ...]', '', 'commands:', *lines, '',
                      'arm_ik COMMAND --help says what a command takes.'])


if __name__ == '__main__':
    sys.exit(main())
