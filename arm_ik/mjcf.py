# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Write an arm as MJCF, the model that ``backend: mujoco`` runs, for other programs.

Exit code: 0 if it was written; 2 for a wrong command line, arm or file.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from .arm import arm_of
from .bus.mujoco import make_spec


def main(args: Sequence[str]) -> int:
    """Run ``arm_ik mjcf``; return the exit code."""
    parser = argparse.ArgumentParser(prog='arm_ik mjcf', description=__doc__)
    parser.add_argument('arm', metavar='ARM', help='an arm that comes with the package, or the '
                        'path of a YAML file or a URDF')
    parser.add_argument('--output', '-o', metavar='FILE', type=Path, required=True)
    options = parser.parse_args(args)
    spec = make_spec(arm_of(options.arm).model)
    spec.compile()
    options.output.write_text(spec.to_xml(), encoding='utf-8')
    return 0
