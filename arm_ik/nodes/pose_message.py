# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``~/solved_pose``: where the command brings ``tool0``."""

from geometry_msgs.msg import PoseStamped

from .rotation import quaternion


def pose_message(tip, frame, stamp):
    """
    Return a PoseStamped.

    :param tip: :class:`~arm_ik.kinematics.pose.Pose` of the command, by forward kinematics.
    :param frame: the base frame's name.
    :param stamp: of the target, ``(seconds, nanoseconds)``.
    """
    message = PoseStamped()
    message.header.frame_id = frame
    message.header.stamp.sec, message.header.stamp.nanosec = stamp
    position, orientation = message.pose.position, message.pose.orientation
    position.x, position.y, position.z = map(float, tip.position)
    orientation.x, orientation.y, orientation.z, orientation.w = quaternion(tip.rotation)
    return message
