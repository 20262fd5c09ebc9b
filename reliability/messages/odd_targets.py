# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Targets, ordinary and exceptional, by class; and which of them have to be refused.

What is made here is free of ROS: the numbers, the frame and the stamp of a message.
"""

from math import cos, hypot, inf, isfinite, nan, pi, sin, sqrt
import struct
from typing import NamedTuple

from arm_ik.nodes.common.rotation import quaternion

from .true_tip import TrueTip

BASE_FRAME = 'base_link'
NO_NUMBERS = (nan, inf, -inf)
TINY = (0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1e-308, -1e-200, 1e-160, 1e-30, -1e-12)
HUGE = (1e7, -1e9, 1e15, 1e100, -1e154, 1e200, 1e300, 1e308, 1.7976931348623157e308)
FRAMES = ('', BASE_FRAME, 'map', 'tool0', '/base_link', 'base_link ', 'BASE_LINK', ' ', 'ä–語🦾',
          'a b\n\tc', "'; --", '%s%n{}', '../..', 'x' * 300, 'base_link/' * 2000, 'y' * 100_000)

#: How far a stamp lies from the clock [s]; those more than one second ahead are from the future.
AHEAD = (-4e8, -1e5, -3600.0, -1.0, 0.5, 1.5, 60.0, 1e5, 3e8)
STAMPS = ((0, 0), (1, 0), (0, 1), (-1, 0), (-2**31, 0), (2**31 - 1, 999_999_999),
          (2**31 - 1, 2**32 - 1), (0, 2**32 - 1))


class Asked(NamedTuple):
    """
    What a target message says.

    ``topic`` is ``target_pose``, ``target_point`` or ``target_up``; ``orientation`` is
    ``(x, y, z, w)`` and counts for poses only, ``stamp`` is ``(seconds, nanoseconds)``.
    """

    position: tuple
    orientation: tuple = (0.0, 0.0, 0.0, 1.0)
    frame: str = BASE_FRAME
    stamp: tuple = (0, 0)
    topic: str = 'target_pose'


def must_be_refused(asked, now_ns):
    """Tell whether a message can't be answered with a pose, as the documentation has it."""
    numbers = asked.position
    if asked.topic == 'target_pose':
        numbers = (*numbers, *asked.orientation)
        if not abs(hypot(*asked.orientation) - 1.0) <= 1e-3:
            return True
    seconds, nanoseconds = asked.stamp
    ahead_ns = seconds * 10**9 + nanoseconds - now_ns
    return (not all(map(isfinite, numbers)) or asked.frame not in ('', BASE_FRAME)
            or (asked.stamp != (0, 0) and ahead_ns > 10**9)
            or (asked.topic != 'target_up' and max(map(abs, asked.position)) > 1e6))


