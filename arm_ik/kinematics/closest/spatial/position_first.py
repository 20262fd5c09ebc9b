# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Position exact, up vector as near as it can be: rolling base and tilting wrist.

The planes that contain the target are curves of one parameter (:mod:`.bases`). In each plane the
nearest pose has the last link at the up vector's own elevation, or is at the end of an interval of
reachable elevations, where a joint is at a limit, the elbow straight or folded
(:mod:`.planar_arrays`), or elbow or wrist on the floor. What is left is the least value of a
function of one angle. It is sampled between all parameters at which the arm begins or ceases to
reach the target, so that no stretch is too short to be seen, and each valley is narrowed down.
"""

from math import atan2, hypot

import numpy as np

from .bases import Bases, chords, components, steps
from .curve_search import parameters, valleys
from .planar_arrays import triangles
from ...tolerances import TIE


class PositionFirst:
    """
    Search for poses that meet a position on an arm with a rolling base or a tilting wrist.

    :param geometry: of the arm.
    :param planar: its :class:`~arm_ik.kinematics.closest.planar_arrays.PlanarArrays`.
    """

    def __init__(self, geometry, planar):
        self._geometry, self._planar = geometry, planar

    def nearest_up(self, e, u, on_axis=False):
        """
        Return poses with the tip at e and the last link as near to u as can be.

        :param e: tip target from S0 [m].
        :param u: unit up vector.
        :param on_axis: whether only the height of the vector counts, since the yaw is free to turn
            it to the azimuth of u.
        :returns: list of canonical ``(yaw, roll, shoulder, elbow, wrist, tilt)`` [rad], the
            nearest of each valley; empty: e can't be reached.
        """
        if self._is_far(e):
            return []
        bases = Bases(self._geometry, e)

        def cost(t, curve):
            return self._poses(bases.at(t, curve), u, on_axis)[1].min(axis=0)

        t, curve = valleys(*self._parameters(bases, u), cost)
        base = bases.at(t, curve)
        angles, misses = self._poses(base, u, on_axis)
        return [(float(base.yaw[i]), float(base.roll[i]), *angles[:, k, i].tolist(),
                 float(base.tilt[i])) for k, i in least(misses)]

    def reaches(self, e):
        """Tell whether some pose has its tip at e, a target from S0 [m]."""
        if self._is_far(e):
            return False
        bases, u = Bases(self._geometry, e), (0.0, 0.0, 1.0)
        misses = self._poses(bases.at(*self._parameters(bases, u)), u, False)[1]
        return bool(np.isfinite(misses).any())

    def _is_far(self, e):
        return hypot(*e) > self._planar.reach.reach + TIE + hypot(
            self._geometry.shoulder_offset, self._geometry.lateral)

    def _parameters(self, bases, u):
        """Return the parameters to look at, among them all at which the arm ceases to reach."""
        def beyond(t, curve):
            base = bases.at(t, curve)
            return self._planar.beyond(base.x, base.y, base.hand)

        return parameters([*bases.ends(), *bases.towards(u)], beyond, bases.count)

    def rolled(self, e, pose, near):
        """
        Return a straight arm on a rolling base rolled about itself to where it moves least.

        :param e: its tip from S0 [m].
        :param pose: canonical ``(yaw, roll, shoulder, elbow, wrist, tilt)`` [rad].
        :param near: joint positions [rad].
        :returns: list of such poses; empty if it can't roll.
        """
        _, _, shoulder, elbow, wrist, _ = pose
        if not self._geometry.has_roll or self._geometry.shoulder_offset:
            return []
        bases = Bases(self._geometry, e)

        def angles(t, curve):
            base = bases.at(t, curve)
            return base.yaw, base.roll, np.arctan2(base.y, base.x) + turned

        def cost(t, curve):
            moved = [steps(limit, angle, at) for limit, angle, at in zip(
                self._geometry.limits, angles(t, curve), near)]
            # Of rolls with the same largest step the one with the least yaw.
            largest = np.maximum(np.max(moved, axis=0), max(still))
            return np.where(bases.at(t, curve).inside, largest + 1e-6 * moved[0], np.inf)

        x, y = self._planar.reach.tip(shoulder, elbow, wrist)
        turned = shoulder - atan2(y, x)
        still = [steps(limit, np.array(angle), at) for limit, angle, at in zip(
            self._geometry.limits[3:], (elbow, wrist), near[3:])]
        t, curve = valleys(*parameters(bases.ends(), lambda t, curve: np.ones((1, len(t))),
                                       bases.count), cost)
        return [(*found, elbow, wrist, 0.0) for found in zip(
            *[part.tolist() for part in angles(t, curve)])]

    def _poses(self, base, u, on_axis):
        """Return angles (3, poses, n) and distances between unit vectors (poses, n)."""
        along, above, _ = components(base.yaw, base.roll, u)
        ct, cr = np.cos(base.tilt), np.cos(base.roll)
        wanted = [np.arctan2(above * ct, along * ct)]
        if on_axis:
            rise = (u[2] - np.sin(base.tilt) * np.sin(base.roll)) / (ct * cr)
            rise = np.arcsin(np.clip(rise, -1.0, 1.0))
            wanted = [rise, np.pi - rise]
        wanted += self._on_floor(base, cr)
        angles, inside = self._planar.extreme(base.x, base.y, base.hand)
        standing = [self._planar.standing(base.x, base.y, base.hand, at) for at in wanted]
        angles = np.concatenate([angles, *[angle for angle, _ in standing]], axis=1)
        inside = np.concatenate([inside, *[fits for _, fits in standing]]) & base.inside
        inside &= above_floor(self._geometry, base.roll, angles)
        misses = chords(*base[:3], angles.sum(axis=0), u)
        if on_axis:
            misses = abs(ct * np.sin(angles.sum(axis=0)) * cr
                         + np.sin(base.tilt) * np.sin(base.roll) - u[2])
        return angles, np.where(inside, misses, np.inf)

    def _on_floor(self, base, cr):
        """Return the elevations [rad], arrays (n,), with wrist or elbow just on the floor."""
        geometry, (x, y, hand) = self._geometry, (base.x, base.y, base.hand)
        if geometry.floor is None:
            return []
        floor = (geometry.floor - geometry.base_height) / np.where(cr == 0.0, 1.0, cr)
        rise = np.arcsin(np.clip((y - floor) / np.where(hand == 0.0, 1.0, hand), -1.0, 1.0))
        shoulder = np.arcsin(np.clip(floor / geometry.l1, -1.0, 1.0))
        found, backwards = [rise, np.pi - rise], np.where(hand < 0.0, np.pi, 0.0)
        for ahead in (geometry.l1 * np.cos(shoulder), -geometry.l1 * np.cos(shoulder)):
            above, below, bend, _ = triangles(geometry.l2, abs(hand), x - ahead, y - floor)
            found += [above + bend + backwards, below - bend + backwards]
        return found


def least(misses):
    """
    Return where misses are finite and the least of their column.

    Both bends of the elbow often miss as much: which of them is better others decide.

    :param misses: shape (poses, n).
    :returns: row and column of each, shape (found, 2).
    """
    return np.argwhere(np.isfinite(misses) & (misses <= misses.min(axis=0) + TIE))


def above_floor(geometry, roll, angles):
    """
    Tell whether elbow and wrist are above the arm's floor, if it has one.

    :param geometry: of the arm.
    :param roll: canonical [rad], shape (n,).
    :param angles: shoulder, elbow and wrist [rad], shape (3, poses, n).
    """
    if geometry.floor is None:
        return True
    elbow = geometry.l1 * np.sin(angles[0])
    wrist = elbow + geometry.l2 * np.sin(angles[0] + angles[1])
    lowest = np.minimum(elbow * np.cos(roll), wrist * np.cos(roll))
    return geometry.base_height + lowest >= geometry.floor - TIE
