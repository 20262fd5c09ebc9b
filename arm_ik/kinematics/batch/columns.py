# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Columns: arrays with one value per target, and what solves them, in chunks.

:class:`JointColumns` is :mod:`..limits`, :func:`residuals` and :func:`sine_and_cosine` are what
:mod:`..forward` needs. Joint vectors have the shape (joints, ...): one contiguous column for each
joint, which avoids strided access and stacking. :mod:`..pose` is for arrays in the user's layout.

:func:`run_chunks` does long work on several threads where that is faster: numpy releases the
interpreter's lock while it works on columns. The result of a chunk does not depend on the thread.
"""

from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
import os

import numpy as np

from ..limits import TURN
from ..tolerances import LIMIT_SLACK
from ..vectors import carried, cross, dot
from ...errors import InvalidInputError

#: Number of targets below which a second thread costs more than it helps.
WORTH_THREADS = 50_000

#: Most threads used by default: more of them would mostly wait for the interpreter.
MOST_THREADS = 4


class JointColumns:
    """
    The positions of one joint over columns.

    :param limits: :class:`~arm_ik.kinematics.limits.JointLimits` of the joint.
    """

    def __init__(self, limits):
        self.limits = limits
        self._middle = 0.5 * (limits.lower + limits.upper)
        self._half = 0.5 * (limits.upper - limits.lower)
        self._wide = limits.upper - limits.lower + 2.0 * LIMIT_SLACK >= TURN
        self._plain = limits.sign == 1.0 and limits.offset == 0.0
        # Whether angles in [-pi, pi] ever have to be turned to be inside.
        apart = abs(self._middle + limits.sign * limits.offset)
        self._as_it_is = apart + self._half + LIMIT_SLACK <= np.pi

    def fitted(self, angle, near, principal=True):
        """
        Return the positions of angles least outside the limits, and of these nearest to ``near``.

        :param angle: canonical [rad].
        :param near: positions [rad].
        :param principal: whether all angles are within ``[-pi, pi]``.
        :returns: ``(positions, excess)`` [rad]; excess is how far they are outside the limits,
            negative inside.
        """
        limits = self.limits
        position = angle if self._plain else limits.sign * (angle - limits.offset)
        if self._wide:
            position = position + TURN * np.rint((self.clamped(near) - position) / TURN)
        elif not (principal and self._as_it_is):
            position = position + TURN * np.rint((self._middle - position) / TURN)
        excess = self._excess(position)
        if self._wide:
            rows = np.flatnonzero(excess > 0.0)
            if len(rows):
                position[rows] = _into(limits, position[rows])
                excess[rows] = self._excess(position[rows])
        return position, excess

    def clamped(self, position):
        """Return the positions inside the limits nearest to positions [rad]."""
        return np.minimum(np.maximum(position, self.limits.lower), self.limits.upper)

    def angle(self, position):
        """Return the canonical angles [rad] of positions [rad]."""
        return position if self._plain else self.limits.canonical(position)

    def _excess(self, position):
        away = position - self._middle
        np.abs(away, out=away)
        away -= self._half
        return away


def sine_and_cosine(angle):
    """
    Return sine and cosine of a column.

    One tangent costs numpy a fraction of the time of sine and cosine. With the half angle the
    result is exact to rounding for every angle: where the tangent is large, its square dominates
    the other terms.
    """
    t = np.tan(0.5 * angle)
    square = t * t
    scale = 1.0 / (1.0 + square)
    t *= scale
    square *= scale
    return t + t, scale - square


def _into(limits, position):
    """Return positions turned into the limits by whole turns, as far as they can be."""
    lower, upper = limits.lower - LIMIT_SLACK, limits.upper + LIMIT_SLACK
    position = position + TURN * np.maximum(np.ceil((lower - position) / TURN), 0.0)
    return position - TURN * np.maximum(np.ceil((position - upper) / TURN), 0.0)


def residuals(tool, position, u, forward):
    """
    Return how far tools are from targets, as :func:`..forward.residuals` does.

    :param tool: as :func:`..forward.tool` returns it.
    :param position: tip targets in ``base_link`` [m], three columns.
    :param u: unit up vectors, three columns.
    :param forward: forward vectors, three columns, or ``None``.
    :returns: columns ``(position error [m], up error [rad], forward error [rad])``.
    """
    tip, up, at_forward, at_left = tool
    turned = np.zeros_like(tip[0])
    if forward is not None:
        forward = carried(forward, u, up)
        turned = np.abs(np.arctan2(dot(forward, at_left), dot(forward, at_forward)))
    return (_length([a - b for a, b in zip(tip, position)]),
            np.arctan2(_length(cross(up, u)), dot(up, u)), turned)


def _length(a):
    square = dot(a, a)
    return np.sqrt(square, out=square)


def check(chunk_size, threads, progress):
    """
    Check the options of a batch.

    :raises InvalidInputError: naming what was found.
    """
    for what, value in (('chunk_size', chunk_size),
                        ('threads', 1 if threads is None else threads)):
        if not (isinstance(value, Integral) and value > 0):
            raise InvalidInputError(what, value, 'a whole number above zero')
    if progress is not None and not callable(progress):
        raise InvalidInputError('progress', progress, 'a function of (targets done, all targets)')


def threads_for(count):
    """Return how many threads are worth it for a number of targets."""
    if count < WORTH_THREADS:
        return 1
    try:
        processors = len(os.sched_getaffinity(0))
    except AttributeError:      # not on macOS and Windows
        processors = os.cpu_count() or 1
    return min(processors, MOST_THREADS)


def run_chunks(work, count, chunk_size, threads, after):
    """
    Do work on rows, chunk by chunk.

    :param work: function of the first row of a chunk and the row after its last.
    :param count: number of rows.
    :param chunk_size: rows in a chunk.
    :param threads: how many chunks are worked on at the same time; ``None``: :func:`threads_for`
        decides.
    :param after: function of the number of rows done, called from the calling thread after each
        chunk. What it raises ends the work.
    """
    threads = threads_for(count) if threads is None else threads
    starts = range(0, count, chunk_size)

    def done(start):
        stop = min(start + chunk_size, count)
        work(start, stop)
        return stop

    with ThreadPoolExecutor(threads) as pool:
        # If this ends early, no new chunk begins; those that have begun are waited for.
        for stop in (map if threads == 1 or count <= chunk_size else pool.map)(done, starts):
            after(stop)
