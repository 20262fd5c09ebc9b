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
A cell of parameters is discarded if its middle is farther than the best known pose by more than
the tip can move inside the cell. Cells are halved until the tip moves by less than :data:`FINEST`
in them. The result is the nearest pose of all families to within half of that. With one parameter
it is then refined to the local minimum.
"""

from typing import NamedTuple

import numpy as np

from ...limits import TURN

#: The tip moves by less than this [m] across a cell that is not divided any more: by number of
#: parameters. Valleys are parabolas, so their bottom is then known to the square of it.
FINEST = {1: 1e-6, 2: 1e-4}

#: Cells along one parameter to begin with.
CELLS = 32

#: If there are more cells than this they are not divided any more: the distance is the same in all
#: of them.
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
        return self.nearest_of_each(np.reshape(e, (3, 1)), np.array([best]))[1:]

    def nearest_of_each(self, e, best):
        """
        Return the poses nearest to each of many targets.

        :param e: tip targets from S0 [m], shape (3, n).
        :param best: distances already found [m], shape (n,).
        :returns: arrays ``(row, which, p, q, yaw, distance)``: what :meth:`nearest` returns of
            each target, one row after the other.
        """
        count, best, size, ended = len(best), best.copy(), self._size, []
        row = np.repeat(np.arange(count), len(self._p))
        which, p, q = [np.tile(part, count) for part in (self._which, self._p, self._q)]
        distance, yaw = [
            part.ravel() for part in self._distances(self._tips, e[:, :, None])]
        finest = FINEST[self._dimensions]
        while True:
            moves = self.families.radius[which] * size[which, 0] \
                + self.families.hand[which] * size[which, 1]
            _lower(best, row, distance)
            kept = distance - 0.5 * moves <= best[row]
            cells = [part[kept] for part in (row, which, p, q, yaw, distance)]
            done = _are_done(cells[0], moves[kept], finest)
            ended.append([part[done] for part in cells])
            if done.all():
                break
            size = 0.5 * size
            row, which, p, q = self._divided(*[part[~done] for part in cells[:4]], size)
            distance, yaw = self._distances(tips(self.families, which, p, q), e[:, row])
        cells = [np.concatenate(parts) for parts in zip(*ended)]
        order = np.lexsort((cells[-1], cells[0]))
        order = order[cells[-1][order] <= best[cells[0][order]] + finest]
        return [part[order] for part in cells]

    def bottoms(self, e, best):
        """
        Return what :meth:`nearest` does at the bottoms of valleys, one parameter left.

        :returns: list of ``(which, p, yaw, distance)``, one for each valley.
        """
        which, p, _, _, distance = self.nearest(e, best)
        kept = apart(which, p, distance)
        p, yaw = self.bottom(np.reshape(e, (3, 1)), which[kept], p[kept])
        return list(zip(which[kept].tolist(), p.tolist(), yaw.tolist(), distance[kept].tolist()))

    def bottom(self, e, which, p):
        """
        Return parameters and yaws [rad] at the bottoms of valleys, one parameter left.

        :param e: tip targets from S0 [m], shape (3, n) or (3, 1).
        :param which: families, shape (n,).
        :param p: parameters in the valleys [rad], shape (n,).
        """
        # Wider than a last cell, and so narrow that the yaw cannot reach a limit unnoticed.
        step = 1e-5
        (before, at, after), _ = self._squares(
            e, which, p + step * np.array([[-1.0], [0.0], [1.0]]))
        curve = before - 2.0 * at + after
        bent, slope = curve > 0.0, before - after
        # Where it is not bent like a valley, the bottom is an end of the family.
        share = np.where(bent, 0.5 * slope / np.where(bent, curve, 1.0), np.sign(slope))
        low, high = self.families.low[which, 0], self.families.high[which, 0]
        lowest = np.clip(p + step * np.clip(share, -1.0, 1.0), low, high)
        p = np.where(self._squares(e, which, lowest)[0] < at, lowest, p)
        return p, self._squares(e, which, p)[1]

    def _squares(self, e, which, p):
        distance, yaw = self._distances(tips(self.families, which, p, np.zeros_like(p)), e)
        return distance ** 2, yaw

    def _divided(self, row, which, p, q, size):
        """Return cells halved along each parameter, the cells of a row together."""
        half = 0.5 * size[which, 0]
        row, which, q = [np.repeat(part, 2) for part in (row, which, q)]
        p = np.stack([p - half, p + half], axis=1).ravel()
        if self._dimensions == 2:
            half = 0.5 * size[which, 1]
            row, which, p = [np.repeat(part, 2) for part in (row, which, p)]
            q = np.stack([q - half, q + half], axis=1).ravel()
        return row, which, p, q

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


def _starts(row):
    """Return where the cells of each row begin, which are together."""
    return np.flatnonzero(np.diff(row, prepend=-1))


def _lower(best, row, distance):
    """Lower the best distances, one for each row, to those of cells."""
    if len(row):
        starts = _starts(row)
        least = np.minimum.reduceat(distance, starts)
        best[row[starts]] = np.minimum(best[row[starts]], least)


def _are_done(row, moves, finest):
    """Tell of cells whether those of their row are small enough, or too many."""
    if not len(row):
        return np.ones(0, dtype=bool)
    starts = _starts(row)
    counts = np.diff(np.append(starts, len(row)))
    return np.repeat((np.maximum.reduceat(moves, starts) <= finest) | (counts > MOST_CELLS),
                     counts)


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
    """Return indices of the nearest poses, without those that are close to a nearer one."""
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
