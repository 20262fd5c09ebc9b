# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``~/markers``: the target, where the arm gets, and the way between, for RViz."""

from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

#: Length of the arrows [m].
LENGTH = 0.06

_WANTED, _REACHED, _RELAXED = (0.2, 0.4, 1.0), (0.1, 0.8, 0.2), (1.0, 0.5, 0.0)


def marker_message(report, tip, frame):
    """
    Return a MarkerArray: arrows along the up vectors that end at the tips, and a line between.

    :param report: of a target that was solved.
    :param tip: forward kinematics of the answer.
    :param frame: the base frame's name.
    """
    # A zero stamp: RViz shows it at the newest transform, however old the target is.
    header = Header(frame_id=frame)
    wanted, reached = report.target.position, tuple(map(float, tip.position))
    up = report.target.up or tuple(map(float, tip.up))
    colour = _REACHED if report.solution.reached else _RELAXED
    return MarkerArray(markers=[
        _marker(header, 0, Marker.ARROW, _WANTED, _arrow(wanted, up)),
        _marker(header, 1, Marker.ARROW, colour, _arrow(reached, map(float, tip.up))),
        _marker(header, 2, Marker.LINE_STRIP, colour, (wanted, reached))])


def _arrow(tip, up):
    return tuple(t - LENGTH * u for t, u in zip(tip, up)), tip


def _marker(header, number, kind, colour, points):
    red, green, blue = colour
    marker = Marker(header=header, ns='arm_ik', id=number, type=kind, action=Marker.ADD,
                    color=ColorRGBA(r=red, g=green, b=blue, a=0.8),
                    points=[Point(x=x, y=y, z=z) for x, y, z in points])
    marker.pose.orientation.w = 1.0
    # Of an arrow: shaft, head, head's length [m]; of a line: its width.
    marker.scale.x, marker.scale.y, marker.scale.z = (
        (0.006, 0.014, 0.02) if kind == Marker.ARROW else (0.003, 0.0, 0.0))
    return marker
