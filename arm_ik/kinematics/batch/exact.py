# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The best exact branch of many targets: :mod:`..fast_path` over columns.

A column is an array with one value per target; vectors are arrays with three of them. The arm's
base only yaws, and an up vector is given. A target for which another answer may be as good or
better is not sure: a degenerate one, one without an exact branch inside the limits and above the
floor, one that rounding decides. The thresholds here have a margin, so every target that is sure
here is not degenerate in the scalar modules.

It is fast because the plane and the bend of the elbow nearest to ``near`` are tried first; the
others only for those targets whose best branch travels farther than yaw or elbow would.
"""

from typing import Any, NamedTuple

import numpy as np

from ..arm_plane import from_s0
from ..limits import TURN
from ..tolerances import BENT, LIMIT_SLACK, ORDINARY, TIE


class Rows(NamedTuple):
    """
    Targets with what there is to stay near to, and one arm plane for each.

    ``e``: tip target from S0 [m]; ``u``, ``forward``: unit vectors, the second or ``None``;
    ``near``: joint positions [rad]; ``r``: how far the target is ahead in the plane [m], negative
    over the back; ``worse``: 1 where the other plane misses the up vector by less and the yaw can
    get there, -1 in the opposite case.
    """

    e: np.ndarray
    u: np.ndarray
    forward: Any
    near: np.ndarray
    r: np.ndarray
    worse: np.ndarray


class Branch(NamedTuple):
    """
    One branch for each row.

    ``q``: joint positions [rad]; ``step``: the largest step from near [rad], infinite where no
    branch serves; ``excess``: how far positions are outside the limits [rad], negative inside.
    """

    q: np.ndarray
    step: np.ndarray
    excess: np.ndarray


class ExactColumns:
    """
    The exact branches of one arm.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of an arm whose base only yaws.
    :param joints: :class:`~arm_ik.kinematics.batch.columns.JointColumns` of all joints.
    """

    def __init__(self, solver, joints):
        self._geometry, self._triangle, self._joints = (
            solver.geometry.whole, solver.triangle, joints)
        self._unbent = BENT * solver.triangle.outer_squared ** 2
        #: Height of the floor from S0 [m].
        floor = solver.geometry.floor
        self._lowest = -np.inf if floor is None else floor - solver.geometry.base_height - TIE

    def solve(self, position, u, forward, near):
        """
        Return the best exact branch of each row.

        :param position: of the tip in ``base_link`` [m], three columns.
        :param u: unit up vectors, three columns.
        :param forward: forward vectors, three columns, or ``None``.
        :param near: joint positions [rad], one column for each.
        :returns: ``(branch, sure)``: :class:`Branch`, and a column of bool: where a step is
            infinite, that there is no exact branch; elsewhere, that there is no better answer.
        """
        lateral, e = self._geometry.lateral, np.array(from_s0(self._geometry, position))
        r = e[0] * e[0] + e[1] * e[1] - lateral * lateral
        sure = r > ORDINARY ** 2
        turn = np.abs(wrapped(np.arctan2(e[1], e[0]) - self._joints[0].angle(near[0])))
        # In front or over the back: first the one with the shorter turn of the yaw.
        r = np.copysign(np.sqrt(r), 0.5 * np.pi - turn)
        targets = Rows(e, u, forward, near, r, np.zeros_like(r))
        # How far the yaw must go to the other; the plane may pass beside its axis.
        other_turn = np.maximum(turn, np.pi - turn)
        if lateral:
            self._weigh(targets)
            other_turn -= np.pi * np.abs(lateral / r)
        best = self._in_plane(targets, sure)
        rows = np.flatnonzero(other_turn <= best.step + TIE)
        if len(rows):
            there, again = Rows(*_at(targets, rows)), np.ones(len(rows), dtype=bool)
            there = there._replace(r=-there.r, worse=-there.worse)      # the other plane of each
            second = self._in_plane(there, again)
            sure[rows] &= again
            _improve(best, rows, second, there.near)
        sure &= np.isinf(best.step) | (best.excess <= -TIE)
        return best, sure

    def _weigh(self, targets):
        """Note which plane misses the up vector by more, in place; the yaw may rule one out."""
        ux, uy, uz = targets.u
        yaws = [self._yaw(targets.e, r) for r in (targets.r, -targets.r)]
        (s, c), (other_s, other_c) = [
            (np.abs(uy * a - ux * b), np.hypot(ux * a + uy * b, uz)) for a, b in yaws]
        more = s * other_c - c * other_s
        for side, (a, b) in ((1.0, yaws[1]), (-1.0, yaws[0])):
            rows = np.flatnonzero(side * more > TIE)
            _, excess = self._joints[0].fitted(np.arctan2(b[rows], a[rows]), targets.near[0][rows])
            targets.worse[rows[excess <= LIMIT_SLACK]] = side

    def _yaw(self, e, r):
        """Return cosine and sine of the yaw."""
        lateral = self._geometry.lateral
        if not lateral:
            return e[0] / r, e[1] / r
        square = r * r + lateral * lateral
        return (e[0] * r + e[1] * lateral) / square, (e[1] * r - e[0] * lateral) / square

    def _in_plane(self, targets, sure):
        """
        Return the better of both bends in a plane.

        Rows that rounding decides are marked as not sure, in place.
        """
        geometry, triangle = self._geometry, self._triangle
        e, (ux, uy, uz), _, near, r, worse = targets
        c, s = self._yaw(e, r)
        along = ux * c + uy * s
        length = np.sqrt(along * along + uz * uz)
        along, above = along / length, uz / length
        x, y = r - geometry.shoulder_offset - geometry.l3 * along, e[2] - geometry.l3 * above
        if geometry.hand_offset:
            x += geometry.hand_offset * above
            y -= geometry.hand_offset * along
        h = x * x + y * y
        root = (triangle.outer_squared - h) * (h - triangle.inner_squared)
        sure &= (length > ORDINARY) & (np.abs(root) > self._unbent)
        base = self._beside_the_plane(targets, (c, s), (along, above), sure)
        np.putmask(base.step, (worse > 0.0) | (np.minimum(y, e[2]) < self._lowest), np.inf)
        # Out of reach the root is NaN, so no joint counts as inside its limits.
        near_elbow = self._joints[2].angle(near[2])
        root = np.copysign(np.sqrt(root), near_elbow)
        columns = [x, y, h, np.arctan2(above, along), root]
        best = self._bend(columns, base, near)
        # The other bend of the elbow mostly has too far to go.
        turn = np.abs(wrapped(self._joints[2].angle(best.q[2]) + near_elbow))
        rows = np.flatnonzero(turn <= best.step + TIE)
        if len(rows):
            columns[4], near = -root, near[:, rows]
            _improve(best, rows, self._bend(
                _at(columns, rows), Branch(*_at(base, rows)), near), near)
        return best

    def _beside_the_plane(self, targets, yaw, elevation, sure):
        """Return the branch of yaw and wrist roll; directions are cosine and sine."""
        (c, s), (along, above), near = yaw, elevation, targets.near
        position, excess = self._joints[0].fitted(np.arctan2(s, c), near[0])
        q, step = [position], np.abs(position - near[0])
        if self._geometry.has_wrist_roll:
            position = self._joints[-1].clamped(near[-1])
            if targets.forward is not None:
                # Across the last link, down and to the left.
                (fx, fy, fz), (ux, uy, uz) = targets.forward, targets.u
                level, aside = fx * c + fy * s, uy * c - ux * s
                # Carried along by the rotation from the up vector into the plane.
                left = (fy * c - fx * s) * (along * (ux * c + uy * s) + above * uz) - aside * (
                    along * level + above * fz)
                down = above * level - along * fz
                sure &= down * down + left * left > LIMIT_SLACK ** 2
                position, beyond = self._joints[-1].fitted(np.arctan2(left, down), near[-1])
                excess = np.maximum(excess, beyond)
            step = np.maximum(step, np.abs(position - near[-1]))
            q.append(position)
        np.putmask(step, excess > LIMIT_SLACK, np.inf)
        return Branch(np.array(q), step, excess)

    def _bend(self, columns, base, near):
        """Return the branch whose elbow bends to the side of the sign of the root."""
        x, y, h, elevation, root = columns
        w = h + self._triangle.w_less_h
        elbow = np.arctan2(root, h - self._triangle.squares)
        shoulder = np.arctan2(y * w - x * root, x * w + y * root)
        q, step, excess = [base.q[0]], base.step, base.excess
        for i, angle in enumerate((shoulder, elbow, elevation - shoulder - elbow), 1):
            position, beyond = self._joints[i].fitted(angle, near[i], principal=i < 3)
            step = np.maximum(step, np.abs(position - near[i]))
            excess = np.maximum(excess, beyond)
            q.append(position)
        np.putmask(step, ~(excess <= LIMIT_SLACK), np.inf)
        if self._lowest > -np.inf:
            np.putmask(step, self._geometry.l1 * np.sin(shoulder) < self._lowest, np.inf)
        return Branch(np.array([*q, *base.q[1:]]), step, excess)


def _at(columns, rows):
    """Return columns, and arrays of them, at rows."""
    return [None if column is None else column[..., rows] for column in columns]


def _improve(best, rows, second, near):
    """Put the second branch of some rows in the place of the best one where it is better."""
    step, least = second.step, best.step[rows]
    better = step < least - TIE
    tie = np.flatnonzero(np.abs(step - least) <= TIE)
    if len(tie):
        # Between equal steps the yaw's travel decides, and the sum of squares.
        new, old = [np.abs(q - near[:, tie]) for q in (second.q[:, tie], best.q[:, rows[tie]])]
        gain, squares = old[0] - new[0], (old * old - new * new).sum(axis=0)
        better[tie] = (gain > TIE) | ((gain >= -TIE) & (squares > TIE))
    rows = rows[better]
    for held, found in zip(best, second):
        held[..., rows] = found[..., better]


def wrapped(angle):
    """Return angles [rad] reduced by whole turns to ``[-pi, pi]``."""
    return angle - TURN * np.rint(angle / TURN)
