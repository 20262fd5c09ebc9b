# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The part of the page that is about joints: sliders, and where they are measured."""

from __future__ import annotations

from functools import partial
from math import degrees, radians
from time import monotonic
from typing import Any

from .control import Control
from .target_panel import TargetPanel
from ..nodes.common.tool_rotation import target_of

#: So long after a slider was moved, sliders do not yet show the measured positions [s].
_SLIDES = 2.0

#: The label of the slider of all extra joints.
_GRIPPER = 'Gripper'


class JointPanel:
    """
    Sliders of the joints.

    :param gui: of the server.
    :param control: the :class:`~.control.Control`.
    :param source: a :class:`~.ros_arm.RosArm`, or :class:`~.simulated.ArmWithoutRos`.
    :param target: the :class:`~.target_panel.TargetPanel`, which sends poses.
    """

    def __init__(self, gui: Any, control: Control, source: Any, target: TargetPanel) -> None:
        self._control, self._source, self._arm = control, source, source.arm
        self._target = target
        self._slid = 0.0                     # when a slider was moved last
        self._wished: dict[str, float] = {}  # where sliders were moved, until they show the arm
        model = self._arm.model
        self._sliders = {joint.name: gui.add_slider(f'{joint.name} [°]', *(
            round(degrees(value), 1) for value in (joint.lower, joint.upper)), 0.1,
            round(degrees(home), 1)) for joint, home in zip(model.joints, model.home)}
        if model.extra_joints:
            self._sliders[_GRIPPER] = gui.add_slider(
                _GRIPPER, 0.0, 1.0, 0.01, 0.0, hint='0 closed, 1 open')
        for label, slider in self._sliders.items():
            slider.on_update(control.only(partial(self._on_slider, label)))

    def touched(self, element: Any) -> None:
        """Take note of a slider at once, or the picture sets it back."""
        if element in self._sliders.values():
            self._slid = monotonic()

    def forget_unless(self, element: Any = None) -> None:
        """Forget where sliders were moved, unless it is one of them that is moved."""
        if element not in self._sliders.values():
            self._wished.clear()

    def show(self, steps: float = 2.5) -> None:
        """Set the sliders that are off by more than so many of their steps."""
        if steps and monotonic() - self._slid < _SLIDES:
            return
        if steps:
            self._wished.clear()
        for label, value in self._positions().items():
            slider = self._sliders[label]
            value = round(min(max(value, slider.min), slider.max), slider.precision)
            if abs(slider.value - value) > steps * slider.step:
                slider.value = value

    def _positions(self) -> dict[str, float]:
        """Return by slider where it was just moved, or what is measured."""
        measured = self._source.measured
        found = {name: degrees(measured[name]) for name in self._arm.joint_names
                 if name in measured}
        found.update({_GRIPPER: (measured[joint.name] - joint.closed) / (joint.open - joint.closed)
                      for joint in self._arm.model.extra_joints[:1] if joint.name in measured})
        return {**found, **self._wished}

    def _on_slider(self, label: str, value: float) -> None:
        if label == _GRIPPER:
            self._wished[label] = value
            if not self._control.stopped:
                self._source.gripper(value)
            return
        self._wished = {**self._positions(), label: value}   # the other joints stay
        if not {*self._arm.joint_names} <= self._wished.keys():
            return                                           # and nobody knows where
        tip = self._arm.forward([
            min(max(radians(self._wished[joint.name]), joint.lower), joint.upper)
            for joint in self._arm.model.joints])
        self._target.go_to(target_of(self._arm, tip.position, tip.rotation))
