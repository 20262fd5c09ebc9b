# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The page: what it shows, and what its buttons do.

One browser has control, the others watch; anybody may take control, and anybody may stop the arm.
If the browser in control is gone, what it streamed ends and the arm holds where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from math import degrees, radians
import threading
from time import monotonic
from typing import Any

import numpy as np

from .drawing import COMMANDED, DrawnArm, MISS, OTHER, reach_slice, Surface, Trace, up_fan
from ..description.urdf import Link, links
from ..errors import ArmIkError
from ..kinematics.solution import Solution
from ..kinematics.target import Target

#: How often the picture changes [s].
PERIOD = 0.05

#: The other branches that are shown, at most.
OTHERS = 3

#: A target at rest for so long gets its slice of the reach drawn [s].
_RESTS = 0.4

#: So long after a slider was moved, sliders do not yet show the measured positions [s].
_SLIDES = 2.0

#: What counts as reached, as for ``ik_node``.
_TOLERANCES = {'position_tolerance': 1e-4, 'up_tolerance': 1e-3}

#: By the levels of a DiagnosticStatus.
_LEVELS = ('OK', 'WARN', 'ERROR', 'STALE')

#: Stop, the only red button, stays in the corner of the window, however its panel is scrolled; the
#: panel cannot be folded or moved away, because Stop would go with it.
_STYLE = """<style>
button[style*="red-filled"] { position: fixed; left: 0.7em; bottom: 1em; z-index: 1000;
  width: min(9em, 26vw); height: 4em !important; padding: 0; }
[data-dock-region-handle] { display: none !important; }
[data-dock-header], div[style*="user-select: none"][style*="3.5em"] { pointer-events: none; }
[data-dock-header] button { pointer-events: auto; }
</style>"""

_THEME = {'show_logo': False, 'show_share_button': False, 'brand_color': (40, 110, 220)}


