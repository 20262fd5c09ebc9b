# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The cause for every cell of a slice.

Causes fill whole areas. Every second cell of every second row is looked at; the cells between are
where not all of those around agree. The cause of a target that no exact branch meets, with any up
vector, needs the closest pose, which is dear: of those only the corners of larger blocks are
looked at first. Areas narrower than two cells may be missed.
"""

from typing import NamedTuple, Optional, Tuple

import numpy as np

from .cause import Causes, FAR, REACHED
from .cells import Slice

#: Cells along the side of the blocks that are looked at first.
BLOCK = 8

#: Of the cells, every so manieth of every so manieth row is looked at in any case.
STRIDE = 2

_UNKNOWN = -1


class Region(NamedTuple):
    """
    What the arm reaches in a slice, with one up vector or with any.

    ``up``: along r, left of the slice, up; ``None``: any. ``cause`` (rows, columns): see
    :mod:`.cause`. ``joint_names`` as the arm's.
    """

    slice: Slice  # noqa: A003
    up: Optional[Tuple[float, float, float]]
    cause: np.ndarray
    joint_names: Tuple[str, ...]

    @property
    def reached(self):
        """Tell of each cell whether the arm reaches its middle."""
        return self.cause == REACHED


def region_of(model, cells, up=None):
    """
    Return what an arm reaches in a slice.

    :param model: :class:`~arm_ik.kinematics.model.ArmModel`.
    :param cells: the :class:`~arm_ik.workspace.cells.Slice`.
    :param up: up vector (along r, left of the slice, up); ``None``: any.
    :returns: :class:`Region`.
    """
    causes = Causes(model)
    direction = None if up is None else cells.direction(up)
    r, z = np.meshgrid(cells.r, cells.z)
    cause = np.where(cells.beyond_links(r, z), FAR, _UNKNOWN).astype(np.int8)

    def position(row, column):
        return cells.position(cells.r[column], cells.z[row])

    def look(row, column):
        if cause[row, column] == _UNKNOWN:
            cause[row, column] = causes.of(position(row, column), direction)
        return cause[row, column]

    for row, column in STRIDE * np.argwhere(cause[::STRIDE, ::STRIDE] == _UNKNOWN):
        if up is not None:
            look(row, column)
        elif causes.is_met(position(row, column)):
            cause[row, column] = REACHED
    _look_at_blocks(cause, look)
    return Region(cells, up, cause, model.joint_names)


def _look_at_blocks(cause, look):
    """Look at the corners of blocks, and into those whose corners differ."""
    rows, columns = cause.shape
    blocks = [(top, min(top + BLOCK, rows - 1), left, min(left + BLOCK, columns - 1))
              for top in range(0, rows, BLOCK) for left in range(0, columns, BLOCK)]
    while blocks:
        top, bottom, left, right = blocks.pop()
        inside = cause[top:bottom + 1, left:right + 1]
        if not (inside == _UNKNOWN).any():
            continue
        corners = {look(row, column) for row in (top, bottom) for column in (left, right)}
        known = corners.union(inside[inside != _UNKNOWN].tolist())
        if len(known) == 1:
            inside[inside == _UNKNOWN] = known.pop()
        elif bottom - top > 1 or right - left > 1:
            row, column = (top + bottom) // 2, (left + right) // 2
            blocks += [(a, b, c, d) for a, b in {(top, row), (row, bottom)}
                       for c, d in {(left, column), (column, right)}]
