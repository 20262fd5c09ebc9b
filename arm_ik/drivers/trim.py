# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The trim of an arm at rest: joints that sag are sent beyond their set-points until they are there.

Friction makes an integrator hunt: a joint sticks, slips past its set-point, and is brought back,
for ever. So in each rest a joint is trimmed in one direction only.
"""

from math import copysign, radians

#: The most that is added [rad], how fast [rad/s], and in which time it is taken off again [s].
_MOST, _RATE, _FADE = radians(5.0), radians(1.0), 0.1

#: An error shrinks by its e-th part in so long [s].
_SLOWNESS = 0.5

#: So near is there [rad], or so many counts of the encoder.
_THERE, _COUNTS = radians(0.15), 1.5

#: A joint with more than this part of the load that trips its servo goes no farther.
STRAINED = 0.7

#: An arm rests for so long before [s]: the load of every servo has been read since.
_RESTS = 0.5


class Trim:
    """
    What is added to set-points; ``on`` says whether anything is.

    :param joints: those of the chain, by name.
    :param resolution: smallest step of a reading by name [rad].
    """

    def __init__(self, joints, resolution, on=False):
        self.on = on
        self._joints = joints
        self._there = {name: max(_THERE, _COUNTS * resolution[name]) for name in joints}
        self._added = dict.fromkeys(joints, 0.0)    # [rad]
        self._directions = {}       # of the joints that have been trimmed in this rest
        self._rested = self._left = 0.0     # since it rests, until all is taken off [s]

    def step(self, dt, set_points, errors, rests, still):
        """
        Go on by a time.

        :param dt: that time [s].
        :param set_points: by name.
        :param errors: set-point less measurement, by name, of the joints that may be trimmed now.
        :param rests: whether the set-points of all joints rest.
        :param still: whether the joints do.
        :returns: what is to be sent, by name.
        """
        if self.on and rests:
            self._rested, self._left = self._rested + dt, _FADE
            begins = still and self._rested > _RESTS
            for name, error in errors.items() if begins or self._directions else ():
                step = copysign(min(_RATE * dt, abs(error) * dt / _SLOWNESS), error)
                if abs(error) > self._there[name] \
                        and step * self._directions.setdefault(name, step) > 0.0:
                    self._added[name] = min(max(self._added[name] + step, -_MOST), _MOST)
        else:
            self._directions, self._rested = {}, 0.0
            part = max(0.0, 1.0 - dt / self._left) if self._left > 0.0 else 0.0
            self._added = {name: part * added for name, added in self._added.items()}
            self._left -= dt
        # Not beyond the limits, but where the set-point is already.
        return {**set_points, **{name: min(max(
            set_points[name] + added, min(self._joints[name].lower, set_points[name])), max(
                self._joints[name].upper, set_points[name]))
            for name, added in self._added.items() if name in set_points}}

    def drop(self, names=None):
        """Forget what is added to joints, by name; ``None``: to all."""
        self._added.update(dict.fromkeys(self._joints if names is None else
                                         self._joints.keys() & names, 0.0))
