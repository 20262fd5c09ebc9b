# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A simulated arm follows files of target poses over ROS 2.

The measured joint states show where it came to rest.

Exit code: 0 if the arm came to rest on every pose that the files call reachable, and reported
every other pose as unreachable; 1 if not; 2 for a wrong command line or file; 130 if interrupted.

With --physics it picks up a cube and puts it on a block instead, in a simulator with weight.

If ROS_DOMAIN_ID is set, the nodes run in that domain, so that RViz or ros2 topic echo can watch.
Otherwise they run in an unused domain.
"""

import argparse
from collections.abc import Iterable, Sequence
import os
from pathlib import Path
import signal
import sys

from . import picture
from .stream import Run, stream, Verdict
from ..description.target_file import load_targets, TargetFile
from ..description.presets import config_directory
from ..errors import InvalidInputError
from ..testing import SimulatedArm
from ..testing.client import find_arm

PASSED, FAILED = 0, 1

#: What --physics draws, and an animation beside it.
PICTURE = Path('demo_output') / 'pick_a_cube.png'

_ROW = '  {:>3}  {:<28} {:<27} {:<27} {:>8}  {:>8}  {}'
HEADING = _ROW.format('#', 'entry', 'asked for: x, y, z [m]', 'got to: x, y, z [m]', 'tip [m]',
                      'up [rad]', 'status')


def main(args: Sequence[str]) -> int:
    """Run the demo; return the exit code."""
    # Handled like Ctrl-C: the processes that were started are ended at the exit.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options = _parser().parse_args(args)
    try:
        return _run(options)
    except AssertionError as error:  # raised by the test harness if the nodes do not start
        print(f'arm_ik demo: {error}', file=sys.stderr)
        return FAILED


def shipped_files() -> list[Path]:
    """Return the target files that come with the package."""
    directory = config_directory()
    return sorted((directory / 'targets').glob('*.yaml'), reverse=True) if directory else []


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='arm_ik demo', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('--arm', help='an arm that comes with the package, or the path of a YAML file; by default '
        'the one that the target files are made for')
    add('--targets', metavar='FILE', action='append', type=Path, help='a file of target poses; '
        'may be given again; by default the two that come with the package')
    add('--picture', metavar='PNG', type=Path, help='where to draw the path, by default '
        'demo_output/NAME.png; of several files, each has its name put in front')
    add('--physics', metavar='TIMES', nargs='?', type=int, const=20, help='pick and place a cube '
        'so many times (%(const)s), each from another place; needs the extra physics')
    add('--no-picture', action='store_true', help='draw nothing')
    add('--timeout', metavar='SECONDS', type=float, default=60.0,
        help='how long to wait for one target (default: %(default)g)')
    return parser


def _run(options: argparse.Namespace) -> int:
    """Send every file to one arm; print and draw the results; return the exit code."""
    domain = os.environ.get('ROS_DOMAIN_ID') or None
    if domain and not (domain.isdecimal() and int(domain) <= 232):
        raise InvalidInputError('ROS_DOMAIN_ID', domain, 'a whole number from 0 to 232')
    if options.physics is not None:
        from .physics import pick_and_place
        picture_path = None if options.no_picture else options.picture or PICTURE
        return PASSED if pick_and_place(options.physics, picture_path, timeout=options.timeout,
                                        domain_id=domain and int(domain)) else FAILED
    paths = options.targets or shipped_files()
    if not paths:
        raise InvalidInputError('--targets', None, 'a file; none were found with the package')
    if not options.no_picture:
        import matplotlib  # noqa: F401, before the arm moves
    files = [load_targets(path) for path in paths]
    if any(step.joints for file in files for step in file.steps):
        raise InvalidInputError('--targets', 'entries with joints', 'no such file: arm_ik replay '
                                'plays it')
    name, code = _arm(options.arm, files), PASSED
    print(f'starting driver_node and ik_node for {name} ...', flush=True)
    with SimulatedArm(name, timeout=options.timeout, domain_id=domain and int(domain)) as arm:
        record = arm.record()
        for path, file in zip(paths, files):
            print(f'\n{arm.arm.name}: {file.name}\n{HEADING}', flush=True)
            run = stream(file, arm, record, lambda items: print(rows(items), flush=True))
            print(closing(run), flush=True)
            if not options.no_picture:
                drawn = options.picture or Path('demo_output') / f'{path.stem}.png'
                if options.picture and len(paths) > 1:
                    drawn = drawn.with_name(f'{path.stem}_{drawn.name}')
                drawn.parent.mkdir(parents=True, exist_ok=True)
                picture.draw(run, drawn)
                print(f'  picture: {drawn}', flush=True)
            if not run.passed:
                code = FAILED
            if run.stopped:
                break
    return code


def _arm(asked: str | None, files: list[TargetFile]) -> str:
    """Return the name or file of the arm: the one asked for, or the one the files are made for."""
    made_for = sorted({file.arm for file in files if file.arm is not None})
    arm = asked or (made_for or ['so101'])[0]
    name = find_arm(arm).name
    if set(made_for) - {name}:
        raise InvalidInputError('the arm', name, f'{", ".join(made_for)}, which the target files '
                                'are made for; other files: --targets')
    return arm


def rows(items: Sequence[Verdict]) -> str:
    """
    Return the lines about one entry: its row, and notes where needed.

    :param items: the verdicts of its steps: one of the gripper, or those of its poses.
    """
    # A line of many poses is one row: its end, and the worst of all its poses.
    last, many = items[-1], len(items) > 1
    step = last.step
    name = step.name + (f' ({len(items)} poses)' if many else '')
    cells = [name if len(name) <= 28 else name[:27] + '…']
    if step.target:
        ups = [item.up_error_rad for item in items if item.up_error_rad is not None]
        cells += [_vector(step.target.position), _vector(last.tip),
                  f'{max(item.position_error_m for item in items):.1e}',
                  f'{max(ups):.1e}' if ups else 'any']
    else:
        cells += [f'gripper {step.opening:.0%} open', f'gripper at {last.gripper:.4f}', '', '']
    statuses = ', '.join(dict.fromkeys(item.status or 'no answer' for item in items))
    lines = [_ROW.format(step.entry, *cells, statuses.lower().replace('_', ' '))]
    for number, item in enumerate(items, start=1):
        expected = '' if item.failure or item.step.reachable else ', as the file expects'
        notes = [f'FAILED: {item.failure}' if item.failure else '',
                 item.reason and item.reason + expected]
        where = f'       pose {number}: ' if many else '       '
        lines += [where + note for note in notes if note]
    return '\n'.join(lines)


def closing(run: Run) -> str:
    """Return the lines below the table."""
    stopped = f'       stopped: {run.stopped}\n' if run.stopped else ''
    return f'{stopped}  {"ok" if run.passed else "FAILED"}: {run.summary}'


def _vector(values: Iterable[float]) -> str:
    # Rounded first, so that no -0.0000 is printed.
    return ' '.join(f'{round(float(value), 4) + 0.0:8.4f}' for value in values)
