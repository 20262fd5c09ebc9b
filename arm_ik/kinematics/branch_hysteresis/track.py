# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A path of targets, answered with as few changes of branch as possible.

Three kinds of poses are listed for each target: every exact branch; the best pose that continues
each pose of the previous target (:mod:`.hysteresis`); the best pose that continues each pose of
the next target, so that a branch is known before it becomes exact. Poses within the branch
tolerance of the best one are allowed. Of all paths through allowed poses the one is taken that
has, in this order,

1. the fewest jumps: steps that do not continue a branch;
2. the least sum of the sizes of the jumps (the largest step of a joint [rad]);
3. the least sum of excesses: what each pose misses beyond the best one, in units of the tolerance;
4. the least sum of all steps (the largest of a joint [rad]); without an up vector of their
   squares, for there a motion can be spread over many steps.

A step continues a branch if no joint moves more than ``JUMP`` plus ``STRETCH`` times as much as
the target: its distance in lengths of the arm plus the angle of its up vector. So the number of
jumps does not depend on the sampling, if the path is sampled densely. The step from the start
counts like all others.

*Without an up vector* an arm whose base only yaws holds a position at many elevations of the last
link: :func:`~arm_ik.kinematics.position_only.planes.every_pose` adds them. A rolling base or a
tilting wrist holds it in countless planes, too: there only what continues one pose of the target
before is listed, as if solved target by target. With a tip beside the roll axis the roll stays; if
that leaves jumps, :mod:`.crowd` lists poses with others.

