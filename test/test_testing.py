# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The harness itself: it measures, waits, says what went wrong, and leaves nothing behind."""

from contextlib import closing, suppress
from functools import partial
from math import nan
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2: source it, or install the extra jazzy')

# flake8: noqa: E402, F811, I100
import arm_ik
from arm_ik import Arm, ArmModel, Joint, KeepOut, Solution, Status, Target
from arm_ik.errors import InvalidInputError
from arm_ik.nodes.ik.publishers import status_values
from arm_ik.nodes.ik.report import Level, Report, Request, State
from arm_ik.testing import ArmClient, simulated_arm, SimulatedArm  # noqa: F401
from arm_ik.testing.connection import NodeThread, TargetStatus
from arm_ik.testing.processes import (
    discovery_ports, domain_environment, environment, NodeProcess, reserved_domain)
from arm_ik.tool_rotation import tool_rotation
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import Vector3, Vector3Stamped
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

pytestmark = pytest.mark.about_time

TARGET, DOWN = (0.25, 0.05, 0.05), (0.0, 0.0, -1.0)
OTHER = (0.22, -0.08, 0.04)


@pytest.fixture(scope='module')
def arm():
    """One SO-101 for all tests that leave it in working order."""
    with SimulatedArm('so101') as arm:
        yield arm


def message_of(action, *args, **kwargs):
    with pytest.raises(AssertionError) as caught:
        action(*args, **kwargs)
    return str(caught.value)


def test_an_arm_sent_somewhere_is_measured_there(simulated_arm):
    q = simulated_arm.move_to(TARGET, DOWN)
    assert q == simulated_arm.q and len(q) == 5
    simulated_arm.assert_at(TARGET, DOWN, tolerance=1e-9, up_tolerance=1e-9)
    assert simulated_arm.status.state == 'arrived' and simulated_arm.status.status == 'REACHED'
    simulated_arm.move_to(OTHER, DOWN, forward=(0.0, 1.0, 0.0))
    assert simulated_arm.tip().rotation[:, 0] == pytest.approx((0.0, 1.0, 0.0), abs=1e-6)


@pytest.mark.parametrize('simulated_arm', ['px100'], indirect=True)
def test_the_fixture_takes_another_arm(simulated_arm):
    assert simulated_arm.arm.name == 'px100'
    assert set(simulated_arm.arm.joint_names) <= set(simulated_arm.joint_states)


def test_a_target_without_up_vector_is_not_bound_by_one_stored_before(arm):
    arm.publish(Vector3Stamped(vector=Vector3(x=1.0)))  # nothing OTHER can be reached with
    arm.move_to(OTHER)
    assert arm.status.status == 'REACHED'
    arm.assert_at(OTHER)


def test_a_forward_vector_nearly_along_the_up_vector_is_asked_for_too():
    axes = tool_rotation(Arm.preset('so101'), Target(TARGET, DOWN, (1e-7, 0.0, -1.0)))
    assert axes == pytest.approx(np.diag([1.0, -1.0, -1.0]), abs=1e-6)


def test_a_gripper_moves(arm):
    gripper = arm.arm.model.extra_joints[0]
    assert 'after 0 s' in message_of(arm.move_gripper, 1.0, timeout=0.0)
    assert arm.move_gripper(1.0) == pytest.approx(gripper.open, abs=1e-6)
    assert arm.move_gripper(0.0) == pytest.approx(gripper.closed, abs=1e-6)


def test_states_of_some_joints_leave_the_others_as_they_were():
    with reserved_domain() as domain_id, closing(ArmClient(domain_id=domain_id)) as client, \
            NodeThread('driver', domain_id=domain_id) as thread:
        sender = thread.node.create_publisher(JointState, 'joint_states', 10)

        def publish():
            sender.publish(JointState(name=['yaw'], position=[1.0]))
            sender.publish(JointState(name=['elbow'], position=[2.0]))
        thread.node.create_timer(0.02, publish)
        client.wait_until(lambda: client.joint_states == {'yaw': 1.0, 'elbow': 2.0}, 'both')


