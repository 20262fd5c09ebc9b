# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The arm planes that contain a vector, as curves: rolling base and tilting wrist.

Both kinds have one joint more than a position needs, so the planes that contain a position form
curves. :class:`Bases` walks along them; its parameter t is an angle [rad]:

*Rolling base*: the plane turns about the line from S0 to the target, ``n = cos t a + sin t b``
with a, b across e. Each n has two yaws and rolls. A level vector is also in the level planes, at
any yaw; the zero vector is in every plane; the curves are then the planes with roll or yaw at a
limit and the upright planes.

*Tilting wrist*: the tip target stands ``lateral + l3 sin tilt`` to the left of the yaw axis and
``± sqrt(rho^2 - that^2)`` ahead. If the target is farther from the axis than the hand is long, t
is the tilt, otherwise the yaw. There are two curves in both cases.
"""

from math import atan2, hypot, pi
from typing import NamedTuple

import numpy as np

from ...limits import TURN
from ...tolerances import DEGENERATE, SEARCH_SLACK
from ...vectors import across, cross, unit

#: Number of yaws sampled with a rolling base, besides evenly turned planes.
YAWS = 32


class Base(NamedTuple):
    """
    Arm planes that contain a target, arrays of shape (n,).

    Canonical ``yaw``, ``roll``, ``tilt`` [rad]; ``x``, ``y``: the target from the shoulder in the
    plane [m]; ``hand``: length of the last link in the plane [m], negative if tilted over
    backwards; ``inside``: whether the limits allow them.
    """

    yaw: np.ndarray
    roll: np.ndarray
    tilt: np.ndarray
    x: np.ndarray
    y: np.ndarray
    hand: np.ndarray
    inside: np.ndarray


class Bases:
    """
    The curves of arm planes that contain a target; ``count`` of them.

    :param geometry: of an arm with a rolling base or a tilting wrist.
    :param e: tip target from S0 [m].
    """

    def __init__(self, geometry, e):
        self._geometry, self._e = geometry, e
        self._rho, self._azimuth = hypot(e[0], e[1]), atan2(e[1], e[0])
        self.count = 2
        #: Rolls and yaws that are constant along a curve.
        self._rolls, self._yaws = [], []
        if geometry.has_roll:
            self._a, self._b = self._across(e)
            if hypot(*e) <= DEGENERATE:
                self._rolls = [*geometry.limits[1].canonical_ends, 0.0, pi]
                self._yaws = [*geometry.limits[0].canonical_ends]
            elif abs(e[2]) <= DEGENERATE:
                self._rolls = [0.5 * pi, -0.5 * pi]
            self.count += len(self._rolls) + len(self._yaws)
        self._by_tilt = self._rho > geometry.l3 + abs(geometry.lateral)

    def at(self, t, curve):
        """
        Return the planes at parameters.

        :param t: parameters [rad], shape (n,).
        :param curve: on which of the curves, 0 to ``count - 1``, shape (n,).
        """
        if self._geometry.has_roll:
            return self._rolled(t, curve)
        with np.errstate(invalid='ignore'):
            return self._tilted(t, curve == 1)

    def ends(self):
        """Return the parameters [rad] to look at: where base or tilt are at a limit, and more."""
        geometry = self._geometry
        if not geometry.has_roll:
            return self._tilted_ends()
        found = [*geometry.limits[0].canonical_ends, *geometry.limits[1].canonical_ends]
        # Near a level plane the yaw changes fast while the plane hardly turns: sample the yaw
        # evenly.
        yaws = np.concatenate([geometry.limits[0].canonical_ends, np.arange(YAWS) * (pi / YAWS)])
        f = np.stack([np.cos(yaws), np.sin(yaws), np.zeros_like(yaws)])
        along = np.arctan2(-np.dot(self._a, f), np.dot(self._b, f))
        found += [*along, *along + pi]
        for roll in geometry.limits[1].canonical_ends:
            # n_z = sin roll, and a is level.
            sine = np.sin(roll) / self._b[2] if abs(self._b[2]) > DEGENERATE else 2.0
            if abs(sine) <= 1.0:
                found += [np.arcsin(sine), pi - np.arcsin(sine)]
        return found

    def _tilted_ends(self):
        geometry = self._geometry
        # Yaws from the azimuth of the target, to the right.
        yaws = [self._azimuth - yaw for yaw in geometry.limits[0].canonical_ends]
        tilts = [*geometry.limits[4].canonical_ends]
        if self._by_tilt:
            found, sines = tilts, [
                (self._rho * np.sin(yaw) - geometry.lateral) / geometry.l3 for yaw in yaws]
        else:
            found, sines = yaws, [
                (geometry.lateral + geometry.l3 * np.sin(tilt)) / max(self._rho, DEGENERATE)
                for tilt in tilts]
        for sine in sines:
            if abs(sine) <= 1.0:
                found += [np.arcsin(sine), pi - np.arcsin(sine)]
        return found

    def towards(self, u):
        """Return the parameters of planes that contain a vector, as far as they are known."""
        if not self._geometry.has_roll:
            return []
        along = atan2(-np.dot(self._a, u), np.dot(self._b, u))
        return [along, along + pi]

    @staticmethod
    def _across(e):
        if hypot(*e) <= DEGENERATE:
            return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
        direction = unit(e)
        level = (-e[1], e[0], 0.0) if hypot(e[0], e[1]) > DEGENERATE else (0.0, 1.0, 0.0)
        a = unit(across(unit(level), direction))
        return a, cross(direction, a)

    def _rolled(self, t, curve):
        c, s = np.cos(t), np.sin(t)
        nx, ny, nz = [c * a + s * b for a, b in zip(self._a, self._b)]
        flip = np.where(curve == 1, -1.0, 1.0)
        yaw = np.arctan2(-nx * flip, ny * flip)
        roll = np.arctan2(nz, flip * np.hypot(nx, ny))
        for i, value in enumerate(self._rolls + self._yaws, start=2):
            constant, free = (roll, yaw) if i < 2 + len(self._rolls) else (yaw, roll)
            constant[curve == i], free[curve == i] = value, t[curve == i]
        cy, sy, cr, sr = np.cos(yaw), np.sin(yaw), np.cos(roll), np.sin(roll)
        ex, ey, ez = self._e
        x = ex * cy + ey * sy - self._geometry.shoulder_offset
        y = (ex * sy - ey * cy) * sr + ez * cr
        inside = fits(self._geometry.limits[0], yaw) & fits(self._geometry.limits[1], roll)
        zero = np.zeros_like(t)
        return Base(yaw, roll, zero, x, y, np.full_like(t, self._geometry.l3), inside)

    def _tilted(self, t, second):
        geometry, side = self._geometry, np.where(second, -1.0, 1.0)
        if self._by_tilt:
            tilt = t
            aside = geometry.lateral + geometry.l3 * np.sin(t)
            along = side * np.sqrt(np.maximum(self._rho ** 2 - aside ** 2, 0.0))
            yaw = self._azimuth - np.arctan2(aside, along)
            hand = geometry.l3 * np.cos(t)
            inside = abs(aside) <= self._rho
        else:
            yaw = self._azimuth - t
            aside, along = self._rho * np.sin(t), self._rho * np.cos(t)
            sine = (aside - geometry.lateral) / geometry.l3
            inside = abs(sine) <= 1.0
            cosine = side * np.sqrt(np.maximum(1.0 - sine * sine, 0.0))
            tilt, hand = np.arctan2(sine, cosine), geometry.l3 * cosine
        inside &= fits(geometry.limits[0], yaw) & fits(geometry.limits[4], tilt)
        return Base(yaw, np.zeros_like(t), tilt, along - geometry.shoulder_offset,
                    np.full_like(t, self._e[2]), hand, inside)


def fits(limit, angle):
    """Tell of canonical angles [rad], an array, whether a limit allows them."""
    past = limit.sign * (angle - limit.offset) - limit.lower + SEARCH_SLACK
    return past - TURN * np.floor(past / TURN) <= limit.upper - limit.lower + 2.0 * SEARCH_SLACK


def steps(limit, angle, near):
    """
    Return how far positions are from near [rad], infinity outside the limits.

    :param limit: :class:`~arm_ik.kinematics.limits.JointLimits` of the joint.
    :param angle: canonical [rad], shape (n,).
    :param near: position [rad].
    """
    lowest = limit.sign * (angle - limit.offset)
    lowest = lowest - TURN * np.floor((lowest - limit.lower + SEARCH_SLACK) / TURN)
    turns = np.floor((limit.upper + SEARCH_SLACK - lowest) / TURN)
    position = lowest + TURN * np.clip(np.round((near - lowest) / TURN), 0.0, turns)
    return np.where(turns < 0.0, np.inf, np.abs(position - near))


def components(yaw, roll, v):
    """Return a vector along f, h and n of planes at yaws and rolls [rad], arrays of shape (n,)."""
    cy, sy, cr, sr = np.cos(yaw), np.sin(yaw), np.cos(roll), np.sin(roll)
    aside = v[1] * cy - v[0] * sy
    return v[0] * cy + v[1] * sy, v[2] * cr - aside * sr, aside * cr + v[2] * sr


def chords(yaw, roll, tilt, elevation, u):
    """
    Return the distances between unit vectors: u, and the last link in planes.

    :param yaw: of the planes [rad], shape (n,), as are ``roll`` and ``tilt``.
    :param elevation: of the last link [rad], shape (..., n).
    :param u: unit up vector.
    """
    along, above, aside = components(yaw, roll, u)
    ct, st = np.cos(tilt), np.sin(tilt)
    return np.sqrt((ct * np.cos(elevation) - along) ** 2
                   + (ct * np.sin(elevation) - above) ** 2 + (st - aside) ** 2)
