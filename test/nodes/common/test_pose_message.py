# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Poses in messages: what a message holds, and quaternions to axes and back."""

from math import cos, pi, sin, sqrt

from arm_ik.kinematics.tool_axes import columns
from arm_ik.nodes.common.pose_message import pose_message, quaternion
from arm_ik.nodes.ik.target_reader import rotate
import numpy as np
import pytest

HALF = sqrt(0.5)


def test_a_message_holds_position_orientation_frame_and_stamp():
    # tool x left, tool y ahead, tool z down
    rotation = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    message = pose_message(np.array([0.1, -0.2, 0.3]), rotation, 'left_base_link', (12, 345))
    assert message.header.frame_id == 'left_base_link'
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (12, 345)
    position, how = message.pose.position, message.pose.orientation
    assert (position.x, position.y, position.z) == (0.1, -0.2, 0.3)
    found = np.array([how.x, how.y, how.z, how.w])
    wanted = np.array([1.0, 1.0, 0.0, 0.0]) / sqrt(2.0)
    assert abs(abs(found @ wanted) - 1.0) < 1e-12


@pytest.mark.parametrize('given, vector, turned', [
    ((0, 0, 0, 1), (1, 2, 3), (1, 2, 3)),
    ((HALF, 0, 0, HALF), (0, 1, 0), (0, 0, 1)),     # about x, left goes up
    ((0, HALF, 0, HALF), (0, 0, 1), (1, 0, 0)),     # about y, up goes ahead
    ((0, 0, HALF, HALF), (1, 0, 0), (0, 1, 0)),     # about z, ahead goes left
])
def test_a_quarter_turn_is_right_handed(given, vector, turned):
    assert rotate(columns(given), vector) == pytest.approx(turned, abs=1e-15)


@pytest.mark.parametrize('axis', [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.0, -0.8)])
@pytest.mark.parametrize('angle', [0.0, 1e-9, 1.0, pi / 2, 3.0, pi, -pi, -2.0])
def test_a_quaternion_survives_conversion_to_a_matrix_and_back(axis, angle):
    expected = np.array([*(a * sin(angle / 2) for a in axis), cos(angle / 2)])
    found = np.array(quaternion(np.array(columns(expected)).T))
    assert found[3] >= 0.0
    assert min(abs(found - expected).max(), abs(found + expected).max()) < 1e-12


def test_random_quaternions_survive_conversion_to_a_matrix_and_back():
    given = np.random.default_rng(3).normal(size=(500, 4))
    given /= np.linalg.norm(given, axis=1)[:, None]
    for expected in given:
        found = np.array(quaternion(np.array(columns(expected)).T))
        assert abs(abs(found @ expected) - 1.0) < 1e-14
