# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The solver of an arm whose tip is beside its roll axis; :mod:`.` has the rule."""

from copy import copy
from functools import cached_property
from math import atan2, cos, inf, sin

from .roll_search import RollSearch, rolls_along_up
from ..arm_plane import from_s0, yaws_towards
from ..branch_hysteresis.hysteresis import NO_JUMP_UPRIGHT
from ..explanation.reason import status_of, verdict
from ..forward import end_of_link, Geometry
from ..limits import TURN
from ..ranking import measure, Ranking
from ..solution import Status
from ..solver import Solver
from ..target import Target
from ..tolerances import SAME, TIE
from ..vectors import angle_between, unit

#: Most steps that turn an up vector into its plane.
MENDS = 12


def solver_of(model):
    """Return the solver of an arm, wherever its tip is."""
    geometry = Geometry(model)
    if not geometry.beside:
        return Solver(model)
    if not geometry.has_wrist_roll:
        return Solver(model, geometry.with_roll(None))
    return RolledTipSolver(model)


class RolledTipSolver(Solver):
    """Inverse kinematics of an arm whose wrist roll moves the tip."""

    def with_roll(self, roll):
        """Return the solver of the arm with its roll held at a position [rad]."""
        # Asked for little, it is to search no more than one in a box does.
        return self.held.get(roll) or Solver(
            self.geometry.model, self.geometry.with_roll(roll), True)

    @cached_property
    def held(self):
        """Hold solvers by the rolls that searches ask for."""
        return {roll: Solver(self.geometry.model, self.geometry.with_roll(roll), True)
                for roll in self.rolls(8)}

    def rolls(self, count):
        """Return rolls [rad] that are so many in a turn apart, and the limits."""
        limits = self.geometry.limits[-1]
        aside = atan2(*self.geometry.beside) - limits.offset
        return [limits.lower, limits.upper, *[roll for k in range(count) for roll in
                limits.readings(limits.sign * (aside + k * TURN / count))]]

    @cached_property
    def on_axis(self):
        """Hold the solver of the arm with its tip on the line of the last link."""
        geometry = copy(self.geometry)
        geometry.beside, geometry.whole = None, geometry
        return Solver(self.geometry.model, geometry.in_plane())

    def solve_fast(self, target, near, position_tolerance, up_tolerance, branch_tolerance=None):
        """Return the solution for an ordinary target, see :meth:`Solver.solve_fast`."""
        tolerances = position_tolerance, up_tolerance
        if target.up is None or target.forward is not None or branch_tolerance is not None:
            return super().solve_fast(target, near, *tolerances, branch_tolerance) or (
                self._solve_rounded(target, near, *tolerances, branch_tolerance))
        found, least = {}, inf
        for roll, forward in rolls_along_up(self.geometry, target, near):
            if abs(roll - near[-1]) > least + TIE:
                break
            solution = self.fast(Target.of_unit_vectors(target.position, target.up, forward),
                                 near, *tolerances)
            if solution is None:    # it may have a nearer branch
                return None
            found[measure(self.geometry, solution.q, target, near)] = solution
            least = min(least, solution.step_rad)
        return found[Ranking().best([*found])] if found else None

    def _solve_rounded(self, target, near, position_tolerance, up_tolerance, branch_tolerance):
        """Return the solution for a target that but for rounding would be ordinary."""
        if target.up is None or target.forward is None or branch_tolerance is None:
            return None
        up = self._up_in_plane(target, near, min(up_tolerance, branch_tolerance[1]))
        solution = None if up is None else self.fast(Target.of_unit_vectors(
            target.position, up, target.forward), near, position_tolerance, up_tolerance, True)
        return None if solution is None or solution.step_rad > NO_JUMP_UPRIGHT else (
            solution._replace(up_error_rad=angle_between(up, target.up)))

    def _up_in_plane(self, target, near, most):
        """
        Return the up vector turned into its arm plane, on the side of the arm that near is on.

        Makers round the numbers of a URDF, so a pose of their arm is all but one of this arm.

        :param most: ``None`` if it has to be turned farther [rad].
        """
        geometry, up = self.geometry, target.up
        present = geometry.limits[0].canonical(near[0])
        for _ in range(MENDS):
            x, y, _ = from_s0(geometry, end_of_link(geometry, target.position, up, target.forward))
            for yaw in yaws_towards(geometry.lateral, x, y):
                if cos(yaw - present) > 0.0:
                    break
            else:
                break
            c, s = cos(yaw), sin(yaw)
            aside = up[1] * c - up[0] * s
            if abs(aside) < TIE or abs(aside) > most:
                return up if abs(aside) < TIE else None
            up = unit((up[0] + aside * s, up[1] - aside * c, up[2]))
        return None

    def optimum(self, target, near, ranking, elevation):
        """Return the best pose for a target that is not far away, see :meth:`Solver.optimum`."""
        found = [measure(self.geometry, q, target, near)
                 for local in self._meeting(target, near)
                 for _, q in local.exact(target, near, elevation)[0]]
        if found:
            best = ranking.best(found)
            if max(best[1:4]) <= TIE:
                return best, True, []
        if self.geometry.floor is not None:
            best = self._closest([], target, near, ranking, elevation)
            return best, best.position <= TIE and best.up <= TIE, []
        found = RollSearch(self, target, near, ranking, elevation).best()
        best = ranking.best(found)
        if target.up is None and target.forward is None:
            best = ranking.best([best, self.with_roll(best.q[-1]).optimum(
                target, near, ranking, elevation)[0]])
        return best, best.position <= TIE and best.up <= TIE, []

    def steady(self, target, near, elevation, branch_tolerance):
        """Return the best pose with the roll that serves the forward vector, or that of near."""
        asked = near, 'nearest', 'position', 0.0, 0.0, elevation, branch_tolerance
        roll = self.geometry.limits[-1].clamp(near[-1]) if target.forward is None else (
            self.on_axis.solve_generally(target, *asked).q[-1])
        return measure(self.geometry, self.with_roll(roll).solve_generally(target, *asked).q,
                       target, near)

    def exact(self, target, near, elevation=None):
        """Return every exact branch, see :meth:`Solver.exact`."""
        found, planes = [], []
        for local in self._meeting(target, near):
            more, others = local.exact(target, near, elevation)
            found += [item for item in more if target.up is None or item[0].miss <= SAME]
            planes += others
        if found:
            return found, planes
        best, _, _ = self.optimum(target, near, Ranking(), elevation)
        return self.with_roll(best.q[-1]).exact(target, near, elevation)

    def verdict(self, best, planes, target, near, ranking, tolerances, words=''):
        """Return the solution with the verdict on a measured pose, see :func:`verdict`."""
        local = self
        if status_of(best, *tolerances) is not Status.REACHED:
            local = self.with_roll(best.q[-1])
            _, planes = local.exact(target, near)
        return verdict(local, best, planes, target, near, ranking, tolerances, words)

    def branches(self, target, near):
        """Return every exact branch, inside the limits or not: ``(solver, plane)``."""
        found = self._meeting(target, near) or [self.with_roll(
            self.optimum(target, near, Ranking(), None)[0].q[-1])]
        return [(local, plane) for local in found for plane in local.exact(target, near)[1]]

    def _meeting(self, target, near):
        """Return solvers with the rolls that may meet a target in full, the nearest first."""
        at = self.geometry.limits[-1].clamp(near[-1])
        rolls = [roll for roll, _ in rolls_along_up(self.geometry, target, near)]
        if target.up is not None and target.forward is not None:
            end = end_of_link(self.geometry, target.position, target.up, target.forward)
            rolls = {q[-1] for _, q in self.on_axis.exact(
                Target(end, target.up, target.forward), near)[0]}
        elif target.up is None and target.forward is None:
            rolls = [at]
        return [self.with_roll(roll) for roll in sorted(rolls, key=lambda roll: abs(roll - at))]
