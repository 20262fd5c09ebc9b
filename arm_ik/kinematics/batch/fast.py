# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The ordinary target over columns: :mod:`..fast_path` for many at once.

Ordinary is an arm whose base only yaws, an up vector and no forward vector, a target well inside
reach, a branch that meets it inside the limits. A row that is not ordinary is returned as not
sure, or its measured answer misses the target. The rules themselves are defined in the scalar
modules.

It is fast for four reasons. A branch that already travels farther than the best one is given up,
and the remaining rows are gathered into shorter columns. Sine and cosine of the yaw follow by
algebra. One formula serves both bends of the elbow, by the sign of the triangle's root. Vectors
are normalised only where necessary.
"""

from typing import NamedTuple

import numpy as np

from .columns import rows_of, wrapped
from .forward import lowest
from .planes import ORDINARY
from ..limits import LIMIT_SLACK
from ..ranking import TIE

#: The up tolerance must be below this [rad], so that an up vector perpendicular to the plane never
#: counts as met.
MOST_UP_TOLERANCE = 1.0

#: Squared sines of the triangle's angles below this are not ordinary: straight and folded arms
#: have rounding rules of their own.
BENT = 1e-9


class FastBranch(NamedTuple):
    """
    One branch for each row.

    ``q``: positions of yaw, shoulder, elbow and wrist [rad]; ``step``: the largest step from near
    [rad], infinite where the branch does not serve; ``excess``: how far positions are outside the
    limits [rad], negative inside.
    """

    q: list
    step: np.ndarray
    excess: np.ndarray


class FastColumns:
    """
    The ordinary targets of one arm whose base only yaws.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param joints: :class:`~arm_ik.kinematics.batch.columns.JointColumns` of all joints.
    :param up_tolerance: up errors up to this [rad] count as zero.
    """

    def __init__(self, solver, joints, up_tolerance):
        self._geometry, self._triangle, self._joints = solver.geometry, solver.triangle, joints
        self._unbent = BENT * solver.triangle.outer_squared ** 2
        self._most_aside = np.tan(up_tolerance + TIE)

    @staticmethod
    def serves(solver, targets, options):
        """Tell whether arm, targets and options allow ordinary targets."""
        return (solver.geometry.upright
                and options.elbow == 'nearest'
                and targets.ups is not None and targets.forwards is None
                and options.up_tolerance < MOST_UP_TOLERANCE)

    def solve(self, e, u, near):
        """
        Return the best branch of each row.

        :param e: tip targets from S0 [m], three columns.
        :param u: up vectors, three columns; their length does not matter.
        :param near: positions [rad] to stay near to, a column for each joint.
        :returns: ``(branch, sure)``: :class:`FastBranch`, and a column of bool, false where
            another answer may be as good or better.
        """
        near_yaw, r_squared = near[0], e[0] * e[0] + e[1] * e[1]
        if self._geometry.lateral:
            r_squared -= self._geometry.lateral ** 2
        sure = r_squared > ORDINARY ** 2
        # Facing the target or over the back, whichever yaw is nearer.
        turn = wrapped(np.arctan2(e[1], e[0]) - self._joints[0].angle(near_yaw))
        np.abs(turn, out=turn)
        r = np.copysign(np.sqrt(r_squared), 0.5 * np.pi - turn)
        best = self._best_in_plane(e, u, r, near, sure)
        # How far the yaw must go at least for the other plane.
        np.maximum(turn, np.pi - turn, out=turn)
        if self._geometry.lateral:
            turn -= np.pi * np.abs(self._geometry.lateral / r)
        rows = np.flatnonzero(turn <= best.step + TIE)
        if len(rows):
            some, again = rows_of(near, rows), np.ones(len(rows), dtype=bool)
            second = self._best_in_plane(
                rows_of(e, rows), rows_of(u, rows), -r[rows], some, again)
            sure[rows] &= again
            _improve(best, rows, second, some)
        sure &= best.excess <= -TIE
        if self._geometry.floor is not None:
            # Where the best of all is above the floor, it is the best of those that are.
            sure &= lowest(self._geometry, best.q) >= self._geometry.floor
        if self._geometry.has_wrist_roll:
            best.q.append(self._joints[4].clamped(near[4]))
        return best, sure

    def _best_in_plane(self, e, u, r, near, sure):
        """
        Return the better of both bends in the planes that have targets r along forward.

        Rows that rounding decides are marked as not sure, in place.
        """
        geometry, triangle, (x, y, z), (ux, uy, uz) = self._geometry, self._triangle, e, u
        if geometry.lateral:
            rho_squared = x * x + y * y
            c = (x * r + y * geometry.lateral) / rho_squared
            s = (y * r - x * geometry.lateral) / rho_squared
        else:
            c, s = x / r, y / r
        base = self._yaw(np.arctan2(s, c), near)
        along = ux * c + uy * s
        length = np.sqrt(along * along + uz * uz)
        if geometry.lateral:
            # Beside the axis only one of the planes may hold the up vector.
            np.putmask(base.step, np.abs(uy * c - ux * s) > self._most_aside * length, np.inf)
        scale = geometry.l3 / length
        x = r - scale * along
        x -= geometry.shoulder_offset
        y = z - scale * uz
        h = x * x + y * y
        root = (triangle.outer_squared - h) * (h - triangle.inner_squared)
        sure &= np.abs(root) > self._unbent
        # Out of reach the root is NaN, so no joint counts as inside its limits.
        np.sqrt(root, out=root)
        near_elbow = self._joints[2].angle(near[2])
        np.copysign(root, near_elbow, out=root)
        elevation = np.arctan2(uz, along)
        best = self._bend(x, y, h, root, elevation, base, near)
        # The other bend of the elbow mostly has too far to go.
        turn = wrapped(self._joints[2].angle(best.q[2]) + near_elbow)
        rows = np.flatnonzero(np.abs(turn, out=turn) <= best.step + TIE)
        if len(rows):
            some = rows_of(near, rows)
            second = self._bend(
                *rows_of((x, y, h, -root, elevation), rows), _gathered(base, rows), some)
            _improve(best, rows, second, some)
        return best

    def _yaw(self, angle, near):
        """Return the branch of the yaw alone, with the step of the wrist roll, which stays."""
        position, excess = self._joints[0].fitted(angle, near[0])
        step = position - near[0]
        np.abs(step, out=step)
        if self._geometry.has_wrist_roll:
            roll = self._joints[4].clamped(near[4]) - near[4]
            np.maximum(step, np.abs(roll), out=step)
        np.putmask(step, excess > LIMIT_SLACK, np.inf)
        return FastBranch([position], step, excess)

    def _bend(self, x, y, h, root, elevation, base, near):
        """Return the branch whose elbow bends to the side of the sign of the root."""
        w = h + self._triangle.w_less_h
        elbow = np.arctan2(root, h - self._triangle.squares)
        shoulder = np.arctan2(y * w - x * root, x * w + y * root)
        wrist = elevation - shoulder
        wrist -= elbow
        q, step, excess = [*base.q], base.step, base.excess
        for i, angle in enumerate((shoulder, elbow, wrist), 1):
            position, beyond = self._joints[i].fitted(angle, near[i], principal=i < 3)
            away = position - near[i]
            step = np.maximum(step, np.abs(away, out=away), out=away)
            excess = np.maximum(excess, beyond, out=beyond)
            q.append(position)
        np.putmask(step, ~(excess <= LIMIT_SLACK), np.inf)
        return FastBranch(q, step, excess)


def _gathered(branch, rows):
    return FastBranch(rows_of(branch.q, rows), branch.step[rows], branch.excess[rows])


def _improve(best, rows, second, near):
    """Put the second branch of some rows in the place of the best one where it is better."""
    step, least = second.step, best.step[rows]
    better = step < least - TIE
    tie = np.flatnonzero(np.abs(step - least) <= TIE)
    if len(tie):
        at = rows_of(near, tie)
        new, old = [_rest(branch, index, at) for branch, index in (
            (second.q, tie), (best.q, rows[tie]))]
        better[tie] = (new[0] < old[0] - TIE) | (
            (new[0] <= old[0] + TIE) & (new[1] < old[1] - TIE))
    rows = rows[better]
    best.step[rows] = step[better]
    best.excess[rows] = second.excess[better]
    for held, position in zip(best.q, second.q):
        held[rows] = position[better]


def _rest(q, rows, near):
    """Return the costs that decide between equal steps: yaw travel, and the sum of squares."""
    steps = [np.abs(position[rows] - at) for position, at in zip(q, near)]
    return steps[0], sum([step * step for step in steps])
