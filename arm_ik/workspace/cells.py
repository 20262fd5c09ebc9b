# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A vertical slice through the arm, divided into cells.

In the slice r is the distance from the yaw axis along the arm, z the height above ``base_link``
[m]; r is negative behind the axis. Targets are the middles of the cells. The base may turn: the
part behind the axis is reached by turning round, or over the back. Limits are widened by the
tolerance of a reached cell, so that a yaw that ends at 3.14158 counts as reaching straight behind.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import atan2, ceil, cos, floor, log10, sin
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidInputError
from ..kinematics.arm_plane import yaws_towards
from ..kinematics.forward import Geometry
from ..kinematics.model import ArmModel
from ..kinematics.pose import points
from ..kinematics.rolled_tip.solver import solver_of
from ..kinematics.solver import Solver
from ..kinematics.tolerances import POSITION_TOLERANCE, UP_TOLERANCE

#: How much wider the slice is than the stretched arm.
MARGIN = 1.05

#: Cells across the slice by default. With a rolling base or a tilting wrist each takes longer.
CELLS_UPRIGHT, CELLS_OTHERWISE = 400, 120

#: Cells across the slice at most.
MOST_CELLS = 2000


class Slice(NamedTuple):
    """
    A slice divided into square cells.

    ``geometry`` of the arm; ``yaw`` of the slice [rad]; ``cell``: their side [m]; ``r`` (columns,)
    and ``z`` (rows,): their middles [m], ascending.
    """

    geometry: Geometry
    yaw: float
    cell: float
    r: np.ndarray
    z: np.ndarray

    @property
    def grid(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the middles of all cells: r and z, each (rows, columns) [m]."""
        r, z = np.meshgrid(self.r, self.z)
        return r, z

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Outer edges: least and largest r, least and largest z [m]."""
        half = 0.5 * self.cell
        return self.r[0] - half, self.r[-1] + half, self.z[0] - half, self.z[-1] + half

    def position(self, r: float | np.ndarray, z: float | np.ndarray) -> tuple[Any, Any, Any]:
        """Return a point of the slice in ``base_link`` [m]."""
        x, y, z = self.direction((r, self.geometry.lateral, z))
        return self.geometry.base_x + x, self.geometry.base_y + y, z

    def direction(self, vector: Iterable[Any]) -> tuple[Any, Any, Any]:
        """Return a vector (along r, left of the slice, up) in ``base_link``."""
        along, aside, up = vector
        cy, sy = cos(self.yaw), sin(self.yaw)
        return along * cy - aside * sy, along * sy + aside * cy, up

    def beyond_links(self, r: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Return which points are farther from the shoulder than the links are long."""
        offset, above = self.geometry.shoulder_offset, z - self.geometry.base_height
        reach = self.geometry.l1 + self.geometry.l2 + self.geometry.l3
        return np.minimum(np.hypot(r - offset, above), np.hypot(r + offset, above)) > reach


def make_slice(model: ArmModel, cell: float | None = None,
               through: tuple[float, float] | None = None) -> Slice:
    """
    Return the slice of an arm.

    :param model: :class:`~arm_ik.kinematics.model.ArmModel`.
    :param cell: side of a cell [m]; ``None``: a round number with which drawing takes some
        seconds.
    :param through: x and y of a point that the slice contains [m]; ``None``: where the arm is.
    :raises InvalidInputError: for cells that are not positive, or too many.
    """
    geometry = with_roll_at_home(model).geometry
    width = 2.0 * MARGIN * (model.reach + abs(model.shoulder_offset))
    if cell is None:
        cell = _round_length(width / (CELLS_UPRIGHT if geometry.upright else CELLS_OTHERWISE))
    least = width / MOST_CELLS
    if not least <= cell <= width / 4.0:
        raise InvalidInputError('the size of a cell', cell,
                                f'from {least:.2g} to {width / 4.0:.2g} m for this arm')
    columns, rows = (ceil(half / cell) for half in (0.5 * width, MARGIN * model.reach))
    yaw = model.heading
    if through is not None:
        x, y = through[0] - geometry.base_x, through[1] - geometry.base_y
        yaw = (yaws_towards(geometry.lateral, x, y) or [atan2(y, x)])[0]
    return Slice(geometry, yaw, cell, cell * (np.arange(-columns, columns) + 0.5),
                 cell * (np.arange(-rows, rows) + 0.5) + geometry.base_height)


def with_roll_at_home(model: ArmModel) -> Solver:
    """Return the solver of an arm; with a tip off the roll axis, the roll stays as at home."""
    return solver_of(model).with_roll(model.home[-1])


def widened(model: ArmModel, up: tuple[float, float, float] | None = None) -> ArmModel:
    """Return an arm whose joints turn farther by what the tip, or a given up vector, may miss."""
    slack = POSITION_TOLERANCE / model.reach if up is None else UP_TOLERANCE
    return replace(model, joints=tuple([
        replace(joint, lower=joint.lower - slack, upper=joint.upper + slack)
        for joint in model.joints]))


def points_of(model: ArmModel, positions: Mapping[str, float]) -> np.ndarray:
    """
    Return the points that an arm is drawn between.

    :param model: :class:`~arm_ik.kinematics.model.ArmModel`.
    :param positions: by joint name [rad].
    :returns: array (7, 3) in ``base_link`` [m]: foot, top of the yaw axis, shoulder, elbow, wrist,
        where the hand bends, tip.
    """
    x, y, z = model.base_x, model.base_y, model.base_height
    return np.array([(x, y, min(0.0, z)), (x, y, z), *points(
        Geometry(model), np.array([positions[name] for name in model.joint_names]))])


def points_at_home(model: ArmModel, cells: Slice) -> np.ndarray:
    """Return the points of an arm at home as they are seen in a slice: r and z [m], (7, 2)."""
    x, y, z = points_of(model, model.all_home).T
    along = (x - model.base_x) * cos(cells.yaw) + (y - model.base_y) * sin(cells.yaw)
    return np.column_stack([along, z])


def _round_length(length: float) -> float:
    """Return the 1, 2, 2.5 or 5 with zeros nearest to a length."""
    size = 10.0 ** floor(log10(length))
    return min((step * size for step in (1.0, 2.0, 2.5, 5.0, 10.0)),
               key=lambda rounded: abs(log10(rounded / length)))
