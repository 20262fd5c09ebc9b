# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What moves the arm: repeated joint commands or whole trajectories, by the parameter ``output``.

Both have ``publisher``, ``start`` for what has just come into force, ``go_on`` and ``end``.
"""

from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

#: Difference of the stamps of commands while simulated time stands still [ns]: the resolution of a
#: float in seconds.
_STEP_NS = 1000


class JointCommands:
    """
    The topic ``joint_commands``.

    :param node: the node.
    :param core: the :class:`~.core.IkCore` whose commands they are.
    :param count: function to call for each message.
    """

    def __init__(self, node, core, count):
        self._node, self._core, self._count = node, core, count
        self._command = JointState(name=core.arm.joint_names)
        self._stamp_ns = self._clock_ns = 0
        self.publisher = node.create_publisher(JointState, 'joint_commands', 10)

    def start(self, now_ns):
        """Publish the command that has just come into force, at a time [ns]."""
        self._stamp(now_ns)
        self.go_on()

    def go_on(self):
        """Publish the command in force, if there is one."""
        positions = self._core.command
        if positions is not None:
            if self._core.velocities:
                # The end of a way is due between two commands: so the driver is there in time.
                self._stamp(self._node.get_clock().now().nanoseconds - round(
                    1e9 * self._core.late))
            self._publish(positions, self._core.velocities)

    def end(self):
        """Publish the hold command that ends the previous command, if it is due."""
        positions = self._core.take_hold_command()
        if positions is not None:
            self._stamp(self._node.get_clock().now().nanoseconds)
            self._publish(positions, [0.0] * len(positions))

    def _publish(self, positions, velocities=()):
        self._command.position, self._command.velocity = positions, velocities
        self.publisher.publish(self._command)
        self._count()

    def _stamp(self, now_ns):
        # A command of a source has the stamp of its moment. A repeated one keeps its stamp, so
        # that a driver that was stopped and reset recognises an old command. So no two commands
        # share a stamp, even while simulated time stands still, and no stamp is zero, which would
        # mean now.
        if now_ns == self._clock_ns:
            self._stamp_ns += _STEP_NS
        else:
            self._clock_ns, self._stamp_ns = now_ns, max(now_ns, _STEP_NS)
        stamp = self._command.header.stamp
        stamp.sec, stamp.nanosec = divmod(self._stamp_ns, 1_000_000_000)


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
