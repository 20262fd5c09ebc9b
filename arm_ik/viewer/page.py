# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The page: its words and buttons, and who has control.

One browser has control, the others watch; anybody may take control, and anybody may stop the arm.
What a watcher changes is set back, but for what is shown in its own window alone.
If the browser in control is closed, what it streamed ends and the arm holds where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import escape
from math import asin, atan2, cos, degrees, hypot, radians, sin
import threading
from time import monotonic
import traceback
from typing import Any

import numpy as np
import viser.transforms

from . import jog
from .scene import DrawnScene, VIEWS
from ..description.urdf import Link
from ..errors import ArmIkError
from ..kinematics.target import Target
from ..nodes.common.jog_keys import DIRECTIONS
from ..nodes.common.tool_rotation import target_of, tool_rotation

#: How often the picture changes [s].
PERIOD = 0.05

#: A target at rest for so long gets its slice of the reach drawn [s].
_RESTS = 0.4

#: So long after a slider was moved, sliders do not yet show the measured positions [s].
_SLIDES = 2.0

#: How often what is measured is written [s].
_READS = 0.25

#: So long after a jog the target goes with the tip [s].
_COASTS = 1.0

#: What servos report, as columns: its key, what it is multiplied by, and its heading.
_REPORTED = (('load', 100.0, 'load %'), ('temperature_c', 1.0, '°C'), ('voltage_v', 1.0, 'V'))

#: The label of the slider of all extra joints.
_GRIPPER = 'Gripper'

#: By the levels of a DiagnosticStatus.
_LEVELS = ('OK', 'WARN', 'ERROR', 'STALE')

#: Stop, the only red button, stays in the corner of the window, however its panel is scrolled; the
#: panel cannot be folded or moved away, because Stop would go with it. The space bar clicks it
#: wherever the focus is. Of clicks and inputs viser sends the newest of each 50 ms alone, so that
#: one may be lost while another is held or dragged. Its commands are all sent: a click on Stop
#: first releases what is held, and then triggers the command, by the event of its key.
_STYLE = """<style onload="
if (!window.armIkStop) {
  window.armIkStop = event => {
    if (event.code !== 'Space' && event.key !== ' ' || !event.isTrusted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.type === 'keydown' && !event.repeat)
      document.querySelector('button[style*=red-filled]')?.click();
  };
  ['keydown', 'keypress', 'keyup'].forEach(
    kind => window.addEventListener(kind, window.armIkStop, true));
  window.addEventListener('click', event => {
    if (!event.target.closest?.('button[style*=red-filled]')) return;
    window.dispatchEvent(new Event('blur'));
    document.body.dispatchEvent(new KeyboardEvent(
      'keydown', {code: 'Space', key: ' ', bubbles: true}));
  }, true);
}">
button[style*="red-filled"] { position: fixed; left: 0.7em; bottom: 1em; z-index: 1000;
  width: min(9em, 26vw); height: 4em !important; padding: 0; }
[data-dock-region-handle] { display: none !important; }
[data-dock-header], div[style*="user-select: none"][style*="3.5em"] { pointer-events: none; }
[data-dock-header] button { pointer-events: auto; }
.arm-ik-line, .arm-ik-box, .arm-ik-table { margin: 0 1em; font-size: 0.85em; }
.arm-ik-line, .arm-ik-table { margin-bottom: 0.5em; }
.arm-ik-line, .arm-ik-table td { height: 1.5em; }
.arm-ik-line div { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.arm-ik-box { overflow-wrap: anywhere; }
div:has(> .arm-ik-box) { height: 7em; overflow-y: auto; margin-bottom: 0.5em; }
.arm-ik-table { overflow-x: auto; white-space: pre; }
.arm-ik-table td + td { padding-left: 0.7em; text-align: right; }
</style>"""

