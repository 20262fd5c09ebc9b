# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Targets below the floor: nothing is nearer to one than the point of the floor above it."""

from ..ranking import measure, TIE
from ..target import Target


def raised(geometry, target):
    """Return a target below the floor raised to it, ``None`` if it is above or there is none."""
    x, y, z = target.position
    if geometry.floor is None or z >= geometry.floor:
        return None
    return Target((x, y, geometry.floor), target.up, target.forward)


def upon(solver, above, target, near, ranking):
    """
    Return what meets the point of the floor above a target.

    :param solver: of the arm.
    :param above: the target raised to the floor.
    :param target: what is asked for.
    :param near: readings [rad] to stay near to.
    :param ranking: :class:`~arm_ik.kinematics.ranking.Ranking` to compare by.
    :returns: ``(sure, readings)``: measured poses that nothing can be better than, and the
        readings of all that meet the point.
    """
    found, planes = solver.exact(above, near)
    least = min([plane.miss for plane in planes], default=0.0)
    sure = [measure(solver.geometry, q, target, near)
            for plane, q in found if plane.miss <= least + TIE and not ranking.up_first]
    return sure, [q for _, q in found]
