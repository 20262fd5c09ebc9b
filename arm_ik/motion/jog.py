# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Jogging: the tip moves along and about axes, as long as it is asked to.

The arm goes by a twist (v, w), in base axes, that comes up to the one asked for in a short time.
Of the joint velocities x that the joints may have now, those are taken that come nearest to it::

    a^2 + W^2 |s|^2 + E^2 |K x - k|^2 + D^2 |x - x_before|^2  ->  least

a and s are the parts of ``J x - v`` along v and across it, J the Jacobian of the tip a step
ahead; ``K x - k`` is by how much the hand turns otherwise than it should, times its length. E is
small: where not all can be had, the hand yields first. (With priority 'up' v and k are one
vector, and all that is across it has the same large weight.) D is smaller still: of motions that
are as good, the one goes on that there is. A joint may come no faster to its limit, nor elbow,
wrist or tip to the floor, than it can stop easily. What is allowed is so a convex set that holds
0. For the answer, the nearest of it to v, ``W^2 |s|^2 <= a (|v| - a)``, with a and s now the parts
of J x: the tip is never faster than v, and slides off its line by ``|v| / 2 W`` at most.

Why E is what it is: a hand of length l3 that is all but straight stretches the arm at ``l3 bend
x``, and ``x = l3 bend v / E^2`` is best for that. With ``E^2 = 4 l3 v dt`` it turns by a fourth of
the bend in a step. With a fourth of that E^2 it turns by all of it, and trembles.

An arm whose base only yaws takes its hand along when it turns: of the turning asked for it can
have the part about the normal of its plane and, with a wrist roll, that about its last link.

