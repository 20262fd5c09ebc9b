# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The command line of the tools for real servos."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import os
import signal
import sys

from . import calibrate, check, lerobot, move, scan, set_id, verify
from .terminal import NotWanted, Terminal
from ..drivers.families import bus_names
from ..errors import ArmIkError, DriverError

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130

_DESCRIPTION = """\
Tools for the servos of a real arm: find them, move one, find zeros and ranges, compare.
"""

_EPILOG = """\
From a new arm to its first motion:
  arm_ik servos scan                        which servos are there?
  arm_ik servos calibrate so101             or: import-lerobot FILE.json
  arm_ik servos verify my_so101.yaml
  driver_node --arm so101 --servos my_so101.yaml

Torque is switched on or off, and an id is written, only after a question. No other tool writes
into an EEPROM. Ctrl-C ends every tool, and how the servos are left is said.

exit code: 0 if all was done; 1 if not; 2 for a wrong command line or file; 130 if interrupted.
"""


def main(args: Sequence[str] | None = None) -> int:
    """Run a tool; return the exit code."""
    options = _parser().parse_args(args)
    terminal = Terminal(options.yes)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    prefix = f'arm_ik servos {options.tool}'
    try:
        return options.run(options, terminal)
    except NotWanted:
        return _ended(terminal, prefix, 'not wanted', FAILED)
    except DriverError as error:
        return _ended(terminal, prefix, str(error), FAILED)
    except ArmIkError as error:
        return _ended(terminal, prefix, str(error), USAGE)
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        return _ended(terminal, prefix, str(error), USAGE)
    except KeyboardInterrupt:
        return _ended(terminal, prefix, 'interrupted', INTERRUPTED)


def _ended(terminal: Terminal, prefix: str, why: str, code: int) -> int:
    print(f'{prefix}: {why}\n{prefix}: {terminal.state}', file=sys.stderr, flush=True)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='arm_ik servos', description=_DESCRIPTION, epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    tools = parser.add_subparsers(dest='tool', metavar='TOOL', required=True)

    def add(name: str, module: object, what: str) -> argparse.ArgumentParser:
        tool = tools.add_parser(name, help=what, description=f'{what[0].upper()}{what[1:]}.')
        tool.set_defaults(run=getattr(module, 'run'), yes=False)
        return tool

    tool = add('scan', scan, 'look for servos at every common baud rate')
    _bus(tool)
    _looking(tool)

    tool = add('move', move, 'move one joint, or one servo by its id, slowly')
    tool.add_argument('joint', metavar='JOINT', help='its name, with --servos; else an id')
    tool.add_argument('--by', metavar='X', type=float,
                      help='this far: degrees, or mm on a slide; ticks of an id')
    tool.add_argument('--to', metavar='X', type=float, help='to this position')
    tool.add_argument('--servos', metavar='FILE', help='the servos file')
    tool.add_argument('--arm', metavar='ARM', help='the arm, if its joints do not say')
    _speed(tool)
    _bus(tool)
    _writing(tool)
    _limp(tool)

    tool = add('set-id', set_id, 'give one servo another id, for good')
    tool.add_argument('new_id', metavar='NEW', type=int, help='the new id')
    tool.add_argument('--from', metavar='OLD', dest='old_id', type=int,
                      help='its id now; needed if others are connected, too')
    _bus(tool)
    _looking(tool)
    _writing(tool)

    tool = add('calibrate', calibrate, 'find zeros, directions and ranges, the arm moved by hand, '
               'and write a servos file')
    tool.add_argument('arm', metavar='ARM', help='an arm that comes with the package, or the path '
                      'of a YAML file')
    _new_file(tool)
    _writing(tool)

    tool = add('import-lerobot', lerobot, "write a servos file from LeRobot's calibration")
    tool.add_argument('file', metavar='FILE', nargs='?', help="LeRobot's calibration file (.json)")
    tool.add_argument('--from-servos', action='store_true',
                      help='read the same numbers from the servos')
    tool.add_argument('--arm', metavar='ARM', default='so101', help='default: %(default)s')
    _new_file(tool)
    _writing(tool)

    tool = add('verify', verify, 'compare a servos file with the arm, held in three poses')
    _given_file(tool)
    _writing(tool)

    tool = add('check', check, 'sweep joints, commanded beside measured: offset, backlash, lag')
    _given_file(tool)
    tool.add_argument('--joint', metavar='NAME', action='append',
                      help='only this one; may be given again')
    tool.add_argument('--range', metavar='DEG', type=float, default=15.0,
                      help='how far to both sides (default: %(default)g)')
    _speed(tool)
    _writing(tool)
    _limp(tool)
    return parser


def _bus(tool: argparse.ArgumentParser) -> None:
    tool.add_argument('--port', metavar='PORT', help='default: the one there is')
    tool.add_argument('--backend', choices=bus_names(), default='feetech',
                      help='kind of servos; dynamixel1: AX-12 and its kin, by protocol 1.0 '
                      '(default: %(default)s)')
    tool.add_argument('--baud', metavar='BAUD', type=int, help='default: all common ones, or the '
                      'usual one')
    tool.add_argument('--patience', metavar='SECONDS', type=float,
                      help='how long an answer may take, for adapters that are slow')


def _looking(tool: argparse.ArgumentParser) -> None:
    tool.add_argument('--ids', metavar='IDS', help='ask only these, such as 1-6,20')


def _new_file(tool: argparse.ArgumentParser) -> None:
    tool.add_argument('--output', '-o', metavar='FILE', help='default: my_ARM.yaml')
    tool.add_argument('--like', metavar='FILE', help='a servos file with ids and bus; default: '
                      'the example for this arm')
    tool.add_argument('--port', metavar='PORT', help='default: the one there is')
    tool.add_argument('--baud', metavar='BAUD', type=int, help='default: as in the example')


def _given_file(tool: argparse.ArgumentParser) -> None:
    tool.add_argument('servos', metavar='FILE', help='the servos file')
    tool.add_argument('--arm', metavar='ARM', help='the arm, if its joints do not say')


def _writing(tool: argparse.ArgumentParser) -> None:
    tool.add_argument('--yes', action='store_true', help='ask nothing: yes to every question')
    tool.add_argument('--dry-run', action='store_true', help='say what would be done or written')


def _speed(tool: argparse.ArgumentParser) -> None:
    tool.add_argument('--speed', metavar='X', type=float, default=20.0,
                      help='degrees or mm per second (default: %(default)g)')


def _limp(tool: argparse.ArgumentParser) -> None:
    tool.add_argument('--limp', action='store_true', help='torque off again in the end')
