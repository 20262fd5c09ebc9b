# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The cause for every cell of a slice, also in words.

What is reached is computed for every cell (:mod:`.cells`). The causes fill whole areas and are
computed in blocks: if the corners of a block and its known cells all have the same cause, the
whole block has it; otherwise the block is divided.
"""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, degrees
from typing import NamedTuple, Optional

import numpy as np

from .cells import rows_reached, Slice
from .why_unreached import Causes, CLOSE, FAR, FIRST_JOINT, FLOOR, REACHED, UP
from ..kinematics.model import ArmModel

#: An up vector in the slice: along r, left of the slice, up; ``None``: any.
Up = Optional[tuple[float, float, float]]

#: The value of cells not looked at yet.
_UNKNOWN = -1

_WORDS = {REACHED: 'reached', FAR: 'too far', CLOSE: 'too close',
          UP: 'up vector out of the arm plane', FLOOR: 'floor'}

#: Side of the first blocks, in cells.
_BLOCK = 4


class Region(NamedTuple):
    """
    What the arm reaches in a slice, with one up vector or with any.

    ``up``: along r, left of the slice, up; ``None``: any. ``cause`` (rows, columns): see
    :mod:`.why_unreached`.
    """

    slice: Slice  # noqa: A003
    up: Up
    cause: np.ndarray

    @property
    def reached(self) -> np.ndarray:
        """Return of each cell whether the arm reaches its middle."""
        return self.cause == REACHED


def region_of(model: ArmModel, cells: Slice, up: Up = None) -> Region:
    """
    Return what an arm reaches in a slice.

    :param model: :class:`~arm_ik.kinematics.model.ArmModel`.
    :param cells: the :class:`~arm_ik.workspace.cells.Slice`.
    :param up: up vector (along r, left of the slice, up); ``None``: any.
    :returns: :class:`Region`.
    """
    causes = Causes(model)
    direction = None if up is None else cells.direction(up)
    cause = np.where(cells.beyond_links(*cells.grid), FAR, _UNKNOWN).astype(np.int8)
    cause[np.array(list(rows_reached(model, cells, direction)))] = REACHED
    _fill(cause, lambda position: causes.of(position, direction), cells)
    return Region(cells, up, cause)


def _fill(values: np.ndarray, value_at: Callable[[tuple[float, float, float]], int],
          cells: Slice) -> None:
    """
    Fill in the unknown cells of an array, block by block.

    :param values: array (rows, columns), changed in place; ``_UNKNOWN`` where not known.
    :param value_at: function of a position in ``base_link`` [m] that returns its value.
    :param cells: the :class:`~arm_ik.workspace.cells.Slice`.
    """
    def look(row: int, column: int) -> int:
        if values[row, column] == _UNKNOWN:
            values[row, column] = value_at(cells.position(cells.r[column], cells.z[row]))
        return values[row, column]

    rows, columns = values.shape
    blocks = [(top, min(top + _BLOCK, rows - 1), left, min(left + _BLOCK, columns - 1))
              for top in range(0, rows, _BLOCK) for left in range(0, columns, _BLOCK)]
    while blocks:
        top, bottom, left, right = blocks.pop()
        inside = values[top:bottom + 1, left:right + 1]
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


def words(model: ArmModel, cause: int) -> str:
    """Return what a cause is called."""
    if cause >= FIRST_JOINT:
        return f'limit of {model.joint_names[cause - FIRST_JOINT]}'
    return _WORDS[cause]


def name_of_up(up: Up) -> str:
    """Return the name of an up vector (along r, left of the slice, up); ``None``: any."""
    if up is None:
        return 'any up vector'
    along, _, above = up
    direction = f'at {degrees(atan2(above, along)):.3g} deg'
    if along == 0.0:
        direction = 'straight up' if above > 0.0 else 'straight down'
    return f'up vector {direction} ({", ".join(f"{value:.3g}" for value in up)})'


def lines_of(model: ArmModel, region: Region) -> list[str]:
    """
    Return what to print of a region.

    Shares are of the area that is no farther from the shoulder than the links are long. Distances
    are of the middles of reached cells.
    """
    cells, reached = region.slice, region.reached
    r, z = cells.grid
    causes, counts = np.unique(region.cause[~cells.beyond_links(r, z)], return_counts=True)
    shares = dict(zip(causes.tolist(), (counts / counts.sum()).tolist()))
    lines = [f'{model.name}, {name_of_up(region.up)}: reached {shares.pop(REACHED, 0.0):.1%} of '
             f"what is within the links' length, {reached.sum() * cells.cell ** 2:.4f} m2"]
    if reached.any():
        lines.append(f'  out to {np.abs(r[reached]).max():.3f} m from the yaw axis, z from '
                     f'{z[reached].min():.3f} to {z[reached].max():.3f} m')
    parts = [f'{words(model, cause)} {share:.1%}'
             for cause, share in sorted(shares.items(), key=lambda item: -item[1])]
    if parts:
        lines.append(f'  not reached: {", ".join(parts)}')
    return lines
