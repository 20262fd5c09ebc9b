# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Tools for the servos of a real arm: find them, move one, find zeros and ranges, compare.

From a new arm to its first motion:
  arm_ik servos scan                        which servos are there?
  arm_ik servos calibrate so101             or: import-lerobot FILE.json
  arm_ik servos verify my_so101.yaml
  driver_node --arm so101 --servos my_so101.yaml

Torque is switched on or off, and an EEPROM is written, only after a question, and but for an id
with a backup file first. Ctrl-C ends every tool, and how the servos are left is said.

Exit code: 0 if all was done; 1 if not; 2 for a wrong command line or file; 130 if interrupted.
"""

import argparse
from collections.abc import Sequence
import signal
import sys
from typing import Any

from . import calibrate, eeprom, lerobot, move, scan, verify
from .terminal import INTERRUPTS, NotWanted, Terminal
from ..bus.families import REAL
from ..errors import ArmIkError, DriverError

FAILED, USAGE, INTERRUPTED = 1, 2, 130


def main(args: Sequence[str]) -> int:
    """Run a tool; return the exit code."""
    return run('arm_ik servos', _TOOLS, args, __doc__)


def run(prog: str, tools: Sequence[Any], args: Sequence[str], about: str | None = None,
        ros: Sequence[str] = ()) -> int:
    """
    Run one of several tools at a terminal, and say how it leaves the servos if it fails.

    :param prog: the command before a tool's name.
    :param tools: of each its name, a function of options and terminal, what it does in words, and
        arguments as of :func:`one`.
    :param args: the command line, a tool's name first.
    :param about: what the help says of all of them.
    :param ros: arguments of ROS, for the tool.
    :returns: the exit code.
    """
    parser = argparse.ArgumentParser(
        prog=prog, description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parsers = parser.add_subparsers(dest='tool', metavar='TOOL', required=True)
    for name, work, what, arguments in tools:
        tool = parsers.add_parser(name, help=what, description=f'{what[0].upper()}{what[1:]}.')
        tool.set_defaults(run=work, yes=False, ros=ros)
        for flags, settings in arguments:
            tool.add_argument(*flags.split(), **settings)
    options = parser.parse_args(args)
    prefix = f'{prog} {options.tool}'
    terminal = Terminal(options.yes)
    for number in INTERRUPTS:
        signal.signal(number, signal.default_int_handler)
    try:
        return options.run(options, terminal)
    except BrokenPipeError:
        raise
    except (NotWanted, DriverError) as error:
        why, code = str(error), FAILED
    except (ArmIkError, OSError) as error:
        why, code = str(error), USAGE
    except KeyboardInterrupt:
        why, code = 'interrupted', INTERRUPTED
    print(f'{prefix}: {why}\n{prefix}: {terminal.state}', file=sys.stderr, flush=True)
    return code


def one(flags: str, metavar: str | None, what: str, **more: object) -> tuple[str, dict]:
    """Return an argument; without ``metavar`` it is a switch."""
    kind = {'metavar': metavar} if metavar else {'action': 'store_true'}
    return flags, {**kind, 'help': what, **more}


_PORT = one('--port', 'PORT', 'default: the one there is')
_BUS = (
    _PORT,
    ('--backend', {'choices': REAL, 'default': 'feetech', 'help': 'kind of servos; '
                   'dynamixel1: AX-12 and its kin, by protocol 1.0 (default: %(default)s)'}),
    one('--baud', 'BAUD', 'default: all common ones, or the usual one', type=int),
    one('--patience', 'SECONDS', 'how long an answer may take, for slow adapters', type=float))
_IDS = one('--ids', 'IDS', 'ask only these, such as 1-6,20')
_NEW_FILE = (
    one('--output -o', 'FILE', 'default: my_ARM.yaml'),
    one('--like', 'FILE', 'a servos file with ids and bus; default: the example for this arm'),
    _PORT, one('--baud', 'BAUD', 'default: as in the example', type=int))
_ARM = one('--arm', 'ARM', 'the arm, if its joints do not say')
_FILE = (one('servos', 'FILE', 'the servos file'), _ARM)
_YES = one('--yes', None, 'ask nothing: yes to every question')
_SPEED = one('--speed', 'X', 'degrees or mm per second (default: %(default)g)', type=float,
             default=20.0)

_TOOLS = (
    ('scan', scan.run, 'look for servos at every common baud rate', (*_BUS, _IDS)),
    ('move', move.run, 'move one joint slowly', (
        one('joint', 'JOINT', 'its name'),
        one('--by', 'X', 'this far: degrees, or mm on a slide', type=float),
        one('--to', 'X', 'to this position', type=float),
        one('--servos', 'FILE', 'the servos file', required=True), _ARM, _SPEED, _YES,
        one('--limp', None, 'torque off again in the end'))),
    ('set-id', scan.set_id, 'give one servo another id, for good', (
        one('new_id', 'NEW', 'the new id', type=int),
        one('--from', 'OLD', 'its id now; needed if others are connected, too', dest='old_id',
            type=int), *_BUS, _IDS, _YES)),
    ('calibrate', calibrate.run, 'find zeros, directions and ranges, the arm moved by hand, and '
     'write a servos file', (
         one('arm', 'ARM', 'an arm that comes with the package, or the path of a YAML file'),
         *_NEW_FILE, _YES)),
    ('set', eeprom.set_needed, 'write into the EEPROMs what the driver needs there', (
        one('arm_or_file', 'ARM|FILE', 'an arm that comes with the package, whose example says '
             'the ids, or a servos file'), _ARM, _PORT, _YES)),
    ('restore', eeprom.restore, 'write back what a backup file says was in the EEPROMs', (
        one('backup', 'BACKUP', 'servos_backup_....yaml'), _PORT, _YES)),
    ('import-lerobot', lerobot.run, "write a servos file from LeRobot's calibration", (
        one('file', 'FILE', "LeRobot's calibration file (.json)"),
        one('--prefix', 'TEXT', 'of the names of this arm, such as left_arm_', default=''),
        one('--names', 'THEIRS=OURS', 'joints that have another name in the file', nargs='+',
            action='extend', default=[]),
        one('--arm', 'ARM', 'default: %(default)s', default='so101'), *_NEW_FILE, _YES)),
    ('verify', verify.run, 'compare a servos file with the arm, held in three poses', (
        *_FILE, one('--within', 'DEG', 'how far joints may be from the drawings (default: '
                    '%(default)g)', type=float, default=3.0), _YES)),
    ('check', move.check, 'sweep joints, commanded beside measured: offset, backlash, lag', (
        *_FILE, one('--joint', 'NAME', 'only this one; may be given again', action='append'),
        one('--range', 'DEG', 'how far to both sides (default: %(default)g)', type=float,
            default=15.0), _SPEED, _YES)))
