# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Up vector first, position as near as it can be: rolling base, tilting wrist, plane beside the axis.

If the last link can stand along u at all, the arm planes that let it are two curves: with a
rolling base those that contain u, with a tilting wrist one for each yaw and either tilt with
``sin tilt = u . n``; if u is level, the hand along n does too, at any elevation. Along them the
distance of the wrist from where it should be is the least value of a function of one angle, see
:mod:`.curve_search`; in each plane it is a triangle or a few poses at limits.

If it can't, yaw, roll or tilt, and the elevation of the last link are each at a limit or where the
angle to u is stationary: a list of bases. An upright u leaves the yaw free, and the distance
decides it.
"""

from itertools import product
from math import atan2, hypot, pi

import numpy as np

from .bases import Bases, chords, components, fits
from .curve_search import parameters, valleys
from .position_first import above_floor, least
from ...limits import TURN
from ...tolerances import DEGENERATE, SEARCH_SLACK, TIE

#: Samples around each curve of planes: poses at limits take turns along it.
SAMPLES = 384


class UpFirst:
    """
    Search for poses that keep an up vector.

    :param geometry: of the arm.
    :param planar: its :class:`~arm_ik.kinematics.closest.planar_arrays.PlanarArrays`.
    """

    def __init__(self, geometry, planar):
        self._geometry, self._planar = geometry, planar
        ends = [sorted(limit.canonical_ends) for limit in geometry.limits_in_plane]
        self._lowest = sum([low for low, _ in ends])
        self._range = sum([high for _, high in ends]) - self._lowest
        self._beside = None if geometry.upright else geometry.limits[1 if geometry.has_roll else 4]

    def nearest(self, e, u):
        """
        Return poses with the last link as near to u as can be, and with that the tip to e.

        :param e: tip target from S0 [m].
        :param u: unit up vector.
        :returns: list of canonical ``(yaw, roll, shoulder, elbow, wrist, tilt)`` [rad].
        """
        found = [] if self._geometry.upright else self._exactly(e, u)
        if found:
            return found
        yaw, beside, elevation = self._least_angle(u)
        if hypot(u[0], u[1]) > DEGENERATE:
            return self._best(yaw, beside, elevation, e)
        for other, at in {(round(b, 9), round(a, 9)): (b, a)
                          for b, a in zip(beside, elevation)}.values():
            def turned(t, curve, other=other, at=at):
                return t, np.full_like(t, other), np.full_like(t, at)

            found += self._along(turned, self._geometry.limits[0].canonical_ends,
                                 lambda t, curve: np.ones((1, len(t))), e)
        return found

    def _exactly(self, e, u):
        """Return the nearest poses with the last link along u, an empty list if there are none."""
        along_u = Bases(self._geometry, u)

        def with_u(t, curve):
            yaw, beside = self._with_up(along_u, t, curve, u)
            return yaw, beside, self._elevation(yaw, beside, u)

        def end(t, curve):
            elevation = with_u(t, curve)[2]
            return np.array([np.sin(elevation - self._lowest),
                             np.sin(elevation - self._lowest - self._range)])

        found = self._along(with_u, self._special(along_u, u), end, e, along_u.count)
        if self._geometry.has_tilt and abs(u[2]) <= DEGENERATE:
            found += self._abreast(e, u)
        return found

    def _abreast(self, e, u):
        """Return the nearest poses with the last link square to the plane, along a level u."""
        azimuth, ends = atan2(u[1], u[0]), (self._lowest, self._lowest + self._range)

        def abreast(t, curve):
            # The elevation turns nothing: any will do.
            side = np.where(curve == 1, -pi / 2, pi / 2)
            return azimuth - side, side, t

        return self._along(
            abreast, ends, lambda t, curve: np.array([np.sin(t - at) for at in ends]), e)

    def _special(self, along_u, u):
        """Return the parameters at which yaw, roll or tilt come to a limit."""
        if self._geometry.has_roll:
            return along_u.ends()
        level, azimuth = hypot(u[0], u[1]), atan2(u[1], u[0])
        found = [azimuth - yaw for yaw in self._geometry.limits[0].canonical_ends]
        for tilt in self._beside.canonical_ends:
            if 0.0 < level >= abs(np.sin(tilt)):
                t = np.arcsin(np.sin(tilt) / level)
                found += [t, pi - t]
        return found

    def _with_up(self, along_u, t, curve, u):
        """Return yaw and roll, or yaw and tilt, of the planes that let the last link be u."""
        if self._geometry.has_roll:
            base = along_u.at(t, curve)
            return base.yaw, base.roll
        yaw = atan2(u[1], u[0]) - t
        sine = hypot(u[0], u[1]) * np.sin(t)
        cosine = np.sqrt(np.maximum(1.0 - sine * sine, 0.0))
        return yaw, np.arctan2(sine, np.where(curve == 1, -cosine, cosine))

    def _elevation(self, yaw, beside, u):
        """Return the elevation [rad] nearest to u in planes."""
        along, above, _ = components(yaw, self._roll_and_tilt(beside)[0], u)
        if self._geometry.has_roll:
            return np.arctan2(above, along)
        return np.arctan2(above, along) + self._geometry.bend + np.where(
            np.cos(beside) < 0.0, pi, 0.0)

    def _roll_and_tilt(self, beside):
        """Return the rolls and the tilts [rad] of bases, one of the two zero."""
        zero = np.zeros_like(beside)
        return (beside, zero) if self._geometry.has_roll else (zero, beside)

    def _stands(self, yaw, beside, elevation):
        """Tell which planes and elevations the limits allow."""
        past = elevation - self._lowest + SEARCH_SLACK
        past = past - TURN * np.floor(past / TURN)
        allowed = fits(self._geometry.limits[0], yaw) & (past <= self._range + 2.0 * SEARCH_SLACK)
        return allowed if self._beside is None else allowed & fits(self._beside, beside)

    def _poses(self, yaw, beside, elevation, e):
        """Return angles (3, poses, n) and distances of the tip from e (poses, n), or infinity."""
        geometry = self._geometry
        roll, tilt = self._roll_and_tilt(beside)
        along, above, aside = components(yaw, roll, e)
        hand = geometry.l3 * np.cos(tilt)
        angles, misses, inside = self._planar.at_elevation(
            along - geometry.shoulder_offset - hand * np.cos(elevation),
            above - hand * np.sin(elevation), elevation)
        out = aside - geometry.lateral - geometry.l3 * np.sin(tilt)
        inside &= self._stands(yaw, beside, elevation)
        inside &= above_floor(geometry, roll, angles)
        return angles, np.where(inside, np.hypot(misses, out), np.inf)

    def _along(self, planes, special, end, e, count=2):
        """Return the nearest poses along curves of planes and elevations."""
        t, curve = parameters(special, end, count, SAMPLES)
        t, curve = valleys(
            t, curve, lambda t, curve: self._poses(*planes(t, curve), e)[1].min(axis=0))
        return self._best(*planes(t, curve), e) if len(t) else []

    def _best(self, yaw, beside, elevation, e):
        """Return the nearest poses in each of some planes."""
        angles, misses = self._poses(yaw, beside, elevation, e)
        found = []
        for k, i in least(misses):
            other = float(beside[i])
            roll, tilt = (other, 0.0) if self._geometry.has_roll else (0.0, other)
            found.append((float(yaw[i]), roll, *angles[:, k, i].tolist(), tilt))
        return found

    def _least_angle(self, u):
        """Return all (yaw, roll or tilt, elevation) with the least angle to u, as arrays."""
        geometry, azimuth = self._geometry, atan2(u[1], u[0])
        ends = (self._lowest, self._lowest + self._range)
        limits = (0.0,) if self._beside is None else self._beside.canonical_ends
        bases = []
        for yaw in (*geometry.limits[0].canonical_ends, azimuth, azimuth + pi,
                    azimuth + pi / 2, azimuth - pi / 2):
            aside = u[1] * np.cos(yaw) - u[0] * np.sin(yaw)
            others = [*limits, 0.0, pi]
            if geometry.upright:
                others = limits
            elif geometry.has_roll:
                others += [atan2(-aside, u[2]), atan2(aside, -u[2])]
            else:
                tilt = np.arcsin(np.clip(aside, -1.0, 1.0))  # u is a unit vector but for rounding
                others += [tilt, pi - tilt]
                for at in ends:
                    along = (u[0] * np.cos(yaw) + u[1] * np.sin(yaw)) * np.cos(at)
                    others.append(atan2(aside, along + u[2] * np.sin(at)))
            bases += [(yaw, other) for other in others]
        for at, other in product(ends, limits):
            if geometry.upright:
                break
            across = -np.sin(at) * np.sin(other) if geometry.has_roll else np.sin(other)
            ahead = np.cos(at) * (1.0 if geometry.has_roll else np.cos(other))
            turned = azimuth - atan2(across, ahead)
            bases += [(turned, other), (turned + pi, other)]
        yaw, beside = np.array(bases).T
        elevation = self._elevation(yaw, beside, u)
        yaw, beside = np.tile(yaw, 3), np.tile(beside, 3)
        elevation = np.concatenate([elevation, *[np.full_like(elevation, at) for at in ends]])
        chord = chords(yaw, *self._roll_and_tilt(beside), elevation - geometry.bend, u)
        angle = np.where(self._stands(yaw, beside, elevation),
                         2.0 * np.arcsin(np.minimum(0.5 * chord, 1.0)), np.inf)
        best = angle <= angle.min() + TIE
        return yaw[best], beside[best], elevation[best]
