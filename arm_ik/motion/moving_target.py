# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A line in progress that is led on to the next place of a moving target, without a stop between.

What is left of the line is kept, and is timed anew. A straight line to the target follows, round
the corner on a curve within ``_RADIUS``. Where the arm can't go round the corner any more, it
stops there.

A tip that is far behind takes the short path: it leaves its line ``_SOON`` for the target.
"""

import numpy as np

from .line import followed, PART, plan, through, timed
from .solved_path import SolvedPath
from .tip_path import TipPath
from ..kinematics.forward import tool
from ..kinematics.target import Target

#: How far from a corner the curve round it begins [m]: it is at most half of that off the lines.
_RADIUS = 2e-3

#: More than this [s] from its end a tip is far behind, and leaves its line after ``_SOON`` [s].
_BEHIND, _SOON = 0.5, 0.1

#: A target this near to the straight path from a corner at most so far [m] is no corner.
_PASSED, _SHORT = 5e-4, 1e-2

#: Part of the largest accelerations that is planned with, in place of ``PART``, if the arm is not
#: too fast for it: the rest is for whoever follows commands that come unevenly.
_EASY_PART = 0.75


def led_on(solver, line, time, target, speeds, up_tolerance):
    """
    Return the :class:`~.line.Line` that begins with another one at a time and leads to a target.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param line: the Line that is in progress.
    :param time: of it, at which the new one begins [s].
    :param target: to lead to.
    :param speeds: :class:`~.line.Speeds`.
    :param up_tolerance: largest angle [rad] by which up and forward vector may be missed.
    :returns: if ``fraction`` is below 1, only how far the target can be had from the line's end;
        ``None``: it is far behind, and can't leave the line for the target without a stop.
    """
    end, target = tuple(line.q[-1].tolist()), followed(solver, target)
    free = target.up is None
    if TipPath(solver.geometry, end, target, solver.geometry.upright or free, free).is_point:
        return _joined(line, time, line.duration, None)
    is_behind = line.duration - time > _BEHIND
    for corner in _corners(solver.geometry, line, time, target, is_behind):
        if found := _round_a_corner(solver, line, time, corner, target, speeds, up_tolerance):
            return _joined(line, time, *found)
    if is_behind:
        return None
    rest = plan(solver, [target], end, speeds, up_tolerance)
    return rest if rest.fraction < 1.0 else _joined(line, time, line.duration, rest.last)


def _corners(geometry, line, time, target, is_behind):
    """Return the samples, best first, at which the last piece may be left for a target."""
    piece = line.last
    now = time - line.duration + piece.spline.duration
    if not piece.legs or is_behind and now < 0.0:
        return []
    s, q = piece.path.times, piece.path.positions
    if is_behind:
        return [min(np.searchsorted(s, _along(piece, now + _SOON)[0]), len(s) - 1)]
    last = len(s) - 1
    sooner = np.searchsorted(s, max(_along(piece, max(0.0, now))[0] + 0.5 * _RADIUS,
                                    s[-1] - 0.5 * piece.legs[-1].length))
    if sooner >= last:
        return [last]
    a, b, c = np.array([*[tool(geometry, q[k].tolist())[0] for k in (sooner, last)],
                        target.position])
    off = np.linalg.norm(np.cross(b - a, c - a)) / (np.linalg.norm(c - a) + 1e-12)
    is_near = off < _PASSED and np.linalg.norm(c - a) < _SHORT and np.dot(c - b, b - a) > 0.0
    return [sooner, last] if is_near else [last]


def _round_a_corner(solver, line, time, end, target, speeds, up_tolerance):
    """Return the time of the line until which it is kept [s], and what follows; or ``None``."""
    piece, (s, q) = line.last, (line.last.path.times, line.last.path.positions)
    begun = line.duration - piece.spline.duration
    now = max(0.0, time - begun)
    here, rate = _along(piece, now)
    straight = 0.5 * (s[end] - s[-1] + piece.legs[-1].length)
    at = np.searchsorted(s, s[end] - min(_RADIUS, straight, s[end] - here))
    if at >= end:
        return None
    tip, up, forward, _ = tool(solver.geometry, q[end].tolist())
    corner = Target.of_unit_vectors(tip, up, forward if piece.legs[-1].has_forward else None)
    path = SolvedPath(solver, tuple(q[at].tolist()), [corner, target], up_tolerance,
                      s[end] - s[at])
    if len(path.targets) < 2 or not path.is_whole:
        return None
    follows = np.array(path.s) > 0.5 * (s[at] - s[at - 1])
    s_on, q_on = (np.concatenate([each[:at + 1], further[follows]]) for each, further in (
        (s, s[at] + np.array(path.s)), (q, np.array(path.q))))
    q_here, slope = piece.path.read(here)
    # By no step that is much shorter than others.
    after = np.searchsorted(s_on, here, side='right')
    after += s_on[after] - here < 0.2 * (s_on[after] - s_on[after - 1])
    on = through(path.geometry, np.append(here, s_on[after:]),
                 np.vstack([q_here, q_on[after:]]), slope)
    found = timed(path, on, [s_on[-1]], speeds, rate, _EASY_PART) or timed(
        path, on, [s_on[-1]], speeds, rate, PART)
    return found and (begun + now, found)


def _along(piece, time):
    """Return s and ds/dt of a piece at a time of it [s]."""
    (s,), (rate,) = piece.travelled.at(time)
    return s, rate


def _joined(line, begin, end, piece):
    """Return what of a line lies between two times [s], and a piece from there on."""
    whole, off, last = line.spline.between(begin, end), line.max_deviation_m, line.last
    if piece is not None:
        whole, off, last = whole.then(piece.spline), max(off, piece.off), piece
    return line._replace(times=whole.times, q=whole.positions, velocities=whole.velocities,
                         duration=whole.duration, max_deviation_m=off,
                         arrivals=(whole.duration,), last=last)
