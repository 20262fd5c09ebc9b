# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The keys of a terminal, and what they ask for.

A terminal reports when a key goes down and never when it comes up. So a key latches its direction:
the tip goes on until another key is pressed. The same key again, as a key that is held down sends
it, changes nothing.
"""

from math import inf

from ..motion.jog_keys import DIRECTIONS, Vector, ZERO

HELP = """\
  w s   +x -x        u o   turn about x      t     axes of the base, or of the tool
  a d   +y -y        i k   turn about y      + -   faster, slower
  r f   +z -z        j l   turn about z      c v   close, open the gripper
  space or any other key: stop               q     quit"""

#: By what a key changes the speed, and the gripper's opening.
_FASTER, _OPENING = 1.25, 0.1

#: How long zeros are sent after a stop [s].
_ZEROS = 0.3


class Keys:
    """
    What has been asked for by keys.

    ``opening`` of the gripper is from 0 to 1; ``None`` until a key has asked for one.

    :param speed: [m/s].
    :param turn_speed: [rad/s].
    :param step: how far a key moves the tip [m], and turns the hand by the same part of a second
        at ``turn_speed``; ``None``: until the next key.
    """

    def __init__(self, speed: float, turn_speed: float, step: float | None = None) -> None:
        self.speed, self.turn_speed = speed, turn_speed
        self.in_tool = self.quits = False
        self.opening: float | None = None
        self._duration = inf if step is None else step / speed
        self._factor = 1.0
        self._key, self._until = '', 0.0    # latched, and when that ends [s]
        self._stopped = -1.0                # when zeros are no longer sent [s]

    def press(self, key: str, now: float) -> None:
        """Take a key, pressed at a time [s]."""
        if key in DIRECTIONS:
            self._key, self._until = key, now + self._duration / self._factor
        elif key in '+=':
            self._factor = min(10.0, self._factor * _FASTER)
        elif key in '-_':
            self._factor = max(0.1, self._factor / _FASTER)
        elif key in 'cv':
            opening = 0.5 if self.opening is None else self.opening
            change = _OPENING if key == 'v' else -_OPENING
            self.opening = round(min(1.0, max(0.0, opening + change)), 6)
        else:
            self.stop(now)
            self.in_tool ^= key == 't'
            self.quits |= key == 'q'

    def stop(self, now: float) -> None:
        """Release, at a time [s]."""
        self._key, self._stopped = '', now + _ZEROS

    def twist(self, now: float) -> tuple[Vector, Vector] | None:
        """Return the linear and angular velocity to send at a time [s], ``None``: nothing."""
        if self._key and now >= self._until:
            self.stop(now)
        if self._key:
            _, linear, angular = DIRECTIONS[self._key]
            v, w = self._factor * self.speed, self._factor * self.turn_speed
            return (v * linear[0], v * linear[1], v * linear[2]), (
                w * angular[0], w * angular[1], w * angular[2])
        return (ZERO, ZERO) if now < self._stopped else None

    def __str__(self) -> str:
        word = DIRECTIONS[self._key][0] if self._key else 'stop'
        return (f'{word:8} {self._factor * self.speed:.3f} m/s, '
                f'{self._factor * self.turn_speed:.2f} rad/s, axes of the '
                f'{"tool" if self.in_tool else "base"}')
