# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The cause for every cell of a slice.

On an arm whose base only yaws, every cell is solved for; what stops the arm elsewhere fills whole
areas, and is looked for in blocks. With a rolling base or a tilting wrist a target that is not
reached is dear: with an up vector every second cell of every second row is looked at in any case,
with any up vector nothing but the blocks. What is narrower than that may be missed.
"""

from typing import NamedTuple, Optional, Tuple

import numpy as np

from .blocks import look_at_blocks, UNKNOWN
from .cause import (
    Causes, FAR, is_out_of_plane, POSITION_TOLERANCE, REACHED, UP, UP_TOLERANCE)
from .cells import Slice
from ..arm import Arm

#: Of cells that are dear every so manieth of every so manieth row is looked at in any case.
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
    cause = np.where(cells.beyond_links(*cells.grid), FAR, UNKNOWN).astype(np.int8)

    def look(row, column):
        if cause[row, column] == UNKNOWN:
            position = cells.position(cells.r[column], cells.z[row])
            cause[row, column] = causes.of(position, direction)
        return cause[row, column]

    if up is not None:
        x, y, _ = cells.position(*cells.grid)
        out = is_out_of_plane(cells.geometry, x, y, direction)
        cause[out & (cause == UNKNOWN)] = UP
    if cells.geometry.upright:
        unknown = cause == UNKNOWN
        cause[unknown] = np.where(_reached(model, cells, unknown, direction), REACHED, UNKNOWN)
    elif up is not None:
        for row, column in STRIDE * np.argwhere(cause[::STRIDE, ::STRIDE] == UNKNOWN):
            look(row, column)
    look_at_blocks(cause, look)
    return Region(cells, up, cause)


def _reached(model, cells, which, direction):
    """Return which of some cells the arm reaches."""
    r, z = cells.grid
    positions = np.stack(cells.position(r[which], z[which]), axis=-1)
    return Arm(model).solve_batch(positions, direction, position_tolerance=POSITION_TOLERANCE,
                                  up_tolerance=UP_TOLERANCE).reached
