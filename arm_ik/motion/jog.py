# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Jogging: the tip moves along and about axes, as long as it is told to.

Each step of dt turns the present pose (e, R) by the twist (v, w), in base axes, to

    e' = e + v dt,   R' = exp(w dt) R

and solves for the pose nearest to that, by the closed-form solver in a box around the present
joint positions. Where (e', R') cannot be had, that is the closest pose, and the tip slides along
the edge of reach or a limit; the next step begins at the pose that was got, so that nothing piles
up. The elbow stays bent to the side that it is bent to. An arm whose base only yaws (psi) takes
its hand along when it turns: its up vector has to stay in the arm plane of normal n, and so

    u' = exp(z dpsi) exp(n (n . w) dt) u

The step is scaled until every joint keeps to its largest velocity, to :data:`EFFORT` of its
acceleration, and can still stop before its limit. When the twist ends, all joints brake together,
on the way they are on.
"""

from dataclasses import replace
from math import atan2, cos, floor, hypot, inf, isfinite, pi, remainder, sin, sqrt
from typing import NamedTuple, Tuple

from ..errors import InvalidArmError, InvalidInputError
from ..kinematics.forward import heights, tool
from ..kinematics.solution import Status
from ..kinematics.solver import Solver
from ..kinematics.target import Target

#: Part of the joints' acceleration that is used. With half of it a driver can pass on positions
#: and velocities that are taken from steps.
EFFORT = 0.5

#: Faster twists are a mistake [m/s, rad/s].
FASTEST, FASTEST_TURN = 2.0, 10.0

#: Half side of the box that is searched [rad]: more than any joint gets in a step.
_RADIUS = 0.3

#: How far the elbow stays from straight and from folded [rad].
_LEAST_BEND = 1e-6

#: How fast the arm comes down to its floor: by what is left of its height in this time [s], and
#: at last by this length in a step [m].
_LANDING, _TOUCH = 0.2, 1e-4

#: A joint this near to its limit is at it [rad].
_AT_LIMIT = 1e-6

#: What is not to be had of a twist is told from this part of it on, and above [m/s, rad/s].
_TOLD, _TOLD_TIP, _TOLD_TURN = 0.02, 1e-4, 1e-3


class Twist(NamedTuple):
    """
    Velocity of the tip ``linear`` [m/s], and of the hand about it ``angular`` [rad/s].

    :raises InvalidInputError: by :meth:`checked`, if it is none to move by.
    """

    linear: Tuple[float, float, float] = (0.0, 0.0, 0.0)
    angular: Tuple[float, float, float] = (0.0, 0.0, 0.0)
    in_tool: bool = False   # along and about the axes of tool0, else of the base

    def checked(self):
        """Return the twist itself if its numbers are finite and not absurd."""
        for what, vector, unit, largest in (
                ('linear', self.linear, 'm/s', FASTEST),
                ('angular', self.angular, 'rad/s', FASTEST_TURN)):
            if not all(map(isfinite, vector)):
                raise InvalidInputError(f'target_twist {what}', vector, 'three finite numbers')
            if not hypot(*vector) <= largest:
                raise InvalidInputError(
                    f'target_twist {what}', f'{hypot(*vector):.3g} {unit}',
                    f'at most {largest:g} {unit}')
        return self

    def __bool__(self):
        return any(self.linear) or any(self.angular)


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
    """

    def __init__(self, model, q, velocities, priority='position'):
        self.q, self.velocities = tuple(q), tuple(velocities)
        self.reason, self.limited_by, self.status = '', (), Status.REACHED
        self._model = model
        self._solver = Solver(_bent_as(model, self.q))
        self._ranking = self._solver.ranking('nearest', priority, 1e-9, 1e-9)
        self._limits = [(joint.lower, joint.upper) for joint in self._solver.geometry.model.joints]

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
        bounds = [self._bounds(*one, dt) for one in zip(
            self._model.joints, self._limits, self.q, self.velocities)]
        before = tool(self._solver.geometry, self.q)
        if twist:
            best = self._nearest(before, twist, dt)
            steps = self._steps_to(best)
            part = _part(steps, bounds)
            if 0.0 < part < 1.0:  # the exact one, and no chord of a long one
                best = self._nearest(before, twist, part * dt)
                steps = self._steps_to(best)
                steps = [min(1.0, _part(steps, bounds)) * step for step in steps]
            else:
                steps = [part * step for step in steps]
            self._explain(twist, before, best, dt * (part if 0.0 < part < 1.0 else 1.0))
        else:
            steps = [velocity * dt for velocity in self.velocities]
            part = max(0.0, _part(steps, bounds, 0.0))
            steps = [part * step for step in steps]
            self.reason, self.limited_by, self.status = '', (), Status.REACHED
        steps = self._slowly_down(steps, dt)
        steps = [min(max(step, low), high) for step, (low, high) in zip(steps, bounds)]
        q = [min(max(position + step, low), high) for position, step, (low, high) in zip(
            self.q, steps, self._limits)]
        self.velocities = tuple([(b - a) / dt for a, b in zip(self.q, q)])
        self.q = tuple(q)

    def _slowly_down(self, steps, dt):
        """Return steps [rad] that bring elbow, wrist and tip to the floor without a bump."""
        geometry = self._solver.geometry
        if geometry.floor is None:
            return steps
        above = min(heights(geometry, self.q)) - geometry.floor
        left = min(heights(geometry, [a + b for a, b in zip(self.q, steps)])) - geometry.floor
        allowed = _TOUCH + max(0.0, above) * min(1.0, dt / _LANDING)
        if above - left <= allowed:
            return steps
        return [allowed / (above - left) * step for step in steps]

    def _steps_to(self, q):
        return [b - a for a, b in zip(self.q, q)]

    def _nearest(self, before, twist, dt):
        """Return the joint positions [rad] nearest to the pose that a twist leads to in a time."""
        geometry = self._solver.geometry
        (x, y, z), up, forward, left = before
        (vx, vy, vz), angular = in_base(twist, before)
        position = x + vx * dt, y + vy * dt, z + vz * dt
        turn = tuple([rate * dt for rate in angular])
        if geometry.has_wrist_roll:
            forward = _turned(forward, turn)
        if geometry.upright:
            there = position[0] - geometry.base_x, position[1] - geometry.base_y
            yaw = geometry.signs[0] * self.q[0] + geometry.offsets[0]
            normal = -sin(yaw), cos(yaw), 0.0
            raised = sum(a * b for a, b in zip(turn, normal))
            up = _turned(up, tuple([raised * a for a in normal]))
            up = _turned(up, (0.0, 0.0, _plane_turn(yaw, there, geometry.lateral)))
        else:
            up = _turned(up, turn)
        target = Target.of_unit_vectors(
            position, up, forward if geometry.has_wrist_roll else None)
        best, _, _ = self._solver.within(self.q, _RADIUS).optimum(
            target, self.q, self._ranking, None)
        return best.q

    def _bounds(self, joint, limits, position, velocity, dt):
        """Return the least and the largest step that a joint can take now [rad]."""
        gain = EFFORT * joint.acceleration * dt
        low, high = (limit - position for limit in limits)
        slowest = max(-joint.max_velocity, velocity - gain, -_stoppable(-low, gain / dt, dt))
        fastest = min(joint.max_velocity, velocity + gain, _stoppable(high, gain / dt, dt))
        # Who comes too fast brakes as fast as it may.
        slowest = min(slowest, velocity + gain)
        fastest = max(fastest, velocity - gain)
        return min(slowest, fastest) * dt, max(slowest, fastest) * dt

    def _explain(self, twist, before, best, dt):
        """Say what of the twist is not to be had in the best pose after a time."""
        linear, angular = in_base(twist, before)
        after = tool(self._solver.geometry, best)
        tip = hypot(*[v - (b - a) / dt for v, a, b in zip(linear, before[0], after[0])])
        turn = hypot(*[w - turned / dt for w, turned in zip(
            angular, _turn_between(before[1:], after[1:]))])
        speed, rate = hypot(*linear), hypot(*angular)
        parts, self.limited_by, self.status = [], (), Status.REACHED
        if turn > max(_TOLD_TURN, _TOLD * rate):
            parts.append(f'{turn:.2g} of {rate:.2g} rad/s cannot be had' if rate
                         else f'the hand turns along, at {turn:.2g} rad/s')
            self.status = Status.UP_RELAXED if rate else Status.REACHED
        if tip > max(_TOLD_TIP, _TOLD * speed):
            parts.insert(0, f'{tip:.2g} of {speed:.2g} m/s cannot be had' if speed
                         else f'the tip moves along, at {tip:.2g} m/s')
            self.status = Status.POSITION_RELAXED
        if parts:
            self.limited_by = tuple([
                joint.name for joint, position in zip(self._model.joints, best)
                if not joint.lower + _AT_LIMIT < position < joint.upper - _AT_LIMIT])
        if self.limited_by:
            parts.append(f'at a limit: {", ".join(self.limited_by)}')
        elif self.status is Status.POSITION_RELAXED and self._is_stretched():
            parts.append('at the edge of reach')
        fastest = self._fastest()
        if fastest:
            parts.append(f'slowed down: {fastest} is as fast as it may be')
        self.reason = '; '.join(parts)

    def _is_stretched(self):
        index, sign, offset = self._solver.geometry.elbow
        return abs(sin(sign * self.q[index] + offset)) < 1e-3

    def _fastest(self):
        """Return the name of the joint that is at its largest velocity, if one is."""
        part, name = max((abs(velocity) / joint.max_velocity, joint.name)
                         for velocity, joint in zip(self.velocities, self._model.joints))
        return name if part > 0.98 else ''


