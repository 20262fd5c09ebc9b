# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Vectors of three: floats, or columns of numpy where no function of :mod:`math` is called."""

from math import atan2, cos, hypot, sin

#: Unit vectors whose dot product is so near to -1 are opposite.
OPPOSITE = 1e-9


def dot(a, b):
    """Return the dot product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    """Return the cross product of two vectors."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def across(a, b):
    """Return the part of a that is perpendicular to the unit vector b."""
    along = dot(a, b)
    return a[0] - along * b[0], a[1] - along * b[1], a[2] - along * b[2]


def unit(a):
    """Return a vector normalised; it must not be zero."""
    length = hypot(*a)
    return a[0] / length, a[1] / length, a[2] / length


def angle_between(a, b):
    """Return the angle between two vectors [rad], exact for small and for large angles."""
    return atan2(hypot(*cross(a, b)), dot(a, b))


def carried(vector, start, end):
    """
    Return a vector turned by the smallest rotation from a unit vector to another.

    It stays as it is where they are opposite: no rotation is the smallest there.

    :param vector: three floats or columns, as are the others.
    """
    axis, least = cross(start, end), 1.0 + dot(start, end)
    once = cross(axis, vector)
    # The factor, for columns have both cases at once; where it is 0 no division is by almost 0.
    is_known = least >= OPPOSITE
    twice, part = cross(axis, once), is_known / (least + (least < OPPOSITE))
    return tuple([v + is_known * a + part * b for v, a, b in zip(vector, once, twice)])


def turned(vector, axis, angle):
    """Return a vector turned about a unit axis by an angle [rad]."""
    if angle == 0.0:
        return vector
    c, s, along = cos(angle), sin(angle), (1.0 - cos(angle)) * dot(vector, axis)
    return tuple([c * v + s * w + along * a for v, w, a in zip(vector, cross(axis, vector), axis)])
