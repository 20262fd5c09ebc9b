# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
``~/markers`` for RViz: what is wanted, what is commanded, where the tip gets, and the reason.

Each kind has a namespace of its own, to be switched in RViz: ``target``, ``command`` (the
commanded pose as a transparent arm), ``solution``, ``miss``, ``reason``, ``ground`` (to click on).
Arrows begin at the tips, where no hand hides them.
"""

from textwrap import fill

from geometry_msgs.msg import Point
import numpy as np
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from .report import State
from ..common.pose_message import pose_message
from ...description.collision_shapes import keep_out_shapes
from ...description.urdf import link_frames, links
from ...description.urdf_tree import rotation
from ...kinematics.solution import Status
from ...kinematics.tolerances import SHOWN_APART

#: Sizes, as parts of the arm's reach.
_BALL, _LONG, _SHORT, _LETTERS, _GROUND = 0.06, 0.3, 0.18, 0.05, 1.3

#: Thickness of the ground [m]; its upper side is as high above the base's ground or floor.
_GROUND_THICKNESS = 0.001

#: Letters in a line of the reason.
_LINE = 56

#: Each thing has a colour of its own; as letters they are seen on the view's background.
_WANTED, _REFUSED = (0.3, 0.6, 1.0), (1.0, 0.5, 0.45)
_READY, _COMMANDED, _FLAT = (0.9, 0.9, 0.9), (0.72, 0.55, 1.0), (0.6, 0.6, 0.6)

#: Colour of the solution, by its status.
COLOURS = {Status.REACHED: (0.2, 0.9, 0.3), Status.FORWARD_RELAXED: (0.7, 0.9, 0.2),
           Status.UP_RELAXED: (1.0, 0.85, 0.1), Status.POSITION_RELAXED: (1.0, 0.55, 0.1)}

#: How much larger the commanded arm is drawn than what is in the same place, or both flicker.
_LARGER = 1.02

#: How long what is shown lasts in RViz [s], if the node is killed: longer than it takes to show
#: everything anew.
_LIFETIME = 3


class Markers:
    """
    The publisher of ``~/markers``: at changes and once a second, while somebody subscribes.

    ``report`` is the newest :class:`~.report.Report`, or ``None``.

    :param node: the node.
    :param base_frame: its base frame, prefixed.
    :param core: the :class:`~.core.IkCore` whose arm is shown.
    """

    def __init__(self, node, base_frame, core):
        self._base_frame, self._core, self.report = base_frame, core, None
        self._target = None           # the newest report with a target to show
        self._changed = False
        self._command = None          # the command that is shown
        self._publisher = node.create_publisher(MarkerArray, '~/markers', 10)

    def show(self, report):
        """Show a report from now on, and its target, if it has one."""
        self.report, self._changed = report, True
        if report.target is not None:
            self._target = report
        elif report.state is State.READY:  # nothing is active any more
            self._target = None

    def close(self):
        """Delete what is shown, of a node that ends."""
        self._publisher.publish(MarkerArray(markers=[Marker(action=Marker.DELETEALL)]))

    def check(self, anew=False):
        """Show what has changed, or everything anew, to those who have come late."""
        if not self._publisher.get_subscription_count():
            return
        command, measured = self._core.command, self._core.gate.state.positions
        if command is not None and None not in measured and max(
                abs(a - b) for a, b in zip(command, measured)) <= SHOWN_APART:
            command = None            # the arm itself is there
        if self._changed or command != self._command or anew:
            self._changed, self._command = False, command
            self._publisher.publish(MarkerArray(markers=self._markers(command)))

    def _markers(self, command):
        arm, report, frame = self._core.arm, self._target, self._base_frame
        markers = [Marker(action=Marker.DELETEALL), ground_marker(arm.model, frame)]
        if report is not None:
            markers += target_markers(report, arm, frame)
        if command is not None:
            markers += command_markers(
                arm.model, command, frame, self._core.planner.goals.paths.extra)
        if self.report is not None:
            markers.append(reason_marker(self.report, arm.model, frame))
        for marker in markers:
            marker.lifetime.sec = _LIFETIME
        return markers


def target_markers(report, arm, frame):
    """
    Return the markers of a target: a ball with its up vector, where the tip gets, the miss.

    A refused target has only its own, in red.

    :param report: of a target.
    :param arm: the :class:`~arm_ik.Arm`.
    :param frame: the base frame's name.
    """
    refused = report.state is State.REFUSED
    wanted, colour = report.target.position, _REFUSED if refused else _WANTED
    markers = [_placed(_marker(frame, 'target', Marker.SPHERE, colour, 0.5), wanted,
                       _BALL * arm.model.reach)]
    if report.target.up is not None:
        markers.append(_arrow(_marker(frame, 'target', Marker.ARROW, colour, number=1), wanted,
                              report.target.up, _LONG * arm.model.reach, 0.04))
    if not refused and report.solution is not None:
        tip = arm.forward(report.solution.q)
        where, colour = tip.position.tolist(), COLOURS[report.solution.status]
        miss = _marker(frame, 'miss', Marker.LINE_STRIP, colour)
        miss.scale.x = 0.015 * arm.model.reach
        miss.points = _points(wanted, where)
        markers += [_arrow(_marker(frame, 'solution', Marker.ARROW, colour), where,
                           tip.up.tolist(), _SHORT * arm.model.reach, 0.12), miss]
    return markers


def reason_marker(report, model, frame):
    """
    Return the words above the arm, where no hand hides them: state and reason.

    :param report: the newest one.
    """
    colour = _REFUSED if report.state is State.REFUSED else (
        _READY if report.solution is None else COLOURS[report.solution.status])
    marker = _marker(frame, 'reason', Marker.TEXT_VIEW_FACING, colour, 1.0)
    marker.text = fill(report.summary, _LINE)
    height = model.base_height + (1.0 + _LETTERS) * model.reach
    # RViz draws no letters unless all three are set.
    return _placed(marker, (model.base_x, model.base_y, height), _LETTERS * model.reach)


def ground_marker(model, frame):
    """Return a thin disc around the arm, for clicks with RViz's Publish Point."""
    height = (model.floor_height or 0.0) + 0.5 * _GROUND_THICKNESS
    marker = _placed(_marker(frame, 'ground', Marker.CYLINDER, _FLAT, 0.35),
                     (model.base_x, model.base_y, height), 2.0 * _GROUND * model.reach)
    marker.scale.z = _GROUND_THICKNESS
    return marker


