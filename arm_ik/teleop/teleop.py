# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Drive the tip from the keyboard, by twists to a running ik_node.

A key latches its direction: the tip goes on until the next key.
"""

import argparse
from collections.abc import Sequence
from contextlib import closing
from math import dist
import sys
from time import monotonic

from .keys import HELP, Keys, ZERO
from ..arm import arm_of
from ..errors import InvalidInputError
from ..nodes.startup import discovery
from ..nodes.startup.command_line import add_options, split
from ..nodes.startup.start import handle_signals
from ..servos.terminal import Terminal
from ..viewer.ros_arm import RosArm

#: Period of twists [s]; a tip that hears none for 0.2 s stops.
PERIOD = 0.02


def main(args: Sequence[str]) -> int:
    """Drive the tip until q, Ctrl-C or a signal; return the exit code."""
    own, ros = split(args)
    options = _parser().parse_args(own)
    for name, value in (('--speed', options.speed), ('--turn-speed', options.turn_speed),
                        ('--step', options.step)):
        if value is not None and not 0.0 < value <= 10.0:
            raise InvalidInputError(name, value, 'above zero and at most 10')
    keys = Keys(options.speed, options.turn_speed, options.step)
    # No KeyboardInterrupt: raised while a destructor runs, it is lost.
    handle_signals(lambda *_: keys.press('q', monotonic()))
    arm, terminal = arm_of(options.arm, options.tip), Terminal()
    if not sys.stdin.isatty():
        raise InvalidInputError('standard input', 'no terminal',
                                'one: keys cannot come from a pipe or a file; with ssh, -t')
    discovery.adopt(options.discovery)
    remap = ['-r', f'__ns:=/{options.namespace.strip("/")}']
    with closing(RosArm(arm, ['--ros-args', *remap, *ros], 'teleop')) as source, \
            terminal.key_by_key():
        _drive(source, keys, terminal)
    return 0


def _drive(source: RosArm, keys: Keys, terminal: Terminal) -> None:
    """Send what the keys ask for, until one of them quits."""
    terminal.say(HELP)
    due, opening = monotonic(), None
    try:
        while not keys.quits:
            if key := terminal.key(lines(source, keys), max(0.0, due - monotonic())):
                keys.press(key, monotonic())
            if (now := monotonic()) < due:
                continue
            due = max(due + PERIOD, now)
            if twist := keys.twist(now):
                source.jog(*twist, keys.in_tool, is_stamped=True)
            # Keys may be faster than discovery.
            if keys.opening not in (None, opening) and source.connection == 'connected':
                source.gripper(opening := keys.opening)
    finally:
        source.jog(ZERO, ZERO, is_stamped=True)
        print(flush=True)


def lines(source: RosArm, keys: Keys) -> list[str]:
    """Return what there is to show."""
    model, measured = source.arm.model, source.measured
    place = 'tip unknown: joint_states of some joints have not come'
    if {*model.joint_names} <= measured.keys():
        tip = source.arm.forward([measured[name] for name in model.joint_names]).position
        part = dist(tip, (model.base_x, model.base_y, model.base_height)) / (
            model.reach + abs(model.shoulder_offset))
        place = 'tip {:+.3f} {:+.3f} {:+.3f} m, {:.0f} % of the reach'.format(*tip, 100.0 * part)
    opening = model.gripper_opening(measured)
    gripper = 'no gripper heard' if opening is None else \
        f'{model.extra_joints[0].name} {opening:.2f} (0 closed, 1 open)'
    return [f'  {words}' for words in (keys, place, gripper, source.status)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='arm_ik teleop', description=f'{__doc__}\n{HELP}',
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, 'so101')
    add = parser.add_argument
    add('--speed', metavar='M/S', type=float, default=0.05,
        help='of the tip (default: %(default)g)')
    add('--turn-speed', metavar='RAD/S', type=float, default=0.5,
        help='of the hand (default: %(default)g)')
    add('--step', metavar='M', type=float, nargs='?', const=0.005, help='each key moves the '
        'tip by one step (default: %(const)g m), or turns the hand for as long as that takes')
    add('--namespace', default='', help="the arm's")
    return parser
