# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The program ``arm_ik``, or ``python -m arm_ik``. Its first argument names a command.

Only the command that runs is imported, so the dependencies of the others may be missing.
"""

from collections.abc import Sequence
from importlib import import_module
import os
import sys
import warnings

from .errors import ArmIkError, did_you_mean, missing_module

USAGE_ERROR, NOT_INSTALLED, INTERRUPTED, CLOSED_PIPE = 2, 1, 130, 141

#: What each command does, and the function that runs it: from its arguments to the exit code.
COMMANDS = {
    'demo': ('send files of targets to a simulated arm, and judge it', 'demo.cli:main'),
    'solve': ('joint positions for one target, as text or JSON', 'solve:main'),
    'from-urdf': ('make an arm file of the URDF of an arm', 'description.command:main'),
    'mjcf': ('write an arm for the simulator MuJoCo', 'mjcf:main'),
    'workspace': ('draw what an arm reaches, and what limits it elsewhere', 'workspace.cli:main'),
    'servos': ('find, calibrate, verify and move the servos of a real arm', 'servos.cli:main'),
    'teach': ('store poses of a limp arm, moved by hand, in a target file', 'teach:teach'),
    'replay': ('play a target file or a recording on the arm', 'teach:replay'),
    'record': ('record what the arm does, as MCAP', 'teach:record'),
    'teleop': ('drive the tip of an arm from the keyboard', 'teleop.teleop:main'),
    'ik_node': ('ROS 2 node: targets in, joint commands out', 'nodes.startup.start:ik_node'),
    'driver_node': ('ROS 2 node: joint commands in, joint states out',
                    'nodes.startup.start:driver_node'),
    'viewer': ('a page in the browser: see the arm, drag its target', 'viewer.cli:main')}


def main(args: Sequence[str] | None = None) -> int:
    """
    Run a command.

    :param args: name and arguments of the command; ``None``: those of the process.
    :returns: the exit code; 141, as a shell has it, if whoever read the output has enough of it.
    """
    try:
        try:
            return _run(args)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE


def _run(args: Sequence[str] | None) -> int:
    name, *rest = (sys.argv[1:] if args is None else args) or ['--help']
    if name in ('--help', '-h'):
        print('usage: arm_ik COMMAND [ARGUMENT ...]\n\ncommands:',
              *(f'  {known:12} {what}' for known, (what, _) in COMMANDS.items()),
              '\narm_ik COMMAND --help shows the arguments of a command.', sep='\n')
        return 0
    if name not in COMMANDS:
        print(f'arm_ik: no command {name!r}; {did_you_mean(name, COMMANDS)}'
              f'there are: {", ".join(COMMANDS)}', file=sys.stderr)
        return USAGE_ERROR
    module, function = COMMANDS[name][1].split(':')

    def show(message: object, *_: object, **__: object) -> None:  # one line, warnings too
        print(f'arm_ik {name}: {message}', file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        try:
            return getattr(import_module(f'.{module}', __package__), function)(rest)
        except ModuleNotFoundError as error:
            show(missing_module(error))
            return NOT_INSTALLED
        except BrokenPipeError:
            raise
        except (ArmIkError, OSError) as error:
            show(error)
            return USAGE_ERROR
        except KeyboardInterrupt:
            show('interrupted')
            return INTERRUPTED


if __name__ == '__main__':
    sys.exit(main())
