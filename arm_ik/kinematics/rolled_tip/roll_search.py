# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The roll of a tip beside the roll axis that serves a target best, and the pose with it.

With the roll held the best pose is known; what remains is a search over one variable. The least
distance changes by no more than ``beside`` a radian, and its slope is that of the tip, for no
limit depends on the roll::

    d/droll |tip - E|^2 / 2 = (tip - E) . (x left - y forward)

Samples are an eighth of a turn apart, without an up vector a quarter, some with the tip in the
arm plane, where the slope may be zero. Between two of them a nearer roll is looked for if the
slopes point there. Where the position is met, the roll that misses the up vector least is between
the neighbours of a sample that is better than both. In their arm plane an up vector may lie, if it
is not vertical::

    lateral + x sin(roll) + y cos(roll) = e.n
"""

from itertools import pairwise
from math import asin, atan2, cos, hypot, pi, remainder, sin, sqrt
from operator import attrgetter
from typing import NamedTuple

from ..arm_plane import from_s0
from ..closest.candidates import candidates
from ..forward import tool
from ..limits import less_turns, TURN
from ..position_only.planes import inside, TargetPlane, yaws
from ..ranking import Candidate, measure
from ..tolerances import DEGENERATE, ROUNDING, TIE

#: Most steps of a search between samples, of those that take its valley for smooth, and the rolls
#: [rad] at which it ends.
STEPS, SMOOTH, CLOSE = 60, 11, 1e-7

#: A slope that is so small a part of the next one counts as none.
FLAT = 1e-3

#: How far from a limit is tried whether it is better there [rad].
PROBE = 3e-5

#: The most a valley may bend to count as blunt [1/rad].
BLUNT = 10.0

#: How many samples that are better than their neighbours are followed.
FOLLOWED = 3


class Point(NamedTuple):
    """A roll [rad], what the best pose with it costs, that pose, and the slope of its distance."""

    roll: float
    cost: tuple
    pose: Candidate
    slope: float


class RollSearch:
    """
    The search for one target.

    :param solver: of the arm, its roll free.
    :param target: what is asked for.
    :param near: joint positions [rad] to stay near to.
    :param ranking: :class:`~arm_ik.kinematics.ranking.Ranking` to compare by.
    :param elevation: preferred for the last link [rad], or ``None``.
    """

    def __init__(self, solver, target, near, ranking, elevation):
        self._solver, self._target, self._near = solver, target, near
        self._ranking, self._elevation = ranking, elevation
        limits, self._beside = solver.geometry.limits[-1], hypot(*solver.geometry.beside)
        self._at = limits.clamp(near[-1])
        #: Whether the last link may point anywhere, if only the roll serves the forward vector.
        self._is_free = target.up is None and target.forward is not None
        first = max(limits.lower, min(self._at - pi, limits.upper - TURN))
        self._ends = first, min(first + TURN, limits.upper)

    def best(self):
        """Return the best pose with each of the best rolls, measured."""
        points = self._with_more([], [*self._ends, *self._solver.rolls(4)])
        least = min([point.pose.position for point in points])
        if self._target.up is not None and (
                self._ranking.up_first or least <= 0.25 * pi * self._beside):
            points = self._with_more(points, self._solver.rolls(8))
        along = rolls_along_up(self._solver.geometry, self._target, self._near)
        others = [self._at, *[roll for roll, _ in along]]
        if not self._ranking.up_first:
            others = [roll for roll in others if all(
                at.pose.position - self._beside * abs(roll - at.roll) <= TIE for at in points)]
        points = self._with_nearest(self._with_more(points, others))
        followed = sorted([three for three in zip([None, *points], points, [*points[1:], None])
                           if all(three[1].cost <= other.cost for other in three if other)],
                          key=lambda three: three[1].cost)
        for three in followed[:FOLLOWED]:
            points.append(self._better(*three, min([point.cost for point in points])))
        if self._is_free:
            points = [min(points, key=attrgetter('cost'))]
        return [point.pose for point in points]

    def _with_more(self, points, rolls):
        """Return points with those at other rolls [rad], one after the other."""
        first, last = self._ends
        for roll in rolls:
            if first <= roll <= last and all(abs(roll - at.roll) > CLOSE for at in points):
                points = [*points, self._point(roll)]
        return sorted(points, key=attrgetter('roll'))

    def _with_nearest(self, points):
        """Return points with those added where the distance is least between two of them."""
        nearer, least = [], min([point.pose.position for point in points])
        for one, other in pairwise(points):
            a, b = one.pose.position, other.pose.position
            nearest = 0.5 * (a + b - self._beside * (other.roll - one.roll))
            if min(a, b) > TIE and nearest < least + TIE:
                nearer += self._nearest_between(one, other)
                least = min([least, *[point.pose.position for point in nearer]])
        return sorted([*points, *nearer], key=attrgetter('roll'))

    def _nearest_between(self, one, other):
        """Return where between two points the distance is least, if it falls towards there."""
        low, high, side, a, b = one.slope, other.slope, 0, one.pose.position, other.pose.position
        # A cubic through both, of an end with hardly a slope: is the distance greatest there?
        first, last = [3.0 * at * (at - to) < fall * (other.roll - one.roll) and abs(
            end) < FLAT * fall for at, to, fall, end in ((b, a, high, low), (a, b, -low, high))]
        if not (low < 0.0 < high and max(-low, high) > ROUNDING or first or last):
            return []
        low, high = -high if first else low, -low if last else high
        for _ in range(STEPS):
            point = self._point((one.roll * high - other.roll * low) / (high - low))
            at, is_flat = point.pose.position, abs(point.slope) < ROUNDING
            if at <= TIE or min(point.roll - one.roll, other.roll - point.roll) < CLOSE or (
                    is_flat and at <= min(one.pose.position, other.pose.position) + ROUNDING):
                break
            if is_flat:
                return [*self._nearest_between(one, point), *self._nearest_between(point, other)]
            # Where one end stays twice, half of its slope counts (Illinois).
            if point.slope < 0.0:
                one, low, high, side = point, point.slope, 0.5 * high if side < 0 else high, -1
            else:
                other, high, low, side = point, point.slope, 0.5 * low if side > 0 else low, 1
        return [point]

    def _better(self, one, best, other, least):
        """Return the best point between two around a better one, which may be missing."""
        if best.pose.position > TIE:
            return best
        if one is None or other is None:
            # At a limit: is it better just inside?
            inside = self._point(best.roll + (PROBE if one is None else -PROBE))
            if best.cost <= inside.cost:
                return best
            one, best, other = (best, inside, other) if one is None else (one, inside, best)
        if best.cost[:1] == one.cost[:1] == other.cost[:1] and (
                best.cost[1] - max(one.cost[1], other.cost[1]) + best.cost[1] > least[1]):
            return best     # no parabola is so deep
        for step in range(STEPS):
            low, high = best.roll - one.roll, other.roll - best.roll
            i = next((i for i, costs in enumerate(zip(one.cost, best.cost, other.cost))
                      if len({*costs}) > 1), 0)
            a, c = one.cost[i] - best.cost[i], other.cost[i] - best.cost[i]
            if low + high < CLOSE or i and max(low, high) < 3.0 * PROBE \
                    and a / low + c / high < BLUNT * (low + high):
                break
            shift = 0.5 * (high if high > low else -low)
            if i and step < SMOOTH and step % 4 < 3:
                shift = 0.5 * (a * high * high - c * low * low) / (a * high + c * low)
                if abs(shift) < PROBE:
                    shift = PROBE if high > low else -PROBE
            roll = best.roll + min(max(shift, 0.1 * CLOSE - low), high - 0.1 * CLOSE)
            point = self._point(roll)
            if point.cost < best.cost:
                one, best, other = (one, point, best) if roll < best.roll else (best, point, other)
            elif roll < best.roll:
                one = point
            else:
                other = point
        return best

    def _point(self, roll):
        """Return the point at a roll [rad]."""
        solver, target, near, ranking = self._solver, self._target, self._near, self._ranking
        geometry, held = solver.geometry, solver.with_roll(roll)
        best, turn = ranking.best(candidates(held, target, near, ranking)), 0.0
        if self._is_free and best.position <= TIE:
            best, turn = self._serving_forward(held) or (best, pi)
        tip, _, forward, left = tool(geometry, best.q)
        x, y = geometry.beside
        slope = geometry.limits[-1].sign * sum([
            (at - wanted) * (x * a - y * b)
            for at, wanted, a, b in zip(tip, target.position, left, forward)])
        costs = (best.up, best.position) if ranking.up_first else best[1:3]
        cost = tuple([0.0 if each <= TIE else each for each in (*costs, best.forward)])
        return Point(roll, (*cost, turn, ranking.has_wrong_elbow(best.q),
                            abs(roll - self._near[-1])), best, slope)

    def _serving_forward(self, held):
        """Return the pose at a position whose roll serves forward, and its elevation's miss."""
        geometry, target, near = held.geometry, self._target, self._near
        e, whole, found = from_s0(geometry, target.position), geometry.whole, []
        (fx, fy, fz), roll = target.forward, whole.canonical(geometry.home)[-1]
        wanted = sum(whole.canonical(less_turns(near))[2:5])
        for i, yaw in enumerate(yaws(geometry, e, near)):
            c, s = cos(yaw), sin(yaw)
            along, aside = fx * c + fy * s, fy * c - fx * s
            length = hypot(along, fz)
            # tan(roll) is f.n over f's part below the last link.
            below = aside * cos(roll) / (sin(roll) or ROUNDING)
            if aside * sin(roll) < 0.0 or abs(below) > length:
                continue
            if self._elevation is not None:
                wanted = pi - self._elevation if i else self._elevation
            rise = asin(below / length)
            for elevation in (atan2(fz, along) + rise, atan2(fz, along) + pi - rise):
                plane = TargetPlane(geometry, e, yaw).at(elevation + geometry.bend)
                found += [(measure(geometry, q, target, near), abs(remainder(
                    elevation - wanted, TURN))) for q in inside(held, plane, near)]
        return min(found, key=lambda pair: pair[1], default=None)


def rolls_along_up(geometry, target, near):
    """
    Return the rolls [rad] in whose arm plane an up vector lies, the nearest first.

    :returns: pairs of the roll and the ``tool0`` x axis that it then gives; none without an up
        vector, or if it is vertical.
    """
    (ex, ey, _), (x, y) = from_s0(geometry, target.position), geometry.beside
    ux, uy, uz = target.up or (0.0, 0.0, 0.0)
    length, radius, found = hypot(ux, uy), hypot(x, y), []
    limits, at = geometry.limits[-1], near[-1]
    for side in (1.0, -1.0) if length > DEGENERATE else ():
        fx, fy = side * ux / length, side * uy / length
        beside = ey * fx - ex * fy - geometry.lateral
        square = radius * radius - beside * beside
        if square < -ROUNDING:
            continue
        off = atan2(sqrt(max(square, 0.0)), beside)
        for turn in (off, -off) if off else (off,):
            angle = atan2(x, y) + turn
            roll, s, c = limits.fit(angle, at), sin(angle), cos(angle)
            if roll is not None:
                found.append((roll, (
                    c * uz * fx - s * fy, c * uz * fy + s * fx, -c * side * length)))
    return sorted(found, key=lambda pair: abs(pair[0] - at))
