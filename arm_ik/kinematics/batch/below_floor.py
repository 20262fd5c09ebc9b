# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Targets below the floor, many at once: see :mod:`..closest.candidates`."""

import numpy as np

from .branch import branches_of
from .planes import planes_of
from ..ranking import TIE


def below(geometry, targets):
    """
    Return the numbers of the targets below the floor.

    :param geometry: of the arm.
    :param targets: :class:`~arm_ik.kinematics.batch.section.Rows`.
    """
    if geometry.floor is None:
        return np.zeros(0, dtype=np.intp)
    return np.flatnonzero(targets.position[2] < geometry.floor)


def raised(geometry, targets):
    """Return targets, those below the floor raised to it: nothing is nearer to them."""
    if geometry.floor is None:
        return targets
    (x, y, z), (ex, ey, ez) = targets.position, targets.e
    return targets._replace(
        position=[x, y, np.maximum(z, geometry.floor)],
        e=[ex, ey, np.maximum(ez, geometry.floor - geometry.base_height)])


def upon(solver, above):
    """
    Yield what meets the points of the floor above targets.

    :param solver: of the arm.
    :param above: the targets raised to the floor, with up vectors.
    :returns: first ``ordinary``, a column of bool; then for each branch the numbers of the rows it
        serves, their readings [rad], and whether its plane misses the up vector no more than need
        be.
    """
    planes, ordinary = planes_of(solver.geometry, above.e, above.u, above.forward)
    branches = branches_of(solver, planes, above.near)
    yield ordinary & branches.ordinary
    least = planes.miss.min(axis=0) + TIE
    for i, inside in enumerate(branches.inside):
        rows = np.flatnonzero(inside)
        yield rows, branches.q[:, i, rows], planes.miss[i // 2, rows] <= least[rows]
