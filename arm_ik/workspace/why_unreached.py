# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What stops the arm from reaching a target.

One cause per target, the one that matters most:

* *With an up vector* the poses that would be exact are few. The pose that is least outside reach
  and limits names the cause: its wrist is out of reach of upper arm and forearm, or joints are
  past their limits. Of several joints the one that is farthest past its limit counts.
* *With any up vector* the closest pose names the cause: of its joints at a limit, the one that
  would bring the tip towards the target fastest if it could turn further. If no joint is at a
  limit, the links are too short or too long.
* *The floor* is the cause if the same arm without a floor reaches the target.
"""

from collections.abc import Iterable
from dataclasses import replace
from math import dist

import numpy as np

from .cells import with_roll_at_home
from ..arm import Arm
from ..kinematics.explanation.limit_violation import least_of_planes
from ..kinematics.model import ArmModel
from ..kinematics.solution import Solution, Status
from ..kinematics.target import Target
from ..kinematics.tolerances import POSITION_TOLERANCE, UP_TOLERANCE

#: The causes that every arm has; the joints follow, base to tip.
REACHED, FAR, CLOSE, UP, FLOOR, FIRST_JOINT = range(6)

#: A position this near to a limit is at it; its effect is found by turning it this much further
#: [rad].
_AT_LIMIT, _TURNED = 1e-6, 1e-6


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
