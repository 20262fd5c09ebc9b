# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from math import hypot
import signal

from arm_ik import Arm, Target
from arm_ik.nodes.common.pose_message import pose_message
from arm_ik.testing import SimulatedArm
from arm_ik.testing.connection import NodeThread
from arm_ik.testing.processes import domain_environment, NodeProcess
from arm_ik.tool_rotation import tool_rotation
import pytest

pytest.importorskip('interactive_markers',
                    reason='needs interactive_markers, which pip has not; a full ROS 2 has')

# flake8: noqa: E402, I100
from arm_ik.nodes.ik.target_marker import marker_of
from visualization_msgs.msg import (
    InteractiveMarkerControl, InteractiveMarkerFeedback, InteractiveMarkerUpdate, Marker)
from visualization_msgs.srv import GetInteractiveMarkers

pytestmark = pytest.mark.about_time

POSITION, UP = (0.22, 0.06, 0.08), (0.2, 0.05, -1.0)


@pytest.mark.parametrize('name, rings', [('so101', 'xyz'), ('px100', 'xy')])
def test_the_rings_are_those_that_the_arm_can_follow(name, rings):
    arm = Arm.preset(name)
    tip = arm.forward(arm.home)
    marker = marker_of(arm.model, pose_message(tip.position, tip.rotation, 'base_link', (0, 0)))
    kinds = {control.name: control.interaction_mode for control in marker.controls}
    assert {name for name in kinds if name.startswith('move_')} == {'move_x', 'move_y', 'move_z'}
    assert {name[-1] for name in kinds if name.startswith('turn_')} == set(rings)
    assert kinds['turn_x'] == InteractiveMarkerControl.ROTATE_AXIS
    # Nothing but the ball is nearer to the tip than the rings: what is shown there is seen.
    ball, *handles = [shape for control in marker.controls for shape in control.markers]
    assert ball.scale.x < 0.3 * marker.scale and ball.color.a < 0.5
    for shape in handles:
        size = shape.scale.x if shape.type == Marker.TRIANGLE_LIST else 1.0
        assert min(hypot(p.x, p.y, p.z) for p in shape.points) * size > 0.4 * marker.scale
        assert (shape.color.r, shape.color.g) == (shape.color.b, shape.color.b)


@pytest.mark.parametrize('up_axis', ['z', 'x'])
def test_the_arm_goes_where_the_marker_is_dragged(up_axis):
    with SimulatedArm('so101', parameters={'ik_node': {'up_axis': up_axis}}) as arm:
        process = NodeProcess.of_node(
            'target_marker', ['--arm', 'so101'],
            domain_environment(arm.domain_id))
        try:
            with NodeThread('rviz', domain_id=arm.domain_id) as rviz:
                name = 'target_marker/get_interactive_markers'
                assert rviz.client(GetInteractiveMarkers, name).wait_for_service(60.0), (
                    process.describe())
                marker = None
                while marker is None:  # it comes with the arm's state
                    answer = rviz.call(GetInteractiveMarkers, name)
                    assert rviz.wait_until(answer.done, 60.0) is None
                    marker = next(iter(answer.result().markers), None)
                tip = arm.arm.forward(arm.arm.home).position
                where = marker.pose.position
                assert (where.x, where.y, where.z) == pytest.approx(tip, abs=1e-3)

                axes = tool_rotation(arm.arm, Target(POSITION, UP))
                drag = InteractiveMarkerFeedback(
                    header=marker.header, client_id='rviz', marker_name='target',
                    event_type=InteractiveMarkerFeedback.POSE_UPDATE,
                    pose=pose_message(POSITION, axes, 'base_link', (0, 0)).pose)
                feedback = rviz.node.create_publisher(
                    InteractiveMarkerFeedback, 'target_marker/feedback', 10)
                assert rviz.wait_until(feedback.get_subscription_count, 60.0, poll=0.05) is None
                # Like a mouse, again and again; the server drops what comes in the first second.
                arm.wait_until(
                    lambda: feedback.publish(drag) or _is_at(arm, POSITION, axes[:, 2]),
                    'the arm at the target')

                # Out of reach it is refused: the marker stays there until its menu is used.
                poses = []
                rviz.node.create_subscription(
                    InteractiveMarkerUpdate, 'target_marker/update',
                    lambda update: poses.extend(one.pose.position for one in update.poses), 10)
                arm.set_parameters('ik_node', follow_relaxed=False)
                drag.pose.position.x = 2.0
                arm.wait_until(lambda: feedback.publish(drag) or (
                    arm.status.state == 'refused' and poses and poses[-1].x == 2.0), 'a refusal')
                back = InteractiveMarkerFeedback(
                    header=marker.header, client_id='rviz', marker_name='target', menu_entry_id=1,
                    event_type=InteractiveMarkerFeedback.MENU_SELECT, pose=drag.pose)
                feedback.publish(back)
                arm.wait_until(lambda: abs(poses[-1].x - POSITION[0]) < 2e-3, 'it at the tip')

                # Dragged out of the arm's plane it goes with that, or not, by its menu.
                arm.set_parameters('ik_node', follow_relaxed=True)
                axes = tool_rotation(arm.arm, Target(POSITION, (1.0, -0.5, -1.0)))
                drag.pose = pose_message(POSITION, axes, 'base_link', (0, 0)).pose
                for entry, status in ((2, 'REACHED'), (3, 'UP_RELAXED'), (4, 'REACHED')):
                    back.menu_entry_id, seq = entry, arm.status.seq
                    arm.wait_until(lambda: feedback.publish(back) or feedback.publish(drag) or (
                        arm.status.seq > seq and arm.status.status == status), status)

                arm.processes['ik_node'].signal(signal.SIGKILL)
                while marker is not None:
                    answer = rviz.call(GetInteractiveMarkers, name)
                    assert rviz.wait_until(answer.done, 60.0) is None
                    marker = next(iter(answer.result().markers), None)
        finally:
            assert process.stop() == 0


def _is_at(arm, position, up):
    tip = arm.arm.forward(arm.q)
    return abs(tip.position - position).max() < 2e-3 and tip.up @ up > 0.999
