# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The poses of a tip beside the roll axis that meet its position, the roll serving forward.

At an elevation of the last link the yaw and the roll belong together: the roll turns ``tool0``'s x
to the forward vector f as seen in the arm plane, and the tip's distance from that plane, which
depends on the roll, is what the plane has to be beside the target. With the letters of
:mod:`..forward`, e the target from S0, c and g at the elevation a, (x, y) the tip in ``tool0``::

    roll = atan2(f.n, -f.g), or the limit nearest to it
    e.n = lateral + x sin(roll) + y cos(roll)

Newton's method on the yaw solves both. What is left is a curve for each side of the arm, in front
and over the back, with the elevation as parameter. Along it the up vector is missed least where
``tan a = (u.z + u.n yaw') / u.f``. If no branch can be there, the nearest elevation at which one
can is the end of an interval, between two samples around the curve.
"""

from math import asin, atan2, cos, hypot, inf, pi, sin, sqrt
from operator import attrgetter
from typing import Callable, NamedTuple

import numpy as np

from ..arm_plane import from_s0, Plane, yaws_towards
from ..degenerate import golden_section
from ..limits import TURN
from ..tolerances import DEGENERATE, ROUNDING, SAME, TIE
from ..two_link import Triangle


class Arithmetic(NamedTuple):
    """The functions of a pose: for plain floats, or for columns."""

    sin: Callable
    cos: Callable
    atan2: Callable
    sqrt: Callable
    greater: Callable
    either: Callable    # of a condition, and the values where it holds and where not


FLOATS = Arithmetic(sin, cos, atan2, sqrt, max, lambda holds, a, b: a if holds else b)
COLUMNS = Arithmetic(np.sin, np.cos, np.arctan2, np.sqrt, np.maximum, np.where)

#: Samples around each curve.
SAMPLES = 120

#: Steps towards the least miss before a search takes over, and how far that looks [rad].
DIRECTLY, ASIDE = 16, 0.5

#: Most steps of Newton's method, and those for samples.
STEPS, FEW_STEPS = 30, 2

#: So much inside [rad] is the end of an interval: there rounding loses no branch.
MARGIN = 4.0 * TIE

#: Most evaluations for the end of an interval.
REFINEMENTS = 60

#: Nearer to the yaw axis than so many times what the tip is beside its roll axis, several yaws may
#: belong to an elevation. They are looked for from so many yaws.
NEAR, STARTS = 6.0, 4

#: Of those curves so many are searched for the least miss.
BOTTOMS = 3

#: What is outside seldom changes by more than so many times the elevation.
STEEPEST = 6.0


class At(NamedTuple):
    """
    A place on a curve: floats, or columns.

    ``x``, ``y``: the wrist from the shoulder in the plane [m]; ``slope``: of the yaw by the
    elevation; ``off``: by how much yaw and roll do not agree [rad].
    """

    yaw: float
    x: float
    y: float
    slope: float
    off: float


class ForwardCurve:
    """
    The curves of one target.

    :param geometry: of the arm, its roll free.
    :param target: with a forward vector.
    :param wanted: without an up vector the elevation wanted in front and over the back [rad].
    """

    def __init__(self, geometry, target, wanted=None):
        self._geometry, self._up, self._wanted = geometry, target.up, wanted
        self._e, self._forward = from_s0(geometry, target.position), target.forward
        self._rho_squared = self._e[0] ** 2 + self._e[1] ** 2
        self._triangle = Triangle(geometry.l1, geometry.l2)
        self._lateral = geometry.lateral
        self.is_near = self._rho_squared < (NEAR * hypot(*geometry.beside)) ** 2

    def at(self, sign, elevation, yaw, steps=STEPS, arithmetic=FLOATS):
        """
        Return the :class:`At` at an elevation.

        :param sign: 1.0 in front, -1.0 over the back.
        :param yaw: to begin at [rad].
        """
        sin, cos, atan2, sqrt, greater, either = arithmetic
        geometry, (ex, ey, ez), (fx, fy, fz) = self._geometry, self._e, self._forward
        (bx, by), limits, end = geometry.beside, geometry.limits[-1], 0.0
        span, low, roll_sign, offset = (
            limits.upper - limits.lower, limits.lower, limits.sign, limits.offset)
        s3, c3 = sin(elevation), cos(elevation)
        for step in range(steps):
            cy, sy = cos(yaw), sin(yaw)
            ahead, aside = fx * cy + fy * sy, fy * cy - fx * sy
            below = s3 * ahead - c3 * fz
            above_low = (roll_sign * (atan2(aside, below) - offset) - low) % TURN
            past = above_low - span
            roll = roll_sign * (low + either(past <= 0.0, above_low, either(
                past <= TURN - above_low, span, 0.0))) + offset
            sr, cr = sin(roll), cos(roll)
            beside = self._lateral + bx * sr + by * cr
            r = sign * sqrt(greater(self._rho_squared - beside * beside, DEGENERATE ** 2))
            end = atan2(ey * r - ex * beside, ex * r + ey * beside)
            # The change of the roll with yaw and elevation, unless it is at a limit.
            lever = either(past <= 0.0, (by * sr - bx * cr) / r, 0.0) / greater(
                aside * aside + below * below, ROUNDING)
            by_yaw = -lever * (below * ahead + s3 * aside * aside)
            by_elevation = -lever * aside * (c3 * ahead + s3 * fz)
            change = (end - yaw + pi) % TURN - pi
            steep = greater(1.0 - by_yaw, 0.2)
            yaw = yaw + change / steep
            if arithmetic is FLOATS and -TIE < change < TIE:
                break
        above = by * sr - bx * cr
        return At(end, r - geometry.shoulder_offset - geometry.l3 * c3 + above * s3,
                  ez - geometry.l3 * s3 - above * c3, by_elevation / steep,
                  abs(change) if arithmetic is FLOATS else 0.0)

    def outside(self, at, elevation, bend, arithmetic=FLOATS):
        """Return how far a branch is outside limits, reach and floor [rad]; below 0: inside."""
        sin, cos, atan2, sqrt, greater, _ = arithmetic
        triangle, geometry = self._triangle, self._geometry
        h = at.x * at.x + at.y * at.y
        root = bend * sqrt(greater((triangle.outer_squared - h) * (h - triangle.inner_squared),
                                   0.0))
        w = h + triangle.w_less_h
        shoulder = atan2(at.y * w - at.x * root, at.x * w + at.y * root)
        elbow = atan2(root, h - triangle.squares)
        most = greater(greater(sqrt(h) - triangle.outer, triangle.inner - sqrt(h))
                       / triangle.outer, -1.0 if at.off <= SAME else at.off)
        for limits, angle in zip(geometry.limits, (
                at.yaw, shoulder, elbow, elevation - shoulder - elbow)):
            # Inside, minus the distance to the nearer limit.
            above_low = (limits.sign * (angle - limits.offset) - limits.lower) % TURN
            past = above_low - (limits.upper - limits.lower)
            most = greater(most, greater(
                -above_low, past - greater(0.0, 2.0 * above_low - (limits.upper - limits.lower)
                                           - TURN)))
        if geometry.floor is not None:
            low = geometry.floor - geometry.base_height
            wrist = at.y
            most = greater(most, greater(greater(
                low - geometry.l1 * sin(shoulder), low - wrist), greater(
                    low - wrist - geometry.end * sin(elevation), low - self._e[2]))
                / triangle.outer)
        return most

    def miss(self, at, elevation, sign, arithmetic=FLOATS):
        """Return the chord between the last link and what is wanted; of columns, too."""
        sin, cos, _, sqrt, _, either = arithmetic
        if self._up is None:
            wanted = either(sign > 0.0, *self._wanted)
            return abs(2.0 * sin(0.5 * (elevation - wanted)))
        ux, uy, uz = self._up
        c3 = cos(elevation)
        x, y, z = c3 * cos(at.yaw) - ux, c3 * sin(at.yaw) - uy, sin(elevation) - uz
        return sqrt(x * x + y * y + z * z)

    def planes(self):
        """
        Return where the last link is nearest to what is wanted, one plane on each side.

        :returns: list of :class:`~arm_ik.kinematics.arm_plane.Plane`, the better first.
        """
        found = []
        for sign, yaw in self._sides():
            found.append(self._plane(sign, self._least_miss(sign, yaw), yaw))
        return sorted(found, key=attrgetter('miss'))

    def _least_miss(self, sign, yaw):
        """Return the elevation that is wanted, or at which the up vector is missed least."""
        if self._up is None:
            return self._wanted[0 if sign > 0.0 else 1]
        slope, before, (ux, uy, uz) = 0.0, inf, self._up
        first = atan2(uz, ux * cos(yaw) + uy * sin(yaw))
        for _ in range(DIRECTLY):
            c, s = cos(yaw), sin(yaw)
            elevation = atan2(uz + (uy * c - ux * s) * slope, ux * c + uy * s)
            at = self.at(sign, elevation, yaw, 1)
            change = abs(elevation - before) + abs(at.yaw - yaw)
            yaw, slope, before = at.yaw, at.slope, elevation
            if change < SAME:
                return elevation
        if self.is_near:
            return elevation
        return golden_section(lambda elevation: self.miss(
            self.at(sign, elevation, yaw), elevation, sign), first - ASIDE, first + ASIDE)[1]

    def _plane(self, sign, elevation, yaw):
        at = self.at(sign, elevation, self.at(sign, elevation, yaw).yaw)
        miss = 2.0 * asin(min(1.0, 0.5 * self.miss(at, elevation, sign)))
        return Plane(at.yaw, 0.0, 0.0, at.x, at.y, elevation, miss)

    def _sides(self):
        x, y, _ = self._e
        if self._rho_squared <= DEGENERATE ** 2:
            return []
        if self.is_near:
            return [(sign, k * TURN / STARTS) for sign in (1.0, -1.0) for k in range(STARTS)]
        return list(zip((1.0, -1.0), yaws_towards(self._lateral, x, y)))

    def _allowed_sides(self):
        """Return the sides on which the yaw is inside its limits, whatever the roll."""
        limits = self._geometry.limits[0]
        return [side for side in self._sides()
                if self.is_near or abs(limits.excess(side[1])) <= 2.0 / NEAR]

    def ends(self, least):
        """
        Return planes at the ends of the intervals that have a branch, nearest to what is wanted.

        :param least: no end that misses by more than this is of use [rad].
        """
        sides = self._allowed_sides()
        if not sides:
            return []
        signs, yaws = np.array(sides).T[:, None, :, None]
        step = TURN / SAMPLES
        elevations = step * np.arange(SAMPLES + 2) - pi
        at = self.at(signs, elevations, yaws, FEW_STEPS, COLUMNS)
        misses = self.miss(at, elevations, signs, COLUMNS)[0]
        outside = self.outside(at, elevations, np.array([1.0, -1.0])[:, None, None], COLUMNS)
        inside = outside <= 0.0
        # The interval ends between a sample inside and one outside, or is between samples.
        lowest = np.minimum(misses[:, 1:], misses[:, :-1])
        tries = [(lowest[i, j], k, i, *((j, (j + 1,)) if inside[k, i, j] else (j + 1, (j,))))
                 for k, i, j in np.argwhere(inside[..., 1:] != inside[..., :-1]).tolist()
                 if not k or outside[1, i, j] != outside[0, i, j]
                 or outside[1, i, j + 1] != outside[0, i, j + 1]]
        steps, low = outside[..., 1:] - outside[..., :-1], outside[..., 1:-1]
        tries += [(lowest[i, j:j + 2].min(), k, i, j + 1, (j, j + 2))
                  for k, i, j in np.argwhere(
                      (low > 0.0) & (steps[..., :-1] <= 0.0) & (steps[..., 1:] > 0.0)
                      & (low < np.maximum(steps[..., 1:], -steps[..., :-1]))).tolist()]
        found = self._bottoms(sides, elevations, at.yaw[0], np.where(
            inside.any(axis=0), misses, inf)) if self.is_near else []
        for lowest, k, i, inner, outers in sorted(tries):
            if lowest > least:
                break
            for plane in self._ends(
                    elevations[inner].item(), [(elevations[j].item(), outside[k, i, j].item())
                                               for j in outers], sides[i][0],
                    1.0 - 2.0 * k, at.yaw[0, i, inner].item()):
                found.append(plane)
                least = min(least, plane.miss)
        return found

    def _bottoms(self, sides, elevations, yaws, misses):
        """Return planes where on some curves the miss is least, which steps may not have found."""
        found = []
        for i in misses.min(axis=1).argsort()[:BOTTOMS].tolist():
            j, (sign, _) = int(misses[i].argmin()), sides[i]
            if misses[i, j] < inf:
                found.append(self._plane(sign, self._least_miss(sign, yaws[i, j].item()),
                                         yaws[i, j].item()))
        return found

    def _ends(self, inner, outers, sign, bend, yaw):
        """Return planes at the ends of an interval, between an elevation inside and others."""
        last, slope = inner, 0.0

        def outside(elevation):
            nonlocal yaw, slope, last
            at = self.at(sign, elevation, yaw + slope * (elevation - last))
            yaw, slope, last = at.yaw, at.slope, elevation
            return self.outside(at, elevation, bend) + MARGIN

        if len(outers) > 1:
            inner = _bottom(outside, inner, TURN / SAMPLES)
        within = outside(inner)
        if within > 0.0 and len(outers) == 1:
            # A sample is not exact.
            inner, outers = 2.0 * inner - outers[0][0], [(inner, within)]
            within = outside(inner)
        if within > 0.0:
            return []
        return [self._plane(sign, _edge(outside, inner, within, *outer), yaw) for outer in outers]


def _edge(function, inner, a, outer, b):
    """
    Return how far from a place a function stays at zero or below, on the way to another.

    By the regula falsi, in the form called Illinois.

    :param a: the function at ``inner``.
    :param b: about what it is at ``outer``, above zero.
    """
    at, was_inside = a, None
    for _ in range(REFINEMENTS):
        if at >= -TIE or abs(outer - inner) < TIE:
            break
        middle = inner + (outer - inner) * a / (a - b)
        value = function(middle)
        is_inside = value <= 0.0
        if is_inside:
            inner, at, a = middle, value, value
            b *= 0.5 if was_inside else 1.0
        else:
            outer, b = middle, value
            a *= 0.5 if was_inside is False else 1.0
        was_inside = is_inside
    return inner


def _bottom(function, middle, step):
    """Return where a function is least around a place, as soon as it is not above zero."""
    while step > SAME:
        values = [(function(middle + part * step), middle + part * step)
                  for part in (-0.5, 0.0, 0.5)]
        value, middle = min(values)
        if not 0.0 < value < STEEPEST * step:
            break
        step *= 0.5
    return middle


def roll_for(geometry, up, yaw, forward, near):
    """Return the roll [rad] that serves a forward vector with the last link along up."""
    fx, fy, fz = forward
    cy, sy = cos(yaw), sin(yaw)
    c3, s3 = up[0] * cy + up[1] * sy, up[2]
    length = hypot(c3, s3) or 1.0
    c3, s3 = c3 / length, s3 / length
    return geometry.limits[-1].placed(
        atan2(fy * cy - fx * sy, s3 * (fx * cy + fy * sy) - c3 * fz), near[-1])[0]
