# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The searches of an arm, each made when it is first asked for: most targets are in reach."""

from functools import cached_property

from .distance_search import DistanceSearch, FEW_SAMPLES, SAMPLES
from .planar_arrays import PlanarArrays
from .position_first import PositionFirst
from .up_first import UpFirst


class Spatial:
    """
    The searches of an arm; in :mod:`.position_first` one with a rolling base or a tilting wrist.

    :param geometry: of the arm.
    :param planar: its :class:`~arm_ik.kinematics.closest.planar.reach.PlanarReach`.
    :param is_boxed: whether its limits are those of a small box around a pose.
    """

    def __init__(self, geometry, planar, is_boxed=False):
        self._geometry, self._planar, self._is_boxed = geometry, planar, is_boxed

    @cached_property
    def arrays(self):
        """Hold the arm's :class:`.PlanarArrays`."""
        return PlanarArrays(self._planar, self._geometry.limits_in_plane)

    @cached_property
    def position_first(self):
        """Hold the arm's :class:`.PositionFirst`."""
        return PositionFirst(self._geometry, self.arrays)

    @cached_property
    def up_first(self):
        """Hold the arm's :class:`.UpFirst`."""
        return UpFirst(self._geometry, self.arrays)

    @cached_property
    def distance(self):
        """Hold the arm's :class:`.DistanceSearch`."""
        return DistanceSearch(self._geometry, FEW_SAMPLES if self._is_boxed else SAMPLES)
