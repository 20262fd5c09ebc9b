# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The closest poses of an arm with a tilting wrist to a position it can't reach.

Let v be the vector from the tip to the target. At the nearest pose each joint is at a limit or
``v . dtip/dq = 0``. So one of three holds:

1. the tilt is at a limit: the hand then has a fixed length in the plane and a fixed place beside
   it, and the tip is on an arc of :mod:`..planar.reach` for that length, or the yaw brings it
   neither ahead of the axis nor behind it;
2. wrist and tilt are both free: v lies along the hand, which points from the wrist at the target.
   The wrist's distance from the target is then stationary: on the arcs of the upper arm and
   forearm, which are circles about shoulder or elbow;
3. the tilt is free and the wrist at a limit, and so is one of shoulder and elbow, or the line from
   shoulder to elbow goes through the tip: three families with two parameters.

The families of 1 and 3 are searched by :mod:`.distance_search`, over all yaws at once; those of 2
are listed.
"""

from functools import partial
from math import atan2, cos, hypot, pi, sin

import numpy as np

from .distance_search import apart, arc_families, DistanceSearch, Families
from ..planar.reach import PlanarReach, sum_of_pieces
from ...arm_plane import DEGENERATE
from ...limits import TURN
from ...ranking import TIE
from ...two_link import Triangle

#: Samples around a circle of wrists to find where their distance is stationary.
SAMPLES = 96

#: Rounds that each narrow such a place down by :data:`_PARTS`, until angles tie.
_ROUNDS, _PARTS = 10, 8


class TiltingWrist:
    """
    What is computed once for an arm with a tilting wrist, before any target.

    :param geometry: of the arm.
    :param planar: its :class:`~arm_ik.kinematics.closest.planar.reach.PlanarReach` with the hand
        in the plane.
    """

    def __init__(self, geometry, planar):
        self._geometry = geometry
        self._limits = (*geometry.limits_in_plane, geometry.limits[4])
        self._ends = [sorted({*limit.canonical_ends}) for limit in self._limits]
        self._triangle = Triangle(geometry.l1, geometry.l2)
        self._find_arcs()
        self._find_families()
        self._find_circles()

    def nearest(self, e, best, u, near=None):
        """
        Return poses that may be nearer to a position than a distance.

        :param e: tip target from S0 [m].
        :param best: distance already found [m].
        :param u: unit up vector; chooses where many poses are as near.
        :param near: not needed.
        :returns: list of canonical ``(yaw, 0.0, shoulder, elbow, wrist, tilt)`` [rad].
        """
        found, best = self._pointing(e, best)
        found += self._on_the_fold(e, u)
        for which, direction, yaw, distance in self.on_arcs.bottoms(e, best):
            found.append((yaw, 0.0, *self.pose_on_arc(which, direction)))
            best = min(best, distance)
        which, p, q, yaw, distance = self.in_families.nearest(e, best)
        for i in apart(which, p, distance, q):
            pose = self.pose_in_family(which[i], float(p[i]), float(q[i]))
            found.append((float(yaw[i]), 0.0, *pose))
        return found

    def pose_on_arc(self, which, direction):
        """Return shoulder, elbow, wrist, tilt [rad] of a family of :attr:`on_arcs`."""
        arc, tilt = self._arcs[which]
        return (*arc.pose(direction), tilt)

    def pose_in_family(self, which, p, q):
        """Return shoulder, elbow, wrist, tilt [rad] of a family of :attr:`in_families`."""
        held, angle, wrist = self._held[which]
        if held == 'shoulder':
            return angle, p - angle, wrist, q
        return p, angle if held == 'elbow' else self._elbow_in_line(q, angle, wrist), wrist, q

    def _elbow_in_line(self, tilt, side, wrist):
        """Return the elbow [rad] that puts its axis, the shoulder's and the tip in line."""
        geometry = self._geometry
        return side - sum_of_pieces((geometry.l2, 0.0), (geometry.l3 * cos(tilt), wrist))[1]

    def at_least(self, e):
        """Return a lower bound of the tip's distance from e [m], by the links' lengths alone."""
        geometry = self._geometry
        longest = geometry.l1 + geometry.l2 + geometry.l3 + hypot(
            geometry.shoulder_offset, geometry.lateral)
        return max(0.0, hypot(*e) - longest)

    def _find_arcs(self):
        geometry, parts, self._arcs, self._at_tilts = self._geometry, [], [], []
        for tilt in self._ends[3]:
            planar = PlanarReach(geometry.l1, geometry.l2, geometry.l3 * cos(tilt),
                                 geometry.limits_in_plane)
            arcs = [(arc, *planar.span(arc)) for arc in planar.arcs]
            parts.append(arc_families(arcs, geometry.shoulder_offset, [
                (0.0, geometry.lateral + geometry.l3 * sin(tilt))]))
            self._arcs += [(arc, tilt) for arc, _, _ in arcs]
            self._at_tilts.append((planar, tilt))
        families = Families(*[np.concatenate(columns) for columns in zip(*parts)])
        self.on_arcs = DistanceSearch(families, geometry.limits[0])

    def _on_the_fold(self, e, u):
        """Return the poses of case 1 with the tip neither ahead of the yaw axis nor behind it."""
        geometry, found = self._geometry, []
        for planar, tilt in self._at_tilts:
            aside = geometry.lateral + geometry.l3 * sin(tilt)
            yaw = atan2(e[1], e[0]) - (pi / 2 if aside > 0.0 else -pi / 2)
            side = -1.0 if cos(tilt) < 0.0 else 1.0
            elevation = atan2(side * u[2], side * (u[0] * cos(yaw) + u[1] * sin(yaw)))
            at = -geometry.shoulder_offset, e[2]
            found += [(yaw, 0.0, *pose, tilt) for pose in (
                *planar.extreme(*at), *planar.standing(*at, elevation))]
        return found

    def _find_families(self):
        """Note the families of case 3: p is the angle that turns the tip, q the tilt."""
        geometry, rows, self._held = self._geometry, [], []
        l1, l2, l3, offset = geometry.l1, geometry.l2, geometry.l3, geometry.shoulder_offset
        (s_low, s_high), (e_low, e_high), _, tilts = [
            _span(*sorted(limit.canonical_ends)) for limit in self._limits]
        for w in self._ends[2]:
            for s in self._ends[0]:
                rows.append((s + e_low, s + e_high, *tilts, offset + l1 * np.exp(1j * s), 0.0,
                             l2, np.exp(1j * w), 0.0, l2 + l3))
                self._held.append(('shoulder', s, w))
            for e in self._ends[1]:
                rows.append((s_low, s_high, *tilts, offset, l1, l2 * np.exp(1j * e),
                             np.exp(1j * (e + w)), 0.0, abs(l1 + l2 * np.exp(1j * e)) + l3))
                self._held.append(('elbow', e, w))
            for side, fold in ((0.0, 1.0), (pi, -1.0)):
                elbow = partial(self._elbow_in_line, side=side, wrist=w)
                for low, high in _stretches(self._limits[1], elbow, *tilts):
                    rows.append((s_low, s_high, low, high, offset, l1, l2, np.exp(1j * w), fold,
                                 l1 + l2 + l3))
                    self._held.append(('', side, w))
        low_p, high_p, low_q, high_q, *columns, radius = [np.array(c) for c in zip(*rows)]
        like = np.ones(len(rows))
        families = Families(
            np.stack([low_p, low_q], axis=1), np.stack([high_p, high_q], axis=1), *columns,
            l3 * like, radius, 0.0 * like, geometry.lateral * like)
        self.in_families = DistanceSearch(families, geometry.limits[0])

    def _find_circles(self):
        """Note the circles that the wrist goes round: centre, radius, fixed joint and angle."""
        geometry = self._geometry
        l1, l2, offset = geometry.l1, geometry.l2, geometry.shoulder_offset
        elbows = [*self._ends[1], *[angle for angle in (0.0, pi) if self._fits(1, angle)]]
        self._circles = [(offset, 0.0, *sum_of_pieces((l1, 0.0), (l2, e)), 1, e) for e in elbows]
        self._circles += [(offset + l1 * cos(s), l1 * sin(s), l2, s, 0, s) for s in self._ends[0]]

    def _pointing(self, e, best):
        """Return the poses of case 2 nearer than best, and how near they are [m]."""
        geometry = self._geometry
        rho, azimuth = hypot(e[0], e[1]), atan2(e[1], e[0])
        found = []
        # Yaws: towards the target, away from it, at a limit.
        yaws = [(True, rho, 0.0), (True, -rho, pi)]
        yaws += [(False, rho * cos(azimuth - yaw), yaw) for yaw in
                 {*geometry.limits[0].canonical_ends}]
        for free, ahead, yaw in yaws:
            for shoulder, elbow in self._wrists(free, ahead, e[2]):
                a2 = shoulder + elbow
                x = geometry.shoulder_offset + geometry.l1 * cos(shoulder) + geometry.l2 * cos(a2)
                z = geometry.l1 * sin(shoulder) + geometry.l2 * sin(a2)
                at = azimuth + yaw if free else yaw
                if free and geometry.lateral:
                    at -= atan2(geometry.lateral, x)
                found += self._pointed(e, at, x, z, shoulder, elbow)
        found.sort(key=lambda item: item[0])
        if not found or found[0][0] > best:
            return [], best
        return [pose for miss, pose in found if miss <= found[0][0] + TIE], found[0][0]

    def _pointed(self, e, yaw, x, z, shoulder, elbow):
        """Return [(miss, pose)] with the hand pointing from a wrist at the target, both tilts."""
        geometry = self._geometry
        if not all(map(self._fits, (0, 1), (shoulder, elbow))) or \
                not geometry.limits[0].allows(yaw):
            return []
        along = e[0] * cos(yaw) + e[1] * sin(yaw) - x
        aside = e[1] * cos(yaw) - e[0] * sin(yaw) - geometry.lateral
        above = e[2] - z
        length = hypot(along, aside, above)
        if length <= DEGENERATE:
            return []
        k, elevation, found = hypot(along, above), atan2(above, along), []
        hands = [(atan2(aside, k), elevation - shoulder - elbow),
                 (atan2(aside, -k), elevation + pi - shoulder - elbow)]
        if k <= DEGENERATE:
            # The hand is perpendicular to the plane, and turning the wrist moves nothing.
            hands = [(atan2(aside, 0.0), wrist) for wrist in self._ends[2]]
        for tilt, wrist in hands:
            if self._fits(2, wrist) and self._fits(3, tilt):
                found.append((abs(length - geometry.l3),
                              (yaw, 0.0, shoulder, elbow, wrist, tilt)))
        return found

    def _wrists(self, free, ahead, height):
        """Return (shoulder, elbow) of the wrists whose distance from a target is stationary."""
        lateral = self._geometry.lateral if free else 0.0
        found = [(s, e) for s in self._ends[0] for e in self._ends[1]]
        if lateral or not free:
            # Neither ahead of the target nor behind it: the wrist comes no nearer in the plane.
            found += self._triangle.bends(
                (0.0 if free else ahead) - self._geometry.shoulder_offset, height)
        x, y, radius, turned, joint, fixed = np.array(self._circles).T[:, :, None]
        if lateral:
            angles = _stationary(x, y, radius, lateral, ahead, height)
        else:
            towards = np.arctan2(height - y, ahead - x)
            angles = np.concatenate([towards, towards + pi], axis=1)
        for row, circle in enumerate(self._circles):
            for angle in angles[row]:
                if np.isfinite(angle):
                    moved = float(angle) - circle[3]
                    found.append((moved, circle[5]) if circle[4] else (circle[5], moved))
        return found

    def _fits(self, joint, angle):
        return self._limits[joint].allows(angle)


