# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The solver of an arm whose tip is beside its roll axis; :mod:`.` has the rule."""

from copy import copy
from functools import cached_property
from math import atan2, cos, hypot, inf, pi, sin

from .forward_curve import ForwardCurve
from .free_roll import nearest_roll, rolls_along_up
from ..arm_plane import from_s0, Plane, yaws_towards
from ..branch import joint_positions, wrist_roll
from ..explanation.reason import status_of, verdict
from ..forward import end_of_link, Geometry, tool
from ..limits import less_turns
from ..position_only.planes import every_pose
from ..ranking import measure
from ..solution import Status
from ..solver import Solver
from ..target import Target
from ..tolerances import DEGENERATE, LIMIT_SLACK, SAME, TIE
from ..vectors import angle_between, unit

#: Rolls tried one after the other until roll and forward vector agree.
AGREEMENTS = 12

#: The rest [rad]: it costs less than 0.02 mm.
AGREED = 3e-4

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

    def _may_reach(self, target):
        geometry = self.geometry
        farthest = geometry.l1 + geometry.l2 + hypot(geometry.l3, *geometry.beside) + abs(
            geometry.lateral) + abs(geometry.shoulder_offset)
        return hypot(*from_s0(geometry, target.position)) <= farthest

    def with_roll(self, roll):
        """Return the solver of the arm with its roll held at a position [rad]."""
        # Asked for little, it is to search no more than one in a box does.
        return Solver(self.geometry.model, self.geometry.with_roll(roll), True)

    @cached_property
    def on_axis(self):
        """Hold the solver of the arm with its tip on the line of the last link."""
        geometry = copy(self.geometry)
        geometry.beside, geometry.whole = None, geometry
        return Solver(self.geometry.model, geometry)

    def solve_rounded(self, target, near, position_tolerance, up_tolerance, branch_tolerance):
        """Return the solution for a target that but for rounding would be ordinary."""
        if target.up is None or target.forward is None:
            return None
        up = self._up_in_plane(target, near, min(up_tolerance, branch_tolerance[1]))
        solution = None if up is None else self.fast(Target.of_unit_vectors(
            target.position, up, target.forward), near, position_tolerance, up_tolerance, True)
        return None if solution is None else solution._replace(
            up_error_rad=angle_between(up, target.up))

    def _up_in_plane(self, target, near, most):
        """
        Return the up vector turned into its arm plane, on the side of the arm that near is on.

        Makers round the numbers of a URDF, so a pose of their arm is all but one of this arm.

        :param most: ``None`` if it has to be turned farther [rad].
        """
        geometry, up = self.geometry, target.up
        present = geometry.limits[0].canonical(near[0])
        for _ in range(MENDS):
            x, y, _ = from_s0(geometry, end_of_link(
                geometry, target.position, up, target.forward))
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

    def within(self, middle, radius):
        """Return a solver of the same arm, its limits no farther than radius [rad] from a pose."""
        return RolledTipSolver(
            self.geometry.model, self.geometry.narrowed(middle, radius), True)

    def optimum(self, target, near, ranking, elevation):
        """Return the best pose for a target that is not far away, see :meth:`Solver.optimum`."""
        if target.forward is None:
            return self._free(target, near, elevation).optimum(target, near, ranking, elevation)
        planes, nearly = [], []
        if self._may_reach(target) and not (ranking.up_first and target.up is not None):
            curve = self._curve(target, near, elevation)
            best, is_exact = self._best(curve, target, near, ranking)
            if best is not None:
                return best, is_exact, curve.planes
            planes, nearly = curve.planes, self._met_in_full(target, near)
        agreeing = self._agreeing(target, near, ranking, elevation)
        return ranking.best([agreeing, *nearly]), False, planes

    def exact(self, target, near, elevation=None):
        """Return every exact branch, see :meth:`Solver.exact`."""
        if target.forward is not None:
            planes = self._curve(target, near, elevation).planes
            return self._inside(planes, target, near), planes
        found, planes = [], []
        for local in self._along_up(target, near):
            more, others = local.exact(target, near)
            found += [item for item in more if item[0].miss <= SAME]
            planes += others
        if found:
            return found, planes
        return self._free(target, near, elevation).exact(target, near, elevation)

    def verdict(self, best, planes, target, near, ranking, tolerances, words=''):
        """Return the solution with the verdict on a measured pose, see :func:`verdict`."""
        solver = self
        if target.forward is None or status_of(best, *tolerances) is Status.POSITION_RELAXED:
            solver = self.with_roll(best.q[-1])
            _, planes = solver.exact(target, near)
        return verdict(solver, best, planes, target, near, ranking, tolerances, words)

    def branches(self, target, near):
        """Return every exact branch, inside the limits or not: ``(solver, plane)``."""
        if target.forward is None:
            return [(local, plane) for local in self._along_up(target, near)
                    or [self._free(target, near, None)]
                    for plane in local.exact(target, near)[1]]
        return [(self, plane) for plane in self._curve(target, near, None).planes]

    def every_pose(self, position, nears, forward):
        """Return poses with the tip at a position, see :func:`.position_only.every_pose`."""
        return every_pose(self.with_roll(nears[0][-1]), position, nears, forward)

    def _along_up(self, target, near):
        """Return solvers with the rolls in whose plane an up vector lies, the nearest first."""
        if target.up is None or hypot(*target.up[:2]) <= DEGENERATE:
            return []
        rolls = rolls_along_up(self.geometry, target, near)
        return [self.with_roll(roll) for roll in sorted(
            rolls, key=lambda roll: abs(roll - near[-1]))]

    def _free(self, target, near, elevation):
        """Return the solver with the roll that a target without a forward vector gets."""
        geometry = self.geometry
        limits, tried = geometry.limits[-1], {}
        for local in self._along_up(target, near):
            if any(plane.miss <= SAME for plane, _ in local.exact(target, near)[0]):
                return local

        def reaches(roll):
            tried[roll] = self.with_roll(roll)
            return bool(tried[roll].exact(target, near, elevation)[0])

        roll = limits.clamp(near[-1])
        if (target.up is None or hypot(*target.up[:2]) <= DEGENERATE) \
                and self._may_reach(target):
            nearest = nearest_roll(limits, roll, reaches)
            roll = roll if nearest is None else nearest
        return tried.get(roll) or self.with_roll(roll)

    def _met_in_full(self, target, near):
        """
        Return measured poses that meet a target in full, but for the plane of its up vector.

        Beside the yaw axis the tip is by far nearer than where the roll agrees with another plane.
        """
        if target.up is None:
            return []
        end = end_of_link(self.geometry, target.position, target.up, target.forward)
        found, _ = self.on_axis.exact(Target(end, target.up, target.forward), near)
        return [measure(self.geometry, q, target, near) for _, q in found if self.above_floor(q)]

    def _curve(self, target, near, elevation):
        wanted = None
        if target.up is None:
            present = sum(self.geometry.canonical(less_turns(near))[2:5])
            wanted = (present, present) if elevation is None else (elevation, pi - elevation)
        return ForwardCurve(self, target, wanted)

    def _inside(self, planes, target, near):
        """Return ``(plane, positions)`` of the branches of planes inside limits and floor."""
        return [(plane, q) for plane in planes
                for _, q in joint_positions(self, plane, near, target.forward)
                if self.above_floor(q)]

    def _best(self, curve, target, near, ranking):
        """Return the best measured pose that meets the position, and if any plane is as good."""
        found, least = [], inf
        for miss, plane in curve.nearest():
            if miss > least + LIMIT_SLACK:
                break
            if plane.miss > least + LIMIT_SLACK:
                continue
            more = [measure(self.geometry, q, target, near)
                    for _, q in self._inside([plane], target, near)]
            more = [(plane.miss, pose) for pose in more if pose.position <= SAME]
            if more:
                least, found = min(least, plane.miss), found + more
        best = [pose for miss, pose in found if miss <= least + LIMIT_SLACK]
        if not best:
            return None, False
        return ranking.best(best), least <= curve.planes[0].miss + TIE

    def _agreeing(self, target, near, ranking, elevation):
        """
        Return the best pose where the position is out of reach, or comes after the up vector.

        For a roll the best pose is known; what the forward vector then asks of the roll is tried
        next, until both agree.
        """
        geometry, found = self.geometry, []
        x, y, z = from_s0(geometry, target.position)
        is_far = not (self._may_reach(target) or ranking.up_first and target.up)
        # Towards a far target the last link points along it.
        up = unit((x, y, z)) if is_far else target.up or tool(geometry, less_turns(near))[1]
        for yaw in yaws_towards(geometry.lateral, x, y) or [near[0]]:
            roll, tried = roll_for(geometry, up, yaw, target.forward, near), []
            while all(abs(roll - other) > AGREED for other in tried) and len(tried) < AGREEMENTS:
                tried.append(roll)
                q = self.with_roll(roll).optimum(target, near, ranking, elevation)[0].q
                roll = roll_for(geometry, tool(geometry, q)[1],
                                geometry.limits[0].canonical(q[0]), target.forward, near)
                served = *q[:-1], roll
                if not self.above_floor(served) and abs(roll - tried[-1]) < AGREED:
                    served = q
                if self.above_floor(served):
                    found.append(measure(geometry, served, target, near))
            if is_far:
                break    # whatever the roll to begin with, the arm comes to the nearer side
        return ranking.best(found or [measure(geometry, geometry.home, target, near)])


def roll_for(geometry, up, yaw, forward, near):
    """Return the roll [rad] that serves a forward vector with the last link along up."""
    plane = Plane(yaw, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    elevation = atan2(up[2], up[0] * cos(yaw) + up[1] * sin(yaw))
    return wrist_roll(geometry, plane, elevation, forward, near)
