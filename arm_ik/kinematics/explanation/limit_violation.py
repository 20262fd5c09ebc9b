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

from itertools import product
from typing import NamedTuple, Tuple

from ..branch import BENDS, nearest_positions, unlimited
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


def of_yaw(solver, target, near):
    """Return by how much the yaw would have to turn past its limits if that alone would do."""
    geometry = solver.geometry
    if not geometry.upright:
        return None
    found, _ = solver.turning_round.exact(target, near)
    past = [geometry.limits[0].placed(plane.yaw, near[0])[1] for plane, _ in found]
    return Violation(0.0, 0.0, (min(past, key=abs),)) if past else None


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
    for plane, bend in product([plane for plane in planes if plane.miss <= miss], BENDS):
        inside, excess, beyond = nearest_positions(solver, plane, bend, near, None)
        if not solver.above_floor(unlimited(inside, excess)):
            continue
        unexplained = any(abs(past) > LIMIT_SLACK and not is_at(limits, position, past)
                          for limits, position, past in zip(geometry.limits, q, excess))
        # Rounding of one cost must not decide before the next cost is compared.
        cost = round(abs(beyond), 9), unexplained, max(map(abs, excess))
        if best is None or cost < best_cost:
            best, best_cost = Violation(plane.miss, beyond, excess), cost
    return best


def side_of(limits, position):
    """Return 'lower', 'upper' or '' for a position at a limit or not."""
    if position <= limits.lower + LIMIT_SLACK:
        return 'lower'
    return 'upper' if position >= limits.upper - LIMIT_SLACK else ''


def is_at(limits, position, past):
    """Return whether a position is at the limit that another would be past by ``past`` [rad]."""
    return abs(position - (limits.upper if past > 0.0 else limits.lower)) <= LIMIT_SLACK
