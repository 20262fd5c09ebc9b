# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The joint limits that prevent an exact pose, found from the exact pose least outside them.

With an up vector these are the branches of the arm planes. Without one there are countless: of
those only what a free yaw would do is looked at.
"""

from typing import NamedTuple, Tuple

from ..branch import canonical_angles, chain, placed
from ..tolerances import AS_GOOD, LIMIT_SLACK


class Violation(NamedTuple):
    """
    By how much an exact pose violates reach and joint limits.

    ``miss``: the angle between the up vector and its plane [rad]; ``beyond``: how far the wrist is
    out of reach [m], positive too far, negative too close; ``excess``: how far each position would
    be past a limit [rad], signed, base to tip.
    """

    miss: float
    beyond: float
    excess: Tuple[float, ...]


def of_branch(solver, plane, bend, near):
    """Return the violation of one branch of a plane."""
    branches, beyond = canonical_angles(solver, plane, near)
    return _violation(solver, plane, branches[0] if bend > 0.0 else branches[1], beyond, near)


def of_yaw(solver, target, near):
    """Return by how much the yaw would have to turn past its limits if that alone would do."""
    geometry = solver.geometry
    if not geometry.upright:
        return None
    found, _ = solver.turning_round.exact(target, near)
    past = [geometry.limits[0].excess(plane.yaw) for plane, _ in found]
    return Violation(0.0, 0.0, (min(past, key=abs),)) if past else None


def _violation(solver, plane, branch, beyond, near):
    """Return the violation of a branch as :func:`..branch.canonical_angles` returns it."""
    return Violation(plane.miss, beyond, placed(solver, plane, branch, near, None)[1])


def least_of_planes(solver, planes, near, q):
    """
    Return the violation of the exact branch least outside reach and limits, or ``None``.

    Branches that the answer's joints at limits explain go first.

    :param planes: list of :class:`~arm_ik.kinematics.arm_plane.Plane`.
    :param near: joint positions [rad] that positions are counted from.
    :param q: the answer.
    """
    geometry, best, best_cost = solver.geometry, None, None
    miss = min([plane.miss for plane in planes], default=0.0) + AS_GOOD
    for plane in planes:
        if plane.miss > miss:
            continue
        branches, beyond = canonical_angles(solver, plane, near)
        for branch in branches:
            if geometry.floor is not None \
                    and not _branch_clears_floor(solver, plane, branch, near):
                continue
            found = _violation(solver, plane, branch, beyond, near)
            unexplained = any(abs(past) > LIMIT_SLACK and not is_at(limits, position, past)
                              for limits, position, past in zip(geometry.limits, q, found.excess))
            # Rounding of one cost must not decide before the next cost is compared.
            cost = round(abs(beyond), 9), unexplained, max(map(abs, found.excess))
            if best is None or cost < best_cost:
                best, best_cost = found, cost
    return best


def _branch_clears_floor(solver, plane, branch, near):
    """Return whether a branch would be above the floor if its positions were allowed."""
    geometry = solver.geometry
    q = [limits.unwrap(angle, at) for limits, angle, at in zip(
        geometry.limits, chain(geometry, plane, *branch[1:]), near)]
    return solver.above_floor((*q, *near[len(q):]))


def side_of(limits, position):
    """Return 'lower', 'upper' or '' for a position at a limit or not."""
    if position <= limits.lower + LIMIT_SLACK:
        return 'lower'
    return 'upper' if position >= limits.upper - LIMIT_SLACK else ''


def is_at(limits, position, past):
    """Return whether a position is at the limit that another would be past by ``past`` [rad]."""
    return abs(position - (limits.upper if past > 0.0 else limits.lower)) <= LIMIT_SLACK
