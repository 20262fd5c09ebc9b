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
``tan a = (u.z + u.n yaw') / u.f``. If no branch can be there, the nearest elevation at which one can
is the end of an interval, between two samples around the curve.
"""

from math import asin, atan2, cos, hypot, pi, remainder, sin, sqrt
from operator import itemgetter
from typing import Callable, NamedTuple

import numpy as np

from ..arm_plane import from_s0, Plane, yaws_towards
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
SAMPLES = 72

#: Most steps of Newton's method, and those for samples.
STEPS, FEW_STEPS = 30, 2

#: Most evaluations for the end of an interval.
REFINEMENTS = 60

#: A sample outside by less than this [rad] may hide an interval; what is outside seldom changes
#: by more than so many times the elevation.
HIDDEN, STEEPEST = 0.15, 4.0


class At(NamedTuple):
    """
    A place on a curve: floats, or columns.

    ``x``, ``y``: the wrist from the shoulder in the plane [m]; ``slope``: of the yaw by the
    elevation.
    """

    yaw: float
    x: float
    y: float
    slope: float


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
            if arithmetic is FLOATS and -1e-14 < change < 1e-14:
                break
        above = by * sr - bx * cr
        return At(end, r - geometry.shoulder_offset - geometry.l3 * c3 + above * s3,
                  ez - geometry.l3 * s3 - above * c3, by_elevation / steep)

    def outside(self, at, elevation, bend, arithmetic=FLOATS):
        """Return how far the branch of a bend is outside limits, reach and floor [rad]; < 0: in."""
        sin, cos, atan2, sqrt, greater, _ = arithmetic
        triangle, geometry = self._triangle, self._geometry
        h = at.x * at.x + at.y * at.y
        root = bend * sqrt(greater((triangle.outer_squared - h) * (h - triangle.inner_squared),
                                   0.0))
        w = h + triangle.w_less_h
        shoulder = atan2(at.y * w - at.x * root, at.x * w + at.y * root)
        elbow = atan2(root, h - triangle.squares)
        most = greater(sqrt(h) - triangle.outer, triangle.inner - sqrt(h)) / triangle.outer
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
        sin, cos, _, sqrt, greater, _ = arithmetic
        if self._up is None:
            return abs(2.0 * sin(0.5 * (elevation - self._wanted[0 if sign > 0.0 else 1])))
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
            elevation = self._wanted[0 if sign > 0.0 else 1] if self._up is None else None
            if elevation is None:
                at, slope = None, 0.0
                for _ in range(STEPS):
                    before = elevation
                    ux, uy, uz = self._up
                    c, s = cos(yaw), sin(yaw)
                    elevation = atan2(uz + (uy * c - ux * s) * slope, ux * c + uy * s)
                    at = self.at(sign, elevation, yaw)
                    yaw, slope = at.yaw, at.slope
                    if before is not None and abs(elevation - before) < TIE:
                        break
            found.append(self._plane(sign, elevation, yaw))
        return sorted(found, key=lambda plane: plane.miss)

    def _plane(self, sign, elevation, yaw):
        at = self.at(sign, elevation, yaw)
        miss = 2.0 * asin(min(1.0, 0.5 * self.miss(at, elevation, sign)))
        return Plane(at.yaw, 0.0, 0.0, at.x, at.y, elevation, miss)

    def _sides(self):
        x, y, _ = self._e
        if self._rho_squared <= DEGENERATE ** 2:
            return []
        return list(zip((1.0, -1.0), yaws_towards(self._lateral, x, y) or [atan2(y, x)] * 2))

    def ends(self, least):
        """
        Return planes at the ends of the intervals that have a branch, nearest to what is wanted.

        :param least: no end that misses by more than this is of use [rad].
        """
        sides = self._sides()
        if not sides:
            return []
        signs = np.array([[sign] for sign, _ in sides])
        step = TURN / SAMPLES
        elevations = np.tile(step * np.arange(SAMPLES) - pi, (len(sides), 1))
        yaws = np.tile([[yaw] for _, yaw in sides], SAMPLES)
        at = self.at(signs, elevations, yaws, FEW_STEPS, COLUMNS)
        misses = np.array([self.miss(At(*[part[i] for part in at]), elevations[i], sign, COLUMNS)
                           for i, (sign, _) in enumerate(sides)])
        tries = []
        for bend in (1.0, -1.0):
            outside = self.outside(at, elevations, bend, COLUMNS)
            for i, (sign, _) in enumerate(sides):
                tries += self._tries(outside[i], misses[i], at.yaw[i], sign, bend)
        found = []
        for miss, inner, outers, sign, bend, yaw in sorted(tries, key=itemgetter(0)):
            if miss - step > least:
                break
            for plane in self._ends(inner, outers, sign, bend, yaw):
                found.append(plane)
                least = min(least, plane.miss)
        return found

    def _tries(self, outside, misses, yaws, sign, bend):
        """Return (miss, elevation inside, outside, ...) wherever an interval ends."""
        step, found = TURN / SAMPLES, []
        inside = outside <= 0.0
        for j in np.flatnonzero(inside != np.roll(inside, -1)).tolist():
            a, b = -pi + j * step, -pi + (j + 1) * step
            inner, outer = (a, b) if inside[j] else (b, a)
            found.append((float(min(misses[j], misses[(j + 1) % SAMPLES])), inner, (outer,), sign,
                          bend, float(yaws[j])))
        hidden = (~inside & (outside < HIDDEN) & (outside <= np.roll(outside, 1))
                  & (outside < np.roll(outside, -1)))
        for j in np.flatnonzero(hidden).tolist():
            a = -pi + j * step
            found.append((float(misses[j]), a, (a - step, a + step), sign, bend, float(yaws[j])))
        return found

    def _ends(self, inner, outers, sign, bend, yaw):
        """Return planes at the ends of an interval, between an elevation inside and others."""
        def outside(elevation):
            nonlocal yaw
            at = self.at(sign, elevation, yaw)
            yaw = at.yaw
            return self.outside(at, elevation, bend)

        if len(outers) > 1:
            inner = _bottom(outside, inner, TURN / SAMPLES)
        within = outside(inner)
        if within > 0.0:
            return []
        return [self._plane(sign, _edge(outside, inner, within, outer), yaw) for outer in outers]


def _edge(function, inner, a, outer):
    """
    Return how far from a place a function stays at zero or below, on the way to another.

    By the regula falsi, in the form called Illinois.

    :param a: the function at ``inner``.
    """
    b, was_inside = function(outer), None
    if b <= 0.0:
        return outer
    at = a
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