def in_base(twist, axes):
    """
    Return the linear and angular velocity of a twist in base axes.

    :param axes: ``(tip, up, forward, left)`` of :func:`~arm_ik.kinematics.forward.tool`.
    """
    if not twist.in_tool:
        return twist.linear, twist.angular
    _, up, forward, left = axes
    return tuple(tuple([x * f + y * g + z * u for f, g, u in zip(forward, left, up)])
                 for x, y, z in (twist.linear, twist.angular))


def _bent_as(model, q):
    """Return an arm whose elbow bends only to the side that it is bent to at positions [rad]."""
    joints = list(model.joints)
    index = model.roles.index('elbow')
    elbow = joints[index]
    angle = elbow.canonical(q[index])
    half = floor(angle / pi)
    ends = sorted((elbow.position(half * pi + _LEAST_BEND),
                   elbow.position((half + 1) * pi - _LEAST_BEND)))
    lower, upper = max(elbow.lower, ends[0]), min(elbow.upper, ends[1])
    joints[index] = replace(elbow, lower=lower, upper=upper)
    home = tuple(min(max(position, joint.lower), joint.upper)
                 for position, joint in zip(q, joints))
    try:
        return replace(model, joints=tuple(joints), home=home)
    except InvalidArmError:  # below the floor already
        return replace(model, joints=tuple(joints), home=home, floor_height=None)


