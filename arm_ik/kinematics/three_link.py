# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The three-link reduction from target to answer.

Plane first (:mod:`.arm_plane`, :mod:`.degenerate`), then the triangle and the wrist angle inside the
limits (:mod:`.branch`), the branch nearest to where the arm is (:mod:`.ranking`); when none is exact the
closest pose (:mod:`.closest`). Forward kinematics of the readings is the judge of every answer.
"""

from math import cos, inf, sin

from . import closest, explain, free_up
from .arm_plane import DEGENERATE
from .branch import Triangle, nearest_readings, readings
from .degenerate import planes_and_families
from .family_search import least_on_circle
from .forward import Geometry, frames
from .limits import LIMIT_SLACK
from .ranking import TIE, Ranking, measure
from .recipe import RecipeAngles, solve_recipe
from .solution import Solution, Status

__all__ = ['RecipeAngles', 'Solver', 'solve_recipe']

_BENDS = (1.0, -1.0)


class Solver:
    """
    Inverse kinematics of one arm; holds its numbers as plain floats, keeps no other state.

    :param model: :class:`~arm_ik.kinematics.model.ArmModel`.
    """

    def __init__(self, model):
        self.geometry = Geometry(model)
        self.triangle = Triangle(self.geometry.l1, self.geometry.l2)

    def solve(self, target, near, elbow, priority, position_tolerance, up_tolerance):
        """Return the :class:`Solution` for a checked target, see :meth:`arm_ik.arm.Arm.solve`."""
        geometry = self.geometry
        side = None if elbow == 'nearest' else elbow == 'up'
        ranking = Ranking(priority, side is not None and (lambda q: self.elbow_is_up(q) == side)
                          or None)
        found, least_miss = self._exact(target, near)
        best = None
        if found:
            best = ranking.best([measure(geometry, q, target, near) for q in found])
        good_enough = best is not None and (
            best.position <= position_tolerance and best.up <= max(up_tolerance, least_miss + TIE))
        if priority == 'up' and least_miss > up_tolerance:
            good_enough = False
        if not good_enough:
            resting = (geometry.home, tuple([
                limits.clamp(reading) for limits, reading in zip(geometry.limits, near)]))
            others = [measure(geometry, q, target, near) for q in resting
                      if self.above_floor(q) or q is geometry.home]
            others += closest.candidates(self, target, near, ranking)
            best = ranking.best(others if best is None else [best, *others])
        return self._verdict(best, target, near, side, position_tolerance, up_tolerance)

    def solutions(self, target, near, position_tolerance, up_tolerance):
        """Return a verdict on every branch, see :meth:`arm_ik.arm.Arm.solutions`."""
        planes = self.exact_planes(target, near)
        verdicts = []
        for plane in planes:
            for bend in _BENDS:
                q = readings(self, plane, bend, near, target.forward)
                if q is None:
                    q = nearest_readings(self, plane, bend, near, target.forward)[0]
                verdicts.append(self._verdict(
                    measure(self.geometry, q, target, near), target, near, None,
                    position_tolerance, up_tolerance, (plane, bend)))
        return verdicts

    def above_floor(self, q):
        """Tell whether elbow, wrist and tip are above the arm's floor, if it has one."""
        floor = self.geometry.floor
        if floor is None:
            return True
        at = frames(self.geometry, q)
        return min(at.elbow[2], at.wrist[2], at.tip[2]) >= floor - TIE

    def elbow_is_up(self, q):
        """Tell whether the elbow is above the line from shoulder to wrist, against gravity."""
        _, roll, shoulder, elbow, _, _, _ = self.geometry.canonical(q)
        line = self.geometry.l1 * cos(shoulder) + self.geometry.l2 * cos(shoulder + elbow)
        # On an upright line neither side is up: the one that bends back from forward then counts.
        upwards = line * cos(roll)
        return sin(elbow) * (upwards if abs(upwards) > DEGENERATE else 1.0) < 0.0

    def exact_planes(self, target, near):
        """Return every plane for a target, one member for each family: what reasons are made of."""
        planes, families = self._planes(target, near)
        for family in families:
            planes = planes + self._members(family, target, near)[1]
        return planes

    def _planes(self, target, near):
        geometry = self.geometry
        x, y, z = target.position
        e = (x - geometry.base_x, y - geometry.base_y, z - geometry.base_height)
        if target.up is None:
            return free_up.planes(self, e, near), []
        return planes_and_families(geometry, e, target.up, near)

    def _exact(self, target, near):
        """Return the readings of every exact branch inside the limits, and the least miss [rad]."""
        planes, families = self._planes(target, near)
        found = []
        for plane in planes:
            for bend in _BENDS:
                q = readings(self, plane, bend, near, target.forward)
                if q is not None:
                    found.append(q)
        least_miss = min([plane.miss for plane in planes], default=inf)
        for family in families:
            members, nearest = self._members(family, target, near)
            found += members
            least_miss = min([least_miss] + [plane.miss for plane in nearest])
        if self.geometry.floor is not None:
            found = [q for q in found if self.above_floor(q)]
        return found, least_miss if least_miss < inf else 0.0

    def _members(self, family, target, near):
        """Return readings of a family's nearest members inside the limits, and their planes."""
        found, planes = [], []
        for i, _ in enumerate(family(0.0)):
            best = inf, None
            for bend in _BENDS:
                t, cost = least_on_circle(
                    lambda t: self._cost(family(t)[i], bend, near, target), self._seeds(near))
                best = min(best, (cost, t), key=lambda pair: pair[0])
                q = readings(self, family(t)[i], bend, near, target.forward)
                if q is not None:
                    found.append(q)
            planes.append(family(best[1])[i])
        return found, planes

    def _cost(self, plane, bend, near, target):
        """Return the step to a branch [rad], or 1000 and more by how far it is outside."""
        q, excess, beyond = nearest_readings(self, plane, bend, near, target.forward)
        violation = max(max([abs(x) for x in excess]), abs(beyond) / self.triangle.outer)
        if violation > LIMIT_SLACK or (beyond and violation > 0.0):
            return 1e3 + violation
        if not self.above_floor(q):
            return 1e3
        return max([abs(a - b) for a, b in zip(q, near)])

    def _seeds(self, near):
        """Return the parameters that a family has where the arm is now: its yaw, its elevation."""
        yaw, _, shoulder, elbow, wrist, _, _ = self.geometry.canonical(near)
        return yaw, shoulder + elbow + wrist

    def _verdict(self, best, target, near, side, position_tolerance, up_tolerance, branch=None):
        if best.position > position_tolerance:
            status = Status.POSITION_RELAXED
        elif best.up > up_tolerance:
            status = Status.UP_RELAXED
        elif best.forward > up_tolerance:
            status = Status.FORWARD_RELAXED
        else:
            status = Status.REACHED
        forward = best.forward
        if target.forward is not None and not self.geometry.has_wrist_roll:
            forward = explain.forward_error(self.geometry, best.q, target)
        reason, limited_by = '', ()
        if status is not Status.REACHED:
            reason, limited_by = explain.reason(self, best, status, target, near, branch)
        if side is not None and self.elbow_is_up(best.q) != side:
            wanted = f'no branch with the elbow {"up" if side else "down"} is as good'
            reason = f'{reason}; {wanted}' if reason else wanted
        return Solution(best.q, status, best.position, best.up, forward, reason, limited_by,
                        best.step)
