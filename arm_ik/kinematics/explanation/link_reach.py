# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
How far a tip target is out of the reach of the links, joint limits aside.

The stretched arm reaches as far as the sum of its links. The folded arm reaches no nearer than the
longest link minus the others. The shoulder moves on a circle around the yaw axis,
``shoulder_offset`` ahead and ``lateral`` beside it, so the nearest and the farthest point of this
circle count.
"""

from math import atan2, cos, hypot, inf, pi, sin

from ..family_search import golden_section
from ..tolerances import SAME


def beyond_links(geometry, target, miss):
    """
    Return ``('too far by', by [m])`` of links without limits, ``('', 0.0)`` within their reach.

    :param geometry: of the arm.
    :param target: what is asked for.
    :param miss: the measured distance of the answer [m], an upper bound of the value returned.
    """
    rho = hypot(target.position[0] - geometry.base_x, target.position[1] - geometry.base_y)
    above = target.position[2] - geometry.base_height
    short = abs(geometry.lateral) - rho
    reach = geometry.l1 + geometry.l2 + geometry.l3
    inner = max(0.0, 2.0 * max(geometry.l1, geometry.l2, geometry.l3) - reach)
    nearest, farthest = _shoulder_distances(geometry, rho, above)
    words, gap = '', 0.0
    if nearest > reach:
        words, gap = 'too far by', _gap(geometry, rho, above, reach, nearest - reach, -1)
    elif farthest < inner:
        words, gap = 'too close by', _gap(geometry, rho, above, inner, inner - farthest, 1)
    if gap > 0.0:
        return words, min(miss, gap)
    if not geometry.has_tilt and short > SAME:
        return 'too close to the yaw axis by', short
    return '', 0.0


def _shoulder_distances(geometry, rho, above):
    """Return the least and the largest distance of the tip target from the shoulder [m]."""
    offset = abs(geometry.shoulder_offset)
    r = max(0.0, rho * rho - geometry.lateral ** 2) ** 0.5
    return hypot(r - offset, above), hypot(r + offset, above)


def _gap(geometry, rho, above, radius, gap, side):
    """
    Return how far the tip target is from what a stretched or folded arm reaches [m].

    Below zero a tilted hand reaches it from a wrist beside the target's own plane.

    :param radius: from the shoulder to the tip [m].
    :param gap: the same in the plane that contains the target [m].
    :param side: -1 for a target beyond that radius, 1 for one within it.
    """
    if geometry.lateral ** 2 <= SAME * rho:
        return gap
    # Beside the axis, the plane that contains the target is not the one that gets nearest to it.
    r = max(0.0, rho * rho - geometry.lateral ** 2) ** 0.5
    offset, lateral = geometry.shoulder_offset, geometry.lateral
    # A tilting hand can point in any direction; a long one has to start from far enough away.
    hand = geometry.l3 if geometry.has_tilt else 0.0
    in_plane, far_side = radius + side * hand, side > 0 and hand > geometry.l1 + geometry.l2
    if far_side:
        in_plane, rho = geometry.l1 + geometry.l2, -rho

    def distance(angle):
        ahead = hypot(offset + in_plane * cos(angle), lateral)
        short = hypot(ahead - rho, above - in_plane * sin(angle)) - hand
        return -short if far_side else short

    towards = [atan2(above, ahead - offset) + (pi if far_side else 0.0) for ahead in (r, -r)]
    if abs(rho) < abs(lateral):
        # No arm plane contains it.
        gap = inf
    return min([gap] + [golden_section(distance, a - 1.0, a + 1.0)[0] for a in towards])