def _stationary(x, y, radius, lateral, ahead, height):
    """
    Return the directions on circles where the distance is stationary, NaN where there are fewer.

    The wrist at ``x + radius cos a, y + radius sin a`` in a plane beside the yaw axis is
    ``hypot(that x, lateral)`` from the axis, and the target ``ahead``.
    """
    def slope(a):
        at_x, at_y = x + radius * np.cos(a), y + radius * np.sin(a)
        r = np.hypot(at_x, lateral)
        return (at_y - height) * np.cos(a) - (r - ahead) * at_x / r * np.sin(a)

    low = np.broadcast_to(np.linspace(-pi, pi, SAMPLES, endpoint=False), (len(x), SAMPLES))
    values = slope(low)
    crossing = values * np.roll(values, -1, axis=1) <= 0.0
    size = TURN / SAMPLES
    low = np.where(crossing, low, np.nan)
    for _ in range(_ROUNDS):
        size /= _PARTS
        values = [slope(low + i * size) for i in range(_PARTS + 1)]
        part = sum([np.where(np.sign(value) == np.sign(values[0]), 1, 0)
                    for value in values[1:-1]])
        low = low + size * part
    return low + 0.5 * size


def _span(low, high):
    return low, min(high, low + TURN)


def _stretches(limit, angle_of, low, high, samples=256):
    """Return the stretches of a parameter over which an angle is inside a limit."""
    def fits(q):
        return limit.allows(angle_of(q))

    def edge(inside, outside):
        for _ in range(40):
            middle = 0.5 * (inside + outside)
            inside, outside = (middle, outside) if fits(middle) else (inside, middle)
        return inside

    grid = np.linspace(low, high, samples).tolist()
    found, start = [], None
    for before, at in zip([None, *grid], [*grid, None]):
        now, then = at is not None and fits(at), before is not None and fits(before)
        if now and not then:
            start = at if before is None else edge(at, before)
        if then and not now:
            found.append((start, before if at is None else edge(before, at)))
    return found
