# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Draw where an arm reaches, in the vertical slice of the arm at home.

Colours say what is reached and what stops the arm elsewhere. There is one panel for each up
vector asked for (the direction of the last link); any and straight down if none is.

For example:
  arm_ik workspace so101
  arm_ik workspace my_arm.yaml --elevation -45 --output my_arm.svg --output my_arm.png

Exit code: 0 if all was drawn; 2 for a wrong command line, arm or file.
"""

import argparse
from collections.abc import Sequence
from math import cos, radians, sin
from pathlib import Path

from . import picture
from .cells import make_slice
from .region import lines_of, region_of, Up
from ..arm import arm_of
from ..errors import InvalidInputError

#: The panels drawn unless others are asked for: any up vector, straight down.
DEFAULT_UPS = (None, (0.0, 0.0, -1.0))

#: More panels would be too small.
MOST_PANELS = 3


def main(args: Sequence[str]) -> int:
    """Draw a workspace; return the exit code."""
    parser = argparse.ArgumentParser(prog='arm_ik workspace', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('arm', metavar='ARM', help='an arm that comes with the package, or the path of a YAML '
        'file or a URDF')
    add('--elevation', type=float, metavar='DEG', dest='panels', action='append', help='draw for '
        'an up vector that is so many degrees above straight ahead; -90 is down')
    add('--any-up', dest='panels', action='append_const', const='any',
        help='draw what is reached with any up vector')
    add('--output', '-o', metavar='FILE', type=Path, action='append', help='where to write it, as '
        'PNG or SVG by the ending; may be given again; by default NAME_workspace.png')
    add('--cell', type=float, metavar='METRES',
        help='side of a cell; by default a round number that takes seconds')
    options = parser.parse_args(args)
    import matplotlib  # noqa: F401, before anything is computed

    arm = arm_of(options.arm)
    paths, ups = _paths(options.output, arm.name), _ups(options.panels)
    cells = make_slice(arm.model, options.cell)
    regions = {up: region_of(arm.model, cells, up) for up in dict.fromkeys((None, *ups))}
    drawn = [regions[up] for up in ups]
    picture.draw(arm.model, drawn, regions[None], paths)
    lines = [line for region in drawn for line in lines_of(arm.model, region)]
    print('\n'.join([*lines, *(f'written: {path}' for path in paths)]), flush=True)
    return 0


def _paths(asked: list[Path] | None, name: str) -> list[Path]:
    """Return the files to write, all of a known ending and in folders that are there."""
    paths = asked or [Path(f'{name}_workspace.png')]
    for path in paths:
        if path.suffix.lower() not in picture.ENDINGS:
            raise InvalidInputError('--output', str(path), f'a name that ends in '
                                    f'{" or ".join(picture.ENDINGS)}')
        if path.is_dir() or not path.parent.is_dir():
            raise InvalidInputError('--output', str(path), 'a file in a folder that is there')
    return paths


def _ups(panels: list[str | float] | None) -> tuple[Up, ...]:
    """Return the up vectors to draw for; ``None`` means any."""
    if not panels:
        return DEFAULT_UPS
    if len(panels) > MOST_PANELS:
        raise InvalidInputError('the number of panels', len(panels), f'at most {MOST_PANELS}')
    return tuple([None if isinstance(panel, str) else _up(panel) for panel in panels])


def _up(elevation: float) -> Up:
    if not -180.0 <= elevation <= 180.0:
        raise InvalidInputError('--elevation', elevation, '-180 to 180 degrees')
    # So that straight down is straight down, and not off by rounding.
    x, z = (round(turn(radians(elevation)), 15) + 0.0 for turn in (cos, sin))
    return x, 0.0, z
