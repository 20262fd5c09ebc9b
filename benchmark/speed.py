# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How long a solve takes, beside EAIK in the same run; ``simple`` and ``so101``, medians of rounds.

    pip install .[benchmark]
    python benchmark/speed.py --clock cpu

The solvers take turns, so that a busy machine slows all of them. The ratios are more reliable than
the microseconds. EAIK gets the same poses of the same five axes. Reachable targets come with
positions up to 0.3 rad away, up to 0.1 rad where the branch is kept, as from one message to the
next. Batches run on one thread.
"""

from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser
from collections import deque
import gc
from math import radians
from platform import python_version
from statistics import median
from time import perf_counter, process_time
import tracemalloc

from arm_ik import Arm, Target
from eaik_peer import Peer, Robot
import numpy as np

#: With ``cpu``, time that other processes take from us does not count.
CLOCKS = {'wall': perf_counter, 'cpu': process_time}

ARMS = ('simple', 'so101')
BRANCH_TOLERANCE = (0.001, radians(2.0))
EAIK, EAIK_BATCH = 'EAIK `calculate_IK`', 'EAIK `calculate_IK_batched`'


def every(function, *arguments):
    """Call a function with the first of each argument, the second of each, ..."""
    deque(map(function, *arguments), maxlen=0)


def medians(contestants, rounds, clock):
    """
    Return the median time of each contestant [s], all of them taking turns.

    :param contestants: dict from name to a function without arguments.
    :param rounds: how often each of them runs, after one round that does not count.
    :param clock: function that returns seconds.
    """
    times = {name: [] for name in contestants}
    gc.disable()
    for round_ in range(rounds + 1):
        for name, run in contestants.items():
            start = clock()
            run()
            if round_:
                times[name].append(clock() - start)
        gc.collect()
    gc.enable()
    return {name: median(values) for name, values in times.items()}


def reachable(arm, count, seed, away=0.3):
    """
    Return poses inside the limits and positions up to ``away`` [rad] from theirs.

    :returns: ``(q, near, poses)``: arrays (count, joints), and the tool's poses at q.
    """
    rng = np.random.default_rng(seed)
    q = rng.uniform(arm.lower, arm.upper, (count, len(arm.home)))
    near = np.clip(q + rng.uniform(-away, away, q.shape), arm.lower, arm.upper)
    return q, near, arm.forward(q)


def kinds_of(arm):
    """Return what is asked of an arm: the name, and whether forward vectors are."""
    return {'up': False, 'up and forward': True} if arm.model.has('wrist_roll') else {'up': False}


def one_by_one(arm, peer, arguments):
    """Print rows of what one solve costs; return notes."""
    count, contestants, notes = arguments.targets, {}, []
    q, near, poses = reachable(arm, count, 1)
    _, close, _ = reachable(arm, count, 1, 0.1)
    near, close = [[tuple(row) for row in rows.tolist()] for rows in (near, close)]
    for kind, with_forward in kinds_of(arm).items():
        rows = [poses.position.tolist(), poses.up.tolist()]
        if with_forward:
            rows.append(poses.rotation[..., 0].tolist())
        targets = list(map(Target, *rows))
        contestants.update({
            f'`Arm.solve`, {kind}': lambda t=targets: every(arm.solve, t, near),
            f'the same with `branch_tolerance`, {kind}': lambda t=targets: every(
                lambda target, at: arm.solve(target, at, branch_tolerance=BRANCH_TOLERANCE),
                t, close),
            f'`Target(...)` and `Arm.solve`, {kind}': lambda rows=rows: every(
                lambda at, *row: arm.solve(Target(*row), at), near, *rows)})
        reached = sum([arm.solve(*pair).reached for pair in zip(targets, near)])
        notes.append(f'`Arm.solve` reached {reached} of {count} on {arm.name}, {kind}')
    far = [Target(2.0 * position, up) for position, up in zip(poses.position, poses.up)]
    few = max(10, count // 20)
    contestants['`Arm.solve`, too far'] = lambda: every(arm.solve, far[:few], near[:few])
    if peer:
        matrices = [peer.pose(row) for row in q]
        right = sum([peer.is_right(pose, peer.solve(pose)) for pose in matrices])
        notes.append(f'EAIK was right on {right}')
        contestants[EAIK] = lambda: every(peer.solve, matrices)
    times = medians(contestants, arguments.rounds, CLOCKS[arguments.clock])
    for name, seconds in times.items():
        beside = f'{seconds / times[EAIK]:.2f} of EAIK' if peer and name != EAIK else ''
        each = few if 'too far' in name else count
        if each != count:
            beside = ''
        print_row(f'`{arm.name}`: {name}', f'{seconds / each * 1e6:.2f} us', beside)
    return notes


def at_once(arm, peer, arguments):
    """Print rows of what a solve costs in a batch; return notes."""
    count, contestants, notes = arguments.batch, {}, []
    q, near, poses = reachable(arm, count, 2)
    for kind, with_forward in kinds_of(arm).items():
        name = f'`Arm.solve_batch`, {kind}'
        asked = poses.position, poses.up, poses.rotation[..., 0] if with_forward else None, near
        contestants[name] = lambda asked=asked: arm.solve_batch(*asked, threads=1)
        notes.append(f'`Arm.solve_batch` reached {contestants[name]().reached.sum()} of {count} '
                     f'on {arm.name}, {kind}')
    if peer:
        matrices = [peer.pose(row) for row in q]
        contestants[EAIK_BATCH] = lambda: peer.solve_batch(matrices, 1)
    times = medians(contestants, max(3, arguments.rounds // 3), CLOCKS[arguments.clock])
    for name, seconds in times.items():
        beside = ''
        if peer and name != EAIK_BATCH:
            beside = f'{times[EAIK_BATCH] / seconds:.1f} x as fast as EAIK'
        print_row(f'`{arm.name}`: {name}, each of {count}', f'{seconds / count * 1e6:.3f} us',
                  beside)
    return notes


def memory(arm, arguments):
    """Print a row of what a batch needs besides input and answer, as it grows."""
    counts = [arguments.batch * factor for factor in (1, 4, 16)]
    needed = ' / '.join([f'{besides(arm, count):.1f}' for count in counts])
    print_row(f'`{arm.name}`: `Arm.solve_batch` besides input and answer, '
              f'{" / ".join(map(str, counts))} targets', f'{needed} MB', '')


def besides(arm, count):
    """Return the most memory in use at once besides input and answer of a batch [MB]."""
    _, near, poses = reachable(arm, count, 6)
    arm.solve_batch(poses.position[:1000], poses.up[:1000], near=near[:1000], threads=1)
    tracemalloc.start()
    try:
        # Held, so that the answer counts as in use.
        found = arm.solve_batch(poses.position, poses.up, near=near, threads=1)
        in_use, peak = tracemalloc.get_traced_memory()
        del found
    finally:
        tracemalloc.stop()
    return (peak - in_use) / 1e6


def print_row(*cells):
    """Print a row of the table at once."""
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
    arms = [Arm.preset(name) for name in ARMS]
    peers = [Peer(arm.model) if Robot else None for arm in arms]
    print(f'Python {python_version()}, numpy {np.__version__}, {arguments.clock} clock')
    if Robot is None:
        print('EAIK is not installed: pip install .[benchmark]')
    print()
    print_row('`near` given', 'time', 'ratio')
    print_row('---', '---', '---')
    notes = []
    for measured in (one_by_one, at_once):
        for arm, peer in zip(arms, peers):
            notes += measured(arm, peer, arguments)
    memory(arms[0], arguments)
    print()
    print('; '.join(notes) + '.')


if __name__ == '__main__':
    main()
