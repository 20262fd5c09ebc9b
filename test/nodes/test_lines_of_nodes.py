# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Straight lines over ROS 2, as commands, and as trajectories that the driver follows."""

from contextlib import contextmanager, ExitStack
from itertools import count
from math import dist, nan
from signal import SIGINT

from arm_ik import Arm, Target
from arm_ik.testing import ArmClient, SimulatedArm
from arm_ik.testing.connection import NodeThread
from arm_ik.testing.processes import domain_environment, NodeProcess, reserved_domain
from arm_ik.testing.simulated import NODES
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped, TwistStamped
from ik_bench import cancel, IkBench
from nav_msgs.msg import Path
import numpy as np
import pytest
from rclpy.clock import Clock
import rclpy.time
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from tip_targets import ASIDE, send_tip
from trajectory_msgs.msg import JointTrajectory

pytestmark = pytest.mark.about_time

DOWN = (0.0, 0.0, -1.0)
LEFT, MIDDLE, RIGHT = [Target((0.2, y, 0.05), DOWN, (-1.0, 0.0, 0.0)) for y in (0.1, 0.0, -0.1)]
CORNER = Target((0.22, 0.0, 0.07), DOWN, (-1.0, 0.0, 0.0))


def tips_of(arm, record):
    return arm.arm.forward([[states[name] for name in arm.arm.joint_names]
                            for states in record]).position


# Commands

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
    tips = tips_of(arm, record)
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
    arm.move_to(MIDDLE.position, MIDDLE.up, MIDDLE.forward)
    arm.set_parameters('ik_node', motion='joint', tip_speed=0.1)
    tips = tips_of(arm, record)
    assert np.median(np.abs(tips[:, [0, 2]] - (0.2, 0.05))) < 1e-4
    steps = np.linalg.norm(np.diff(tips, axis=0), axis=1)
    assert np.median(steps[steps > 1e-4]) == pytest.approx(0.001, rel=0.3)


def test_a_paused_path_rests_and_goes_on_at_another_speed(at_right):
    arm = at_right
    stamp = arm.send_path([LEFT])
    arm.wait_until(lambda: arm.arm.forward(arm.q).position[1] > -0.05, 'the arm on its way')
    arm.pause()
    arm.wait_until(lambda: 'paused by' in arm.statuses(stamp)[-1].reason, 'the pause')
    arm.set_parameters('ik_node', speed=0.5)
    arm.wait_until(lambda there=[None]: arm.q == there[-1] or there.append(arm.q), 'rest')
    assert -0.05 < arm.arm.forward(arm.q).position[1] < 0.05
    arm.pause(False)
    record = arm.record()
    arm.wait_for_arrival(stamp)
    arm.set_parameters('ik_node', speed=1.0)
    steps = np.linalg.norm(np.diff(tips_of(arm, record), axis=0), axis=1)
    assert np.median(steps[steps > 1e-4]) == pytest.approx(0.001, rel=0.3)
    arm.assert_at(LEFT.position, DOWN)


def test_the_plan_is_shown_before_the_arm_moves(at_right):
    arm, plans = at_right, []
    with NodeThread('ear', domain_id=arm.domain_id) as thread:
        node = thread.node
        node.create_subscription(Path, 'ik_node/planned_path', plans.append, 10)
        for _ in range(5):  # the node may not know of its listener at first
            arm.wait_for_arrival(arm.send_path([LEFT, RIGHT]))
            if plans:
                break
        # A plan that is over is taken away.
        assert thread.wait_until(lambda: not plans[-1].poses, 60.0) is None
    first, last = [plans[0].poses[i].pose.position for i in (0, -1)]
    assert 50 < len(plans[0].poses) < 250 and plans[0].header.frame_id == 'base_link'
    assert dist((first.x, first.y, first.z), (last.x, last.y, last.z)) < 1e-6
    times = [pose.header.stamp.sec + 1e-9 * pose.header.stamp.nanosec for pose in plans[0].poses]
    assert times == sorted(times) and 4.0 < times[-1] - times[0] < 5.0


