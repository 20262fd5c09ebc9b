# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The least distance over families of poses, by branch and bound.

A family is a set of poses with one or two parameters left, such as all poses with shoulder, elbow
and roll at limits while the wrist turns. Its tip, with the base not yet yawed, is::

    x + i y = o + e^(i p) (a + g(b + k d))        k = 0 or l3 cos q, g(c) = c or ± |c|

in the arm plane; rolled, tilted and turned by the best yaw inside the limits it is nearest to the
target. That distance changes by no more than the tip moves: at most ``radius |dp| + hand |dq|``.
So a cell of parameters whose middle is farther than the best pose known by more than the tip can
move inside it holds nothing better. Cells are halved until the tip moves by less than
:data:`FINEST` in them; what is found is then the nearest pose of all families to within half of
that, and it is the bottom of its valley to rounding where one parameter is left.
"""

from typing import NamedTuple

import numpy as np

from .limits import TURN

#: The tip moves by less than this [m] across a cell that is not divided any more: by number of
#: parameters. Valleys are parabolas, so their bottom is then known to the square of it.
FINEST = {1: 1e-6, 2: 1e-4}

#: Cells along one parameter to begin with.
CELLS = 32

#: More cells than this are not divided any more: the distance is level all over them.
MOST_CELLS = 20_000


class Families(NamedTuple):
    """
    Families of poses, arrays of shape (families,), in the letters of the module.

    ``low``, ``high``: bounds of p and q [rad], shape (families, 2); ``origin`` to ``fold``: o, a,
    b, d and the sign of g, 0 for ``g(c) = c``; ``hand``: l3 where the hand tilts, else 0;
    ``radius``: no tip is farther from o [m]; ``roll`` of the plane [rad] and how far it stands
    ``aside`` of the yaw axis to the left [m].
    """

    low: np.ndarray
    high: np.ndarray
    origin: np.ndarray
    first: np.ndarray
    second: np.ndarray
    third: np.ndarray
    fold: np.ndarray
    hand: np.ndarray
    radius: np.ndarray
    roll: np.ndarray
    aside: np.ndarray


def tips(families, which, p, q):
    """Return tips as (radius from the yaw axis, azimuth, height) of cells' middles [m, rad]."""
    inner = families.second[which] + families.hand[which] * np.cos(q) * families.third[which]
    fold = families.fold[which]
    inner = np.where(fold == 0.0, inner, fold * np.abs(inner))
    planar = families.origin[which] + np.exp(1j * p) * (families.first[which] + inner)
    roll = families.roll[which]
    left = families.aside[which] + families.hand[which] * np.sin(q) - planar.imag * np.sin(roll)
    return np.hypot(planar.real, left), np.arctan2(left, planar.real), planar.imag * np.cos(roll)


