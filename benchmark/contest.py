# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Contestants that take turns, so that a busy machine slows all of them; and what they run on."""

from collections import deque
import gc
from statistics import median
from time import perf_counter, process_time

from arm_ik import Target
import numpy as np

#: With ``cpu``, time that other processes take from us does not count.
CLOCKS = {'wall': perf_counter, 'cpu': process_time}


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


def reachable(arm, count, seed):
    """
    Return poses inside the limits and readings up to 0.3 rad away.

    :returns: ``(q, near, poses)``: arrays (count, joints), and the tool's poses at q.
    """
    rng = np.random.default_rng(seed)
    q = rng.uniform(arm.lower, arm.upper, (count, len(arm.home)))
    near = np.clip(q + rng.uniform(-0.3, 0.3, q.shape), arm.lower, arm.upper)
    return q, near, arm.forward(q)


def reachable_targets(arm, count, seed):
    """Return targets inside the limits, and tuples of readings up to 0.3 rad away."""
    _, near, poses = reachable(arm, count, seed)
    targets = [Target(*pose) for pose in zip(poses.position.tolist(), poses.up.tolist())]
    return targets, [tuple(row) for row in near.tolist()]
