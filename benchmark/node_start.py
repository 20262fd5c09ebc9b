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
tells its processor time so far, all its threads, and its resident memory. Medians over the rounds,
and beside them the median of the quotients, or differences, of the two in each round.
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
            environment(**domain_environment(domain), **{
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
            for number, label in enumerate(('bare', name)):
                times, memory = zip(*[both[number] for both in rounds])
                print(f'{label:12} start-up {1e3 * median(times):6.0f} ms CPU '
                      f'({median(both[number][0] / both[0][0] for both in rounds):.2f} x)   '
                      f'resident {median(memory):5.1f} MB '
                      f'({median(both[number][1] - both[0][1] for both in rounds):+.1f} MB)')


if __name__ == '__main__':
    main()
