# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the page hears of ROS: the arm of its own namespace, however its states are sent."""

from time import monotonic, sleep

from arm_ik import Arm, KeepOut, Target
from arm_ik.nodes.common.diagnostics import STATUS_QOS
from arm_ik.nodes.ik.ik_node import KEEP_OUT_QOS
from arm_ik.nodes.ik.markers import keep_out_markers
from arm_ik.nodes.ik.target_reader import TargetReader
from arm_ik.testing.processes import domain_environment, environment, reserved_domain
from arm_ik.viewer.ros_arm import RosArm
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped, Quaternion, TwistStamped
import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import Marker, MarkerArray

pytestmark = pytest.mark.about_time


@pytest.fixture
def arm_and_node(request):
    """Return the arm that the page of namespace ``left`` hears, and another node there."""
    with reserved_domain() as domain, environment(**domain_environment(domain)):
        arm, context = RosArm(Arm.preset('so101'), ['--ros-args', '-r', '__ns:=/left'],
                              getattr(request, 'param', 'viewer')), Context()
        rclpy.init(context=context, domain_id=domain,
                   signal_handler_options=SignalHandlerOptions.NO)
        yield arm, rclpy.create_node('other', context=context, namespace='left')
        context.try_shutdown()
        if rclpy.ok():      # else it is closed
            arm.close()


def publish_until(publisher, message, holds):
    end = monotonic() + 30.0
    while not holds():
        assert monotonic() < end, 'never heard'
        publisher.publish(message)
        sleep(0.05)


def test_states_that_are_sent_with_best_effort_are_heard(arm_and_node):
    arm, node = arm_and_node
    publisher = node.create_publisher(
        JointState, 'joint_states', QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT))
    state = JointState(name=list(arm.arm.joint_names), position=[0.1] * 5)
    publish_until(publisher, state, lambda: arm.measured)
    assert arm.measured == dict.fromkeys(arm.arm.joint_names, 0.1)


def test_of_diagnostics_those_of_its_own_namespace_count(arm_and_node):
    arm, node = arm_and_node
    array = DiagnosticArray(status=[
        DiagnosticStatus(name=f'{name}: servos', level=DiagnosticStatus.ERROR, message=name)
        for name in ('right/driver_node', 'driver_node', 'left/driver_node')])
    publish_until(node.create_publisher(DiagnosticArray, '/diagnostics', 10), array,
                  lambda: any('servos' in words for _, words in arm.health))
    assert [words for _, words in arm.health if 'servos' in words] == ['servos: left/driver_node']


def an_ik_node(node, **settings):
    """Return a node with what the page asks ``ik_node`` for, beside another."""
    made = rclpy.create_node('ik_node', context=node.context, namespace='left')
    for name, value in {'up_axis': 'z', 'frame_prefix': '', 'base_frame': 'base',
                        'motion': 'joint', 'tip_speed': 0.1, 'elbow': 'nearest',
                        **settings}.items():
        made.declare_parameter(name, value)
    made.create_service(SetBool, '~/enable', None)
    made.create_service(Trigger, '~/home', None)
    return made


def test_a_jog_in_axes_of_the_tool_is_in_the_frame_of_that_ik_node(arm_and_node):
    arm, node = arm_and_node
    twists, executor = [], SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    executor.add_node(an_ik_node(node, frame_prefix='left/'))
    node.create_subscription(TwistStamped, 'target_twist', twists.append, 1)
    end = monotonic() + 30.0
    while not (twists and twists[-1].header.frame_id == 'left/tool0'):
        assert monotonic() < end, twists
        arm.jog((0.0, 0.0, 0.1), (0.0, 0.0, 0.0), in_tool=True)
        executor.spin_once(timeout_sec=0.05)