class Targets:
    """
    Makes targets for an arm.

    :param arm: the :class:`~arm_ik.Arm`.
    :param random: a :class:`random.Random`.
    :param pool: how many poses that it reaches are made in advance.
    """

    def __init__(self, arm, random, pool=2000):
        self._pool_size = pool
        self._random = random
        self._ends = list(zip(arm.lower, arm.upper))
        self._model = arm.model
        true_tip = TrueTip(arm)
        self._reachable = self._pool(true_tip, lambda low, high: random.uniform(low, high))
        self._at_limits = self._pool(true_tip, lambda low, high: random.choice(
            (low, high, min(max(0.0, low), high), random.uniform(low, high))))

    def make(self, kind, now_ns):
        """Return an :class:`Asked` of a class; ``now_ns`` is the time of the stamps' clock."""
        made = _MAKERS[kind](self)
        return made._replace(stamp=self._stamp_near(now_ns)) if 'stamps' in kind else made

    def good(self):
        """Return a target that the arm reaches exactly."""
        return self._random.choice(self._reachable)

    def _pool(self, true_tip, reading):
        readings = [[reading(*ends) for ends in self._ends] for _ in range(self._pool_size)]
        positions, rotations = true_tip.poses(readings)
        return [Asked(tuple(position), quaternion(rotation))
                for position, rotation in zip(positions.tolist(), rotations)]

    def _posture_at_limits(self):
        return self._random.choice(self._at_limits)

    def _around_the_arm(self):
        return Asked(self._box(1.5 * self._model.reach), self._any_quaternion(),
                     self._random.choice(('', BASE_FRAME)))

    def _far_away(self):
        away = 10 ** self._random.uniform(0, 6)
        return self._around_the_arm()._replace(position=self._box(away))

    def _point(self):
        return self._around_the_arm()._replace(topic='target_point')

    def _special_place(self):
        model, pick = self._model, self._random.choice
        shoulder = model.base_height
        lengths = (0.0, model.hand, model.upper_arm, model.forearm,
                   model.upper_arm + model.forearm, model.reach, -model.reach)
        position = (model.base_x + pick((0.0, 0.0, model.shoulder_offset, *lengths)),
                    model.base_y + pick((0.0, 0.0, model.lateral, *lengths)),
                    pick((0.0, shoulder, -1.0)) + pick(lengths))
        half = 0.5 ** 0.5
        return Asked(position, pick(((0.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0),
                                     (0.0, half, 0.0, half), (half, 0.0, 0.0, -half),
                                     (0.5, -0.5, 0.5, 0.5))))

    def _no_number(self):
        return self._with_numbers(NO_NUMBERS)

    def _tiny_numbers(self):
        return self._with_numbers(TINY, of_position=True)

    def _huge_numbers(self):
        return self._with_numbers((*HUGE, *(-huge for huge in HUGE)))

    def _any_bits(self):
        numbers = struct.unpack('<7d', self._random.randbytes(56))
        return Asked(numbers[:3], numbers[3:] if self._random.random() < 0.5
                     else self._any_quaternion())

    def _zero_quaternion(self):
        return self.good()._replace(orientation=tuple(
            self._random.choice((0.0, -0.0, 5e-324, 1e-200)) for _ in range(4)))

    def _scaled_quaternion(self):
        scale = self._random.choice((1e-200, 1e-9, 0.1, 0.9, 0.998, 0.9995, 1.0005, 1.002, 1.1,
                                     2.0, 1e3, 1e150, 1e200, 1e308))
        return self.good()._replace(
            orientation=tuple(scale * value for value in self._any_quaternion()))

    def _other_frame(self):
        return self.good()._replace(frame=self._random.choice(FRAMES), topic=self._random.choice(
            ('target_pose', 'target_point')))

    def _exceptional_point(self):
        made = self._with_numbers((*NO_NUMBERS, *TINY, *HUGE), of_position=True)
        return made._replace(topic='target_point', frame=self._random.choice(FRAMES[:3]))

    def _exceptional_up_vector(self):
        if self._random.random() < 0.5:
            return self._point()
        pick = self._random.choice
        values = (0.0, 0.0, 1.0, -0.3, *NO_NUMBERS, *TINY, *HUGE)
        return Asked((pick(values), pick(values), pick(values)), topic='target_up',
                     frame=pick(FRAMES[:3]))

    def _with_numbers(self, numbers, of_position=False):
        asked = self.good()
        values = [*asked.position, *asked.orientation]
        for _ in range(self._random.randint(1, 3)):
            values[self._random.randrange(3 if of_position else 7)] = self._random.choice(numbers)
        return asked._replace(position=tuple(values[:3]), orientation=tuple(values[3:]))

    def _stamp_near(self, now_ns):
        if self._random.random() < 0.5:
            return self._random.choice(STAMPS)
        seconds, nanoseconds = divmod(now_ns + int(self._random.choice(AHEAD) * 1e9), 10**9)
        return min(max(seconds, -2**31), 2**31 - 1), nanoseconds

    def _box(self, half):
        return tuple(self._random.uniform(-half, half) for _ in range(3))

    def _any_quaternion(self):
        # Shoemake's: uniform over all rotations.
        part, b, c = self._random.random(), self._turn(), self._turn()
        less, more = sqrt(1.0 - part), sqrt(part)
        return less * sin(b), less * cos(b), more * sin(c), more * cos(c)

    def _turn(self):
        return self._random.uniform(0.0, 2.0 * pi)


#: What an ordinary sender asks for, and what no sender should.
_ORDINARY = {
    'reachable': Targets.good, 'at limits': Targets._posture_at_limits,
    'around the arm': Targets._around_the_arm, 'far away': Targets._far_away,
    'points': Targets._point,
}
_EXCEPTIONAL = {
    'special places': Targets._special_place, 'NaN and infinity': Targets._no_number,
    'denormal and tiny numbers': Targets._tiny_numbers, 'numbers up to 1.8e308':
    Targets._huge_numbers, 'any 64 bits as numbers': Targets._any_bits,
    'zero quaternions': Targets._zero_quaternion,
    'quaternions not of norm 1': Targets._scaled_quaternion,
    'empty, unknown and huge frames': Targets._other_frame,
    'past, zero and future stamps': Targets.good,
    'exceptional points': Targets._exceptional_point,
    'exceptional up vectors': Targets._exceptional_up_vector,
}
_MAKERS = {**_ORDINARY, **_EXCEPTIONAL}
ORDINARY, EXCEPTIONAL = tuple(_ORDINARY), tuple(_EXCEPTIONAL)
