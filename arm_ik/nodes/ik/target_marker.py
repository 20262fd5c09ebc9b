# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
``target_marker``: a target that is dragged in RViz.

The marker appears at the tip as soon as the arm's state is known. While it is dragged, its pose is
published on ``target_pose``, in the convention that ``ik_node`` reads (its parameter ``up_axis``).
A target that comes from elsewhere takes the marker along. A drag that is refused leaves it there,
until the next target comes or its menu (right button) takes it back to the tip. It needs the
package ``interactive_markers``, which pip has not.
"""

from math import cos, inf, pi, sin
from time import monotonic

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Point, PoseStamped, Quaternion
from interactive_markers.interactive_marker_server import InteractiveMarkerServer
import numpy as np
from rclpy.node import Node
from rclpy.parameter_client import AsyncParameterClient
from sensor_msgs.msg import JointState
from visualization_msgs.msg import (
    InteractiveMarker, InteractiveMarkerControl, InteractiveMarkerFeedback, Marker, MenuEntry)

from ..common.diagnostics import steady_timer
from ..common.parameters import overrides, Parameters
from ..common.pose_message import pose_message
from ..common.spec import Spec
from ..ik.ik_node import STATE_QOS, TARGET_QOS
from ..startup.run import run
from ...arm import Arm
from ...kinematics.tool_axes import columns
from ...tool_rotation import target_of, target_rotation, tool_rotation, UP_MODES, with_up_of

SPECS = (Spec('frame_prefix', '', 'Prefix of the base frame, for several arms', read_only=True),)

NAME = 'target'

#: Number of the entry of the menu that brings the marker to the tip; after it come the modes.
_TO_TIP = 1

#: Size of the marker, and of the ball in its middle, as parts of the arm's reach.
SIZE, BALL = 0.36, 0.09

#: Radii of a ring, and where an arrow begins and ends, in parts of the marker's size: around what
#: is at the tip, not over it.
RING, ARROW = (0.48, 0.52), (0.56, 0.72)

#: Solutions that come so soon after a target of the marker are those to it [s].
_OWN = 0.5

#: How often ``ik_node`` is looked for until its parameters are known, and after what silence the
#: marker is hidden [s]: it reports each second.
_PERIOD, _SILENCE = 0.2, 2.5


class TargetMarker(Node):
    """
    The server of the marker; see the module.

    :param given: its :class:`~..startup.command_line.GivenParameters`.
    """

    def __init__(self, given, **kwargs):
        super().__init__('target_marker', parameter_overrides=overrides(given.values), **kwargs)
        self._arm = Arm(given.model)
        self._frame = f'{Parameters(self, SPECS, given.values)["frame_prefix"]}base_link'
        self._up_axis = None          # until ik_node has answered
        self._positions = {}
        self._mode = UP_MODES[0]      # what becomes of the up vector when it is dragged
        self._dragged = -_OWN         # when the marker was dragged last
        self._is_shown = False
        self._solved = None           # where the newest target brings the tip
        self._server = InteractiveMarkerServer(self, 'target_marker')
        self._targets = self.create_publisher(PoseStamped, 'target_pose', TARGET_QOS)
        self._ik_node = AsyncParameterClient(self, 'ik_node')
        self.create_subscription(JointState, 'joint_states', self._on_state, STATE_QOS)
        self.create_subscription(PoseStamped, 'ik_node/solved_pose', self._on_solved, 1)
        self._heard = -inf            # when ik_node reported last
        self.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics, 10)
        self._timer = steady_timer(self, _PERIOD, self._ask)

    def _on_diagnostics(self, message):
        own = f'{self.get_namespace().strip("/")}/ik_node: '.lstrip('/')
        if any(status.name.startswith(own) for status in message.status):
            self._heard = monotonic()

    def _ask(self):
        if self._is_shown and monotonic() - self._heard > _SILENCE:     # nobody reads targets
            self._is_shown, self._up_axis = False, None
            self._server.erase(NAME)
            self._server.applyChanges()
        if self._up_axis is None and self._ik_node.services_are_ready():
            self._ik_node.get_parameters(['up_axis'], self._on_parameters)

    def _on_parameters(self, future):
        self._up_axis, self._heard = future.result().values[0].string_value, monotonic()

    def _on_state(self, message):
        self._positions.update(zip(message.name, message.position))
        if not self._is_shown and self._up_axis is not None and all(
                name in self._positions for name in self._arm.joint_names):
            self._is_shown = True
            self._server.insert(marker_of(self._arm.model, self._solved or self._tip()),
                                feedback_callback=self._on_feedback)
            self._server.applyChanges()

    def _tip(self):
        """Return the pose of the measured tip."""
        tip = self._arm.forward([self._positions[name] for name in self._arm.joint_names])
        return pose_message(tip.position, tip.rotation, self._frame, (0, 0))

    def _on_solved(self, message):
        self._solved = message
        message.header.stamp.sec = message.header.stamp.nanosec = 0  # at the newest transform
        if self._is_shown and monotonic() - self._dragged > _OWN:
            self._put(message)

    def _put(self, pose):
        self._server.setPose(NAME, pose.pose, pose.header)
        self._server.applyChanges()

    def _on_feedback(self, feedback):
        if feedback.event_type == InteractiveMarkerFeedback.MENU_SELECT:
            if feedback.menu_entry_id == _TO_TIP:
                self._put(self._tip())
            else:
                self._mode = UP_MODES[feedback.menu_entry_id - _TO_TIP - 1]
        elif feedback.event_type == InteractiveMarkerFeedback.POSE_UPDATE:
            self._dragged = monotonic()
            self._targets.publish(self._pose_of(feedback, self._up_axis))
        elif feedback.event_type == InteractiveMarkerFeedback.MOUSE_UP:
            self._put(self._pose_of(feedback, 'z'))

    def _pose_of(self, feedback, up_axis):
        """Return the PoseStamped of the target where the marker is, in a convention."""
        where, turn = feedback.pose.position, feedback.pose.orientation
        tool = np.column_stack(columns((turn.x, turn.y, turn.z, turn.w)))
        target = with_up_of(
            self._mode, self._arm, target_of(self._arm, (where.x, where.y, where.z), tool),
            [self._positions[name] for name in self._arm.joint_names])
        return pose_message(target.position, target_rotation(
            up_axis, tool_rotation(self._arm, target)), feedback.header.frame_id, (0, 0))


def marker_of(model, pose):
    """
    Return the marker: arrows along the axes of the base, rings about those of the tool.

    An arm without a wrist roll gets no ring about the last link.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param pose: of the tip, a PoseStamped.
    """
    marker = InteractiveMarker(header=pose.header, pose=pose.pose, name=NAME,
                               scale=SIZE * model.reach)
    marker.controls.append(InteractiveMarkerControl(
        name='move', interaction_mode=InteractiveMarkerControl.MOVE_3D, always_visible=True,
        markers=[_handle(Marker.SPHERE, 3 * (BALL * model.reach,), 0.25)]))
    # A control acts along or about its own x axis; these turn it onto x, y and z.
    half = 0.5 ** 0.5
    for axis, turn in (('x', Quaternion(x=half, w=half)), ('y', Quaternion(z=half, w=half)),
                       ('z', Quaternion(y=half, w=half))):
        move = InteractiveMarkerControl(
            name=f'move_{axis}', interaction_mode=InteractiveMarkerControl.MOVE_AXIS,
            orientation_mode=InteractiveMarkerControl.FIXED,
            markers=[_arrow(marker.scale, side) for side in (1.0, -1.0)])
        rotate = InteractiveMarkerControl(
            name=f'turn_{axis}', interaction_mode=InteractiveMarkerControl.ROTATE_AXIS,
            markers=[_ring(marker.scale)])
        controls = [move] if axis == 'z' and not model.has('wrist_roll') else [move, rotate]
        for control in controls:
            for handle in (control, *(shape.pose for shape in control.markers)):
                handle.orientation = turn
        marker.controls += controls
    titles = 'Back to the tip', *(f'Up vector: {mode}' for mode in UP_MODES)
    marker.menu_entries = [MenuEntry(id=number, title=title)
                           for number, title in enumerate(titles, start=_TO_TIP)]
    return marker


def _handle(kind, scale, opacity, points=()):
    """Return a handle's shape, grey: colours are for what is at the tip."""
    marker = Marker(type=kind, points=[Point(x=x, y=y, z=z) for x, y, z in points])
    marker.scale.x, marker.scale.y, marker.scale.z = scale
    marker.color.r = marker.color.g = marker.color.b = 0.9
    marker.color.a = opacity
    return marker


def _arrow(size, side):
    """Return an arrow outwards along the control's axis."""
    return _handle(Marker.ARROW, (0.03 * size, 0.1 * size, 0.1 * size), 0.7,
                   [(side * size * at, 0.0, 0.0) for at in ARROW])


def _ring(size):
    """Return a thin ring around the control's axis."""
    inner, outer = [[(0.0, radius * cos(turn), radius * sin(turn))
                     for turn in np.linspace(0.0, 2.0 * pi, 49)] for radius in RING]
    corners = [point for a, b, c, d in zip(inner, outer, inner[1:], outer[1:])
               for point in (a, b, c, c, b, d)]
    ring = _handle(Marker.TRIANGLE_LIST, 3 * (size,), 0.5, corners)
    ring.colors = [ring.color] * len(corners)  # RViz: not lit, so bright from any side
    return ring


def main(args=None):
    """Run the node until a signal ends it; the exit code is the process's."""
    return run(TargetMarker, args, name='target_marker', specs=SPECS)
