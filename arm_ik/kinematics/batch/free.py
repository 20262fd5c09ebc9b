# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Many targets without an up vector: :mod:`..position_only` over columns.

For arms whose base only yaws. In each of the two planes through a target the last link takes the
wanted elevation, or the reachable one nearest to it, which has a joint at a limit, the elbow
straight or folded, or elbow or wrist on the floor; the other bend of the elbow could go on towards
the wanted one if it were inside the limits. Below the floor the point of the floor above is the
target. Past the edge of reach the closest pose says where the tip comes to be, and the last link
is chosen anew for the tip there.
"""

from typing import NamedTuple

import numpy as np

from . import below_floor
from .columns import rows_of
from .forward import tool_columns
from .planes import ORDINARY, Planes
from .ranking import Best
from ..limits import LIMIT_SLACK, TURN
from ..position_only.planes import TIED
from ..ranking import TIE


class Side(NamedTuple):
    """
    The plane through each target that faces it, or has it at the back.

    ``yaw``: reading [rad]; ``excess``: how far that is outside the limits [rad]; ``x``, ``y``: the
    target in the plane from the shoulder [m]; ``wanted``: elevation [rad]; ``angle``: canonical
    yaw [rad].
    """

    yaw: np.ndarray
    excess: np.ndarray
    x: np.ndarray
    y: np.ndarray
    wanted: np.ndarray
    angle: np.ndarray


class Offer(NamedTuple):
    """Readings in a plane [rad] for some rows, how far from wanted they leave the last link."""

    side: Side
    rows: np.ndarray
    q: list
    turn: np.ndarray


class FreeColumns:
    """
    The targets without an up vector of one arm.

    :param geometry: of the arm.
    :param closest: :class:`~arm_ik.kinematics.batch.closest.ClosestColumns` of the arm.
    :param elevation: preferred elevation of the last link [rad], ``None``: the present one.
    """

    def __init__(self, geometry, closest, elevation):
        self._geometry, self._closest, self._elevation = geometry, closest, elevation

    def solve(self, targets):
        """
        Return the best pose for each row.

        :param targets: :class:`~arm_ik.kinematics.batch.section.Rows` without up vectors.
        :returns: ``(q, sure)``: readings [rad], a column for each joint; sure is false where
            rounding decides.
        """
        best, sure = self._within_reach(below_floor.raised(self._geometry, targets))
        rows = np.flatnonzero(~(best.costs[0] <= 0.0) & sure)
        if len(rows):
            q, surely = self._past_the_edge(targets.at(rows))
            best.q[:, rows] = q
            sure[rows] = surely
        return best.q, sure

    def _past_the_edge(self, targets):
        """Return the best poses for targets that are out of reach, and whether they are sure."""
        geometry = self._geometry
        sides = [self._side(targets, sign) for sign in (1.0, -1.0)]
        yaw, x, y, wanted = [np.array([getattr(side, name) for side in sides])
                             for name in ('angle', 'x', 'y', 'wanted')]
        hand = geometry.l3
        q, surely = self._closest.solve(targets, Planes(
            yaw, None, None, x - hand * np.cos(wanted), y - hand * np.sin(wanted), wanted,
            None, None))
        tip = tool_columns(geometry, q, with_forward=False).tip
        base = geometry.base_x, geometry.base_y, geometry.base_height
        there = targets._replace(position=tip, e=[a - b for a, b in zip(tip, base)])
        freed, sure = self._within_reach(there)
        is_there = freed.costs[0] <= TIE
        return np.where(is_there, freed.q, q), sure & surely

    def _within_reach(self, targets):
        """Return the :class:`Best` poses of what is in reach, and what of all is sure."""
        best = Best(len(self._geometry.limits), 7, len(targets.e[0]))
        sides = [self._side(targets, sign) for sign in (1.0, -1.0)]
        x, y, _ = targets.e
        r_squared = x * x + y * y - self._geometry.lateral ** 2
        sure = r_squared > ORDINARY ** 2
        offers = [offer for side in sides for offer in self._offers(targets, side, sure)]
        least = np.full(len(x), np.inf)
        for offer in offers:
            np.minimum.at(least, offer.rows, offer.turn)
        for offer in offers:
            some = np.flatnonzero(offer.turn <= least[offer.rows] + TIED)
            if len(some):
                self._offer(best, targets, offer.side, offer.rows[some], rows_of(offer.q, some))
        return best, sure

    def _side(self, targets, sign):
        """Return the planes that have targets in front (sign 1) or at the back (sign -1)."""
        geometry, joint, (x, y, z) = self._geometry, self._closest.joints[0], targets.e
        lateral = geometry.lateral
        r = sign * np.sqrt(np.maximum(x * x + y * y - lateral * lateral, 0.0))
        angle = np.arctan2(y * r - x * lateral, x * r + y * lateral)
        yaw, excess = joint.fitted(angle, targets.near[0])
        wanted = self._elevation
        if wanted is None:
            wanted = self._closest.sections.reach.elevation(targets.near[1:4])
        elif sign < 0.0:
            wanted = np.pi - wanted
        return Side(joint.clamped(yaw), excess, r - geometry.shoulder_offset, z,
                    np.broadcast_to(wanted, x.shape), angle)

    def _offers(self, targets, side, sure):
        """Return what a plane has to offer; what rounding decides is no longer sure, in place."""
        reach, near, found = self._closest.sections.reach, targets.near[1:4], []
        served = np.zeros(len(sure), dtype=bool)
        for pose, reaches in reach.standing(side.x, side.y, side.wanted):
            q, excess = reach.fitted(pose, near)
            excess = np.where(reaches, np.maximum(excess, side.excess), np.inf)
            sure &= ~(np.abs(excess) <= LIMIT_SLACK)
            rows = np.flatnonzero((excess < 0.0) & reach.above_floor(q))
            served[rows] = True
            found.append(Offer(side, rows, rows_of(q, rows), np.zeros(len(rows))))
        rest = np.flatnonzero(~served & (side.excess <= LIMIT_SLACK))
        near = rows_of(near, rest)
        for pose, reaches in reach.ends(side.x[rest], side.y[rest]):
            q, excess = reach.fitted(pose, near)
            some = np.flatnonzero(reaches & (excess <= LIMIT_SLACK) & reach.above_floor(q))
            q, rows = rows_of(q, some), rest[some]
            turn = reach.elevation(q) - side.wanted[rows]
            turn = np.abs(turn - TURN * np.rint(turn / TURN))
            found.append(Offer(side, rows, q, turn))
        return found

    def _offer(self, best, targets, side, rows, q):
        there = targets.at(rows)
        elevation = self._closest.sections.reach.elevation(q)
        self._closest.offer(best, rows, there, [
            side.yaw[rows], *q, *self._closest.sections.roll(there, side.angle[rows], elevation)])
