# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The closest poses of arms whose last link can leave the vertical planes through the yaw axis."""

from functools import cached_property

from .beside_axis import BesideAxis
from .planar_arrays import PlanarArrays
from .position_first import PositionFirst
from .rolling_base import RollingBase
from .tilting_wrist import TiltingWrist
from .up_first import UpFirst
from ...ranking import TIE


class Spatial:
    """
    Closest poses of an arm with a rolling base, a tilting wrist or a plane beside the yaw axis.

    Poses are canonical angles [rad]: yaw, roll, shoulder, elbow, wrist, tilt, as in ROLES.

    :param geometry: of the arm.
    :param planar: its :class:`~arm_ik.kinematics.closest.planar.reach.PlanarReach`.
    """

    def __init__(self, geometry, planar):
        self._geometry, self._planar = geometry, planar

    # Made when first asked for: most targets are in reach.

    @cached_property
    def _arrays(self):
        return PlanarArrays(self._planar, self._geometry.limits_in_plane)

    @cached_property
    def _position_first(self):
        return PositionFirst(self._geometry, self._arrays)

    @cached_property
    def _up_first(self):
        return UpFirst(self._geometry, self._arrays)

    @cached_property
    def _far(self):
        kind = BesideAxis
        if not self._geometry.upright:
            kind = RollingBase if self._geometry.has_roll else TiltingWrist
        return kind(self._geometry, self._planar)

    def meeting(self, e, u):
        """
        Return poses whose tip is at e and whose last link is as near to u as it can be.

        :param e: tip target from S0 [m].
        :param u: unit up vector.
        :returns: list of poses; empty if e can't be reached.
        """
        if self._far.at_least(e) > TIE:
            return []
        return self._position_first.nearest_up(e, u)

    def keeping_up(self, e, u):
        """
        Return poses whose last link is as near to u as it can be, then the tip as near to e.

        :param e: tip target from S0 [m].
        :param u: unit up vector.
        :returns: list of poses, never empty.
        """
        return self._up_first.nearest(e, u)

    def nearest(self, e, best, u, near):
        """
        Return poses whose tip is as near to e as it can be.

        :param e: tip target from S0 [m], out of reach.
        :param best: distance already found [m].
        :param u: unit up vector; chooses where many poses are as near.
        :param near: joint positions [rad]; they choose where the up vector does not.
        :returns: list of poses; only those that may be nearer.
        """
        return self._far.nearest(e, best, u, near)

    def beside_axis(self, e, best):
        """
        Return :meth:`.beside_axis.BesideAxis.nearest_of_each` of an arm whose base only yaws.

        :param e: tip targets from S0 [m], out of reach, shape (3, n).
        :param best: distances already found [m], shape (n,).
        """
        return self._far.nearest_of_each(e, best)
