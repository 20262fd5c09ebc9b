# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
One servo moved slowly, commanded beside measured.

The set-point runs ahead at a constant speed, so it is never far from where the servo is: whatever
ends the tool, the servo stops at once and holds. One that is blocked is not pressed on.
"""

import time
from typing import NamedTuple

#: How often a set-point is written [s], and how long a servo may take to come to rest.
_PERIOD, _REST = 0.02, 0.4

#: Readings missed in a row after which a servo is not sent on.
_MISSES = 10


class Sample(NamedTuple):
    """Where a servo was sent, and where it was [rad, m or ticks], at a time [s]."""

    time: float
    commanded: float
    measured: float


class Blocked(Exception):
    """A servo does not follow; it holds where it is. ``sample`` is the last :class:`Sample`."""

    def __init__(self, sample):
        self.sample = sample
        super().__init__('blocked')


class Silent(Exception):
    """A servo does not answer any more; it is not sent on."""


def glide(read, write, start, goal, speed, max_lead, show=lambda sample: None):
    """
    Move one servo.

    :param read: returns where it is; ``None`` if it does not answer now.
    :param write: takes a set-point.
    :param start: the set-point to begin with.
    :param goal: the last one.
    :param speed: per second.
    :param max_lead: how far it may stay behind.
    :param show: is called with every :class:`Sample`.
    :returns: the list of samples; the last one at rest.
    :raises Blocked: if it stays behind farther.
    :raises Silent: if it does not answer any more.
    """
    samples, begun, misses = [], time.monotonic(), 0
    duration = abs(goal - start) / speed
    while True:
        now = time.monotonic() - begun
        part = min(now / duration, 1.0) if duration else 1.0
        commanded = start + part * (goal - start)
        write(commanded)
        measured = read()
        misses = misses + 1 if measured is None else 0
        if misses == _MISSES:
            raise Silent
        if measured is not None:
            samples.append(Sample(now, commanded, measured))
            show(samples[-1])
            if abs(commanded - measured) > max_lead:
                write(measured)
                raise Blocked(samples[-1])
        if now >= duration + _REST and samples:
            return samples
        time.sleep(_PERIOD)
