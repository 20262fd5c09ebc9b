# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An arm for the page without ROS (``--no-ros``): it goes where it is sent, at its own speed."""

from collections.abc import Sequence
import threading
from time import monotonic
from typing import Any

import numpy as np
import viser.transforms

from ..arm import Arm
from ..collision import PathChecker
from ..kinematics.model import KeepOut
from ..kinematics.target import Target
from ..tool_rotation import target_at, target_of

#: Nearer than this to its command an arm has arrived [rad, m].
_THERE = 1e-3


class ArmWithoutRos:
    """
    The same as :class:`~.ros_arm.RosArm`, by the API alone.

    :param arm: the :class:`~arm_ik.Arm`.
    """

    #: How the arm can get to a target.
    motions = ('joint',)

    #: In words why it takes no commands, or empty; and where joints are sent, by name.
    problem = property(lambda self: 'stopped' if self.stopped else '')
    set_points = property(lambda self: self.commanded)

    #: Those of a simulation with weight.
    objects: dict[str, Any] = {}

    def __init__(self, arm: Arm) -> None:
        self.arm, self.keep_out = arm, arm.model.keep_out
        self._paths = PathChecker(arm, 'user', {}, ())
        self.connection = 'without ROS'
        self.is_live = True
        self.settings: dict[str, Any] = {
            'motion': 'joint', 'tip_speed': 0.1, 'driver_speed': 1.0, 'elbow': 'nearest'}
        self.servos: dict[str, dict[str, str]] = {}
        self._jogged = 0.0
        self.commanded_at = 0.0   # when it changed, on the monotonic clock
        self.stopped, self._disabled = False, False
        self._lock = threading.RLock()   # a stop ends what is being sent
        self._measured = dict(arm.model.all_home)
        self.commanded = dict(self._measured)
        self._status = 'ready: waiting for a target'   # as ``~/status`` has it
        self._time = monotonic()

    @property
    def measured(self) -> dict[str, float]:
        """Positions by joint name [rad, m]; empty: not known."""
        with self._lock:
            now = monotonic()
            passed, self._time = self.settings['driver_speed'] * (now - self._time), now
            for joint in self.arm.model.all_joints.values():
                step, at = passed * joint.max_velocity, self._measured[joint.name]
                left = self.commanded[joint.name] - at
                self._measured[joint.name] = at + min(max(left, -step), step)
            return dict(self._measured)

    @property
    def status(self) -> str:
        """State and reason of the newest target."""
        there = all(abs(self.commanded[name] - at) < _THERE for name, at in self.measured.items())
        return self._status.replace('accepted', 'arrived') if there else self._status

    @property
    def health(self) -> list[tuple[int, str]]:
        """Level and words of each part that reports."""
        return [(int(self.stopped), '')]   # the status says so

    def send(self, target: Target) -> None:
        """Send a target; the newest counts."""
        self._paths.extra = measured = self.measured
        near = [measured[name] for name in self.arm.joint_names]
        solution = self.arm.solve(target, near=near, elbow=self.settings['elbow'])
        objection = self._paths.objection([near, solution.q])
        with self._lock:
            if self._disabled:   # as the status says, perhaps since it was asked
                return
            if objection:
                self._status = f'refused: {objection[0]}'
                return
            words = 'accepted' if solution.reached else f'accepted, {solution.status.name}'
            self._status = f'{words}: {solution.reason}' if solution.reason else words
            self.commanded = {**self.commanded, **dict(zip(self.arm.joint_names, solution.q))}
            self.commanded_at = monotonic()

    def stay_out_of(self, shapes: Sequence[KeepOut]) -> None:
        """Stay out of shapes, in addition to those of the arm."""
        self._paths.keep_out = tuple(shapes)
        self.keep_out = (*self.arm.model.keep_out, *shapes)

    def set(self, name: str, value: Any) -> None:  # noqa: A003
        """Change one of the settings."""
        self.settings = {**self.settings, name: value}

    def jog(self, linear: np.ndarray, angular: np.ndarray) -> None:
        """Move the tip on at velocities in axes of the base [m/s, rad/s]."""
        passed, self._jogged = min(monotonic() - self._jogged, 0.1), monotonic()
        tip = self.arm.forward([self.commanded[name] for name in self.arm.joint_names])
        if np.any(linear) or np.any(angular):
            self.send(target_of(self.arm, tip.position + passed * linear, viser.transforms.SO3.exp(
                passed * angular).as_matrix() @ tip.rotation))

    def stream(self, names: Sequence[str], positions: Sequence[float],
               velocities: Sequence[float]) -> None:
        """Take one command of a stream."""
        self.commanded = {**self.commanded, **dict(zip(names, positions))}

    def gripper(self, opening: float) -> None:
        """Move all extra joints: 0 closed, 1 open."""
        with self._lock:
            if not self.stopped:
                self.commanded = {**self.commanded, **self.arm.model.gripper_goals(opening)}

    def home(self) -> None:
        """Go home."""
        self.send(target_at(self.arm, self.arm.home))

    def enable(self, on: bool) -> None:
        """Allow targets, or hold."""
        with self._lock:
            self._disabled = not on
            self._status = 'ready: waiting for a target' if on else 'refused: disabled'
            if not on:
                self.commanded = self.measured

    def stop(self) -> None:
        """Stop, until :meth:`reset`."""
        with self._lock:
            self.stopped = True
            self.enable(False)
            self._status = 'refused: stopped: press Reset'

    def reset(self) -> None:
        """Release the stop."""
        self.stopped = False
        self.enable(True)

    def close(self) -> None:
        """End."""
