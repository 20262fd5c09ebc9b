# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``~/markers``: the target, where the arm gets, the way between and why, for RViz."""

from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from .report import State
from ...kinematics.solution import Status

#: Length of the arrows [m].
LENGTH = 0.06

#: Height of the letters, and of their middle above the target [m].
_LETTERS, _ABOVE = 0.014, 0.04

_WANTED, _REFUSED = (0.2, 0.4, 1.0), (0.9, 0.1, 0.1)

#: Colour of what the arm does, by how well that serves the target.
COLOURS = {Status.REACHED: (0.1, 0.8, 0.2), Status.FORWARD_RELAXED: (0.6, 0.8, 0.1),
           Status.UP_RELAXED: (1.0, 0.8, 0.0), Status.POSITION_RELAXED: (1.0, 0.5, 0.0)}


def marker_message(report, tip, frame):
    """
    Return a MarkerArray: arrows along the up vectors that end at the tips, a line, and words.

    A refused target has no arrow but its own, in red.

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
        _words(header, 3, colour, wanted, report.summary)])


def _floats(vector):
    return tuple(map(float, vector))


def _arrow(tip, up):
    return tuple(t - LENGTH * u for t, u in zip(tip, up)), tip


def _words(header, number, colour, position, text):
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
