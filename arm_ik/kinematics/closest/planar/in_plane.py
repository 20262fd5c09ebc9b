# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Every pose in one arm plane that can be the closest to a target it does not meet.

The tip is ``l1 e^is + l2 e^i(s+e) + l3 e^i(s+e+w)``. At an optimum each joint is either at a limit
or stationary, so it is enough to try every set of joints at their limits and to solve for the
rest:

* none free: the corners of the limits;
* one free: what it carries turns rigidly, its end is nearest when it points at the target;
* two free: a triangle of two rigid pieces, see :mod:`..two_link`, or both in line with the target;
* three free: in line with the target. If the target is within reach the elevation of the last link
  is free to vary, and its interval of feasible values ends where one joint is at a limit (two
  free) or the elbow is straight or folded;
* the last link at a wanted elevation: the same for the two links before it.

At most about 75 poses, each a few atan2. Poses outside the limits are dropped by the caller.
"""

from functools import lru_cache
from math import atan2, cos, pi, sin
from typing import Callable, NamedTuple

from .reach import sum_of_pieces as sum_of_any_pieces
from ...branch import Triangle

#: An arm has few of these, and they are asked for again with every target.
sum_of_pieces = lru_cache(maxsize=1024)(sum_of_any_pieces)
triangle_of = lru_cache(maxsize=1024)(Triangle)


class Arithmetic(NamedTuple):
    """
    What poses are computed with: plain floats, or columns of many targets.

    ``solve``: of a triangle, x and y, see :meth:`~arm_ik.kinematics.branch.Triangle.solve`.
    """

    sin: Callable
    cos: Callable
    atan2: Callable
    solve: Callable


FLOATS = Arithmetic(sin, cos, atan2, Triangle.solve)


def poses(lengths, ends, x, y, elevation, arithmetic=FLOATS):
    """
    Yield canonical ``(shoulder, elbow, wrist)`` of every candidate, inside the limits or not.

    :param lengths: l1, l2, l3 [m]; l3 may be negative, for a hand tilted over backwards.
    :param ends: for shoulder, elbow, wrist the two canonical angles at the limits [rad].
    :param x: tip target from the shoulder, forward [m].
    :param y: tip target from the shoulder, up [m].
    :param elevation: wanted direction of the last link [rad], ``None`` for any.
    :param arithmetic: of what x, y and elevation are.
    """
    l1, l2, l3 = lengths
    s_ends, e_ends, w_ends = ends
    sin, cos, atan2, _ = arithmetic
    towards = atan2(y, x)
    for e in e_ends:
        for w in w_ends:
            for s in s_ends:
                yield s, e, w
            _, turned = sum_of_pieces((l1, 0.0), (l2, e), (l3, e + w))
            yield towards - turned, e, w
    for s in s_ends:
        ex, ey = x - l1 * cos(s), y - l1 * sin(s)
        for w in w_ends:
            yield s, atan2(ey, ex) - s - sum_of_pieces((l2, 0.0), (l3, w))[1], w
        for e in e_ends:
            wx, wy = ex - l2 * cos(s + e), ey - l2 * sin(s + e)
            yield s, e, atan2(wy, wx) + (pi if l3 < 0.0 else 0.0) - s - e
        for first, second in _triangle(l2, l3, ex, ey, arithmetic):
            yield s, first - s, second
    for w in w_ends:
        length, turned = sum_of_pieces((l2, 0.0), (l3, w))
        for first, second in _triangle(l1, length, x, y, arithmetic):
            yield first, second - turned, w
    for e in (*e_ends, 0.0, pi):
        length, turned = sum_of_pieces((l1, 0.0), (l2, e))
        for first, second in _triangle(length, l3, x, y, arithmetic):
            yield first - turned, e, second + turned - e
    for s in (towards, towards + pi):
        for e in (0.0, pi):
            for w in (0.0, pi):
                yield s, e, w
    if elevation is not None:
        yield from _at_elevation(lengths, ends, x - l3 * cos(elevation),
                                 y - l3 * sin(elevation), elevation, arithmetic)


def _at_elevation(lengths, ends, x, y, elevation, arithmetic):
    """Yield the candidates whose last link stands at ``elevation``, with the wrist near (x, y)."""
    l1, l2, _ = lengths
    s_ends, e_ends, w_ends = ends
    sin, cos, atan2, _ = arithmetic
    towards = atan2(y, x)
    for s, e in _triangle(l1, l2, x, y, arithmetic):
        yield s, e, elevation - s - e
    for s in s_ends:
        e = atan2(y - l1 * sin(s), x - l1 * cos(s)) - s
        yield s, e, elevation - s - e
        for e in e_ends:
            yield s, e, elevation - s - e
        for w in w_ends:
            yield s, elevation - w - s, w
    for e in e_ends:
        s = towards - sum_of_pieces((l1, 0.0), (l2, e))[1]
        yield s, e, elevation - s - e
        for w in w_ends:
            yield elevation - w - e, e, w
    for w in w_ends:
        forearm_at = elevation - w
        s = atan2(y - l2 * sin(forearm_at), x - l2 * cos(forearm_at))
        yield s, forearm_at - s, w


def _triangle(first, second, x, y, arithmetic):
    """Yield the direction of the first piece and the angle of the second to it, for both bends."""
    backwards = pi if second < 0.0 else 0.0
    above, below, angle, _ = arithmetic.solve(triangle_of(first, abs(second)), x, y)
    yield above, angle + backwards
    yield below, backwards - angle
