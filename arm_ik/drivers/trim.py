# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The trim of an arm at rest: joints that sag are sent beyond their set-points until they are there.

Friction makes an integrator hunt: a joint sticks, slips past its set-point, and is brought back,
for ever. So each joint stops as soon as it is there, and turns back at most once in a rest.
"""

from dataclasses import dataclass
from math import copysign, radians

#: The most that is added [rad], how fast [rad/s], and in which time it is taken off again [s].
_MOST, _RATE, _FADE = radians(5.0), radians(1.0), 0.1

#: An error shrinks by its e-th part in so long [s].
_SLOWNESS = 0.5

#: So near is there [rad], or so many counts of the encoder.
_THERE, _COUNTS = radians(0.15), 1.5

#: A joint with this part of the load that trips its servo goes no farther.
_HIGH = 0.9


@dataclass
class _Joint:
    added: float = 0.0          # [rad]
    direction: float = 0.0      # in which it was moved last
    turns: int = 1              # how often it may still turn back in this rest; -1: it is done


class Trim:
    """
    What is added to set-points; ``on`` tells whether anything is.

    :param joints: those of the chain, by name.
    :param resolution: smallest step of a reading by name [rad].
    """

    def __init__(self, joints, resolution, on=False):
        self.on = on
        self._limits = joints
        self._there = {name: max(_THERE, _COUNTS * resolution[name]) for name in joints}
        self._joints = {name: _Joint() for name in joints}
        self._left = 0.0            # until all is taken off [s]
        self._has_begun = False     # in this rest

    def step(self, dt, set_points, errors, rests, still, strains):
        """
        Go on by a time.

        :param dt: that time [s].
        :param set_points: by name.
        :param errors: set-point less measurement, by name, of the joints that may be trimmed now.
        :param rests: whether the set-points of all joints rest.
        :param still: whether the joints themselves are.
        :param strains: loads as parts of what trips a servo by name, as far as known.
        :returns: what is to be sent, by name.
        """
        if not rests or not self.on:
            self._fade(dt)
        elif self._has_begun or still:
            self._has_begun, self._left = True, _FADE
            for name, error in errors.items():
                self._trim(name, self._joints[name], error, _RATE * dt, dt, strains.get(name))
        return {name: self._sent(name, set_point) for name, set_point in set_points.items()}

    @property
    def is_idle(self):
        """Whether nothing is added, nor will be."""
        return not self.on and not any(joint.added for joint in self._joints.values())

    def drop(self, names=None):
        """Forget what is added to joints, by name; ``None``: to all."""
        for name in self._joints if names is None else names:
            if name in self._joints:
                self._joints[name] = _Joint()

    def _fade(self, dt):
        part = max(0.0, 1.0 - dt / self._left) if self._left > 0.0 else 0.0
        self._left, self._has_begun = self._left - dt, False
        for name, joint in self._joints.items():
            self._joints[name] = _Joint(part * joint.added)

    def _trim(self, name, joint, error, most, dt, strain):
        if strain is not None and strain >= _HIGH:
            joint.added -= copysign(min(most, abs(joint.added)), joint.added)
            joint.turns, joint.direction = -1, 0.0
        direction = copysign(1.0, error)
        turns = joint.turns - (direction == -joint.direction)
        if abs(error) > self._there[name] and turns >= 0:
            joint.direction, joint.turns = direction, turns
            step = min(most, abs(error) * dt / _SLOWNESS)
            joint.added = min(max(joint.added + direction * step, -_MOST), _MOST)

    def _sent(self, name, set_point):
        if name not in self._joints:
            return set_point
        limits, sent = self._limits[name], set_point + self._joints[name].added
        return min(max(sent, min(limits.lower, set_point)), max(limits.upper, set_point))
