# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What comes in by topics and services, and what the arm is commanded to for it."""

from math import inf, nan, sqrt
from random import Random
import signal

from arm_ik.nodes.ik.parameters import EXECUTORS
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from ik_bench import IkBench
from nav_msgs.msg import Path
import numpy as np
import pytest
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from tip_targets import (
    ASIDE, assert_only_the_good_target_moves_it, assert_tip, GOOD, send_tip)

pytestmark = pytest.mark.about_time

SOMEWHERE = (0.25, 0.05, 0.1)
AHEAD = (0.0, sqrt(0.5), 0.0, sqrt(0.5))  # z of the target points ahead
FAR = (1.0, 0.0, 0.1)


def positions(message):
    return dict(zip(message.name, message.position))


# Refusals

def ahead(bench, seconds):
    now = bench.node.get_clock().now().to_msg()
    return Time(sec=now.sec + seconds, nanosec=now.nanosec)


#: One of each topic and of each part of its header; test_target_reader has all that is refused.
REFUSED = {
    'a number in a pose': (lambda b: b.pose((nan, 0.0, 0.1)), 'target_pose position is (nan'),
    'a quaternion': (
        lambda b: b.pose(SOMEWHERE, (0.0, 0.0, 0.0, 0.0)), 'all zeros is not a rotation'),
    'a frame': (
        lambda b: b.pose(SOMEWHERE, frame='camera'), "frame_id is 'camera'; allowed: 'base_link'"),
    'a stamp': (
        lambda b: b.pose(SOMEWHERE, stamp=ahead(b, 5)), 'at most 1 s ahead of the clock'),
    'a number in a point': (lambda b: b.point((0.2, nan, 0.1)), 'target_point is (0.2, nan'),
    'a number in an up vector': (lambda b: b.up((inf, 0.0, 1.0)), 'target_up is (inf'),
}


@pytest.mark.parametrize('name', REFUSED)
def test_is_refused_with_one_reason_and_moves_nothing(bench, name):
    send, words = REFUSED[name]
    stamp = send(bench)
    status = bench.wait_for_status('refused', stamp)
    assert words in status.reason
    assert (status.level, status.status) == (1, '')
    assert np.isnan([status.position_error_m, status.up_error_rad, status.step_rad]).all()
    assert_only_the_good_target_moves_it(bench)
    assert words in bench.process.output()


def test_bad_joint_states_are_refused_and_move_nothing(bench):
    bench.send_state(['shoulder_pan'], [0.0], velocity=[0.0, 0.0])
    assert bench.wait_for_status('refused', words="'1 names and an array of 2'").level == 1
    assert_only_the_good_target_moves_it(bench)


def test_before_the_arms_state_is_known_the_newest_target_is_kept():
    with IkBench() as bench:
        status = bench.wait_for_status('ready', send_tip(bench, ASIDE))
        assert 'no joint_states of shoulder_pan, shoulder_lift' in status.reason
        # A sender that does not repeat what is lost, and joints of others, are no fault.
        bench.open_states(QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT))
        names = list(bench.q)
        bench.wait_until(lambda: bench.states.get_subscription_count(), 'a listener', poll=0.05)
        stamp = send_tip(bench, GOOD)
        while 'no joint_states of wrist_roll' not in bench.wait_for_status('ready', stamp).reason:
            bench.send_state(names[:-1], [0.0] * (len(names) - 1))
            stamp = send_tip(bench, GOOD)
        assert not bench.commands
        bench.q = {'left_wheel': nan, **bench.q}
        bench.start_driver()
        bench.wait_for_status('accepted', stamp)
        for commanded in bench.wait_for_command():
            assert_tip(bench, commanded, GOOD)
        assert bench.commands[0].header.stamp.sec  # zero would be taken for a new one every time


# Targets

def test_up_axis_names_the_axis_of_the_targets_frame_that_is_the_up_vector():
    with IkBench('--ros-args', '-p', "up_axis:='-x'") as bench:
        bench.drive()
        stamp = send_tip(bench, GOOD, '-x')
        assert bench.wait_for_status('accepted', stamp).status == 'REACHED'
        assert_tip(bench, bench.wait_for_command()[0], GOOD)


