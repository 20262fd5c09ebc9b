# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Targets to an arm that is running."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from geometry_msgs.msg import PointStamped, Vector3Stamped
from nav_msgs.msg import Path as PathMessage
import numpy as np
from std_msgs.msg import Float64

from .observer import ArmObserver
from .status import Stamp
from ..arm import Arm
from ..errors import InvalidInputError
from ..kinematics.target import Target
from ..nodes.common.pose_message import pose_message
from ..nodes.common.tool_rotation import tool_rotation


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

    def __init__(self, arm: Arm | Path | str = 'so101', namespace: str = '',
                 domain_id: int | None = None, frame_prefix: str = '', timeout: float = 60.0
                 ) -> None:
        super().__init__(find_arm(arm), namespace, domain_id, timeout)
        self.frame = f'{frame_prefix}base_link'

    def send(self, position: Iterable[float], up: Iterable[float] | None = None,
             forward: Iterable[float] | None = None) -> Stamp:
        """
        Send a target and return at once.

        :param position: of the tip in the base frame [m].
        :param up: along the last link; ``None``: any.
        :param forward: tool x, as far as the up vector leaves it free; ``None``: any.
        :returns: the target's stamp, to wait for what comes of it.
        """
        if up is not None:
            axes = tool_rotation(self.arm, Target(position, up, forward))
            stamp = self._now()
            return self._publish_stamped(pose_message(
                position, axes, self.frame, (stamp.sec, stamp.nanosec)))
        self._clear_stored_up()
        message = PointStamped()
        message.header.frame_id, message.header.stamp = self.frame, self._now()
        message.point.x, message.point.y, message.point.z = map(float, position)
        return self._publish_stamped(message)

    def send_path(self, targets: Iterable[Target]) -> Stamp:
        """
        Send targets to go to along straight lines, and return at once.

        :param targets: each with an up vector.
        :returns: the path's stamp, to wait for what comes of it.
        :raises InvalidInputError: for a target without one.
        """
        message = PathMessage()
        message.header.frame_id, message.header.stamp = self.frame, self._now()
        for target in targets:
            if target.up is None:
                raise InvalidInputError('targets', target, 'targets with an up vector')
            axes = tool_rotation(self.arm, target)
            message.poses.append(pose_message(target.position, axes, self.frame, (0, 0)))
        return self._publish_stamped(message)

    def set_parameters(self, node: str, **values: Any) -> None:
        """
        Change parameters of a node while it runs.

        :param node: ``'ik_node'`` or ``'driver_node'``.
        :param values: by name.
        """
        future = self._connection.set_parameters(node, values)
        self.wait_until(future.done, f'an answer of {node}/set_parameters')
        for result in future.result().results:
            if not result.successful:
                raise AssertionError(self._failure(f'{node} with {values}', result.reason))

    def publish(self, message: Any) -> Stamp | None:
        """
        Publish a message of any type the arm takes, as it is.

        :returns: its stamp as ``(seconds, nanoseconds)``, ``None`` for a message without.
        """
        if hasattr(message, 'header'):
            return self._publish_stamped(message)
        self._connection.publish(message)
        return None

    def move_to(self, position: Iterable[float], up: Iterable[float] | None = None,
                forward: Iterable[float] | None = None, timeout: float | None = None
                ) -> tuple[float, ...]:
        """Send a target, wait for arrival, and return the measured positions [rad]; see `send`."""
        self.wait_for_arrival(self.send(position, up, forward), timeout)
        return self.q

    def move_gripper(self, opening: float, timeout: float | None = None) -> float:
        """Open the gripper (0 closed, 1 open), wait, and return the measured position."""
        if not self.arm.model.extra_joints:
            raise ValueError(f'{self.arm.name} has no gripper')
        joint = self.arm.model.extra_joints[0]
        goal = joint.closed + opening * (joint.open - joint.closed)
        self._connection.publish(Float64(data=float(opening)))
        self.wait_until(lambda: abs(self.joint_states.get(joint.name, np.inf) - goal) <= 1e-6,
                        f'{joint.name} at {goal:.6g}', timeout)
        return self.joint_states[joint.name]

    def enable(self, on: bool = True) -> str:
        """Let commands leave ``ik_node``, or none."""
        return self._call('ik_node/enable', data=on)

    def go_home(self) -> str:
        """Ask for the home pose; returns at once."""
        return self._call('ik_node/home')

    def torque(self, on: bool) -> str:
        """Switch the servos' torque; a real arm falls without."""
        return self._call('driver_node/torque', data=on)

    def stop(self) -> str:
        """Stop the servos where they are, until :meth:`reset`."""
        return self._call('driver_node/stop')

    def reset(self) -> str:
        """Take commands again after :meth:`stop`."""
        return self._call('driver_node/reset')

    def clear_faults(self) -> str:
        """Forget what was wrong with servos."""
        return self._call('driver_node/clear_faults')

    def _publish_stamped(self, message: Any) -> Stamp:
        self._connection.publish(message)
        return message.header.stamp.sec, message.header.stamp.nanosec

    def _clear_stored_up(self) -> None:
        message = Vector3Stamped()
        message.header.frame_id, message.header.stamp = self.frame, self._now()
        stamp = self.publish(message)
        self.wait_until(lambda: self.statuses(stamp), 'the stored up vector cleared')

    def _call(self, name: str, **request: Any) -> str:
        future = self._connection.ask(name, **request)
        self.wait_until(future.done, f'an answer of {name}')
        response = future.result()
        if not response.success:
            raise AssertionError(self._failure(f'{name} done', response.message))
        return response.message


def find_arm(arm: Arm | Path | str) -> Arm:
    """Return an arm by name or file, or as it is."""
    if isinstance(arm, Arm):
        return arm
    text = str(arm)
    return Arm.from_yaml(text) if text.endswith(('.yaml', '.yml')) else Arm.preset(text)
