# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Distances of segments from boxes and cylinders, and from each other, as arrays.

On a segment a + s d the distance from a convex set is convex in s, and the gradient of half its
square, g(s) = e(s) . d with e the vector from the nearest point of the set, never falls. So its
zero is enclosed ever more narrowly, and the tangents of the distance at both ends bound it from
below.
"""

import numpy as np

#: Used for zero in divisions.
_TINY = 1e-300

#: Where a segment is looked at, and how far apart.
_AT, _STEP = np.linspace(0.0, 1.0, 65, retstep=True)


def outside(points, half, is_round):
    """
    Return the vectors to points from the nearest points of boxes and cylinders.

    :param points: [m], in the frame of the shape, shape (..., 3).
    :param half: halves of the edges [m], of a cylinder (radius, radius, half its length).
    :param is_round: whether it is a cylinder along z, shape (...).
    """
    found = points - np.clip(points, -half, half)
    if is_round.any():
        flat = points[..., :2]
        out = np.maximum(length(flat), _TINY)[..., None]
        found[..., :2] = np.where(is_round[..., None], flat * np.maximum(
            1.0 - half[..., :1] / out, 0.0), found[..., :2])
    return found


def from_shapes(begin, end, half, is_round):
    """
    Return lower bounds of the distances of segments from shapes, exact but for 0.1 mm.

    Parameters are those of :func:`outside`, for each segment from its begin to its end.
    """
    span, rows = end - begin, np.arange(len(begin))[:, None]
    vectors = outside(begin[:, None] + _AT[:, None] * span[:, None], half[:, None],
                      is_round[:, None])
    slope = np.matmul(vectors, span[:, :, None])[..., 0]
    after = np.clip((slope < 0.0).sum(axis=1), 1, len(_AT) - 1)
    ends = np.stack([after - 1, after], axis=1)
    far = length(vectors[rows, ends])
    slopes = slope[rows, ends] / np.maximum(far, _TINY)
    # Where the tangents meet; a slope that points outwards has its minimum at the end itself.
    down, up = np.minimum(slopes[:, 0], 0.0), np.maximum(slopes[:, 1], 0.0)
    at = (far[:, 1] - far[:, 0] - up * _STEP) / np.minimum(down - up, -_TINY)
    return np.maximum(np.where(
        slopes[:, 1] <= 0.0, far[:, 1], far[:, 0] + down * np.clip(at, 0.0, _STEP)), 0.0)


def apart(begin, span, other_begin, other):
    """Return the distances of segments, given by one end and the vector on, from others."""
    between = begin - other_begin
    a, e = np.maximum(_dot(span, span), _TINY), np.maximum(_dot(other, other), _TINY)
    b, c, f = _dot(span, other), _dot(span, between), _dot(other, between)
    # On the lines, of parallel ones anywhere; then on the segments, each with the other one free.
    s = ((b * f - c * e) / np.maximum(a * e - b * b, _TINY)).clip(0.0, 1.0)
    t = ((b * s + f) / e).clip(0.0, 1.0)
    s = ((b * t - c) / a).clip(0.0, 1.0)
    return length(between + s[..., None] * span - t[..., None] * other)


def length(vectors):
    """Return the lengths of vectors, shape (..., 3)."""
    return np.sqrt(_dot(vectors, vectors))


def _dot(a, b):
    return np.einsum('...i,...i->...', a, b)
