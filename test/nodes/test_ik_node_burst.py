# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""When the node lets targets take the short way, and what it tells of them."""

from arm_ik import Arm
from diagnostic_msgs.msg import DiagnosticStatus
from inner_node import InnerNode
from pose_bytes import path, pose_bytes
import pytest
import rclpy
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

ARM = Arm.preset('simple')
GOOD = path(ARM, 100, 0.02, seed=6)


class Hurried(InnerNode):
    """The node, its state known; it beats too seldom to end anything while a test looks."""

    def __init__(self):
        super().__init__('simple', 'state_timeout:=3600.0', 'command_rate:=1.0')
        self.state(ARM.home)

    def take(self, *messages):
        """Take messages; return how many of them went the short way."""
        short = 0
        for data in messages:
            burst = self.node._core._burst
            self.node._on_pose(data, 0.0)
            short += burst is not None and self.node._core._burst is burst
        return short

    def condition(self):
        """Return the values of the diagnostics."""
        return self.node._out._condition()[2]


@pytest.fixture
def hurried(node):
    hurried = Hurried()
    yield hurried
    hurried.node.destroy_node()


def test_targets_in_close_succession_take_the_short_way_and_are_all_counted(hurried):
    short = hurried.take(*GOOD)
    assert short > len(GOOD) // 2
    values = hurried.condition()
    assert values['targets_accepted'] == len(hurried.sent) == len(GOOD)
    assert values['targets_refused'] == values['targets_relaxed'] == 0
    assert hurried.node._core.seq == len(GOOD)


def test_each_leads_to_a_whole_command_with_its_own_stamp(hurried):
    far = pose_bytes(ARM.forward(ARM.home)._replace(position=(2.0, 0.0, 0.0)))
    hurried.take(*GOOD[:50], far, *GOOD[50:])
    commands = [deserialize_message(data, JointState) for data in hurried.sent]
    assert {tuple(command.name) for command in commands} == {ARM.joint_names}
    stamps = [(command.header.stamp.sec, command.header.stamp.nanosec) for command in commands]
    assert stamps == sorted(set(stamps)) and len(stamps) == len(GOOD) + 1
    now = hurried.node.get_clock().now().nanoseconds
    assert 0 <= now - stamps[0][0] * 10**9 - stamps[0][1] < 60e9


def test_a_repetition_has_the_stamp_of_the_newest(hurried):
    hurried.take(*GOOD)
    hurried.node._out.repeat_command()
    assert hurried.sent[-1] == hurried.sent[-2]


def test_who_listens_later_is_told_of_the_newest(node, hurried):
    hurried.take(*GOOD)
    hurried.node._out.check()
    heard = []
    node.create_subscription(DiagnosticStatus, 'ik_node/status', heard.append, QoSProfile(
        depth=1, durability=rclpy.qos.DurabilityPolicy.TRANSIENT_LOCAL))
    while not heard:
        rclpy.spin_once(node, timeout_sec=0.1)
    values = {value.key: value.value for value in heard[0].values}
    assert (values['seq'], values['state']) == (str(len(GOOD)), 'accepted')


def test_a_bad_one_among_them_is_refused_and_counted(hurried):
    middle = len(GOOD) // 2
    far = pose_bytes(ARM.forward(ARM.home)._replace(position=(float('nan'), 0.0, 0.0)))
    hurried.take(*GOOD[:middle], far, *GOOD[middle:])
    values = hurried.condition()
    assert (values['targets_accepted'], values['targets_refused']) == (len(GOOD), 1)
    assert len(hurried.sent) == len(GOOD)


def test_where_somebody_listens_nothing_is_put_off(node, hurried):
    node.create_subscription(DiagnosticStatus, 'ik_node/status', lambda _: None, 1)
    while not hurried.node._out.heard:
        rclpy.spin_once(node, timeout_sec=0.01)
    assert hurried.take(*GOOD) == 0
    assert len(hurried.sent) == len(GOOD)


def test_nothing_is_put_off_in_simulated_time(hurried):
    hurried.node.set_parameters([Parameter('use_sim_time', value=True)])
    assert hurried.node.get_clock().ros_time_is_active
    stampless = [pose_bytes(ARM.forward(ARM.home), sec=0, nanosec=0)] * 10
    assert hurried.take(*stampless) == 0
    assert len(hurried.sent) == 10


def test_a_pause_does_not_end_the_short_way_but_counts(hurried, monkeypatch):
    waited = 0.01
    monkeypatch.setattr(hurried.node._pauses, 'waited', lambda: waited)
    result, = hurried.node.set_parameters([Parameter('target_timeout', value=0.5)])
    assert result.successful, result.reason
    half = len(GOOD) // 2
    assert hurried.take(*GOOD[:half]) > half // 2
    assert len(hurried.sent) == half
    hurried.node._core.check()
    waited = 0.6
    assert hurried.take(*GOOD[half:]) == 0
    assert len(hurried.sent) == half


def test_the_short_way_is_told_of_a_pause(hurried, monkeypatch):
    monkeypatch.setattr(hurried.node._pauses, 'waited', lambda: 0.45)
    hurried.node.set_parameters([Parameter('target_timeout', value=0.5)])
    hurried.take(GOOD[0])
    assert not hurried.node._core.short_way(GOOD[1], 0.06)
    assert hurried.node._core.short_way(GOOD[1], 0.04)
