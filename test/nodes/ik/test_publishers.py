# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What leaves the node: commands, when and with which stamps, poses, statuses, diagnostics."""

from contextlib import suppress
from math import inf, nan, sqrt
from queue import Empty, Queue
from time import monotonic, sleep
from types import SimpleNamespace

from arm_ik import Arm, Solution, Status
from arm_ik.motion.cubic_spline import CubicSpline
from arm_ik.nodes.common.pose_message import pose_message
from arm_ik.nodes.ik.ik_node import IkNode
from arm_ik.nodes.ik.outgoing_motion import Command, TimedSpline
from arm_ik.nodes.ik.parameters import SPECS
from arm_ik.nodes.ik.publishers import JointCommands, JointTrajectories, status_values
from arm_ik.nodes.ik.report import Level, Report, Request, State
from arm_ik.testing.connection import NodeThread
from arm_ik.testing.processes import reserved_domain
from bench import made
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from ik_bench import IkBench, STATUS_QOS
import numpy as np
import pytest
from rclpy.publisher import Publisher
from rclpy.serialization import serialize_message
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from tip_targets import GOOD, send_tip, xyz
from visualization_msgs.msg import Marker, MarkerArray

pytestmark = pytest.mark.about_time

AHEAD = (0.0, sqrt(0.5), 0.0, sqrt(0.5))  # z of the target points ahead
FAR = (1.0, 0.0, 0.1)
SECOND_NS = 1_000_000_000


