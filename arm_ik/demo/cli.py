# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The demo's command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import os
from pathlib import Path
import signal
import sys
from typing import Optional

from . import picture, table
from .stream import Run, stream
from .target_file import load_targets, TargetFile
from ..description.presets import config_directory
from ..errors import ArmIkError, InvalidInputError
from ..testing import SimulatedArm
from ..testing.client import find_arm

PASSED, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130

#: A target file and the path of its picture.
Job = tuple[TargetFile, Optional[Path]]

_DESCRIPTION = """\
A simulated arm follows files of target poses over ROS 2. Forward kinematics of the measured joint
states tells where it came to rest.
"""

_EPILOG = """\
exit code: 0 if the arm came to rest on every pose that the files call reachable, and reported
every other pose as unreachable; 1 if not; 2 for a wrong command line or file; 130 if interrupted.

If ROS_DOMAIN_ID is set, the nodes run in that domain, so that RViz or ros2 topic echo can watch.
Otherwise they run in an unused domain.
"""


def main(args: Sequence[str] | None = None) -> int:
    """Run the demo; return the exit code."""
    # Handled like Ctrl-C: the processes that were started are ended on the way out.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options = _parser().parse_args(args)
    try:
        jobs = _jobs(options)
        runs = _run(_arm(options.arm, jobs), jobs, options.timeout, _domain())
    except ArmIkError as error:
        print(f'arm_ik demo: {error}', file=sys.stderr)
        return USAGE
    except AssertionError as error:  # raised by the test harness if the nodes do not start
        print(f'arm_ik demo: {error}', file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print('arm_ik demo: interrupted', file=sys.stderr)
        return INTERRUPTED
    return PASSED if len(runs) == len(jobs) and all(run.passed for run in runs) else FAILED


def shipped_files() -> list[Path]:
    """Return the target files that come with the package."""
    directory = config_directory()
    return sorted((directory / 'targets').glob('*.yaml'), reverse=True) if directory else []


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='arm_ik demo', description=_DESCRIPTION, epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        '--arm', metavar='ARM', help='an arm that comes with the package, or the path of a YAML '
        'file; by default the one that the target files are made for')
    parser.add_argument(
        '--targets', metavar='FILE', action='append', help='a file of target poses; may be given '
        'again; by default the two that come with the package')
    parser.add_argument(
        '--picture', metavar='PNG', type=Path, help='where to draw the path, by default '
        'demo_output/NAME.png; of several files, each has its name put in front')
    parser.add_argument('--no-picture', action='store_true', help='draw nothing')
    parser.add_argument('--timeout', metavar='SECONDS', type=float, default=60.0,
                        help='how long to wait for one target (default: %(default)g)')
    return parser


def _jobs(options: argparse.Namespace) -> list[Job]:
    """Return pairs of a target file and the path of its picture, all checked."""
    paths = [Path(path) for path in options.targets or shipped_files()]
    if not paths:
        raise InvalidInputError('--targets', None, 'a file; none were found with the package')
    if options.no_picture:
        return [(load_targets(path), None) for path in paths]
    picture.check_can_draw('; or go without one: --no-picture')
    asked = options.picture
    if asked is not None and len(paths) == 1:
        pictures = [asked]
    elif asked is not None:
        pictures = [asked.with_name(f'{path.stem}_{asked.name}') for path in paths]
    else:
        pictures = [Path('demo_output') / f'{path.stem}.png' for path in paths]
    return [(load_targets(path), drawn) for path, drawn in zip(paths, pictures)]


def _arm(asked: str | None, jobs: list[Job]) -> str:
    """Return the name or file of the arm: the one asked for, or the one the files are made for."""
    made_for = sorted({file.arm for file, _ in jobs if file.arm is not None})
    arm = asked or (made_for[0] if made_for else 'so101')
    name = find_arm(arm).name
    others = [other for other in made_for if other != name]
    if others:
        raise InvalidInputError('the arm', name,
                                f'{", ".join(others)}, which the target files are made for; '
                                'other files: --targets')
    return arm


def _domain() -> int | None:
    """Return the ROS domain that the environment names, ``None`` where it names none."""
    domain = os.environ.get('ROS_DOMAIN_ID')
    if not domain:
        return None
    if not (domain.isdecimal() and int(domain) <= 232):
        raise InvalidInputError('ROS_DOMAIN_ID', domain, 'a whole number from 0 to 232')
    return int(domain)


def _run(arm_name: str, jobs: list[Job], timeout: float, domain: int | None) -> list[Run]:
    """Send every file to one arm; print and draw the results."""
    colour = sys.stdout.isatty() and 'NO_COLOR' not in os.environ
    runs = []
    print(f'starting driver_node and ik_node for {arm_name} ...', flush=True)
    with SimulatedArm(arm_name, timeout=timeout, domain_id=domain) as arm:
        record = arm.record()
        for file, drawn in jobs:
            print('\n'.join(['', *table.heading(f'{arm.arm.name}: {file.name}')]), flush=True)
            run = stream(file, arm, record, on_entry=lambda items: print(
                '\n'.join(table.rows(items, colour)), flush=True))
            print('\n'.join(table.closing(run, colour)), flush=True)
            runs.append(run)
            if drawn is not None:
                drawn.parent.mkdir(parents=True, exist_ok=True)
                picture.draw(run, drawn)
                print(f'  picture: {drawn}', flush=True)
            if run.stopped:
                break
    return runs
