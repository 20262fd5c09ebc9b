# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The poses of a tip beside the roll axis that meet its position, the roll serving forward.

At a roll the tip's distance from the arm plane is known, and with it the yaw, in front or over the
back. At a yaw and an elevation of the last link the roll turns ``tool0``'s x to the forward vector
f. With the letters of :mod:`..forward`, e the target from S0, (x, y) the tip in ``tool0``::

    e.n = lateral + x sin(roll) + y cos(roll)
    roll = atan2(f.n, -f.g), or the limit nearest to it

The elevation a is where the up vector u is missed least, ``tan a = (u.z + u.n yaw') / u.f``, or
at the end of an interval that has a branch: there a joint is at a limit, the elbow straight or
folded, elbow, wrist or the last link's end on the floor. At a roll each is known in closed form,
and the secant method on the roll makes all three agree. Intervals may also end where the yaw is at
a limit, or where the roll comes to one: there the roll is known, and the rest follows from it.
"""

from functools import partial
from heapq import heappop, heappush
from itertools import count
from math import acos, asin, atan2, cos, hypot, inf, pi, sin, sqrt
from operator import attrgetter

from ..arm_plane import from_s0, Plane, yaws_towards
from ..closest.planar.reach import sum_of_pieces
from ..forward import end_of_link
from ..limits import TURN
from ..tolerances import DEGENERATE

#: Most steps of the secant method, the first of them with a new slope of the yaw, and the least
#: slope that is believed.
STEPS, SLOPES, FLATTEST = 30, 10, 0.5

#: The rest of the roll [rad], and of a slope that is no more than a correction.
AGREED = 1e-7, 1e-4

#: Nearer to the yaw axis than so many times what the tip is beside its roll axis, several rolls
#: may belong to an elevation. They are looked for from so many rolls, and from the limits.
NEAR, STARTS = 6.0, 12

#: By how much the first guess of a pose may be off [rad], times the root of the tip's distance
#: from its roll axis in parts of the arm's length; the second, and what either misses by, in parts
#: of that.
ROUGH, SECOND, MISS = 4.0, 0.3, 0.25


class ForwardCurve:
    """
    The poses for one target.

    :param solver: of the arm, its roll free.
    :param target: with a forward vector.
    :param wanted: without an up vector the elevation wanted in front and over the back [rad].

    ``planes``: where the last link is nearest to what is wanted, list of
    :class:`~arm_ik.kinematics.arm_plane.Plane`, the better first.
    """

    def __init__(self, solver, target, wanted=None):
        self._solver, self._geometry = solver, solver.geometry
        self._up, self._wanted, self._forward = target.up, wanted, target.forward
        self._e = from_s0(self._geometry, target.position)
        self._rho_squared = self._e[0] ** 2 + self._e[1] ** 2
        beside, rho = hypot(*self._geometry.beside), sqrt(self._rho_squared)
        self.is_near = rho < NEAR * beside
        #: By how much the yaw may change with the roll [rad].
        self._swing = pi if self.is_near else 2.0 * asin(beside / rho)
        self._rough = ROUGH * sqrt(beside / solver.reach.reach)
        self._sides = self._least_misses() if self._rho_squared > DEGENERATE ** 2 else []
        self.planes = sorted([plane for plane, _, _ in self._sides], key=attrgetter('miss'))

    def nearest(self):
        """
        Yield planes with a branch, or nearly: where the last link is as wanted, or else at ends.

        :returns: pairs of the least that the plane was thought to miss by [rad], in rising order,
            and the plane.
        """
        queue, number = [], count()

        def push(least, follow, *place):
            heappush(queue, (least, next(number), follow, place))

        for plane, roll, sign in self._sides:
            if abs(self._geometry.limits[0].excess(plane.yaw)) <= self._swing:
                push(plane.miss, self._least_of_side, plane, roll, sign)
        while queue:
            least, _, follow, place = heappop(queue)
            plane = follow(push, *place)
            if plane is not None:
                yield least, plane

    # What is in the queue: functions that return a plane, or push what is nearer to one.

    def _least_of_side(self, push, plane, roll, sign):
        # Its ends count in any case: this may be one of several valleys.
        push(plane.miss, self._ends_of_side, roll, sign)
        return plane

    def _ends_of_side(self, push, roll, sign):
        for end in self._at_other_ends(sign):
            push(end.miss, lambda push, end: end, end)
        at = self._at(sign, roll)
        for kind in self._kinds_of_ends():
            for which, (elevation, angles) in enumerate(kind(*at, 0.0)):
                if self._is_allowed(angles, self._rough):
                    push(self._plane(sign, *at, elevation).miss - MISS * self._rough, self._guess,
                         sign, self._roll(at[0], elevation)[0], kind, which)

    def _guess(self, push, sign, roll, kind, which):
        plane, roll, angles = self._agreed(sign, roll, kind, which, 1)
        if self._is_allowed(angles, SECOND * self._rough):
            push(plane.miss - SECOND * MISS * self._rough, self._end, sign, roll, kind, which)

    def _end(self, push, *place):
        return self._agreed(*place)[0]

    def _is_allowed(self, angles, slack):
        for limits, angle in zip(self._geometry.limits_in_plane, angles):
            if abs(limits.excess(angle)) > slack:
                return False
        return True

    def _least_misses(self):
        """Return planes, each with its roll and side, where the last link is as wanted, once."""
        geometry, rolls, found = self._geometry, {1.0: [], -1.0: []}, {}
        if self._up is not None:
            # As if the pose were met in full: near the yaw axis the method may lead past that.
            (ux, uy, uz), (x, y, _) = self._up, end_of_link(
                geometry, self._e, self._up, self._forward)
            for yaw in yaws_towards(geometry.lateral, x, y):
                c, s = cos(yaw), sin(yaw)
                rolls[1.0 if self._e[0] * c + self._e[1] * s > 0.0 else -1.0].append(
                    self._roll(yaw, atan2(uz, ux * c + uy * s))[0])
        for sign in (1.0, -1.0):
            if self.is_near:
                rolls[sign] += [*geometry.limits[-1].canonical_ends,
                                *[k * TURN / STARTS for k in range(STARTS)]]
            for roll in rolls[sign] or [0.0]:
                plane, roll, _ = self._agreed(sign, roll, self._as_wanted)
                place = sign, round(roll % TURN, 1)
                if place not in found or plane.miss < found[place][0].miss:
                    found[place] = plane, roll, sign
        return list(found.values())

    def _agreed(self, sign, roll, kind, which=0, steps=STEPS):
        """
        Return the plane, the roll and the joints' angles at which yaw, roll and elevation agree.

        :param sign: 1.0 in front, -1.0 over the back.
        :param roll: canonical [rad], to begin at.
        :param kind: function of yaw, distance ahead, tip above the line of the last link, and
            slope of the yaw by the elevation. It returns pairs: an elevation, the joints' angles.
        :param which: of the pairs.
        """
        slope, before = 0.0, None
        for step in range(steps):
            yaw, ahead, above = self._at(sign, roll)
            elevation, angles = kind(yaw, ahead, above, slope)[which]
            wanted, by_yaw, by_elevation = self._roll(yaw, elevation)
            lever, flatter = above / ahead, slope
            if step < SLOPES:
                slope = lever * by_elevation / max(1.0 - lever * by_yaw, FLATTEST)
            off = (wanted - roll + pi) % TURN - pi
            if abs(off) < AGREED[0] and abs(slope - flatter) < AGREED[1]:
                break
            steep = 1.0
            if before is not None and roll != before[0]:
                steep = max(FLATTEST, (before[1] - off) / (roll - before[0]))
            before = roll, off
            roll += off / steep
        return self._plane(sign, yaw, ahead, above, elevation), roll, angles

    def _at(self, sign, roll):
        """Return the yaw at a roll [rad], and how far the tip is ahead and above the hand [m]."""
        (ex, ey, _), (bx, by) = self._e, self._geometry.beside
        s, c = sin(roll), cos(roll)
        beside = self._geometry.lateral + bx * s + by * c
        ahead = sign * sqrt(max(self._rho_squared - beside * beside, DEGENERATE ** 2))
        return atan2(ey * ahead - ex * beside, ex * ahead + ey * beside), ahead, by * s - bx * c

    def _roll(self, yaw, elevation):
        """Return the roll that serves the forward vector [rad], its slopes by both angles."""
        (fx, fy, fz), c, s = self._forward, cos(yaw), sin(yaw)
        c3, s3, ahead, aside = cos(elevation), sin(elevation), fx * c + fy * s, fy * c - fx * s
        below = s3 * ahead - c3 * fz
        limits, square = self._geometry.limits[-1], aside * aside + below * below
        roll = atan2(aside, below)
        past = limits.excess(roll)
        if past or square < DEGENERATE ** 2:
            return roll - limits.sign * past, 0.0, 0.0
        return (roll, -(below * ahead + s3 * aside * aside) / square,
                -aside * (c3 * ahead + s3 * fz) / square)

    def _plane(self, sign, yaw, ahead, above, elevation):
        geometry, c3, s3 = self._geometry, cos(elevation), sin(elevation)
        x = ahead - geometry.shoulder_offset - geometry.l3 * c3 + above * s3
        if self._up is None:
            wanted = self._wanted[0 if sign > 0.0 else 1]
            miss = abs((elevation - wanted + pi) % TURN - pi)
        else:
            ux, uy, uz = self._up
            miss = 2.0 * asin(min(1.0, 0.5 * hypot(
                c3 * cos(yaw) - ux, c3 * sin(yaw) - uy, s3 - uz)))
        return Plane(yaw, 0.0, 0.0, x, self._e[2] - geometry.l3 * s3 - above * c3, elevation, miss)

    def _as_wanted(self, yaw, ahead, above, slope):
        if self._up is None:
            return [(self._wanted[0 if ahead > 0.0 else 1], ())]
        (ux, uy, uz), c, s = self._up, cos(yaw), sin(yaw)
        return [(atan2(uz + (uy * c - ux * s) * slope, ux * c + uy * s), ())]

    def _kinds_of_ends(self):
        """Return the functions of elevations at which an interval may end."""
        geometry, reach = self._geometry, self._solver.reach
        held, low = reach.held, []
        if geometry.floor is not None:
            low = [geometry.l3, geometry.l3 - geometry.end]
            sine = (geometry.floor - geometry.base_height) / geometry.l1
            if abs(sine) <= 1.0:
                held = [*held, reach.held_shoulder(asin(sine)), reach.held_shoulder(
                    pi - asin(sine))]
        return [*[partial(self._held, joint) for joint in held],
                *[partial(self._on_the_floor, length) for length in low]]

    def _on_the_floor(self, length, yaw, ahead, above, slope):
        """Return elevations with a point of the last link, a length before the tip, that low."""
        height = self._e[2] + self._geometry.base_height - self._geometry.floor
        rise = asin(max(-1.0, min(1.0, height / (hypot(length, above) or 1.0))))
        return [(turned - atan2(above, length), ()) for turned in (rise, pi - rise)]

    def _held(self, held, yaw, ahead, above, slope):
        """Return both poses with a joint of the plane held: what is left is a triangle."""
        geometry, first, found = self._geometry, held.triangle.l1, []
        x, y = ahead - geometry.shoulder_offset - held.x, self._e[2] - held.y
        # From the wrist to the tip.
        second, bent = hypot(geometry.l3, above), atan2(above, geometry.l3)
        if held.joint == 2:
            second, turned = sum_of_pieces((geometry.l2, 0.0), (second, held.angle + bent))
        h, squares, product = x * x + y * y, first * first + second * second, 2.0 * first * second
        root = sqrt(max((squares + product - h) * (h - squares + product), 0.0))
        towards, turn = atan2(y, x), atan2(root, h - squares)
        inside = atan2(root, h + first * first - second * second)
        for side in (1.0, -1.0):
            if held.joint == 2:
                pose = towards - side * inside, side * turn - turned, held.angle
            else:
                shoulder, elbow, wrist = held.pose(towards - side * inside, side * turn)
                pose = shoulder, elbow, wrist - bent
            found.append((sum(pose), pose))
        return found

    def _at_other_ends(self, sign):
        """Return planes of a side with the yaw at a limit, or the roll coming to one."""
        geometry, (ex, ey, _) = self._geometry, self._e
        (x, y), (low, high) = geometry.beside, geometry.limits[-1].canonical_ends
        opposite = 0.5 * (low + high) + pi
        found = []
        for yaw in geometry.limits[0].canonical_ends:
            cosine = (ey * cos(yaw) - ex * sin(yaw) - geometry.lateral) / hypot(x, y)
            if abs(cosine) <= 1.0 and sign * (ex * cos(yaw) + ey * sin(yaw)) > 0.0:
                for turn in (acos(cosine), -acos(cosine)):
                    found += self._with_roll(sign, *[atan2(x, y) + turn] * 2)
        for roll in (low, high):
            for wanted in (roll, opposite):
                found += self._with_roll(sign, roll, wanted)
        return found

    def _with_roll(self, sign, roll, wanted):
        """Return the planes with a roll in which the forward vector asks for ``wanted`` [rad]."""
        yaw, ahead, above = self._at(sign, roll)
        (fx, fy, fz), c, s = self._forward, cos(yaw), sin(yaw)
        along, aside, sine = fx * c + fy * s, fy * c - fx * s, sin(wanted)
        below = aside * cos(wanted) / sine if aside * sine > 0.0 else inf
        if below > hypot(along, fz) or -below > hypot(along, fz):
            return []
        rise = asin(below / hypot(along, fz))
        return [self._plane(sign, yaw, ahead, above, atan2(fz, along) + turn)
                for turn in (rise, pi - rise)]
