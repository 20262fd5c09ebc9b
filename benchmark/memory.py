# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What ``solve_batch`` needs besides its input and its answer, as the input grows."""

import tracemalloc

from contest import reachable


def besides(arm, count, threads):
    """
    Return the most memory in use at once besides input and answer [MB].

    :param arm: to solve for.
    :param count: targets.
    :param threads: as for ``solve_batch``.
    """
    _, near, poses = reachable(arm, count, 6)
    arm.solve_batch(poses.position[:1000], poses.up[:1000], near=near[:1000], threads=threads)
    tracemalloc.start()
    try:
        found = arm.solve_batch(poses.position, poses.up, near=near, threads=threads)
        in_use, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.reached.all()
    return (peak - in_use) / 1e6