#: Sent each second: what a browser shows 3 s after it got it last. viser fades what is around it.
_SILENT = """<style>
@keyframes silent {{ to {{ visibility: visible; }} }}
div:has([data-beat]) {{ opacity: 1 !important; }}
[data-beat] {{ visibility: hidden; animation: silent 0s 3s forwards; position: fixed; inset: 0;
  z-index: 2000; pointer-events: none; background: #404040e0; color: #fff; padding: 30vh 1em 0;
  font-size: 1.5em; font-weight: bold; text-align: center; }}
</style>
<div data-beat="{}">The viewer is missing: nothing here is live, and Stop does not work.</div>"""

#: What each browser shows or hides for itself: label, place in the scene, whether from the start.
_SHOWS = (('Other branches', '/others', True), ('Reach through the target', '/reach', False),
          ('Up vectors reached', '/fan', True))

_THEME = {'show_logo': False, 'show_share_button': False, 'brand_color': (40, 110, 220)}


class Page:
    """
    The page of one arm, for all browsers.

    :param server: a :class:`~.guarded_server.GuardedServer`.
    :param source: a :class:`~.ros_arm.RosArm`, or :class:`~.simulated.ArmWithoutRos`.
    :param solid: the links of the measured arm; empty: simple ones.
    """

    def __init__(self, server: Any, source: Any, solid: Sequence[Link] = ()) -> None:
        self._server, self._source, self._arm = server, source, source.arm
        self._lock = threading.RLock()
        self._events = ThreadPoolExecutor(max_workers=1)
        self._holder: int | None = None      # the browser in control
        self._turn = 0                       # how often control has changed hands
        self._following = False              # whether targets are sent while they are dragged
        self._jogging = False                # whether what is held moves the tip
        self._control: dict[int, Any] = {}   # what each browser reads about control
        self._stopped = False
        self._target: Target | None = None
        self._changed = 0.0                  # when the target changed last
        self._slid = 0.0                     # when its holder moved a slider last
        self._wished: dict[str, float] = {}  # where sliders were moved, until they show the arm
        self._held: dict[str, float] = {}    # when what is held in jogging was sent last
        self._jogged = -_COASTS              # when the tip was jogged last, if not dragged since
        self._read = 0.0                     # when what is measured was written last
        self._passed_over = 0
        self._explained: tuple[Target | None, str] = None, ''   # what is said of which target
        self._shown_settings: dict[str, Any] = {}
        self._scene = DrawnScene(server, source.arm, solid)
        self._scene.gizmo.on_update(self._in_control(self._on_drag, lambda gizmo: (
            tuple(map(float, gizmo.position)), tuple(gizmo.wxyz))))
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
        self._events.shutdown()

    def _build(self) -> None:
        gui, model = self._server.gui, self._arm.model
        gui.configure_theme(**_THEME)
        gui.set_panel_label(f'arm_ik: {model.name}')
        gui.main_panel.dock_right()
        gui.add_html(_STYLE)
        self._beat = gui.add_html('')
        gui.add_button('Stop (space)', color='red').on_click(self._on_stop)
        self._health, self._words = gui.add_html(''), gui.add_html('')
        gui.add_command('Stop', hotkey='space').on_trigger(self._on_stop)
        self._reset = gui.add_button('Reset', disabled=True)
        self._reset.on_click(self._in_control(self._on_reset))
        with gui.add_folder('Target'):
            self._follow = gui.add_checkbox('Follow', False, hint='the arm follows while you drag')
            self._follow.on_update(self._in_control(self._set_following))
            self._motion = gui.add_dropdown('Motion', self._source.motions)
            self._motion.on_update(self._in_control(
                lambda value: self._source.set('motion', value)))
            self._speed = gui.add_slider('Speed [mm/s]', 5.0, 200.0, 5.0, 100.0,
                                         hint='of the tip, along lines and in a jog')
            self._speed.on_update(self._in_control(
                lambda value: self._source.set('tip_speed', 1e-3 * value)))
            far = 2e3 * model.reach
            self._at = gui.add_vector3('Tip [mm]', (0.0, 0.0, 0.0), min=(-far,) * 3,
                                       max=(far,) * 3, step=0.1,
                                       hint='x, y, z of the target; Go sends it')
            self._at.on_update(self._in_control(
                lambda value: self._on_typed([1e-3 * part for part in value])))
            self._up = gui.add_vector2('Up [°]', (0.0, 0.0), min=(-90.0, -180.0),
                                       max=(90.0, 180.0), step=0.1,
                                       hint='elevation and azimuth of the up vector')
            self._up.on_update(self._in_control(
                lambda value: self._on_typed(up=_direction(*map(radians, value)))))
            gui.add_button('Target to the tip').on_click(self._in_control(
                lambda _: self._set_target(None)))
            gui.add_button('Go').on_click(self._in_control(lambda _: self._send()))
            gui.add_button('Home').on_click(self._in_control(
                lambda _: self._stopped or self._source.home()))
            gui.add_button_group('Commands', ('Enable', 'Disable')).on_click(self._in_control(
                lambda value: self._stopped or self._source.enable(value == 'Enable')))
        with gui.add_folder('Joints'):
            self._sliders = {joint.name: gui.add_slider(f'{joint.name} [°]', *(
                round(degrees(value), 1) for value in (joint.lower, joint.upper)), 0.1,
                round(degrees(home), 1)) for joint, home in zip(model.joints, model.home)}
            if model.extra_joints:
                self._sliders[_GRIPPER] = gui.add_slider(
                    _GRIPPER, 0.0, 1.0, 0.01, 0.0, hint='0 closed, 1 open')
            for label, slider in self._sliders.items():
                slider.on_update(self._in_control(partial(self._on_slider, label)))
        with gui.add_folder('Measured'):
            self._readings = gui.add_html('')
        with gui.add_folder('Jog', expand_by_default=False):
            gui.add_html(jog.SCRIPT)
            self._jogs = gui.add_checkbox(
                'Hold to jog', False, hint='a key or a button moves the tip while it is held')
            self._jogs.on_update(self._in_control(self._set_jogging))
            self._buttons = [self._jog_button(key) for key in DIRECTIONS]
        self._show = gui.add_folder('Show')
        with self._show:
            gui.add_button('Clear the trace').on_click(self._in_control(
                lambda _: self._scene.trace.clear()))

    def _jog_button(self, key: str) -> Any:
        button = self._server.gui.add_button(
            f'{key.upper()}: {DIRECTIONS[key][0]}', color='gray', disabled=True)
        button.on_hold(self._in_control(lambda at: self._on_hold(key, at),
                                        lambda _: monotonic()), jog.RATE)
        button.on_click(self._in_control(lambda _: self._on_release(key)))
        return button

    # Who is in control

    def _in_control(self, act: Callable[[Any], object],
                    read: Callable[[Any], Any] = lambda element: element.value
                    ) -> Callable[[Any], Coroutine[Any, Any, None]]:
        """Return a callback that acts on the new value for the browser in control only."""
        # As a coroutine it is called in the order of the events; one thread keeps the order.
        async def queued(event: Any) -> None:
            if event.client_id is not None:      # not set here
                if event.client_id == self._holder and event.target in self._sliders.values():
                    self._slid = monotonic()     # at once, or the picture sets it back
                # As it is now: all browsers share it, and by its turn a watcher may have set it.
                self._events.submit(self._handle, act, read(event.target), event, self._turn)
        return queued

    def _handle(self, act: Callable[[Any], object], value: Any, event: Any, turn: int) -> None:
        try:
            with self._lock:
                if (event.client_id, turn) == (self._holder, self._turn):
                    if event.target not in self._sliders.values():
                        self._wished.clear()     # other joints than the next that is slid
                    act(value)
                else:                            # back to what it was
                    self._follow.value, self._jogs.value = self._following, self._jogging
                    self._show_positions(0.0)
                    self._show_settings()
                    self._show_target()
        except Exception:  # noqa: BLE001, or nobody would see it
            traceback.print_exc()

    def _on_connect(self, client: Any) -> None:
        with self._lock:
            words = client.gui.add_html('', order=-1.0)
            take = client.gui.add_button('Take control', order=-0.5)
            take.on_click(lambda _: self._hand_over(client.client_id))
            with self._show:
                # A browser's own nodes shadow those of the same name, with all that hangs on them.
                nodes = [client.scene.add_frame(node, show_axes=False, visible=on)
                         for _, node, on in _SHOWS]
                for (label, _, on), node in zip(_SHOWS, nodes):
                    client.gui.add_checkbox(label, on).on_update(
                        lambda event, node=node: setattr(node, 'visible', event.target.value))
                client.gui.add_button_group('View', VIEWS).on_click(
                    lambda event: self._scene.look(client.camera, event.target.value))
                client.gui.add_checkbox('Dark', False).on_update(
                    lambda event: client.gui.configure_theme(
                        dark_mode=event.target.value, **_THEME))
            self._control[client.client_id] = words, take, nodes[1]
            if client.camera.image_width < client.camera.image_height:
                self._scene.look(client.camera, 'home')   # of a phone
            self._hand_over(client.client_id if self._holder is None else self._holder)

    def _on_disconnect(self, client: Any) -> None:
        with self._lock:
            self._control.pop(client.client_id, None)
            if client.client_id != self._holder:
                return
            # What it has streamed ends: the arm holds where it is.
            if self._following:
                self._source.enable(False)
                self._source.enable(True)
            self._hand_over(next(iter(self._control), None))

    def _hand_over(self, client_id: int | None) -> None:
        with self._lock:
            if client_id != self._holder:
                self._end_all()
                self._turn += 1   # what the last one has queued is not sent any more
            self._holder = client_id
            for number, (words, take, _) in self._control.items():
                own = number == client_id
                words.content = _in_lines('line', ('You have control.', '') if own else (
                    '', f'You watch; browser {client_id} has control.'))
                take.disabled = own

    # What the buttons do

    def _set_following(self, on: bool) -> None:
        self._following = on
        self._follow.value = on

    def _set_jogging(self, on: bool) -> None:
        self._jogging = self._jogs.value = on
        for button in self._buttons:
            button.disabled = not on

    def _end_all(self) -> None:
        self._set_following(False)
        self._set_jogging(False)
        self._wished.clear()

    def _on_hold(self, key: str, at: float) -> None:
        # Not what has waited here: it may have been released meanwhile.
        if self._jogging and not self._stopped and monotonic() - at < jog.OLD:
            self._held[key] = at
            self._jog()

    def _on_release(self, key: str) -> None:
        if self._held.pop(key, None) is not None:
            self._jog()

    def _jog(self) -> None:
        self._jogged = now = monotonic()
        self._source.jog(*jog.twist(
            [key for key, at in self._held.items() if now - at < jog.OLD],
            self._source.settings.get('tip_speed', 0.0)))

    async def _on_stop(self, _: Any) -> None:
        # Anybody may, and at once: in no queue, and not waiting for a picture that is being drawn.
        self._stopped = True
        self._source.stop()
        self._events.submit(self._after_stop)

    def _after_stop(self) -> None:
        with self._lock:
            self._end_all()
            self._reset.disabled = False

    def _on_reset(self, _: Any) -> None:
        if self._reset.disabled:  # the stop is not there yet
            return
        self._source.reset()
        self._stopped = False

    def _on_drag(self, pose: tuple[tuple[float, ...], tuple[float, ...]]) -> None:
        position, wxyz = pose
        rotation = viser.transforms.SO3(np.array(wxyz)).as_matrix()
        self._set_target(target := target_of(self._arm, position, rotation))
        self._show_numbers(target)
        if self._following:
            self._send()

    def _on_slider(self, label: str, value: float) -> None:
        if label == _GRIPPER:
            self._wished[label] = value
            if not self._stopped:
                self._source.gripper(value)
            return
        self._wished = {**self._positions(), label: value}   # the other joints stay
        if not {*self._arm.joint_names} <= self._wished.keys():
            return                                           # and nobody knows where
        tip = self._arm.forward([
            min(max(radians(self._wished[joint.name]), joint.lower), joint.upper)
            for joint in self._arm.model.joints])
        self._set_target(target_of(self._arm, tip.position, tip.rotation))
        self._show_target()
        self._send()

    def _send(self) -> None:
        if self._target is not None and not self._stopped:
            self._source.send(self._target)

    # The target

    def _set_target(self, target: Target | None) -> None:
        """Set the target, which ends that it goes with the tip; ``None``: to where the tip is."""
        self._target, self._changed, self._jogged = target, monotonic(), -_COASTS

    def _on_typed(self, position: Any = None, up: Any = None) -> None:
        if (old := self._target) is not None:
            position, up = position or old.position, up or old.up
            try:
                self._set_target(target := Target(position, up, old.forward))
            except ArmIkError:   # its forward vector is along the new up vector
                self._set_target(target := Target(position, up))
            self._scene.show_target(target)

    def _show_target(self) -> None:
        """Put the gizmo where the target is."""
        if self._target is not None:
            self._scene.show_target(self._target)
            self._show_numbers(self._target)

    def _show_numbers(self, target: Target) -> None:
        self._at.value = tuple(round(1e3 * part, 1) for part in target.position)
        self._up.value = _angles(tool_rotation(self._arm, target)[:, 2])

    # The picture

    def _run(self) -> None:
        while not self._end.wait(PERIOD):
            with self._lock, self._server.atomic():
                try:
                    self._beat.content = _SILENT.format(int(monotonic()))
                    self._tick()
                except Exception as error:  # noqa: BLE001, or it would never go on
                    words = _in_lines('line', ('ERROR', f'no picture: {error!r}'))
                    if self._health.content != words:
                        traceback.print_exc()
                        self._health.content = words

    def _tick(self) -> None:
        measured = self._source.measured
        names = self._arm.joint_names
        self._scene.show_keep_out(self._source.keep_out)
        known = all(name in measured for name in names)
        self._scene.show_measured(measured if known else None, self._source.is_live)
        if known:
            if monotonic() - self._slid > _SLIDES:
                self._wished.clear()
                self._show_positions(2.5)
            tip = self._arm.forward([measured[name] for name in names])
            if self._target is None or monotonic() - self._jogged < _COASTS:
                self._target = target_of(self._arm, tip.position, tip.rotation)
                self._changed = monotonic()
                self._show_target()
        if monotonic() - self._read > _READS:
            self._read = monotonic()
            self._readings.content = self._table_of(measured, tip if known else None)
        if self._server.guard.passed_over != self._passed_over:
            self._passed_over = self._server.guard.passed_over
            self._show_target()   # of a bad drag the browser's own picture is left bad
        self._reset.disabled = not (self._stopped or self._source.stopped)
        # No oftener: somebody may be choosing.
        if self._source.settings != self._shown_settings:
            self._show_settings()
        if self._target is not None and known:
            self._show_answer(self._target, [measured[name] for name in names])
        levels = self._source.health   # last: it is not OK if there is no picture
        if self._stopped and not self._source.stopped:   # the driver does not say so itself
            levels = [*levels, (1, 'stopped: press Reset')]
        worst = max((level for level, _ in levels), default=3)
        self._health.content = _in_lines(
            'line', (_LEVELS[min(worst, 3)], self._source.connection))
        self._words.content = _in_lines(
            'box', ('Arm:', self._source.status),
            *[('', words) for level, words in levels if level and words],
            ('Target:', self._explained[1]))

    def _show_settings(self) -> None:
        self._shown_settings = shown = self._source.settings
        self._motion.value = shown.get('motion', self._source.motions[0])
        self._speed.value = min(max(1e3 * shown.get('tip_speed', 0.1), self._speed.min),
                                self._speed.max)

    def _table_of(self, measured: dict[str, float], tip: Any) -> str:
        """Return what is measured, commanded and reported, and of the tip, if it is known."""
        model, servos, commanded = (
            self._arm.model, self._source.servos, self._source.commanded or {})
        shown = [column for column in _REPORTED if any(column[0] in it for it in servos.values())]
        rows = [['', 'measured', 'commanded', *(heading for *_, heading in shown)]]
        for joint in (*model.joints, *model.extra_joints):
            slides = getattr(joint, 'type', '') == 'prismatic'
            unit, scale = ('mm', 1e3) if slides else ('°', degrees(1.0))
            known = servos.get(joint.name, {})
            positions = [
                f'{round(scale * found[joint.name], 1) + 0.0:.1f}{unit}'    # no -0.0
                if joint.name in found else '' for found in (measured, commanded)]
            reports = [_scaled(known.get(key, ''), factor) for key, factor, _ in shown]
            rows.append([joint.name, *positions, *reports])
        words = '' if tip is None else 'Tip {:.1f}, {:.1f}, {:.1f} mm; up {:.1f}°, {:.1f}°'.format(
            *1e3 * tip.position, *_angles(tip.up))
        return _in_lines('line', ('', words)) + '<table class="arm-ik-table">{}</table>'.format(
            ''.join(f'<tr><td>{"</td><td>".join(map(escape, row))}</td></tr>' for row in rows))

    def _positions(self) -> dict[str, float]:
        """Return by slider where it was just moved, or what is measured."""
        measured = self._source.measured
        found = {name: degrees(measured[name]) for name in self._arm.joint_names
                 if name in measured}
        found.update({_GRIPPER: (measured[joint.name] - joint.closed) / (joint.open - joint.closed)
                      for joint in self._arm.model.extra_joints[:1] if joint.name in measured})
        return {**found, **self._wished}

    def _show_positions(self, steps: float) -> None:
        """Set the sliders that are off by more than so many of their steps."""
        for label, value in self._positions().items():
            slider = self._sliders[label]
            value = round(min(max(value, slider.min), slider.max), slider.precision)
            if abs(slider.value - value) > steps * slider.step:
                slider.value = value

    def _show_answer(self, target: Target, near: list[float]) -> None:
        if target is not self._explained[0]:
            self._explained = target, self._scene.explain(target, near)
        # Since the last drag: before that, it is another target's.
        newer = self._source.commanded_at > self._changed
        self._scene.show_commanded(self._source.commanded if newer else None)
        if not any(reach.visible for _, _, reach in self._control.values()):
            self._scene.show_reach(None)
        elif monotonic() - self._changed > _RESTS:
            self._scene.show_reach(target)


def _scaled(text: str, factor: float) -> str:
    """Return a number times a factor, and what is none as it is."""
    try:
        return f'{factor * float(text):.4g}'
    except ValueError:
        return text


def _in_lines(kind: str, *lines: tuple[str, str]) -> str:
    """
    Return lines as HTML, each a word in bold and others; all of them are shown as text.

    :param kind: ``'line'``, a single one, or ``'box'``; either has a height that never changes.
    """
    return f'<div class="arm-ik-{kind}">{{}}</div>'.format(''.join(
        f'<div title="{escape(words)}"><b>{escape(bold)}</b> {escape(words)}</div>'
        for bold, words in lines))


def _angles(up: Any) -> tuple[float, float]:
    """Return elevation and azimuth of a unit vector [deg]; upright ones have no azimuth."""
    x, y, z = up
    azimuth = degrees(atan2(y, x)) if hypot(x, y) > 1e-6 else 0.0
    return round(degrees(asin(min(max(z, -1.0), 1.0))), 1), round(azimuth, 1)


def _direction(elevation: float, azimuth: float) -> tuple[float, float, float]:
    """Return the unit vector of angles [rad]."""
    level = cos(elevation)
    return level * cos(azimuth), level * sin(azimuth), sin(elevation)
