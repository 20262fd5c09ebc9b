# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Straight lines of the tip, solved and timed before anything moves.

Each line (:mod:`.tip_path`) is solved at samples from its start on, each near to the one before.
They lie so close together that a joint moves no farther than ``_LONGEST_STEP`` from one to the
next. Where that can't be had, the arm would have to jump to another branch, and the line ends.

The speed at each sample is limited by the largest velocities of joints, tip and hand, and by how
far the tip may leave the line between two set-points, while the joints run evenly from one to the
other. The accelerations of the joints do the rest (:mod:`.time_parametrisation`), on the cubic
spline through the samples, of which the set-points are read; a micrometre would be far more than
its error.

Between two set-points whoever follows them goes along a cubic curve in time. Where that is too
fast, as where the path bends more from one set-point to the next than the cubic can tell, the
line is timed again, slower there and nowhere else.
"""

from __future__ import annotations

from math import dist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .cubic_spline import accelerations, hermite
from .time_parametrisation import duration, fastest, set_points
from .tip_path import TipPath
from ..errors import ArmIkError, InvalidInputError
from ..kinematics.forward import angle_between, tool
from ..kinematics.pose import forward
from ..kinematics.ranking import measure
from ..kinematics.solver import brought_near
from ..kinematics.target import Target

#: Most targets of one path.
MOST_TARGETS = 1000

#: Most set-points of one path.
MOST_SET_POINTS = 1_000_000

#: How far the tip may be off its line between two set-points: what it goes in this time at
#: ``tip_speed`` [s], but at least this distance [m].
_OFF_TIME, _OFF_LEAST = 1e-3, 1e-4

#: Largest step of a joint from sample to sample [rad].
_LONGEST_STEP = 0.02

#: Largest change of such steps [rad], at samples as far apart as before.
_BEND = 0.002

#: Samples of a line at least; for each length of the arm; for each radian of turning.
_SAMPLES, _PER_REACH, _PER_RADIAN = 64, 400.0, 50.0

#: How often the distance of samples is halved before the line ends.
_HALVINGS = 14

#: How often it is halved for a bend, and at the start.
_FEWER = 10

#: Errors up to this [m, rad] are rounding: at a limit, positions are clamped by 1e-7 rad.
_ROUNDING = 2e-7

#: Joints nearer than this [rad] to a limit where a line ends are stopped by it.
_AT_LIMIT = 1e-5

#: How often slopes of the cubics are made to fit each other.
_TURNS = 20

#: Part of the largest accelerations that is planned with: the rest is for what happens between
#: two samples.
_PART = 0.99

#: Largest fraction of a way that can't be gone as a whole.
_NOT_ALL = 1.0 - 1e-9


class Line(NamedTuple):
    """
    Set-points in time along straight lines, from rest to rest, and at rest at every corner.

    ``times`` (n,) [s] begin at 0 and are ``1 / rate`` apart, the last one of each line is nearer;
    ``q`` (n, joints) [rad] and ``velocities`` (n, joints) [rad/s] are those of the joints.
    ``duration`` [s] is the last time; ``arrivals`` [s] hold for each target that can be reached
    when it is. ``fraction`` is 1 if the whole way can be gone. If not, ``q`` holds the part that
    can be, ``reason`` says in words with numbers what stops the arm, and ``limited_by`` names the
    joints that do. ``max_deviation_m`` is how far the tip gets off the lines, between two
    set-points too, if the joints run evenly from one to the next.
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


class Speeds(NamedTuple):
    """What the tip [m/s] and its axes [rad/s] may run at, and the set-points per second."""

    tip: float
    turn: float
    rate: float

    @property
    def off(self):
        """How far the tip may be off its line [m]."""
        return max(_OFF_LEAST, _OFF_TIME * self.tip)


def plan(solver, targets, start, speeds, up_tolerance, ongoing=None):
    """
    Return the :class:`Line` through targets, see :meth:`arm_ik.arm.Arm.line`.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param targets: list of targets, checked.
    :param start: joint positions [rad] of the arm.
    :param speeds: :class:`Speeds`.
    :param up_tolerance: largest angle [rad] by which up and forward vector may be missed.
    :param ongoing: tells whether the plan is still needed, asked before each target; ``None``: is.
    """
    targets = [brought_near(target) for target in targets]
    at = solver.geometry.clamped(start)
    shares = _shares(solver.geometry, targets, at, speeds)
    reason, limited_by = _outside(solver, start)
    if reason:
        return _joined([_standing(at)], 0.0, reason, limited_by)
    pieces, fraction = [], 0.0
    for number, target in enumerate(targets):
        if ongoing is not None and not ongoing():
            raise ArmIkError('not needed any more')
        # Without a forward vector the roll stays where it is.
        held = solver.with_roll(at[-1]) if target.forward is None else solver
        line = _Line(held, at, target, up_tolerance)
        pieces.append(line.timed(speeds))
        fraction += line.gone * shares[number]
        if line.gone < 1.0:
            reason, limited_by = line.stopped()
            if len(targets) > 1:
                reason = f'line {number + 1} of {len(targets)}: {reason}'
            return _joined(pieces, min(fraction, _NOT_ALL), reason, limited_by)
        at = line.q[-1]
    return _joined(pieces, 1.0)


