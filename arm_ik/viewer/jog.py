# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Keys and buttons that move the tip as long as they are held.

A browser repeats a message while a button is held, and the arm moves only as long as they come:
nothing has to arrive for it to stop. A key holds the button that begins with its letter. All are
released when the window loses the focus or is hidden.
"""

from functools import partial
from time import monotonic
from typing import Any

import numpy as np

from .control import Control, Input
from .page_style import script
from .target_panel import TargetPanel
from ..motion.jog_keys import DIRECTIONS

#: How often a browser repeats what is held [Hz], and how old that may be [s].
RATE, OLD = 20.0, 0.15

#: What buttons are called that move along an axis of the base.
_WORDS = {'+x': 'forward', '-x': 'back', '+y': 'left', '-y': 'right', '+z': 'up', '-z': 'down'}


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
        button.on_hold(self._control.only(
            partial(self._hold, key), lambda _: monotonic()), RATE)
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
