# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A driver that takes no commands: ``ik_node`` says so, and nothing moves by itself afterwards."""

import signal

from arm_ik.testing import SimulatedArm
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from ik_bench import IkBench, STATUS_QOS
import pytest
from shelf import assert_rests, come_to_rest, Shelf

pytestmark = pytest.mark.about_time

HERE, THERE, DOWN = (0.20, 0.15, 0.05), (0.20, -0.15, 0.05), (0.0, 0.0, -1.0)
STOPPED = 'driver_node is stopped: call /driver_node/reset'


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
    assert_rests(arm, 100)
    arm.reset()
    wait_for_words(arm, 'no driver refuses commands', 'ready')
    come_to_rest(arm)
    assert_rests(arm, 100)
    arm.move_to(HERE, DOWN)
    arm.assert_at(HERE)


@pytest.mark.parametrize('end, begin, words', [
    (lambda arm: arm.torque(False), lambda arm: arm.torque(True),
     'driver_node is without torque: call /driver_node/torque with true'),
    (lambda arm: arm.disturb(dead='elbow_flex'), lambda arm: arm.disturb(dead=''),
     'driver_node is at fault: elbow_flex: no reply')])
def test_an_arm_that_is_limp_or_at_fault_takes_a_new_target_only_when_it_is_well(
        arm, end, begin, words):
    on_its_way(arm)
    end(arm)
    wait_for_words(arm, words)
    assert words in arm.wait_for_refusal(arm.send(HERE, DOWN)).reason
    begin(arm)
    wait_for_words(arm, 'waiting for a target', 'ready')
    come_to_rest(arm)
    assert_rests(arm, 100)
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
