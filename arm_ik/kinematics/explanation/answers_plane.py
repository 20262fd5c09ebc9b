# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The arm plane that an answer is in, of those of its target, and the other bend there."""

from math import cos, hypot, remainder, sin
from typing import Any, NamedTuple, Tuple

from ..arm_plane import Plane
from ..branch import canonical_angles, placed
from ..limits import TURN
from ..tolerances import LIMIT_SLACK, POSITION_TOLERANCE, SAME, UP_TOLERANCE


class AnswersPlane(NamedTuple):
    """
    The plane of an answer.

    ``solver``: that the plane is of; ``other``: joint positions [rad] of the other bend, empty if
    there is none; ``elbow``: what to solve with to get it, ``'up'`` or ``'down'``; ``problem``:
    why it is outside limits or floor, in words, or empty.
    """

    solver: Any
    plane: Plane
    other: Tuple[float, ...]
    elbow: str
    problem: str


def plane_of_answer(solver, target, near, solution):
    """
    Return the :class:`AnswersPlane` of a solution.

    :param solver: of the arm.
    :param target: what was asked for.
    :param near: joint positions [rad] that it was solved from.
    :param solution: :class:`~arm_ik.kinematics.solution.Solution`; beyond reach, or at a limit,
        the plane is the nearest of the target's own.
    """
    held = solver.with_roll(solution.q[-1])
    yaw, roll, s, e, w, tilt, _ = held.geometry.whole.canonical(solution.q)
    x, y = [held.geometry.l1 * turn(s) + held.geometry.l2 * turn(s + e) for turn in (cos, sin)]
    own = Plane(yaw, roll, tilt, x, y, s + e + w + held.geometry.bend, solution.up_error_rad)
    found, plane = min(
        solver.branches(target, near), default=(held, own), key=lambda branch: sum([
            abs(remainder(getattr(branch[1], name) - getattr(own, name), TURN))
            for name in ('yaw', 'roll', 'tilt', 'elevation')]))
    if solution.position_error_m <= SAME < hypot(x - plane.x, y - plane.y):
        found, plane = held, own      # another member of a family
    branches, beyond = canonical_angles(found, plane, near)
    branch = branches[sin(e) > 0.0]
    if beyond or abs(sin(branch[2])) <= LIMIT_SLACK:
        return AnswersPlane(found, plane, (), '', '')
    inside, excess = placed(found, plane, branch, near, target)
    q = tuple(map(sum, zip(inside, excess)))
    problems = [f'{limit.name} past its limit' for limit, past in zip(
        found.geometry.limits, excess) if abs(past) > LIMIT_SLACK]
    elbow = 'up' if solver.elbow_up(q) > 0.0 else 'down'
    if not solver.above_floor(q):
        problems.append('below the floor')
    elif not problems:     # there may be a nearer one, with the base turned round
        q = solver.solve(target, near, elbow, 'position', POSITION_TOLERANCE, UP_TOLERANCE).q
    return AnswersPlane(found, plane, q, elbow, ', '.join(problems))
