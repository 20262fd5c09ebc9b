# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The best exact branch of many targets: :mod:`..arm_plane` and :mod:`..branch` over columns.

A column is an array with one value per target; vectors are triples of columns. A target for which
another answer may be as good or better is not sure: a degenerate one, one without an exact branch
inside the limits and above the floor, one that rounding decides. The thresholds here have a
margin, so every target that is sure here is not degenerate in the scalar modules.

It is fast for three reasons. The plane and the bend of the elbow nearest to ``near`` are tried
first; the others only for those targets whose best branch travels farther than yaw or elbow would.
Sine and cosine of a plane's angles follow by algebra. One formula serves both bends of the elbow,
by the sign of the triangle's root.
"""

from typing import Any, NamedTuple

import numpy as np

from .columns import rows_of, sine_and_cosine, wrapped
from ..arm_plane import from_s0, wrist_of
from ..limits import TURN
from ..tolerances import BENT, LIMIT_SLACK, ORDINARY, TIE
from ..vectors import across, cross, dot

#: Cosine and sine of the roll or tilt of an arm without it.
_NONE = 1.0, 0.0


class Rows(NamedTuple):
    """
    Targets, one in each row, with what there is to stay near to.

    ``position``: of the tip in ``base_link`` [m]; ``u``, ``forward``: unit vectors or ``None``;
    ``near``: joint positions [rad]. All are lists of columns.
    """

    position: Any
    u: Any
    forward: Any
    near: Any

    def at(self, rows):
        """Return some of the rows."""
        return Rows(*[None if columns is None else rows_of(columns, rows) for columns in self])


class Branch(NamedTuple):
    """
    One branch for each row.

    ``q``: joint positions [rad], a column for each; ``step``: the largest step from near [rad],
    infinite where no branch serves; ``excess``: how far positions are outside the limits [rad],
    negative inside.
    """

    q: list
    step: np.ndarray
    excess: np.ndarray

    def at(self, rows):
        """Return some of the rows."""
        return Branch(rows_of(self.q, rows), self.step[rows], self.excess[rows])


class Aim(NamedTuple):
    """
    What all planes of a target share; ``columns`` depend on the kind of arm.

    ``azimuth``: of the first plane [rad]; ``worse``: 1 where the plane that faces the target
    misses the up vector by more than the one over the back, -1 where it is the other way round;
    0 where both miss it as much, or the yaw can't get to the better one.
    """

    azimuth: np.ndarray
    worse: np.ndarray
    columns: list

    def at(self, rows):
        """Return some of the rows."""
        return Aim(self.azimuth[rows], self.worse[rows], rows_of(self.columns, rows))


class Plane(NamedTuple):
    """
    One arm plane for each row.

    Cosine and sine of its angles and of the elevation of the last link; ``x``, ``y``: the wrist
    from the shoulder [m]; ``ordinary``: that it is not degenerate.
    """

    yaw: Any
    roll: Any
    tilt: Any
    elevation: Any
    x: np.ndarray
    y: np.ndarray
    ordinary: Any


class ExactColumns:
    """
    The exact branches of one arm.

    Without an up vector those are exact whose last link has the wanted elevation; if none can, the
    nearest elevation reached, where a joint is at a limit or the elbow straight or folded.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param joints: :class:`~arm_ik.kinematics.batch.columns.JointColumns` of all joints.
    :param elbow: as for :meth:`arm_ik.arm.Arm.solve`.
    :param elevation: preferred for the last link of targets without an up vector [rad]; ``None``:
        the present one.
    """

    def __init__(self, solver, joints, elbow='nearest', elevation=None):
        self._geometry, self._triangle = solver.geometry, solver.triangle
        self._joints, self._elevation = joints, elevation
        self._arrays = solver.arrays
        self._unbent = BENT * solver.triangle.outer_squared ** 2
        self._side = {'up': 1.0, 'down': -1.0, 'nearest': 0.0}[elbow]
        geometry = solver.geometry
        #: Height of the floor from S0 [m].
        self._lowest = -np.inf
        if geometry.floor is not None:
            self._lowest = geometry.floor - geometry.base_height - TIE

    def solve(self, targets):
        """
        Return the best exact branch of each row.

        :param targets: :class:`Rows`; without up vectors only for arms whose base only yaws.
        :returns: ``(branch, sure)``: :class:`Branch`, and a column of bool: where a step is
            infinite, that there is no exact branch; elsewhere, that there is no better answer.
        """
        best, sure = self._best(targets, self._side)
        rows = np.flatnonzero(np.isinf(best.step)) if self._side else ()
        if len(rows):
            other, sure[rows] = self._best(targets.at(rows), 0.0)
            for held, found in zip((*best.q, *best[1:]), (*other.q, *other[1:])):
                held[rows] = found
        sure &= np.isinf(best.step) | (best.excess <= -TIE)
        if targets.u is None and self._geometry.floor is None and not self._side and (
                targets.forward is None or not self._geometry.has_wrist_roll):
            self._turn(targets, best, sure)
        return best, sure

    def _best(self, targets, side):
        """Return :meth:`solve` with the elbow up, 1.0, down, -1.0, or either, 0.0."""
        lateral = self._geometry.lateral
        aim, sure = (self._rolling if self._geometry.has_roll else self._facing)(targets)
        turn = np.abs(wrapped(aim.azimuth - self._joints[0].angle(targets.near[0])))
        # Facing the target or over the back, whichever yaw is nearer.
        facing = np.copysign(1.0, 0.5 * np.pi - turn)
        turn, other_turn = np.minimum(turn, np.pi - turn), np.maximum(turn, np.pi - turn)
        overs = (1.0,) if self._geometry.upright else (1.0, -1.0)
        best = self._in_plane(targets, aim, facing, 1.0, side, sure)
        for back, over in [(1.0, over) for over in overs[1:]] + [(-1.0, over) for over in overs]:
            # How far the yaw must go at least; the plane may pass beside its axis.
            least = turn if back > 0.0 else other_turn
            if lateral:
                least = least - np.pi * np.abs(lateral / aim.columns[-1])
            rows = np.flatnonzero(least <= best.step + TIE)
            if len(rows):
                there, again = targets.at(rows), np.ones(len(rows), dtype=bool)
                second = self._in_plane(
                    there, aim.at(rows), back * facing[rows], over, side, again)
                sure[rows] &= again
                _improve(best, rows, second, there.near)
        return best, sure

    def _facing(self, targets):
        """Return the aim where the planes are upright, and where it is ordinary."""
        geometry = self._geometry
        x, y, z = from_s0(geometry, targets.position)
        u, wanted = targets.u, []
        if u is None:
            wanted = [sum([joint.angle(np.fmod(at, TURN)) for joint, at in zip(
                self._joints[1:4], targets.near[1:4])])]
        elif geometry.has_tilt:
            x, y, z = wrist_of(geometry, (x, y, z), u)
        rho_squared = x * x + y * y
        r = rho_squared - geometry.lateral ** 2
        ordinary = r > ORDINARY ** 2
        np.sqrt(r, out=r)
        aim = Aim(np.arctan2(y, x), np.zeros_like(r), [x, y, z, *wanted, rho_squared, r])
        if geometry.lateral and geometry.upright and u is not None:
            self._weigh(aim, u, targets.near[0])
        return aim, ordinary

    def _weigh(self, aim, u, near):
        """Note which plane misses the up vector by more, in place; the yaw may rule one out."""
        (s, c, yaw), (back_s, back_c, back_yaw) = [
            (np.abs(u[1] * a - u[0] * b), np.hypot(u[0] * a + u[1] * b, u[2]), (b, a))
            for a, b, _ in (self._yawed(aim, 1.0), self._yawed(aim, -1.0))]
        more = s * back_c - c * back_s
        for side, worse, other in (1.0, more > TIE, back_yaw), (-1.0, more < -TIE, yaw):
            rows = np.flatnonzero(worse)
            _, excess = self._joints[0].fitted(np.arctan2(*rows_of(other, rows)), near[rows])
            aim.worse[rows[excess <= LIMIT_SLACK]] = side

    def _yawed(self, aim, side):
        """Return cosine and sine of the yaw, and the target's distance along forward [m]."""
        lateral, (x, y, *_, rho_squared, r) = self._geometry.lateral, aim.columns
        r = side * r
        if not lateral:
            return x / r, y / r, r
        return (x * r + y * lateral) / rho_squared, (y * r - x * lateral) / rho_squared, r

    def _rolling(self, targets):
        """Return the aim of a rolling base, and where it is ordinary."""
        e, u = from_s0(self._geometry, targets.position), targets.u
        p = wrist_of(self._geometry, e, u)
        n = cross(p, u)
        length = np.sqrt(dot(n, n))
        ordinary = length > ORDINARY
        n = across([a / length for a in n], u)
        length = np.sqrt(dot(n, n))
        nx, ny, nz = [a / length for a in n]
        level = np.sqrt(nx * nx + ny * ny)
        c, s = ny / level, -nx / level
        u_along, p_along = [a[0] * c + a[1] * s for a in (u, p)]
        u_above, p_above = [(a[0] * s - a[1] * c) * nz + a[2] * level for a in (u, p)]
        return Aim(np.arctan2(s, c), np.zeros_like(c),
                   [c, s, level, nz, u_along, u_above, p_along, p_above, e[2]]), \
            ordinary & (level > ORDINARY)

    def _wanted(self, aim, side):
        """Return the wanted elevation of the last link in a plane [rad]."""
        if self._elevation is None:
            return aim.columns[3]
        return np.where(side > 0.0, self._elevation, np.pi - self._elevation)

    def _turn(self, targets, best, sure):
        """Take the nearest elevation where no branch has the wanted one, in place."""
        rows = np.flatnonzero(np.isinf(best.step) & sure)
        targets, found, least = targets.at(rows), [], np.inf
        aim, again = self._facing(targets)
        for side in (1.0, -1.0):
            c, s, r = self._yawed(aim, side)
            base = self._beside_the_plane(targets, Plane((c, s), *[None] * 6), again)
            x, y = r - self._geometry.shoulder_offset, aim.columns[2]
            again &= x * x + y * y > ORDINARY ** 2
            poses, inside = self._arrays.extreme(x, y, np.full_like(x, self._geometry.l3))
            turn = np.abs(wrapped(poses.sum(axis=0) - self._wanted(aim, side)))
            turn[~inside | np.isinf(base.step)] = np.inf
            least = np.minimum(least, turn.min(axis=0))
            found.append((base, poses.swapaxes(0, 1), turn))
        for base, poses, turn in found:
            for pose, away in zip(poses, turn):
                some = np.flatnonzero((away <= least + LIMIT_SLACK) & (away < np.inf))
                if len(some):
                    near = rows_of(targets.near, some)
                    held, (s, e, w) = base.at(some), rows_of(pose, some)
                    _improve(best, rows[some], self._turned(held, (s, e, w), near, 1), near)
                    # The other bend of the elbow, the last link the same.
                    other = 2.0 * self._towards_wrist(s, e) - s
                    pose = other, -e, s + 2.0 * e + w - other
                    second = self._turned(held, pose, near, 0)
                    again[some] &= np.abs(second.excess) > TIE
                    _improve(best, rows[some], second, near)
        sure[rows] &= again & (best.excess[rows] <= -TIE)

    def _towards_wrist(self, shoulder, elbow):
        geometry = self._geometry
        return shoulder + np.arctan2(geometry.l2 * np.sin(elbow),
                                     geometry.l1 + geometry.l2 * np.cos(elbow))

    def _turned(self, base, pose, near, held):
        """
        Return a pose in the plane as a branch.

        :param base: branch of the yaw and, if there is one, the wrist roll.
        :param held: how many of the three may be at a limit.
        """
        fitted = [joint.fitted(angle, at, principal=False)
                  for joint, angle, at in zip(self._joints[1:4], pose, near[1:4])]
        excess = np.sort([beyond for _, beyond in fitted], axis=0)
        q = [base.q[0], *[joint.clamped(position) for joint, (position, _) in zip(
            self._joints[1:4], fitted)], *base.q[1:]]
        step = np.max([np.abs(a - b) for a, b in zip(q, near)], axis=0)
        np.putmask(step, excess[2] > LIMIT_SLACK, np.inf)
        return Branch(q, step, np.maximum(excess[2 - held], base.excess))

    def _plane(self, targets, aim, side, over):
        """
        Return the :class:`Plane` facing the target, side 1, or over the back, -1.

        :param over: -1: with the roll or the tilt beyond a right angle.
        """
        geometry = self._geometry
        if geometry.has_roll:
            c, s, level, nz, u_along, u_above, p_along, p_above, _ = aim.columns
            return Plane((side * c, side * s), (over * level, side * over * nz), _NONE,
                         (side * u_along, over * u_above),
                         side * p_along - geometry.shoulder_offset, over * p_above, True)
        c, s, r = self._yawed(aim, side)
        z, x = aim.columns[2], r - geometry.shoulder_offset
        if targets.u is None:
            up, along = sine_and_cosine(self._wanted(aim, side))
            ordinary = True
        else:
            ux, uy, uz = targets.u
            along = ux * c + uy * s
            length = np.sqrt(along * along + uz * uz)
            ordinary = length > ORDINARY
            if geometry.has_tilt:
                length = over * length
            along, up = along / length, uz / length
            if geometry.has_tilt:
                tilt = length, uy * c - ux * s
                return Plane((c, s), _NONE, tilt, (along, up), x, z, ordinary)
        return Plane((c, s), _NONE, _NONE, (along, up),
                     x - geometry.l3 * along, z - geometry.l3 * up, ordinary)

    def _in_plane(self, targets, aim, side, over, elbow, sure):
        """
        Return the better of both bends in a plane.

        Rows that rounding decides are marked as not sure, in place.
        """
        triangle, near, first = self._triangle, targets.near, self._geometry.first_in_plane + 1
        plane = self._plane(targets, aim, side, over)
        base = self._beside_the_plane(targets, plane, sure)
        if self._geometry.lateral:
            np.putmask(base.step, aim.worse == side, np.inf)
        if self._lowest > -np.inf:
            tip = from_s0(self._geometry, targets.position)[2]
            low = np.minimum(plane.y * plane.roll[0], tip) < self._lowest
            np.putmask(base.step, low, np.inf)
        h = plane.x * plane.x + plane.y * plane.y
        root = (triangle.outer_squared - h) * (h - triangle.inner_squared)
        sure &= plane.ordinary & (np.abs(root) > self._unbent)
        # Out of reach the root is NaN, so no joint counts as inside its limits.
        np.sqrt(root, out=root)
        near_elbow = self._joints[first].angle(near[first])
        if elbow:
            forwards = plane.x * plane.roll[0]
            sure &= np.abs(forwards) > ORDINARY
            np.copysign(root, -elbow * forwards, out=root)
        else:
            np.copysign(root, near_elbow, out=root)
        elevation = np.arctan2(plane.elevation[1], plane.elevation[0])
        columns = [plane.x, plane.y, h, elevation, root, *plane.roll[:self._geometry.has_roll]]
        best = self._bend(columns, base, near)
        if elbow:
            return best
        # The other bend of the elbow mostly has too far to go.
        turn = wrapped(self._joints[first].angle(best.q[first]) + near_elbow)
        rows = np.flatnonzero(np.abs(turn, out=turn) <= best.step + TIE)
        if len(rows):
            columns[4], near = -root, rows_of(near, rows)
            _improve(best, rows, self._bend(rows_of(columns, rows), base.at(rows), near), near)
        return best

    def _beside_the_plane(self, targets, plane, sure):
        """Return the branch of the joints before and behind the three in the plane."""
        geometry, near = self._geometry, targets.near
        angles = [(0, plane.yaw)]
        if geometry.has_roll:
            angles.append((1, plane.roll))
        if geometry.has_tilt:
            angles.append((4, plane.tilt))
        if geometry.has_wrist_roll and targets.forward is not None:
            x, y = _across_hand(targets.forward, plane)
            sure &= x * x + y * y > LIMIT_SLACK ** 2
            angles.append((-1, (x, y)))
        q, step, excess = [], 0.0, -np.inf
        for joint, (c, s) in angles:
            position, beyond = self._joints[joint].fitted(np.arctan2(s, c), near[joint])
            step = np.maximum(step, np.abs(position - near[joint]))
            excess = np.maximum(excess, beyond)
            q.append(position)
        if geometry.has_wrist_roll and targets.forward is None:
            q.append(self._joints[-1].clamped(near[-1]))
            step = np.maximum(step, np.abs(q[-1] - near[-1]))
        np.putmask(step, excess > LIMIT_SLACK, np.inf)
        return Branch(q, step, excess)

    def _bend(self, columns, base, near):
        """Return the branch whose elbow bends to the side of the sign of the root."""
        x, y, h, elevation, root, *upright = columns
        w, first = h + self._triangle.w_less_h, self._geometry.first_in_plane
        elbow = np.arctan2(root, h - self._triangle.squares)
        shoulder = np.arctan2(y * w - x * root, x * w + y * root)
        wrist = elevation - shoulder
        wrist -= elbow
        q, step, excess = [*base.q], base.step, base.excess
        for i, angle in enumerate((shoulder, elbow, wrist), first):
            position, beyond = self._joints[i].fitted(angle, near[i], principal=i < first + 2)
            away = position - near[i]
            step = np.maximum(step, np.abs(away, out=away), out=away)
            excess = np.maximum(excess, beyond, out=beyond)
            q.insert(i, position)
        np.putmask(step, ~(excess <= LIMIT_SLACK), np.inf)
        if self._lowest > -np.inf:
            height = self._geometry.l1 * np.sin(shoulder) * (upright[0] if upright else 1.0)
            np.putmask(step, height < self._lowest, np.inf)
        return Branch(q, step, excess)


def _across_hand(forward, plane):
    """
    Return the part of forward vectors perpendicular to the last link: lower and left component.

    The wrist roll that serves a forward vector has them as cosine and sine.
    """
    (fx, fy, fz), ((cy, sy), (cr, sr), (ct, st), (ce, se)) = forward, plane[:4]
    along_f, along_h, along_n = fx * cy + fy * sy, fz, fy * cy - fx * sy
    if plane.roll is not _NONE:
        along_h, along_n = fz * cr - along_n * sr, along_n * cr + fz * sr
    left = along_n
    if plane.tilt is not _NONE:
        left = ct * along_n - st * (ce * along_f + se * along_h)
    return se * along_f - ce * along_h, left


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
    for held, found in zip((*best.q, *best[1:]), (*second.q, *second[1:])):
        held[rows] = found[better]


def _rest(q, rows, near):
    """Return the costs that decide between equal steps: yaw travel, and the sum of squares."""
    steps = [np.abs(position[rows] - at) for position, at in zip(q, near)]
    return steps[0], sum([step * step for step in steps])
