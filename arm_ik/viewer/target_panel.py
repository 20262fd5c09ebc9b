# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The part of the page that is about the target: dragged, typed, sent, taken back."""

from __future__ import annotations

from collections import deque
from functools import partial
from math import cos, radians, sin
from time import monotonic
from typing import Any

import numpy as np
import viser.transforms

from .control import Control
from .page_words import angles, rounded
from .scene import DrawnScene
from ..description.collision_shapes import base_cylinders, radius_of
from ..errors import ArmIkError
from ..kinematics.model import ArmModel, KeepOut
from ..kinematics.pose import Pose
from ..kinematics.target import Target
from ..nodes.common.tool_rotation import (
    plane_yaw, target_of, tool_rotation, UP_MODES, with_up_of)

#: A target at rest for so long is drawn as it is sent, and gets its slice of the reach [s].
RESTS = 0.4

#: So long after a jog the target goes with the tip [s].
_COASTS = 1.0

#: Targets that follow one another sooner than this [s] are one motion for *Undo*, which goes back
#: by so many.
_ONE, _MOTIONS = 1.0, 20

#: How far a target may be typed, in reaches.
_FARTHEST = 1.5

#: Edge and thickness of the table, in reaches, and how far it is below an arm without a base [m].
_EDGE, _THICK, _BELOW = 2.4, 0.05, 0.005


