# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The trapezoidal velocity profile that brings one joint to rest at its goal.

Velocity and acceleration are limited; the jerk is not.

The joint has a distance d to go and a speed v, positive towards the goal. It changes its speed at
+-a to a cruising speed c, keeps that, and brakes at a to rest. If it could brake to rest before
the goal, d >= v^2 / (2 a), a profile that takes the time T is

    c >= v:   c^2 - c (a T + v) + a d + v^2 / 2 = 0        (the smaller root)
    c < v:    c = (d - v^2 / (2 a)) / (T - v / a)

and there is one for each T from the shortest on. The shortest has c = sqrt(a d + v^2 / 2), or the
largest velocity where that is less. A joint that moves the wrong way, or too fast to stop at the
goal, brakes to rest first: its profile begins there.
"""

from math import copysign, inf, sqrt


class TrapezoidalProfile:
    """
    How one joint goes to rest at its goal.

    :param distance: from where it is to the goal [rad, m], of either sign.
    :param speed: its present one [rad/s, m/s], of either sign.
    :param max_speed: what it may run at from now on; 0: it brakes and never arrives.
    :param acceleration: what it may speed up and brake with [rad/s^2, m/s^2].
    """

    def __init__(self, distance, speed, max_speed, acceleration):
        # Where it would stand if it braked at once.
        stop = 0.5 * speed * abs(speed) / acceleration
        sign = copysign(1.0, distance - stop)
        self._sign, self._a = sign, acceleration
        self._v = max(0.0, sign * speed)
        self._d = sign * distance
        self._brake = 0.0           # how long it brakes first
        self._passed = 0.0          # how far it gets the wrong way meanwhile
        if sign * speed < 0.0:
            self._brake, self._passed = abs(speed) / acceleration, abs(stop)
            self._d += self._passed
        self.shortest = self._brake + self._time(max_speed)

    def _time(self, top):
        a, d, v = self._a, self._d, self._v
        peak = sqrt(a * d + 0.5 * v * v)
        if peak <= top:
            return (2.0 * peak - v) / a
        if top <= 0.0:
            return inf
        if v <= top:
            return (2.0 * top - v) / a + (d - (top * top - 0.5 * v * v) / a) / top
        return v / a + (d - 0.5 * v * v / a) / top

    def first(self, time):
        """Return where the joint is after some time, and how fast, if it takes the shortest."""
        return self.after(time, self.shortest)

    def after(self, time, duration):
        """
        Return where the joint is after some time, and how fast.

        :param time: from now on [s].
        :param duration: time to take for all of it [s], at least ``shortest``.
        :returns: ``(distance from here, speed)``, of either sign.
        """
        if time >= duration:
            return self._sign * (self._d - self._passed), 0.0
        if time < self._brake:
            left = self._brake - time
            gone, speed = 0.5 * self._a * left * left, -self._a * left
        else:
            gone, speed = self._forwards(time - self._brake, duration - self._brake)
        return self._sign * (gone - self._passed), self._sign * speed

    def switches(self, duration):
        """Return when its acceleration changes [s], rest at the end of ``duration`` included."""
        if duration <= self._brake:
            return (duration,)
        cruise = self._cruise(duration - self._brake)
        return (self._brake, self._brake + abs(cruise - self._v) / self._a,
                duration - cruise / self._a, duration)

    def _forwards(self, time, duration):
        a, d, v = self._a, self._d, self._v
        cruise = self._cruise(duration)
        ramp, left = abs(cruise - v) / a, duration - time
        if time < ramp:
            change = copysign(a, cruise - v) * time
            return (v + 0.5 * change) * time, v + change
        if left < cruise / a:
            return d - 0.5 * a * left * left, a * left
        return 0.5 * (v + cruise) * ramp + cruise * (time - ramp), cruise

    def _cruise(self, duration):
        a, d, v = self._a, self._d, self._v
        after_braking = d - 0.5 * v * v / a
        if v * (duration - v / a) > after_braking:
            return after_braking / (duration - v / a)
        half = 0.5 * (a * duration + v)
        c = a * d + 0.5 * v * v
        return c / (half + sqrt(max(0.0, half * half - c)))