def matrix(quaternion):
    """Return the rotation matrix of a quaternion: w^2 - v.v, v v^T and w [v]x."""
    v, w = np.array(quaternion[:3]), quaternion[3]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return (w * w - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * w * cross


def ns(stamp):
    return stamp.sec * SECOND_NS + stamp.nanosec


# Commands

def test_the_command_names_the_chain_and_is_repeated_with_the_stamp_of_its_making(bench):
    before = ns(bench.node.get_clock().now().to_msg())
    send_tip(bench, GOOD)
    bench.wait_for_command(20)
    assert all(tuple(message.name) == bench.arm.joint_names for message in bench.commands)
    assert all(len(message.position) == 5 and not message.velocity and not message.effort
               for message in bench.commands)
    assert len({tuple(message.position) for message in bench.commands}) == 1
    stamp, = {ns(message.header.stamp) for message in bench.commands}
    assert before <= stamp <= ns(bench.node.get_clock().now().to_msg())


@pytest.fixture(scope='module')
def simulated():
    """Return a node on simulated time, which stands at zero."""
    with IkBench('--ros-args', '-p', 'use_sim_time:=true') as bench:
        bench.clock = bench.node.create_publisher(Clock, '/clock', 1)
        yield bench.drive()


def set_clock(bench, now_ns):
    """Let the node's time be another one from now on."""
    sec, nanosec = divmod(now_ns, SECOND_NS)
    while True:
        bench.clock.publish(Clock(clock=Time(sec=sec, nanosec=nanosec)))
        seen = len(bench.statuses)
        bench.up((0.0, 0.0, 0.0), stamp=Time())
        bench.wait_until(lambda: len(bench.statuses) > seen, 'an answer')
        if bench.statuses[-1].target_stamp == (sec, nanosec):
            return


def newest_stamp(bench):
    return ns(bench.commands[-1].header.stamp) if bench.commands else None


def stamps(bench, targets):
    """Send targets one after another; return the stamps of their commands [ns]."""
    found = []
    for _ in range(targets):
        before = newest_stamp(bench)
        send_tip(bench, GOOD, stamp=Time())
        bench.wait_until(lambda: newest_stamp(bench) != before, 'a command of another stamp')
        found.append(newest_stamp(bench))
        heard = len(bench.commands)
        bench.wait_for_command(heard + 2)
        assert {ns(message.header.stamp) for message in bench.commands[heard:]} == {found[-1]}
    return found


def test_where_simulated_time_stands_still_no_two_commands_share_a_stamp(simulated):
    # A zero stamp would mean now, so the first one is later.
    assert stamps(simulated, 3) == [1000, 2000, 3000]
    set_clock(simulated, 1000 * SECOND_NS)
    assert stamps(simulated, 2) == [1000 * SECOND_NS, 1000 * SECOND_NS + 1000]
    simulated.enable(False)
    hold = 1000 * SECOND_NS + 2000
    simulated.wait_until(lambda: newest_stamp(simulated) == hold, 'the hold command')
    assert not any(simulated.commands[-1].velocity) and simulated.commands[-1].velocity
    simulated.enable(True)


def test_where_simulated_time_runs_back_stamps_do_too(simulated):
    for now_ns, stamp in ((2000 * SECOND_NS, 2000 * SECOND_NS), (10 * SECOND_NS, 10 * SECOND_NS),
                          (0, 1000)):
        set_clock(simulated, now_ns)
        assert stamps(simulated, 1) == [stamp]


def test_the_end_of_a_way_has_the_stamp_of_when_it_was_due():
    arm, heard = Arm.preset('so101'), Queue()
    command = Command(arm.home, (0.0,) * 5, late=0.5)
    with reserved_domain() as domain, NodeThread('commander', domain_id=domain) as thread:
        node = thread.node
        node.create_subscription(JointState, 'joint_commands', heard.put, 10)
        commands = JointCommands(node, SimpleNamespace(arm=arm))
        now = node.get_clock().now().nanoseconds
        stamp = None
        while stamp is None:  # until they know of each other
            commands.send(command)
            with suppress(Empty):
                stamp = heard.get(timeout=0.05).header.stamp
    assert 1e-9 * (stamp.sec * 10**9 + stamp.nanosec - now) == pytest.approx(-0.5, abs=0.4)


@pytest.mark.parametrize('output, topic', [
    ('commands', '/joint_commands'), ('trajectory', '/joint_trajectory')])
def test_the_end_waits_until_the_last_command_is_acknowledged(node, monkeypatch, output, topic):
    waited_for = []
    monkeypatch.setattr(Publisher, 'wait_for_all_acked',
                        lambda publisher, _: waited_for.append(publisher.topic_name))
    made(IkNode, SPECS, '--arm', 'so101', '--ros-args', '-p', f'output:={output}').destroy_node()
    assert waited_for == [topic]


def test_of_a_trajectory_only_what_is_to_come_is_sent_and_nothing_of_one_that_is_over(
        node, monkeypatch):
    arm, sent, now = Arm.preset('so101'), [], 10.0
    monkeypatch.setattr(Publisher, 'publish', lambda publisher, message: sent.append(message))
    ik_node = made(IkNode, SPECS, '--arm', 'so101')
    trajectories = JointTrajectories(ik_node, SimpleNamespace(arm=arm, clock=lambda: now))
    sent.clear()
    spline = CubicSpline([0.0, 0.1, 0.2], [arm.home] * 3, np.zeros((3, 5)))
    for begins in (now - 0.15, now - 0.25):
        trajectories.send(TimedSpline(spline, begins))
    (message,) = sent
    assert [point.time_from_start.nanosec for point in message.points] == [50_000_000]
    ik_node.destroy_node()


def test_refused_targets_do_not_put_off_the_commands_of_a_way(node):
    ik_node = made(IkNode, SPECS, '--arm', 'so101', '--ros-args', '-p', 'command_rate:=7',
                   '-p', 'motion:=line')
    arm, callbacks = Arm.preset('so101'), {
        topic.msg_type: topic.callback for topic in ik_node.subscriptions}
    commands, = (timer for timer in ik_node.timers if timer.timer_period_ns == 10**9 // 5)
    sleep(0.1)
    late = commands.time_until_next_call()
    callbacks[JointState](JointState(name=arm.joint_names, position=arm.home))
    tip = arm.forward([0.1, *arm.home[1:]])
    callbacks[PoseStamped](serialize_message(
        pose_message(tip.position, tip.rotation, '', (0, 0))))
    due = commands.time_until_next_call()
    assert due > late  # a stream of commands begins with a whole period
    refused = PoseStamped()
    refused.pose.position.x = nan
    for _ in range(3):
        sleep(0.02)
        callbacks[PoseStamped](serialize_message(refused))
    assert commands.time_until_next_call() < due - 0.04e9
    ik_node.destroy_node()


# The solved pose

def test_solved_pose_is_where_the_command_brings_tool0(bench):
    stamp = bench.pose((0.25, 0.05, 0.1), (0.1, 0.7, -0.1, 0.7))
    bench.wait_until(lambda: bench.poses, 'a solved pose')
    message = bench.poses[0]
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == stamp
    assert message.header.frame_id == 'base_link'
    how = message.pose.orientation
    tip = bench.tip(bench.wait_for_command()[0])
    assert xyz(message.pose.position) == pytest.approx(tip[:3, 3], abs=1e-9)
    assert matrix((how.x, how.y, how.z, how.w)) == pytest.approx(tip[:3, :3], abs=1e-9)
    assert len(bench.poses) == 1


# Status

SOLUTION = Solution((0.1,), Status.UP_RELAXED, 1.25e-17, 0.1 + 0.2, 0.5, 'wrist at its limit',
                    ('wrist', 'elbow'), 0.75)


def values_of(report):
    return {key: str(value) for key, value in status_values(report).items()}


def test_it_has_the_keys_in_their_order():
    assert list(status_values(Report(State.READY, Level.OK)))[:10] == [
        'seq', 'target_stamp', 'frame', 'state', 'status', 'reason', 'position_error_m',
        'up_error_rad', 'limited_by', 'step_rad']


def test_numbers_read_back_as_they_were():
    report = Report(
        State.ACCEPTED, Level.WARN, Request(7, (12, 34), 'base_link'), SOLUTION.reason,
        'UP_RELAXED', solution=SOLUTION)
    assert report.summary == 'accepted, UP_RELAXED: wrist at its limit'
    assert values_of(report) == {
        'seq': '7', 'target_stamp': '12.000000034', 'frame': 'base_link', 'state': 'accepted',
        'status': 'UP_RELAXED', 'reason': 'wrist at its limit', 'position_error_m': '1.25e-17',
        'up_error_rad': '0.30000000000000004', 'limited_by': 'wrist, elbow', 'step_rad': '0.75',
        'forward_error_rad': '0.5', 'cause': 'UP_RELAXED', 'rest_error_rad': 'nan',
        'tip_error_m': 'nan', 'progress': 'nan', 'time_left_s': 'nan'}


def test_a_target_that_is_reached_has_a_status_too():
    values = values_of(Report(
        State.ARRIVED, Level.OK, solution=Solution((0.1,), Status.REACHED, 0.0, 0.0, 0.0)))
    assert (values['status'], values['position_error_m']) == ('REACHED', '0.0')


def test_where_nothing_was_solved_the_numbers_are_nan():
    values = values_of(Report(State.REFUSED, Level.WARN, reason='because'))
    assert (values['status'], values['reason']) == ('', 'because')
    assert {values[key] for key in ('position_error_m', 'up_error_rad', 'step_rad')} == {'nan'}


def test_a_huge_frame_name_is_cut():
    values = values_of(
        Report(State.REFUSED, Level.WARN, Request(1, (0, 0), 'x' * 100_000)))
    assert len(values['frame']) == 120


def newest_status(bench):
    """Return what somebody who comes late gets."""
    heard = []
    late = bench.listen(DiagnosticStatus, 'ik_node/status', heard.append, STATUS_QOS)
    bench.wait_until(lambda: heard, 'the newest status')
    assert (heard[0].name, heard[0].hardware_id) == ('ik_node: target', 'so101')
    bench.destroy(late)
    return heard[0], {item.key: item.value for item in heard[0].values}


def test_the_newest_status_is_there_even_if_nobody_listened(bench):
    bench.destroy(bench.status_topic)
    heard = len(bench.poses)
    stamp = send_tip(bench, GOOD)
    bench.wait_until(lambda: len(bench.poses) > heard, 'a solved pose')
    bench.rest(5)
    _, values = newest_status(bench)
    assert (values['target_stamp'], values['state']) == (f'{stamp[0]}.{stamp[1]:09d}', 'accepted')
    bench.listen_for_statuses()
    bench.wait_for_status('accepted', stamp)


def test_the_log_has_each_goal_and_of_a_stream_a_repeated_refusal_once(bench):
    before = bench.process.output().count('(0.2, 0.0, inf)')
    for _ in range(5):
        bench.wait_for_status('refused', bench.pose((0.2, 0.0, inf)))
    assert bench.process.output().count('(0.2, 0.0, inf)') - before == 1
    for _ in range(3):
        bench.rest(15)
        words = f'target {bench.wait_for_status("accepted", send_tip(bench, GOOD)).seq}: accepted'
        bench.wait_until(lambda: words in bench.process.output(), words, poll=0.05)


# Diagnostics

def values(bench):
    return {item.key: item.value for item in bench.diagnostics[-1].values}


def test_diagnostics_come_at_once_when_the_level_changes(bench):
    def wait_for_level(number):
        bench.wait_until(lambda: bench.diagnostics and bench.diagnostics[-1].level[0] == number,
                         f'level {number}')
        return values(bench)
    began = monotonic()
    for _ in range(2):
        bench.pose((nan, 0.0, 0.0))
        wait_for_level(1)
        send_tip(bench, GOOD)
        assert wait_for_level(0)['enabled'] == 'true'
        bench.enable(False)
        assert wait_for_level(1)['enabled'] == 'false'
        bench.enable(True)
        wait_for_level(0)
    assert monotonic() - began < 4.0  # for eight changes


# Markers

def test_markers_show_target_and_reached_tip_to_whoever_listens(bench):
    arrays = []
    bench.pose(FAR, AHEAD)
    tip = bench.tip(bench.wait_for_command()[0])[:3, 3]
    late = bench.listen(MarkerArray, 'ik_node/markers', arrays.append)
    bench.wait_until(lambda: arrays, 'markers')  # of a target that came before, once a second
    by_kind = {(marker.ns, marker.id): marker for marker in arrays[0].markers}
    assert len(by_kind) == len(arrays[0].markers)
    target, reached, line, words = (by_kind[key] for key in (
        ('target', 1), ('solution', 0), ('miss', 0), ('reason', 0)))
    assert [marker.type for marker in (target, reached, line, words)] == [
        Marker.ARROW, Marker.ARROW, Marker.LINE_STRIP, Marker.TEXT_VIEW_FACING]
    assert 'POSITION_RELAXED: too far by' in ' '.join(words.text.split())
    assert xyz(target.points[0]) == FAR
    assert xyz(reached.points[0]) == pytest.approx(tip, abs=1e-9)
    assert [xyz(point) for point in line.points] == [xyz(target.points[0]), xyz(reached.points[0])]
    assert {marker.header.frame_id for marker in arrays[0].markers[1:]} == {'base_link'}
    # While somebody listens, each target is shown at once.
    for x in (0.9, 0.8, 0.7, 0.6):
        bench.pose((x, 0.0, 0.1), AHEAD)
        bench.wait_until(lambda: any(
            xyz(marker.pose.position) == (x, 0.0, 0.1) for marker in arrays[-1].markers
            if marker.ns == 'target'), 'markers')
    # What concerns no target is told too.
    bench.pose((0.2, 0.0, 0.1), AHEAD, frame='nowhere')
    bench.wait_until(lambda: any(marker.text.startswith('refused') for array in arrays
                                 for marker in array.markers), 'refusal')
    assert any(marker.ns == 'command' for marker in arrays[-1].markers)  # the one before stays
    bench.destroy(late)


def test_the_target_is_shown_no_more_when_the_node_was_disabled(bench):
    arrays = []

    def is_shown():
        return arrays and any(marker.ns == 'target' for marker in arrays[-1].markers)

    late = bench.listen(MarkerArray, 'ik_node/markers', arrays.append)
    bench.pose((0.2, 0.0, 0.1), AHEAD)
    bench.wait_until(is_shown, 'the target')
    bench.enable(False)
    bench.enable(True)
    bench.wait_until(lambda: not is_shown(), 'no target')
    bench.destroy(late)
