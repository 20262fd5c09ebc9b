# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The source article's three-link recipe, kept to show where it misses. Not used to move arms.

The article aims the wrist in the vertical plane first and rolls the base afterwards::

    p = e - hand u,  yaw = atan2(p_y, p_x),  d = |p|,  theta_e = elevation of p
    theta_a = acos((d^2 + l1^2 - l2^2) / (2 d l2)),  shoulder = theta_e - theta_a
    theta_b = acos((l1^2 + l2^2 - d^2) / (2 l1 l2)), elbow = pi - theta_b
    wrist: the last link along u's part in the vertical plane
    beta = atan2(u.up, u.left) in the yawed base; roll the base by beta about forward

Three things are wrong with it. The law of cosines for the angle at the origin divides by
``2 d l1``. Beta is measured from the left axis, although at roll zero the plane is upright: it is
90 deg off. And the roll moves the wrist away from its target, because the wrist is not on the roll
axis. ``repaired`` corrects the first two and takes the wrist angle after the roll. The up vector
is then exact, but the tip is exact only if u is in the vertical plane already, or the wrist is
level with the shoulder. Choosing the plane first (:mod:`.arm_plane`) is what makes the reduction
exact.

Source: "Three Link Inverse Kinematics" (devlog article).
"""

from collections.abc import Iterable
from math import acos, atan2, cos, hypot, pi, sin
from typing import NamedTuple

from .target import Target, unit_vector
from ..errors import InvalidInputError


class RecipeAngles(NamedTuple):
    """Canonical angles [rad] of an arm with a rolling base."""

    yaw: float
    roll: float
    shoulder: float
    elbow: float
    wrist: float


def solve_recipe(upper_arm: float, forearm: float, hand: float, position: Iterable[float],
                 up: Iterable[float], repaired: bool = False) -> RecipeAngles:
    """
    Return the angles that the article's recipe gives; forward kinematics shows where they lead.

    :param upper_arm: length [m], above zero.
    :param forearm: length [m], above zero.
    :param hand: length [m], above zero.
    :param position: tip target from the shoulder [m], x forward, y left, z up.
    :param up: vector along the last link, not zero.
    :param repaired: correct the law of cosines and beta, and take the wrist angle after the roll.
    :returns: :class:`RecipeAngles`; cosines out of their range are clamped.
    :raises InvalidInputError: for bad numbers, or a wrist target at the shoulder.
    """
    for what, length in (('upper_arm', upper_arm), ('forearm', forearm), ('hand', hand)):
        if not 0.0 < length < float('inf'):
            raise InvalidInputError(what, length, 'a finite length [m] above zero')
    (ux, uy, uz), e = unit_vector('target up vector', up), Target(position).position
    px, py, pz = e[0] - hand * ux, e[1] - hand * uy, e[2] - hand * uz
    d = hypot(px, py, pz)
    if d == 0.0:
        raise InvalidInputError('position', position, 'a wrist target off the shoulder')
    yaw = atan2(py, px)
    divisor = 2.0 * d * (upper_arm if repaired else forearm)
    theta_a = _acos((d * d + upper_arm ** 2 - forearm ** 2) / divisor)
    theta_b = _acos((upper_arm ** 2 + forearm ** 2 - d * d) / (2.0 * upper_arm * forearm))
    shoulder, elbow = atan2(pz, hypot(px, py)) - theta_a, pi - theta_b
    forward, left = ux * cos(yaw) + uy * sin(yaw), uy * cos(yaw) - ux * sin(yaw)
    if repaired:
        # The base may roll to either side; the article calls the smaller turn natural.
        roll = atan2(-left, uz) if uz >= 0.0 else atan2(left, -uz)
        above = uz * cos(roll) - left * sin(roll)
    else:
        roll, above = atan2(uz, left), uz
    return RecipeAngles(yaw, roll, shoulder, elbow, atan2(above, forward) - shoulder - elbow)


def _acos(cosine: float) -> float:
    return acos(max(-1.0, min(1.0, cosine)))
