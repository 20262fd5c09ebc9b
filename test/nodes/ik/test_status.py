# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""``~/status``: what the node says, and what it reads in a driver's."""

from arm_ik import Solution, Status
from arm_ik.nodes.ik.report import Level, Report, Request, State
from arm_ik.nodes.ik.status import refusal, status_message
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from ik_bench import IkBench, STATUS_QOS
import pytest

pytestmark = pytest.mark.about_time

SOLUTION = Solution((0.1,), Status.UP_RELAXED, 1.25e-17, 0.1 + 0.2, 0.5, 'wrist at its limit',
                    ('wrist', 'elbow'), 0.75)


def values_of(report):
    message = status_message(report, 'left/ik_node', 'so101')
    assert (message.name, message.hardware_id) == ('left/ik_node: target', 'so101')
    return message, {pair.key: pair.value for pair in message.values}


def test_it_has_the_keys_in_their_order():
    message, _ = values_of(Report(State.READY, Level.OK))
    assert [pair.key for pair in message.values][:10] == [
        'seq', 'target_stamp', 'frame', 'state', 'status', 'reason', 'position_error_m',
        'up_error_rad', 'limited_by', 'step_rad']


def test_numbers_read_back_as_they_were():
    message, values = values_of(Report(
        State.ACCEPTED, Level.WARN, Request(7, (12, 34), 'base_link'), SOLUTION.reason,
        'UP_RELAXED', solution=SOLUTION))
    assert message.level == b'\x01'
    assert message.message == 'accepted, UP_RELAXED: wrist at its limit'
    assert values == {
        'seq': '7', 'target_stamp': '12.000000034', 'frame': 'base_link', 'state': 'accepted',
        'status': 'UP_RELAXED', 'reason': 'wrist at its limit', 'position_error_m': '1.25e-17',
        'up_error_rad': '0.30000000000000004', 'limited_by': 'wrist, elbow', 'step_rad': '0.75',
        'forward_error_rad': '0.5', 'cause': 'UP_RELAXED'}


def test_where_nothing_was_solved_the_numbers_are_nan():
    _, values = values_of(Report(State.REFUSED, Level.WARN, reason='because'))
    assert (values['status'], values['reason']) == ('', 'because')
    assert {values[key] for key in ('position_error_m', 'up_error_rad', 'step_rad')} == {'nan'}


def test_a_huge_frame_name_is_cut():
    _, values = values_of(Report(State.REFUSED, Level.WARN, Request(1, (0, 0), 'x' * 100_000)))
    assert len(values['frame']) == 120


def status(**values):
    return DiagnosticStatus(message='so', values=[
        KeyValue(key=key, value=value) for key, value in values.items()])


@pytest.mark.parametrize('values, reason, cause', [
    ({'stopped': 'True', 'torque': 'on', 'fault': ''},
     'is stopped: call /left/driver_node/reset', 'driver stopped'),
    ({'stopped': 'False', 'torque': 'off', 'fault': ''},
     'is without torque: call /left/driver_node/torque with true (servos without feedback: with '
     'the arm at home)', 'driver without torque'),
    ({'stopped': 'True', 'torque': 'on', 'fault': 'yaw: overload (until clear_faults)'},
     'is at fault: yaw: overload (until clear_faults): call /left/driver_node/clear_faults; '
     'stopped: call /left/driver_node/reset', 'driver at fault'),
    ({'fault': 'yaw: no reply'}, 'is at fault: yaw: no reply', 'driver at fault'),
    ({}, 'is refusing commands: so', 'driver')])
def test_the_reason_says_what_to_call_by_its_full_name(values, reason, cause):
    assert refusal(status(commands='refused', **values), '/left/driver_node/status') == (
        f'driver_node {reason}', cause)
    assert refusal(status(commands='taken', **values), '/left/driver_node/status') is None


def test_a_status_of_something_else_refuses_nothing():
    assert refusal(status(stopped='True'), '/driver_node/status') is None


def test_what_a_driver_said_is_forgotten_when_it_is_gone():
    with IkBench('--ros-args', '-r', 'driver_node/status:=servos/status') as bench:
        bench.drive()
        driver = bench.node.create_publisher(DiagnosticStatus, 'servos/status', STATUS_QOS)
        driver.publish(status(commands='refused', stopped='true'))
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
        driver.publish(status(commands='refused', stopped='True'))
        bench.wait_for_status('refused', words='driver_node is stopped')
        bench.stop_driver()     # as one that is killed, whose publishers the middleware still has
        bench.wait_for_status('refused', words='the last joint_states of')
        assert 'the last joint_states of' in bench.home().message