def command_markers(model, command, frame, extra={}):
    """
    Return the links that move where they are commanded to be, transparent.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param command: joint positions [rad], base to tip.
    :param frame: the base frame's name.
    :param extra: positions of extra joints by name [rad or m]; the others are ``closed``.
    """
    frames = link_frames(links(model), {
        **model.all_home, **extra, **dict(zip(model.joint_names, command))})
    shapes = [(shape, frames[link.name]) for link in links(model) if link.joint
              for shape in link.shapes]
    return [_shape(frame, 'command', number, *shape, _COMMANDED, 0.55, _LARGER)
            for number, shape in enumerate(shapes)]


def keep_out_markers(shapes, reach, frame, namespace=''):
    """
    Return shapes to stay out of as a MarkerArray that replaces the one before.

    :param shapes: of :class:`~arm_ik.kinematics.model.KeepOut`.
    :param reach: of the arm [m].
    :param frame: the base frame's name.
    :param namespace: of those that are replaced; empty: all are.
    """
    return MarkerArray(markers=[
        Marker(header=Header(frame_id=frame), ns=namespace, action=Marker.DELETEALL),
        *(_shape(frame, namespace or 'keep_out', number, shape, np.eye(4), _REFUSED, 0.4)
          for number, shape in enumerate(keep_out_shapes(shapes, reach)))])


def _marker(frame, namespace, kind, colour, opacity=0.9, number=0):
    """Return a marker; its zero stamp lets RViz show it at the newest transform."""
    red, green, blue = colour
    return Marker(header=Header(frame_id=frame), ns=namespace, id=number, type=kind,
                  color=ColorRGBA(r=red, g=green, b=blue, a=opacity))


def _placed(marker, position, size):
    """Place a marker [m], of one size [m] in all directions, and return it."""
    where, scale = marker.pose.position, marker.scale
    where.x, where.y, where.z = position
    scale.x = scale.y = scale.z = size
    return marker


def _shape(frame, namespace, number, shape, origin, colour, opacity, larger=1.0):
    """Return the marker of a box or cylinder of a link at an origin."""
    is_box = shape.kind != 'cylinder'
    marker = _marker(frame, namespace, Marker.CUBE if is_box else Marker.CYLINDER, colour, opacity,
                     number)
    at, size = origin @ rotation(shape.rpy, shape.xyz), shape.size
    marker.pose = pose_message(at[:3, 3], at[:3, :3], frame, (0, 0)).pose
    edges = size['size'] if is_box else (*[2.0 * size['radius']] * 2, size['length'])
    marker.scale.x, marker.scale.y, marker.scale.z = (larger * edge for edge in edges)
    return marker


def _points(*places):
    return [Point(x=x, y=y, z=z) for x, y, z in places]


def _arrow(marker, begin, direction, length, width):
    """Let a marker be an arrow from a point [m]; ``width`` of its shaft is a part of that."""
    marker.points = _points(begin, (b + length * d for b, d in zip(begin, direction)))
    marker.scale.x, marker.scale.y, marker.scale.z = (
        width * length, 2.5 * width * length, 0.3 * length)
    return marker
