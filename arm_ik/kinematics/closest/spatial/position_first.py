# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Position exact, up vector as near as it can be: rolling base and tilting wrist.

The planes that contain the target are curves of one parameter (:mod:`.bases`). In each plane
the nearest pose has the last link at the up vector's own elevation, or stands at the end of an
interval of reachable elevations, where a joint is at a limit or the elbow straight or folded
(:mod:`.planar_arrays`). What is left is the least value of a function of one angle. It is sampled
between all parameters at which the arm begins or ceases to reach the target, so that no stretch is
too short to be seen, and each valley is narrowed down.
"""

import numpy as np

from .bases import Bases, chords, components
from .curve_search import parameters, valleys
from ...ranking import TIE


class PositionFirst:
    """
    Search for poses that meet a position on an arm with a rolling base or a tilting wrist.

    :param geometry: of the arm.
    :param planar: its :class:`~arm_ik.kinematics.closest.planar_arrays.PlanarArrays`.
    """

    def __init__(self, geometry, planar):
        self._geometry, self._planar = geometry, planar

    def nearest_up(self, e, u):
        """
        Return poses with the tip at e and the last link as near to u as can be.

        :param e: tip target from S0 [m].
        :param u: unit up vector.
        :returns: list of canonical ``(yaw, roll, shoulder, elbow, wrist, tilt)`` [rad], the
            nearest of each valley; empty: e can't be reached.
        """
        bases = Bases(self._geometry, e)

        def cost(t, curve):
            return self._poses(bases.at(t, curve), u)[1].min(axis=0)

        def beyond(t, curve):
            base = bases.at(t, curve)
            return self._planar.beyond(base.x, base.y, base.hand)

        t, curve = parameters([*bases.ends(), *bases.towards(u)], beyond, bases.count)
        t, curve = valleys(t, curve, cost)
        base = bases.at(t, curve)
        angles, misses = self._poses(base, u)
        return [(float(base.yaw[i]), float(base.roll[i]), *angles[:, k, i].tolist(),
                 float(base.tilt[i])) for k, i in least(misses)]

    def _poses(self, base, u):
        """Return angles (3, poses, n) and distances between unit vectors (poses, n)."""
        along, above, _ = components(base.yaw, base.roll, u)
        ct = np.cos(base.tilt)
        wanted = np.arctan2(above * ct, along * ct)
        angles, inside = self._planar.extreme(base.x, base.y, base.hand)
        also, fits = self._planar.standing(base.x, base.y, base.hand, wanted)
        angles = np.concatenate([angles, also], axis=1)
        inside = np.concatenate([inside, fits]) & base.inside
        inside &= above_floor(self._geometry, base.roll, angles)
        return angles, np.where(inside, chords(*base[:3], angles.sum(axis=0), u), np.inf)


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
