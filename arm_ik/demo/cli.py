# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A simulated arm follows files of target poses over ROS 2.

Forward kinematics of the measured joint states tells where it came to rest.

Exit code: 0 if the arm came to rest on every pose that the files call reachable, and reported
every other pose as unreachable; 1 if not; 2 for a wrong command line or file; 130 if interrupted.

If ROS_DOMAIN_ID is set, the nodes run in that domain, so that RViz or ros2 topic echo can watch.
Otherwise they run in an unused domain.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import os
from pathlib import Path
import signal
import sys

from . import picture, table
from .stream import stream
from .target_file import load_targets, TargetFile
from ..description.presets import config_directory
from ..errors import ArmIkError, InvalidInputError
from ..testing import SimulatedArm
from ..testing.client import find_arm

PASSED, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def main(args: Sequence[str] | None = None) -> int:
    """Run the demo; return the exit code."""
    # Handled like Ctrl-C: the processes that were started are ended on the way out.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options = _parser().parse_args(args)
    try:
        return _run(options)
    except ArmIkError as error:
        code, words = USAGE, str(error)
    except AssertionError as error:  # raised by the test harness if the nodes do not start
        code, words = FAILED, str(error)
    except KeyboardInterrupt:
        code, words = INTERRUPTED, 'interrupted'
    print(f'arm_ik demo: {words}', file=sys.stderr)
    return code


def shipped_files() -> list[Path]:
    """Return the target files that come with the package."""
    directory = config_directory()
    return sorted((directory / 'targets').glob('*.yaml'), reverse=True) if directory else []


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='arm_ik demo', description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('--arm', help='an arm that comes with the package, or the path of a YAML file; by default '
        'the one that the target files are made for')
    add('--targets', metavar='FILE', action='append', help='a file of target poses; may be given '
        'again; by default the two that come with the package')
    add('--picture', metavar='PNG', type=Path, help='where to draw the path, by default '
        'demo_output/NAME.png; of several files, each has its name put in front')
    add('--no-picture', action='store_true', help='draw nothing')
    add('--timeout', metavar='SECONDS', type=float, default=60.0,
        help='how long to wait for one target (default: %(default)g)')
    return parser


def _jobs(options: argparse.Namespace) -> list[tuple[TargetFile, Path | None]]:
    """Return pairs of a target file and the path of its picture, all checked."""
    paths = [Path(path) for path in options.targets or shipped_files()]
    if not paths:
        raise InvalidInputError('--targets', None, 'a file; none were found with the package')
    if not options.no_picture:
        picture.check_can_draw('; or go without one: --no-picture')

    def drawn(path: Path) -> Path | None:
        asked = options.picture or Path('demo_output') / f'{path.stem}.png'
        if options.picture and len(paths) > 1:
            asked = asked.with_name(f'{path.stem}_{asked.name}')
        return None if options.no_picture else asked

    return [(load_targets(path), drawn(path)) for path in paths]


def _arm(asked: str | None, files: list[TargetFile]) -> str:
    """Return the name or file of the arm: the one asked for, or the one the files are made for."""
    made_for = sorted({file.arm for file in files if file.arm is not None})
    arm = asked or (made_for or ['so101'])[0]
    name = find_arm(arm).name
    if set(made_for) - {name}:
        raise InvalidInputError('the arm', name, f'{", ".join(made_for)}, which the target files '
                                'are made for; other files: --targets')
    return arm


def _domain() -> int | None:
    """Return the ROS domain that the environment names, ``None`` where it names none."""
    domain = os.environ.get('ROS_DOMAIN_ID')
    if domain and not (domain.isdecimal() and int(domain) <= 232):
        raise InvalidInputError('ROS_DOMAIN_ID', domain, 'a whole number from 0 to 232')
    return int(domain) if domain else None


def _run(options: argparse.Namespace) -> int:
    """Send every file to one arm; print and draw the results; return the exit code."""
    jobs, domain = _jobs(options), _domain()
    name = _arm(options.arm, [file for file, _ in jobs])
    colour, code = sys.stdout.isatty() and 'NO_COLOR' not in os.environ, PASSED

    def show(lines: list[str]) -> None:
        print('\n'.join(lines), flush=True)

    show([f'starting driver_node and ik_node for {name} ...'])
    with SimulatedArm(name, timeout=options.timeout, domain_id=domain) as arm:
        record = arm.record()
        for file, drawn in jobs:
            show(['', *table.heading(f'{arm.arm.name}: {file.name}')])
            run = stream(file, arm, record, lambda items: show(table.rows(items, colour)))
            show(table.closing(run, colour))
            if drawn is not None:
                drawn.parent.mkdir(parents=True, exist_ok=True)
                picture.draw(run, drawn)
                show([f'  picture: {drawn}'])
            if not run.passed:
                code = FAILED
            if run.stopped:
                break
    return code
