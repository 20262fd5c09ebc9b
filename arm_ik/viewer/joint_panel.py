# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The part of the page that is about joints: sliders, and where they are measured."""

from functools import partial
from math import degrees, radians
from time import monotonic
from typing import Any

from .control import Control, Input
from .target_panel import TargetPanel
from ..drivers.commands import gripper_opening
from ..kinematics.target import Target
from ..tool_rotation import target_at

#: So long after a slider was moved, sliders do not yet show the measured positions [s].
_SLIDES = 2.0

#: How many of their steps sliders may be off before they follow the arm.
_OFF = 2.5


class JointPanel:
    """
    Sliders of the joints.

    :param gui: of the server.
    :param control: the :class:`~.control.Control`.
    :param source: a :class:`~.ros_arm.RosArm`, or :class:`~.simulated.ArmWithoutRos`.
    :param target: the :class:`~.target_panel.TargetPanel`, which sends poses.
    """

    def __init__(self, gui: Any, control: Control, source: Any, target: TargetPanel) -> None:
        self._source, self._arm, self._target = source, source.arm, target
        self._wished: list[float] = []       # where joints are to be, while sliders are moved
        self._sent: Target | None = None     # the target with those positions
        model = self._arm.model
        self._sliders = [Input(control, gui.add_slider(
            f'{joint.name} [°]', round(degrees(joint.lower), 1), round(degrees(joint.upper), 1),
            0.1, round(degrees(home), 1)), partial(self._on_slider, index))
            for index, (joint, home) in enumerate(zip(model.joints, model.home))]
        if model.extra_joints:
            self._sliders.append(Input(control, gui.add_slider(
                'Gripper', 0.0, 1.0, 0.01, 0.0, hint='0 closed, 1 open'),
                lambda value: control.stopped or source.gripper(value)))

    def forget(self) -> None:
        """Forget where sliders were moved to."""
        self._wished = []

    def show(self) -> None:
        """Show where the joints are, unless somebody has just moved one."""
        if monotonic() - max(slider.touched for slider in self._sliders) < _SLIDES:
            return
        self.forget()
        measured, model = self._source.measured, self._arm.model
        shown = [degrees(measured[name]) for name in self._arm.joint_names]
        for slider, value in zip(self._sliders, (
                *shown, gripper_opening(model.extra_joints, measured))):
            if value is not None:
                slider.show_near(value, _OFF)

    def _on_slider(self, index: int, value: float) -> None:
        measured, joints = self._source.measured, self._arm.model.joints
        if not {*self._arm.joint_names} <= measured.keys():
            return
        if not self._wished or self._target.target is not self._sent:
            self._wished = [measured[joint.name] for joint in joints]   # the other joints stay
        self._wished[index] = radians(value)
        self._sent = target_at(self._arm, [min(max(at, joint.lower), joint.upper)
                                           for at, joint in zip(self._wished, joints)])
        self._target.go_to(self._sent)
