# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The page: its parts, what is said of the arm, and its picture.

If the browser in control is closed, what it streamed ends and the arm holds where it is.
"""

from collections.abc import Sequence
from math import inf
from pathlib import Path
import threading
from time import monotonic
import traceback
from typing import Any

from .control import Control
from .explain_panel import ExplainPanel
from .jog import GamepadPanel, JogPanel, PLACE
from .joint_panel import JointPanel, PosesPanel
from .page_words import angles, in_lines, in_millimetres, rounded, SILENT, STYLE, table
from .scene import DrawnScene, VIEWS
from .target_panel import RESTS, TargetPanel
from ..description.urdf import Link

#: How often the picture changes [s].
PERIOD = 0.05

#: How often what is measured is written [s].
_READS = 0.25

#: By the levels of a DiagnosticStatus.
_LEVELS = ('OK', 'WARN', 'ERROR', 'STALE')

#: What each browser shows or hides for itself: label, place in the scene, whether from the start.
_SHOWS = (('Other branches', '/others', True), ('Reach through the target', '/reach', False),
          ('Trace of the tip', '/trace', True))


class Page:
    """
    The page of one arm, for all browsers.

    :param server: a :class:`~.guarded_server.GuardedServer`.
    :param source: a :class:`~.ros_arm.RosArm`, or :class:`~.simulated.ArmWithoutRos`.
    :param solid: the links of the measured arm; empty: simple ones.
    :param explains: whether it is explained from the start how the target is solved.
    :param made: arguments of :func:`~arm_ik.arm.arm_of` that make the arm.
    :param poses: the target file of the panel of poses; ``None``: without one.
    """

    def __init__(self, server: Any, source: Any, solid: Sequence[Link] = (),
                 explains: bool = False, made: str = '', poses: Path | None = None) -> None:
        self._server, self._source, self._arm = server, source, source.arm
        self._shown: dict[int, dict[str, Any]] = {}   # by browser and label: what it may hide
        self._explains = explains
        self._read = 0.0                     # when what is measured was written last
        self._passed_over = 0
        self._viewed: Any = None   # the target that cameras were moved for
        # The target, the bend asked for, where it is solved from, the solution, and its words.
        self._answer: Any = (None, None, None, None, '')
        self._scene = DrawnScene(server, source.arm, solid)
        self._poses: PosesPanel | None = None
        gui, model = server.gui, source.arm.model
        gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(40, 110, 220))
        gui.set_panel_label(f'arm_ik: {model.name}')
        gui.main_panel.dock_right()
        gui.add_html(STYLE)
        self._beat, self._health, self._words = [gui.add_html('') for _ in range(3)]
        self._control = control = Control(gui, source, self._end_all)
        with gui.add_folder('Target'):
            self._target = TargetPanel(gui, control, source, self._scene)
            gui.add_button_group('Commands', ('Enable', 'Disable')).on_click(
                control.unless_stopped(self._on_enable))
        with gui.add_folder('Joints'):
            self._joints = JointPanel(gui, control, source, self._target)
        with gui.add_folder('Measured'):
            self._readings = gui.add_html('')
        with gui.add_folder('Jog', expand_by_default=False) as self._jogs:
            self._jog = JogPanel(gui, control, self._target)
            GamepadPanel(server, control, source, self._target)
        self._explain = ExplainPanel(server, control, source, self._target, made)
        if poses:
            with gui.add_folder('Poses'):
                self._poses = PosesPanel(gui, control, source, poses)
        with gui.add_folder('Show') as self._show:
            if not solid:
                origin = f', from {model.source}' if model.source else ''
                gui.add_html(in_lines('note', ('', (
                    f"With the maker's meshes: arm_ik viewer --urdf FILE{origin}"))), order=inf)
        server.on_client_connect(self._on_connect)
        server.on_client_disconnect(self._on_disconnect)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name='page', daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the picture."""
        self._end.set()
        self._thread.join()
        self._control.close()

    # Browsers

    def _on_connect(self, client: Any) -> None:
        with self._control.lock:
            with self._show:
                # A browser's own nodes shadow those of the same name, with all that hangs on them.
                shows = (*_SHOWS, ('Explain', '/explain', self._explains))
                nodes = {label: client.scene.add_frame(node, show_axes=False, visible=on)
                         for label, node, on in shows}
                for (label, _, on), node in zip(shows, nodes.values()):
                    client.gui.add_checkbox(label, on).on_update(
                        lambda event, node=node: setattr(node, 'visible', event.target.value))
                client.gui.add_button_group('View', tuple(VIEWS)).on_click(
                    lambda event: self._scene.look(client.camera, event.target.value, (
                        client.camera.image_width < client.camera.image_height)))
            self._shown[client.client_id] = nodes
            if client.camera.image_width < client.camera.image_height:
                self._scene.look(client.camera, 'home', is_upright=True)
            with self._jogs:    # the gamepad of each browser says whose it is
                client.gui.add_html(PLACE.format(client.client_id))
            self._control.add(client)

    def _on_disconnect(self, client: Any) -> None:
        with self._control.lock:
            self._shown.pop(client.client_id, None)
            if client.client_id == self._control.holder:
                self._target.hold()
            self._control.remove(client)

    def _end_all(self) -> None:
        self._target.follow.show(False)
        self._jog.switch(False)
        self._joints.forget()
        if self._poses:
            self._poses.stop()

    def _on_enable(self, value: str) -> None:
        self._source.enable(value == 'Enable')
        self._end_all()

    # The picture

    def _run(self) -> None:
        while not self._end.wait(PERIOD):
            with self._control.lock, self._server.atomic():
                try:
                    self._beat.content = SILENT.format(int(monotonic()))
                    self._tick()
                except Exception as error:  # noqa: BLE001, or it would never go on
                    words = in_lines('line', ('ERROR', f'no picture: {error!r}'))
                    if self._health.content != words:
                        traceback.print_exc()
                        self._health.content = words

    def _tick(self) -> None:
        measured, source, tip = self._source.measured, self._source, None
        names = self._arm.joint_names
        self._scene.show_keep_out(source.keep_out)
        self._scene.show_objects(source.objects)
        known = all(name in measured for name in names)
        self._scene.show_measured(measured if known else None, source.is_live)
        if known:
            self._joints.show()
            q = [measured[name] for name in names]
            tip = self._arm.forward(q)
            self._target.take_state(q)
            self._show_answer(q)
        if monotonic() - self._read > _READS:
            self._read = monotonic()
            at = '' if tip is None else 'Tip {}, {}, {} mm; up {}°, {}°'.format(
                *map(rounded, (1e3 * tip.position).tolist()), *angles(tip.up))
            self._readings.content = in_lines('line', ('', at)) + table(
                self._arm.model, measured, source.commanded, source.servos)
        if self._server.guard.passed_over != self._passed_over:
            self._passed_over = self._server.guard.passed_over
            self._target.show()   # of a bad drag the browser's own picture is left bad
        self._control.show()
        self._target.show_settings()
        self._say_how_it_is()   # last: it is not OK if there is no picture

    def _say_how_it_is(self) -> None:
        levels, stopped = self._source.health, self._control.stopped
        if stopped and not self._source.stopped:   # the driver does not say so itself
            levels = [*levels, (1, 'stopped: press Reset')]
        worst = max((level for level, _ in levels), default=3)
        self._health.content = in_lines('line', (_LEVELS[min(worst, 3)], self._source.connection))
        status, miss = in_millimetres(self._source.status), self._answer[-1]
        self._words.content = in_lines(
            'box', ('Arm:', status.replace(f': {miss}', '') if miss else status),
            *[('', words) for level, words in levels if level and words], ('Target:', miss))

    def _show_answer(self, near: list[float]) -> None:
        if (target := self._target.target) is None:
            return
        elbow = self._source.settings.get('elbow', 'nearest')
        if target is not self._answer[0] or elbow != self._answer[1]:
            solution = self._arm.solve(target, near=near, elbow=elbow)
            self._answer = target, elbow, near, solution, self._scene.show_answer(
                target, near, solution)
        self._explain.show(self._is_shown('Explain'), *self._answer[:4])
        # Since the last drag: before that, it is another target's.
        newer = self._source.commanded_at > self._target.changed
        self._scene.show_commanded(self._source.commanded if newer else {})
        if monotonic() - self._target.changed < RESTS:
            return
        if target is not self._viewed:
            self._viewed = target
            for client in self._server.get_clients().values():
                self._scene.keep_in_view(client.camera, target.position)
        self._scene.show_reach(target if self._is_shown('Reach through the target') else None)

    def _is_shown(self, label: str) -> bool:
        """Return whether some browser shows what it may hide."""
        return any(nodes[label].visible for nodes in self._shown.values())
