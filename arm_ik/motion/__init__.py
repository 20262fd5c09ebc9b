# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Set-points in time; no ROS."""

from .generator import Generator
from .goal_stream import GoalStream, LEAP
from .stream import Stream
from .trajectory import Trajectory

__all__ = ['Generator', 'GoalStream', 'LEAP', 'Stream', 'Trajectory']
