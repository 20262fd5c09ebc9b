# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
``~/markers`` for RViz: the target, the solution, the difference and the reason.

With ``show_reach`` also what the tip can reach in the vertical plane of the home pose: the centre
of each cell is solved for, with any up vector. That takes a fraction of a second for an arm whose
base only yaws, and some seconds for others. So it runs in a thread of its own, which pauses after
every cell to let the node work.
"""

from math import atan2, cos, hypot, sin
import threading
from time import sleep

from geometry_msgs.msg import Point
from rclpy.clock import Clock, ClockType
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from .report import State
from ...kinematics.solution import Status
from ...kinematics.target import Target

#: Length of the arrows [m].
LENGTH = 0.06

#: Height of the letters, and of their middle above the target [m].
_LETTERS, _ABOVE = 0.014, 0.04

_WANTED, _REFUSED = (0.2, 0.4, 1.0), (0.9, 0.1, 0.1)

#: Colour of the solution, by its status.
COLOURS = {Status.REACHED: (0.1, 0.8, 0.2), Status.FORWARD_RELAXED: (0.6, 0.8, 0.1),
           Status.UP_RELAXED: (1.0, 0.8, 0.0), Status.POSITION_RELAXED: (1.0, 0.5, 0.0)}

#: Cells of the reachable slice from end to end.
CELLS = 40

#: Pause after each cell, in which the node's callbacks run [s].
_PAUSE = 2e-4


class Markers:
    """
    The publisher of ``~/markers``: at each target and once a second, while somebody subscribes.

    :param node: the node.
    :param base_frame: its base frame, prefixed.
    :param core: the :class:`~.core.IkCore` whose arm is shown.
    """

    def __init__(self, node, base_frame, core):
        self._base_frame = base_frame
        self._core = core
        self._report = None           # the newest report with a target to show
        self._reach = self._reach_of = None
        self._publisher = node.create_publisher(MarkerArray, '~/markers', 10)
        node.create_timer(1.0, self._show_all, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def show(self, report):
        """Show a report's target and solution, if it has a target."""
        if report.target is not None:
            self._report = report
            self._show_target()

    def show_reach(self, on):
        """Show what the arm reaches from now on, computed anew if the arm changed; or stop it."""
        arm = self._core.arm if on else None
        if arm is self._reach_of:
            return
        self._reach_of = arm
        if self._reach is not None:
            self._reach.close()
            self._show_all()
        self._reach = ReachSlice(arm) if on else None

    def _show_all(self):
        self._show_target()
        if self._reach is not None and self._publisher.get_subscription_count():
            self._publisher.publish(MarkerArray(markers=[self._reach.message(self._base_frame)]))

    def _show_target(self):
        report = self._report
        if report is None or not self._publisher.get_subscription_count():
            return
        tip = self._core.arm.forward(report.solution.q) if report.solution is not None else None
        self._publisher.publish(target_markers(report, tip, self._base_frame))


def target_markers(report, tip, frame):
    """
    Return a MarkerArray: arrows along the up vectors, ending at the tips, a line, and text.

    A refused target has only its own arrow, in red.

    :param report: of a target.
    :param tip: forward kinematics of the answer; ``None`` where nothing was solved.
    :param frame: the base frame's name.
    """
    # A zero stamp: RViz shows it at the newest transform, however old the target is.
    header = Header(frame_id=frame)
    wanted = report.target.position
    up = report.target.up or (_floats(tip.up) if tip is not None else (0.0, 0.0, 1.0))
    if report.state is State.REFUSED:
        colour = _REFUSED
        reached = [_marker(header, number, Marker.ARROW, colour, (), Marker.DELETE)
                   for number in (1, 2)]
    else:
        colour = COLOURS[report.solution.status]
        where = _floats(tip.position)
        reached = [_marker(header, 1, Marker.ARROW, colour, _arrow(where, _floats(tip.up))),
                   _marker(header, 2, Marker.LINE_STRIP, colour, (wanted, where))]
    own = _REFUSED if report.state is State.REFUSED else _WANTED
    return MarkerArray(markers=[
        _marker(header, 0, Marker.ARROW, own, _arrow(wanted, up)), *reached,
        _text(header, 3, colour, wanted, report.summary)])


def _floats(vector):
    return tuple(map(float, vector))


def _arrow(tip, up):
    return tuple(t - LENGTH * u for t, u in zip(tip, up)), tip


def _text(header, number, colour, position, text):
    marker = _marker(header, number, Marker.TEXT_VIEW_FACING, colour, ())
    marker.text = text
    where = marker.pose.position
    where.x, where.y, where.z = position[0], position[1], position[2] + _ABOVE
    return marker


def _marker(header, number, kind, colour, points, action=Marker.ADD):
    red, green, blue = colour
    marker = Marker(header=header, ns='arm_ik', id=number, type=kind, action=action,
                    color=ColorRGBA(r=red, g=green, b=blue, a=0.8),
                    points=[Point(x=x, y=y, z=z) for x, y, z in points])
    marker.pose.orientation.w = 1.0
    # Of an arrow: shaft, head, head's length [m]; of a line: its width; of words: their height.
    marker.scale.x, marker.scale.y, marker.scale.z = {
        Marker.ARROW: (0.006, 0.014, 0.02), Marker.LINE_STRIP: (0.003, 0.0, 0.0),
        Marker.TEXT_VIEW_FACING: (0.0, 0.0, _LETTERS)}[kind]
    return marker


class ReachSlice:
    """
    The slice, computed once; ``points`` is ``None`` until then.

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
        """Stop the computation; nothing is shown from now on."""
        self._closed.set()
        self._thread.join()
        self.points = None

    def wait(self):
        """Wait until it is done."""
        self._thread.join()

    def message(self, frame):
        """
        Return the marker; it deletes the old one as long as there is nothing to show.

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
