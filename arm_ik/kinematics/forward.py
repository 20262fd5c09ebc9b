# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Forward kinematics: from joint readings to the tip, the up vector and ``tool0``.

With yaw and roll of the base, ``f`` forward, ``n`` left normal and ``h`` upward side of the arm plane
(``h = f x n``, right-handed) are::

    f = (cos yaw, sin yaw, 0)
    n = (-sin yaw cos roll, cos yaw cos roll, sin roll)
    h = (sin yaw sin roll, -cos yaw sin roll, cos roll)

The links stand at ``a1 = shoulder``, ``a2 = a1 + elbow``, ``a3 = a2 + wrist`` above f. Before a tilt
the last link points along ``c = cos a3 f + sin a3 h`` with ``g = -sin a3 f + cos a3 h`` above it; a tilt
t about g turns it to the left::

    up = cos t c + sin t n            left = -sin t c + cos t n

``tool0`` has z = up; with the wrist roll r about it, x = cos r (-g) + sin r left.
"""

from math import atan2, cos, hypot, sin, sqrt
from typing import NamedTuple

from .limits import JointLimits
from .model import ROLES


class Geometry:
    """
    The numbers of an arm as plain floats, for the scalar path.

    ``index[role]`` is the position of a role in a joint vector, ``None`` if the arm lacks it.
    """

    def __init__(self, model):
        self.model = model
        self.base_x, self.base_y = float(model.base_x), float(model.base_y)
        self.base_height = float(model.base_height)
        self.shoulder_offset, self.lateral = float(model.shoulder_offset), float(model.lateral)
        self.l1, self.l2, self.l3 = (
            float(model.upper_arm), float(model.forearm), float(model.hand))
        self.limits = tuple(JointLimits(joint) for joint in model.joints)
        self.roles = model.roles
        self.index = {role: self.roles.index(role) if role in self.roles else None
                      for role in ROLES}
        self.has_roll = 'roll' in self.roles
        self.has_tilt = 'wrist_tilt' in self.roles
        self.has_wrist_roll = 'wrist_roll' in self.roles
        self.home = tuple(float(reading) for reading in model.home)
        self.floor = model.floor_height

    def canonical(self, q):
        """Return the seven canonical angles [rad] in the order of ROLES, 0.0 for absent roles."""
        angles = dict.fromkeys(ROLES, 0.0)
        for role, limits, reading in zip(self.roles, self.limits, q):
            angles[role] = limits.canonical(reading)
        return tuple(angles.values())


class Frames(NamedTuple):
    """Where the arm is, in ``base_link``: points [m] and unit vectors as tuples of three floats."""

    elbow: tuple
    wrist: tuple
    tip: tuple
    up: tuple
    forward: tuple
    left: tuple


def frames(geometry, q):
    """
    Return points and directions of the arm at joint readings.

    :param geometry: of the arm.
    :param q: joint readings [rad], base to tip.
    :returns: elbow, wrist and tip, and ``tool0``'s z, x and y axes.
    """
    yaw, roll, shoulder, elbow, wrist, tilt, wrist_roll = geometry.canonical(q)
    cy, sy, cr, sr = cos(yaw), sin(yaw), cos(roll), sin(roll)
    f = (cy, sy, 0.0)
    n = (-sy * cr, cy * cr, sr)
    h = (sy * sr, -cy * sr, cr)
    a2 = shoulder + elbow
    a3 = a2 + wrist
    r1 = geometry.shoulder_offset + geometry.l1 * cos(shoulder)
    z1 = geometry.l1 * sin(shoulder)
    r2 = r1 + geometry.l2 * cos(a2)
    z2 = z1 + geometry.l2 * sin(a2)
    lateral = geometry.lateral
    origin = (geometry.base_x, geometry.base_y, geometry.base_height)
    elbow_at = tuple([o + r1 * a + z1 * b + lateral * c for o, a, b, c in zip(origin, f, h, n)])
    wrist_at = tuple([o + r2 * a + z2 * b + lateral * c for o, a, b, c in zip(origin, f, h, n)])
    c3, s3, ct, st = cos(a3), sin(a3), cos(tilt), sin(tilt)
    cw, sw = cos(wrist_roll), sin(wrist_roll)
    up, forward, left = [], [], []
    for fi, hi, ni in zip(f, h, n):
        along, above = c3 * fi + s3 * hi, c3 * hi - s3 * fi
        aside = ct * ni - st * along
        up.append(ct * along + st * ni)
        forward.append(sw * aside - cw * above)
        left.append(cw * aside + sw * above)
    tip = tuple([p + geometry.l3 * d for p, d in zip(wrist_at, up)])
    return Frames(elbow_at, wrist_at, tip, tuple(up), tuple(forward), tuple(left))


def angle_between(a, b):
    """Return the angle between two vectors [rad], exact for small and for large angles."""
    ax, ay, az = a
    bx, by, bz = b
    cross = sqrt((ay * bz - az * by) ** 2 + (az * bx - ax * bz) ** 2 + (ax * by - ay * bx) ** 2)
    return atan2(cross, ax * bx + ay * by + az * bz)


def residuals(at, target):
    """
    Return how far an arm is from a target.

    :param at: :class:`Frames` of the arm.
    :param target: :class:`~arm_ik.kinematics.target.Target`.
    :returns: ``(position error [m], up error [rad], forward error [rad])``; the forward error is the
        turn about the real up vector that would bring ``tool0``'s x onto the wanted forward vector.
    """
    (x, y, z), (tx, ty, tz) = target.position, at.tip
    position = hypot(x - tx, y - ty, z - tz)
    up = 0.0 if target.up is None else angle_between(at.up, target.up)
    forward = 0.0
    if target.forward is not None:
        fx, fy, fz = target.forward
        (ax, ay, az), (bx, by, bz) = at.forward, at.left
        forward = abs(atan2(fx * bx + fy * by + fz * bz, fx * ax + fy * ay + fz * az))
    return position, up, forward
