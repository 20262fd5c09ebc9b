# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Distances of segments from boxes, cylinders and segments: by hand, and against many points."""

from arm_ik.collision.scene import apart, from_shapes
import numpy as np
import pytest

CUBE, DRUM = np.array([[0.1, 0.1, 0.1]]), np.array([[0.1, 0.1, 0.2]])


@pytest.mark.parametrize('begin, end, distance', [
    ((0.3, 0.0, 0.0), (0.5, 0.0, 0.0), 0.2),
    ((-0.5, 0.0, 0.15), (0.5, 0.0, 0.15), 0.05),        # passes over a face
    ((0.4, 0.0, 0.0), (0.0, 0.4, 0.0), 0.2 / 2 ** 0.5),     # passes an edge
    ((0.0, 0.0, -0.5), (0.0, 0.0, 0.5), 0.0),           # through
    ((0.2, 0.2, 0.2), (0.2, 0.2, 0.2), 0.1 * 3 ** 0.5),     # a point, off a corner
])
def test_a_segment_is_so_far_from_a_cube(begin, end, distance):
    found = from_shapes(np.array([begin]), np.array([end]), CUBE, np.array([False]))
    assert found == pytest.approx([distance], abs=1e-9)


@pytest.mark.parametrize('begin, end, distance', [
    ((0.3, 0.0, 0.0), (0.5, 0.0, 0.0), 0.2),
    ((0.3, -0.5, 0.0), (0.3, 0.5, 0.0), 0.2),           # passes the side
    ((-0.5, 0.0, 0.25), (0.5, 0.0, 0.25), 0.05),        # passes over the top
    ((0.13, 0.0, 0.24), (0.5, 0.0, 0.24), 0.05),        # off the rim
    ((0.0, 0.0, 0.5), (0.0, 0.0, 0.7), 0.3),            # along the axis
    ((-0.5, 0.05, 0.1), (0.5, 0.0, 0.1), 0.0),          # through
])
def test_a_segment_is_so_far_from_a_cylinder(begin, end, distance):
    found = from_shapes(np.array([begin]), np.array([end]), DRUM, np.array([True]))
    assert found == pytest.approx([distance], abs=1e-9)


def test_random_segments_are_as_far_as_the_nearest_of_many_points():
    rng = np.random.default_rng(1)
    begin, way = rng.uniform(-0.4, 0.4, (300, 3)), rng.uniform(-0.2, 0.2, (300, 3))
    way[:20], way[20:40, :2], way[40:60, 2] = 0.0, 0.0, 0.0    # points, upright ones, level ones
    size = rng.uniform(0.02, 0.2, (300, 3))
    points = begin[:, None] + np.linspace(0.0, 1.0, 1001)[:, None] * way[:, None]
    out = np.maximum(np.abs(points) - size[:, None], 0.0)
    box = np.linalg.norm(out, axis=-1).min(axis=1)
    radial = np.maximum(np.hypot(points[..., 0], points[..., 1]) - size[:, None, 0], 0.0)
    drum = np.hypot(radial, out[..., 2]).min(axis=1)
    for is_round, nearest in ((False, box), (True, drum)):
        half = np.where(is_round, size[:, [0, 0, 2]], size)
        found = from_shapes(begin, begin + way, half, np.full(300, is_round))
        assert (nearest > 0.01).sum() > 200
        assert (found <= nearest + 1e-12).all()     # also a bound: never more than it is
        assert (nearest - found).max() < 5e-4       # points are so far apart


@pytest.mark.parametrize('way, distance', [
    ((0.2, 0.0, 0.0), 0.1),         # beside each other
    ((0.0, 0.2, 0.0), 0.1),         # across
    ((0.0, 0.0, 0.2), 0.1),         # away
    ((0.0, 0.0, -0.2), 0.0),        # through
    ((0.0, 0.0, 0.0), 0.1),         # a point
])
def test_segments_are_so_far_apart(way, distance):
    found = apart(np.array([[0.0, 0.0, 0.1]]), np.array([way]), np.array([[-0.1, 0.0, 0.0]]),
                  np.array([[0.3, 0.0, 0.0]]))
    assert found == pytest.approx([distance], abs=1e-12)
