# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
From target to answer.

An ordinary target is solved by the fast path (:mod:`.fast_path`). Any other takes these steps:

1. the arm planes through the target (:mod:`.arm_plane`, :mod:`.degenerate`,
   :mod:`.position_only`), and in each the triangle and the wrist angle inside the limits
   (:mod:`.branch`): the exact branches, of which the best is chosen (:mod:`.ranking`);
2. where none is exact, the closest pose (:mod:`.closest.candidates`);
3. the present branch instead, where that is asked for (:mod:`.branch_hysteresis`);
4. status and explanation (:mod:`.explanation`).

Forward kinematics of the positions is the judge of every answer.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property, lru_cache, partial
from math import cos, dist, pi, sin

from .arm_plane import from_s0
from .branch import BENDS, joint_positions, nearest_positions
from .branch_hysteresis import hysteresis
from .closest import candidates as closest
from .closest.planar.reach import PlanarReach
from .closest.spatial.distance_search import DistanceSearch, FEW_SAMPLES, SAMPLES
from .degenerate import nearest_members, planes_and_families
from .explanation.reason import elevation_missed, verdict
from .fast_path import fast_path
from .forward import Geometry, heights, tool
from .limits import less_turns
from .model import ArmModel
from .options import Elbow, Priority
from .position_only import planes as position_only
from .ranking import measure, Ranking
from .solution import Solution
from .target import Target
from .tolerances import DEGENERATE, FAR, LIMIT_SLACK, TIE
from .two_link import Triangle


def brought_near(target):
    """Return a target no farther away than :data:`FAR`, in the same direction."""
    farthest = max(map(abs, target.position))
    if farthest <= FAR:
        return target
    scale = FAR / farthest
    return Target([scale * value for value in target.position], target.up, target.forward)