def test_a_record_keeps_what_was_measured_at_each_moment(arm):
    arm.move_to(OTHER, DOWN)
    record = arm.record()
    arm.move_to(TARGET, DOWN)
    assert len({tuple(positions.values()) for positions in record}) > 2


def test_what_the_arm_touches_on_its_way_and_with_its_gripper_is_found(arm):
    arm.move_to(OTHER, DOWN)
    record = arm.record()
    arm.move_to(TARGET, DOWN)
    states = list(record)
    arm.move_gripper(1.0)
    arm.move_gripper(0.0)
    arm.assert_no_touch(record, [KeepOut('table', 'half_space')])
    half_way = [states[len(states) // 2][name] for name in arm.arm.joint_names]
    post = KeepOut('post', 'cylinder', (0.01, 0.1), tuple(arm.arm.forward(half_way).position))
    assert 'touched the post' in message_of(arm.assert_no_touch, record, [post])
    # Also between two states, and at the only one there is.
    ends = [states[0], states[-1]]
    assert 'touched the post' in message_of(arm.assert_no_touch, ends, [post])
    arm.assert_no_touch(ends[:1], [post])
    middle = states[len(states) // 2]
    assert 'touched the post' in message_of(arm.assert_no_touch, [middle], [post])
    gripper = arm.arm.model.extra_joints[0].name
    open_end = arm.arm.scene({gripper: 1.7}).points(np.array([arm.q]))[0, -1]
    beside = KeepOut('beside', 'box', (0.01, 0.01, 0.01), tuple(map(float, open_end)))
    assert 'the gripper touched the beside' in message_of(arm.assert_no_touch, record, [beside])
    arm.assert_no_touch(states, [beside])


def test_an_arm_whose_gripper_was_not_measured_or_that_nobody_listens_for_is_not_ready():
    with reserved_domain() as domain_id, \
            closing(ArmClient('so101', domain_id=domain_id)) as client:
        text = message_of(client.wait_until_ready, timeout=0.0)
        for missing in ('gripper', 'ik_node/status', 'target_point', 'driver_node/stop'):
            assert f' {missing},' in text


def test_the_answer_of_a_service_ends_a_wait_though_no_topic_moves():
    with reserved_domain() as domain_id, NodeThread('some', domain_id=domain_id) as thread:
        thread.node.create_service(Trigger, 'home', lambda request, response: response)
        answer = thread.call(Trigger, 'home')
        assert thread.wait_until(answer.done, 60.0) is None


def test_services_answer(arm):
    arm.stop()
    arm.reset()
    arm.enable(False)
    assert 'disabled' in arm.wait_for_refusal(arm.send(TARGET, DOWN)).reason
    assert 'expected: ik_node/home done' in message_of(arm.go_home)
    assert 'state_timeout' in message_of(arm.set_parameters, 'ik_node', state_timeout=-1.0)
    arm.enable(True)
    arm.move_to(TARGET, DOWN)


def test_what_came_of_a_target_first_counts(arm):
    stamp = arm.send(TARGET, DOWN)
    arm.wait_for_arrival(stamp)
    arm.enable(False)
    arm.wait_until(lambda: arm.statuses(stamp)[-1].state == 'refused', 'the arm disabled')
    arm.wait_for_arrival(stamp)
    arm.enable(True)


def test_an_arm_elsewhere_is_reported_with_both_places(arm):
    arm.move_to(TARGET, DOWN)
    text = message_of(arm.assert_at, OTHER, DOWN)
    assert 'expected: tip at (0.22, -0.08, 0.04) m, up (0, 0, -1)' in text
    assert 'came:     tip at (0.25, 0.05, 0.05) m' in text
    assert 'off by 0.134 m' in text
    assert 'measured: shoulder_pan' in text and 'driver_node (running)' in text
    assert 'and 1.57 rad' in message_of(arm.assert_at, TARGET, (1.0, 0.0, 0.0))


@pytest.mark.parametrize('place', [
    ((nan, 0.05, 0.05),), (TARGET, (nan, 0.0, -1.0)), (TARGET, (0.0, 0.0, 0.0)),
    (TARGET, DOWN, nan), (TARGET, DOWN, 1e-6, nan)])
def test_what_is_no_place_is_nowhere(arm, place):
    arm.move_to(TARGET, DOWN)
    for look in (arm.assert_at, partial(arm.wait_until_at, timeout=0.0)):
        with pytest.raises((AssertionError, InvalidInputError)):
            look(*place)


def test_an_arm_that_somebody_else_moves_is_waited_for_where_it_goes(arm):
    arm.move_to(TARGET, DOWN)
    with ArmClient('so101', domain_id=arm.domain_id) as sender:
        sender.send(OTHER, DOWN)
        arm.wait_until_at(OTHER, DOWN)
    arm.assert_at(OTHER, DOWN)
    text = message_of(arm.wait_until_at, TARGET, timeout=0.1)
    assert 'expected: tip at (0.25, 0.05, 0.05) m' in text and 'off by 0.134 m and 0 rad' in text


def test_of_two_arms_that_begin_at_once_in_one_domain_one_is_refused():
    with reserved_domain() as domain_id, SimulatedArm(domain_id=domain_id) as arm:
        arm.processes['driver_node'].signal(signal.SIGSTOP)  # as one that is not heard yet
        with pytest.raises(InvalidInputError, match='another arm of this namespace'):
            SimulatedArm(domain_id=domain_id)
        arm.processes['driver_node'].signal(signal.SIGCONT)
    with SimulatedArm(domain_id=domain_id):
        pass  # it is free again


def test_a_refusal_where_an_arrival_was_expected_is_reported_with_its_reason(arm):
    stamp = arm.send((float('nan'), 0.0, 0.1))
    text = message_of(arm.wait_for_arrival, stamp)
    assert 'expected: target' in text.splitlines()[0] and 'arrived' in text.splitlines()[0]
    assert 'came:     target' in text and 'refused' in text and 'nan' in text
    assert ', after ' not in text, 'waited in vain'


def test_an_arrival_is_no_arrival_before_a_joint_state_after_it(simulated_arm):
    stamp = simulated_arm.send(TARGET, DOWN)
    simulated_arm.wait_for_arrival(stamp)
    driver = simulated_arm.processes['driver_node']
    driver.signal(signal.SIGSTOP)
    text = message_of(simulated_arm.wait_for_arrival, stamp, timeout=0.5)
    driver.signal(signal.SIGCONT)
    assert 'expected: a joint state after the arrival' in text


def test_motion_where_a_refusal_was_expected_is_reported(arm):
    text = message_of(arm.wait_for_refusal, arm.send(OTHER, DOWN))
    assert 'refused' in text.splitlines()[0] and 'REACHED' in text.splitlines()[1]


def test_what_never_comes_ends_with_the_time_and_the_end_of_the_nodes_output(arm):
    text = message_of(arm.wait_for_arrival, (1, 2), timeout=0.0)
    assert 'came:     no status of it, after 0 s' in text
    assert 'ik_node (running), the end of its output:' in text
    assert 'ready' in text


@pytest.mark.parametrize('name', ['driver_node', 'ik_node'])
def test_a_node_that_dies_ends_the_wait(name):
    with SimulatedArm('so101') as arm:
        arm.processes[name].signal(signal.SIGKILL)
        text = message_of(arm.wait_until, lambda: False, 'something', timeout=600.0)
        assert f'came:     {name} ended with exit code -9' in text


def test_a_node_that_cannot_start_is_reported_with_its_output():
    arm = SimulatedArm('so101', parameters={'ik_node': {'elbow': 'sideways'}})
    text = message_of(arm.__enter__)
    assert 'ik_node ended with exit code 2' in text and 'sideways' in text
    assert_all_gone(arm)


def test_a_parameter_that_is_text_stays_text():
    with SimulatedArm('so101', parameters={'ik_node': {'base_frame': '7'}}) as arm:
        arm.publish(Vector3Stamped())
        arm.wait_until(lambda: arm.status.values['frame'] == '7', 'a status in frame 7')


def test_an_up_vector_along_tool_x_turns_the_tool_about_its_left():
    joints = [Joint(role, role, 0.0, 0.0, 1.0)
              for role in ('yaw', 'shoulder', 'elbow', 'wrist', 'wrist_roll')]
    arm = Arm(ArmModel('bolted', 0.1, 0.1, 0.1, joints, [0.0] * 5))
    axes = tool_rotation(arm, Target((0.3, 0.0, 0.0), (0.0, 0.0, 1.0)))
    assert axes.tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def test_a_status_is_read_as_it_was_written():
    solution = Solution(
        (0.0,), Status.UP_RELAXED, 1e-17, 0.25, 0.5, 'why', ('elbow', 'wrist'), 2.0)
    values = status_values(Report(
        State.MOVING, Level.WARN, Request(7, (2, 3), 'base'), 'why', 'UP_RELAXED', None, solution))
    status = TargetStatus.from_message(DiagnosticStatus(level=b'\1', values=[
        KeyValue(key=key, value=str(value)) for key, value in values.items()]))
    assert status[:-1] == (1, 7, (2, 3), 'moving', 'UP_RELAXED', 'why', 1e-17, 0.25,
                           ('elbow', 'wrist'), 2.0)
    assert status.values['forward_error_rad'] == '0.5'


def test_a_misspelt_node_name_is_refused_with_the_right_one():
    with pytest.raises(InvalidInputError, match="'ik_nod'; allowed: did you mean 'ik_node'"):
        SimulatedArm('so101', parameters={'ik_nod': {'elbow': 'up'}})


def test_a_domain_is_given_out_once_and_taken_while_a_client_is_in_it(monkeypatch):
    with reserved_domain() as domain_id:
        client = ArmClient('so101', domain_id=domain_id)
        assert_taken(monkeypatch, domain_id)
    assert_taken(monkeypatch, domain_id)
    client.close()
    with reserved_domain() as again:
        assert again == domain_id


def assert_taken(monkeypatch, domain_id):
    """Assert that a domain is not given out; no other is, from now on."""
    monkeypatch.setattr('arm_ik.testing.processes.DOMAINS', range(domain_id, domain_id + 1))
    with pytest.raises(RuntimeError, match='in use'), reserved_domain():
        pass


def test_the_nodes_end_cleanly_after_an_exception_too():
    with pytest.raises(ZeroDivisionError):
        with SimulatedArm('so101') as arm:
            1 / 0
    assert_all_gone(arm)
    assert {name: process.exit_code for name, process in arm.processes.items()} == \
        {'driver_node': 0, 'ik_node': 0}


@pytest.mark.parametrize('script, count', [
    ('from arm_ik.testing import SimulatedArm\n'
     'arm = SimulatedArm("so101")\n'
     'print(*(process.pid for process in arm.processes.values()), flush=True)\n', 2),
    ('from arm_ik.testing.processes import NodeProcess\n'
     'print(NodeProcess("sleeper", ["sleep", "600"], {}).pid, flush=True)\n', 1)])
def test_nothing_is_left_when_the_tests_own_process_is_killed(script, count):
    script += 'import sys\nsys.stdin.read()\n'
    victim = subprocess.Popen([sys.executable, '-c', script], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    with victim:
        handles = [os.pidfd_open(int(pid)) for pid in victim.stdout.readline().split()]
        assert len(handles) == count
        victim.kill()
    for handle in handles:
        assert select.select([handle], [], [], 60.0)[0], 'a node outlived its test'
        os.close(handle)


def test_a_process_is_asked_to_end_by_one_signal_after_the_other(monkeypatch, tmp_path):
    monkeypatch.setattr('arm_ik.testing.processes.PATIENCE', 0.5)
    os.mkfifo(tmp_path / 'ready')
    process = NodeProcess('stubborn', [
        '/bin/sh', '-c', 'trap "echo asked" INT; trap "exit 4" TERM; echo > "$0"; '
        'while :; do sleep 600 & wait; done', str(tmp_path / 'ready')], {})
    (tmp_path / 'ready').read_text()
    assert process.stop() == 4 and process.output() == 'asked\n'


@pytest.mark.filterwarnings('always::ResourceWarning')
def test_the_file_of_a_process_is_closed_when_nobody_can_read_it_any_more(recwarn):
    process = NodeProcess('brief', ['/bin/echo', 'said'], {})
    assert process.wait(60.0) == 0
    process.stop()
    assert process.output() == 'said\n'
    freed = threading.Event()
    weakref.finalize(process, freed.set)
    del process
    assert freed.wait(60.0)
    assert not [each for each in recwarn if 'TemporaryFile' in str(each) or '_io' in str(each)]


def test_a_process_has_the_same_copy_of_the_package(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv('PYTHONPATH', raising=False)
    process = NodeProcess(
        'copy', [sys.executable, '-c', 'import arm_ik; print(arm_ik.__file__)'], {})
    assert process.wait(60.0) == 0
    assert process.output().strip() == arm_ik.__file__


def test_nothing_that_a_process_has_started_outlives_its_stop():
    process = NodeProcess('parent', ['/bin/sh', '-c', 'sleep 600 & echo $!'], {})
    assert process.wait(60.0) == 0
    child = os.pidfd_open(int(process.output()))
    process.stop()
    try:
        assert select.select([child], [], [], 10.0)[0]
    finally:
        with suppress(ProcessLookupError):      # as it should be
            signal.pidfd_send_signal(child, signal.SIGKILL)
        os.close(child)


def test_two_arms_at_once_do_not_hear_each_other(arm):
    arm.move_to(TARGET, DOWN)
    with SimulatedArm('so101') as second:
        assert second.domain_id != arm.domain_id
        before = arm.q, len(arm.statuses())
        second.move_to(OTHER, DOWN)
        second.assert_at(OTHER, DOWN)
        arm.assert_at(TARGET, DOWN)
        assert (arm.q, len(arm.statuses())) == before
        assert [status.seq for status in second.statuses() if status.state == 'accepted'] == [1]


def test_a_client_joins_an_arm_that_is_running(arm):
    with ArmClient('so101', domain_id=arm.domain_id) as client:
        client.move_to(OTHER, DOWN)
        client.assert_at(OTHER, DOWN)
    arm.assert_at(OTHER, DOWN)


@pytest.mark.parametrize('simulated_arm', [{
    'namespace': 'left', 'frame_prefix': 'left/',
    'parameters': {'ik_node': {'follow_relaxed': False}}}], indirect=True)
def test_all_that_is_given_reaches_the_nodes(simulated_arm):
    simulated_arm.move_to(TARGET, DOWN)
    assert simulated_arm.status.values['frame'] == 'left/base_link'
    stamp = simulated_arm.send((5.0, 0.0, 0.0))
    assert 'follow_relaxed' in simulated_arm.wait_for_refusal(stamp).reason


@pytest.mark.parametrize('participant', [0, 3])
def test_a_domain_in_which_another_listens_is_left_alone(monkeypatch, participant):
    with reserved_domain() as free:
        pass
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(('0.0.0.0', discovery_ports(free)[participant]))
        assert_taken(monkeypatch, free)
    with reserved_domain() as again:
        assert again == free


def test_the_environment_is_put_back(monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', '7')
    monkeypatch.delenv('ARM_IK_UNSET', raising=False)
    with environment(ROS_DOMAIN_ID='8', ARM_IK_UNSET='x'):
        assert os.environ['ROS_DOMAIN_ID'] == '8'
    assert os.environ['ROS_DOMAIN_ID'] == '7' and 'ARM_IK_UNSET' not in os.environ


def test_a_domain_of_a_test_is_this_hosts_whatever_the_environment_says(monkeypatch):
    monkeypatch.delenv('ROS_STATIC_PEERS', raising=False)
    before = domain_environment(7)
    monkeypatch.setenv('ROS_STATIC_PEERS', '192.168.0.7')
    assert domain_environment(7) == {**before, 'ROS_STATIC_PEERS': ''}


def assert_all_gone(arm):
    for process in arm.processes.values():
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
