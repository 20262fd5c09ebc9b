# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Keys, buttons and gamepads that move the tip as long as they are held.

A browser repeats a message while a button is held, and the arm moves only as long as they come:
nothing has to arrive for it to stop. A key holds the button that begins with its letter. All are
released when the window loses the focus or is hidden. A gamepad sends thirty messages a second by
a websocket of its own: the tip stops when its button LB is released, and 0.2 s after the last one.
"""

import asyncio
from functools import partial
from time import monotonic
from typing import Annotated, Any

import msgspec
import numpy as np
import viser.transforms
from websockets.exceptions import ConnectionClosed

from .control import Control, Input
from .page_words import script
from .target_panel import TargetPanel
from ..motion.jog_keys import DIRECTIONS

#: How often a browser repeats what is held [Hz], and how old that may be [s].
RATE, OLD = 20.0, 0.15

#: What buttons are called that move along an axis of the base.
_WORDS = {'+x': 'forward', '-x': 'back', '+y': 'left', '-y': 'right', '+z': 'up', '-z': 'down'}

#: Numbers of buttons and triggers, as browsers have them.
B, LB, LT, RT, CROSS = 1, 4, 6, 7, slice(12, 16)

#: A silence after which the tip stops [s].
SILENCE = 0.2

#: A stick moves nothing so near to its middle.
DEAD_ZONE = 0.15

#: How far ahead of where it is a whole trigger sends the gripper, as a part of its opening.
AHEAD = 0.25

#: Where a browser reads whose gamepad it has, and says what to do.
PLACE = '<div class="arm-ik-note" data-pad="{}"></div>'

_Value = Annotated[float, msgspec.Meta(ge=-1.1, le=1.1)]


class JogPanel:
    """
    Buttons that move the tip while they are held.

    :param gui: of the server.
    :param control: the :class:`~.control.Control`.
    :param target: the :class:`~.target_panel.TargetPanel`, whose target goes with the tip.
    """

    def __init__(self, gui: Any, control: Control, target: TargetPanel) -> None:
        self._control, self._target = control, target
        self._held: dict[str, float] = {}    # when what is held was sent last
        gui.add_html(script('jog'))
        self._box = Input(control, gui.add_checkbox(
            'Hold to jog', False, hint='a key or a button moves the tip while it is held'),
            self.switch)
        self._buttons = [self._button(gui, key) for key in DIRECTIONS]

    def _button(self, gui: Any, key: str) -> Any:
        word = DIRECTIONS[key][0]
        button = gui.add_button(f'{key.upper()}: {_WORDS.get(word, word)}', color='gray',
                                disabled=True)
        button.on_hold(self._control.only(partial(self._hold, key), lambda _: monotonic()), RATE)
        button.on_click(self._control.only(lambda _: self._release(key)))
        return button

    def switch(self, on: bool) -> None:
        """Have buttons and keys move the tip, or not."""
        self._box.show(on)
        for button in self._buttons:
            button.disabled = not on

    def _hold(self, key: str, at: float) -> None:
        # Not what has waited here: it may have been released meanwhile.
        if self._box.value and not self._control.stopped and monotonic() - at < OLD:
            self._held[key] = at
            self._jog()

    def _release(self, key: str) -> None:
        if self._held.pop(key, None) is not None:
            self._jog()

    def _jog(self) -> None:
        self._target.jog(sum([np.array(DIRECTIONS[key][1:]) for key, at in self._held.items()
                              if monotonic() - at < OLD], np.zeros((2, 3))))


class Pad(msgspec.Struct, forbid_unknown_fields=True):
    """
    What a browser sends: a count, the browser's id, and a "standard gamepad".

    Its axes are x and y of the left stick, then of the right one, to the right and down.
    """

    n: int
    client: int
    axes: tuple[_Value, _Value, _Value, _Value]
    buttons: Annotated[list[_Value], msgspec.Meta(min_length=16, max_length=32)]

    @property
    def twist(self) -> np.ndarray:
        """Linear and angular parts of the largest velocities, -1 to 1, shape (2, 3)."""
        parts = np.clip((np.abs(self.axes) - DEAD_ZONE) / (1.0 - DEAD_ZONE), 0.0, 1.0)
        left_x, left_y, right_x, right_y = -np.sign(self.axes) * parts
        up, down, left, right = self.buttons[CROSS]
        return np.array([(left_y, left_x, right_y), (right - left, down - up, right_x)])


class GamepadPanel:
    """
    Moves the tip as the gamepad of the browser in control says.

    :param server: a :class:`~.guarded_server.GuardedServer`.
    :param control: the :class:`~.control.Control`.
    :param source: a :class:`~.ros_arm.RosArm`, or :class:`~.simulated.ArmWithoutRos`.
    :param target: the :class:`~.target_panel.TargetPanel`, whose target goes with the tip.
    """

    def __init__(self, server: Any, control: Control, source: Any, target: TargetPanel) -> None:
        self._server, self._control, self._source, self._target = server, control, source, target
        self._moves = False
        self._frame = Input(control, server.gui.add_dropdown(
            'Sticks', ('as seen', 'of the base'), hint='directions of a gamepad'))
        server.gui.add_html(script('gamepad'))
        server.guard.pad = self.serve

    async def serve(self, connection: Any) -> None:
        """Do what a browser's pad says until it is closed; stop the tip where it is silent."""
        count = 0
        try:
            while True:
                try:
                    raw = await asyncio.wait_for(connection.recv(), SILENCE)
                except asyncio.TimeoutError:
                    self._stop()
                else:
                    pad = msgspec.json.decode(raw, type=Pad)
                    if pad.n > count:
                        count = pad.n
                        await self._take(pad)
        except (ConnectionClosed, msgspec.MsgspecError):
            self._stop()

    async def _take(self, pad: Pad) -> None:
        control, source = self._control, self._source
        if pad.buttons[B] > 0.5:
            await control.stop(None)
        if pad.client != control.holder or control.stopped or pad.buttons[LB] <= 0.5:
            return self._stop()
        twist = pad.twist
        client = self._server.get_clients().get(pad.client)
        if self._frame.value == 'as seen' and client is not None:
            x, y, _ = client.camera.look_at - client.camera.position
            twist = viser.transforms.SO3.from_z_radians(np.arctan2(y, x)).apply(twist)
        self._moves = True
        self._target.jog(twist)
        grip = pad.buttons[RT] - pad.buttons[LT]
        opening = source.arm.model.gripper_opening(source.measured)
        if grip and opening is not None:
            source.gripper(min(max(opening + AHEAD * grip, 0.0), 1.0))

    def _stop(self) -> None:
        """Stop the tip, once."""
        if self._moves:
            self._moves = False
            self._source.jog(np.zeros(3), np.zeros(3))
