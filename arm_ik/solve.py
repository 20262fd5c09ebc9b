# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Print joint positions that bring the tip of an arm to a target, or as near to it as it gets.

Lengths in metres, angles in radians, in base_link.

For example:
  arm_ik solve so101 --position 0.20 0.05 0.05 --up 0 0 -1
  arm_ik solve so101 --tip gripper_frame_link --position 0.2 0 0.1 --json
  arm_ik solve my_arm.yaml --position 0.2 0 0.1 --near 0 -1.2 1.2 0.6 0

Exit code: 0 if the target is reached; 1 if the answer is the nearest to it; 2 for a wrong command
line, arm or number, with the reason on stderr and nothing on stdout.
"""

import argparse
from collections.abc import Sequence
import json
from math import degrees

from .arm import arm_of
from .description.yaml_reader import scalar
from .kinematics.target import Target


def main(args: Sequence[str]) -> int:
    """Solve a target and print the answer; return the exit code."""
    parser = argparse.ArgumentParser(prog='arm_ik solve', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('arm', metavar='ARM', help='an arm that comes with the package, or the path of a YAML '
        'file or a URDF')
    for name, needed, what in (
            ('--position', True, 'of the tip'),
            ('--up', False, 'direction of the last link, wrist to tip; by default any'),
            ('--forward', False, "direction of tool0's x, as far as --up allows; by default any")):
        add(name, nargs=3, type=float, metavar=('X', 'Y', 'Z'), required=needed, help=what)
    add('--near', nargs='+', type=float, metavar='POSITION', help='where the arm is: joint '
        'positions to stay near to, base to tip; by default home')
    add('--tip', metavar='NAME', help="one of the arm's tips, a frame of the URDF; by default as "
        'in the YAML, the only one that fits')
    add('--json', action='store_true', help='one line of JSON, with the names that '
        'arm_ik.Solution has, and positions by joint')
    # A number may be written so that argparse takes it for an option, as -1e-3 is.
    options = parser.parse_args([f' {arg}' if arg.startswith('-') and not isinstance(
        scalar(arg), str) else arg for arg in args])
    arm = arm_of(options.arm, options.tip)
    solution = arm.solve(Target(options.position, options.up, options.forward), options.near)
    answer = {**solution._asdict(), 'q': dict(zip(arm.joint_names, solution.q)),
              'status': solution.status.name}
    print(json.dumps(answer) if options.json else '\n'.join(_lines(answer)))
    return 0 if solution.reached else 1


def _lines(answer: dict) -> list[str]:
    """Return an answer for people: positions in degrees, too, and what there is to say."""
    positions, others = answer['q'], {
        'limited_by': ', '.join(answer['limited_by']), 'reason': answer['reason']}
    errors = {name: f'{value:.3g}' for name, value in answer.items() if isinstance(value, float)}
    return [answer['status'],
            *(f'{name:18}{q:9.4f} rad{degrees(q):9.2f} deg' for name, q in positions.items()),
            *(f'{name:18}{value:>9}' for name, value in errors.items()),
            *(f'{name:18} {words}' for name, words in others.items() if words)]
