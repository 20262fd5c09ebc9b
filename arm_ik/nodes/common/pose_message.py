# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Poses and twists in messages: the quaternion of axes, in plain floats.

A quaternion is ``(x, y, z, w)`` as in geometry_msgs; :mod:`...kinematics.tool_axes` has its
matrix. That has four vectors along the quaternion, each as long as four times one component: the
longest is taken, so that nothing is divided by a small number.
"""

from math import hypot

from geometry_msgs.msg import PoseStamped, TwistStamped


def pose_message(position, rotation, frame, stamp):
    """
    Return a PoseStamped.

    :param position: of the tip [m], shape (3,).
    :param rotation: of ``tool0``, shape (3, 3).
    :param frame: name of the frame both are given in.
    :param stamp: ``(seconds, nanoseconds)``.
    """
    message = _stamped(PoseStamped(), frame, stamp)
    place, turn = message.pose.position, message.pose.orientation
    place.x, place.y, place.z = map(float, position)
    turn.x, turn.y, turn.z, turn.w = quaternion(rotation)
    return message


def twist_message(linear, angular, frame, stamp):
    """
    Return a TwistStamped.

    :param linear: velocity of the tip [m/s], shape (3,).
    :param angular: velocity of the hand [rad/s], shape (3,).
    :param frame: name of the frame in whose axes both are given.
    :param stamp: ``(seconds, nanoseconds)``.
    """
    message = _stamped(TwistStamped(), frame, stamp)
    for vector, values in ((message.twist.linear, linear), (message.twist.angular, angular)):
        vector.x, vector.y, vector.z = map(float, values)
    return message


def _stamped(message, frame, stamp):
    message.header.frame_id = frame
    message.header.stamp.sec, message.header.stamp.nanosec = stamp
    return message


def quaternion(matrix):
    """
    Return the unit quaternion of a rotation matrix.

    :param matrix: shape (3, 3), a rotation.
    :returns: ``(x, y, z, w)``, ``w`` not negative.
    """
    (a, b, c), (d, e, f), (g, h, i) = ((float(value) for value in row) for row in matrix)
    # Each component, times four times the quaternion.
    rows = ((1.0 + a - e - i, b + d, c + g, h - f), (b + d, 1.0 - a + e - i, f + h, c - g),
            (c + g, f + h, 1.0 - a - e + i, d - b), (h - f, c - g, d - b, 1.0 + a + e + i))
    length, (x, y, z, w) = max([(hypot(*row), row) for row in rows])
    if w < 0.0:
        length = -length
    return x / length, y / length, z / length, w / length
