# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What the arm reaches in the vertical plane it stands in at home, as a marker for RViz.

Each cell's middle is solved for, with any up vector. That takes a fraction of a second for an arm
whose base only yaws and some for others, so it is done in a thread of its own that lets the node
in after every cell.
"""

from math import atan2, cos, hypot, sin
import threading
from time import sleep

from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker

from ...kinematics.target import Target

#: Cells from end to end of the plane.
CELLS = 40

#: Pause after each cell, in which the node's callbacks run [s].
_PAUSE = 2e-4


class ReachSlice:
    """
    The slice, worked out once; ``points`` is ``None`` until it is.

    :param arm: the :class:`~arm_ik.Arm`.
    """

    def __init__(self, arm):
        self.points = None
        self._arm = arm
        model = arm.model
        self._radius = model.reach + abs(model.shoulder_offset)
        self._cell = 2.0 * self._radius / CELLS
        self._axis = model.base_x, model.base_y, model.base_height
        x, y, _ = arm.forward(arm.home).position
        x, y = x - model.base_x, y - model.base_y
        self._yaw = atan2(y, x) if hypot(x, y) > 1e-6 else 0.0
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, name='reach_slice', daemon=True)
        self._thread.start()

    def close(self):
        """Give it up; there is nothing to show from now on."""
        self._closed.set()
        self._thread.join()
        self.points = None

    def wait(self):
        """Wait until it is done."""
        self._thread.join()

    def message(self, frame):
        """
        Return the marker; to be deleted as long as there is nothing to show.

        :param frame: the base frame's name.
        """
        marker = Marker(header=Header(frame_id=frame), ns='arm_ik_reach', type=Marker.CUBE_LIST,
                        action=Marker.ADD if self.points else Marker.DELETE,
                        color=ColorRGBA(r=0.2, g=0.6, b=1.0, a=0.25),
                        points=[Point(x=r, y=0.0, z=z) for r, z in self.points or ()])
        marker.scale.x = marker.scale.z = 0.9 * self._cell
        marker.scale.y = 0.1 * self._cell
        where, how = marker.pose.position, marker.pose.orientation
        where.x, where.y, where.z = self._axis
        how.z, how.w = sin(0.5 * self._yaw), cos(0.5 * self._yaw)
        return marker

    def _work(self):
        middles = [self._cell * (index + 0.5) - self._radius for index in range(CELLS)]
        points = []
        for r in middles:
            for z in middles:
                if self._closed.is_set():
                    return
                if self._reaches(r, z):
                    points.append((r, z))
                sleep(_PAUSE)
        self.points = tuple(points)

    def _reaches(self, r, z):
        if hypot(r, z) > self._radius:
            return False
        x, y, height = self._axis
        return self._arm.solve(Target((
            x + r * cos(self._yaw), y + r * sin(self._yaw), height + z))).reached
