# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Three links in a plane whose tip rests on a target: where along that motion a joint turns back.

With the tip at a point the poses of the three links are curves. Along them each joint is farthest
inside, or least outside, its limits

* where another joint is at a limit, or the elbow straight or folded;
* where it turns back: the shoulder with forearm and last link in line, the elbow with the last
  link in line with the target, the wrist with the upper arm in line with it.
"""

from math import atan2, cos, pi, sin

from ..branch import Triangle
from ..closest.planar.reach import sum_of_pieces


def turning_points(planar, x, y):
    """
    Yield the poses with the tip at a target in which a joint can be least outside its limits.

    :param planar: :class:`~arm_ik.kinematics.closest.planar_reach.PlanarReach` of the arm.
    :param x: tip target from the shoulder [m].
    :param y: tip target from the shoulder [m].
    """
    yield from planar.extreme(x, y)
    towards = atan2(y, x)
    for direction in (towards, towards + pi):
        yield from planar.standing(x, y, direction)
        elbow_x, elbow_y = planar.l1 * cos(direction), planar.l1 * sin(direction)
        yield from _beyond_elbow(planar, x - elbow_x, y - elbow_y, direction)
    for wrist in (0.0, pi):
        length, turned = sum_of_pieces((planar.l2, 0.0), (planar.l3, wrist))
        first, second, angle, beyond = Triangle(planar.l1, length).solve(x, y)
        if not beyond:
            yield first, angle - turned, wrist
            yield second, -angle - turned, wrist


def _beyond_elbow(planar, x, y, shoulder):
    """Yield the poses with the shoulder at an angle [rad] and the tip (x, y) from the elbow."""
    backwards = pi if planar.l3 < 0.0 else 0.0
    first, second, angle, beyond = Triangle(planar.l2, abs(planar.l3)).solve(x, y)
    if not beyond:
        yield shoulder, first - shoulder, angle + backwards
        yield shoulder, second - shoulder, backwards - angle