def test_where_several_read_targets_one_that_dies_unheard_is_not_trusted_on(arm_and_node):
    """A process that was killed is in the graph for 20 s more: its subscription stays here."""
    arm, node = arm_and_node
    poses, executor = [], SingleThreadedExecutor(context=node.context)
    for _ in range(2):
        node.create_subscription(PoseStamped, 'target_pose', poses.append, 1)
    executor.add_node(node)
    statuses = node.create_publisher(DiagnosticStatus, 'ik_node/status', STATUS_QOS)

    def is_sent(up_axis):
        """Tell whether targets that point up are sent as a node with that parameter reads them."""
        executor.spin_once(timeout_sec=0.05)
        statuses.publish(DiagnosticStatus())    # never silent
        arm.send(Target((0.2, 0.0, 0.1), (0.0, 0.0, 1.0)))
        q = poses[-1].pose.orientation if poses else Quaternion()
        upward = {'z': 1.0 - 2.0 * (q.x * q.x + q.y * q.y), 'x': 2.0 * (q.x * q.z - q.w * q.y)}
        return bool(poses) and upward[up_axis] == pytest.approx(1.0)
    for up_axis in 'zx':
        executor.add_node(reader := an_ik_node(node, up_axis=up_axis))
        end = monotonic() + 30.0
        while not is_sent(up_axis):
            assert monotonic() < end, up_axis
        executor.remove_node(reader)
        reader.destroy_node()


def test_shapes_to_stay_out_of_are_those_that_ik_node_shows(arm_and_node):
    arm, node = arm_and_node
    walls = (KeepOut('keep_out/0', 'box', (0.1, 0.2, 0.3), (0.3, 0.0, 0.1)),)
    publisher = node.create_publisher(MarkerArray, 'ik_node/keep_out_markers', STATUS_QOS)
    publish_until(publisher, keep_out_markers(walls, 0.5, 'left/base_link'), lambda: arm.keep_out)
    publish_until(publisher, MarkerArray(markers=[Marker(action=7)]),
                  lambda: any('keep_out' in words for _, words in arm.health))
    assert arm.keep_out == walls
    publish_until(publisher, keep_out_markers((), 0.5, 'left/base_link'),
                  lambda: not arm.keep_out)


@pytest.mark.parametrize('arm_and_node', ['viewer', 'another'], indirect=True)
def test_the_table_is_one_shape_among_others_and_ends_with_the_page(arm_and_node):
    arm, node = arm_and_node
    seen, executor = [], SingleThreadedExecutor(context=node.context)
    reader = TargetReader('left/base_link', 'z', None)
    node.create_subscription(
        MarkerArray, 'ik_node/keep_out',
        lambda message: seen.append(reader.from_markers(message, 0)), KEEP_OUT_QOS)
    executor.add_node(node)
    others = node.create_publisher(MarkerArray, 'ik_node/keep_out', KEEP_OUT_QOS)
    wall = Marker(ns='mine', type=Marker.CUBE)
    wall.scale.x = wall.scale.y = wall.scale.z = wall.pose.orientation.w = 1.0
    others.publish(MarkerArray(markers=[wall]))
    table = KeepOut('table', 'box', (1.0, 2.0, 0.1), (0.3, 0.0, -0.05))

    def until(count):
        end = monotonic() + 30.0
        while not seen or len(seen[-1]) != count:
            assert monotonic() < end, seen
            executor.spin_once(timeout_sec=0.05)
    for _ in range(2):      # twice is once
        arm.stay_out_of((table,))
        until(2)
    assert [(shape.size, shape.position) for shape in seen[-1] if 'page' in shape.name] == [
        (table.size, table.position)]
    arm.close()
    until(1)
    assert 'mine' in seen[-1][0].name


def test_what_was_not_answered_is_said_until_the_node_is_back(arm_and_node, monkeypatch):
    arm, node = arm_and_node
    monkeypatch.setattr('arm_ik.viewer.ros_arm._REPORTED', 1e3)     # it does not end by itself
    states = node.create_publisher(DiagnosticStatus, 'driver_node/status', STATUS_QOS)
    arm.reset()
    end = monotonic() + 30.0
    while not any('nobody answers driver_node/reset' in words for _, words in arm.health):
        assert monotonic() < end
        sleep(0.05)
    publish_until(
        states, DiagnosticStatus(name='driver_node: commands', level=b'\0'),
        lambda: not any('nobody answers driver_node' in words for _, words in arm.health))