class _Piece(NamedTuple):
    """The set-points of one line from rest to rest, and how far the tip gets off it [m]."""

    times: NDArray[np.float64]
    q: NDArray[np.float64]
    velocities: NDArray[np.float64]
    off: float
    is_whole: bool


def _standing(q, is_whole=False):
    """Return the piece of an arm that stands still."""
    return _Piece(np.zeros(1), np.array([q]), np.zeros((1, len(q))), 0.0, is_whole)


class _Line:
    """One line, solved as far as it can be: joint positions ``q`` at the samples ``s``."""

    def __init__(self, solver, start, target, up_tolerance):
        self._solver, self._geometry = solver, solver.geometry
        self._target, self._up_tolerance = target, up_tolerance
        if target.up is None:
            # The present direction, if possible, and else the one the solver finds nearest to it.
            near = TipPath(self._geometry, start, target, True).at(1.0)
            if self._solved(near, start, 0.0) is None:
                best = solver.solve(target, start, 'nearest', 'position', 1e-9, 1e-9)
                near = Target(target.position, tool(self._geometry, best.q)[1], target.forward)
            target = near
        self._path = TipPath(self._geometry, start, target,
                             self._geometry.upright or self._target.up is None)
        self.s, self.q = [0.0], [start]
        if not self._path.is_point:
            self._follow()

    @property
    def gone(self):
        """How much of the line can be gone, from 0 to 1."""
        if self._path.is_point:
            return 1.0
        return self.s[-1] if len(self.s) > 2 else 0.0

    def _follow(self):
        path, reach = self._path, self._geometry.l1 + self._geometry.l2 + self._geometry.l3
        self._longest = step = 1.0 / max(_SAMPLES, _PER_REACH * path.length / reach,
                                         _PER_RADIAN * (path.turn + abs(path.roll)))
        shortest, least = step * 0.5 ** _HALVINGS, step * 0.5 ** _FEWER
        s, q, slopes, step = 0.0, self.q[0], (), least
        while s < 1.0:
            ahead = s + step if s + 1.5 * step < 1.0 else 1.0
            found = self._solved(path.at(ahead), q, self._up_tolerance)
            new = found and [(b - a) / (ahead - s) for a, b in zip(q, found)]
            if found and _farthest(found, q) <= _LONGEST_STEP and (
                    step <= least or _farthest(new, slopes) * step <= _BEND):
                s, q, slopes = ahead, found, new
                self.s.append(s)
                self.q.append(q)
                step = min(2.0 * step, self._longest)
            elif step > shortest:
                step *= 0.5
            else:
                break
        # A cubic between samples much closer than the ones before would bend wildly.
        while len(self.s) > 3 and 2.0 * (self.s[-1] - self.s[-2]) < self.s[-2] - self.s[-3] \
                and _farthest(self.q[-1], self.q[-3]) <= _LONGEST_STEP:
            del self.s[-2], self.q[-2]

    def _solved(self, target, near, up_tolerance):
        """Return the joint positions nearest to others that meet a target, or ``None``."""
        solver, allowed = self._solver, up_tolerance + _ROUNDING
        if solver.fast is not None:
            solution = solver.fast(target, near, _ROUNDING, allowed, True)
            if solution is not None and solution.step_rad <= _LONGEST_STEP:
                return solution.q
        found, _ = solver.exact(target, near)
        found = [measure(self._geometry, q, target, near) for _, q in found]
        found = [pose for pose in found
                 if pose.position <= _ROUNDING and max(pose.up, pose.forward) <= allowed]
        return min(found, key=lambda pose: pose.step).q if found else None

    def stopped(self):
        """Return ``(reason, limited_by)`` of what stops the arm where the samples end."""
        path, gone = self._path, self.gone
        how_far = f'after {gone * path.length:.3f} m of {path.length:.3f} m' \
            if path.length > 1e-6 else f'after {100.0 * gone:.0f} % of the turn'
        why, limited_by = self._cause()
        return f'{why}; the line ends {how_far}', limited_by

    def _cause(self):
        solver, near = self._solver, self.q[-1]
        tolerances = _ROUNDING, self._up_tolerance + _ROUNDING
        ahead = self._path.at(min(1.0, self.gone + self._longest))
        branch = min(solver.solutions(ahead, near, *tolerances), default=None,
                     key=lambda solution: solution.step_rad)
        goal = solver.solve(self._target, near, 'nearest', 'position', *tolerances)
        if branch is not None and branch.reached and solver.above_floor(branch.q):
            at_limit = [limits.name for limits, position in zip(self._geometry.limits, near)
                        if min(position - limits.lower, limits.upper - position) < _AT_LIMIT]
            where = f'{" and ".join(at_limit)} at a limit: ' if at_limit else ''
            return (f'{where}the arm would have to jump by {branch.step_rad:.2f} rad to another '
                    'branch', tuple(at_limit))
        if branch is not None and not solver.above_floor(branch.q):
            return 'elbow, wrist or tip would go below the floor', ()
        # Of one cause, the goal's numbers say more.
        same = branch is None or set(branch.limited_by) <= set(goal.limited_by)
        worst = goal if same and not goal.reached else branch
        if worst is None:
            return 'there is no such pose', ()
        return worst.reason, worst.limited_by

    def timed(self, speeds):
        """Return the :class:`_Piece` of the part that can be gone."""
        s, q = np.array(self.s), np.array(self.q)
        if len(s) < 3:
            return _standing(self.q[0], self.gone == 1.0)
        joints = self._geometry.model.joints
        velocities = np.array([joint.max_velocity for joint in joints])
        most = np.array([joint.acceleration for joint in joints])
        first, seconds = _derivatives(s, q)
        tops = self._top_speeds(s, q, first, velocities, speeds)
        pace = np.ones(len(s) - 1)
        while True:
            slowed = tops * np.minimum(np.append(pace, 1.0), np.append(1.0, pace))
            run = fastest(s, first, seconds, slowed,
                          _PART * most * pace[:, None] ** 2)
            _check_count(duration(s, run) * speeds.rate)
            times, at, rate = set_points(s, run, 1.0 / speeds.rate)
            positions, rates = _read(s, q, first, at, rate)
            over = _over(times, positions, rates, velocities, most)
            if over.max() <= 1.0:
                break
            # Slower only where it has to be: on the samples between such set-points.
            worst = np.ones(len(pace))
            begins, ends = np.searchsorted(s, at[:-1]) - 1, np.searchsorted(s, at[1:])
            for k in np.nonzero(over > 1.0)[0]:
                part = slice(max(begins[k], 0), max(ends[k], 1))
                worst[part] = np.maximum(worst[part], 1.005 * over[k] ** 0.4)
            pace /= worst
        positions[-1], rates[[0, -1]] = q[-1], 0.0  # without rounding
        positions = np.clip(positions, [joint.lower for joint in joints],
                            [joint.upper for joint in joints])
        return _Piece(times, positions, rates, self._off(positions), self.gone == 1.0)

    def _top_speeds(self, s, q, first, velocities, speeds):
        """Return the largest ds/dt at each sample, by all limits but the accelerations."""
        steps, path = np.diff(s), self._path
        pose = forward(self._geometry, q)
        with np.errstate(divide='ignore'):
            tops = (velocities / np.abs(first)).min(axis=1)
            if path.length:
                tops = np.minimum(tops, speeds.tip / path.length)
            turning = _turns(pose.up)
            if path.roll:
                turning = np.maximum(turning, _turns(pose.rotation[..., 0]))
            middles = forward(self._geometry, 0.5 * (q[:-1] + q[1:])).position
            off = self._distances(middles) / steps ** 2
            of_steps = np.minimum(speeds.turn * steps / turning,
                                  np.sqrt(speeds.off / off) * speeds.rate)
        tops[:-1] = np.minimum(tops[:-1], of_steps)
        tops[1:] = np.minimum(tops[1:], of_steps)
        return tops

    def _off(self, q):
        """Return the largest distance of the tip from the line [m], between set-points too."""
        parts = np.array([0.0, 0.25, 0.5, 0.75])[:, None, None]
        between = q[:-1] + parts * (q[1:] - q[:-1])
        return float(self._distances(forward(self._geometry, between).position).max())

    def _distances(self, tips):
        """Return how far tips are from the line [m]."""
        start = np.array(tool(self._geometry, self.q[0])[0])
        along = np.array(self._target.position) - start
        from_start = tips - start
        part = 0.0
        if self._path.length > 1e-9:
            part = np.clip(from_start @ along / (along @ along), 0.0, 1.0)[..., None]
        return np.linalg.norm(from_start - part * along, axis=-1)


