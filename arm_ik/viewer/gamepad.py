# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A gamepad at the browser moves the tip: by a websocket of its own, thirty messages a second.

The tip stops when the button LB is released, and 0.2 s after the last message.
"""

import asyncio
from typing import Annotated, Any

import msgspec
import numpy as np
import viser.transforms
from websockets.exceptions import ConnectionClosed

from .control import Control, Input
from .page_style import script
from .target_panel import TargetPanel
from ..drivers.commands import gripper_opening

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
        opening = gripper_opening(source.arm.model.extra_joints, source.measured)
        if grip and opening is not None:
            source.gripper(min(max(opening + AHEAD * grip, 0.0), 1.0))

    def _stop(self) -> None:
        """Stop the tip, once."""
        if self._moves:
            self._moves = False
            self._source.jog(np.zeros(3), np.zeros(3))
