# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Targets to an arm that is running."""

from geometry_msgs.msg import PointStamped, Vector3Stamped
import numpy as np
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger

from .observer import ArmObserver
from .poses import tool_axes
from ..arm import Arm
from ..nodes.common.pose_message import pose_message


class ArmClient(ArmObserver):
    """
    An arm to be moved, as a test does it.

    To be used as a context manager, or with :meth:`close`. ``ik_node`` has to run with
    ``up_axis: z``, its default.

    :param arm: an :class:`~arm_ik.Arm`, the name of one that comes with the package, or its file.
    :param namespace: the arm's.
    :param domain_id: the ROS domain the arm is in; ``None``: as ``ROS_DOMAIN_ID`` says.
    :param frame_prefix: the arm's.
    :param timeout: how long to wait for anything [s].
    """

    def __init__(self, arm='so101', namespace='', domain_id=None, frame_prefix='', timeout=60.0):
        super().__init__(find_arm(arm), namespace, domain_id, timeout)
        self.frame = f'{frame_prefix}base_link'

    def send(self, position, up=None, forward=None):
        """
        Send a target and return at once.

        :param position: of the tip in the base frame [m].
        :param up: along the last link; ``None``: any.
        :param forward: tool x, as far as the up vector leaves it free; ``None``: any.
        :returns: the target's stamp, to wait for what comes of it.
        """
        if up is not None:
            axes, stamp = tool_axes(self.arm, position, up, forward), self._now()
            return self.publish(pose_message(
                position, axes, self.frame, (stamp.sec, stamp.nanosec)))
        self._clear_stored_up()
        message = PointStamped()
        message.header.frame_id, message.header.stamp = self.frame, self._now()
        message.point.x, message.point.y, message.point.z = map(float, position)
        return self.publish(message)

    def publish(self, message):
        """
        Publish a message of any type the arm takes, as it is.

        :returns: its stamp as ``(seconds, nanoseconds)``, ``None`` for a message without.
        """
        self._connection.publish(message)
        header = getattr(message, 'header', None)
        return (header.stamp.sec, header.stamp.nanosec) if header is not None else None

    def move_to(self, position, up=None, forward=None, timeout=None):
        """Send a target, wait for arrival, and return the measured positions [rad]; see `send`."""
        self.wait_for_arrival(self.send(position, up, forward), timeout)
        return self.q

    def move_gripper(self, opening, timeout=None):
        """Open the gripper (0 closed, 1 open), wait, and return the measured position."""
        if not self.arm.model.extra_joints:
            raise ValueError(f'{self.arm.name} has no gripper')
        joint = self.arm.model.extra_joints[0]
        goal = joint.closed + opening * (joint.open - joint.closed)
        self._connection.publish(Float64(data=float(opening)))
        self.wait_until(lambda: abs(self.joint_states.get(joint.name, np.inf) - goal) <= 1e-6,
                        f'{joint.name} at {goal:.6g}', timeout)
        return self.joint_states[joint.name]

    def enable(self, on=True):
        """Let commands leave ``ik_node``, or none."""
        return self._call('ik_node/enable', SetBool.Request(data=on))

    def go_home(self):
        """Ask for the home pose; returns at once."""
        return self._call('ik_node/home', Trigger.Request())

    def torque(self, on):
        """Switch the servos' torque; a real arm falls without."""
        return self._call('driver_node/torque', SetBool.Request(data=on))

    def stop(self):
        """Stop the servos where they are, until :meth:`reset`."""
        return self._call('driver_node/stop', Trigger.Request())

    def reset(self):
        """Take commands again after :meth:`stop`."""
        return self._call('driver_node/reset', Trigger.Request())

    def clear_faults(self):
        """Forget what was wrong with servos."""
        return self._call('driver_node/clear_faults', Trigger.Request())

    def _clear_stored_up(self):
        message = Vector3Stamped()
        message.header.frame_id, message.header.stamp = self.frame, self._now()
        stamp = self.publish(message)
        self.wait_until(lambda: self.statuses(stamp), 'the stored up vector cleared')

    def _call(self, name, request):
        future = self._connection.call(name, request)
        self.wait_until(future.done, f'an answer of {name}')
        response = future.result()
        if not response.success:
            raise AssertionError(self._failure(f'{name} done', response.message))
        return response.message


def find_arm(arm):
    """Return an arm by name or file, or as it is."""
    if isinstance(arm, Arm):
        return arm
    text = str(arm)
    return Arm.from_yaml(text) if text.endswith(('.yaml', '.yml')) else Arm.preset(text)
