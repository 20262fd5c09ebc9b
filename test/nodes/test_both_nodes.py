# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Both nodes: they move any arm, begin and end; no driver that refuses moves it by itself."""

from random import Random
import signal
from time import sleep

from arm_ik.testing import SimulatedArm
from arm_ik.testing.connection import NodeThread
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped
from ik_bench import IkBench, STATUS_QOS
import numpy as np
import pytest
from shelf import assert_rests, come_to_rest, Shelf
from urdf_judge import UrdfJudge

pytestmark = pytest.mark.about_time

HERE, THERE, DOWN = (0.20, 0.15, 0.05), (0.20, -0.15, 0.05), (0.0, 0.0, -1.0)
STOPPED = 'driver_node is stopped: call /driver_node/reset'

#: A driver that waits for its sender for ever: only a command can stop the arm.
PATIENT = ('--ros-args', '-p', 'command_timeout:=0.0')


@pytest.mark.parametrize('name', ['rolling_base', 'open_manipulator_x', 'braccio'])
def test_any_arm_comes_to_rest_at_random_targets_and_opens_its_gripper(name):
    random = Random(11)
    with SimulatedArm(name) as arm:
        judge = UrdfJudge(arm.arm.to_urdf())
        for _ in range(2):
            q = [random.uniform(low, high) for low, high in zip(arm.arm.lower, arm.arm.upper)]
            wanted = judge.pose(dict(zip(arm.arm.joint_names, q)))
            arm.move_to(wanted[:3, 3], up=wanted[:3, 2])
            got = judge.pose(dict(zip(arm.arm.joint_names, arm.q)))
            assert np.linalg.norm(got[:3, 3] - wanted[:3, 3]) < 1e-9
            assert np.linalg.norm(np.cross(got[:3, 2], wanted[:3, 2])) < 1e-9
        for joint in arm.arm.model.extra_joints[:1]:
            assert arm.move_gripper(1.0) == pytest.approx(joint.open, abs=1e-6)


# How they begin and end

def test_an_ik_node_that_is_told_to_end_holds_the_arm():
    with Shelf(driver=PATIENT) as shelf:
        shelf.arm.move_to(THERE, DOWN)
        shelf.arm.send(HERE, DOWN)
        shelf.wait_for_motion()
        assert shelf.end('ik_node', signal.SIGINT) == 0
        assert 'Traceback' not in shelf.processes['ik_node'].output()
        come_to_rest(shelf.arm)
        assert_rests(shelf.arm)
        y = shelf.arm.tip().position[1]
        assert THERE[1] < y < HERE[1] - 0.02  # it has not got there


def test_a_stream_that_falls_silent_leaves_the_arm_at_rest_by_itself():
    with Shelf(driver=PATIENT, ik=('--ros-args', '-p', 'target_timeout:=0.2')) as shelf:
        stamp = shelf.arm.send(HERE, DOWN)
        shelf.arm.wait_until(lambda: [status for status in shelf.arm.statuses(stamp)
                                      if 'target_timeout' in status.reason], 'the time-out')
        come_to_rest(shelf.arm)
        assert_rests(shelf.arm)
        assert 'arrived' not in {status.state for status in shelf.arm.statuses(stamp)}
        assert shelf.arm.tip().position[1] < HERE[1] - 0.02


def test_an_ik_node_that_dies_under_way_leaves_the_arm_to_the_drivers_time_out():
    with Shelf() as shelf:
        shelf.arm.move_to(THERE, DOWN)
        shelf.arm.send(HERE, DOWN)
        shelf.wait_for_motion()
        assert shelf.end('ik_node', signal.SIGKILL) == -signal.SIGKILL
        come_to_rest(shelf.arm)
        statuses = len(shelf.arm.statuses())
        shelf.start('ik_node')
        shelf.wait_until_ready(statuses)
        assert_rests(shelf.arm)
        shelf.arm.move_to(HERE, DOWN)


@pytest.mark.parametrize('order', [('driver_node',), ('ik_node', 'driver_node')],
                         ids=' then '.join)
def test_nodes_that_die_and_come_back_do_not_move_the_arm(order):
    with Shelf() as shelf:
        shelf.arm.move_to(HERE, DOWN)
        for name in order:
            assert shelf.end(name, signal.SIGKILL) == -signal.SIGKILL
        statuses = len(shelf.arm.statuses())
        sleep(0.5)      # as long as a driver takes to start; those of tests, a tenth of a second
        for name in order:
            shelf.start(name)
        # A new simulated arm stands at home; no old command may move it.
        home = shelf.arm.arm.home
        shelf.wait_until_ready(statuses)
        shelf.arm.wait_until(lambda: shelf.arm.q == home, 'the arm where it is')
        assert_rests(shelf.arm)
        assert shelf.arm.q == home
        shelf.arm.move_to(THERE, DOWN)
        shelf.arm.assert_at(THERE, DOWN)


@pytest.mark.parametrize('name', ['driver_node', 'ik_node'])
def test_a_second_node_of_one_name_is_told_by_both(name):
    with Shelf() as shelf:
        first, words = shelf.processes[name], f'another node publishes /{name}/status'
        shelf.start(name)
        second = shelf.processes[name]
        shelf.arm.wait_until(lambda: words in first.output() and words in second.output(), words)
        assert second.stop() == 0
        record = shelf.arm.record()
        shelf.arm.wait_until(lambda: len(record) > 110, 'two seconds')
        assert first.output().count(words) == 1


