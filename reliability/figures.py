# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Figures of an experiment: what was wanted, what was seen, and the record of a run."""

from datetime import date
from importlib.metadata import PackageNotFoundError, version
from math import ceil
import os
from pathlib import Path
import platform
import subprocess
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]

#: Distribution of ROS 2 by the major version of rclpy.
_DISTROS = {7: 'Jazzy', 9: 'Kilted', 10: 'Lyrical'}


class Figure(NamedTuple):
    """
    What was promised and what was seen.

    :param what: the promise.
    :param wanted: the bound; empty for a figure that is only reported.
    :param seen: what was counted or measured, with units.
    :param kept: whether the bound is met.
    """

    what: str
    wanted: str
    seen: str
    kept: bool = True


class NotPossibleHere(Exception):
    """Raised by an experiment that this machine does not allow, with the reason."""


def none_of(what, count, total):
    """Return the figure of something that must never happen."""
    return Figure(what, '0', f'{count} of {total}', count == 0 < total)


def every(what, count, total):
    """Return the figure of something that has to happen every time."""
    return Figure(what, 'every time', f'{count} of {total}', count == total > 0)


def within(what, values, bound, unit):
    """Return the figure of values none of which may be larger than a bound."""
    return Figure(what, f'<= {bound:g} {unit}', spread(values, unit),
                  bool(values) and max(values) <= bound)


def spread(values, unit):
    """Return median, 99th percentile and largest of values in words."""
    if not values:
        return 'none measured'
    ordered = sorted(values)
    median, high = (ordered[ceil(part * len(ordered)) - 1] for part in (0.5, 0.99))
    return (f'median {median:.3f}, p99 {high:.3f}, largest {ordered[-1]:.3f} {unit}, '
            f'{len(ordered)} times')


def circumstances():
    """Return where and when this is run, as a dict of strings."""
    return {'commit': _commit(), 'date': date.today().isoformat(), 'distro': _distro(),
            'python': platform.python_version(),
            'machine': f'{os.cpu_count()} x {_processor()}, {platform.system()} '
                       f'{platform.release().split("-")[0]}'}


def markdown(title, command, figures, seconds):
    """Return the section of one experiment: command, seconds, and a table of its figures."""
    rows = [('', 'wanted', 'seen')] + [
        (figure.what, figure.wanted, figure.seen if figure.kept else f'**missed:** {figure.seen}')
        for figure in figures]
    rows.insert(1, ('---',) * 3)
    table = '\n'.join(f'| {" | ".join(row)} |' for row in rows)
    return f'## {title}\n\n`{command}`, {seconds:.0f} s\n\n{table}\n'


def _distro():
    try:
        installed = version('rclpy')
    except PackageNotFoundError:
        return 'no ROS 2'
    return _DISTROS.get(int(installed.split('.')[0]), f'rclpy {installed}')


def _commit():
    """Return the commit that is checked out, with a plus where files differ from it."""
    try:
        changed = _git('status', '--porcelain', '--untracked-files=no')
        return _git('rev-parse', '--short=10', 'HEAD') + ('+' if changed else '')
    except (OSError, subprocess.CalledProcessError):
        return 'unknown'


def _git(*arguments):
    return subprocess.run(['git', '-C', str(ROOT), *arguments], check=True, text=True,
                          capture_output=True).stdout.strip()


def _processor():
    for line in Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines():
        if line.startswith('model name'):
            return line.partition(':')[2].strip()
    return platform.machine()
