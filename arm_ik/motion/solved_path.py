# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A path of the tip, solved at samples so close together that each joint runs evenly between them.

Each sample is solved near to the one before. Where a joint would move farther than
``_LONGEST_STEP`` or change its pace by more than ``_BEND``, the samples lie closer together. Where
the first can't be had, the arm would have to jump to another branch, and the path ends.

Where any elevation of the last link will do, the one of the straight path (:mod:`.tip_path`) is
taken if it leads to the end. If not, the present elevation is kept as long as the branch can have
it, and then the nearest one that it can; or evenly to the one that this comes to.
"""

from math import remainder, tau

from .tip_path import Flow, TipPath
from ..errors import ArmIkError
from ..kinematics.arm_plane import from_s0
from ..kinematics.branch import joint_positions
from ..kinematics.forward import tool
from ..kinematics.position_only.planes import elevation_ends, TargetPlane, yaws
from ..kinematics.ranking import measure

#: Errors up to this [m, rad] are rounding: at a limit, positions are clamped by 1e-7 rad.
ROUNDING = 2e-7

#: Largest step of a joint from sample to sample [rad].
_LONGEST_STEP = 0.02

#: Largest change of such steps [rad], at samples as far apart as before.
_BEND = 0.001

#: A step so much longer than the next one is divided.
_GRADE = 2.5

#: Samples of a line at least, and of one that others flow into; for each length of the arm; for
#: each radian of turning.
_SAMPLES, _FLOWING, _PER_REACH, _PER_RADIAN = 64, 16, 400.0, 50.0

#: How often the distance of samples is halved before the line ends.
_HALVINGS = 14

#: How often it is halved for a bend, and at the start.
_FEWER = 10

#: Joints nearer than this [rad] to a limit where a line ends are stopped by it.
_AT_LIMIT = 1e-5


class SolvedPath:
    """
    Straight paths that flow into each other, solved as far as they can be.

    Joint positions ``q`` at samples ``s`` of a :class:`~.tip_path.Flow`.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param start: joint positions [rad].
    :param targets: what it leads to: as many as flow into each other are taken.
    :param up_tolerance: largest angle [rad] by which up and forward vector may be missed.
    :param radius: of the largest curve round a corner [m].
    :param ongoing: returns whether it is still needed, asked at each sample; ``None``: it is.
    """

    def __init__(self, solver, start, targets, up_tolerance, radius, ongoing=None):
        # Without a forward vector the roll stays where it is.
        self._solver = solver.with_roll(start[-1]) if targets[0].forward is None else solver
        self.geometry, self._up_tolerance, self._ongoing = (
            self._solver.geometry, up_tolerance, ongoing)
        self.flow, self.targets, corner = Flow(), [], start
        for target in targets:
            leg = self._leg(corner, target)
            is_first = not self.flow.ends or self.flow.ends[-1] == 0.0
            if not (is_first or leg.is_point or radius and self.flow.flows_into(leg)):
                break
            self.flow.add(leg, 0.0 if is_first or leg.is_point else radius)
            self.targets.append(target)
            corner = self._solved(leg.at(1.0), corner)
            if corner is None:
                break
        self._end = self.flow.ends[-1]
        self._follow(start, False)
        if not self.is_whole and self.geometry.upright and any(
                leg.is_free for leg in self.flow.legs):
            self._find_elevations(start)

    @property
    def is_whole(self):
        """Return whether all of it can be travelled."""
        return self.s[-1] == self._end

    @property
    def reached(self):
        """Return the s of each target that is reached."""
        return [end for end in self.flow.ends if end <= self.s[-1]]

    def fraction(self, number):
        """Return how much of a leg can be travelled, from 0 to 1."""
        begin, end = [0.0, *self.flow.ends][number:number + 2]
        return min(max(self.s[-1] - begin, 0.0) / (end - begin), 1.0) if end > begin else 1.0

    def _leg(self, start, target):
        geometry, is_free = self.geometry, target.up is None
        if is_free:
            # The present direction, if possible, and else the one the solver finds nearest to it.
            near = TipPath(geometry, start, target, True).at(1.0)
            if self._solved(near, start, 0.0) is None:
                best = self._solver.solve(target, start, 'nearest', 'position', 1e-9, 1e-9)
                near = target.replace(up=tool(geometry, best.q)[1])
            target = near
        return TipPath(geometry, start, target, geometry.upright or is_free, is_free)

    def _find_elevations(self, start):
        """Solve a path on which the straight path's elevations can't be kept."""
        straight = self.s, self.q
        self._follow(start, True)
        if self.s[-1] < straight[0][-1]:
            self.s, self.q = straight
        elif self.is_whole and len(self.flow.legs) == 1:
            kept = self.flow, self.s, self.q
            target, up = self.targets[0], tool(self.geometry, self.q[-1])[1]
            self.flow = Flow()
            self.flow.add(TipPath(self.geometry, start, target.replace(up=up), True), 0.0)
            self._follow(start, False)
            if not self.is_whole:
                self.flow, self.s, self.q = kept

    def _follow(self, q, keeps_elevation):
        """Solve the path from q on."""
        self._keeps_elevation = keeps_elevation
        reach = self.geometry.l1 + self.geometry.l2 + self.geometry.l3
        least = _SAMPLES if len(self.flow.legs) == 1 else _FLOWING
        longest = [(end - begin) / max(least, _PER_REACH * leg.length / reach,
                                       _PER_RADIAN * (leg.turn + abs(leg.roll)))
                   for leg, begin, end in zip(self.flow.legs, [0.0, *self.flow.ends],
                                              self.flow.ends) if end > begin]
        self.s, self.q, s, slopes = [0.0], [q], 0.0, ()
        self._longest = longest[0] if longest else 0.0
        step = self._longest * 0.5 ** _FEWER
        while s < self._end:
            if self._ongoing is not None and not self._ongoing():
                raise ArmIkError('not needed any more')
            ahead = s + step if s + 1.5 * step < self._end else self._end
            is_least = step <= self._longest * 0.5 ** _FEWER
            found = self._near(ahead, q)
            new = found and [(b - a) / (ahead - s) for a, b in zip(q, found)]
            if found and _farthest(found, q) <= _LONGEST_STEP and (
                    is_least and _farthest(found, q) <= _BEND
                    or slopes and _farthest(new, slopes) * step <= _BEND):
                s, q, slopes = ahead, found, new
                self.s.append(s)
                self.q.append(q)
                here = sum(end <= s for end in set(self.flow.ends))
                self._longest = min(longest[here:here + 2], default=self._longest)
                step = min(2.0 * step, self._longest)
            elif step > self._longest * 0.5 ** _HALVINGS:
                step *= 0.5
            else:
                break
        if len(self.s) < 3:
            del self.s[1:], self.q[1:]
        self._grade()

    def _grade(self):
        """Add samples where steps get short, so that none is much longer than the next."""
        i = len(self.s) - 2
        while i > 0:
            a, b, c = self.s[i - 1:i + 2]
            if b - a > _GRADE * (c - b):
                between = max(b - 2.0 * (c - b), 0.5 * (a + b))
                if found := self._near(between, self.q[i - 1]):
                    self.s.insert(i, between)
                    self.q.insert(i, found)
                    continue
            i -= 1

    def _near(self, s, near):
        """Return joint positions at s, or ``None``."""
        target = self.flow.at(s)
        if self._keeps_elevation and self.flow.is_free(s):
            return self._at_an_elevation(target, near)
        # An ordinary target is met in the present branch.
        solution = self._solver.fast and self._solver.fast(
            target, near, ROUNDING, self._up_tolerance + ROUNDING, True)
        return self._solved(target, near) if solution is None else solution.q

    def _solved(self, target, near, up_tolerance=None):
        """Return the joint positions nearest to others that meet a target, or ``None``."""
        allowed = (self._up_tolerance if up_tolerance is None else up_tolerance) + ROUNDING
        found, _ = self._solver.exact(target, near)
        found = [measure(self.geometry, q, target, near) for _, q in found]
        found = [pose for pose in found
                 if pose.position <= ROUNDING and max(pose.up, pose.forward) <= allowed]
        return min(found, key=lambda pose: pose.step).q if found else None

    def _at_an_elevation(self, target, near):
        """Return joint positions with the last link where it is, or as near to it as can be."""
        solver, geometry, found = self._solver, self.geometry, []
        e, (_, _, shoulder, elbow, wrist, *_) = from_s0(
            geometry, target.position), geometry.canonical(near)
        present = shoulder + elbow + wrist
        for yaw in yaws(geometry, e, near):
            free = TargetPlane(geometry, e, yaw)
            for elevation in present, *elevation_ends(solver, free):
                turn = abs(remainder(elevation - present, tau))
                if turn > 3.0 * _LONGEST_STEP:
                    continue  # three joints have to turn so far
                for bend, q in joint_positions(solver, free.at(elevation), near, target):
                    turns_over = bend * elbow < -_AT_LIMIT
                    if _farthest(q if turns_over else q[:1], near) <= _LONGEST_STEP \
                            and solver.above_floor(q):
                        found.append(((turns_over, turn), q))
        return min(found, default=(None, None), key=lambda item: item[0])[1]

    def stopped(self):
        """Return ``(reason, limited_by, number)`` of what stops the arm on which leg."""
        number = self.flow.number(self.s[-1])
        leg, fraction = self.flow.legs[number], self.fraction(number)
        how_far = f'after {fraction * leg.length:.3f} m of {leg.length:.3f} m' \
            if leg.length > 1e-6 else f'after {100.0 * fraction:.0f} % of the turn'
        why, limited_by = self._cause(self.targets[number])
        return f'{why}; the line ends {how_far}', limited_by, number

    def _cause(self, target):
        solver, near = self._solver, self.q[-1]
        tolerances = ROUNDING, self._up_tolerance + ROUNDING
        ahead = self.flow.at(min(self._end, self.s[-1] + self._longest))
        branch = min(solver.solutions(ahead, near, *tolerances), default=None,
                     key=lambda solution: solution.step_rad)
        goal = solver.solve(target, near, 'nearest', 'position', *tolerances)
        if branch is not None and branch.reached and solver.above_floor(branch.q):
            at_limit = [limits.name for limits, position in zip(self.geometry.limits, near)
                        if min(position - limits.lower, limits.upper - position) < _AT_LIMIT]
            where = f'{" and ".join(at_limit)} at a limit: ' if at_limit else ''
            return (f'{where}the arm would have to jump by {branch.step_rad:.2f} rad to another '
                    'branch', tuple(at_limit))
        if branch is not None and not solver.above_floor(branch.q):
            return 'elbow, wrist or tip would go below the floor', ()
        # Of one cause, the goal's numbers say more.
        same = branch is None or set(branch.limited_by) <= set(goal.limited_by)
        worst = goal if same and not goal.reached else branch
        return ('there is no such pose', ()) if worst is None else (worst.reason, worst.limited_by)


def _farthest(a, b):
    return max([abs(x - y) for x, y in zip(a, b)])
