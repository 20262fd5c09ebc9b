# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What stops the arm from reaching a target, and each cell of a slice, also in words.

One cause per target, the one that matters most:

* *With an up vector* the poses that would be exact are few. The pose that is least outside reach
  and limits names the cause: its wrist is out of reach of upper arm and forearm, or joints are
  past their limits. Of several joints the one that is farthest past its limit counts.
* *With any up vector* the closest pose names the cause: of its joints at a limit, the one that
  would bring the tip towards the target fastest if it could turn further. If no joint is at a
  limit, the links are too short or too long.
* *The floor* is the cause if the same arm without a floor reaches the target.

The causes fill whole areas and are computed in blocks: if the corners of a block and its known
cells all have the same cause, the whole block has it; otherwise the block is divided.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import atan2, degrees, dist
from typing import NamedTuple, Optional

import numpy as np

from .cells import make_slice, Slice, widened, with_roll_at_home
from ..arm import Arm
from ..kinematics.explanation.reason import least_of_planes
from ..kinematics.model import ArmModel
from ..kinematics.solution import Solution, Status
from ..kinematics.solver import Solver
from ..kinematics.target import Target
from ..kinematics.tolerances import POSITION_TOLERANCE, UP_TOLERANCE

#: An up vector in the slice: along r, left of the slice, up; ``None``: any.
Up = Optional[tuple[float, float, float]]

#: The causes that every arm has; the joints follow, base to tip.
REACHED, FAR, CLOSE, UP, FLOOR, FIRST_JOINT = range(6)

#: A position this near to a limit is at it; its effect is found by turning it this much further
#: [rad].
_AT_LIMIT, _TURNED = 1e-6, 1e-6

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
    :class:`Causes`.
    """

    slice: Slice  # noqa: A003
    up: Up
    cause: np.ndarray

    @property
    def reached(self) -> np.ndarray:
        """Return of each cell whether the arm reaches its middle."""
        return self.cause == REACHED


class Causes:
    """
    The causes for one arm.

    :param model: :class:`~arm_ik.kinematics.model.ArmModel`.
    """

    def __init__(self, model: ArmModel) -> None:
        self._arm = Arm(model)
        self._floor = model.floor_height
        without_floor = replace(model, floor_height=None)
        self._solver, self._solver_with_floor = [
            with_roll_at_home(each) for each in (without_floor, model)]
        self._lower, self._upper = np.array(self._arm.lower), np.array(self._arm.upper)
        # An angle so small that the tip stays within tolerance.
        self._slack = POSITION_TOLERANCE / model.reach

    def of(self, position: Iterable[float], up: Iterable[float] | None = None) -> int:
        """
        Return what stops the arm.

        :param position: of the tip in ``base_link`` [m].
        :param up: up vector in ``base_link``; ``None``: any.
        :returns: ``REACHED``, ``FAR``, ``CLOSE``, ``UP``, ``FLOOR``, or ``FIRST_JOINT`` plus the
            index of a joint, base to tip.
        """
        target = Target(position, up)
        if target.up is None or not self._solver.geometry.has_wrist:
            return self._by_answer(target)
        solver, home = self._solver, self._arm.home
        found, planes = solver.exact(target, home)
        if any(plane.miss <= UP_TOLERANCE for plane, _ in found):
            above, _ = self._solver_with_floor.exact(target, home)
            return REACHED if above else FLOOR
        planes = [plane for plane in planes if plane.miss <= UP_TOLERANCE] or planes
        least = least_of_planes(solver, planes, home, home)
        if least is None:
            # To the yaw axis no plane of the arm gets as near as that.
            return CLOSE
        if least.miss > UP_TOLERANCE:
            return UP
        if abs(least.beyond) > POSITION_TOLERANCE:
            return FAR if least.beyond > 0.0 else CLOSE
        past = list(map(abs, least.excess))
        if sum(past) > self._slack:
            return FIRST_JOINT + past.index(max(past))
        return self._by_answer(target)

    def _by_answer(self, target: Target) -> int:
        home = self._arm.home
        tolerances = POSITION_TOLERANCE, UP_TOLERANCE
        solution = self._solver.solve(target, home, 'nearest', 'position', *tolerances)
        if solution.status is Status.POSITION_RELAXED:
            return self._of_closest(target, solution)
        if solution.up_error_rad > UP_TOLERANCE:
            return UP
        if self._floor is None:
            return REACHED
        if target.position[2] < self._floor - POSITION_TOLERANCE:
            return FLOOR
        solution = self._solver_with_floor.solve(target, home, 'nearest', 'position', *tolerances)
        return FLOOR if solution.status is Status.POSITION_RELAXED else REACHED

    def _of_closest(self, target: Target, solution: Solution) -> int:
        """Return what stops the arm at the closest pose."""
        names = self._arm.joint_names
        limited = [names.index(name) for name in solution.limited_by]
        if limited:
            gains = self._gains(np.array(solution.q), target)
            return FIRST_JOINT + max(limited, key=lambda joint: gains[joint])
        model = self._arm.model
        axis = model.base_x, model.base_y, model.base_height
        tip = self._arm.forward(solution.q).position
        return FAR if dist(axis, target.position) > dist(axis, tip) else CLOSE

    def _gains(self, q: np.ndarray, target: Target) -> np.ndarray:
        """Return how fast each joint would bring the tip nearer if it left its limit [m/rad]."""
        below, above = q <= self._lower + _AT_LIMIT, q >= self._upper - _AT_LIMIT
        turns = np.diag(np.full(len(q), _TURNED))
        tips = self._arm.forward(np.concatenate([q + turns, q - turns, q[None]])).position
        distances = np.linalg.norm(tips - target.position, axis=-1)
        onwards, backwards = (distances[-1] - distances[:-1].reshape(2, -1)) / _TURNED
        return np.maximum(np.where(above, onwards, 0.0), np.where(below, backwards, 0.0))


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


def lines_of(model: ArmModel, region: Region) -> Iterator[str]:
    """
    Yield what to print of a region.

    Shares are of the area that is no farther from the shoulder than the links are long. Distances
    are of the middles of reached cells.
    """
    cells, reached = region.slice, region.reached
    r, z = cells.grid
    causes, counts = np.unique(region.cause[~cells.beyond_links(r, z)], return_counts=True)
    shares = dict(zip(causes.tolist(), (counts / counts.sum()).tolist()))
    yield (f'{model.name}, {name_of_up(region.up)}: reached {shares.pop(REACHED, 0.0):.1%} of '
           f"what is within the links' length, {reached.sum() * cells.cell ** 2:.4f} m2")
    if reached.any():
        yield (f'  out to {np.abs(r[reached]).max():.3f} m from the yaw axis, z from '
               f'{z[reached].min():.3f} to {z[reached].max():.3f} m')
    parts = [f'{words(model, cause)} {share:.1%}'
             for cause, share in sorted(shares.items(), key=lambda item: -item[1])]
    if parts:
        yield f'  not reached: {", ".join(parts)}'
