# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Make an arm file of the URDF, or of the xacro, of an arm.

Its first lines say what each joint was taken for, and what to check. Speeds are at most 3.0 rad/s,
and 1.0 where the URDF has none. Examples:

  arm_ik from-urdf so101.urdf --tip gripper_frame_link -o my_arm.yaml
  arm_ik from-urdf arm.urdf.xacro dof:=5 --up y --tolerance 0.5

Exit code: 0 if it was written; 2 for a wrong command line or file, or an arm that does not fit.
"""

import argparse
from collections.abc import Sequence
import json
from pathlib import Path
from typing import Any

from .arm_file import dump, model_from_parameters, model_to_mapping
from .urdf_fit import MOST_MISS
from .urdf_reader import from_urdf
from .urdf_tree import UPRIGHT
from .values import pairs
from .yaml_reader import scalar
from ..errors import InvalidInputError


def main(args: Sequence[str]) -> int:
    """Run ``arm_ik from-urdf``; return the exit code."""
    # These are no options.
    options = _parser().parse_intermixed_args([
        f' {arg}' if arg in ('-x', '-y', '-z') else arg for arg in args])
    if options.output and (options.output.exists() or not options.output.parent.is_dir()):
        raise InvalidInputError('--output', str(options.output),
                                'a file that is not there yet, in a folder that is')
    hold: Any = {name: scalar(value) for name, value in pairs('--hold', options.hold, '=').items()}
    arm = from_urdf(options.urdf, options.tip, options.base, options.forward, hold, options.up,
                    1e-3 * options.tolerance, pairs('arguments', options.arguments, ':='))
    # Names come from the file, and a line break in one would end the comment.
    lines = [''.join([each if each.isprintable() else '?' for each in line])
             for line in (*arm.notes, *arm.differences)]
    text = ''.join(f'# {line}\n' for line in lines) + dump(
        model_from_parameters(json.loads(    # 0.01 um are enough for who reads the file
            json.dumps(model_to_mapping(arm.model)),
            parse_float=lambda digits: round(float(digits), 8))))
    if options.output:
        options.output.write_text(text, 'utf-8')
        text = '\n'.join([*lines, f'written: {options.output}', ''])
    print(text, end='')
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='arm_ik from-urdf', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('urdf', metavar='URDF', help='the file')
    add('arguments', metavar='NAME:=VALUE', nargs='*', help='arguments of a xacro file')
    add('--tip', metavar='FRAME', help='frame at the tip; by default the only leaf that fits')
    add('--base', metavar='FRAME', help='frame that becomes base_link; by default the root')
    add('--up', type=str.strip, choices=tuple(UPRIGHT), default='z',
        help='its axis that becomes z (%(default)s)')
    add('--forward', type=str.strip, choices=('home', *UPRIGHT), help='its axis that becomes '
        'x; home: where the arm reaches there; by default it is not turned')
    add('--tolerance', metavar='MM', type=float, default=1e3 * MOST_MISS,
        help='how far the tip may be off (%(default)g); how far it is, is printed')
    add('--hold', metavar='JOINT=POSITION', action='append', default=[],
        help='a joint that stays where it is [rad, m]; may be given again')
    add('--output', '-o', metavar='FILE', type=Path, help='by default it is printed')
    return parser