def test_a_point_takes_the_stored_up_vector_until_it_is_cleared(bench):
    bench.follows = True
    tip = bench.tip(GOOD)
    position, up = tip[:3, 3], tip[:3, 2]
    steeper = up + (0.0, 0.0, -0.2)  # still in the arm plane
    for wanted in (up, 3.0 * steeper):
        bench.wait_for_status('accepted', bench.up(wanted), words='up vector of later points')
        stamp = bench.point(position)
        assert bench.wait_for_status('accepted', stamp).status == 'REACHED'
        heard = len(bench.commands)  # of the topics either may be the later one
        reached = bench.tip(bench.wait_for_command(heard + 3)[0])
        assert reached[:3, 3] == pytest.approx(position, abs=1e-9)
        assert reached[:3, 2] == pytest.approx(wanted / np.linalg.norm(wanted), abs=1e-9)
    # Free again: where the tip is already, nothing has to move.
    bench.wait_for_status('accepted', bench.up((0.0, 0.0, 0.0)), words='any')
    status = bench.wait_for_status('arrived', bench.point(position))
    assert (status.status, status.step_rad) == ('REACHED', pytest.approx(0.0, abs=1e-6))


def test_the_age_of_a_target_is_that_of_its_stamp_by_the_nodes_clock(bench):
    assert bench.set(target_max_age=60.0).successful
    now = bench.node.get_clock().now().nanoseconds
    stamp = Time(sec=now // 10**9 - 90, nanosec=900_000_000)
    status = bench.wait_for_status('refused', send_tip(bench, GOOD, stamp=stamp))
    assert status.values['cause'] == 'target_max_age'
    late = float(status.reason.split()[1]) - (1e-9 * now - stamp.sec - 0.9)
    assert -0.1 < late < 0.7
    for stamp in (ahead(bench, -30), Time()):
        send_tip(bench, GOOD, stamp=stamp)
        bench.wait_for_status('accepted')
        bench.forget()


def test_seq_counts_every_target(bench):
    first = bench.wait_for_status('accepted', send_tip(bench, GOOD)).seq
    assert bench.wait_for_status('refused', bench.pose((nan, 0.0, 0.0))).seq == first + 1
    assert bench.wait_for_status('accepted', bench.point(SOMEWHERE)).seq == first + 2
    assert bench.wait_for_status('accepted', bench.up((0.0, 0.0, 1.0))).seq == first + 3


# On both executors

@pytest.fixture(scope='module', params=EXECUTORS)
def either(request):
    with IkBench('--ros-args', '-p', f'executor:={request.param}') as bench:
        yield bench.drive()


def malformed(message):
    """Return what a broken sender might send instead of a message."""
    good = bytes(serialize_message(message))
    return [b'', good[:4], good[:20], Random(7).randbytes(len(good)), b'\x07' * 200,
            good[:12] + b'\xff\xff\xff\x7f' + good[16:], good.replace(b'base', b'\xff\xfe\0\xff')]


def test_bytes_that_are_no_message_do_no_harm(either):
    pose, state = PoseStamped(), JointState(name=['base'], position=[0.0])
    pose.header.frame_id = state.header.frame_id = 'base_link'
    path_topic = either.node.create_publisher(Path, 'target_path', 1)
    either.wait_until(path_topic.get_subscription_count, 'the node to listen', poll=0.05)
    for topic, message in ((either.pose_topic, pose), (either.states, state),
                           (path_topic, Path(header=pose.header))):
        for data in malformed(message):
            topic.publish(data)
            either.rest(2)
            status = either.wait_for_status('accepted', send_tip(either, GOOD))
            assert status.status == 'REACHED'
            assert_tip(either, either.wait_for_command()[-1], GOOD)


def test_a_target_that_came_while_the_node_stood_still_is_stale(either):
    either.enable(False)
    either.enable(True)
    assert either.set(target_timeout=0.3, state_timeout=60.0).successful
    either.forget(either.stamp())  # a hold command may be under way
    either.process.signal(signal.SIGSTOP)
    stale = send_tip(either, ASIDE)
    either.rest(30)
    either.process.signal(signal.SIGCONT)
    status = either.wait_for_status('refused', stale)
    assert (status.level, status.values['cause']) == (3, 'target_timeout')
    assert not either.commands
    # Once it has caught up, the next target of the stream is followed.
    while not either.commands:
        stamp = send_tip(either, GOOD)
        either.wait_until(lambda: any(
            status.target_stamp == stamp for status in either.statuses), 'an answer')
