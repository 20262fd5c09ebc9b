# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The part of the page that is about the target: dragged, typed, sent, taken back."""

from collections import deque
from time import monotonic
from typing import Any

import numpy as np
import viser.transforms

from .control import Control, Input
from .page_words import angles, rounded
from .scene import DrawnScene
from ..description.collision_shapes import base_cylinders, radius_of
from ..kinematics.model import ArmModel, KeepOut
from ..kinematics.target import Target
from ..tool_rotation import plane_yaw, target_at, target_of, UP_MODES, with_up, with_up_of

#: A target at rest for so long is drawn as it is sent, and gets its slice of the reach [s].
RESTS = 0.4

#: So long after a jog the target goes with the tip [s].
_COASTS = 1.0

#: Turning speed for a speed of the tip [rad/m].
_TURN = 5.0

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

    ``changed`` is when it changed last, on the monotonic clock [s]; ``follow`` says whether it is
    sent while it is dragged.

    :param gui: of the server.
    :param control: the :class:`~.control.Control`.
    :param source: a :class:`~.ros_arm.RosArm`, or :class:`~.simulated.ArmWithoutRos`.
    :param scene: the :class:`~.scene.DrawnScene`.
    """

    def __init__(self, gui: Any, control: Control, source: Any, scene: DrawnScene) -> None:
        self.target: Target | None = None
        self.changed = 0.0
        self._source, self._arm, self._scene = source, source.arm, scene
        self._control = control
        self._is_dragged = False        # and is not yet drawn as it is sent
        self._jogged = -_COASTS         # when the tip was jogged last, if not dragged since
        self._tip: Target | None = None
        self._q: list[float] = []
        self._sent = -_ONE              # when a target was sent last
        self._before: deque[Target] = deque(maxlen=_MOTIONS)
        model = self._arm.model
        self.follow = Input(control, gui.add_checkbox(
            'Follow', False, hint='the arm follows while you drag'))
        self._mode = Input(control, gui.add_dropdown(
            'Up vector', UP_MODES, hint='what becomes of it when the target is dragged'))
        self._motion = Input(control, gui.add_dropdown('Motion', source.motions),
                             lambda value: source.set('motion', value))
        self._speed = Input(control, gui.add_slider(
            'Speed [mm/s]', 5.0, 200.0, 5.0, 100.0, hint='of the tip, along lines and in a jog'),
            lambda value: source.set('tip_speed', 1e-3 * value))
        self._joint_speed = Input(control, gui.add_slider(
            'Joint speed [%]', 5.0, 100.0, 5.0, 100.0, hint='of motions that are no lines'),
            lambda value: source.set('driver_speed', 1e-2 * value))
        far = 1e3 * _FARTHEST * model.reach
        self._at = Input(control, gui.add_vector3(
            'Tip [mm]', (0.0, 0.0, 0.0), min=(-far,) * 3, max=(far,) * 3, step=0.1,
            hint='x, y, z of the target; Go sends it'), self._on_typed_position)
        self._up = Input(control, gui.add_vector2(
            'Up [°]', (0.0, 0.0), min=(-90.0, -180.0), max=(90.0, 180.0), step=0.1,
            hint="elevation of the up vector, and its azimuth from the arm's plane"),
            self._on_typed_up)
        gui.add_button('Target to the tip').on_click(control.only(lambda _: self._set(None)))
        gui.add_button('Go').on_click(control.only(lambda _: self.send()))
        gui.add_button('Undo', hint='go back to the pose before the last motion').on_click(
            control.unless_stopped(lambda _: self._undo()))
        gui.add_button('Home').on_click(control.unless_stopped(lambda _: self._go_home()))
        own = model.floor_height is not None or bool(model.keep_out)
        self._table = Input(control, gui.add_checkbox(
            'Table', not own, hint='the arm stays above it; for all who send targets'),
            lambda _: self._stay_above())
        self._height = Input(control, gui.add_number(
            'Table height [mm]', rounded(1e3 * _lowest(model)), min=-far, max=far, step=0.1),
            lambda _: self._stay_above())
        scene.gizmo.on_update(control.only(self._on_drag, _pose_of, self.show))
        self._stay_above()

    def hold(self) -> None:
        """End what is streamed: the arm holds where it is."""
        if self.follow.value:
            self._source.enable(False)
            self._source.enable(True)

    def nearest(self) -> None:
        """Have the elbow bend as is nearest to the arm: the other bend is for what is dragged."""
        if self._source.settings.get('elbow', 'nearest') != 'nearest':
            self._source.set('elbow', 'nearest')

    def jog(self, twist: Any) -> None:
        """
        Move the tip for a moment, and have the target go with it for a time.

        :param twist: linear and angular parts of the largest velocities, -1 to 1, in axes of the
            base, (2, 3).
        """
        self.nearest()
        self._jogged = monotonic()
        speed = self._source.settings.get('tip_speed', 0.0)
        self._source.jog(speed * twist[0], speed * _TURN * twist[1])

    def send(self) -> None:
        """Send the target, unless the arm is stopped."""
        if self.target is not None and not self._control.stopped:
            self._remember()
            self._source.send(self.target)

    def go_to(self, target: Target) -> None:
        """Set a target, and send it."""
        self.nearest()
        self._set(target)
        self.send()

    def take_state(self, q: list[float]) -> None:
        """Take note of where the arm is, by its joint positions [rad]."""
        self._q, self._tip = q, target_at(self._arm, q)
        if self.target is None or monotonic() - self._jogged < _COASTS:
            self._set(self._tip, jogged=self._jogged)
        elif self._is_dragged and monotonic() - self.changed > RESTS:
            self.show()

    def show(self) -> None:
        """Put the gizmo where the target is."""
        if self.target is not None:
            self._is_dragged = False
            self._scene.show_target(self.target)

    def show_settings(self) -> None:
        """Show the settings, by whomever they were set."""
        settings = self._source.settings
        self._motion.show(settings.get('motion', self._motion.value))
        self._speed.show_near(1e3 * settings.get('tip_speed', 0.1))
        self._joint_speed.show_near(1e2 * settings.get('driver_speed', 1.0))

    def _set(self, target: Target | None, is_dragged: bool = False, jogged: float = -_COASTS
             ) -> None:
        """Set the target, which ends that it goes with the tip; ``None``: to where the tip is."""
        self.target, self.changed, self._jogged = target, monotonic(), jogged
        self._is_dragged = is_dragged
        if target is not None:
            self._at.show(tuple(rounded(1e3 * part) for part in target.position))
            self._up.show(angles(target.up, plane_yaw(self._arm, target.position)))
        if not is_dragged:
            self.show()

    def _on_drag(self, pose: tuple[np.ndarray, np.ndarray]) -> None:
        self._set(self._led(target_of(self._arm, *pose)), is_dragged=True)
        if self.follow.value:
            self.send()

    def _on_typed_position(self, value: tuple[float, ...]) -> None:
        if self.target is not None:
            self._set(self._led(self.target.replace(position=[1e-3 * part for part in value])))

    def _on_typed_up(self, value: tuple[float, float]) -> None:
        if self.target is not None:
            self._set(with_up(self._arm, self.target, *np.radians(value)))

    def _remember(self) -> None:
        """Take note of where the arm is before a motion."""
        if self._tip is not None and monotonic() - self._sent > _ONE:
            self._before.append(self._tip)
        self._sent = monotonic()

    def _undo(self) -> None:
        if self._before:
            self.nearest()
            self._set(target := self._before.pop())
            self._source.send(target)

    def _go_home(self) -> None:
        self._remember()
        self.nearest()
        self._set(target_at(self._arm, self._arm.home))
        self._source.home()

    def _stay_above(self) -> None:
        model = self._arm.model
        edge, thick = _EDGE * model.reach, _THICK * model.reach
        table = KeepOut('table', 'box', (edge, edge, thick), (
            model.base_x, model.base_y, 1e-3 * self._height.value - 0.5 * thick))
        self._source.stay_out_of((table,) if self._table.value else ())

    def _led(self, target: Target) -> Target:
        """Return a target that is dragged, with the up vector that it gets."""
        return with_up_of(self._mode.value, self._arm, target, self._q or self._arm.home)


def _pose_of(event: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return where a gizmo was dragged to: position [m] and rotation (3, 3)."""
    return (np.array(event.target.position),
            viser.transforms.SO3(np.array(event.target.wxyz)).as_matrix())


def _lowest(model: ArmModel) -> float:
    """Return how low the arm's own base or shoulder is [m]: a table is there, or below."""
    bottoms = [each.position[2] - 0.5 * each.size[1] for each in base_cylinders(model)]
    shoulder = model.base_height - radius_of(model, 'upper_arm') - _BELOW
    return min(0.0, shoulder, *bottoms)
