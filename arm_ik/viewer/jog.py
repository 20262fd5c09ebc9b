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

from collections.abc import Iterable

import numpy as np

from ..nodes.common.jog_keys import DIRECTIONS

#: How often a browser repeats what is held [Hz], and how old that may be [s].
RATE, OLD = 20.0, 0.15

#: Turning speed for a speed of the tip [rad/m].
TURN = 5.0

#: The only grey buttons, two in a row. viser would move its camera by some of these keys.
SCRIPT = """<style onload="
if (!window.armIkHeld) {
  const held = window.armIkHeld = new Map();
  const buttons = () => [...document.querySelectorAll('button[style*=gray-filled]')];
  const point = (button, kind) => button.dispatchEvent(new PointerEvent(kind, {bubbles: true}));
  const release = button => { point(button, 'pointerup'); button.click(); };
  const onKey = event => {
    const old = held.get(event.code), isDown = event.type == 'keydown';
    const types = event.ctrlKey || event.altKey || event.metaKey ||
      event.target.closest?.('input:not([type=checkbox]), textarea');
    const button = old || isDown && !event.repeat && !types && buttons().find(
      it => !it.disabled && it.innerText.startsWith(event.key.toUpperCase() + ': '));
    if (!button) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!isDown) { held.delete(event.code); release(button); }
    else if (!old) { held.set(event.code, button); point(button, 'pointerdown'); }
  };
  ['keydown', 'keyup'].forEach(kind => window.addEventListener(kind, onKey, true));
  ['blur', 'visibilitychange'].forEach(kind => window.addEventListener(
    kind, () => { held.clear(); buttons().forEach(release); }, true));
}">
div:has(> button[style*="gray-filled"]) { display: inline-block; width: calc(50% - 1.3em); }
</style>"""


def twist(keys: Iterable[str], speed: float) -> tuple[np.ndarray, np.ndarray]:
    """
    Return what all keys that are held ask for together.

    :param keys: of :data:`~arm_ik.nodes.common.jog_keys.DIRECTIONS`.
    :param speed: of the tip, along each axis [m/s].
    :returns: linear [m/s] and angular [rad/s] velocity in axes of the base, each (3,).
    """
    linear, angular = sum((np.array(DIRECTIONS[key][1:]) for key in keys), np.zeros((2, 3)))
    return speed * linear, speed * TURN * angular
