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
looked into. In a plane :mod:`.batch_section` finds the best pose. All other arms and options go
one by one.
"""

import numpy as np

from .batch_branch import nearest_readings
from .batch_columns import rows_of, sine_and_cosine
from .batch_forward import residuals, tool_columns
from .batch_ranking import Best, elbow_is_up
from .batch_reach import solve
from .batch_section import SectionColumns
from .closest import ALIGNMENTS, SLIGHTLY_ASIDE
from .limits import LIMIT_SLACK
from .ranking import TIE


class ClosestColumns:
    """
    The closest poses of one arm.

    :param solver: :class:`~arm_ik.kinematics.three_link.Solver` of the arm.
    :param options: :class:`~arm_ik.kinematics.batch.Options`.
    """

    def __init__(self, solver, options):
        geometry = solver.geometry
        self._geometry, self._options, self._triangle = geometry, options, solver.triangle
        self._planar = solver.planar_reach(geometry.l3)
        self.sections = SectionColumns(geometry, self._planar)
        self.joints = self.sections.joints

    @staticmethod
    def serves(solver):
        """Tell whether the closest poses of an arm are found here."""
        geometry = solver.geometry
        return geometry.upright and geometry.floor is None

    def solve(self, targets, planes):
        """
        Return the best pose for each row.

        :param targets: :class:`~arm_ik.kinematics.batch_section.Rows`, none of them degenerate.
        :param planes: :class:`~arm_ik.kinematics.batch_planes.Planes` of the rows that are exact
            but for reach and limits.
        :returns: ``(q, sure)``: readings [rad], a column for each joint; sure is false where
            something better may be found one by one.
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
        return best.q, best.sure

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
                    self.offer(best, some, there, q + self.sections.roll(there, yaw_at, at))

    def _offer_sections(self, best, targets):
        """Offer the best pose of every plane that may hold the best of all."""
        yaws, leasts = self.sections.yaws(targets)
        order = np.argsort(leasts.T, axis=1, kind='stable').T
        columns, margin = np.arange(order.shape[1]), TIE + 2.0 * abs(self._geometry.lateral)
        nearest, found = np.full(len(columns), np.inf), []
        for number in order:
            least = leasts[number, columns]
            rows = np.flatnonzero((least <= nearest + margin) & (least < np.inf))
            if not len(rows):
                break
            there = targets.at(rows)
            q, sure = self.sections.best_at(there, yaws[number[rows], rows])
            best.sure[rows] &= sure
            position = self.offer(best, rows, there, q)
            nearest[rows] = np.minimum(nearest[rows], position)
            found.append((rows, q, position))
        if self._geometry.lateral:
            # A plane far beside the axis takes a search.
            beside = abs(self._geometry.lateral) > SLIGHTLY_ASIDE * np.hypot(*targets.e[:2])
            best.sure &= ~beside | (nearest <= TIE)
            most = np.where(nearest > TIE, nearest + margin - TIE, 0.0)
            some = [np.flatnonzero(position < most[rows]) for rows, _, position in found]
            self._offer_aligned(
                best, targets, [rows[i] for (rows, _, _), i in zip(found, some)],
                [rows_of(q, i) for (_, q, _), i in zip(found, some)])

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
            turned, sure = self.sections.best_at(at.at(moves), reading[moves])
            best.sure[there[active[~sure]]] = False
            for held, column in zip(q, turned):
                held[active] = column
        for part, aligned in zip(rows, zip(*[np.split(column, lengths) for column in q])):
            self.offer(best, part, targets.at(part), aligned)