All joints slow down together for the largest turning of the hand, and to what they can reach from
the velocities before; where they can reach nothing there, they brake towards it. The elbow
stays bent to the side that it is bent to.
"""

from math import cos, floor, hypot, inf, pi, sin, sqrt
from typing import NamedTuple

import numpy as np

from ..errors import InvalidInputError
from ..kinematics.forward import Geometry, heights, tool
from ..kinematics.pose import jacobian
from ..kinematics.solution import Status

#: Part of the joints' acceleration that is used: the rest is for who follows unevenly.
EFFORT = 0.5

#: Part of the joints' acceleration that it takes to stop at a limit: others have to slow down with
#: the one that is there, and faster.
_EASY = 0.125

#: A joint is no faster than it can brake in this time [s].
BRAKING = 0.1

#: Part of the largest turning speed that is used: a driver may add some between two commands.
_CALM = 0.95

#: Faster twists are a mistake [m/s, rad/s].
FASTEST, FASTEST_TURN = 2.0, 10.0

#: How long it takes to come up to a twist, and down from it [s]: a few periods of commands, so
#: that what passes between two of them is as smooth.
_RAMP = 0.08

#: How far the elbow stays from straight and from folded [rad].
_LEAST_BEND = 1e-6

#: How fast the arm comes down to its floor: by what is left of its height in this time [s].
_LANDING = 0.2

#: W times the part of a twist that the tip may slide, a tenth more than needed, and the least such
#: part; the least E, by the length of the hand; D [m]; W for all with priority 'up'.
_ACROSS, _LEAST_SLIDE, _LEAST_TURN, _STEADY, _UP_FIRST = 0.55, 1e-3, 0.02, 0.001, 100.0

#: Weight of the definition of the heights' velocities.
_EXACTLY = 100.0

#: Most rounds of the least squares, and the pull that counts as none there.
_MOST_SOLVED, _NO_PULL = 50, 1e-13

#: Step of numeric differences [rad].
_SMALL = 1e-5

#: What is not to be had of a twist is reported from this part of it on, and above [m/s, rad/s].
_REPORTED, _REPORTED_TIP, _REPORTED_TURN = 0.02, 1e-4, 1e-3


class Twist(NamedTuple):
    """
    Velocity of the tip ``linear`` [m/s], and of the hand about it ``angular`` [rad/s].

    :raises InvalidInputError: by :meth:`checked`, if it is none to move by.
    """

    linear: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angular: tuple[float, float, float] = (0.0, 0.0, 0.0)
    in_tool: bool = False   # along and about the axes of tool0, else of the base

    def checked(self):
        """Return the twist itself if its numbers are finite and not absurd."""
        for what, vector, unit, largest in (('linear', self.linear, 'm/s', FASTEST),
                                            ('angular', self.angular, 'rad/s', FASTEST_TURN)):
            if not hypot(*vector) <= largest:   # nor where a number is none
                raise InvalidInputError(f'target_twist {what}', vector, 'three finite numbers, '
                                        f'the length of the vector at most {largest:g} {unit}')
        return self

    def __bool__(self):
        return any(self.linear) or any(self.angular)

    def times(self, part):
        """Return a part of the twist."""
        return self if part == 1.0 else Twist(
            *[tuple([part * x for x in vector]) for vector in self[:2]], self.in_tool)


class Jog:
    """
    Joint positions that are led by a twist.

    ``q`` holds the positions [rad], base to tip, ``velocities`` those of the last step [rad/s];
    ``reason`` says in words what of the last twist cannot be had, ``limited_by`` names the joints
    at a limit there, and ``status`` is the :class:`~arm_ik.Status` that it comes to.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param q: positions to begin at [rad], inside the limits.
    :param velocities: to begin with [rad/s].
    :param priority: ``'position'`` or ``'up'``: what to keep where both cannot be kept.
    :param slide: largest part of the tip's speed at which it slides off its line.
    :param turn_speed: how fast the hand may turn if nobody asks for more [rad/s].
    """

    def __init__(self, model, q, velocities, priority='position', slide=0.1, turn_speed=1.0):
        self.q, self.velocities = tuple(q), tuple(velocities)
        self.reason, self.limited_by, self.status = '', (), Status.REACHED
        self._joints, self._geometry = model.joints, Geometry(model)
        self._hand = self._geometry.l3 or self._geometry.l2
        self._limits = _limits_bent_as(model, q)
        self._across = _ACROSS / max(slide, _LEAST_SLIDE)
        self._up_first, self._turn_speed = priority == 'up', turn_speed
        self._asked, self._going, self._pace = None, np.zeros((2, 3)), np.zeros((2, 1))

    @property
    def at_rest(self):
        """Whether no joint moves."""
        return not any(self.velocities)

    def step(self, twist, dt):
        """
        Go on by a time.

        :param twist: the :class:`Twist` to move by.
        :param dt: [s], above zero.
        """
        self._turn_into(twist, dt)
        # Where they are after a step at whose end they rest.
        half = [position + 0.5 * dt * v for position, v in zip(self.q, self.velocities)]
        limits = [(-_stoppable(position - lower, _EASY * joint.acceleration, dt),
                   _stoppable(upper - position, _EASY * joint.acceleration, dt))
                  for joint, position, (lower, upper) in zip(self._joints, half, self._limits)]
        gains = [EFFORT * joint.acceleration * dt for joint in self._joints]
        wanted = self._wanted(limits, dt) if self._going.any() else [0.0] * len(gains)
        velocities = _within_reach(self.velocities, wanted, gains)
        if not twist:
            self.reason, self.limited_by, self.status = '', (), Status.REACHED
        # Who comes too fast brakes as fast as it may.
        velocities = [min(max(x, min(low, v + gain)), max(high, v - gain))
                      for x, v, gain, (low, high) in zip(
                          velocities, self.velocities, gains, limits)]
        self.q = tuple([min(max(position + 0.5 * dt * x, lower), upper)
                        for position, x, (lower, upper) in zip(half, velocities, self._limits)])
        self.velocities = tuple(velocities)

    def _turn_into(self, twist, dt):
        """Bring the twist that the arm goes by nearer to the one that is asked for."""
        asked = np.array(twist[:2])
        if twist.in_tool:
            _, up, forward, left = tool(self._geometry, self.q)
            asked = asked @ (forward, left, up)
        if twist != self._asked:
            self._asked = twist
            self._pace = np.maximum(*(
                np.linalg.norm(each, axis=1, keepdims=True) for each in (asked, self._going)))
        missing = asked - self._going
        length = np.linalg.norm(missing, axis=1, keepdims=True)
        step = self._pace * dt / _RAMP
        self._going = np.where(length <= step, asked, self._going + missing * (
            step / np.where(length > 0.0, length, 1.0)))

    def _wanted(self, limits, dt):
        """Return the velocities nearest to the twist [rad/s], and say what cannot be achieved."""
        ahead = [min(max(position + dt * v, lower), upper) for position, v, (lower, upper)
                 in zip(self.q, self.velocities, self._limits)]
        (linear, angular), (speed, rate) = self._going, np.linalg.norm(self._going, axis=1)
        fastest = self._fastest()
        low, high = np.clip(limits, -fastest[:, None], fastest[:, None]).T
        tip, turn, rise = self._jacobian(ahead)
        axes, hand = self._turning_axes(ahead), self._hand
        rates = np.concatenate([tip, hand * axes @ turn])
        asked = np.concatenate([linear, hand * axes @ angular])
        if self._up_first:
            along, weights = asked, np.full(len(asked), _UP_FIRST)
        else:
            along, weights = asked * (np.arange(len(asked)) < 3), np.full(len(asked), self._across)
            weights[3:] = max(_LEAST_TURN, 2.0 * sqrt(speed * dt / hand))
        along = along / (np.linalg.norm(along) or 1.0)
        metric = np.diag(weights) + (1.0 - weights[0]) * np.outer(along, along)
        matrix = np.concatenate([metric @ rates, _STEADY * np.eye(len(low))])
        right = np.concatenate([metric @ asked, _STEADY * np.array(self.velocities)])
        if len(rise):  # how fast elbow, wrist and tip rise are unknowns more, with a bound
            above = np.maximum(0.0, np.array(heights(self._geometry, self.q))
                               - self._geometry.floor)
            matrix = np.block([[matrix, np.zeros((len(matrix), len(rise)))],
                               [_EXACTLY * rise, -_EXACTLY * np.eye(len(rise))]])
            right = np.append(right, np.zeros(len(rise)))
            low, high = np.append(low, -above / _LANDING), np.append(high, len(rise) * [inf])
        x = bounded_least_squares(matrix, right, low, high)
        at_floor, x = (x <= low)[len(fastest):].any(), x[:len(fastest)]
        most = max(_CALM * self._turn_speed, rate)
        part = most / max(most, np.linalg.norm(turn @ x))
        if speed:
            part = min(part, speed / max(speed, np.linalg.norm(tip @ x)))
        where = self._limits_met(x, limits, fastest) + ['at the floor'] * bool(at_floor)
        slow = [joint.name for joint, v, most in zip(self._joints, x, fastest)
                if abs(v) > 0.98 * most] + ['the hand'] * bool(part < 0.999)
        self._explain(linear, angular, part * tip @ x, part * turn @ x, where, slow)
        return (part * x).tolist()

    def _fastest(self):
        """
        Return how fast each joint may be [rad/s].

        Out of a straight arm the tip comes at ``v = l bend x``, with l = l1 l2 / (l1 + l2). At a
        constant v the joint slows down by ``x^2 / bend``; half of its acceleration has to do.
        """
        geometry = self._geometry
        linear, angular = np.linalg.norm(self._going, axis=1)
        speed = linear + self._hand * angular
        length = geometry.l1 * geometry.l2 / (geometry.l1 + geometry.l2)
        return np.array([min(joint.max_velocity, BRAKING * EFFORT * joint.acceleration,
                             (0.5 * EFFORT * joint.acceleration * speed / length) ** (1.0 / 3.0))
                         for joint in self._joints])

    def _jacobian(self, q):
        """Return how tip [m] and hand [rad] move with each joint, and heights above a floor."""
        geometry, steps = self._geometry, _SMALL * np.eye(len(q))
        rises = [] if geometry.floor is None else np.transpose([
            np.subtract(heights(geometry, high), heights(geometry, low))
            for low, high in zip((q - steps).tolist(), (q + steps).tolist())])
        return (*np.split(jacobian(geometry, q), 2), np.array(rises) / (2.0 * _SMALL))

    def _turning_axes(self, q):
        """Return the axes [n, 3] about which there are joints to turn the hand at will."""
        geometry = self._geometry
        _, up, forward, left = tool(geometry, q)
        yaw = geometry.signs[0] * q[0] + geometry.offsets[0]
        axes = [(-sin(yaw), cos(yaw), 0.0)] if geometry.upright else [forward, left]
        return np.array(axes * geometry.has_wrist + [up] * geometry.has_wrist_roll).reshape(-1, 3)

    def _limits_met(self, velocities, limits, fastest):
        """Say which limits the joints come to, and set :attr:`limited_by`."""
        met = [(joint.name, end in (joint.lower, joint.upper))
               for joint, v, (low, high), ends, most in zip(
                   self._joints, velocities, limits, self._limits, fastest)
               for end, is_met in zip(ends, (v <= low > -most, v >= high < most)) if is_met]
        self.limited_by = tuple(dict.fromkeys(name for name, own in met if own))
        index, sign, offset = self._geometry.elbow
        at_edge = abs(sin(sign * self.q[index] + offset)) < 0.01 or not all(own for _, own in met)
        at_limit = f'at a limit: {", ".join(self.limited_by)}' if self.limited_by else ''
        return list(filter(None, (at_limit, 'at the edge of reach' if at_edge else '')))

    def _explain(self, linear, angular, tip, turn, where, slow):
        """Say what of a twist is not to be had: tip [m/s] and hand [rad/s] move otherwise."""
        missed, turned = np.linalg.norm(linear - tip), np.linalg.norm(angular - turn)
        speed, rate = np.linalg.norm(linear), np.linalg.norm(angular)
        parts, self.status = [], Status.REACHED
        if missed > max(_REPORTED_TIP, _REPORTED * speed) and (where or not slow):
            asked = hypot(*self._asked.linear)  # also while the arm comes up to it
            parts.append(f'{missed / speed * asked:.2g} of {asked:.2g} m/s cannot be achieved'
                         if speed else f'the tip moves along, at {missed:.2g} m/s')
            self.status = Status.POSITION_RELAXED
        if turned > max(_REPORTED_TURN, _REPORTED * rate) and (rate or self._geometry.has_wrist):
            asked = hypot(*self._asked.angular)
            parts.append(f'{turned / rate * asked:.2g} of {asked:.2g} rad/s cannot be achieved'
                         if rate else f'the hand turns along, at {turned:.2g} rad/s')
            if rate and self.status is Status.REACHED:
                self.status = Status.UP_RELAXED
        if parts:
            parts += where
        else:
            self.limited_by = ()
        if slow:
            parts.append(f'slowed down: {slow[0]} is as fast as it may be')
        self.reason = '; '.join(parts)


def bounded_least_squares(matrix, right, low, high):
    """
    Return the x inside bounds for which ``|matrix x - right|`` is least.

    It goes from 0 towards the answer without bounds, holds what meets its bound, and
    releases what is pulled inwards, until nothing is (C. L. Lawson and R. J. Hanson, *Solving
    Least Squares Problems*, chapter 23).

    :param matrix: shape (m, n), of rank n.
    :param right: shape (m,).
    :param low: shape (n,), at most 0.
    :param high: shape (n,), at least 0.
    """
    square, pull = matrix.T @ matrix, matrix.T @ right
    x, free = np.zeros(len(low)), low < high
    for _ in range(_MOST_SOLVED):
        slope = pull - square @ x
        change = np.zeros(len(x))
        change[free] = np.linalg.solve(square[np.ix_(free, free)], slope[free])
        room = np.where(change > 0.0, high, low) - x
        parts = np.where(change != 0.0, room, inf) / np.where(change != 0.0, change, 1.0)
        part = min(1.0, parts.min())
        x = np.clip(x + part * change, low, high)
        if part < 1.0:
            free = free & (parts > part)
            continue
        slope = pull - square @ x
        inwards = np.where(free | (low >= high), 0.0, np.where(x <= low, slope, -slope))
        if inwards.max() <= _NO_PULL:
            break
        free[inwards.argmax()] = True
    return x


def _within_reach(before, wanted, gains):
    """
    Return the largest part of some wanted velocities that can be reached, at most all of it.

    :param before: velocities to come from.
    :param gains: by how much each of them can change. If no part can be reached, the result is on
        towards the one for which least is missing.
    """
    least, most = 0.0, 1.0
    for v, w, gain in zip(before, wanted, gains):
        if w:
            first, last = sorted(((v - gain) / w, (v + gain) / w))
            least, most = max(least, first), min(most, last)
        elif abs(v) > gain:
            most = -inf
    if least <= most:
        return [most * w for w in wanted]

    def excess(part):
        return max(abs(part * w - v) / gain for v, w, gain in zip(before, wanted, gains))
    part = min([k / 16.0 for k in range(17)], key=excess)
    most = max(1.0, excess(part))
    return [v + (part * w - v) / most for v, w in zip(before, wanted)]


def _limits_bent_as(model, q):
    """Return the joints' limits [rad], the elbow's only to the side it is bent to at positions."""
    limits = [(joint.lower, joint.upper) for joint in model.joints]
    index = model.roles.index('elbow')
    elbow = model.joints[index]
    half = floor(elbow.canonical(q[index]) / pi)
    ends = sorted((elbow.position(half * pi + _LEAST_BEND),
                   elbow.position((half + 1) * pi - _LEAST_BEND)))
    limits[index] = max(elbow.lower, ends[0]), min(elbow.upper, ends[1])
    return limits


def _stoppable(distance, acceleration, dt):
    """Return the largest speed from which a joint stops within a distance, after a step at it."""
    room = max(distance, 0.0)
    return 2.0 * room / (dt + sqrt(dt * dt + 2.0 * room / acceleration))
