# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The cells of a slice that the arm reaches: for the workspace picture, the viewer and RViz.

Limits are widened by the tolerance of a reached cell, so that a yaw that ends at 3.14158 counts as
reaching straight behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .cells import Slice
from ..kinematics.batch.reached import reached
from ..kinematics.model import ArmModel
from ..kinematics.solver import Solver
from ..kinematics.tolerances import POSITION_TOLERANCE, UP_TOLERANCE


def widened(model: ArmModel, up: tuple[float, float, float] | None = None) -> ArmModel:
    """Return an arm whose joints turn farther by what the tip, or a given up vector, may miss."""
    slack = POSITION_TOLERANCE / model.reach if up is None else UP_TOLERANCE
    return replace(model, joints=tuple([
        replace(joint, lower=joint.lower - slack, upper=joint.upper + slack)
        for joint in model.joints]))


def rows_reached(model: ArmModel, cells: Slice, up: tuple[float, float, float] | None = None
                 ) -> Iterator[np.ndarray]:
    """
    Tell of each cell whether the arm reaches its middle, row by row from the lowest.

    :param model: :class:`~arm_ik.kinematics.model.ArmModel`.
    :param cells: the :class:`~arm_ik.workspace.cells.Slice`.
    :param up: up vector in ``base_link``; ``None``: any.
    """
    solver = Solver(widened(model, up))
    for z in cells.z:
        row = np.zeros(len(cells.r), dtype=bool)
        within = ~cells.beyond_links(cells.r, z)
        positions = np.stack(np.broadcast_arrays(*cells.position(cells.r[within], z)), axis=-1)
        row[within] = reached(solver, positions, up)
        yield row


def outline(cells: Slice, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Return the area of some cells, and its edge, in r and z [m].

    :param cells: the :class:`~arm_ik.workspace.cells.Slice`.
    :param inside: bool, (rows, columns).
    :returns: corners of two triangles for each unbroken piece of a column, (pieces, 6, 2); ends of
        the sides between a cell inside and one outside, (sides, 2, 2).
    """
    (left, right, low, high), (rows, columns) = cells.extent, cells.shape
    r, z = np.linspace(left, right, columns + 1), np.linspace(low, high, rows + 1)
    padded = np.pad(inside, 1).astype(np.int8)
    begins, ends = [np.argwhere(np.diff(padded[:, 1:-1], axis=0).T == step) for step in (1, -1)]
    a, b = r[begins[:, 0]], r[begins[:, 0] + 1]
    c, d = z[begins[:, 1]], z[ends[:, 1]]
    area = np.stack([a, c, b, c, b, d, a, c, b, d, a, d], axis=-1).reshape(-1, 6, 2)
    row, column = np.nonzero(np.diff(padded[:, 1:-1], axis=0))
    level = np.stack([r[column], z[row], r[column + 1], z[row]], axis=-1)
    row, column = np.nonzero(np.diff(padded[1:-1], axis=1))
    upright = np.stack([r[column], z[row], r[column], z[row + 1]], axis=-1)
    return area, np.concatenate([level, upright]).reshape(-1, 2, 2)
