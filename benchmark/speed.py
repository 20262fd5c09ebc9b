# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How long a solve takes, beside EAIK's bare call in the same run; arm ``simple``, medians of rounds.

    pip install .[benchmark]
    python benchmark/speed.py

The contestants take turns, so that a busy machine slows all of them; trust the ratios more than
the microseconds. With ``--clock cpu`` time that others take from us does not count.
"""

from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser
import gc
from platform import python_version
from statistics import median
from time import perf_counter, process_time

from arm_ik import Arm, Target
from eaik_peer import HPRobot, Peer
import numpy as np

#: A tip target out of reach [m].
FAR = (0.5, 0.1, 0.1)

CLOCKS = {'wall': perf_counter, 'cpu': process_time}


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


def reachable(arm, count, rng):
    """Return readings inside the limits, readings up to 0.3 rad away, and the tool's poses."""
    q = rng.uniform(arm.lower, arm.upper, (count, len(arm.home)))
    near = np.clip(q + rng.uniform(-0.3, 0.3, q.shape), arm.lower, arm.upper)
    return q, near, arm.forward(q)


def one_by_one(arm, peer, arguments, clock):
    """Print what one solve costs, reachable and not."""
    count = arguments.targets
    q, near, poses = reachable(arm, count, np.random.default_rng(1))
    near = [tuple(row) for row in near.tolist()]
    vectors = list(zip(map(tuple, poses.position.tolist()), map(tuple, poses.up.tolist())))
    targets = [Target(*pair) for pair in vectors]
    far = Target(FAR, (1.0, 0.0, 0.0))
    few = max(1, count // 20)
    contestants = {
        'Arm.solve, reachable': (lambda: [
            arm.solve(target, at) for target, at in zip(targets, near)], count),
        'Target(...) and Arm.solve': (lambda: [
            arm.solve(Target(*pair), at) for pair, at in zip(vectors, near)], count),
        'Arm.solve, unreachable': (lambda: [arm.solve(far, at) for at in near[:few]], few)}
    if peer:
        matrices = [peer.pose(row) for row in q]
        beyond = matrices[0].copy(order='F')
        beyond[:3, 3] = FAR
        beyond[:3, :3] = np.eye(3)
        contestants['EAIK calculate_IK, reachable'] = (
            lambda: [peer.solve(matrix) for matrix in matrices], count)
        contestants['EAIK calculate_IK, unreachable'] = (
            lambda: [peer.solve(beyond) for _ in range(few)], few)
    times = medians({name: run for name, (run, _) in contestants.items()},
                    arguments.rounds, clock)
    each = {name: times[name] / n * 1e6 for name, (_, n) in contestants.items()}
    print(f'one by one, {count} targets                     us')
    for name, microseconds in each.items():
        print(f'  {name:<36} {microseconds:9.2f}')
    reached = sum([arm.solve(target, at).reached for target, at in zip(targets, near)])
    print(f'  {"Arm.solve reached":<36} {reached:>6} of {count}')
    if peer:
        four = Peer(arm.model, five_axes=False)
        right = sum([peer.is_right(m, peer.solve(m)) for m in matrices])
        right_of_four = sum([four.is_right(m, four.solve(m)) for m in matrices])
        ratio = each['Arm.solve, reachable'] / each['EAIK calculate_IK, reachable']
        print(f'  {"EAIK right, by its own kinematics":<36} {right:>6} of {count}')
        print(f'  {"EAIK right, given four axes":<36} {right_of_four:>6} of {count}')
        print(f'  ratio Arm.solve : EAIK               {ratio:9.2f}')


def at_once(arm, peer, arguments, clock):
    """Print what a solve costs in a batch."""
    count = arguments.batch
    q, near, poses = reachable(arm, count, np.random.default_rng(2))
    contestants = {
        'Arm.solve_batch': lambda: arm.solve_batch(poses.position, poses.up, near=near)}
    if peer:
        matrices = [peer.pose(row) for row in q]
        for threads in (1, 2):
            contestants[f'EAIK calculate_IK_batched, {threads} thread{"s"[:threads - 1]}'] = (
                lambda threads=threads: peer.solve_batch(matrices, threads))
    times = medians(contestants, max(3, arguments.rounds // 3), clock)
    print(f'at once, {count} targets                        ns each')
    for name, seconds in times.items():
        print(f'  {name:<36} {seconds / count * 1e9:9.0f}')
    found = arm.solve_batch(poses.position, poses.up, near=near)
    print(f'  {"Arm.solve_batch reached":<36} {found.reached.sum():>6} of {count}')
    if peer:
        ratio = times['EAIK calculate_IK_batched, 1 thread'] / times['Arm.solve_batch']
        print(f'  ratio EAIK : Arm.solve_batch, 1 thread {ratio:7.1f}')


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
    one_by_one(arm, peer, arguments, CLOCKS[arguments.clock])
    at_once(arm, peer, arguments, CLOCKS[arguments.clock])


if __name__ == '__main__':
    main()
