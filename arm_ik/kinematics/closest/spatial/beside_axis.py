# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The closest poses of an arm whose base only yaws and whose arm plane passes beside the yaw axis.

With the yaw free, the tip of the nearest pose is on an arc of :mod:`..planar.reach`, the base
being turned so that tip, target and yaw axis are in one plane: the target then need not be in the
arm plane. :mod:`.distance_search` takes the arcs, over all yaws at once. :mod:`..planar.section`
takes what has a given plane: the yaw at a limit, and a target nearer to the axis than the plane,
whose side is then turned to it.
"""

import numpy as np

from .distance_search import apart, arc_families, DistanceSearch


class BesideAxis:
    """
    What is computed once for such an arm, before any target.

    :param geometry: of the arm.
    :param planar: its :class:`~arm_ik.kinematics.closest.planar.reach.PlanarReach`.
    """

    def __init__(self, geometry, planar):
        arcs = [(arc, *planar.span(arc)) for arc in planar.arcs]
        self._joint, self._turned, self._first, self._second = np.array(
            [(arc.joint, arc.turned, arc.first, arc.second) for arc in planar.arcs]).T
        self.search = DistanceSearch(
            arc_families(arcs, geometry.shoulder_offset, [(0.0, geometry.lateral)]),
            geometry.limits[0])

    def nearest(self, e, best, u=None, near=None):
        """
        Return poses that may be nearer to a position than a distance.

        :param e: tip target from S0 [m].
        :param best: distance already found [m].
        :param u: not needed, nor is ``near``.
        :returns: list of canonical ``(yaw, 0.0, shoulder, elbow, wrist, 0.0)`` [rad].
        """
        _, yaw, poses = self.nearest_of_each(np.reshape(e, (3, 1)), np.array([best]))
        return [(at, 0.0, *pose, 0.0) for at, pose in zip(yaw.tolist(), poses.T.tolist())]

    def nearest_of_each(self, e, best):
        """
        Return poses that may be nearer to each of many positions than a distance.

        :param e: tip targets from S0 [m], shape (3, n).
        :param best: distances already found [m], shape (n,).
        :returns: ``(row, yaw, poses)``: which of the targets a pose is for, one after the other;
            canonical yaw [rad]; shoulder, elbow and wrist [rad], shape (3, poses).
        """
        row, which, p, _, _, distance = self.search.nearest_of_each(e, best)
        ends = np.append(np.flatnonzero(np.diff(row, prepend=-1)), len(row))
        kept = np.array([first + i for first, last in zip(ends[:-1], ends[1:]) for i in apart(
            which[first:last], p[first:last], distance[first:last])], dtype=np.intp)
        row, which = row[kept], which[kept]
        p, yaw = self.search.bottom(e[:, row], which, p[kept])
        angle = p + self._turned[which]
        joint, first, second = [part[which] for part in (self._joint, self._first, self._second)]
        return row, yaw, np.array([
            np.where(joint == 0, angle, first),
            np.where(joint == 0, first, np.where(joint == 1, angle, second)),
            np.where(joint == 2, angle, second)])
