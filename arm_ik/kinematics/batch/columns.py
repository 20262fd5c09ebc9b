# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Columns: arrays with one value per target. What solves them, in chunks, and which are reached.

:class:`JointColumns` is :mod:`..limits`, :func:`residuals` and :func:`sine_and_cosine` are what
:mod:`..forward` needs. Joint vectors have the shape (joints, ...): one contiguous column for each
joint, which avoids strided access and stacking. :mod:`..pose` is for arrays in the user's layout.

:func:`run_chunks` does long work on several threads where that is faster: numpy releases the
interpreter's lock while it works on columns. The result of a chunk does not depend on the thread.

:func:`reached` serves pictures of what an arm reaches. No pose is chosen, and no closest one
looked for. With any up vector a target in an arm plane is reached if one of the poses is inside
the limits and above the floor at which an interval of elevations can end
(:mod:`..position_only.planes`). Every interval has one: where it is the whole circle, the wrist
goes through its limits.
"""

from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
import os

import numpy as np

from .exact import ExactColumns
from .input import columns
from ..arm_plane import from_s0
from ..closest.candidates import nearest_tip
from ..forward import tool
from ..limits import TURN
from ..target import Target, unit_vector
from ..tolerances import (
    LIMIT_SLACK, ORDINARY, POSITION_TOLERANCE, ROUNDING, SEARCH_SLACK, TIE, UP_TOLERANCE)
from ..two_link import Triangle
from ..vectors import carried, cross, dot
from ...errors import InvalidInputError

#: Number of targets below which a second thread costs more than it helps.
WORTH_THREADS = 50_000

#: Most threads used by default: more of them would mostly wait for the interpreter.
MOST_THREADS = 4

#: Positions looked at together: more poses of them would not fit into the processor's cache.
ROWS = 1024


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

    def allow(self, angle):
        """Return of canonical angles [rad], of any turn, whether the limits allow them."""
        past = self.limits.sign * (angle - self.limits.offset) - self.limits.lower + SEARCH_SLACK
        return past - TURN * np.floor(past / TURN) <= 2.0 * (self._half + SEARCH_SLACK)

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
    for what, value in (('chunk_size', chunk_size), ('threads', threads)):
        if value is None and what == 'threads':
            continue
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


def reached(solver, positions, up=None, tolerances=(POSITION_TOLERANCE, UP_TOLERANCE)):
    """
    Return which positions the arm reaches exactly.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param positions: of the tip in ``base_link`` [m], shape (n, 3).
    :param up: up vector, the same for all, three numbers; ``None``: any.
    :param tolerances: largest miss of an up vector that no plane holds [rad], the second; of a
        closest pose [m], the first: with a rolling base or a tilting wrist, and any up vector,
        nothing else decides.
    :returns: bool, shape (n,).
    """
    found = np.zeros(len(positions), dtype=bool)
    up = None if up is None else unit_vector('up', up)
    for start in range(0, len(positions), ROWS):
        part = positions[start:start + ROWS]
        with np.errstate(all='ignore'):
            position = columns(part, slice(None))
            here, sure = _with_any_up(solver, position) if up is None else _with_up(
                solver, position, up, tolerances[1])
        for row in np.flatnonzero(~sure):
            here[row] = _one(solver, Target(part[row].tolist(), up), tolerances)
        found[start:start + ROWS] = here
    return found


def _with_up(solver, position, up, up_tolerance):
    """Return which positions are reached, and where that is sure."""
    geometry, count = solver.geometry, len(position[0])
    if geometry.whole.beside or not (geometry.upright and geometry.has_wrist):
        return np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    u, near = [np.tile(np.array(values)[:, None], count) for values in (up, geometry.home)]
    joints = [JointColumns(limits) for limits in geometry.whole.limits]
    best, sure = ExactColumns(solver, joints).solve(position, u, None, near)
    _, miss, _ = residuals(tool(geometry, best.q, sine_and_cosine), position, u, None)
    return (best.step < np.inf) & (miss <= up_tolerance), sure


def _with_any_up(solver, position):
    """Return which positions are reached; no roll or tilt but zero is tried."""
    geometry = solver.geometry
    x, y, z = from_s0(geometry, position)
    r = x * x + y * y - geometry.lateral ** 2
    # A hand that is kept at another elevation than level moves the wrist off its plane's height.
    sure = (r > ORDINARY ** 2) & (geometry.floor is None or not (
        geometry.whole.beside or geometry.whole.elevation))
    np.sqrt(r, out=r)
    here = np.zeros(len(x), dtype=bool)
    base = [limits.allows(0.0) for role, limits in zip(geometry.roles, geometry.limits)
            if role in ('roll', 'wrist_tilt')]
    if all(base):
        for ahead in (r, -r):
            yaw = np.arctan2(y * ahead - x * geometry.lateral, x * ahead + y * geometry.lateral)
            rows = np.flatnonzero(~here & JointColumns(geometry.limits[0]).allow(yaw))
            here[rows] = _in_plane(solver, ahead[rows] - geometry.shoulder_offset, z[rows])
    if not geometry.upright:
        sure = here | (np.hypot(np.hypot(x, y), z) > solver.farthest)
    return here, sure


def _in_plane(solver, x, y):
    """Return which points of upright arm planes, from the shoulder [m], are reached."""
    geometry, floor = solver.geometry, -np.inf
    if geometry.floor is not None:
        floor = geometry.floor - geometry.base_height
    joints = [JointColumns(limits) for limits in geometry.limits_in_plane]
    found = np.zeros(len(x), dtype=bool)
    for pose in _poses(solver, x, y, floor):
        here = y >= floor
        for joint, angle in zip(joints, pose):
            here &= joint.allow(angle)
        if floor > -np.inf:
            shoulder, elbow, _ = pose
            height = geometry.l1 * np.sin(shoulder)
            wrist = height + geometry.l2 * np.sin(shoulder + elbow)
            here &= np.minimum(height, wrist) >= floor - TIE
        found |= here
    return found


def _poses(solver, x, y, floor):
    """Yield shoulder, elbow and wrist [rad] at which the elevations reached can end, or NaN."""
    geometry = solver.geometry
    for held in solver.reach.held:
        for direction, bend in _bends(held.triangle, x - held.x, y - held.y):
            yield held.pose(direction, bend)
    if floor == -np.inf:
        return
    # With elbow or wrist on the floor.
    wrist = np.arcsin((y - floor) / geometry.l3)
    elevations = [wrist, np.pi - wrist]
    if abs(floor) <= geometry.l1:
        elbow, triangle = np.arcsin(floor / geometry.l1), Triangle(geometry.l2, geometry.l3)
        elevations += [direction + bend for shoulder in (elbow, np.pi - elbow)
                       for direction, bend in _bends(
                           triangle, x - geometry.l1 * np.cos(shoulder), y - floor)]
    for at in elevations:
        for shoulder, elbow in _bends(solver.triangle, x - geometry.l3 * np.cos(at),
                                      y - geometry.l3 * np.sin(at)):
            yield shoulder, elbow, at - shoulder - elbow


def _bends(triangle, x, y):
    """Return what :meth:`.Triangle.bends` does of columns, NaN out of reach."""
    h = x * x + y * y
    slack = 2.0 * ROUNDING * triangle.outer_squared
    h[(h > triangle.outer_squared + slack) | (h < triangle.inner_squared - slack)] = np.nan
    s = np.sqrt(np.maximum((triangle.outer_squared - h) * (h - triangle.inner_squared), 0.0))
    w, bend = h + triangle.w_less_h, np.arctan2(s, h - triangle.squares)
    return ((np.arctan2(y * w - x * s, x * w + y * s), triangle.backwards + bend),
            (np.arctan2(y * w + x * s, x * w - y * s), triangle.backwards - bend))


def _one(solver, target, tolerances):
    """Return whether the arm reaches a target."""
    geometry = solver.geometry
    if not geometry.has_wrist:
        return solver.solve(target, geometry.home, 'nearest', 'position', *tolerances).reached
    if geometry.upright or target.up is not None:
        found, _ = solver.exact(target, geometry.home)
        return any(target.up is None or plane.miss <= tolerances[1] for plane, _ in found)
    return nearest_tip(solver, target.position) <= tolerances[0]