@pytest.mark.parametrize('spoil, word', [
    (lambda path: setattr(path.poses[1].pose.position, 'x', nan), 'poses[1] position'),
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


# Trajectories

ARGUMENTS = {
    'driver_node': ['-p', 'state_rate:=100.0'],
    'ik_node': ['-p', 'output:=trajectory',
                '-r', 'joint_trajectory:=driver_node/joint_trajectory']}


@contextmanager
def driven_arm():
    """Yield an arm, and the trajectories that are sent to its driver."""
    with ExitStack() as stack:
        domain = stack.enter_context(reserved_domain())
        for name in NODES:
            process = NodeProcess.of_node(
                name, ['--arm', 'so101', '--ros-args', *ARGUMENTS[name]],
                domain_environment(domain))
            stack.callback(process.stop)
        arm = stack.enter_context(ArmClient('so101', domain_id=domain))
        arm.ik_node = process
        node = stack.enter_context(NodeThread('ear', domain_id=domain)).node
        sent, commands = [], []
        node.create_subscription(JointTrajectory, 'driver_node/joint_trajectory', sent.append, 100)
        node.create_subscription(JointState, 'joint_commands', commands.append, 100)
        arm.wait_until(lambda: node.count_publishers('driver_node/joint_trajectory'), 'ik_node')
        arm.domain = domain
        yield arm, sent
        assert not commands


@pytest.fixture(scope='module')
def driven():
    with driven_arm() as arm_and_sent:
        yield arm_and_sent


@pytest.fixture
def driven_right(driven):
    arm, sent = driven
    arm.enable(True)
    arm.set_parameters('ik_node', motion='joint')
    arm.move_to(RIGHT.position, RIGHT.up, RIGHT.forward)
    sent.clear()
    return arm, sent


def test_a_target_is_reached_by_one_trajectory(driven_right):
    arm, sent = driven_right
    stamp = arm.send(LEFT.position, LEFT.up, LEFT.forward)
    arm.wait_for_arrival(stamp)
    arm.assert_at(LEFT.position, DOWN)
    trajectory, = sent
    assert stamp < (trajectory.header.stamp.sec, trajectory.header.stamp.nanosec) < arm.state_stamp
    times = [point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec
             for point in trajectory.points]
    assert tuple(trajectory.joint_names) == arm.arm.joint_names
    assert 0.0 < times[0] < 0.06 and all(a < b for a, b in zip(times, times[1:]))
    assert not any(trajectory.points[-1].velocities) and any(trajectory.points[-2].velocities)
    assert trajectory.points[-1].positions == pytest.approx(arm.q, abs=1e-9)


def test_twists_jog_the_tip_until_they_end(driven_right):
    arm, sent = driven_right
    twist = TwistStamped()
    twist.twist.linear.y = 0.05
    with NodeThread('joystick', domain_id=arm.domain) as thread:
        node = thread.node
        topic = node.create_publisher(TwistStamped, 'target_twist', 1)
        timer = node.create_timer(0.02, lambda: topic.publish(twist))
        arm.wait_until(lambda: arm.tip().position[1] > -0.05, 'the tip on its way')
        cancel(node, timer)
        arm.wait_until(lambda: arm.status.state == 'arrived', 'the end of the jog')
    tips = tips_of(arm, [arm.joint_states])
    assert -0.05 < tips[0][1] < -0.02 and np.abs(tips[0][[0, 2]] - (0.2, 0.05)).max() < 1e-3
    assert all(not any(trajectory.points[-1].velocities) for trajectory in sent)


def test_a_node_that_ends_brakes_the_arm():
    with driven_arm() as (arm, sent):
        arm.move_to(RIGHT.position, RIGHT.up, RIGHT.forward)
        arm.set_parameters('ik_node', motion='line')
        arm.send(LEFT.position, LEFT.up, LEFT.forward)
        arm.wait_until(lambda: arm.tip().position[1] > -0.05, 'the arm on its way')
        arm.ik_node.signal(SIGINT)
        record = arm.record()
        arm.wait_until(lambda: len(record) > 9 and record[-1] == record[-9], 'the arm at rest')
        x, y, z = arm.tip().position
        assert -0.05 < y < 0.05 and abs(x - 0.2) < 1e-3 and abs(z - 0.05) < 1e-3


def test_in_simulated_time_the_way_stands_still_with_it():
    # The arm stays where it is, as in a simulator that pauses, and then as a blocked one.
    with IkBench('--ros-args', '-p', 'use_sim_time:=true', '-p', 'output:=trajectory') as bench:
        clock = bench.node.create_publisher(ClockMessage, '/clock', 1)
        bench.drive()
        bench.wait_for_status('accepted', send_tip(bench, ASIDE, stamp=Time()))
        bench.rest(75)
        assert not any('follow' in status.reason for status in bench.statuses)
        ticks = count(1)
        bench.node.create_timer(0.02, lambda: clock.publish(ClockMessage(clock=rclpy.time.Time(
            nanoseconds=20_000_000 * next(ticks)).to_msg())))
        bench.wait_for_status('ready', words='does not follow')


def test_nodes_bring_the_chosen_tip_to_the_target():
    target = Target((0.2, 0.05, 0.06), DOWN, (0.0, 1.0, 0.0))
    tip = {'arm.tip': 'gripper_frame_link'}
    with SimulatedArm('so101', parameters={'ik_node': tip, 'driver_node': tip}) as arm:
        arm.move_to(target.position, target.up, target.forward)
        pose = Arm.preset('so101', tip='gripper_frame_link').forward(arm.q)
        assert dist(pose.position, target.position) < 1e-3
        assert pose.rotation[:, 0] == pytest.approx((0.0, 1.0, 0.0), abs=0.01)
