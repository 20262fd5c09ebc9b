# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A pose as a message."""

from math import sqrt

from arm_ik.nodes.common.pose_message import pose_message
import numpy as np


def test_it_holds_place_orientation_frame_and_stamp():
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
