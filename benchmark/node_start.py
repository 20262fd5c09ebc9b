# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What it costs to start each node, beside the least that any rclpy node like it costs.

``python benchmark/node_start.py`` starts, in turns, each node and a plain rclpy node that declares
the same parameters with the same descriptions and has the same publishers, subscriptions, services
and timers, without any use for them. Each is a process of its own; when it is about to spin, it
tells its processor time so far, all its threads, and its resident memory. Of the times the least
of all rounds counts, as whatever else the machine does only adds to it; of memory the median.
"""

import argparse
from pathlib import Path
from statistics import median
import subprocess
import sys
from tempfile import TemporaryDirectory

from arm_ik.testing.domain import domain_environment, environment, reserved_domain

NODES = ('ik_node', 'driver_node')
HERE = Path(__file__).resolve().parent


def output(*command):
    """Return what a Python process prints."""
    return subprocess.run([sys.executable, *map(str, command)], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def figures(*command):
    """Return processor time [s] and resident memory [MB] of a node that starts."""
    return tuple(map(float, output(*command).split()))


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('--arm', default='simple', help='an arm that comes with the package')
    parser.add_argument('--rounds', type=int, default=15)
    options = parser.parse_args()
    with reserved_domain() as domain, TemporaryDirectory() as directory, \
            environment(**domain_environment(domain, quick=False), **{
                # What is installed has been compiled, once and for all.
                'PYTHONDONTWRITEBYTECODE': '', 'PYTHONPYCACHEPREFIX': f'{directory}/compiled',
                'PYTHONPATH': f'{directory}:{HERE}:{HERE.parent}'}):
        for name in NODES:
            started = ('-c', f'import start_subject; start_subject.real({name!r}, '
                       f'{options.arm!r})')
            Path(directory, f'bare_{name}.py').write_text(
                output('-c', f'import start_subject; start_subject.real({name!r}, '
                       f'{options.arm!r}, as_bare=True)'))
            plain = '-c', f'import bare_{name}'
            figures(*plain), figures(*started)
            rounds = [(figures(*plain), figures(*started)) for _ in range(options.rounds)]
            first = None
            for label, started in zip(('bare', name), zip(*rounds)):
                times, memory = zip(*started)
                time, resident = min(times), median(memory)
                first = first or (time, resident)
                print(f'{label:12} start-up {1e3 * time:6.0f} ms CPU ({time / first[0]:.2f} x)   '
                      f'resident {resident:5.1f} MB ({resident - first[1]:+.1f} MB)', flush=True)


if __name__ == '__main__':
    main()
