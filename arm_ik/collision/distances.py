# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Distances of segments from shapes, and from each other, as arrays.

Arrays have a row for each segment. A shape is at the origin of its own frame.

On a segment a + s d the distance from a convex set is convex in s, and the gradient of half its
square, g(s) = e(s) . d with e the vector from the nearest point of the set, never falls. Between
the s where the nearest point changes from a face to the next, g is linear for a box: its zero is
the exact minimum. For a cylinder it is not where the nearest point is on the rim, so the zero is
enclosed, and the tangents of the distance at both ends bound it from below.
"""

import numpy as np

#: Stands for zero in divisions.
_TINY = 1e-300

#: How often the zero of a gradient at a rim is enclosed more narrowly.
_STEPS = 4


def from_box(begin, end, half):
    """
    Return the distances of segments from boxes; 0 where they meet.

    :param half: halves of the edges [m], shape (n, 3).
    """
    way = end - begin
    with np.errstate(divide='ignore', invalid='ignore'):
        knots = np.concatenate([(half - begin) / way, (-half - begin) / way,
                                np.zeros((len(way), 1)), np.ones((len(way), 1))], axis=1)
    knots = np.clip(np.nan_to_num(knots), 0.0, 1.0)
    points = begin[:, None] + knots[..., None] * way[:, None]
    outside = points - np.clip(points, -half[..., None, :], half[..., None, :])
    slope = np.matmul(outside, way[:, :, None])[..., 0]
    low, high, g_low, g_high = _enclosed(knots, slope)
    best = low - np.where(low < high, g_low * (high - low) / np.maximum(g_high - g_low, _TINY), 0)
    points = begin + best[:, None] * way
    return _length(points - np.clip(points, -half, half))


def from_cylinder(begin, end, size):
    """
    Return lower bounds of the distances of segments from cylinders along z.

    They are exact but where the nearest point is on a rim; 0 where segment and cylinder meet.

    :param size: radius, anything, and half the length [m], shape (n, 3).
    """
    radius, _, half = size.T
    way = end - begin
    a = way[:, 0] ** 2 + way[:, 1] ** 2
    b = begin[:, 0] * way[:, 0] + begin[:, 1] * way[:, 1]
    c = begin[:, 0] ** 2 + begin[:, 1] ** 2 - radius ** 2
    with np.errstate(divide='ignore', invalid='ignore'):
        root = np.sqrt(np.maximum(b * b - a * c, 0.0))
        knots = np.stack([(half - begin[:, 2]) / way[:, 2], (-half - begin[:, 2]) / way[:, 2],
                          (root - b) / a, (-root - b) / a, -b / a, 0.0 * a, 0.0 * a + 1.0], axis=1)
    knots = np.clip(np.nan_to_num(knots), 0.0, 1.0)

    def gradient(s):
        points = begin[:, None] + s[..., None] * way[:, None]
        out = np.hypot(points[..., 0], points[..., 1])
        factor = np.maximum(out - radius[:, None], 0.0) / np.maximum(out, _TINY)
        over = points[..., 2] - np.clip(points[..., 2], -half[:, None], half[:, None])
        slope = factor * (points[..., 0] * way[:, :1] + points[..., 1] * way[:, 1:2])
        return slope + over * way[:, 2:], np.hypot(factor * out, over)

    low, high, g_low, g_high = _enclosed(knots, gradient(knots)[0])
    for _ in range(_STEPS):
        cut = low - g_low * (high - low) / np.maximum(g_high - g_low, _TINY)
        between = np.stack([cut, 0.5 * (low + high)], axis=1)
        low, high, g_low, g_high = _enclosed(
            np.column_stack([low, high, between]),
            np.column_stack([g_low, g_high, gradient(between)[0]]))
    ends = np.stack([low, high], axis=1)
    slopes, far = gradient(ends)
    slopes = slopes / np.maximum(far, _TINY)
    # Where the tangents meet; a slope that points outwards has its minimum at the end itself.
    down, up = np.minimum(slopes[:, 0], 0.0), np.maximum(slopes[:, 1], 0.0)
    at = (far[:, 1] - far[:, 0] + up * (low - high)) / np.minimum(down - up, -_TINY)
    bound = far[:, 0] + down * np.clip(at, 0.0, high - low)
    return np.where(slopes[:, 0] >= 0.0, far[:, 0],
                    np.where(slopes[:, 1] <= 0.0, far[:, 1], np.maximum(bound, 0.0)))


def apart(begin, way, other_begin, other):
    """Return the distances of segments, given by one end and the way to the other, from others."""
    between = begin - other_begin
    a, e = np.maximum(_dot(way, way), _TINY), np.maximum(_dot(other, other), _TINY)
    b, c, f = _dot(way, other), _dot(way, between), _dot(other, between)
    # On the lines, then on the segments, each time with the other one free.
    across = a * e - b * b
    s = np.where(across > 1e-12 * a * e, np.clip((b * f - c * e) / np.maximum(across, _TINY),
                                                 0.0, 1.0), 0.0)
    t = np.clip((b * s + f) / e, 0.0, 1.0)
    s = np.clip((b * t - c) / a, 0.0, 1.0)
    return _length(between + s[..., None] * way - t[..., None] * other)


def _enclosed(knots, slope):
    """Return the knots before and after the zero of a slope that never falls, and it there."""
    rows = np.arange(len(knots))
    low = np.where(slope <= 0.0, knots, -1.0).argmax(axis=1)
    high = np.where(slope >= 0.0, knots, 2.0).argmin(axis=1)
    # At an end of the segment there may be none on one side.
    low = np.where(slope[rows, low] <= 0.0, low, high)
    high = np.where(slope[rows, high] >= 0.0, high, low)
    return knots[rows, low], knots[rows, high], slope[rows, low], slope[rows, high]


def _dot(a, b):
    return np.einsum('...i,...i->...', a, b)


def _length(a):
    return np.sqrt(np.einsum('...i,...i->...', a, a))