def _outside(solver, start):
    """Return ``(reason, limited_by)`` of a start outside the limits; empty if it is inside."""
    words = [(limits.name, f'{limits.name} starts {abs(past):.3g} rad past its '
              f'{"upper" if past > 0.0 else "lower"} limit')
             for limits, position in zip(solver.geometry.limits, start)
             if abs(past := position - limits.clamp(position)) > _ROUNDING]
    return '; '.join(text for _, text in words), tuple(name for name, _ in words)


def _shares(geometry, targets, start, speeds):
    """Return each line's part of the way, by the time it takes at the speeds of the tip."""
    tip, up, forward, _ = tool(geometry, start)
    seconds = []
    for target in targets:
        turn = 0.0 if target.up is None else angle_between(up, target.up)
        if target.forward is not None and geometry.has_wrist_roll:
            turn = max(turn, angle_between(forward, target.forward))
        seconds.append(max(dist(tip, target.position) / speeds.tip, turn / speeds.turn))
        tip, up, forward = target.position, target.up or up, target.forward or forward
    whole = sum(seconds)
    return [part / whole if whole else 0.0 for part in seconds]


def _derivatives(s, q):
    """Return q' at samples, and q'' at the start and at the end of each cubic between them."""
    steps = np.diff(s)[:, None]
    rises, weights = np.diff(q, axis=0) / steps, 1.0 / steps
    whole = 2.0 * (weights[:-1] + weights[1:])
    by_rises = 3.0 * (rises[:-1] * weights[:-1] + rises[1:] * weights[1:]) / whole
    first = np.gradient(q, s, axis=0, edge_order=2)
    # So that q'' is the same on both sides of a sample, and even in the first and last step. What
    # is left of an error is halved each time.
    for _ in range(_TURNS):
        first[1:-1] = by_rises - (weights[:-1] * first[:-2] + weights[1:] * first[2:]) / whole
        first[0], first[-1] = 2.0 * rises[0] - first[1], 2.0 * rises[-1] - first[-2]
    return first, accelerations(q, first, steps)