class DistanceSearch:
    """
    Search over the families of one arm.

    :param families: :class:`Families`, all with one or all with two parameters.
    :param yaw: :class:`~arm_ik.kinematics.limits.JointLimits` of the base.
    """

    def __init__(self, families, yaw):
        self.families = families
        self._ends = np.sort(yaw.canonical_ends)
        self._dimensions = 2 if np.any(families.hand) else 1
        low, size = families.low, (families.high - families.low) / CELLS
        count = len(low)
        steps = np.arange(CELLS) + 0.5
        if self._dimensions == 1:
            self._which = np.repeat(np.arange(count), CELLS)
            middle = low[:, None, 0] + size[:, None, 0] * steps
            self._p, self._q = middle.ravel(), np.zeros(count * CELLS)
        else:
            self._which = np.repeat(np.arange(count), CELLS ** 2)
            shape = (count, CELLS, CELLS)
            first, second = [low[:, i, None] + size[:, i, None] * steps for i in (0, 1)]
            self._p = np.broadcast_to(first[:, :, None], shape).ravel()
            self._q = np.broadcast_to(second[:, None, :], shape).ravel()
        self._size = size
        self._tips = tips(families, self._which, self._p, self._q)

    def nearest(self, e, best):
        """
        Return the poses nearest to a target.

        :param e: tip target from S0 [m].
        :param best: a distance already found [m].
        :returns: arrays ``(which, p, q, yaw, distance)`` of the poses nearer than ``best``: those
            within :data:`FINEST` of the nearest, the nearest first.
        """
        which, p, q, size = self._which, self._p, self._q, self._size
        distance, yaw = self._distances(self._tips, e)
        finest = FINEST[self._dimensions]
        while True:
            moves = self.families.radius[which] * size[which, 0] \
                + self.families.hand[which] * size[which, 1]
            best = min(best, distance.min(initial=best))
            kept = distance - 0.5 * moves <= best
            which, p, q, moves = which[kept], p[kept], q[kept], moves[kept]
            distance, yaw = distance[kept], yaw[kept]
            if not len(p) or moves.max() <= finest or len(p) > MOST_CELLS:
                break
            size = 0.5 * size
            which, p, q = self._divided(which, p, q, size)
            distance, yaw = self._distances(tips(self.families, which, p, q), e)
        order = np.argsort(distance, kind='stable')
        order = order[distance[order] <= best + finest]
        return which[order], p[order], q[order], yaw[order], distance[order]

    def bottom(self, e, which, p):
        """Return the parameter at the bottom of the valley around p, one parameter left [rad]."""
        # Wider than a last cell, and too narrow for the yaw to come to a limit unseen.
        step = 1e-5
        before, at, after = self._squares(e, which, p + step * np.array([-1.0, 0.0, 1.0]))
        curve = before - 2.0 * at + after
        if curve > 0.0:
            lowest = p + step * min(max(0.5 * (before - after) / curve, -1.0), 1.0)
            if self._squares(e, which, np.array([lowest]))[0] < at:
                p = lowest
        return float(min(max(p, self.families.low[which, 0]), self.families.high[which, 0]))

    def _squares(self, e, which, p):
        cells = tips(self.families, np.repeat(which, len(p)), p, np.zeros(len(p)))
        return self._distances(cells, e)[0] ** 2

    def _divided(self, which, p, q, size):
        half = 0.5 * size[which, 0]
        which, p, q = np.tile(which, 2), np.concatenate([p - half, p + half]), np.tile(q, 2)
        if self._dimensions == 2:
            half = 0.5 * size[which, 1]
            which, p, q = np.tile(which, 2), np.tile(p, 2), np.concatenate([q - half, q + half])
        return which, p, q

    def _distances(self, tips_, e):
        radius, azimuth, height = tips_
        rho = np.hypot(e[0], e[1])
        low, high = self._ends
        yaw = np.arctan2(e[1], e[0]) - azimuth
        past = np.mod(yaw - low, TURN)
        beyond = past - (high - low)
        outside = beyond > 0.0
        # Outside, the nearer end of the range on the circle is best.
        to_low = TURN - past
        miss = np.where(outside, np.minimum(beyond, to_low), 0.0)
        yaw = np.where(outside, np.where(beyond < to_low, high, low), yaw)
        square = (radius - rho) ** 2 + 4.0 * radius * rho * np.sin(0.5 * miss) ** 2
        return np.sqrt(square + (height - e[2]) ** 2), yaw


def arc_families(arcs, offset, planes):
    """
    Return the families of poses on arcs in planes that only yaw.

    :param arcs: list of ``(arc, lowest direction, highest direction)``.
    :param offset: from the yaw axis to the shoulder [m].
    :param planes: list of ``(roll [rad], distance to the left of the yaw axis [m])``; the families
        of one arc follow each other in this order.
    """
    count, zero = len(arcs) * len(planes), np.zeros(len(arcs) * len(planes))
    low, high = np.zeros((count, 2)), np.zeros((count, 2))
    low[:, 0] = np.repeat([low for _, low, _ in arcs], len(planes))
    high[:, 0] = np.repeat([high for _, _, high in arcs], len(planes))
    radius = np.repeat([arc.radius for arc, _, _ in arcs], len(planes))
    origin = np.repeat([arc.x + offset + 1j * arc.y for arc, _, _ in arcs], len(planes))
    roll, aside = np.tile(np.array(planes).T, len(arcs))
    return Families(low, high, origin, radius, zero, zero, zero, zero, radius, roll, aside)


def apart(which, p, distance, q=None, most=8):
    """Return indices of the nearest poses that are not beside a nearer one."""
    kept = []
    for i in range(len(p)):
        if distance[i] > distance[0] + 2e-9 + 1e-6 * (q is not None):
            break
        beside = [j for j in kept if which[j] == which[i] and abs(p[j] - p[i]) < 0.01
                  and (q is None or abs(q[j] - q[i]) < 0.01)]
        if not beside:
            kept.append(i)
            if len(kept) == most:
                break
    return kept
