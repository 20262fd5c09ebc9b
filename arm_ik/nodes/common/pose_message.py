# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A pose of ``tool0`` as a message: a target, or where a command brings it."""

from geometry_msgs.msg import PoseStamped

from .rotation import quaternion


def pose_message(position, rotation, frame, stamp):
    """
    Return a PoseStamped.

    :param position: of the tip [m], shape (3,).
    :param rotation: of ``tool0``, shape (3, 3).
    :param frame: name of the frame both are given in.
    :param stamp: ``(seconds, nanoseconds)``.
    """
    message = PoseStamped()
    message.header.frame_id = frame
    message.header.stamp.sec, message.header.stamp.nanosec = stamp
    place, turn = message.pose.position, message.pose.orientation
    place.x, place.y, place.z = map(float, position)
    turn.x, turn.y, turn.z, turn.w = quaternion(rotation)
    return message