def _turns(vectors):
    """Return the angles between unit vectors and the next ones [rad]."""
    return 2.0 * np.arcsin(np.minimum(0.5 * np.linalg.norm(np.diff(vectors, axis=0), axis=1), 1.0))


def _read(s, q, first, at, speeds):
    """Return positions and velocities of the joints on the cubic through samples."""
    i = np.clip(np.searchsorted(s, at, side='right') - 1, 0, len(s) - 2)
    positions, slopes = hermite((q[i], first[i]), (q[i + 1], first[i + 1]),
                                (s[i + 1] - s[i])[:, None], (at - s[i])[:, None])
    return positions, slopes * speeds[:, None]


def _over(times, q, velocities, top, most):
    """Return how much too fast each step of the set-points is, at most 1 inside all limits."""
    steps = np.diff(times)[:, None]
    means = np.diff(q, axis=0) / steps
    fast = np.maximum(np.abs(velocities[1:]), np.abs(means)) / top
    return np.maximum(fast, np.sqrt(np.maximum(*np.abs(
        accelerations(q, velocities, steps))) / most)).max(axis=1)


def _check_count(count):
    if count > MOST_SET_POINTS:
        raise InvalidInputError(
            'tip_speed, tip_turn_speed, rate', f'such that the path takes {count:.3g} set-points',
            f'speeds and a rate with which it takes at most {MOST_SET_POINTS}')


def _farthest(a, b):
    return max([abs(x - y) for x, y in zip(a, b)])


def _joined(pieces, fraction, reason='', limited_by=()):
    """Return the pieces one after the other; each begins where the one before ends."""
    ends = np.cumsum([piece.times[-1] for piece in pieces]).tolist()
    times = [piece.times[1:] + begin for piece, begin in zip(pieces, [0.0, *ends])]
    return Line(
        np.concatenate([pieces[0].times[:1], *times]),
        np.concatenate([pieces[0].q[:1], *[piece.q[1:] for piece in pieces]]),
        np.concatenate([pieces[0].velocities[:1], *[piece.velocities[1:] for piece in pieces]]),
        ends[-1], fraction, reason, limited_by, max(piece.off for piece in pieces),
        tuple([end for piece, end in zip(pieces, ends) if piece.is_whole]))
