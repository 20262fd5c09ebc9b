# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What moves the arm with the parameter ``output`` at ``commands``: repeated joint commands."""

from sensor_msgs.msg import JointState

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
            self._publish(positions)

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
