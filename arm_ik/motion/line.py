# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Straight lines of the tip, solved (:mod:`.solved_path`) and timed before anything moves.

The speed at each sample is limited by the largest velocities of joints, tip and hand, and by how
far the tip may leave its path between two set-points, while the joints run evenly from one to the
other. The accelerations of the joints do the rest (:mod:`.time_parametrisation`), on the cubic
spline through the samples, of which the set-points are read; a micrometre would be far more than
its error.

Between two set-points whoever follows them goes along a cubic curve in time. Where that is too
fast, as where the path bends more from one set-point to the next than the cubic can follow, the
line is timed again, slower there and nowhere else.
"""

from functools import reduce
from itertools import accumulate, pairwise
from math import dist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .cubic_spline import accelerations, CubicSpline, limits
from .solved_path import ROUNDING, SolvedPath
from .time_parametrisation import fastest, set_points
from ..kinematics.forward import tool
from ..kinematics.pose import forward
from ..kinematics.solver import brought_near

#: Most targets of one path.
MOST_TARGETS = 1000

#: How far the tip may be off its line between two set-points: what it goes in this time at
#: ``tip_speed`` [s], but at least this distance [m].
_OFF_TIME, _OFF_LEAST = 1e-3, 1e-4

#: How often slopes of the cubics are made to fit each other.
_TURNS = 20

#: Part of the largest accelerations that is planned with: the rest is for what happens between
#: two samples.
PART = 0.99

#: A path counts as so long [m] at least, also where only the hand turns.
_TURN = 1e-3

#: Largest fraction of a path that can't be travelled as a whole.
_NOT_ALL = 1.0 - 1e-9


class Piece(NamedTuple):
    """
    A spline to rest, how far the tip gets off its path [m], and arrivals [s].

    ``spline`` holds the set-points, ``path`` is q(s), and ``travelled`` s(t), each a
    :class:`~.cubic_spline.CubicSpline`; ``legs`` are the :class:`~.tip_path.TipPath` of it.
    """

    spline: CubicSpline
    off: float
    arrivals: list[float]
    path: CubicSpline | None = None
    travelled: CubicSpline | None = None
    legs: tuple = ()


class Line(NamedTuple):
    """
    Set-points in time along straight lines, from rest to rest, at rest at corners not rounded.

    ``times`` (n,) [s] begin at 0 and are ``1 / rate`` apart, the last one before each rest is
    nearer; ``q`` (n, joints) [rad] and ``velocities`` (n, joints) [rad/s] are those of the joints.
    ``duration`` [s] is the last time; ``arrivals`` [s] hold for each target that can be reached
    when it is, or when the tip is halfway round it. ``fraction`` is 1 if the whole path can be
    travelled. If not, ``q`` holds the part that can be, ``reason`` says in words with numbers what
    stops the arm, and ``limited_by`` names the joints that do. ``max_deviation_m`` is how far the
    tip gets off the lines, and the curves round their corners, between two set-points too, if the
    joints run evenly from one to the next. ``last`` is what a line may be led on from
    (:mod:`.moving_target`).
    """

    times: NDArray[np.float64]
    q: NDArray[np.float64]
    velocities: NDArray[np.float64]
    duration: float
    fraction: float
    reason: str
    limited_by: tuple[str, ...]
    max_deviation_m: float
    arrivals: tuple[float, ...]
    last: Piece | None = None

    @property
    def spline(self):
        """Return the set-points as a :class:`~.cubic_spline.CubicSpline`."""
        return CubicSpline(self.times, self.q, self.velocities)


class Speeds(NamedTuple):
    """What the tip [m/s] and its axes [rad/s] may run at, and the set-points per second."""

    tip: float
    turn: float
    rate: float

    @property
    def off(self):
        """How far the tip may be off its line [m]."""
        return max(_OFF_LEAST, _OFF_TIME * self.tip)


def plan(solver, targets, start, speeds, up_tolerance, blend_radius=0.0, ongoing=None):
    """
    Return the :class:`Line` through targets, see :meth:`arm_ik.arm.Arm.line`.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param targets: list of targets, checked.
    :param start: joint positions [rad] of the arm.
    :param speeds: :class:`Speeds`.
    :param up_tolerance: largest angle [rad] by which up and forward vector may be missed.
    :param blend_radius: how far from a corner the tip may leave the lines [m].
    :param ongoing: returns whether the plan is still needed, for each sample; ``None``: it is.
    """
    targets = [followed(solver, target) for target in targets]
    at = solver.geometry.clamped(start)
    corners = [tool(solver.geometry, at)[0], *[target.position for target in targets]]
    lengths = [max(dist(*ends), _TURN) for ends in pairwise(corners)]
    reason, limited_by = _outside(solver, start)
    if reason:
        return _joined([_at_rest(at)], 0.0, reason, limited_by)
    pieces, number = [], 0
    while number < len(targets):
        path = SolvedPath(solver, at, targets[number:], up_tolerance, blend_radius, ongoing)
        pieces.append(_at_rest(at, [0.0 for _ in path.reached]) if len(path.s) < 3 else timed(
            path, through(path.geometry, path.s, path.q), path.reached, speeds))
        if not path.is_whole:
            reason, limited_by, stopped = path.stopped()
            number += stopped
            if len(targets) > 1:
                reason = f'line {number + 1} of {len(targets)}: {reason}'
            travelled = sum(lengths[:number]) + path.fraction(stopped) * lengths[number]
            return _joined(pieces, min(travelled / sum(lengths), _NOT_ALL), reason, limited_by)
        number += len(path.targets)
        at = path.q[-1]
    return _joined(pieces, 1.0)


def followed(solver, target):
    """Return what a line asks of a target: no up vector of an arm without a wrist."""
    target = brought_near(target)
    return target if solver.geometry.has_wrist else target.replace(up=None)


def _at_rest(q, arrivals=()):
    """Return the piece of an arm that rests."""
    return Piece(CubicSpline([0.0], [q], [[0.0] * len(q)]), 0.0, list(arrivals))


def through(geometry, s, q, slope=None):
    """
    Return a path through samples, whose second derivative has no steps, or hardly any.

    :param geometry: of the arm.
    :param s: shape (n,), n at least 3; ``q`` the joint positions there.
    :param slope: q' at the first one, if it is known.
    """
    steps = np.diff(s)[:, None]
    rises, weights = np.diff(q, axis=0) / steps, 1.0 / steps
    whole = 2.0 * (weights[:-1] + weights[1:])
    by_rises = 3.0 * (rises[:-1] * weights[:-1] + rises[1:] * weights[1:]) / whole
    first = np.gradient(q, s, axis=0, edge_order=2)
    # What is left of an error is halved each time.
    for _ in range(_TURNS):
        first[1:-1] = by_rises - (weights[:-1] * first[:-2] + weights[1:] * first[2:]) / whole
        first[0] = 2.0 * rises[0] - first[1] if slope is None else slope
        first[-1] = 2.0 * rises[-1] - first[-2]
    return CubicSpline(s, q, _inside(s, q, first, geometry))


def timed(solved, path, reached, speeds, begin=0.0, share=PART):
    """
    Return the :class:`Piece` of a path, ``None``: the arm is too fast for it.

    :param solved: the :class:`~.solved_path.SolvedPath` that it ends with.
    :param path: q(s), a :class:`~.cubic_spline.CubicSpline`.
    :param reached: s of its targets.
    :param speeds: :class:`Speeds`.
    :param begin: ds/dt at the start.
    :param share: of the largest accelerations that is planned with.
    """
    geometry, legs = solved.geometry, solved.flow.legs
    tops = _top_speeds(geometry, path, speeds, any(leg.roll for leg in legs))
    found = in_time(geometry, path, tops, speeds.rate, begin, share,
                    lambda at, q: _off(geometry, path, at, q) / speeds.off)
    if found is None:
        return None
    spline, at, rate, off = found
    travelled = CubicSpline(spline.times, at[:, None], rate[:, None])
    arrivals = np.interp(reached, at, spline.times).tolist()
    return Piece(spline, float(off.max() * speeds.off), arrivals, path, travelled, tuple(legs))


def in_time(geometry, path, tops, rate, begin=0.0, share=PART, off=lambda at, q: np.zeros(1)):
    """
    Return set-points along a path to rest, inside the limits; ``None``: it begins too fast.

    :param path: q(s), a :class:`~.cubic_spline.CubicSpline`.
    :param tops: largest ds/dt at each sample.
    :param rate: set-points per second.
    :param begin: ds/dt at the start.
    :param share: of the largest accelerations that is planned with.
    :param off: returns by which part of what is allowed the tip is off, of s and q.
    :returns: q in time, a :class:`~.cubic_spline.CubicSpline`; s, ds/dt and ``off`` there.
    """
    (lower, upper, top, most), s, q = limits(geometry.model), path.times, path.positions
    seconds = accelerations(q, path.velocities, np.diff(s)[:, None])
    pace = np.ones(len(s) - 1)
    while True:
        paced = tops * np.minimum(np.append(pace, 1.0), np.append(1.0, pace))
        run = fastest(s, path.velocities, seconds, paced, share * most * pace[:, None] ** 2, begin)
        if run is None:
            return None
        times, at, rates = set_points(s, run, 1.0 / rate)
        positions, slopes = path.read(at)
        positions = np.clip(positions, lower, upper)
        spline = CubicSpline(times, positions, _inside(
            times, positions, slopes * rates[:, None], geometry))
        missed = off(at, positions)
        over = np.maximum(spline.excess(top, most), np.sqrt(missed))
        if over.max() <= 1.0:
            return spline, at, rates, missed
        # Slower only where it has to be: on the samples between such set-points.
        step = np.minimum(np.searchsorted(at, s, side='right') - 1, len(over) - 1)
        worst = np.maximum(np.maximum.reduceat(over, step)[:-1], over[step[1:]])
        pace /= np.where(worst > 1.0, 1.005 * worst ** 0.4, 1.0)


def _top_speeds(geometry, path, speeds, has_roll):
    """Return the largest ds/dt at each sample, by the speeds of joints, tip and hand."""
    pose, (_, _, velocities, _) = forward(geometry, path.positions), limits(geometry.model)
    moved = np.linalg.norm(np.diff(pose.position, axis=0), axis=1) / speeds.tip
    for vectors in (pose.up, pose.rotation[..., 0]) if has_roll else (pose.up,):
        moved = np.maximum(moved, _turns(vectors) / speeds.turn)
    with np.errstate(divide='ignore'):
        tops = (velocities / np.abs(path.velocities)).min(axis=1)
        of_steps = np.diff(path.times) / moved
    return np.minimum.reduce([tops, np.append(of_steps, np.inf), np.append(np.inf, of_steps)])


def _off(geometry, path, at, q):
    """Return how far the tip is off its path [m] in each step at most, joints running evenly."""
    parts = np.array([0.25, 0.5, 0.75])[:, None]
    along = np.diff(forward(geometry, q).position, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1), 1e-12)[:, None]
    off = forward(geometry, q[:-1] + parts[..., None] * np.diff(q, axis=0)).position - forward(
        geometry, path.read(at[:-1] + parts * np.diff(at))[0]).position
    across = off - np.sum(off * along, axis=-1)[..., None] * along
    return np.linalg.norm(across, axis=-1).max(axis=0)


def _outside(solver, start):
    """Return ``(reason, limited_by)`` of a start outside the limits; empty if it is inside."""
    words = [(limits.name, f'{limits.name} starts {abs(past):.3g} rad past its '
              f'{"upper" if past > 0.0 else "lower"} limit')
             for limits, position in zip(solver.geometry.limits, start)
             if abs(past := position - limits.clamp(position)) > ROUNDING]
    return '; '.join(text for _, text in words), tuple(name for name, _ in words)


def _inside(s, q, slopes, geometry):
    """Return slopes with which no cubic between samples leads past a limit."""
    lower, upper, _, _ = limits(geometry.model)
    below, above = [3.0 * np.maximum(side, 0.0) for side in (q - lower, upper - q)]
    steps, slopes = np.diff(s)[:, None], slopes.copy()
    slopes[:-1] = np.clip(slopes[:-1], -below[:-1] / steps, above[:-1] / steps)
    slopes[1:] = np.clip(slopes[1:], -above[1:] / steps, below[1:] / steps)
    return slopes


def _turns(vectors):
    """Return the angles between unit vectors and the next ones [rad]."""
    return 2.0 * np.arcsin(np.minimum(0.5 * np.linalg.norm(np.diff(vectors, axis=0), axis=1), 1.0))


def _joined(pieces, fraction, reason='', limited_by=()):
    """Return the pieces one after the other; each begins where the one before ends."""
    spline = reduce(CubicSpline.then, [piece.spline for piece in pieces])
    begins = accumulate([piece.spline.duration for piece in pieces], initial=0.0)
    arrivals = tuple(begin + at for piece, begin in zip(pieces, begins) for at in piece.arrivals)
    return Line(spline.times, spline.positions, spline.velocities, spline.duration, fraction,
                reason, limited_by, max(piece.off for piece in pieces), arrivals, pieces[-1])
