# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The closest poses of many targets that can't be met: :mod:`.closest` over columns.

For arms whose base only yaws, the position first, and no floor: every arm plane that can hold the
best pose (facing the target and over the back, the limits of the yaw, the up vector's azimuth and
the opposite), each target's most promising plane first, so that the others need mostly not be
looked into. In the plane :mod:`.batch_reach` finds the best pose. All other arms and options go
one by one.
"""

from typing import Any, NamedTuple

import numpy as np

from .arm_plane import DEGENERATE
from .batch_branch import nearest_readings
from .batch_columns import JointColumns, rows_of, sine_and_cosine
from .batch_forward import residuals, tool_columns
from .batch_ranking import Best, elbow_is_up
from .batch_reach import InPlane, ReachColumns, solve
from .closest import ALIGNMENTS
from .limits import LIMIT_SLACK
from .ranking import TIE


class Rows(NamedTuple):
    """
    Targets, one in each row, with what there is to stay near to.

    Tip in ``base_link`` and from S0 [m], unit up and forward vectors or ``None``, readings [rad]:
    all columns.
    """

    position: Any
    e: Any
    u: Any
    forward: Any
    near: Any

    def at(self, rows):
        """Return some of the rows."""
        return Rows(*[None if columns is None else rows_of(columns, rows) for columns in self])


class ClosestColumns:
    """
    The closest poses of one arm.

    :param solver: :class:`~arm_ik.kinematics.three_link.Solver` of the arm.
    :param options: :class:`~arm_ik.kinematics.batch.Options`.
    """

    def __init__(self, solver, options):
        geometry = solver.geometry
        self._geometry, self._options, self._triangle = geometry, options, solver.triangle
        self.joints = [JointColumns(limits) for limits in geometry.limits]
        self._planar = solver.planar_reach(geometry.l3)
        self.reach = ReachColumns(self._planar, geometry.limits_in_plane)

    @staticmethod
    def serves(solver):
        """Tell whether the closest poses of an arm are found here."""
        geometry = solver.geometry
        return geometry.upright and geometry.floor is None

    def solve(self, targets, planes):
        """
        Return the best pose for each row.

        :param targets: :class:`Rows`, none of them degenerate.
        :param planes: :class:`~arm_ik.kinematics.batch_planes.Planes` of the rows that are exact
            but for reach and limits.
        :returns: readings [rad], a column for each joint.
        """
        geometry, count = self._geometry, len(targets.e[0])
        best = Best(len(geometry.limits), 7, count)
        everywhere = np.arange(count)
        self.offer(best, everywhere, targets, [
            np.full(count, reading) for reading in geometry.home])
        self._offer_branches(best, targets, planes)
        self.offer(best, everywhere, targets, [
            joint.clamped(near) for joint, near in zip(self.joints, targets.near)])
        self._offer_sections(best, targets)
        return best.q

    def offer(self, best, rows, targets, q):
        """Offer readings for rows, whose targets are given; return the distances of the tip."""
        geometry, options = self._geometry, self._options
        tool = tool_columns(geometry, q, with_forward=targets.forward is not None)
        position, up, forward = residuals(tool, targets.position, targets.u, targets.forward)
        if not geometry.has_wrist_roll:
            forward = 0.0
        wrong = 0.0
        if options.elbow != 'nearest':
            wrong = elbow_is_up(geometry, q) != (options.elbow == 'up')
        steps = [np.abs(reading - near) for reading, near in zip(q, targets.near)]
        # Within tolerance is as good as nothing, and better than anything that is not.
        costs = [np.where(error <= tolerance, -1.0, error) for error, tolerance in (
            (position, options.position_tolerance), (up, options.up_tolerance),
            (forward + np.zeros_like(position), options.up_tolerance))]
        costs += [wrong + np.zeros_like(position), np.max(steps, axis=0), steps[0],
                  sum([step * step for step in steps])]
        best.offer(rows, q, costs)
        return position

    def _offer_branches(self, best, targets, planes):
        """Offer branches inside the limits, or so near that on them they may pass as reached."""
        geometry, options, reach = self._geometry, self._options, self._planar.reach
        hair = LIMIT_SLACK + 4.0 * max(
            options.up_tolerance, options.position_tolerance / reach)
        for x, y, yaw, elevation in zip(planes.x, planes.y, planes.yaw, planes.elevation):
            first, second, angle, _ = solve(self._triangle, x, y)
            away = np.sqrt(x * x + y * y)
            beyond = np.maximum(away - self._triangle.outer, self._triangle.inner - away)
            for shoulder, elbow in ((first, angle), (second, -angle)):
                chain = yaw, shoulder, elbow, elevation - shoulder - elbow
                q = [nearest_readings(limits, angle, near) for limits, angle, near in zip(
                    geometry.limits, chain, targets.near)]
                close = beyond < hair * reach
                for joint, angle, reading in zip(self.joints, chain, q):
                    turned = joint.angle(reading) - angle
                    turned -= 2.0 * np.pi * np.rint(turned / (2.0 * np.pi))
                    close &= np.abs(turned) < hair
                some = np.flatnonzero(close)
                if len(some):
                    there = targets.at(some)
                    q, (yaw_at, at) = rows_of(q, some), (yaw[some], elevation[some])
                    self.offer(best, some, there, q + self.roll(there, yaw_at, at))

    def _offer_sections(self, best, targets):
        """Offer the best pose of every plane that may hold the best of all."""
        yaws, leasts = self._yaws(targets)
        order = np.argsort(leasts.T, axis=1, kind='stable').T
        columns, margin = np.arange(order.shape[1]), TIE + 2.0 * abs(self._geometry.lateral)
        nearest, found = np.full(len(columns), np.inf), []
        for number in order:
            least = leasts[number, columns]
            rows = np.flatnonzero((least <= nearest + margin) & (least < np.inf))
            if not len(rows):
                break
            there = targets.at(rows)
            q = self._best_at(there, yaws[number[rows], rows])
            position = self.offer(best, rows, there, q)
            nearest[rows] = np.minimum(nearest[rows], position)
            found.append((rows, q, position))
        if self._geometry.lateral:
            some = [np.flatnonzero((position > TIE) & (position < nearest[rows] + margin - TIE))
                    for rows, _, position in found]
            self._offer_aligned(
                best, targets, [rows[i] for (rows, _, _), i in zip(found, some)],
                [rows_of(q, i) for (_, q, _), i in zip(found, some)])

    def _yaws(self, targets):
        """
        Return the readings [rad] of the yaws whose planes can be optimal.

        :returns: ``(yaws, leasts)``, a row for each plane: no pose in it is nearer to the target
            than the least [m]; infinite where the yaw is outside its limits.
        """
        geometry, joint, near = self._geometry, self.joints[0], targets.near[0]
        lateral, (x, y, _) = geometry.lateral, targets.e
        r_squared = x * x + y * y - lateral * lateral
        r = np.sqrt(np.maximum(r_squared, 0.0))
        front = np.arctan2(y * r - x * lateral, x * r + y * lateral)
        back = np.arctan2(-y * r - x * lateral, y * lateral - x * r)
        angles = [np.full(len(x), end) for end in joint.limits.canonical_ends] + [front, back]
        if targets.u is not None:
            azimuth = np.arctan2(targets.u[1], targets.u[0])
            level = np.hypot(targets.u[0], targets.u[1]) > DEGENERATE
            azimuth[~level] = np.nan
            angles += [azimuth, azimuth + np.pi]
        yaws, leasts = [], []
        for angle in angles:
            reading, excess = joint.fitted(angle, near, principal=False)
            yaws.append(joint.clamped(reading))
            px, py, out, _, _ = self._in_plane(targets, yaws[-1])
            reach = self._planar.reach
            beyond = np.maximum(np.sqrt(px * px + py * py) - reach, 0.0)
            least = np.sqrt(out * out + beyond * beyond)
            leasts.append(np.where(excess <= LIMIT_SLACK, least, np.inf))
        return np.array(yaws), np.array(leasts)

    def _in_plane(self, targets, yaw):
        """Return the target in the plane at a yaw reading: x, y, way out of it, sine, cosine."""
        geometry, (x, y, z) = self._geometry, targets.e
        s, c = sine_and_cosine(self.joints[0].angle(yaw))
        return (x * c + y * s - geometry.shoulder_offset, z, y * c - x * s - geometry.lateral,
                s, c)

    def _best_at(self, targets, yaw):
        """Return the readings [rad] of the best pose in the planes at yaw readings [rad]."""
        x, y, _, s, c = self._in_plane(targets, yaw)
        elevation = np.full(len(x), np.nan)
        if targets.u is not None:
            along, uz = targets.u[0] * c + targets.u[1] * s, targets.u[2]
            elevation = np.where(np.hypot(along, uz) > DEGENERATE, np.arctan2(uz, along), np.nan)
        best = self.reach.best(InPlane(x, y, elevation, targets.near[1:4]))
        angles = [joint.angle(reading) for joint, reading in zip(self.joints[1:4], best.q)]
        return [yaw, *best.q, *self.roll(targets, self.joints[0].angle(yaw), sum(angles))]

    def roll(self, targets, yaw, elevation):
        """Return the wrist roll's reading [rad] that serves the forward vector, in a list."""
        if not self._geometry.has_wrist_roll:
            return []
        near, joint = targets.near[4], self.joints[4]
        if targets.forward is None:
            return [joint.clamped(near)]
        (fx, fy, fz), (s, c) = targets.forward, sine_and_cosine(yaw)
        se, ce = sine_and_cosine(elevation)
        turn = np.arctan2(fy * c - fx * s, se * (fx * c + fy * s) - ce * fz)
        return [nearest_readings(joint.limits, turn, near)]

    def _offer_aligned(self, best, targets, rows, q):
        """
        Offer poses with the yaw turned until the tip has the target's azimuth.

        See :func:`arm_ik.kinematics.closest._aligned`.

        :param rows: of the poses of each plane, a list of columns; ``q``: readings [rad], the same
            way.
        """
        geometry, joint = self._geometry, self.joints[0]
        lengths, there = np.cumsum([len(part) for part in rows])[:-1], np.concatenate(rows)
        q = [np.concatenate(columns) for columns in zip(*q)]
        active = np.arange(len(there))
        for _ in range(ALIGNMENTS):
            if not len(active):
                break
            at, yaw = targets.at(there[active]), q[0][active]
            s, c = sine_and_cosine(joint.angle(yaw))
            tip = tool_columns(geometry, rows_of(q, active), with_forward=False).tip
            along = (tip[0] - geometry.base_x) * c + (tip[1] - geometry.base_y) * s
            angle = np.arctan2(at.e[1], at.e[0]) - np.arctan2(geometry.lateral, along)
            reading, excess = joint.fitted(angle, at.near[0], principal=False)
            reading = joint.clamped(reading)
            moves = np.flatnonzero((excess <= LIMIT_SLACK) & (np.abs(reading - yaw) >= 1e-12))
            active = active[moves]
            turned = self._best_at(at.at(moves), reading[moves])
            for held, column in zip(q, turned):
                held[active] = column
        for part, aligned in zip(rows, zip(*[np.split(column, lengths) for column in q])):
            self.offer(best, part, targets.at(part), aligned)
