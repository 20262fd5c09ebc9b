# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A target that moves, followed in straight lines, in simulated time."""

from random import Random

from arm_ik import Arm, Target
from controlled_loop import require_inside_limits
from core_bench import CoreBench, PERIOD
import numpy as np

SO101 = Arm.preset('so101')

DOWN = (0.0, 0.0, -1.0)

#: Speed of the target [m/s].
SPEED = 0.2


def along(time):
    """Return where a target is that moves across in front of the arm."""
    return np.array([0.2, SPEED * time - 0.12, 0.05])


class MovingTarget(CoreBench):
    """
    An arm that is where it was commanded, and targets at a rate, the first of them where it is.

    ``times`` [s] are those of the ``commands``, from the start on.
    """

    def __init__(self, where=along, rate=50.0, up=DOWN, start=None, **settings):
        self.where, self.rate, self.up, self.times = where, rate, up, []
        start = where(0.0) if start is None else start
        super().__init__(SO101, SO101.solve(Target(start, DOWN)).q,
                         **{'motion': 'line', 'tip_speed': 0.3, **settings})
        self.begun, self._start = self.now, self.q

    def run(self, seconds, after=1.0, jitter=0.0, seed=0, acts=()):
        """Send targets for a time, and do acts in it: pairs of a time [s] and a function."""
        random = Random(seed)
        events = [(time, 1, act, self) for time, act in acts]
        events += [(number * PERIOD, 0, self._turn, None)
                   for number in range(round((seconds + after) / PERIOD))]
        events += [((number + random.uniform(-jitter, jitter)) / self.rate, 2, self._send, number)
                   for number in range(1, round(seconds * self.rate) + 1)]
        for time, _, act, argument in sorted(events, key=lambda event: event[:2]):
            self.now = self.begun + time
            act(argument)
        return self

    def _send(self, number):
        time = number / self.rate
        self.reports.append(self.target(
            Target(self.where(time), self.up(time) if callable(self.up) else self.up)))

    def _turn(self, _):
        motion = self.core.go_on()
        if motion is not None:
            self.times.append(self.now - self.begun)
            self.commands.append((motion.positions, motion.velocities))
            self.q = motion.positions
        self.reports += filter(None, [
            self.core.take_state(self.arm.joint_names, self.q), self.core.check()])

    def require_inside_limits(self):
        require_inside_limits([self._start, *[q for q, _ in self.commands]], PERIOD)

    def tips(self):
        return self.arm.forward([positions for positions, _ in self.commands]).position

    def speeds(self):
        return np.linalg.norm(np.diff(self.tips(), axis=0), axis=1) / np.diff(self.times)

    def lags(self, begin=0.1, end=1.0):
        """Return how late the tip is where :func:`along` had the target [s], from time to time."""
        late = np.array(self.times) - (self.tips()[:, 1] - along(0.0)[1]) / SPEED
        return late[(np.array(self.times) > begin) & (np.array(self.times) < end)]

    def off(self, seconds):
        """Return how far the tips are off the straight lines between targets [m]."""
        corners = [self.where(number / self.rate) for number in range(
            round(seconds * self.rate) + 1)]
        tips, nearest = self.tips(), np.inf
        for a, b in zip(corners, corners[1:]):
            part = np.clip((tips - a) @ (b - a) / max((b - a) @ (b - a), 1e-12), 0.0, 1.0)
            nearest = np.minimum(nearest, np.linalg.norm(tips - a - part[:, None] * (b - a),
                                                         axis=1))
        return nearest