class Page:
    """
    The page of one arm, for all browsers.

    :param server: a :class:`~.guarded_server.GuardedServer`.
    :param source: a :class:`~.ros_arm.RosArm`, or :class:`~.simulated.SimulatedArm`.
    :param solid: the links of the measured arm; empty: simple ones.
    """

    def __init__(self, server: Any, source: Any, solid: Sequence[Link] = ()) -> None:
        self._server, self._source, self._arm = server, source, source.arm
        self._lock = threading.RLock()
        self._holder: int | None = None      # the browser in control
        self._following = False              # whether targets are sent while they are dragged
        self._control: dict[int, Any] = {}   # what each browser reads about control
        self._stopped = False
        self._target: Target | None = None
        self._changed = 0.0                  # when the target changed last
        self._slid = 0.0                     # when a slider was moved last
        self._solved_for: Target | None = None
        self._answer: Solution | None = None
        self._reach_of: Target | None = None
        self._slicing: threading.Thread | None = None
        self._draw(solid)
        self._build()
        server.on_client_connect(self._on_connect)
        server.on_client_disconnect(self._on_disconnect)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name='page', daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the picture."""
        self._end.set()
        self._thread.join()

    def _draw(self, solid: Sequence[Link]) -> None:
        scene, arm, reach = self._server.scene, self._arm, self._arm.model.reach
        scene.set_up_direction('+z')
        height = self._arm.model.base_height
        camera = self._server.initial_camera
        camera.fov = radians(50.0)
        camera.position = (1.5 * reach, -1.5 * reach, height + 0.9 * reach)
        camera.look_at = (0.0, 0.0, height)
        scene.add_grid('/grid', width=2.5 * reach, height=2.5 * reach, cell_size=0.05,
                       section_size=0.1, cell_thickness=0.5, section_thickness=0.7,
                       cell_color=(150, 150, 150), section_color=(130, 130, 130), plane='xy')
        simple = links(arm.model)
        self._solid = DrawnArm(scene, solid or simple, '/measured')
        self._ghost = DrawnArm(scene, simple, '/commanded', COMMANDED, 0.35)
        self._others = [DrawnArm(scene, simple, f'/others/{index}', OTHER, 0.12)
                        for index in range(OTHERS)]
        self._reach = Surface(scene, '/reach', (60, 160, 255))
        self._fan = Surface(scene, '/fan', (255, 190, 60))
        self._trace = Trace(scene, 0.005 * reach)
        self._words = scene.add_label('/words', '', anchor='bottom-center', visible=False)
        self._miss: Any = None
        self._gizmo = scene.add_transform_controls(
            '/target', scale=0.35 * reach, visible=False, depth_test=False)
        self._gizmo.on_update(self._in_control(self._on_drag))

    def _build(self) -> None:
        gui, model = self._server.gui, self._arm.model
        gui.configure_theme(**_THEME)
        gui.set_panel_label(f'arm_ik: {model.name}')
        gui.main_panel.dock_right()
        gui.add_html(_STYLE)
        gui.add_button('Stop (space)', color='red').on_click(self._on_stop)
        self._health = gui.add_markdown('')
        gui.add_command('Stop', hotkey='space').on_trigger(self._on_stop)
        self._reset = gui.add_button('Reset', disabled=True)
        self._reset.on_click(self._in_control(self._on_reset))
        self._status = gui.add_markdown('')
        self._reason = gui.add_markdown('')
        with gui.add_folder('Target'):
            self._follow = gui.add_checkbox('Follow', False, hint='the arm follows while you drag')
            self._follow.on_update(self._in_control(
                lambda event: self._set_following(event.target.value)))
            self._motion = gui.add_dropdown('Motion', self._source.motions)
            self._motion.on_update(self._in_control(
                lambda event: self._source.move_by(event.target.value)))
            gui.add_button('Go').on_click(self._in_control(lambda _: self._send()))
            gui.add_button('Home').on_click(self._in_control(
                lambda _: self._stopped or self._source.home()))
            gui.add_button_group('Commands', ('Enable', 'Disable')).on_click(self._in_control(
                lambda event: self._stopped or self._source.enable(
                    event.target.value == 'Enable')))
        with gui.add_folder('Joints'):
            self._sliders = {joint.name: gui.add_slider(
                joint.name, round(degrees(joint.lower), 1), round(degrees(joint.upper), 1), 0.1,
                round(degrees(home), 1)) for joint, home in zip(model.joints, model.home)}
            for slider in self._sliders.values():
                slider.on_update(self._in_control(self._on_slider))
            if model.extra_joints:
                gripper = gui.add_slider('Gripper', 0.0, 1.0, 0.01, 0.0, hint='0 closed, 1 open')
                gripper.on_update(self._in_control(
                    lambda event: self._stopped or self._source.gripper(event.target.value)))
        with gui.add_folder('Show'):
            self._shows_others = gui.add_checkbox('Other branches', True)
            self._shows_reach = gui.add_checkbox('Reach through the target', False)
            self._shows_fan = gui.add_checkbox('Up vectors reached', True)
            gui.add_button('Clear the trace').on_click(lambda _: self._trace.clear())
            gui.add_checkbox('Dark', False).on_update(lambda event: gui.configure_theme(
                dark_mode=event.target.value, **_THEME))

    # Who is in control

    def _in_control(self, act: Callable[[Any], object]) -> Callable[[Any], None]:
        """Return a callback that acts for the browser in control only."""
        @wraps(act)
        def checked(event: Any) -> None:
            with self._lock:
                if event.client_id is None:      # set here, not by a browser
                    return
                if event.client_id == self._holder:
                    act(event)
                elif event.target is self._gizmo:
                    self._show_target()
                elif event.target is self._follow:
                    self._follow.value = self._following
        return checked

    def _on_connect(self, client: Any) -> None:
        with self._lock:
            words = client.gui.add_markdown('', order=-1.0)
            take = client.gui.add_button('Take control', order=-0.5)
            take.on_click(lambda _: self._hand_over(client.client_id))
            self._control[client.client_id] = words, take
            if client.camera.image_width < client.camera.image_height:
                # A phone: the panel covers the lower half.
                reach = self._arm.model.reach
                client.camera.position = (2.7 * reach, -2.7 * reach, 1.2 * reach)
                client.camera.look_at = (0.0, 0.0, -0.7 * reach)
            self._hand_over(client.client_id if self._holder is None else self._holder)

    def _on_disconnect(self, client: Any) -> None:
        with self._lock:
            self._control.pop(client.client_id, None)
            if client.client_id != self._holder:
                return
            # What it has streamed ends: the arm holds where it is.
            if self._following:
                self._source.hold()
            self._hand_over(next(iter(self._control), None))

    def _hand_over(self, client_id: int | None) -> None:
        with self._lock:
            if client_id != self._holder:
                self._set_following(False)
            self._holder = client_id
            for number, (words, take) in self._control.items():
                own = number == client_id
                words.content = ('**You have control.**' if own
                                 else f'*You watch; browser {client_id} has control.*')
                take.visible = not own

    # What the buttons do

    def _set_following(self, on: bool) -> None:
        self._following = on
        self._follow.value = on

    def _on_stop(self, _: Any) -> None:
        # Anybody may, and at once: before waiting for a picture that is being drawn.
        self._stopped = True
        self._source.stop()
        with self._lock:
            self._set_following(False)
            self._reset.disabled = False

    def _on_reset(self, _: Any) -> None:
        if self._reset.disabled:  # the stop is still on its way
            return
        self._source.reset()
        self._stopped = False

    def _on_drag(self, _: Any) -> None:
        w, x, y, z = self._gizmo.wxyz
        up = (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y))
        forward = None
        if self._arm.model.has('wrist_roll'):
            forward = (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y))
        self._set_target(Target(tuple(map(float, self._gizmo.position)), up, forward))
        if self._following:
            self._send()

    def _on_slider(self, _: Any) -> None:
        self._slid = monotonic()
        tip = self._arm.forward([
            min(max(radians(slider.value), joint.lower), joint.upper)
            for slider, joint in zip(self._sliders.values(), self._arm.model.joints)])
        self._set_target(self._target_at(tip))
        self._show_target()
        self._send()

    def _send(self) -> None:
        if self._target is not None and not self._stopped:
            self._source.send(self._target)

    # The target

    def _target_at(self, tip: Any) -> Target:
        forward = tip.rotation[:, 0] if self._arm.model.has('wrist_roll') else None
        return Target(tip.position, tip.up, forward)

    def _set_target(self, target: Target) -> None:
        self._target, self._changed = target, monotonic()

    def _show_target(self) -> None:
        """Put the gizmo where the target is."""
        if self._target is None:
            return
        up = np.array(self._target.up)
        forward = self._target.forward
        if forward is None:
            forward = self._arm.forward(self._arm.solve(self._target).q).rotation[:, 0]
        x = np.array(forward) - (np.array(forward) @ up) * up
        x /= np.linalg.norm(x)
        self._gizmo.position = self._target.position
        self._gizmo.wxyz = _wxyz(np.column_stack([x, np.cross(up, x), up]))
        self._gizmo.visible = True

    # The picture

    def _run(self) -> None:
        while not self._end.wait(PERIOD):
            with self._lock, self._server.atomic():
                self._tick()

    def _tick(self) -> None:
        measured = self._source.measured
        names = self._arm.joint_names
        known = all(name in measured for name in names)
        self._solid.show(measured if known else None)
        if known:
            self._trace.add(self._arm.forward([measured[name] for name in names]).position)
            if monotonic() - self._slid > _SLIDES:
                for name, slider in self._sliders.items():
                    if abs(slider.value - degrees(measured[name])) > 0.25:
                        slider.value = round(degrees(measured[name]), 1)
            if self._target is None:
                self._set_target(self._target_at(
                    self._arm.forward([measured[name] for name in names])))
                self._show_target()
        levels = self._source.health
        worst = max((level for level, _ in levels), default=3)
        notes = ' · '.join(words for level, words in levels if level)
        _set(self._health, 'content', f'**{_LEVELS[min(worst, 3)]}** {self._source.connection}'
                            + (f' · {notes}' if notes else ''))
        _set(self._reset, 'disabled', not (self._stopped or self._source.stopped))
        if self._source.motion is not None:
            _set(self._motion, 'value', self._source.motion)
        _set(self._status, 'content', f'**Arm:** {self._source.status}')
        if self._target is not None and known:
            self._explain(self._target, [measured[name] for name in names])

    def _explain(self, target: Target, near: list[float]) -> None:
        """Show what the solver says of the target."""
        if target is not self._solved_for:
            self._solved_for = target
            try:
                solution = self._arm.solve(target, near=near, **_TOLERANCES)
            except ArmIkError as error:
                self._answer = None
                _set(self._reason, 'content', f'**Target:** {error}')
                return
            names = self._arm.joint_names
            self._answer = solution
            miss = (f'({1e3 * solution.position_error_m:.1f} mm, '
                    f'{degrees(solution.up_error_rad):.1f}°)')
            _set(self._reason, 'content', f'**Target:** {solution.reason} {miss}'
                 if solution.reason else '**Target:** reached')
            x, y, z = target.position
            self._words.position = x, y, z + 0.2 * self._arm.model.reach
            self._words.text = f'{solution.reason.partition(";")[0]} {miss}'
            self._words.visible = not solution.reached
            self._show_miss(self._arm.forward(solution.q).position, target.position)
            others = [branch.q for branch in self._arm.solutions(target, near=near)
                      if branch.reached and branch.q != solution.q] \
                if self._shows_others.value else []
            for drawn, q in zip(self._others, [*others, *[None] * OTHERS]):
                drawn.show(None if q is None else dict(zip(names, q)))
            empty = np.zeros((0, 3))
            self._fan.show(*(up_fan(self._arm, target.position)
                             if self._shows_fan.value else (empty, empty)))
        self._show_ghost()
        rests = monotonic() - self._changed > _RESTS
        wanted = target if self._shows_reach.value else None
        if wanted is not self._reach_of and (rests or wanted is None) and not (
                self._slicing is not None and self._slicing.is_alive()):
            self._reach_of = wanted
            if wanted is None:
                self._reach.show(np.zeros((0, 3)), np.zeros((0, 3)))
            else:
                # Up to half a minute for a rolling base.
                self._slicing = threading.Thread(
                    target=self._slice, args=(wanted,), name='reach_slice', daemon=True)
                self._slicing.start()

    def _show_ghost(self) -> None:
        """Show the arm where it is commanded, or, if dragged since then, where it would be."""
        names, answer = self._arm.joint_names, self._answer
        pose = dict(zip(names, answer.q)) if answer is not None else None
        stopping = answer.limited_by if answer is not None else ()
        commanded = self._source.commanded
        if commanded is not None and self._source.commanded_at > self._changed:
            if pose is None or any(abs(pose[name] - commanded[name]) > 0.01 for name in names):
                stopping = ()
            pose = commanded
        self._ghost.show(pose, stopping)

    def _slice(self, target: Target) -> None:
        vertices, faces = reach_slice(self._arm, target.position)
        with self._lock:
            if self._reach_of is target:
                self._reach.show(vertices, faces)

    def _show_miss(self, tip: np.ndarray, wanted: tuple[float, ...]) -> None:
        if self._miss is not None:
            self._miss.remove()
            self._miss = None
        if np.linalg.norm(np.subtract(tip, wanted)) > 1e-4:
            self._miss = self._server.scene.add_line_segments(
                '/miss', np.array([[tip, wanted]], dtype=np.float32), MISS, thickness=4.0,
                thickness_units='screen')


def _set(element: Any, name: str, value: object) -> None:
    """Set a property that browsers are told of, if it is not so already."""
    if getattr(element, name) != value:
        setattr(element, name, value)


def _wxyz(rotation: np.ndarray) -> tuple[float, float, float, float]:
    import viser.transforms
    w, x, y, z = viser.transforms.SO3.from_matrix(rotation).wxyz
    return float(w), float(x), float(y), float(z)
