# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``ik_node`` as users run it: a process, spoken to over DDS, judged by the URDF alone."""

from math import inf, nan, sqrt
import signal
from time import monotonic

from arm_ik.nodes.process.executor import EXECUTORS
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from ik_bench import IkBench, STATUS_QOS
import numpy as np
import pytest
from rclpy.qos import QoSProfile, ReliabilityPolicy
from tip_targets import (
    ASIDE, assert_only_the_good_target_moves_it, assert_tip, GOOD, send_tip, xyz)
from visualization_msgs.msg import Marker, MarkerArray

SOMEWHERE = (0.25, 0.05, 0.1)
AHEAD = (0.0, sqrt(0.5), 0.0, sqrt(0.5))  # z of the target points ahead
FAR = (1.0, 0.0, 0.1)


@pytest.fixture(scope='module')
def shared():
    with IkBench() as bench:
        yield bench.drive()


@pytest.fixture
def bench(shared):
    """Return a node that is ready and has nothing in force."""
    shared.enable(False)
    shared.follows = False
    shared.q.update(zip(shared.arm.joint_names, shared.arm.home))
    shared.enable(True)
    # What is heard of this was said after all that was said before.
    shared.wait_for_status('accepted', shared.up((0.0, 0.0, 0.0)), words='any')
    with shared.news:
        for heard in (shared.commands, shared.statuses, shared.poses, shared.diagnostics):
            heard.clear()
    return shared


