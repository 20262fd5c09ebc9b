# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Set-points of all joints: from where they are to their goals, at limited velocity and acceleration.

The joints of one command arrive together: each takes the time that the slowest of them needs. New
goals may come at any moment, and take over from the present position and speed. Nothing is planned
ahead: every step finds each joint's :class:`TrapezoidalProfile` anew, and takes the first part of
it.

Joints may also *follow*: somebody else says at every step where each should be after it, and how
fast. That is passed on to the last bit where a motion inside the limits leads there: from the
speed v to w, and as far as d, in a step of dt,

    |w - v| <= a dt,   |d - (v + w) dt / 2| <= (a dt^2 - (w - v)^2 / a) / 4

Else the joint catches up as fast as it may: by the profile again, seen from what it follows. One
that follows is always able to brake to rest before its limits.

A set-point leads its joint's measured position by at most ``max_lead`` L. With the lead e, a joint
of largest velocity V may run at no more than v with

    v dt + v^2 / (2 A) = L - e,   A = V^2 / L

so that a joint that follows within L / 2 is not slowed down, one that lags runs as fast as it can
follow, and for one that is blocked motion pauses: its set-point comes to rest at L, and the joints
of the chain that go with it wait. It alone may brake by A, more than its acceleration: it is not
where its set-point is. A set-point never goes back by itself.
"""

from dataclasses import dataclass
from itertools import accumulate
from math import copysign, hypot, inf, sqrt

from ..kinematics.tolerances import ROUNDING

#: Points of a path ahead are farther apart than this [s].
APART = 1e-4

#: A joint with less speed left than this part of its largest one is blocked.
_BLOCKED = 0.02


class TrapezoidalProfile:
    """
    The trapezoidal velocity profile that brings one joint to rest at its goal.

    Velocity and acceleration are limited; the jerk is not. The joint has a distance d to go and a
    speed v, positive towards the goal. It changes its speed at +-a to a cruising speed c, keeps
    that, and brakes at a to rest. If it could brake to rest before the goal, d >= v^2 / (2 a), a
    profile that takes the time T is

        c >= v:   c^2 - c (a T + v) + a d + v^2 / 2 = 0        (the smaller root)
        c < v:    c = (d - v^2 / (2 a)) / (T - v / a)

    and there is one for each T from the shortest on. The shortest has c = sqrt(a d + v^2 / 2), or
    the largest velocity where that is less. A joint that moves away, or too fast to stop
    at the goal, brakes to rest first: its profile begins there.

    :param distance: from where it is to the goal [rad, m], of either sign.
    :param speed: its present one [rad/s, m/s], of either sign.
    :param max_speed: what it may run at from now on; 0: it brakes and never arrives.
    :param acceleration: what it may speed up and brake with [rad/s^2, m/s^2].
    """

    def __init__(self, distance, speed, max_speed, acceleration):
        # Where it would be if it braked at once.
        stop = 0.5 * speed * abs(speed) / acceleration
        sign = copysign(1.0, distance - stop)
        self._sign, self._a = sign, acceleration
        self._distance, self._speed = sign * distance, sign * speed
        self._v = max(0.0, self._speed)
        self._brake = max(0.0, -self._speed) / acceleration     # how long it brakes first
        self._d = self._distance + max(0.0, -sign * stop)       # from there on
        self.shortest = self._brake + self._time(max_speed)

    def _time(self, top):
        a, d, v = self._a, self._d, self._v
        peak = sqrt(a * d + 0.5 * v * v)
        if peak <= top:
            return (2.0 * peak - v) / a
        if top <= 0.0:
            return inf
        most = max(v, top)
        return (2.0 * most - v) / a + (d - (most * most - 0.5 * v * v) / a) / top

    def after(self, time, duration=None):
        """
        Return where the joint is after some time, and how fast.

        :param time: from now on [s].
        :param duration: time to take for all of it [s], at least ``shortest``, the default.
        :returns: ``(distance from here, speed)``, of either sign.
        """
        duration = self.shortest if duration is None else duration
        if time >= duration:
            return self._sign * self._distance, 0.0
        travelled, speed = 0.0, self._speed
        for length, acceleration in self._phases(duration):
            step = min(time, length)
            travelled += step * (speed + 0.5 * acceleration * step)
            speed += acceleration * step
            time -= step
        return self._sign * travelled, self._sign * speed

    def switches(self, duration):
        """Return when its acceleration changes [s], rest at the end of ``duration`` included."""
        return accumulate(length for length, _ in self._phases(duration))

    def _phases(self, duration):
        """Return the pieces of even acceleration: how long each is [s], and how much."""
        a, v, left = self._a, self._v, duration - self._brake
        cruise = self._cruise(left) if left > 0.0 else 0.0
        ramp, brake = abs(cruise - v) / a, cruise / a
        return ((self._brake, a), (ramp, copysign(a, cruise - v)),
                (left - ramp - brake, 0.0), (brake, -a))

    def _cruise(self, duration):
        a, d, v = self._a, self._d, self._v
        after_braking = d - 0.5 * v * v / a
        if v * (duration - v / a) > after_braking:
            return after_braking / (duration - v / a)
        half, c = 0.5 * (a * duration + v), a * d + 0.5 * v * v
        return c / (half + sqrt(max(0.0, half * half - c)))


@dataclass
class _State:
    position: float
    goal: float
    speed: float = 0.0
    brake: float = inf                 # no more than its joint's acceleration
    group: int = 0                     # of the joints that arrive together
    part: float = 1.0                  # of the largest velocity
    measured: float | None = None   # where it was when it was last measured
    top: float = inf                   # what its lead lets it run at


class Generator:
    """
    The set-points of an arm; ``speed`` is a part of what joints may run at on their path to goals.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`; an extra joint that is blocked,
        such as a gripper with something in it, keeps no other joint waiting.
    :param max_lead: how far a set-point may be ahead of its joint's measured position [rad]; on a
        prismatic joint this part of its range.
    """

    def __init__(self, model, max_lead=0.15):
        self._chain, self._joints = frozenset(model.joint_names), model.all_joints
        self.max_lead, self.speed = max_lead, 1.0
        self._states, self._groups = {}, 0

    @property
    def set_points(self):
        """Newest set-points by name, of the joints that have one."""
        return {name: state.position for name, state in self._states.items()}

    @property
    def speeds(self):
        """Speeds of the set-points, by name."""
        return {name: state.speed for name, state in self._states.items()}

    @property
    def goals(self):
        """Where the joints come to rest, by name."""
        return {name: state.goal for name, state in self._states.items()}

    def part(self, name):
        """Return the part of its ``max_velocity`` that a joint may run at to its goal."""
        return self._states[name].part if name in self._states else 1.0

    def begin(self, positions, speeds={}):
        """
        Let joints be at positions: measured ones, inside the limits or not.

        :param positions: by name.
        :param speeds: by name, of those that move and are then sent somewhere.
        """
        for name, position in positions.items():
            self._states[name] = _State(position, position, speeds.get(name, 0.0))

    def move(self, goals, part=1.0):
        """
        Send joints to goals inside their limits, to arrive together; known goals change nothing.

        :param goals: by name, of joints that have begun.
        :param part: of their ``max_velocity`` that they may run at.
        """
        if all((state := self._states[name]).goal == goal and state.part == part
               for name, goal in goals.items()):
            return
        self._groups += 1
        for name, goal in goals.items():
            state = self._states[name]
            state.goal, state.group, state.part, state.brake = goal, self._groups, part, inf

    def stop(self, names=None):
        """
        Brake joints to rest; ``None``: all.

        The chain stays on its path: its joints come to rest together, as soon as all of them can.
        """
        names = self._states if names is None else names
        times = {name: abs(self._states[name].speed) / self._joints[name].acceleration
                 for name in names if self.is_moving([name])}
        together = max([time for name, time in times.items() if name in self._chain], default=0.0)
        for name, time in times.items():
            state, joint = self._states[name], self._joints[name]
            state.group = self._groups = self._groups + 1
            distance = 0.5 * state.speed * (together if name in self._chain else time)
            state.goal = _inside(joint, state, state.position + distance)
            distance = abs(state.goal - state.position)
            state.brake = 0.5 * state.speed ** 2 / distance if distance > ROUNDING else inf

    def is_moving(self, names=None):
        """Return whether the set-points of joints still change; ``None``: of any."""
        states = map(self._states.get, self._states if names is None else names)
        return any(state.position != state.goal or state.speed for state in states)

    @property
    def blocked(self):
        """Names of the joints that are kept from their goals by their lead."""
        return tuple(name for name, state in self._states.items() if state.position != state.goal
                     and state.top < _BLOCKED * self._joints[name].max_velocity)

    def step(self, dt, measured, follow={}, waiting=()):
        """
        Go on by a time.

        :param dt: since the last step [s].
        :param measured: positions by name of the joints that have just been measured.
        :param follow: of joints that follow: positions and velocities by name, after the step; and
            limits, if they are narrower than the joint's.
        :param waiting: names of joints whose set-points stay, until it is known where they are.
        :returns: the new set-points by name.
        """
        profiles = {}
        waits = self._chain.intersection(follow).intersection(self.blocked)
        for name, state in self._states.items():
            state.measured = measured.get(name, state.measured)
            if name in waiting:
                continue
            if name in follow:
                self._follow(name, state, dt, *(
                    follow[name] if name not in self._chain or not waits - {name}
                    else (_rest(state, self._joints[name]), 0.0)))
            elif state.position != state.goal or state.speed:
                profiles[name] = self._profile(name, state, dt)
        for name, duration in self._durations(profiles).items():
            state = self._states[name]
            if dt >= duration and dt * state.top >= abs(state.goal - state.position):
                state.position, state.speed = state.goal, 0.0
            else:
                self._go(self._joints[name], state, dt, *profiles[name].after(dt, duration))
        return self.set_points

    def ahead(self):
        """
        Return the path from now on until all joints rest, if nobody measures where they are.

        :returns: a list of times [s], from 0 on, and positions and speeds by name then; in
            between no acceleration changes.
        """
        profiles = {name: self._profile(name, state, 0.0) for name, state in self._states.items()
                    if self.is_moving([name])}
        durations = self._durations(profiles)
        times = [max(APART, *durations.values())] if durations else []
        for time in sorted((time for name, profile in profiles.items()
                            for time in profile.switches(durations[name])), reverse=True):
            if APART < time < times[-1] - APART:
                times.append(time)
        return [(time, {name: self._after(name, profiles, time, durations)
                        for name in self._states}) for time in [0.0, *reversed(times)]]

    def _after(self, name, profiles, time, durations):
        state = self._states[name]
        if name not in profiles or time >= durations[name]:
            return state.goal, 0.0
        travelled, speed = profiles[name].after(time, durations[name])
        return state.position + travelled, speed

    def _durations(self, profiles):
        """Return how long joints take for their profiles [s], by name; groups do together."""
        longest = {}
        for name, profile in profiles.items():
            state = self._states[name]
            if name in self._chain or state.top >= self._joints[name].max_velocity:
                longest[state.group] = max(longest.get(state.group, 0.0), profile.shortest)
        return {name: max(profile.shortest, longest.get(self._states[name].group, 0.0))
                for name, profile in profiles.items()}

    def _profile(self, name, state, dt):
        joint, distance = self._joints[name], state.goal - state.position
        state.top = self._top_speed(joint, state, dt, distance or state.speed)
        max_speed = state.part * self.speed * joint.max_velocity
        if name in self._chain:  # the others wait for it
            max_speed = min(max_speed, state.top)
        return TrapezoidalProfile(distance, state.speed, max_speed,
                                  min(state.brake, joint.acceleration))

    def _top_speed(self, joint, state, dt, direction):
        """Return how fast a joint may run in a direction; see the module."""
        if state.measured is None:
            return inf
        longest, lead = self.max_lead * unit(joint), state.position - state.measured
        room = longest - (lead if direction > 0.0 else -lead)
        if room <= 0.0:
            return 0.0
        return 2.0 * room / (dt + hypot(dt, sqrt(2.0 * room * longest) / joint.max_velocity))

    def _follow(self, name, state, dt, position, velocity, limits=None):
        joint, a = self._joints[name], self._joints[name].acceleration
        limits = limits or joint
        state.goal = position = _inside(limits, state, position)
        state.brake = inf
        velocity = _stoppable(joint, limits, state, position, velocity)
        distance = position - state.position
        state.top = self._top_speed(joint, state, dt, distance or velocity)
        fastest = min(state.top, joint.max_velocity)
        if abs(velocity) <= fastest and abs(distance) <= fastest * dt and _leads_there(
                distance, state.speed, velocity, a, dt):
            state.position, state.speed = position, velocity
            return
        if state.top < joint.max_velocity:
            velocity = 0.0      # it lags, and is to come no nearer than it can stop
        travelled, speed = _catch_up(
            distance - velocity * dt, state.speed, velocity, fastest, a, dt)
        rest = state.position + travelled + 0.5 * speed * abs(speed) / a
        allowed = _inside(limits, state, rest)
        if allowed != rest:
            travelled, speed = TrapezoidalProfile(allowed - state.position, state.speed, fastest,
                                                  a).after(dt)
        self._go(joint, state, dt, travelled, speed)

    def _go(self, joint, state, dt, travelled, speed):
        top = self._top_speed(joint, state, dt, travelled)
        if abs(travelled) > top * dt:
            travelled = copysign(top * dt, travelled)
            speed = copysign(min(abs(speed), top), travelled)
        state.position, state.speed = _inside(joint, state, state.position + travelled), speed


def unit(joint):
    """Return what tolerances of a joint are parts of: 1 rad; its range [m] if it slides."""
    return joint.upper - joint.lower if getattr(joint, 'type', '') == 'prismatic' else 1.0


def _inside(limits, state, position):
    """Return a position that rounding takes no farther out of limits than the joint is."""
    return min(max(position, min(limits.lower, state.position)), max(limits.upper, state.position))


def _rest(state, joint):
    """Return where a joint comes to rest that brakes from now on."""
    return state.position + 0.5 * state.speed * abs(state.speed) / joint.acceleration


def _stoppable(joint, limits, state, position, velocity):
    """Return a velocity from which a joint at a position can brake to rest before a limit."""
    bound = _inside(limits, state, copysign(inf, velocity))
    fastest = min(joint.max_velocity, sqrt(2.0 * joint.acceleration * abs(bound - position)))
    return copysign(min(abs(velocity), fastest), velocity)


def _leads_there(distance, before, after, a, dt):
    """Return whether a joint can go a distance in a time, from a speed to a speed."""
    change = after - before
    return abs(change) <= a * dt and abs(distance - 0.5 * (before + after) * dt) <= 0.25 * (
        a * dt * dt - change * change / a)


def _catch_up(distance, speed, velocity, fastest, a, dt):
    """Return how far a joint gets, and how fast, that catches up with one at a velocity."""
    relative = speed - velocity
    towards = copysign(1.0, distance - 0.5 * relative * abs(relative) / a)
    travelled, relative = TrapezoidalProfile(
        distance, relative, max(0.0, fastest - towards * velocity), a).after(dt)
    return travelled + velocity * dt, relative + velocity