def _stoppable(distance, acceleration, dt):
    """Return the largest speed from which a joint stops within a distance, after a step at it."""
    if distance <= 0.0:
        return 0.0
    return 2.0 * distance / (dt + sqrt(dt * dt + 2.0 * distance / acceleration))


def _part(steps, bounds, wanted=1.0):
    """Return the part of steps that is inside the bounds of all, as near as can be to a wanted."""
    least, most = -inf, inf
    for step, (low, high) in zip(steps, bounds):
        if step:
            first, last = sorted((low / step, high / step))
            least, most = max(least, first), min(most, last)
    if least > most:  # each joint goes as it can
        return wanted
    return min(max(wanted, least), most)


def _plane_turn(yaw, there, lateral):
    """Return by how much the arm plane has to turn to hold a place [m] beside its axis [rad]."""
    x, y = there
    out = sqrt(max(0.0, x * x + y * y - lateral * lateral))
    turns = [remainder(atan2(y, x) - atan2(lateral, side * out) - yaw, 2.0 * pi)
             for side in (1.0, -1.0)]
    return min(turns, key=abs)


def _turned(vector, turn):
    """Return a unit vector after a turn, given as axis times angle [rad]."""
    angle = hypot(*turn)
    if not angle:
        return vector
    kx, ky, kz = (part / angle for part in turn)
    x, y, z = vector
    c, s = cos(angle), sin(angle)
    along = (kx * x + ky * y + kz * z) * (1.0 - c)
    result = (c * x + s * (ky * z - kz * y) + along * kx,
              c * y + s * (kz * x - kx * z) + along * ky,
              c * z + s * (kx * y - ky * x) + along * kz)
    length = hypot(*result)
    return tuple([part / length for part in result])


def _turn_between(before, after):
    """Return the small turn between two triples of axes, as axis times angle [rad]."""
    total = [0.0, 0.0, 0.0]
    for (ax, ay, az), (bx, by, bz) in zip(before, after):
        total[0] += 0.5 * (ay * bz - az * by)
        total[1] += 0.5 * (az * bx - ax * bz)
        total[2] += 0.5 * (ax * by - ay * bx)
    return total
