# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What three links in a plane reach, for many planes at once.

The same poses as :meth:`.planar_reach.PlanarReach.extreme` and ``standing`` list one by one: those
that put the tip on a target with a joint at a limit or the elbow straight or folded, and those
with the last link at a wanted elevation. Arrays have the poses first, the planes last.
"""

import numpy as np

from ..planar.reach import Arithmetic
from ...limits import TURN
from ...tolerances import DEGENERATE, ROUNDING, SEARCH_SLACK


def _solve(triangle, x, y):
    return triangles(triangle.l1, triangle.l2, x, y)


_COLUMNS = Arithmetic(np.sin, np.cos, np.arctan2, _solve)


class PlanarArrays:
    """
    Poses of three links inside limits, over arrays of targets.

    :param planar: their :class:`~arm_ik.kinematics.closest.planar.reach.PlanarReach`; of the
        last link only its joint counts, its length comes with the targets.
    :param limits: :class:`~arm_ik.kinematics.limits.JointLimits` of shoulder, elbow and wrist.
    """

    def __init__(self, planar, limits):
        self.reach, self.l1, self.l2 = planar, planar.l1, planar.l2
        l1, l2 = planar.l1, planar.l2
        shape = (3, 1, 1)
        self._sign = np.array([limit.sign for limit in limits]).reshape(shape)
        self._offset = np.array([limit.offset for limit in limits]).reshape(shape)
        self._lower = np.array([limit.lower for limit in limits]).reshape(shape)
        self._width = np.array([limit.upper - limit.lower for limit in limits]).reshape(shape)
        ends = [np.array(sorted({*limit.canonical_ends}))[:, None] for limit in limits]
        self._shoulder_ends, elbow_ends, self._wrist_ends = ends
        aligned, straight = [[angle for angle in (0.0, np.pi) if limit.allows(angle)]
                             for limit in limits[1:]]
        self._elbows = np.concatenate([elbow_ends, np.array(aligned).reshape(-1, 1)])
        rigid = l1 + l2 * np.exp(1j * self._elbows)
        # Folded onto the shoulder the links have no direction.
        self._elbows = self._elbows[np.abs(rigid[:, 0]) > DEGENERATE]
        self._find_edges(elbow_ends, straight)
        rigid = l1 + l2 * np.exp(1j * self._elbows)
        self._rigid, self._rigid_turn = np.abs(rigid), np.angle(rigid)
        self._elbow_at = l1 * np.exp(1j * self._shoulder_ends)

    def extreme(self, x, y, hand):
        """
        Return the poses that reach targets with a joint at a limit or a straight elbow.

        :param x: tip targets from the shoulder [m], shape (n,).
        :param y: tip targets from the shoulder [m], shape (n,).
        :param hand: lengths of the last link in the plane [m], negative: tilted over, shape (n,).
        :returns: ``(angles, inside)``: shoulder, elbow and wrist [rad], shape (3, poses, n), and
            whether each pose is within reach and limits, shape (poses, n).
        """
        beyond = self.l2 + hand * np.exp(1j * self._wrist_ends)
        backwards = np.where(hand < 0.0, np.pi, 0.0)
        length = np.abs(hand)
        count = [len(self._wrist_ends), len(self._elbows), len(self._shoulder_ends)]
        like = np.ones((1, len(x)))
        first = np.concatenate([
            np.full((count[0], 1), self.l1) * like, self._rigid * like,
            np.full((count[2], 1), self.l2) * like])
        second = np.concatenate([
            np.abs(beyond), np.broadcast_to(length, (count[1] + count[2], len(x)))])
        from_x = np.concatenate([np.zeros(count[0] + count[1]), self._elbow_at.real[:, 0]])
        from_y = np.concatenate([np.zeros(count[0] + count[1]), self._elbow_at.imag[:, 0]])
        above, below, bend, reaches = triangles(
            first, second, x - from_x[:, None], y - from_y[:, None])
        w, e = slice(0, count[0]), slice(count[0], count[0] + count[1])
        s = slice(count[0] + count[1], None)
        turned, wrists = np.angle(beyond), self._wrist_ends * like
        elbows, shoulders = self._elbows * like, self._shoulder_ends * like
        angles = np.empty((3, 2 * len(first), len(x)))
        for half, (towards, angle) in enumerate(((above, bend), (below, -bend))):
            into = angles[:, half * len(first):(half + 1) * len(first)]
            into[0, w], into[1, w], into[2, w] = towards[w], angle[w] - turned, wrists
            into[0, e] = towards[e] - self._rigid_turn
            into[1, e] = elbows
            into[2, e] = angle[e] + backwards + self._rigid_turn - elbows
            into[0, s], into[1, s] = shoulders, towards[s] - shoulders
            into[2, s] = angle[s] + backwards
        return angles, self.inside(angles) & np.concatenate([reaches, reaches])

    def standing(self, x, y, hand, elevation):
        """
        Return both poses that reach targets with the last link at given elevations.

        :param elevation: directions of the last link [rad], shape (n,).
        :returns: as :meth:`extreme` does, two poses.
        """
        above, below, bend, reaches = triangles(
            np.array([[self.l1]]), np.array([[self.l2]]),
            (x - hand * np.cos(elevation))[None], (y - hand * np.sin(elevation))[None])
        angles = np.array([[above[0], below[0]], [bend[0], -bend[0]],
                           [elevation - above[0] - bend[0], elevation - below[0] + bend[0]]])
        return angles, self.inside(angles) & reaches

    def beyond(self, x, y, hand):
        """
        Return how far targets are beyond each edge of what the links reach.

        An edge is where two joints are at limits, or at one and in line with the rest. On one side
        of it the function is negative, on the other positive; where it is zero a pose with the tip
        on the target begins or ceases to exist.

        :returns: squares of lengths [m^2], shape (edges, n).
        """
        origin, first, second, third, fold = self._edges
        inner = second + hand * third
        inner = np.where(fold == 0.0, inner, fold * np.abs(inner))
        return np.abs(x + 1j * y - origin) ** 2 - np.abs(first + inner) ** 2

    def _find_edges(self, elbow_ends, straight):
        l1, l2 = self.l1, self.l2
        wrists = [*self._wrist_ends[:, 0], *straight]
        edges = []
        for s in self._shoulder_ends[:, 0]:
            elbow_at = l1 * np.exp(1j * s)
            edges += [(elbow_at + l2 * np.exp(1j * (s + e)), 0.0, 0.0, 1.0, 0.0)
                      for e in elbow_ends[:, 0]]
            edges += [(elbow_at, 0.0, l2, np.exp(1j * w), 0.0) for w in wrists]
        for e in self._elbows[:, 0]:
            turn = np.exp(1j * e)
            edges += [(0.0, l1, l2 * turn, turn * np.exp(1j * w), 0.0)
                      for w in self._wrist_ends[:, 0]]
            edges += [(0.0, abs(l1 + l2 * turn), 0.0, side, 0.0) for side in (1.0, -1.0)]
        for w in self._wrist_ends[:, 0]:
            edges += [(0.0, l1, l2, np.exp(1j * w), fold) for fold in (1.0, -1.0)]
        self._edges = [np.array(column)[:, None] for column in zip(*edges)]

    def at_elevation(self, x, y, elevation):
        """
        Return every pose that can bring the wrist nearest with the last link at an elevation.

        :param x: wrist targets from the shoulder [m], shape (n,).
        :param y: wrist targets from the shoulder [m], shape (n,).
        :param elevation: directions of the last link [rad], shape (n,).
        :returns: ``(angles, misses, inside)``: shoulder, elbow and wrist [rad], shape
            (3, poses, n), distances of the wrist [m] and whether the limits allow it.
        """
        poses = self.reach.at_elevation(x, y, elevation, _COLUMNS)
        angles = np.array([[np.broadcast_to(angle, x.shape) for angle in pose]
                           for pose in poses]).swapaxes(0, 1)
        shoulder, elbow, _ = angles
        forearm = shoulder + elbow
        misses = np.hypot(self.l1 * np.cos(shoulder) + self.l2 * np.cos(forearm) - x,
                          self.l1 * np.sin(shoulder) + self.l2 * np.sin(forearm) - y)
        return angles, misses, self.inside(angles)

    def inside(self, angles):
        """Tell of canonical angles, shape (3, poses, n), whether all three fit the limits."""
        past = self._sign * (angles - self._offset) - self._lower + SEARCH_SLACK
        past -= TURN * np.floor(past / TURN)
        return (past <= self._width + 2.0 * SEARCH_SLACK).all(axis=0)


def triangles(first, second, x, y):
    """
    Return both ways to put the end of two pieces at (x, y), see :mod:`..two_link`.

    :returns: ``(direction of the first piece, bent left, bent right, angle of the second to it
        where bent left, whether it reaches)``, angles [rad].
    """
    h = x * x + y * y
    outer, inner = (first + second) ** 2, (first - second) ** 2
    slack = 2.0 * ROUNDING * outer
    s = np.sqrt(np.maximum((outer - h) * (h - inner), 0.0))
    w = h + first * first - second * second
    above = np.arctan2(y * w - x * s, x * w + y * s)
    below = np.arctan2(y * w + x * s, x * w - y * s)
    bend = np.arctan2(s, h - first * first - second * second)
    return above, below, bend, (h <= outer + slack) & (h >= inner - slack)
