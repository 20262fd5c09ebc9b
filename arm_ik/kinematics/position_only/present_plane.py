# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The arm plane turned as little as it takes to hold a target, for targets without an up vector.

With a rolling base or a tilting wrist many planes hold the target. Where the arm is straight, the
one that keeps the last link's direction best changes by any angle for nothing; the arm plane of
the present pose, turned to the target, is always near:

* *rolling base*: its normal without the part along the target, ``n - (n.e) e / e.e``, made unit;
* *tilting wrist*: the tilt stays, the yaw turns to the target.
"""

from math import atan2, cos, hypot, pi, remainder, sin

from . import elevation as free_up
from ..arm_plane import across, DEGENERATE, in_plane, unit, yaws_towards


def planes(solver, e, near):
    """
    Return planes through a target as near to that of near as there is.

    :param solver: of an arm with a rolling base or a tilting wrist.
    :param e: tip target from S0 [m].
    :param near: readings [rad].
    :returns: list of :class:`~arm_ik.kinematics.arm_plane.Plane`, the last link in each as near to
        its present elevation as it can be.
    """
    geometry = solver.geometry
    yaw, roll, shoulder, elbow, wrist, tilt, _ = geometry.canonical(near)
    found = []
    for yaw, roll, tilt in _bases(geometry, e, yaw, roll, tilt):
        along, above = in_plane(e, yaw, roll)
        free = free_up.FreePlane(
            geometry, yaw, roll, tilt, along - geometry.shoulder_offset, above)
        found += free_up.nearest(solver, near, free, shoulder + elbow + wrist)
    return found


def _bases(geometry, e, yaw, roll, tilt):
    if geometry.has_tilt:
        beside = geometry.lateral + geometry.l3 * sin(tilt)
        if hypot(e[0], e[1]) <= DEGENERATE:
            return [(yaw, roll, tilt)] if abs(beside) <= DEGENERATE else []
        return [(turned, 0.0, tilt) for turned in yaws_towards(beside, e[0], e[1])
                if abs(remainder(turned - yaw, 2.0 * pi)) <= 0.5 * pi]
    if hypot(*e) <= DEGENERATE:
        return [(yaw, roll, tilt)]
    n = across((-sin(yaw) * cos(roll), cos(yaw) * cos(roll), sin(roll)), unit(e))
    if hypot(*n) <= DEGENERATE:
        return []
    x, y, z = n
    found = [(atan2(-x, y), atan2(z, hypot(x, y)), tilt),
             (atan2(x, -y), atan2(z, -hypot(x, y)), tilt)]
    return [base for base in found if abs(remainder(base[0] - yaw, 2.0 * pi)) <= 0.5 * pi]