def matrix(quaternion):
    """Return the rotation matrix of a quaternion: w^2 - v.v, v v^T and w [v]x."""
    v, w = np.array(quaternion[:3]), quaternion[3]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return (w * w - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * w * cross


# Refusals

def ahead(bench, seconds):
    now = bench.node.get_clock().now().to_msg()
    return Time(sec=now.sec + seconds, nanosec=now.nanosec)


REFUSED = {
    'NaN in the position': (lambda b: b.pose((nan, 0.0, 0.1)), 'target_pose position is (nan'),
    'infinity in the position': (
        lambda b: b.pose((0.2, -inf, 0.1)), 'target_pose position is (0.2, -inf'),
    'NaN in the orientation': (
        lambda b: b.pose(SOMEWHERE, (0.0, 0.0, nan, 1.0)), 'target_pose orientation is'),
    'infinity in the orientation': (
        lambda b: b.pose(SOMEWHERE, (0.0, inf, 0.0, 1.0)), 'target_pose orientation is'),
    'a zero quaternion': (lambda b: b.pose(SOMEWHERE, (0.0, 0.0, 0.0, 0.0)), 'all zeros is none'),
    'a quaternion of norm 1.002': (
        lambda b: b.pose(SOMEWHERE, (0.0, 0.0, 0.0, 1.002)), 'its norm is 1.002'),
    'a quaternion of norm 0.998': (
        lambda b: b.pose(SOMEWHERE, (0.0, 0.0, 0.0, 0.998)), 'its norm is 0.998'),
    'an unknown frame': (
        lambda b: b.pose(SOMEWHERE, frame='camera'), "frame_id is 'camera'; allowed: 'base_link'"),
    'an unknown frame of a point': (
        lambda b: b.point(SOMEWHERE, frame='map'), "target_point frame_id is 'map'"),
    'a stamp in the future': (
        lambda b: b.pose(SOMEWHERE, stamp=ahead(b, 5)), 'at most 1 s ahead of the clock'),
    'NaN in a point': (lambda b: b.point((0.2, nan, 0.1)), 'target_point is (0.2, nan'),
    'infinity in a point': (lambda b: b.point((inf, 0.0, 0.1)), 'target_point is (inf'),
    'NaN in the up vector': (lambda b: b.up((0.0, 0.0, nan)), 'target_up is (0.0, 0.0, nan)'),
    'infinity in the up vector': (lambda b: b.up((inf, 0.0, 1.0)), 'target_up is (inf'),
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


@pytest.mark.parametrize('names, positions, others, words', [
    (['shoulder_lift'], [nan], {}, 'joint_states position of shoulder_lift is nan'),
    (['shoulder_pan', 'elbow_flex'], [0.0, -inf], {}, 'position of elbow_flex is -inf'),
    (['shoulder_pan', 'elbow_flex'], [0.0], {}, "'2 names and an array of 1'"),
    (['shoulder_pan'], [0.0], {'velocity': [0.0, 0.0]}, "'1 names and an array of 2'"),
])
def test_bad_joint_states_are_refused_and_move_nothing(bench, names, positions, others, words):
    bench.send_state(names, positions, **others)
    assert bench.wait_for_status('refused').level == 1
    assert words in bench.statuses[-1].reason
    assert_only_the_good_target_moves_it(bench)


def test_a_refused_target_leaves_the_arm_on_its_way(bench):
    send_tip(bench, GOOD)
    bench.wait_for_command()
    bench.wait_for_status('refused', bench.pose((nan, 0.0, 0.0)))
    heard = len(bench.commands)
    for commanded in bench.wait_for_command(heard + 10):
        assert_tip(bench, commanded, GOOD)


def test_the_log_says_a_repeated_refusal_once(bench):
    before = bench.process.output().count('(0.2, 0.0, inf)')
    for _ in range(5):
        bench.wait_for_status('refused', bench.pose((0.2, 0.0, inf)))
    assert bench.process.output().count('(0.2, 0.0, inf)') - before == 1


def test_a_target_before_the_arms_state_is_known_is_refused():
    with IkBench() as bench:
        status = bench.wait_for_status('refused', send_tip(bench, GOOD))
        assert 'no joint_states of shoulder_pan, shoulder_lift' in status.reason
        bench.open_states()
        names = list(bench.q)
        bench.wait_until(lambda: bench.states.get_subscription_count(), 'a listener', poll=0.05)
        stamp = send_tip(bench, GOOD)
        while 'no joint_states of wrist_roll' not in bench.wait_for_status(
                'refused', stamp).reason:
            bench.send_state(names[:-1], [0.0] * (len(names) - 1))
            stamp = send_tip(bench, GOOD)
        assert not bench.commands
        bench.drive()
        assert_only_the_good_target_moves_it(bench)


# Targets

def test_the_command_names_the_chain_and_is_repeated(bench):
    send_tip(bench, GOOD)
    readings = bench.wait_for_command(20)
    assert all(tuple(message.name) == bench.arm.joint_names for message in bench.commands)
    assert all(len(message.position) == 5 and not message.velocity and not message.effort
               for message in bench.commands)
    assert len({tuple(one.values()) for one in readings}) == 1
    # The stamp is that of the command's making, by which a driver knows old ones.
    stamps = {(m.header.stamp.sec, m.header.stamp.nanosec) for m in bench.commands}
    assert len(stamps) == 1


def test_a_zero_stamp_is_now_and_an_empty_frame_the_base(bench):
    before = bench.node.get_clock().now().to_msg()
    send_tip(bench, GOOD, stamp=Time())
    status = bench.wait_for_status('accepted')
    assert status.target_stamp >= (before.sec, before.nanosec)
    assert status.values['frame'] == 'base_link'


def test_the_latest_target_wins(bench):
    send_tip(bench, GOOD)
    bench.wait_for_command()
    stamp = send_tip(bench, ASIDE)
    bench.wait_for_status('accepted', stamp)
    heard = len(bench.commands)
    readings, *_ = bench.wait_for_command(heard + 1)
    assert_tip(bench, readings, ASIDE)


def test_an_unreachable_target_is_approached_with_numbers(bench):
    stamp = bench.pose(FAR, AHEAD)
    status = bench.wait_for_status('accepted', stamp)
    assert (status.level, status.status) == (1, 'POSITION_RELAXED')
    tip = bench.tip(bench.wait_for_command()[0])[:3, 3]
    assert np.linalg.norm(tip - FAR) == pytest.approx(
        status.position_error_m, abs=1e-9)
    assert status.reason and any(letter.isdigit() for letter in status.reason)


@pytest.mark.parametrize('norm', [0.9992, 1.0008])
def test_an_orientation_of_nearly_norm_one_is_normalised(bench, norm):
    assert bench.wait_for_status('accepted', send_tip(bench, GOOD, norm=norm)).status == 'REACHED'
    assert_tip(bench, bench.wait_for_command()[0], GOOD)


@pytest.mark.parametrize('up_axis', ['x', '-x', 'y', '-y', '-z'])
def test_up_axis_says_in_which_habit_targets_are_written(up_axis):
    with IkBench('--ros-args', '-p', f"up_axis:='{up_axis}'") as bench:
        bench.drive()
        stamp = send_tip(bench, GOOD, up_axis)
        assert bench.wait_for_status('accepted', stamp).status == 'REACHED'
        assert_tip(bench, bench.wait_for_command()[0], GOOD)


def test_a_point_takes_the_stored_up_vector_until_it_is_cleared(bench):
    tip = bench.tip(GOOD)
    position, up = tip[:3, 3], tip[:3, 2]
    steeper = up + (0.0, 0.0, -0.2)  # still in the arm plane
    for wanted in (up, 3.0 * steeper):
        bench.wait_for_status('accepted', bench.up(wanted), words='up vector of later points')
        stamp = bench.point(position)
        assert bench.wait_for_status('accepted', stamp).status == 'REACHED'
        heard = len(bench.commands)
        reached = bench.tip(bench.wait_for_command(heard + 1)[0])
        assert reached[:3, 3] == pytest.approx(position, abs=1e-9)
        assert reached[:3, 2] == pytest.approx(wanted / np.linalg.norm(wanted), abs=1e-9)
    # Free again: where the tip is already, nothing has to move.
    bench.wait_for_status('accepted', bench.up((0.0, 0.0, 0.0)), words='any')
    status = bench.wait_for_status('accepted', bench.point(position))
    assert (status.status, status.step_rad) == ('REACHED', pytest.approx(0.0, abs=1e-6))


def test_a_point_without_an_up_vector_is_reached_in_any_direction(bench):
    stamp = bench.point(SOMEWHERE)
    assert bench.wait_for_status('accepted', stamp).status == 'REACHED'
    tip = bench.tip(bench.wait_for_command()[0])
    assert tip[:3, 3] == pytest.approx(SOMEWHERE, abs=1e-9)


def test_solved_pose_is_where_the_command_brings_tool0(bench):
    stamp = bench.pose(SOMEWHERE, (0.1, 0.7, -0.1, 0.7))
    bench.wait_until(lambda: bench.poses, 'a solved pose')
    message = bench.poses[0]
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == stamp
    assert message.header.frame_id == 'base_link'
    where, how = message.pose.position, message.pose.orientation
    tip = bench.tip(bench.wait_for_command()[0])
    assert (where.x, where.y, where.z) == pytest.approx(tip[:3, 3], abs=1e-9)
    assert matrix((how.x, how.y, how.z, how.w)) == pytest.approx(tip[:3, :3], abs=1e-9)


# Status

def test_a_target_is_told_of_until_the_arm_has_arrived(bench):
    stamp = send_tip(bench, ASIDE)
    bench.wait_for_status('accepted', stamp)
    goal = bench.wait_for_command()[0]
    home = dict(bench.q)
    bench.q = {name: 0.5 * (home[name] + goal[name]) for name in goal}
    bench.wait_for_status('moving', stamp)
    assert not [status for status in bench.statuses if status.state == 'arrived']
    bench.q = goal
    bench.wait_for_status('arrived', stamp)
    assert [status.state for status in bench.statuses] == ['accepted', 'moving', 'arrived']
    assert len({status.seq for status in bench.statuses}) == 1


def test_seq_counts_every_target(bench):
    first = bench.wait_for_status('accepted', send_tip(bench, GOOD)).seq
    assert bench.wait_for_status('refused', bench.pose((nan, 0.0, 0.0))).seq == first + 1
    assert bench.wait_for_status('accepted', bench.point(SOMEWHERE)).seq == first + 2


def test_whoever_comes_late_gets_the_newest_status(bench):
    stamp = bench.pose((nan, 0.0, 0.0))
    bench.wait_for_status('refused', stamp)
    heard = []
    bench.listen(DiagnosticStatus, 'ik_node/status', heard.append, STATUS_QOS)
    bench.wait_until(lambda: heard, 'the newest status')
    values = {item.key: item.value for item in heard[0].values}
    assert values['target_stamp'] == f'{stamp[0]}.{stamp[1]:09d}'
    assert (values['state'], heard[0].hardware_id) == ('refused', 'so101')


def test_diagnostics_follow_the_level(bench):
    def level(number):
        bench.wait_until(lambda: bench.diagnostics and bench.diagnostics[-1].level[0] == number,
                         f'level {number}')
        return {item.key: item.value for item in bench.diagnostics[-1].values}
    level(0)
    bench.pose((nan, 0.0, 0.0))
    level(1)
    send_tip(bench, GOOD)
    assert level(0)['enabled'] == 'true'
    bench.enable(False)
    assert level(1)['enabled'] == 'false'


def test_markers_show_target_and_reached_tip_to_who_listens(bench):
    arrays = []
    bench.pose(FAR, AHEAD)
    tip = bench.tip(bench.wait_for_command()[0])[:3, 3]
    bench.listen(MarkerArray, 'ik_node/markers', arrays.append)
    bench.wait_until(lambda: arrays, 'markers')
    target, reached, line, words = arrays[0].markers
    assert [marker.type for marker in arrays[0].markers] == [
        Marker.ARROW, Marker.ARROW, Marker.LINE_STRIP, Marker.TEXT_VIEW_FACING]
    assert {marker.action for marker in arrays[0].markers} == {Marker.ADD}
    assert words.text.startswith('accepted, POSITION_RELAXED: too far by')
    assert xyz(target.points[1]) == FAR
    assert xyz(reached.points[1]) == pytest.approx(tip, abs=1e-9)
    assert [xyz(point) for point in line.points] == [xyz(target.points[1]), xyz(reached.points[1])]
    assert {marker.header.frame_id for marker in arrays[0].markers} == {'base_link'}


def test_diagnostics_count_what_came_in_went_out_and_was_refused(bench):
    def values():
        return {item.key: item.value for item in bench.diagnostics[-1].values}
    bench.wait_until(lambda: bench.diagnostics, 'diagnostics')
    before = values()
    cause = 'target_pose position'
    for _ in range(3):
        bench.wait_for_status('refused', bench.pose((nan, 0.0, 0.0)))
    bench.wait_for_status('accepted', bench.pose(FAR, AHEAD))
    for key, count in (('targets_refused', 3), (f'refused: {cause}', 3), ('targets_relaxed', 1),
                       ('targets_accepted', 1)):
        bench.wait_until(lambda: int(values().get(key, 0)) == int(before.get(key, 0)) + count, key)
    assert values()['last_error'].startswith('target_pose position is (nan')
    assert bench.statuses[-1].values['cause'] == 'POSITION_RELAXED'
    # The arm stands still: commands that it does not follow are an error after a while.
    bench.wait_until(lambda: bench.diagnostics[-1].level[0] == 2, 'an error')
    assert values()['driver'] == 'not following'
    assert 'does not move, and is' in bench.diagnostics[-1].message
    bench.wait_until(lambda: 0.0 < float(values()['commands_per_s']) <= 60.0, 'commands')
    bench.wait_until(lambda: 0.0 < float(values()['joint_states_per_s']) <= 60.0, 'states')
    assert 0.0 < float(values()['latency_p50_ms']) <= float(values()['latency_p99_ms'])
    assert float(values()['last_error_age_s']) >= 0.0
    bench.follows = True
    bench.wait_until(lambda: values()['driver'] == 'answering', 'the arm to follow')
    assert bench.diagnostics[-1].level[0] == 1  # the target is out of reach


def test_targets_that_are_overtaken_are_counted_and_the_last_one_wins(bench):
    # Deep enough to lose nothing on the sender's side.
    topic = bench.node.create_publisher(PoseStamped, 'target_pose', 2000)
    bench.wait_until(topic.get_subscription_count, 'the node to listen', poll=0.05)
    message = PoseStamped()
    message.pose.position.x = nan

    def burst():
        for _ in range(1999):
            topic.publish(message)
        return bench.wait_for_status('refused', bench.send(topic, message)).seq

    def dropped():
        news = len(bench.diagnostics) + 2  # the next may have been under way
        bench.wait_until(lambda: len(bench.diagnostics) >= news, 'diagnostics')
        return int({item.key: item.value for item in bench.diagnostics[-1].values}[
            'targets_dropped'])
    # What a full queue loses is known once the sender's numbers are.
    first = burst()
    while not dropped():
        first = burst()
    before = dropped()
    answered = burst() - first
    assert 0 < answered < 2000
    assert dropped() - before == 2000 - answered
    bench.destroy(topic)


# Services and parameters

def test_disabled_no_command_leaves_and_enabling_does_not_bring_it_back(bench):
    send_tip(bench, ASIDE)
    bench.wait_for_command()
    assert bench.enable(False).success
    bench.wait_for_status('refused', words='disabled by')
    status = bench.wait_for_status('refused', send_tip(bench, GOOD))
    assert 'call ~/enable' in status.reason
    assert not bench.home().success
    with bench.news:
        bench.commands.clear()
    assert bench.enable(True).success
    bench.wait_for_status('ready')
    # A second: diagnostics come at that rate, whatever commands do.
    heard = len(bench.diagnostics)
    bench.wait_until(lambda: len(bench.diagnostics) >= heard + 2, 'diagnostics')
    assert_only_the_good_target_moves_it(bench)


def test_home_returns_at_once_and_the_arm_goes_there(bench):
    bench.follows = True
    bench.wait_for_status('arrived', send_tip(bench, ASIDE))
    response = bench.home()
    assert response.success, response.message
    bench.wait_until(lambda: tuple(bench.commands[-1].position) == bench.arm.home, 'home')
    bench.wait_until(lambda: bench.statuses[-1].state == 'arrived', 'arrival')
    assert bench.statuses[-1].status == 'REACHED'


def test_an_unreachable_target_is_refused_where_follow_relaxed_is_false():
    with IkBench('--ros-args', '-p', 'follow_relaxed:=false') as bench:
        bench.drive()
        status = bench.wait_for_status('refused', bench.pose(FAR, AHEAD))
        assert status.status == 'POSITION_RELAXED' and status.position_error_m > 0.5
        assert_only_the_good_target_moves_it(bench)


# The driver's life

def test_nothing_is_commanded_before_the_first_valid_target():
    with IkBench() as bench:
        bench.drive()
        heard = len(bench.diagnostics)
        bench.wait_until(lambda: len(bench.diagnostics) >= heard + 2, 'diagnostics')
        assert not bench.commands
        assert_only_the_good_target_moves_it(bench)


def test_states_of_best_effort_senders_are_merged_and_strange_joints_passed_over():
    with IkBench() as bench:
        bench.q = {'left_wheel': nan, **bench.q}
        bench.start_driver(QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT))
        bench.wait_for_status('ready')
        assert_only_the_good_target_moves_it(bench)
        assert 'refused' not in {status.state for status in bench.statuses}


def test_a_driver_that_falls_silent_stops_commands_until_a_new_target():
    with IkBench() as bench:
        bench.drive()
        send_tip(bench, ASIDE)
        bench.wait_for_command()
        bench.stop_driver()
        status = bench.wait_for_status('refused', words='state_timeout')
        assert status.level == 3
        bench.wait_until(lambda: bench.diagnostics[-1].level[0] == 3, 'diagnostics that say so')
        refusal = bench.wait_for_status('refused', send_tip(bench, GOOD))
        assert 'joint_states last told of' in refusal.reason
        with bench.news:
            bench.commands.clear()
            bench.statuses.clear()
        bench.drive()
        assert_only_the_good_target_moves_it(bench)


def test_a_driver_that_is_back_at_once_finds_no_old_command():
    with IkBench('--ros-args', '-p', 'state_timeout:=5.0') as bench:
        bench.follows = True
        bench.drive()
        bench.wait_for_status('arrived', send_tip(bench, ASIDE))
        bench.stop_driver()
        # Commands pause after a second without states; two diagnostics later they surely have.
        heard = len(bench.diagnostics)
        bench.wait_until(lambda: len(bench.diagnostics) >= heard + 3, 'a pause')
        with bench.news:
            bench.commands.clear()
            bench.statuses.clear()
        bench.follows = False
        bench.q.update(zip(bench.arm.joint_names, bench.arm.home))
        bench.start_driver()
        status = bench.wait_for_status('ready')
        assert 'new sender' in status.reason
        assert_only_the_good_target_moves_it(bench)


def test_a_stream_of_targets_that_ends_stops_commands():
    with IkBench('--ros-args', '-p', 'target_timeout:=0.3') as bench:
        bench.drive()
        send_tip(bench, ASIDE)
        status = bench.wait_for_status('ready', words='target_timeout')
        assert status.level == 3
        with bench.news:
            bench.commands.clear()
        assert_only_the_good_target_moves_it(bench)


@pytest.mark.parametrize('executor', EXECUTORS)
def test_a_target_that_came_while_the_node_stood_still_is_stale(executor):
    with IkBench('--ros-args', '-p', 'target_timeout:=0.3', '-p', 'state_timeout:=60.0',
                 '-p', f'executor:={executor}') as bench:
        bench.drive()
        bench.process.signal(signal.SIGSTOP)
        stale = send_tip(bench, ASIDE)
        end = monotonic() + 0.6
        bench.wait_until(lambda: monotonic() > end, 'time to pass', poll=0.05)
        bench.process.signal(signal.SIGCONT)
        status = bench.wait_for_status('refused', stale)
        assert (status.level, status.values['cause']) == (3, 'target_timeout')
        assert not bench.commands
        # Once it has caught up, the next target of the stream is followed.
        while not bench.commands:
            stamp = send_tip(bench, GOOD)
            bench.wait_until(lambda: any(
                status.target_stamp == stamp for status in bench.statuses), 'an answer')


def test_two_arms_in_namespaces_do_not_disturb_each_other():
    prefix = ('--ros-args', '-r', '__ns:=/left', '-p', "frame_prefix:='left/'")
    with IkBench(*prefix, namespace='left') as left, IkBench(
            '--ros-args', '-r', '__ns:=/right', arm='simple', namespace='right',
            domain=left.domain) as right:
        left.drive()
        right.drive()
        stamp = send_tip(left, GOOD, frame='left/base_link')
        assert left.wait_for_status('accepted', stamp).values['frame'] == 'left/base_link'
        left.wait_until(lambda: left.poses, 'a solved pose')
        assert left.poses[0].header.frame_id == 'left/base_link'
        status = left.wait_for_status('refused', send_tip(left, GOOD, frame='base_link'))
        assert "allowed: 'left/base_link'" in status.reason
        right.wait_for_status('accepted', right.pose((0.2, 0.0, 0.1), AHEAD))
        tip = right.tip(right.wait_for_command()[0])
        assert tip[:3, 3] == pytest.approx((0.2, 0.0, 0.1), abs=1e-9)
        assert all(tuple(message.name) == left.arm.joint_names for message in left.commands)
        assert all(tuple(message.name) == right.arm.joint_names for message in right.commands)


def test_simulated_time_that_stands_still_does_not_stop_commands():
    with IkBench('--ros-args', '-p', 'use_sim_time:=true') as bench:
        bench.drive()
        status = bench.wait_for_status('refused', send_tip(bench, GOOD))
        assert 'ahead of the clock' in status.reason
        send_tip(bench, GOOD, stamp=Time())
        bench.wait_for_command(10)


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_cleanly(number):
    with IkBench() as bench:
        bench.drive()
        send_tip(bench, GOOD)
        bench.wait_for_command()
        bench.process.signal(number)
        with pytest.raises(AssertionError):  # it is gone
            bench.wait_until(lambda: False, 'its end')
        assert bench.process.exit_code == 0
        assert 'Traceback' not in bench.process.output()