def test_two_senders_of_targets_are_named_once_for_as_long_as_there_are_two():
    with Shelf() as shelf, NodeThread('phone', domain_id=shelf.domain) as phone:
        heard = shelf.processes['ik_node'].output
        sender = phone.node.create_publisher(PoseStamped, 'target_pose', 1)
        words = '2 publishers on target_pose: arm_ik_testing, phone'
        for count in (1, 2):
            shelf.arm.wait_until(lambda: heard().count(words) == count, words)
            record = shelf.arm.record()
            shelf.arm.wait_until(lambda: len(record) > 110, 'two seconds')
            assert heard().count(words) == count
            phone.node.destroy_publisher(sender)
            shelf.arm.wait_until(lambda: len(record) > 220, 'two seconds more')
            sender = phone.node.create_publisher(PoseStamped, 'target_pose', 1)


# A driver that takes no commands

@pytest.fixture(scope='module')
def arm():
    with SimulatedArm('so101') as arm:
        yield arm


def on_its_way(arm):
    """Send the arm to where it is not, and return the target's stamp when it moves."""
    goal = HERE if arm.tip().position[1] < 0.0 else THERE
    stamp, start = arm.send(goal, DOWN), arm.q
    arm.wait_until(lambda: arm.q != start, 'the arm on its way')
    return stamp


def wait_for_words(arm, words, state='refused'):
    arm.wait_until(lambda: arm.status.state == state and words in arm.status.reason, words)


def test_a_stop_ends_the_command_with_its_reason_and_a_reset_moves_nothing(arm):
    stamp = on_its_way(arm)
    arm.stop()
    wait_for_words(arm, STOPPED)
    assert arm.status.target_stamp == stamp
    assert STOPPED in arm.wait_for_refusal(arm.send(HERE, DOWN)).reason
    with pytest.raises(AssertionError, match=STOPPED):
        arm.go_home()
    come_to_rest(arm)
    assert_rests(arm)
    arm.reset()
    wait_for_words(arm, 'no driver refuses commands', 'ready')
    come_to_rest(arm)
    assert_rests(arm)
    arm.move_to(HERE, DOWN)
    arm.assert_at(HERE)


def test_an_arm_at_fault_takes_a_new_target_only_when_it_is_well(arm):
    words = 'driver_node is at fault: elbow_flex: no reply'
    on_its_way(arm)
    arm.disturb(dead='elbow_flex')
    wait_for_words(arm, words)
    assert words in arm.wait_for_refusal(arm.send(HERE, DOWN)).reason
    arm.disturb(dead='')
    wait_for_words(arm, 'waiting for a target', 'ready')
    come_to_rest(arm)
    assert_rests(arm)
    arm.move_to(HERE, DOWN)
    arm.move_to(THERE, DOWN)


def test_an_ik_node_that_is_started_after_the_stop_knows_of_it_until_the_driver_is_restarted():
    with Shelf() as shelf:
        arm = shelf.arm
        arm.stop()
        wait_for_words(arm, STOPPED)
        shelf.end('ik_node', signal.SIGINT)
        before = len(arm.statuses())
        shelf.start('ik_node')
        arm.wait_until(lambda: [status for status in arm.statuses()[before:]
                                if STOPPED in status.reason], STOPPED)
        shelf.end('driver_node', signal.SIGKILL)
        before = len(arm.statuses())
        shelf.start('driver_node')
        shelf.wait_until_ready(before)
        assert_rests(shelf.arm)
        arm.move_to(HERE, DOWN)


def refused(**values):
    return DiagnosticStatus(message='so', values=[
        KeyValue(key=key, value=value) for key, value in {
            'commands': 'refused', **values}.items()])


def test_what_a_driver_said_is_forgotten_when_it_is_gone():
    with IkBench('--ros-args', '-r', 'driver_node/status:=servos/status') as bench:
        bench.drive()
        driver = bench.node.create_publisher(DiagnosticStatus, 'servos/status', STATUS_QOS)
        driver.publish(refused(stopped='true'))
        bench.wait_for_status('refused', words='servos is stopped: call /servos/reset')
        response = bench.home()
        assert not response.success and 'servos is stopped' in response.message
        bench.wait_until(lambda: any(
            message.level == b'\x01' and 'servos is stopped' in message.message
            for message in bench.diagnostics), 'diagnostics')
        bench.forget()
        bench.destroy(driver)
        bench.wait_for_status('ready')
        assert bench.home().success


def test_what_a_driver_said_is_forgotten_when_nothing_is_heard_of_it_any_more():
    with IkBench() as bench:
        bench.drive()
        driver = bench.node.create_publisher(DiagnosticStatus, 'driver_node/status', STATUS_QOS)
        driver.publish(refused(stopped='True'))
        bench.wait_for_status('refused', words='driver_node is stopped')
        bench.stop_driver()     # as one that is killed, whose publishers the middleware still has
        bench.wait_for_status('refused', words='the last joint_states of')
        assert 'the last joint_states of' in bench.home().message
