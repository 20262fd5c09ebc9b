# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A sender of targets as a process, to be killed, silenced or frozen.

``stream``: 50 targets a second, the first pose and the second in turn for a second each; after
SIGUSR1 none until the next SIGUSR1. ``once``: the first pose once, as soon as somebody listens and
until it has been heard; then the process kills itself.

    python -m reliability.faults.target_sender stream|once '[[x, y, z, qx, qy, qz, qw], ...]'
"""

import json
import os
import signal
import sys
from time import monotonic, sleep

from geometry_msgs.msg import PoseStamped
import rclpy
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

PERIOD = 0.02


class TargetSender(Node):
    """
    See the module.

    :param poses: lists of a position [m] and a quaternion, x first.
    """

    def __init__(self, poses):
        super().__init__('target_sender', enable_rosout=False, start_parameter_services=False)
        self._poses = poses
        self._publisher = self.create_publisher(PoseStamped, 'target_pose', 1)
        self._talks = True
        signal.signal(signal.SIGUSR1, self._on_signal)

    def stream(self):
        """Send targets for ever."""
        while True:
            if self._talks:
                self._send(self._poses[int(monotonic()) % 2])
            sleep(PERIOD)

    def once(self):
        """Send one target and die of it."""
        while not self._publisher.get_subscription_count():
            sleep(0.01)
        self._send(self._poses[0])
        self._publisher.wait_for_all_acked(Duration(seconds=30.0))
        os.kill(os.getpid(), signal.SIGKILL)

    def _send(self, pose):
        message = PoseStamped()
        message.header.stamp = self.get_clock().now().to_msg()
        place, turn = message.pose.position, message.pose.orientation
        place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w = pose
        self._publisher.publish(message)

    def _on_signal(self, *_):
        self._talks = not self._talks


def main():
    """Run the sender."""
    mode, poses = sys.argv[1:]
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    getattr(TargetSender(json.loads(poses)), mode)()


if __name__ == '__main__':
    main()