The number of poses of a target does not depend on the length of the path, so time and memory
grow in proportion to it (the best path up to each pose is kept: dynamic programming).
"""

from math import dist

import numpy as np

from . import hysteresis
from .crowd import AllowedPose, crowded
from ..explanation.reason import elevation_missed, status_of
from ..forward import angle_between, tool
from ..limits import less_turns
from ..position_only.planes import every_pose
from ..ranking import measure
from ..solution import Status
from ..solver import brought_near
from ..target import Target
from ..tolerances import SAME, TIE

#: A step up to this [rad] is never a jump.
JUMP = 0.3

#: By how much the joints may move more than the target does.
STRETCH = 5.0

#: A pose with another one this near [rad] is not continued to it from the next target.
_NEAR = 0.1

#: Without an up vector poses this far apart [rad] are continued.
_APART = 1.0


def track(solver, targets, start, ranking, tolerances, elevation, branch_tolerance):
    """
    Return the answers to a path of targets, see :meth:`arm_ik.arm.Arm.track`.

    :param solver: :class:`~arm_ik.kinematics.solver.Solver` of the arm.
    :param targets: list of targets.
    :param start: joint positions [rad] the arm is at.
    :param ranking: :class:`~arm_ik.kinematics.ranking.Ranking` to compare poses by.
    :param tolerances: largest tip error [m] and angle [rad] that count as reached.
    :param elevation: preferred for the last link where no up vector is asked for [rad], or
        ``None``.
    :param branch_tolerance: by how much a pose may be worse than the best, [m] and [rad].
    :returns: list of :class:`~arm_ik.kinematics.solution.Solution`.
    """
    if not targets:
        return []
    nearer = [brought_near(target) for target in targets]
    bounds = _bounds(solver.geometry, nearer, start)
    powers = [2 if target.up is None else 1 for target in targets]
    search = PathSearch(solver, ranking, tolerances, elevation, branch_tolerance)
    listed, allowed = search.listed(nearer, start)
    chosen = best_path(allowed, start, bounds, powers)
    if _jumps(chosen, start, bounds) and solver.geometry.beside and elevation is None and all(
            target.up is None and target.forward is None for target in targets):
        # Any roll may do for positions alone.
        allowed = crowded(solver.geometry, nearer, start, bounds, allowed, search.is_allowed)
        chosen = min(chosen, best_path(allowed, start, bounds, powers),
                     key=lambda path: _jumps(path, start, bounds))
    answers, near = [], start
    for target, near_by, poses, pose in zip(targets, nearer, listed, chosen):
        answers.append(search.answer(target, near_by, poses, pose, near))
        near = answers[-1].q
    return answers


def _jumps(path, start, bounds):
    """Return how many steps of a path of poses do not continue a branch."""
    return sum([_step(one, pose.q) > bound for one, pose, bound in zip(
        [start, *[pose.q for pose in path]], path, bounds)])


class PathSearch:
    """Lists the poses of each target of a path."""

    def __init__(self, solver, ranking, tolerances, elevation, branch_tolerance):
        self.solver, self.ranking, self.tolerances = solver, ranking, tolerances
        self.elevation, self.branch_tolerance = elevation, branch_tolerance

    def listed(self, targets, start):
        """Return for each target its measured poses, and the :class:`AllowedPose` of each."""
        listed = self.forwards(targets, start)
        self.backwards(targets, listed)
        return listed, [self.allowed(self._with_same_tips(poses, target))
                        for poses, target in zip(listed, targets)]

    def forwards(self, targets, start):
        """Return for each target its exact branches and what continues the target before."""
        listed, before = [], [start]
        for target in targets:
            poses, is_free = [], target.up is None
            if not self._is_alone(target):
                for near in before if is_free else before[:1]:
                    for _, q in self.solver.exact(target, near, self.elevation)[0]:
                        self._add(poses, q, target, near)
            if not (poses and is_free):
                for near in before:
                    self._add_continued(poses, target, near)
            listed.append(poses)
            before = self._to_continue(poses, target)
        return listed

    def backwards(self, targets, listed):
        """Add to the poses of each target what continues the target after."""
        for i in range(len(targets) - 2, -1, -1):
            is_reached = listed[i][0].position <= TIE
            if self._is_alone(targets[i]) or targets[i].up is None and is_reached:
                continue
            known = [pose.q for pose in listed[i]]
            for after in self._to_continue(listed[i + 1], targets[i + 1], known):
                self._add_continued(listed[i], targets[i], after)

    def _with_same_tips(self, poses, target):
        """Return poses, and others with the same tips where any elevation will do."""
        geometry, tips, more = self.solver.geometry, [], []
        if geometry.upright and target.up is None and self.elevation is None:
            nears = [pose.q for pose in poses]
            for q in nears:
                tip = tool(geometry, q)[0]
                if all(dist(tip, other) > SAME for other in tips):
                    tips.append(tip)
                    more += every_pose(self.solver.with_roll(nears[0][-1]),
                                       Target.of_unit_vectors(tip, None, target.forward), nears)
        return poses + [measure(geometry, q, target, poses[0].q) for q in more]

    def is_allowed(self, q):
        """Return whether joint positions [rad] are above the floor, the elbow as wanted."""
        return self.solver.above_floor(q) and not self.ranking.has_wrong_elbow(q)

    def allowed(self, candidates):
        """Return of measured poses the :class:`AllowedPose` of each that may be taken."""
        candidates = [c for c in candidates if not self.ranking.has_wrong_elbow(c.q)] or candidates
        best = self.ranking.best(candidates)
        return [AllowedPose(c.q, self._excess(c, best)) for c in candidates
                if hysteresis.is_within_tolerance(c, best, self.branch_tolerance)]

    def _excess(self, candidate, best):
        """Return how much more a pose misses than the best, in tolerances."""
        missed = (candidate.position - best.position,
                  max(candidate.up - best.up, candidate.forward - best.forward))
        return sum([more / max(limit, TIE) for more, limit in zip(missed, self.branch_tolerance)
                    if more > TIE])

    def answer(self, target, nearer, poses, chosen, near):
        """Return the verdict on the pose chosen for a target, itself or brought nearer."""
        solver, ranking = self.solver, self.ranking
        measured, words, planes = measure(solver.geometry, chosen.q, nearer, near), '', []
        if chosen.excess:
            best = ranking.best([measure(solver.geometry, c.q, nearer, near) for c in poses])
            words = hysteresis.cost_of_keeping(measured, best)
        if status_of(measured, *self.tolerances) is not Status.REACHED:
            _, planes = solver.exact(nearer, near, self.elevation)
        words = words or elevation_missed(
            solver, measured, target, self.elevation, self.tolerances)
        solution = solver.verdict(measured, planes, nearer, near, ranking, self.tolerances, words)
        return solution if nearer is target else solver.verdict_far(solution, target)

    def _add_continued(self, poses, target, near):
        """Add the optimum as seen from near, and what keeps the branch if it does not."""
        ranking, tolerance = self.ranking, self.branch_tolerance
        if ranking.elbow_is_wanted is None:
            solution = self.solver.solve_fast(target, near, *self.tolerances, tolerance)
            if solution is not None:
                self._add(poses, solution.q, target, near)
                return
        best, exact, _ = self.solver.optimum(target, near, ranking, self.elevation)
        kept, _ = hysteresis.keep_branch(
            self.solver, best, exact, target, near, ranking, self.elevation, tolerance)
        self._add(poses, kept.q, target, near)
        if not self._is_alone(target):
            self._add(poses, best.q, target, near)

    def _is_alone(self, target):
        """Return whether a target is answered only by what continues the one before."""
        return target.up is None and not self.solver.geometry.upright

    def _to_continue(self, poses, target, known=()):
        """
        Return the joint positions [rad] of a target's poses that its neighbour is to continue.

        :param known: positions of the neighbour, which need no pose near to them.
        """
        found = [pose.q for pose in self.allowed(poses)
                 if all(_step(pose.q, q) > _NEAR for q in known)]
        if target.up is not None:
            return found
        # Each elevation, and each plane, would go on as a branch of its own.
        apart = found[:1]
        for q in [] if self._is_alone(target) else found:
            if all(_step(q, other) > _APART for other in apart):
                apart.append(q)
        return apart

    def _add(self, poses, q, target, near):
        if all(_step(q, pose.q) > SAME for pose in poses):
            poses.append(measure(self.solver.geometry, q, target, near))


def _bounds(geometry, targets, start):
    """Return for each target the largest step that continues a branch [rad]."""
    reach = geometry.l1 + geometry.l2 + geometry.l3
    position, up, _, _ = tool(geometry, less_turns(start))
    bounds = []
    for target in targets:
        turned = 0.0 if target.up is None or up is None else angle_between(up, target.up)
        bounds.append(JUMP + STRETCH * (dist(position, target.position) / reach + turned))
        position, up = target.position, target.up
    return bounds


def best_path(allowed, start, bounds, powers):
    """
    Return of each target's allowed poses the one on the best path through all.

    :param allowed: list of lists of :class:`AllowedPose`.
    :param start: joint positions [rad] before the first target.
    :param bounds: for each target the largest step to it that is no jump [rad].
    :param powers: for each target the power of the step to it that is summed.
    """
    best, before, costs = [], np.array([start]), np.zeros((4, 1))
    for poses, bound, power in zip(allowed, bounds, powers):
        q = np.array([pose.q for pose in poses])
        excess = np.array([[pose.excess] for pose in poses])
        steps = np.abs(q[:, None] - before).max(axis=2)
        jumps = steps > bound
        costs = np.array([costs[0] + jumps, costs[1] + jumps * steps, costs[2] + excess,
                          costs[3] + steps ** power])
        best.append(_least(costs))
        before, costs = q, costs[:, np.arange(len(q)), best[-1]]
    number, chosen = _least(costs), []
    for poses, best_before in zip(reversed(allowed), reversed(best)):
        chosen.append(poses[number])
        number = best_before[number]
    return chosen[::-1]


def _least(costs):
    """Return where along the last axis costs are least, the first of them before the second."""
    possible = True
    for cost in costs:
        cost = np.where(possible, cost, np.inf)
        possible = cost <= cost.min(axis=-1, keepdims=True)
    return possible.argmax(axis=-1)


def _step(a, b):
    return max([abs(x - y) for x, y in zip(a, b)])