class TargetPanel:
    """
    The target of all browsers; ``target`` is ``None`` before the arm is known.

    ``changed`` is when it changed last, on the monotonic clock [s].

    :param gui: of the server.
    :param control: the :class:`~.control.Control`.
    :param source: a :class:`~.ros_arm.RosArm`, or :class:`~.simulated.ArmWithoutRos`.
    :param scene: the :class:`~.scene.DrawnScene`.
    """

    def __init__(self, gui: Any, control: Control, source: Any, scene: DrawnScene) -> None:
        self.target: Target | None = None
        self.changed = 0.0
        self._source, self._arm, self._scene = source, source.arm, scene
        self._following = False         # whether targets are sent while they are dragged
        self._is_dragged = False        # and was not drawn as it is sent since
        self._jogged = -_COASTS         # when the tip was jogged last, if not dragged since
        self._tip: Target | None = None
        self._q: list[float] = []
        self._sent = -_ONE              # when a target was sent last
        self._before: deque[Target] = deque(maxlen=_MOTIONS)
        self._shown_settings: dict[str, Any] = {}
        self._build(gui, control)
        scene.gizmo.on_update(control.only(self._on_drag, lambda gizmo: (
            tuple(map(float, gizmo.position)), tuple(gizmo.wxyz))))
        self._stay_above()

    def _build(self, gui: Any, control: Control) -> None:
        model, settings = self._arm.model, self._source
        self._follow = gui.add_checkbox('Follow', False, hint='the arm follows while you drag')
        self._follow.on_update(control.only(self.set_following))
        modes = gui.add_dropdown(
            'Up vector', UP_MODES, hint='what becomes of it when the target is dragged')
        self._motion = gui.add_dropdown('Motion', self._source.motions)
        self._motion.on_update(control.only(lambda value: settings.set('motion', value)))
        self._speed = gui.add_slider('Speed [mm/s]', 5.0, 200.0, 5.0, 100.0,
                                     hint='of the tip, along lines and in a jog')
        self._speed.on_update(control.only(
            lambda value: settings.set('tip_speed', 1e-3 * value)))
        self._joint_speed = gui.add_slider(
            'Joint speed [%]', 5.0, 100.0, 5.0, 100.0, hint='of motions that are no lines')
        self._joint_speed.on_update(control.only(
            lambda value: settings.set('driver_speed', 1e-2 * value)))
        far = 1e3 * _FARTHEST * model.reach
        self._at = gui.add_vector3('Tip [mm]', (0.0, 0.0, 0.0), min=(-far,) * 3, max=(far,) * 3,
                                   step=0.1, hint='x, y, z of the target; Go sends it')
        self._at.on_update(control.only(self._on_typed_position))
        self._up = gui.add_vector2(
            'Up [°]', (0.0, 0.0), min=(-90.0, -180.0), max=(90.0, 180.0), step=0.1,
            hint="elevation of the up vector, and its azimuth from the arm's plane")
        self._up.on_update(control.only(self._on_typed_up))
        gui.add_button('Target to the tip').on_click(control.only(lambda _: self._set(None)))
        gui.add_button('Go').on_click(control.only(lambda _: self.send()))
        gui.add_button('Undo', hint='go back to the pose before the last motion').on_click(
            control.unless_stopped(lambda _: self._undo()))
        gui.add_button('Home').on_click(control.unless_stopped(lambda _: self._go_home()))
        gui.add_button_group('Commands', ('Enable', 'Disable')).on_click(control.unless_stopped(
            lambda value: self._source.enable(value == 'Enable')))
        own = model.floor_height is not None or bool(model.keep_out)
        table = gui.add_checkbox(
            'Table', not own, hint='the arm stays above it; for all who send targets')
        height = gui.add_number('Table height [mm]', rounded(1e3 * _lowest(model)), min=-far,
                                max=far, step=0.1)
        self._chosen = {each: (element, element.value) for each, element in (
            ('mode', modes), ('table', table), ('height', height))}
        for each, (element, _) in self._chosen.items():
            element.on_update(control.only(partial(self._choose, each)))
        self._control = control

    def set_following(self, on: bool) -> None:
        """Send targets while they are dragged, or not."""
        self._following = self._follow.value = on

    def hold(self) -> None:
        """End what is streamed: the arm holds where it is."""
        if self._following:
            self._source.enable(False)
            self._source.enable(True)

    def jogged(self) -> None:
        """Have the target go with the tip for a time."""
        self._jogged = monotonic()

    def send(self) -> None:
        """Send the target, unless the arm is stopped."""
        if self.target is not None and not self._control.stopped:
            self._remember()
            self._source.send(self.target)

    def go_to(self, target: Target) -> None:
        """Set a target, and send it."""
        self._set(target)
        self.show()
        self.send()

    def take_state(self, q: list[float], tip: Pose) -> None:
        """Take note of where the arm is."""
        self._q, self._tip = q, target_of(self._arm, tip.position, tip.rotation)
        if self.target is None or monotonic() - self._jogged < _COASTS:
            self.target, self.changed = self._tip, monotonic()
            self.show()
        elif self._is_dragged and monotonic() - self.changed > RESTS:
            self.show()

    def show(self) -> None:
        """Put the gizmo where the target is, and what is chosen and typed as it is."""
        self._follow.value = self._following
        for element, value in self._chosen.values():
            element.value = value
        if self.target is not None:
            self._is_dragged = False
            self._scene.show_target(self.target)
            self._show_numbers(self.target)

    def show_settings(self, again: bool = False) -> None:
        """Show the settings, if they have changed: somebody may be choosing."""
        shown = self._source.settings
        if again or shown != self._shown_settings:
            self._shown_settings = shown
            self._motion.value = shown.get('motion', self._source.motions[0])
            for slider, scale, name, default in (
                    (self._speed, 1e3, 'tip_speed', 0.1),
                    (self._joint_speed, 1e2, 'driver_speed', 1.0)):
                slider.value = min(max(scale * shown.get(name, default), slider.min), slider.max)

    def _set(self, target: Target | None) -> None:
        """Set the target, which ends that it goes with the tip; ``None``: to where the tip is."""
        self.target, self.changed, self._jogged = target, monotonic(), -_COASTS

    def _on_drag(self, pose: tuple[tuple[float, ...], tuple[float, ...]]) -> None:
        position, wxyz = pose
        rotation = viser.transforms.SO3(np.array(wxyz)).as_matrix()
        self._set(target := self._led(target_of(self._arm, position, rotation)))
        self._is_dragged = True
        self._show_numbers(target)
        if self._following:
            self.send()

    def _on_typed_position(self, value: tuple[float, ...]) -> None:
        if self.target is not None:
            self._set(self._led(self.target.replace(position=[1e-3 * part for part in value])))
            self.show()

    def _on_typed_up(self, value: tuple[float, float]) -> None:
        if (old := self.target) is not None:
            elevation, azimuth = map(radians, value)
            azimuth += plane_yaw(self._arm, old.position)
            level = cos(elevation)
            up = level * cos(azimuth), level * sin(azimuth), sin(elevation)
            try:
                self._set(old.replace(up=up))
            except ArmIkError:   # its forward vector is along the new up vector
                self._set(Target(old.position, up))
            self.show()

    def _show_numbers(self, target: Target) -> None:
        self._at.value = tuple(rounded(1e3 * part) for part in target.position)
        self._up.value = angles(tool_rotation(self._arm, target)[:, 2],
                                plane_yaw(self._arm, target.position))

    def _remember(self) -> None:
        """Take note of where the arm is before a motion."""
        if self._tip is not None and monotonic() - self._sent > _ONE:
            self._before.append(self._tip)
        self._sent = monotonic()

    def _undo(self) -> None:
        if self._before:
            self._set(target := self._before.pop())
            self.show()
            self._source.send(target)

    def _go_home(self) -> None:
        self._remember()
        tip = self._arm.forward(self._arm.home)
        self._set(target_of(self._arm, tip.position, tip.rotation))
        self.show()
        self._source.home()

    def _choose(self, name: str, value: Any) -> None:
        self._chosen[name] = self._chosen[name][0], value
        if name != 'mode':
            self._stay_above()

    def _stay_above(self) -> None:
        model, (_, top) = self._arm.model, self._chosen['height']
        edge, thick = _EDGE * model.reach, _THICK * model.reach
        table = KeepOut('table', 'box', (edge, edge, thick), (
            model.base_x, model.base_y, 1e-3 * top - 0.5 * thick))
        self._source.stay_out_of((table,) if self._chosen['table'][1] else ())

    def _led(self, target: Target) -> Target:
        """Return a target that is dragged, with the up vector that it gets."""
        return with_up_of(self._chosen['mode'][1], self._arm, target, self._q)


def _lowest(model: ArmModel) -> float:
    """Return how low the arm's own base or shoulder is [m]: a table is there, or below."""
    bottoms = [bottom for _, bottom, _ in base_cylinders(model)]
    shoulder = model.base_height - radius_of(model, 'upper_arm') - _BELOW
    return min(0.0, shoulder, *bottoms)
