# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The cause for every cell of a slice, also in words.

The causes fill whole areas and are computed in blocks: if the corners of a block and its known
cells all have the same cause, the whole block has it; otherwise the block is divided.
"""

from collections.abc import Callable, Iterable
from math import atan2, degrees
from typing import NamedTuple, Optional

import numpy as np

from .cells import make_slice, Slice, widened, with_roll_at_home
from .why_unreached import Causes, CLOSE, FAR, FIRST_JOINT, FLOOR, REACHED, UP
from ..kinematics.model import ArmModel
from ..kinematics.solver import Solver
from ..kinematics.target import Target
from ..kinematics.tolerances import POSITION_TOLERANCE, UP_TOLERANCE

#: An up vector in the slice: along r, left of the slice, up; ``None``: any.
Up = Optional[tuple[float, float, float]]

#: The value of cells not looked at yet.
_UNKNOWN = -1

_WORDS = {REACHED: 'reached', FAR: 'too far', CLOSE: 'too close',
          UP: 'up vector out of the arm plane', FLOOR: 'floor'}

#: Cells from end to end of a slice that is drawn while somebody waits for it, and how often a
#: cell's side is halved where the edge crosses it.
CELLS_COARSE, _HALVINGS = 40, 5

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
    direction = None if up is None else cells.direction(up)
    causes = Causes(widened(model, direction))
    cause = np.where(cells.beyond_links(*cells.grid), FAR, _UNKNOWN).astype(np.int8)
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


def is_reached(solver: Solver, position: Iterable[float]) -> bool:
    """Return whether an arm reaches a position in ``base_link`` [m], with any up vector."""
    target, geometry = Target(position), solver.geometry
    if geometry.upright and geometry.has_wrist:
        return bool(solver.exact(target, geometry.home)[0])
    return solver.solve(target, geometry.home, 'nearest', 'position', POSITION_TOLERANCE,
                        UP_TOLERANCE).reached


def reach_area(model: ArmModel, through: tuple[float, float]) -> np.ndarray:
    """
    Return the area that an arm reaches with any up vector, in coarse cells.

    Its edge runs between middles of cells of which one is reached; where, is found by halving.

    :param model: :class:`~arm_ik.kinematics.model.ArmModel`.
    :param through: as in :func:`make_slice`.
    :returns: corners of triangles in ``base_link`` [m], (triangles, 3, 3).
    """
    cells = make_slice(model, 2.0 * (model.reach + abs(model.shoulder_offset)) / CELLS_COARSE,
                       through)
    solver = with_roll_at_home(widened(model))
    inside = np.where(cells.beyond_links(*cells.grid), False, _UNKNOWN)
    _fill(inside, lambda position: is_reached(solver, position), cells)
    # Between four middles there are two triangles.
    triangles, is_in = [np.concatenate([
        np.stack([each[:-1, :-1], corner, each[1:, 1:]], axis=2).reshape(-1, 3, *each.shape[2:])
        for corner in (each[:-1, 1:], each[1:, :-1])])
        for each in (np.stack(cells.grid, axis=-1), inside.astype(bool))]
    whole, crossed = is_in.all(axis=1), is_in.any(axis=1) & ~is_in.all(axis=1)
    area, triangles, is_in = [triangles[whole]], triangles[crossed], is_in[crossed]
    # The corner that is inside or outside alone becomes the first one.
    is_inner = is_in.sum(axis=1) == 1
    first = np.argmax(is_in == is_inner[:, None], axis=1)
    triangles = np.take_along_axis(
        triangles, (first[:, None, None] + np.arange(3)[:, None]) % 3, axis=1)
    alone, others = triangles[:, :1], triangles[:, 1:]
    inner, outer = [np.where(is_inner[:, None, None], one, other)
                    for one, other in ((alone, others), (others, alone))]
    for _ in range(_HALVINGS):
        middle = 0.5 * (inner + outer)
        some = np.array([is_reached(solver, cells.position(*point)) for point in middle.reshape(
            -1, 2)], dtype=bool).reshape(-1, 2, 1)
        inner, outer = np.where(some, middle, inner), np.where(some, outer, middle)
    quads = np.concatenate([inner, others[:, ::-1]], axis=1)[~is_inner]
    area += [np.concatenate([alone, inner], axis=1)[is_inner], quads[:, :3], quads[:, [0, 2, 3]]]
    r, z = np.moveaxis(np.concatenate(area), -1, 0)
    return np.stack(cells.position(r, z), axis=-1)


def words(model: ArmModel, cause: int) -> str:
    """Return what a cause is called."""
    return _WORDS.get(cause) or f'limit of {model.joint_names[cause - FIRST_JOINT]}'


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
