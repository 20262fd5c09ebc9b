# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What moves the arm with the parameter ``output`` at ``trajectory``: whole ones, to rest."""

from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint


class JointTrajectories:
    """
    The topic ``joint_trajectory``, for a ``joint_trajectory_controller`` of ros2_control.

    Each trajectory takes the place of the one before, and ends at rest.

    :param node: the node.
    :param core: the :class:`~.core.IkCore` whose trajectories they are.
    :param count: function to call for each message.
    """

    def __init__(self, node, core, count):
        self._node, self._core, self._count = node, core, count
        self.publisher = node.create_publisher(JointTrajectory, 'joint_trajectory', 10)

    def start(self, _):
        """Publish the trajectory that has just come into force."""
        self.go_on()

    def go_on(self):
        """Publish the trajectory in force, if it has changed."""
        if self._core.command is not None:
            self.end()

    def end(self):
        """Publish a trajectory, if it is due."""
        due = self._core.take_trajectory()
        if due is None:
            return
        spline, delay = due
        message = JointTrajectory(joint_names=self._core.arm.joint_names)
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.points = [
            _point(time + delay, positions, velocities) for time, positions, velocities in zip(
                spline.times, spline.positions, spline.velocities) if time + delay > 0.0]
        self.publisher.publish(message)
        self._count()


def _point(time, positions, velocities):
    point = JointTrajectoryPoint(positions=positions, velocities=velocities)
    point.time_from_start.sec, point.time_from_start.nanosec = divmod(round(1e9 * time), 10**9)
    return point
