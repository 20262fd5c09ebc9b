# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What the page hears of ROS: the arm of its own namespace, however its states are sent."""

from time import monotonic, sleep

from arm_ik import Arm, KeepOut
from arm_ik.nodes.common.diagnostics import STATUS_QOS
from arm_ik.nodes.ik.markers import keep_out_markers
from arm_ik.testing.processes import domain_environment, environment, reserved_domain
from arm_ik.viewer.ros_arm import RosArm
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
import pytest
from rcl_interfaces.msg import ParameterEvent
import rclpy
from rclpy.context import Context
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from visualization_msgs.msg import Marker, MarkerArray

pytestmark = pytest.mark.about_time


@pytest.fixture
def arm_and_node():
    """Return the arm that the page of namespace ``left`` hears, and another node there."""
    with reserved_domain() as domain, environment(**domain_environment(domain)):
        arm, context = RosArm(Arm.preset('so101'), ['--ros-args', '-r', '__ns:=/left']), Context()
        rclpy.init(context=context, domain_id=domain,
                   signal_handler_options=SignalHandlerOptions.NO)
        yield arm, rclpy.create_node('other', context=context, namespace='left')
        context.try_shutdown()
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


def test_of_parameters_those_of_its_own_ik_node_count(arm_and_node):
    arm, node = arm_and_node
    publisher = node.create_publisher(ParameterEvent, '/parameter_events', 10)

    def event(name, motion):
        return ParameterEvent(node=name, changed_parameters=[
            Parameter('motion', value=motion).to_parameter_msg()])
    publish_until(publisher, event('/left/ik_node', 'line'), lambda: arm.settings)
    for name in ('/ik_node', '/right/ik_node', '/left/driver_node'):
        publisher.publish(event(name, 'joint'))
    publish_until(publisher, ParameterEvent(node='/left/ik_node', changed_parameters=[
        Parameter('tip_speed', value=0.2).to_parameter_msg()]),
        lambda: arm.settings.get('tip_speed') == 0.2)
    assert arm.settings['motion'] == 'line'


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
