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
:mod:`.section` finds the best pose. All other arms, and those with a floor, go one by one.
"""

import numpy as np

from .columns import rows_of, sine_and_cosine
from .forward import residuals, tool_columns
from .planes import branches_of
from .ranking import Best, COSTS, RankingColumns
from .section import SectionColumns
from ..arm_plane import DEGENERATE
from ..closest.candidates import ALIGNMENTS, SLIGHTLY_ASIDE
from ..limits import LIMIT_SLACK
from ..ranking import TIE


class ClosestColumns:
    """
    The closest poses of one arm whose base only yaws.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param joints: :class:`~arm_ik.kinematics.batch.columns.JointColumns` of all joints.
    :param options: :class:`~arm_ik.kinematics.batch.solve.Options`.
    :param up_first: whether targets have up vectors, and these go before the position.
    """

    def __init__(self, solver, joints, options, up_first):
        self._geometry, self._triangle, self._joints = solver.geometry, solver.triangle, joints
        self._options, self._up_first = options, up_first
        self._ranking = RankingColumns(solver.geometry, options, up_first)
        self.sections = SectionColumns(
            solver.geometry, solver.triangle, joints, self._ranking)

    def solve(self, targets, planes):
        """
        Return the best pose for each row.

        :param targets: :class:`~arm_ik.kinematics.batch.section.Rows`, none of them degenerate.
        :param planes: :class:`~arm_ik.kinematics.batch.planes.Planes` of the targets.
        :returns: ``(q, sure)``: positions [rad], a column for each joint; sure is false where
            something better may be found one by one.
        """
        geometry, count = self._geometry, len(targets.e[0])
        best, everywhere = Best(len(geometry.limits), COSTS, count), np.arange(count)
        self.offer(best, everywhere, targets, [np.full(count, at) for at in geometry.home])
        here = [joint.clamped(near) for joint, near in zip(self._joints, targets.near)]
        self.offer(best, everywhere, targets, here)
        self._offer_branches(best, targets, planes)
        self._offer_sections(best, everywhere, targets)
        return best.q, best.sure

    def offer(self, best, rows, targets, q):
        """Offer positions for rows, whose targets are given; return errors of the first cost."""
        errors = self._errors(targets, q)
        best.offer(rows, q, self._ranking.costs(q, targets.near, *errors))
        return errors[self._up_first]

    def _errors(self, targets, q):
        """Return how far positions are from targets, see :func:`.forward.residuals`."""
        tool = tool_columns(self._geometry, q, with_forward=targets.forward is not None)
        return residuals(tool, targets.position, targets.u, targets.forward)

    def _offer_branches(self, best, targets, planes):
        """Offer branches inside the limits, or so near that on them they may pass as reached."""
        options, length = self._options, self.sections.reach.length
        near_enough = LIMIT_SLACK + 4.0 * max(
            options.up_tolerance, options.position_tolerance / length)
        for branch in branches_of(
                self._geometry, self._triangle, self._joints, planes, targets.near):
            some = np.flatnonzero(branch.excess < near_enough)
            if len(some):
                there, plane = targets.at(some), branch.plane
                roll = self.sections.wrist_roll(there, plane.yaw[some], plane.elevation[some])
                self.offer(best, some, there, rows_of(branch.q, some) + roll)

    def _offer_sections(self, best, rows, targets):
        """
        Offer the best pose of every plane that may hold the best of all.

        :param rows: to offer them for.
        :param targets: of these rows.
        """
        yaws, leasts = self.sections.yaws(targets)
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
            q, inside = self.sections.best_at(targets.at(some), yaws[number[some], some])
            some, q = some[inside], rows_of(q, inside)
            error = self.offer(best, rows[some], targets.at(some), q)
            nearest[some] = np.minimum(nearest[some], error)
            found.append((some, q, error))
        if self._geometry.lateral:
            self._offer_beside_axis(best, rows, targets, found, nearest)

    def _offer_beside_axis(self, best, rows, targets, found, nearest):
        """
        Offer what else there is where the arm plane passes beside the yaw axis.

        :param found: poses of each plane: numbers among the rows, positions, their errors.
        :param nearest: least error for each of the rows.
        """
        lateral = abs(self._geometry.lateral)
        if self._up_first:
            # An upright last link leaves the yaw free, which takes a search.
            best.sure[rows[np.hypot(*targets.u[:2]) <= DEGENERATE]] = False
            return
        # Far beside the axis it takes a search over all yaws.
        beside = (lateral > SLIGHTLY_ASIDE * np.hypot(*targets.e[:2])) & (nearest > TIE)
        best.sure[rows[beside]] = False
        most = np.where(beside | (nearest <= TIE), 0.0, nearest + 2.0 * lateral)
        for some, q, error in found:
            worth = np.flatnonzero(error < most[some])
            some, q = some[worth], np.array(rows_of(q, worth))
            self._align(targets.at(some), q)
            self.offer(best, rows[some], targets.at(some), q)

    def _align(self, targets, q):
        """
        Turn the yaw of poses until the tip has the target's azimuth, in place.

        :param targets: :class:`~arm_ik.kinematics.batch.section.Rows`, one for each pose.
        :param q: positions [rad], shape (joints, n).
        """
        geometry, joint, active = self._geometry, self._joints[0], np.arange(len(q[0]))
        for _ in range(ALIGNMENTS):
            at, yaw = targets.at(active), q[0, active]
            s, c = sine_and_cosine(joint.angle(yaw))
            tip = tool_columns(geometry, q[:, active], with_forward=False).tip
            along = (tip[0] - geometry.base_x) * c + (tip[1] - geometry.base_y) * s
            angle = np.arctan2(at.e[1], at.e[0]) - np.arctan2(geometry.lateral, along)
            position = joint.nearest(angle, at.near[0])
            moves = np.flatnonzero(np.abs(position - yaw) >= 1e-12)
            turned, found = self.sections.best_at(at.at(moves), position[moves])
            active = active[moves[found]]
            if not len(active):
                break
            q[:, active] = np.array(rows_of(turned, found))


def onto_floor(geometry, targets):
    """Return targets, those below the floor replaced by the points of the floor above them."""
    if geometry.floor is None:
        return targets
    x, y, z = targets.position
    return targets.moved(geometry, [x, y, np.maximum(z, geometry.floor)])
