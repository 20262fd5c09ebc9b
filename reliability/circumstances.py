# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Where and when an experiment was run: what its figures depend on besides the code."""

from datetime import date
from importlib.metadata import PackageNotFoundError, version
import os
from pathlib import Path
import platform
import subprocess

_ROOT = Path(__file__).resolve().parents[1]

#: Distribution of ROS 2 by the major version of rclpy.
_DISTROS = {7: 'jazzy', 9: 'kilted'}


def distro():
    """Return the ROS 2 distribution of this Python in lower case; ``'none'`` without one."""
    try:
        installed = version('rclpy')
    except PackageNotFoundError:
        return 'none'
    return _DISTROS.get(int(installed.split('.')[0]), f'rclpy {installed}')


def commit():
    """Return the commit checked out, with a plus if files differ from it."""
    try:
        changed = _git('status', '--porcelain', '--untracked-files=no', '--', ':!docs')
        return _git('rev-parse', '--short=10', 'HEAD') + ('+' if changed else '')
    except (OSError, subprocess.CalledProcessError):
        return 'unknown'  # no repository, or no git


def machine():
    """Return the machine in words."""
    return (f'{os.cpu_count()} × {_processor()}, {_memory_gib():.0f} GiB, '
            f'{platform.system()} {platform.release().split("-")[0]}, '
            f'Python {platform.python_version()}')


def today():
    """Return the date, as ISO 8601 has it."""
    return date.today().isoformat()


def _git(*arguments):
    return subprocess.run(['git', '-C', str(_ROOT), *arguments], text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()


def _processor():
    for line in Path('/proc/cpuinfo').read_text().splitlines():
        if line.startswith('model name'):
            return line.partition(':')[2].strip()
    return platform.machine()


def _memory_gib():
    return os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30
