# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The closest poses of many targets that can't be met: :mod:`..closest.candidates` over columns.

For arms whose base only yaws: every arm plane that can hold the best pose (facing the target and
over the back, the limits of the yaw, the up vector's azimuth and the opposite), each target's most
promising plane first, so that the others need mostly not be looked into. In a plane
:mod:`.section` finds the best pose. What is below the floor is raised to it first
(:mod:`.below_floor`). All other arms go one by one.
"""

import numpy as np

from . import below_floor
from .beside_axis import aligned, searched
from .branch import nearest_readings
from .columns import rows_of, solve
from .forward import lowest, residuals, tool_columns
from .ranking import Best, elbow_is_up
from .section import SectionColumns
from ..arm_plane import DEGENERATE
from ..closest.candidates import SLIGHTLY_ASIDE
from ..limits import LIMIT_SLACK
from ..ranking import TIE


class ClosestColumns:
    """
    The closest poses of one arm.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param options: :class:`~arm_ik.kinematics.batch.solve.Options`.
    :param up_first: whether targets have up vectors, and these go before the position.
    """

    def __init__(self, solver, options, up_first):
        geometry = solver.geometry
        self._solver, self._geometry, self._triangle = solver, geometry, solver.triangle
        self._options, self._up_first = options, up_first
        self._planar = solver.planar_reach(geometry.l3)
        self.sections = SectionColumns(geometry, self._planar, up_first)
        self.joints = self.sections.joints

    @staticmethod
    def serves(solver):
        """Tell whether the closest poses of an arm are found here."""
        return solver.geometry.upright

    def solve(self, targets, planes):
        """
        Return the best pose for each row.

        :param targets: :class:`~arm_ik.kinematics.batch.section.Rows`, none of them degenerate.
        :param planes: :class:`~arm_ik.kinematics.batch.planes.Planes` of the rows that are exact
            but for reach and limits.
        :returns: ``(q, sure)``: readings [rad], a column for each joint; sure is false where
            something better may be found one by one.
        """
        best = Best(len(self._geometry.limits), 7, len(targets.e[0]))
        if not self._up_first:
            self._offer_upon(best, targets, best_only=True)
        rest = np.flatnonzero(np.isinf(best.costs[0]))
        if len(rest):
            other = self._best(targets.at(rest), planes.at(rest))
            best.q[:, rest] = other.q
            best.sure[rest] &= other.sure
        return best.q, best.sure

    def offer(self, best, rows, targets, q):
        """Offer readings for rows, whose targets are given; return errors of the first cost."""
        geometry, options = self._geometry, self._options
        position, up, forward = self._errors(targets, q)
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
        if self._up_first:
            costs[:2] = costs[1::-1]
        costs += [wrong + np.zeros_like(position), np.max(steps, axis=0), steps[0],
                  sum([step * step for step in steps])]
        best.offer(rows, q, costs)
        return up if self._up_first else position

    def _errors(self, targets, q):
        """Return how far readings are from targets, see :func:`.forward.residuals`."""
        tool = tool_columns(self._geometry, q, with_forward=targets.forward is not None)
        return residuals(tool, targets.position, targets.u, targets.forward)

    def _best(self, targets, planes):
        """Return the :class:`Best` of all poses for rows with nothing sure to be best."""
        geometry, count = self._geometry, len(targets.e[0])
        best, everywhere = Best(len(geometry.limits), 7, count), np.arange(count)
        self.offer(best, everywhere, targets, [
            np.full(count, reading) for reading in geometry.home])
        self._offer_branches(best, targets, planes)
        here = [joint.clamped(near) for joint, near in zip(self.joints, targets.near)]
        self._offer_above(best, everywhere, targets, here)
        self._offer_upon(best, targets, best_only=False)
        below = below_floor.below(geometry, targets)
        if len(below):
            there = targets.at(below)
            self._offer_sections(best, below, there, below_floor.raised(geometry, there))
        self._offer_sections(best, everywhere, targets, targets)
        return best

    def _offer_above(self, best, rows, targets, q):
        """Offer readings for rows as far as they are above the floor."""
        geometry = self._geometry
        if geometry.floor is not None:
            some = np.flatnonzero(lowest(geometry, q) >= geometry.floor - TIE)
            rows, targets, q = rows[some], targets.at(some), rows_of(q, some)
        self.offer(best, rows, targets, q)

    def _offer_upon(self, best, targets, best_only):
        """
        Offer what meets the points of the floor above targets with up vectors.

        :param best_only: whether only what nothing can be better than.
        """
        below = below_floor.below(self._geometry, targets)
        if not len(below) or targets.u is None:
            return
        there = targets.at(below)
        found = below_floor.upon(
            self._solver, below_floor.raised(self._geometry, there))
        best.sure[below] &= next(found)
        for rows, q, is_best in found:
            some = np.flatnonzero(is_best if best_only else np.ones_like(is_best))
            rows = rows[some]
            self.offer(best, below[rows], there.at(rows), rows_of(q, some))

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
                    self._offer_above(
                        best, some, there, q + self.sections.roll(there, yaw_at, at))

    def _offer_sections(self, best, rows, targets, aims):
        """
        Offer the best pose of every plane that may hold the best of all.

        :param rows: to offer them for.
        :param targets: of these rows.
        :param aims: what is aimed at in their place.
        """
        yaws, leasts = self.sections.yaws(aims)
        order = np.argsort(leasts.T, axis=1, kind='stable').T
        columns, margin = np.arange(order.shape[1]), TIE + 2.0 * abs(self._geometry.lateral)
        nearest, found = np.full(len(columns), np.inf), []
        # Planes whose up vectors are all within tolerance are as good as each other.
        as_good = self._options.up_tolerance if self._up_first else 0.0
        for number in order:
            least = leasts[number, columns]
            some = np.flatnonzero(
                (least <= np.maximum(nearest, as_good) + margin) & (least < np.inf))
            if not len(some):
                break
            q, sure, inside = self.sections.best_at(aims.at(some), yaws[number[some], some])
            best.sure[rows[some]] &= sure
            some, q = some[inside], rows_of(q, inside)
            error = self.offer(best, rows[some], targets.at(some), q)
            if aims is not targets:
                error = self._errors(aims.at(some), q)[self._up_first]
            nearest[some] = np.minimum(nearest[some], error)
            found.append((some, q, error))
        if self._geometry.lateral:
            self._offer_beside_axis(best, rows, targets, aims, found, nearest)

    def _offer_beside_axis(self, best, rows, targets, aims, found, nearest):
        """
        Offer what else there is where the arm plane passes beside the yaw axis.

        :param found: poses of each plane: numbers among the rows, readings, their errors.
        :param nearest: least error for each of the rows.
        """
        geometry = self._geometry
        if self._up_first:
            # An upright last link leaves the yaw free, which takes a search.
            upright = np.hypot(*aims.u[:2]) <= DEGENERATE
            best.sure[rows[upright]] = False
            return
        beside = abs(geometry.lateral) > SLIGHTLY_ASIDE * np.hypot(*aims.e[:2])
        # Far beside the axis it takes a search over all yaws.
        for some, q in searched(self._solver, self.sections, aims, nearest,
                                np.flatnonzero(beside & (nearest > TIE))):
            self._offer_above(best, rows[some], targets.at(some), q)
        most = np.where(beside | (nearest <= TIE), 0.0, nearest + 2.0 * abs(geometry.lateral))
        worth = [np.flatnonzero(error < most[some]) for some, _, error in found]
        some, q, sure = aligned(
            geometry, self.sections, aims, [some[i] for (some, _, _), i in zip(found, worth)],
            [rows_of(q, i) for (_, q, _), i in zip(found, worth)])
        for part, turned, sure in zip(some, q, sure):
            self.offer(best, rows[part], targets.at(part), turned)
            best.sure[rows[part]] &= sure
