# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Straight lines of a simulated arm, over ROS 2: by its measured joint states."""

from math import dist, nan

from arm_ik import Target
from arm_ik.testing import SimulatedArm
from arm_ik.testing.connection import NodeThread
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
import numpy as np
import pytest
from rclpy.clock import Clock

pytestmark = pytest.mark.about_time

DOWN = (0.0, 0.0, -1.0)
LEFT, RIGHT = [Target((0.2, y, 0.05), DOWN, (-1.0, 0.0, 0.0)) for y in (0.1, -0.1)]
CORNER = Target((0.22, 0.0, 0.07), DOWN, (-1.0, 0.0, 0.0))


@pytest.fixture(scope='module')
def arm():
    with SimulatedArm('so101', parameters={'ik_node': {'motion': 'line'}}) as arm:
        arm.set_parameters('ik_node', motion='joint')
        yield arm


@pytest.fixture
def at_right(arm):
    arm.move_to(RIGHT.position, RIGHT.up, RIGHT.forward)
    return arm


def test_a_path_is_gone_straight_with_its_progress_told(at_right):
    arm, record = at_right, at_right.record()
    stamp = arm.send_path([CORNER, LEFT])
    arm.wait_for_arrival(stamp)
    arm.assert_at(LEFT.position, DOWN)
    q = [[states[name] for name in arm.arm.joint_names] for states in record]
    tips = arm.arm.forward(q).position
    off = []
    for a, b in ((RIGHT, CORNER), (CORNER, LEFT)):
        along = np.subtract(b.position, a.position)
        part = np.clip((tips - a.position) @ along / (along @ along), 0.0, 1.0)
        off.append(np.linalg.norm(tips - a.position - part[:, None] * along, axis=1))
    # A busy machine hands commands over late, and the driver then goes on at their velocity.
    assert len(tips) > 50 and np.median(np.min(off, axis=0)) < 1e-4
    assert np.min(off, axis=0).max() < 3e-3
    assert np.linalg.norm(tips - CORNER.position, axis=1).min() < 3e-3
    assert '1 of 2 targets reached' in [status.reason for status in arm.statuses(stamp)]


def test_a_target_is_gone_to_straight_at_the_speed_of_the_parameters(at_right):
    arm = at_right
    arm.set_parameters('ik_node', motion='line', tip_speed=0.05)
    record = arm.record()
    arm.move_to(LEFT.position, LEFT.up, LEFT.forward)
    arm.set_parameters('ik_node', motion='joint', tip_speed=0.1)
    q = [[states[name] for name in arm.arm.joint_names] for states in record]
    tips = arm.arm.forward(q).position
    assert np.median(np.abs(tips[:, [0, 2]] - (0.2, 0.05))) < 1e-4
    steps = np.linalg.norm(np.diff(tips, axis=0), axis=1)
    assert np.median(steps[steps > 1e-4]) == pytest.approx(0.001, rel=0.3)


def test_the_plan_is_shown_before_the_arm_moves(at_right):
    arm, plans = at_right, []
    with NodeThread('ear', domain_id=arm.domain_id) as thread:
        node = thread.node
        node.create_subscription(Path, 'ik_node/planned_path', plans.append, 10)
        for _ in range(5):  # the node may not know of its listener at first
            arm.wait_for_arrival(arm.send_path([LEFT, RIGHT]))
            if plans:
                break
    first, last = [plans[0].poses[i].pose.position for i in (0, -1)]
    assert 50 < len(plans[0].poses) < 250 and plans[0].header.frame_id == 'base_link'
    assert dist((first.x, first.y, first.z), (last.x, last.y, last.z)) < 1e-6


@pytest.mark.parametrize('spoil, word', [
    (lambda path: path.poses.clear(), '0 poses'),
    (lambda path: setattr(path.poses[1].pose.position, 'x', nan), 'poses[1] position'),
    (lambda path: setattr(path.poses[0].header, 'frame_id', 'elsewhere'), 'elsewhere'),
    (lambda path: setattr(path.poses[1].pose.position, 'z', 0.9), 'line 2 of 2')])
def test_a_bad_path_is_refused_and_the_next_good_one_gone(at_right, spoil, word):
    arm, before = at_right, at_right.q
    path = Path()
    path.header.stamp = Clock().now().to_msg()
    for x in (0.2, 0.21):
        pose = PoseStamped()
        pose.pose.position.x, pose.pose.position.y, pose.pose.position.z = x, -0.1, 0.05
        pose.pose.orientation.y, pose.pose.orientation.w = 1.0, 0.0
        path.poses.append(pose)
    spoil(path)
    refused = arm.wait_for_refusal(arm.publish(path))
    assert word in refused.reason
    assert arm.q == before
    arm.wait_for_arrival(arm.send_path([RIGHT]))


def test_a_path_of_100_000_points_is_refused_at_once(at_right):
    arm = at_right
    arm.publish(Path(poses=[PoseStamped()] * 100_000))
    arm.wait_until(lambda: 'a message of' in arm.status.reason, 'a refusal')
    assert '100 poses' in arm.status.reason
    arm.wait_for_arrival(arm.send_path([RIGHT]))
