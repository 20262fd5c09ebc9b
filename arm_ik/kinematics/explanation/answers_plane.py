# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The arm plane that an answer is in, of those of its target, and the other bend there."""

from math import cos, hypot, remainder, sin
from typing import Any, NamedTuple, Tuple

from ..arm_plane import from_s0, Plane, yawed
from ..branch import nearest_positions, unlimited
from ..limits import TURN
from ..tolerances import LIMIT_SLACK, POSITION_TOLERANCE, SAME, TIE, UP_TOLERANCE


class AnswersPlane(NamedTuple):
    """
    The plane of an answer.

    ``solver``: that the plane is of; ``other``: joint positions [rad] of the other bend, empty if
    there is none; ``elbow``: what to solve with to get it, ``'up'`` or ``'down'``; ``problem``:
    why the solver does not take it, in words, or empty.
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
        the plane is the nearest of the target's own, or without any that of the answer.
    """
    held = solver.with_roll(solution.q[-1])
    yaw, roll, s, e, w, tilt, _ = held.geometry.whole.canonical(solution.q)
    x, y = [held.geometry.l1 * turn(s) + held.geometry.l2 * turn(s + e) for turn in (cos, sin)]
    own = none = Plane(yaw, roll, tilt, x, y, s + e + w + held.geometry.bend,
                       solution.up_error_rad)
    if held.geometry.upright and held.geometry.has_wrist and target.up is not None:
        none = yawed(held.geometry, yaw, from_s0(held.geometry, target.position), target.up)
    found, plane = min(
        planes := solver.branches(target, near), default=(held, none), key=lambda branch: sum([
            abs(remainder(getattr(branch[1], name) - getattr(own, name), TURN))
            for name in ('yaw', 'roll', 'tilt', 'elevation')]))
    if max(solution.position_error_m, solution.up_error_rad - plane.miss) <= TIE and hypot(
            x - plane.x, y - plane.y) > SAME:
        found, plane = held, own      # another member of a family
    inside, excess, beyond = nearest_positions(
        found, plane, -1.0 if sin(e) > 0.0 else 1.0, near, target)
    q = unlimited(inside, excess)
    if beyond or not planes or abs(sin(found.geometry.canonical(q)[3])) <= LIMIT_SLACK:
        return AnswersPlane(found, plane, (), '', '')
    problems = [f'{limit.name} past its limit' for limit, past in zip(
        found.geometry.limits, excess) if abs(past) > LIMIT_SLACK]
    elbow = 'up' if solver.elbow_up(q) > 0.0 else 'down'
    if not solver.above_floor(q):
        problems.append('below the floor')
    elif not problems:     # there may be a nearer one, with the base turned round
        asked = solver.solve(target, near, elbow, 'position', POSITION_TOLERANCE, UP_TOLERANCE).q
        if (solver.elbow_up(asked) > 0.0) is (elbow == 'up'):
            q = asked
        else:
            problems.append('farther from the up vector')
    return AnswersPlane(found, plane, q, elbow, ', '.join(problems))
