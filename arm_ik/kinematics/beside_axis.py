# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The closest poses of an arm whose base only yaws and whose arm plane passes beside the yaw axis.

With the yaw free, the tip of the nearest pose is on an arc of :mod:`.planar_reach`, the base being
turned so that tip, target and yaw axis are in one plane: the target then need not be in the arm
plane. :mod:`.distance_search` takes the arcs, over all yaws at once. With the yaw at a limit the
plane is given, which is the matter of :mod:`.section`; so is a target nearer to the axis than the
plane, which the plane's side is turned to.
"""

from .distance_search import apart, arc_families, DistanceSearch


class BesideAxis:
    """
    What is known of such an arm before there is a target.

    :param geometry: of the arm.
    :param planar: its :class:`~arm_ik.kinematics.planar_reach.PlanarReach`.
    """

    def __init__(self, geometry, planar):
        self._arcs = [(arc, *planar.span(arc)) for arc in planar.arcs]
        self._search = DistanceSearch(
            arc_families(self._arcs, geometry.shoulder_offset, [(0.0, geometry.lateral)]),
            geometry.limits[0])

    def nearest(self, e, best, u=None):
        """
        Return poses that may be nearer to a position than a distance.

        :param e: tip target from S0 [m].
        :param best: distance already found [m].
        :param u: not needed.
        :returns: list of canonical ``(yaw, 0.0, shoulder, elbow, wrist, 0.0)`` [rad].
        """
        which, p, _, yaw, distance = self._search.nearest(e, best)
        return [(float(yaw[i]), 0.0, *self._arcs[which[i]][0].pose(
            self._search.bottom(e, which[i], p[i])), 0.0) for i in apart(which, p, distance)]
