# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What ``solve_batch`` needs besides its input and its answer, as the input grows."""

import tracemalloc

from contest import reachable


def needed(arm, arguments, options):
    """
    Return the most memory in use at once besides input and answer [MB].

    :param arm: to solve for.
    :param arguments: of ``solve_batch`` by position.
    :param options: of ``solve_batch`` by name.
    """
    tracemalloc.start()
    try:
        # Held, so that the answer counts as in use.
        found = arm.solve_batch(*arguments, **options)
        in_use, peak = tracemalloc.get_traced_memory()
        del found
    finally:
        tracemalloc.stop()
    return (peak - in_use) / 1e6


def besides(arm, count, threads):
    """
    Return what reachable targets need besides input and answer [MB].

    :param arm: to solve for.
    :param count: targets.
    :param threads: as for ``solve_batch``.
    """
    _, near, poses = reachable(arm, count, 6)
    arm.solve_batch(poses.position[:1000], poses.up[:1000], near=near[:1000], threads=threads)
    return needed(arm, (poses.position, poses.up, None, near), {'threads': threads})
