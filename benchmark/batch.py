# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What a target costs in ``Arm.solve_batch`` beside ``Arm.solve``, kind by kind; medians of rounds.

    python benchmark/batch.py --clock cpu

Both take turns in the same run, on one thread; trust the ratios more than the microseconds. The
memory is what a batch needs besides its input and its answer, for as many targets and for four
times as many: with a chunk it is bounded.
"""

from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser
from dataclasses import replace
from platform import python_version

from arm_ik import Arm, Target
from contest import CLOCKS, every, medians, reachable
from memory import needed
import numpy as np
from out_of_reach import with_joint

#: Of what takes a search, one target in so many.
SEARCHED = 20


def kinds(arm, count):
    """
    Yield the kinds of targets.

    :param arm: whose base only yaws; where it has no such targets, others with its numbers.
    :param count: targets of each kind, fewer where they take a search.
    :returns: ``(name, arm, positions, ups, near, options)``; ups may be ``None``.
    """
    model = arm.model
    on_floor = Arm(replace(model, floor_height=model.base_height - 0.02))
    floor = on_floor.model.floor_height
    beside = Arm(replace(model, lateral=0.03))
    slightly = Arm(replace(model, lateral=-0.0002))
    down = np.array([0.0, 0.0, -1.0])
    for name, at, change, options in (
            ('in reach', arm, lambda p, u: (p, u), {}),
            ('too far', arm, lambda p, u: (2.0 * p, u), {}),
            ('up vector turned round', arm, lambda p, u: (p, -u), {}),
            ('without an up vector', arm, lambda p, u: (p, None), {}),
            ('floor: above it', on_floor, lambda p, u: (_above(p, floor), u), {}),
            ('floor: too far', on_floor, lambda p, u: (2.0 * _above(p, floor), u), {}),
            ('floor: up vector turned round', on_floor,
             lambda p, u: (_above(p, floor), -u), {}),
            ('floor: below it', on_floor, lambda p, u: (_below(p, floor), u), {}),
            ('floor: without an up vector', on_floor,
             lambda p, u: (_above(p, floor), None), {}),
            ('up vector first, too far', arm, lambda p, u: (2.0 * p, u), {'priority': 'up'}),
            ('up vector first, out of the arm plane', arm,
             lambda p, u: (p, u + 0.3 * _left(p)), {'priority': 'up'}),
            ('up vector first, straight down, 0.2 mm beside the axis, too far', slightly,
             lambda p, u: (2.0 * p, down), {'priority': 'up'}),
            ('30 mm beside the axis, too far', beside, lambda p, u: (2.0 * p, u), {}),
            ('30 mm beside the axis, without an up vector, too far', beside,
             lambda p, u: (2.0 * p, None), {}),
            ('keeping the branch, in reach', arm, lambda p, u: (p, u),
             {'branch_tolerance': (0.001, 0.035)})):
        some = max(1, count // SEARCHED) if 'beside' in name else count
        yield (name, at, *_targets(at, some, change), options)
    for name, role in (('rolling base', 'roll'), ('tilting wrist', 'wrist_tilt')):
        other = with_joint(model, role)
        for how, change in (
                ('in reach', lambda p, u: (p, u)), ('too far', lambda p, u: (2.0 * p, u)),
                ('up vector turned round', lambda p, u: (p, -u)),
                ('without an up vector', lambda p, u: (p, None))):
            some = count if how == 'in reach' else max(1, count // SEARCHED)
            yield (f'{name}, {how}', other, *_targets(other, some, change), {})


def _targets(arm, count, change):
    _, near, poses = reachable(arm, count, 7)
    return (*change(poses.position, poses.up), near)


def _above(positions, floor):
    return np.column_stack([positions[:, :2], floor + np.abs(positions[:, 2] - floor)])


def _below(positions, floor):
    return np.column_stack([positions[:, :2], floor - np.abs(positions[:, 2] - floor)])


def _left(positions):
    return np.column_stack([-positions[:, 1], positions[:, 0], np.zeros(len(positions))]) \
        / np.hypot(positions[:, 0], positions[:, 1])[:, None]


def compared(kind, few, rounds, clock):
    """
    Return what a target costs one by one and in a batch.

    :param kind: see :func:`kinds`.
    :param few: targets solved one by one.
    :returns: seconds each.
    """
    _, arm, positions, ups, near, options = kind
    targets = [Target(position, None if ups is None else np.broadcast_to(ups, positions.shape)[i])
               for i, position in enumerate(positions[:few].tolist())]
    tuples = [tuple(row) for row in near[:few].tolist()]
    times = medians({
        'one by one': lambda: every(
            lambda target, at: arm.solve(target, at, **options), targets, tuples),
        'batch': lambda: arm.solve_batch(
            positions, ups, near=near, threads=1, **options)}, rounds, clock)
    return times['one by one'] / few, times['batch'] / len(positions)


def main():
    """Run the comparison."""
    parser = ArgumentParser(description=__doc__.strip().splitlines()[0],
                            formatter_class=ArgumentDefaultsHelpFormatter)
    parser.add_argument('--preset', default='simple', help='arm whose numbers are taken')
    parser.add_argument('--batch', type=int, default=4000, help='targets solved at once')
    parser.add_argument('--few', type=int, default=100, help='of them, solved one by one')
    parser.add_argument('--rounds', type=int, default=3, help='rounds the medians are taken of')
    parser.add_argument('--only', default='', help='kinds with this in their name')
    parser.add_argument('--clock', choices=CLOCKS, default='wall', help='time that counts')
    arguments = parser.parse_args()
    print(f'Python {python_version()}, numpy {np.__version__}, {arguments.clock} clock, '
          f'up to {arguments.batch} targets at once\n')
    print('| targets | one by one | in a batch | ratio | memory |')
    print('| --- | --- | --- | --- | --- |')
    for kind in kinds(Arm.preset(arguments.preset), arguments.batch):
        if arguments.only not in kind[0]:
            continue
        one, batch = compared(kind, min(arguments.few, len(kind[2])), arguments.rounds,
                              CLOCKS[arguments.clock])
        memory = ' / '.join([f'{needed(*more):.1f}' for more in _twice(kind)])
        print(f'| {kind[0]} | {one * 1e6:.1f} us | {batch * 1e6:.2f} us | '
              f'{one / batch:.1f} | {memory} MB |', flush=True)


def _twice(kind):
    """Return what a batch takes: its targets, and four times as many."""
    _, arm, positions, ups, near, options = kind
    ups = None if ups is None else np.broadcast_to(ups, positions.shape)
    for times in (1, 4):
        more = [None if array is None else np.tile(array, (times, 1))
                for array in (positions, ups, near)]
        yield arm, (*more[:2], None, more[2]), {**options, 'threads': 1, 'chunk_size': 1024}


if __name__ == '__main__':
    main()
