# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How long a solve takes, beside EAIK in the same run; arm ``simple``, medians of rounds.

    pip install .[benchmark]
    python benchmark/speed.py --clock cpu

The contestants take turns, so that a busy machine slows all of them; trust the ratios more than
the microseconds. Reachable targets come with readings up to 0.3 rad away. The core is what
``Arm.solve`` calls: plain numbers in, readings with their measured errors out. Batches of several
threads are always timed by the wall clock.
"""

from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser
from platform import python_version
from time import perf_counter

from arm_ik import Arm, Target
from contest import CLOCKS, every, medians, reachable
from eaik_peer import HPRobot, Peer
from memory import besides
import numpy as np
from out_of_reach import kinds, of_kind

THREADS = (1, 2)


def one_by_one(arm, peer, arguments):
    """Print rows of what one reachable solve costs; return notes."""
    count = arguments.targets
    q, near, poses = reachable(arm, count, 1)
    near = [tuple(row) for row in near.tolist()]
    positions, ups = [list(map(tuple, rows.tolist())) for rows in (poses.position, poses.up)]
    targets = list(map(Target, positions, ups))
    # What is passed to the core, and nothing but floats.
    positions, ups = [target.position for target in targets], [target.up for target in targets]
    contestants = {
        '`Arm.solve`': lambda: every(arm.solve, targets, near),
        'the core beneath it': lambda: every(arm._solver.fast, positions, ups, near),
        '`Target(...)` and `Arm.solve`': lambda: every(
            lambda *row: arm.solve(Target(*row[:2]), row[2]), positions, ups, near)}
    eaik = 'EAIK `calculate_IK`'
    if peer:
        matrices = [peer.pose(row) for row in q]
        contestants[eaik] = lambda: every(peer.solve, matrices)
    times = medians(contestants, arguments.rounds, CLOCKS[arguments.clock])
    for name, seconds in times.items():
        beside = f'{seconds / times[eaik]:.2f} of EAIK' if peer and name != eaik else ''
        print_row(name, f'{seconds / count * 1e6:.2f} us', beside)
    reached = sum([arm.solve(*pair).reached for pair in zip(targets, near)])
    notes = [f'`Arm.solve` reached {reached} of {count}']
    if peer:
        four = Peer(arm.model, five_axes=False)
        for said, robot in (('', peer), (', given four axes,', four)):
            right = sum([robot.is_right(m, robot.solve(m)) for m in matrices])
            notes.append(f'EAIK{said} was right on {right}')
    return notes


def unreachable(arm, arguments):
    """Print rows of what the closest pose costs."""
    few = max(10, arguments.targets // 20)
    _, near, poses = reachable(arm, arguments.targets, 1)
    near = [tuple(row) for row in near.tolist()]
    targets = list(map(Target, poses.position.tolist(), poses.up.tolist()))
    contestants = {'': (lambda: every(arm.solve, targets, near), len(targets))}
    for name, of, their_targets, their_near in kinds(arm.model, few):
        contestants[f'out of reach: {name}'] = (
            lambda of=of, a=their_targets, b=their_near: every(of.solve, a, b),
            len(their_targets))
    for name, role in (('rolling base', 'roll'), ('tilting wrist', 'wrist_tilt')):
        of, their_targets, their_near = of_kind(arm.model, role, max(4, few // 10))
        contestants[f'out of reach, {name}'] = (
            lambda of=of, a=their_targets, b=their_near: every(of.solve, a, b),
            len(their_targets))
    times = medians({name: run for name, (run, _) in contestants.items()},
                    max(3, arguments.rounds // 3), CLOCKS[arguments.clock])
    each = {name: times[name] / count * 1e6 for name, (_, count) in contestants.items()}
    solve = each.pop('')
    for name, microseconds in each.items():
        print_row(name, f'{microseconds:.0f} us', f'{microseconds / solve:.0f} x a reachable one')


def at_once(arm, peer, arguments):
    """Print rows of what a solve costs in a batch; return notes."""
    count = arguments.batch
    q, near, poses = reachable(arm, count, 2)
    eaik, matrices = 'EAIK `calculate_IK_batched`', peer and [peer.pose(row) for row in q]
    for threads in THREADS:
        contestants = {'`Arm.solve_batch`': lambda: arm.solve_batch(
            poses.position, poses.up, near=near, threads=threads)}
        if peer:
            contestants[eaik] = lambda: peer.solve_batch(matrices, threads)
        times = medians(contestants, max(3, arguments.rounds // 3),
                        CLOCKS[arguments.clock] if threads == 1 else perf_counter)
        for name, seconds in times.items():
            beside = ''
            if peer and name != eaik:
                beside = f'{times[eaik] / seconds:.1f} x as fast as EAIK'
            print_row(f'{name}, each of {count}, {threads} thread{"s"[:threads - 1]}',
                      f'{seconds / count * 1e6:.3f} us', beside)
    found = arm.solve_batch(poses.position, poses.up, near=near)
    return [f'`Arm.solve_batch` reached {found.reached.sum()} of {count}']


def memory(arm, arguments):
    """Print a row of what a batch needs besides input and answer, as it grows."""
    counts = [arguments.batch * factor for factor in (1, 4, 16)]
    needed = [f'{besides(arm, count, 1):.1f}' for count in counts]
    sizes = ' / '.join(map(str, counts))
    print_row(f'`Arm.solve_batch` besides input and answer, {sizes} targets',
              f'{" / ".join(needed)} MB', '')


def print_row(*cells):
    """Print a row of the table at once, for those who wait."""
    print('| ' + ' | '.join(cells) + ' |', flush=True)


def main():
    """Run the comparison."""
    parser = ArgumentParser(description=__doc__.strip().splitlines()[0],
                            formatter_class=ArgumentDefaultsHelpFormatter)
    parser.add_argument('--targets', type=int, default=2000, help='targets solved one by one')
    parser.add_argument('--batch', type=int, default=100_000, help='targets solved at once')
    parser.add_argument('--rounds', type=int, default=15, help='rounds the medians are taken of')
    parser.add_argument('--clock', choices=CLOCKS, default='wall', help='time that counts')
    arguments = parser.parse_args()
    arm = Arm.preset('simple')
    peer = Peer(arm.model) if HPRobot else None
    print(f'Python {python_version()}, numpy {np.__version__}, {arguments.clock} clock')
    if peer is None:
        print('EAIK is not installed: pip install .[benchmark]')
    print()
    print_row('`simple`, `near` given', 'time', 'ratio')
    print_row('---', '---', '---')
    notes = one_by_one(arm, peer, arguments)
    unreachable(arm, arguments)
    notes += at_once(arm, peer, arguments)
    memory(arm, arguments)
    print()
    print('; '.join(notes) + '.')


if __name__ == '__main__':
    main()
