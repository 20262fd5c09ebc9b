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

from .blocks import look_at_blocks, UNKNOWN
from .cause import Causes, FAR, REACHED
from .cells import Slice

#: Of the cells, every so manieth of every so manieth row is looked at in any case.
STRIDE = 2


class Region(NamedTuple):
    """
    What the arm reaches in a slice, with one up vector or with any.

    ``up``: along r, left of the slice, up; ``None``: any. ``cause`` (rows, columns): see
    :mod:`.cause`. ``room``: see :mod:`.room`.
    """

    slice: Slice  # noqa: A003
    up: Optional[Tuple[float, float, float]]
    cause: np.ndarray
    room: Optional[np.ndarray] = None

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
    cause = np.where(cells.beyond_links(r, z), FAR, UNKNOWN).astype(np.int8)

    def position(row, column):
        return cells.position(cells.r[column], cells.z[row])

    def look(row, column):
        if cause[row, column] == UNKNOWN:
            cause[row, column] = causes.of(position(row, column), direction)
        return cause[row, column]

    for row, column in STRIDE * np.argwhere(cause[::STRIDE, ::STRIDE] == UNKNOWN):
        if up is not None:
            look(row, column)
        elif causes.is_met(position(row, column)):
            cause[row, column] = REACHED
    look_at_blocks(cause, look)
    return Region(cells, up, cause)