class Solver:
    """
    Inverse kinematics of one arm; holds its numbers as plain floats.

    ``fast`` is the arm's :func:`~arm_ik.kinematics.fast_path.fast_path` or ``None``.

    :param model: :class:`~arm_ik.kinematics.model.ArmModel`.
    :param geometry: of the arm, if it differs from the model's; ``None``: the model's.
    :param is_boxed: whether its limits are those of a box around a pose.
    """

    def __init__(self, model: ArmModel, geometry: Geometry | None = None,
                 is_boxed: bool = False) -> None:
        self.geometry = geometry or Geometry(model).in_plane()
        self.triangle = Triangle(self.geometry.l1, self.geometry.l2)
        self._is_boxed = is_boxed
        self.fast = None if geometry else fast_path(self.geometry.whole, self.triangle)
        #: What the links reach in their plane with a last link of a length [m]: mostly asked for
        #: at the two limits of the tilt, again and again.
        self.planar_reach = lru_cache(8)(partial(
            PlanarReach, self.geometry.l1, self.geometry.l2, self.geometry.limits_in_plane))

    # The searches are made when they are first asked for: most targets are in reach.

    @cached_property
    def reach(self):
        """Hold the :class:`.PlanarReach` of the whole last link."""
        return self.planar_reach(self.geometry.l3)

    @cached_property
    def distance(self):
        """Hold the arm's :class:`.DistanceSearch`."""
        return DistanceSearch(self.geometry, FEW_SAMPLES if self._is_boxed else SAMPLES)

    @cached_property
    def _without_floor(self) -> Solver:
        geometry = copy(self.geometry)
        geometry.floor = None
        return type(self)(geometry.model, geometry, self._is_boxed)

    @cached_property
    def turning_round(self) -> Solver:
        """Hold the solver of the arm with a yaw that gets everywhere."""
        geometry = copy(self.geometry)
        geometry.limits = (geometry.limits[0].narrowed(-pi, pi), *geometry.limits[1:])
        return Solver(geometry.model, geometry)

    @property
    def on_axis(self) -> Solver:
        """Return the solver of the arm with its tip on the line of the last link: itself."""
        return self

    def with_roll(self, roll: float) -> Solver:
        """Return the solver of the arm with its wrist roll held, which here moves no tip."""
        return self

    def within(self, middle: tuple[float, ...], radius: float) -> Solver:
        """Return a solver of the same arm, its limits no farther than radius [rad] from a pose."""
        return type(self)(self.geometry.model, self.geometry.narrowed(middle, radius), True)

    def solve(self, target: Target, near: tuple[float, ...], elbow: Elbow, priority: Priority,
              position_tolerance: float, up_tolerance: float, elevation: float | None = None,
              branch_tolerance: tuple[float, float] | None = None) -> Solution:
        """Return the :class:`Solution` for a checked target, see :meth:`arm_ik.arm.Arm.solve`."""
        if elbow == 'nearest' and priority == 'position':
            solution = self.solve_fast(
                target, near, position_tolerance, up_tolerance, branch_tolerance)
            if solution is not None:
                return solution
        return self.solve_generally(target, near, elbow, priority, position_tolerance,
                                    up_tolerance, elevation, branch_tolerance)

    def solve_fast(self, target: Target, near: tuple[float, ...], position_tolerance: float,
                   up_tolerance: float, branch_tolerance: tuple[float, float] | None = None
                   ) -> Solution | None:
        """Return the solution for an ordinary target, ``None`` for any other."""
        if self.fast is None:
            return None
        if branch_tolerance is not None:
            solution = self.fast(target, near, position_tolerance, up_tolerance, True)
            if solution is not None and solution.step_rad <= hysteresis.NO_JUMP_UPRIGHT:
                return solution
        solution = self.fast(target, near, position_tolerance, up_tolerance)
        if branch_tolerance is None or solution is None or hysteresis.is_in_present_branch(
                self, solution.q, solution.step_rad, True, near, target):
            return solution
        return None

    def solve_generally(self, target: Target, near: tuple[float, ...], elbow: Elbow,
                        priority: Priority, position_tolerance: float, up_tolerance: float,
                        elevation: float | None = None,
                        branch_tolerance: tuple[float, float] | None = None) -> Solution:
        """Return the solution for any target, ordinary or not."""
        nearer = brought_near(target)
        ranking = self.ranking(elbow, priority)
        best, exact, planes = self.optimum(nearer, near, ranking, elevation)
        words = ''
        if branch_tolerance is not None:
            best, words = hysteresis.keep_branch(
                self, best, exact, nearer, near, ranking, elevation, branch_tolerance)
        tolerances = position_tolerance, up_tolerance
        words = words or elevation_missed(self, best, target, elevation, tolerances)
        solution = self.verdict(best, planes, nearer, near, ranking, tolerances, words)
        return solution if nearer is target else self.verdict_far(solution, target)

    def ranking(self, elbow, priority):
        """Return the ranking of poses for options of :meth:`arm_ik.arm.Arm.solve`."""
        side = 1.0 if elbow == 'up' else -1.0
        return Ranking(priority, None if elbow == 'nearest' else (
            lambda q: side * self.elbow_up(q) > -LIMIT_SLACK))

    def optimum(self, target, near, ranking, elevation):
        """
        Return the best pose for a target that is not far away.

        :returns: ``(candidate, exact, planes)``: exact says whether it misses by no more than its
            arm plane does; planes are those that would be exact without reach and limits.
        """
        found, planes = self.exact(target, near, elevation)
        if found:
            best = ranking.best([measure(self.geometry, q, target, near) for _, q in found])
            least = 0.0 if ranking.up_first else min([
                plane.miss for plane in planes if self.geometry.limits[0].allows(plane.yaw)])
            # Without a wrist no other pose has another up vector.
            if best.position <= TIE and (best.up <= least + TIE or not (
                    self.geometry.has_wrist or ranking.up_first)):
                return best, True, planes
        best = self._closest(found, target, near, ranking, elevation)
        if target.up is None and not closest.is_stretched(self.geometry, best.q):
            best = self._best_with_same_tip(best, target, near, ranking, elevation)
        return best, False, planes

    def verdict(self, best, planes, target, near, ranking, tolerances, words=''):
        """Return the solution with the verdict on a measured pose, see :func:`verdict`."""
        return verdict(self, best, planes, target, near, ranking, tolerances, words)

    def verdict_far(self, solution, target):
        """Return the answer to a target that was brought near as the answer to the far one."""
        miss = dist(tool(self.geometry, solution.q)[0], target.position)
        return solution._replace(position_error_m=miss, reason=f'too far by {miss:.3g} m')

    def solutions(self, target, near, position_tolerance, up_tolerance):
        """Return a verdict on every branch, see :meth:`arm_ik.arm.Arm.solutions`."""
        if max(map(abs, target.position)) > FAR:
            return []
        ranking, tolerances, verdicts = Ranking(), (position_tolerance, up_tolerance), []
        branches = self.branches(target, near)
        planes = [plane for _, plane in branches]
        for solver, plane in branches:
            inside = dict(joint_positions(solver, plane, near, target))
            for bend in BENDS:
                q = inside.get(bend) or nearest_positions(solver, plane, bend, near, target)[0]
                verdicts.append(verdict(solver, measure(self.geometry, q, target, near), planes,
                                        target, near, ranking, tolerances, branch=(plane, bend)))
        return verdicts

    def branches(self, target, near):
        """Return every exact branch, inside the limits or not: ``(solver, plane)``."""
        return [(self, plane) for plane in self.exact(target, near)[1]]

    def exact(self, target, near, elevation=None):
        """
        Return every exact branch inside the limits and above the floor.

        :param elevation: preferred for the last link where no up vector is asked for [rad];
            ``None``: the present one.

        :returns: ``(found, planes)``: a list of ``(plane, joint positions)``, and every plane,
            inside the limits or not, with the nearest member of each family.
        """
        planes, families = self._planes(target, near, elevation)
        found = [(plane, q) for plane in planes
                 for _, q in joint_positions(self, plane, near, target)]
        for family in families:
            members, nearest = nearest_members(self, family, near, target)
            found += members
            planes = planes + nearest
        if self.geometry.floor is not None:
            found = [item for item in found if self.above_floor(item[1])]
        if target.up is None:
            # Those nearest to the wanted elevation.
            least = min([plane.miss for plane, _ in found], default=0.0)
            found = [item for item in found if item[0].miss <= least + LIMIT_SLACK]
        return found, planes

    def search_in_order(self, position, up, near, up_first=False, more=()):
        """
        Return poses that serve position and up vector, see :meth:`.DistanceSearch.in_order`.

        :param near: joint positions [rad]; exact branches, put on the limits, are starts, too.
        """
        planes, _ = planes_and_families(self.geometry, from_s0(self.geometry, position), up, near)
        starts = [self.geometry.canonical(nearest_positions(self, plane, bend, near, None)[0])
                  for plane in planes for bend in BENDS]
        more = [*starts, self.geometry.canonical(less_turns(near)), *more]
        return self.distance.in_order(position, self.geometry.floor, more, up, up_first)

    def above_floor(self, q):
        """Return whether elbow, wrist and tip are above the arm's floor, if it has one."""
        floor = self.geometry.floor
        if floor is None:
            return True
        return min(heights(self.geometry, q)) >= floor - TIE

    def elbow_up(self, q):
        """
        Return the sine of the elbow's bend, above zero where it is bent up against gravity.

        Up is above the line from shoulder to wrist.
        """
        _, roll, shoulder, elbow, _, _, _ = self.geometry.canonical(q)
        line = self.geometry.l1 * cos(shoulder) + self.geometry.l2 * cos(shoulder + elbow)
        # On a vertical line neither side is up: a negative elbow angle then counts as bent up.
        upwards = line * cos(roll)
        return sin(elbow) if upwards < -DEGENERATE else -sin(elbow)

    def _planes(self, target, near, elevation):
        geometry, e = self.geometry, from_s0(self.geometry, target.position)
        # Without a wrist the up vector chooses nothing.
        if target.up is None or not geometry.has_wrist:
            if self._is_boxed and elevation is None and not geometry.upright:
                return position_only.present_planes(self, e, near), []
            return position_only.planes(self, e, near, elevation), []
        return planes_and_families(geometry, e, target.up, near)

    def _closest(self, found, target, near, ranking, elevation):
        """Return the best of the branches found, the closest poses, and where the arm may rest."""
        geometry = self.geometry
        options = [q for _, q in found]
        if geometry.floor is None:
            nearest = closest.candidates(self, target, near, ranking)
        else:
            best, _, _ = self._without_floor.optimum(target, near, ranking, elevation)
            if self.above_floor(best.q):
                return best
            sure, above = closest.on_the_floor(self, target, near, ranking)
            if sure:
                return ranking.best(sure)
            options += above
            nearest = closest.above_floor(self, target, near, ranking, best)
            options = list(filter(self.above_floor, options))
        # With a yaw alone and no floor the present pose is among those found, or worse than them.
        if not nearest or geometry.floor is not None or not geometry.upright:
            options += [geometry.home, *filter(self.above_floor, [geometry.clamped(near)])]
        return ranking.best([measure(geometry, q, target, near) for q in options] + nearest)

    def _best_with_same_tip(self, best, target, near, ranking, elevation):
        """
        Return a pose with the tip of the closest pose, chosen as for a target within reach.

        Without an up vector every pose with the tip there is equally close.
        """
        tip = tool(self.geometry, best.q)[0]
        found, _ = self.exact(Target(tip, None, target.forward), near, elevation)
        as_close = [candidate for candidate in [
            measure(self.geometry, q, target, near) for _, q in found]
            if candidate.position <= best.position + TIE]
        return ranking.best(as_close) if as_close else best
