# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Servos as they are on an arm: they sag, stick, have backlash, are slow, and trip."""

from math import cos, inf, radians

from arm_ik.bus.backend import Health
from driven_arm import Recorded


class LoadedServos(Recorded):
    """
    Servos that hold by a spring: their load is how far they are from their set-point.

    ``sag`` is what the weight of a level arm does [rad]; ``full`` is the distance at which the
    load is all a servo has; ``slip``: a servo moves only once it is so far from where its spring
    and the weight want it, and goes to within ``creep`` then; ``play`` is the backlash between
    servo and joint, ``counts`` a step of the encoder [rad], ``flicker`` its noise in counts;
    ``slow`` is a part of each joint's largest speed. ``walls`` are least and greatest places by
    name that nothing passes. ``tripped`` are the names of joints whose load was above ``trip``
    for 2 s.
    """

    sag, full, trip = radians(4.0), radians(10.0), 0.8
    slip, play, counts, slow, flicker, creep = 0.0, 0.0, 0.0, 1.0, 0.0, 1e-4

    def __init__(self, model, **options):
        super().__init__(model, **options)
        self.model = model
        self.walls, self.tripped, self.loads = {}, set(), dict.fromkeys(self.joints, 0.0)
        self._inner = dict(self._positions)     # on the servo's side of the backlash
        self._pressed = dict.fromkeys(self.joints, 0.0)
        self._goes = dict.fromkeys(self.joints, False)
        self._at = self.clock()

    def push(self, positions):
        super().push(positions)
        self._inner.update(positions)

    @property
    def places(self):
        """Where the joints are, by name, backlash included."""
        return dict(self._positions)

    def lose_torque(self, name):
        """Let go of a joint."""
        self._torque[name] = False

    @property
    def weights(self):
        """How much of ``sag`` each joint has now, with its direction, by name."""
        angle, weights = 0.0, {}
        for joint in self.model.joints:
            if joint.role in ('shoulder', 'elbow', 'wrist'):
                angle += joint.sign * self._positions[joint.name] + joint.offset
                share = {'shoulder': 1.0, 'elbow': 0.6, 'wrist': 0.2}[joint.role]
                weights[joint.name] = -joint.sign * share * cos(angle)
        return weights

    def _follow(self, now=None):
        while self._sent and self._sent[0][0] <= self.clock():
            self._set_points.update(self._sent.popleft()[1])
        dt, self._at = self.clock() - self._at, self.clock()
        weights = self.weights
        for name, joint in self.joints.items():
            if self._torque[name] and dt > 0.0:
                self._move(name, joint, weights.get(name, 0.0), dt)

    def _move(self, name, joint, weight, dt):
        lower, upper = self.walls.get(name, (-inf, inf))
        wanted = self._set_points[name] + self.sag * weight
        reach = self.slow * joint.max_velocity * dt
        away = min(max(wanted, lower), upper) - self._inner[name]
        self._goes[name] = abs(away) > (self.creep if self._goes[name] else self.slip)
        if self._goes[name]:
            self._inner[name] += min(max(away, -reach), reach)
        inner, half = self._inner[name], 0.5 * self.play
        self._positions[name] = min(max(self._positions[name], inner - half), inner + half) \
            if not weight else inner + (half if weight > 0.0 else -half)
        load = abs(self._set_points[name] - inner) / self.full
        self.loads[name] = min(load, 1.0)
        self._pressed[name] = self._pressed[name] + dt if load > self.trip else 0.0
        if self._pressed[name] > 2.0:
            self.tripped.add(name)

    def _measure(self, name):
        position, count = self._inner[name], self.counts     # the encoder is in the servo
        return round(position / count + self._random.uniform(-self.flicker, self.flicker)) \
            * count if count else position

    def read_health(self, name):
        self._follow()
        return Health(torque=self._torque[name], load=self.loads[name],
                      strain=self.loads[name] / self.trip)
