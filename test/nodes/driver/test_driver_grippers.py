# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Gripper actions: what goals say and are told, everywhere; over DDS with control_msgs."""

from math import isnan, nan
from types import SimpleNamespace

from arm_ik.nodes.driver.actions import begin_grasp, filled_grasp, token
from driver_bench import DriverBench
import pytest
from rclpy.action import ActionClient
from sensor_msgs.msg import JointState

try:
    from control_msgs.action import GripperCommand, ParallelGripperCommand
except ImportError:
    GripperCommand = ParallelGripperCommand = None

needs_control_msgs = pytest.mark.skipif(
    GripperCommand is None, reason='control_msgs is not installed: pip has none')


class Driver:
    """What the actions use of a driver."""

    snapshot = SimpleNamespace(positions={'jaw': 0.4})

    def grasp(self, *args):
        return tuple(map(list, args[1:]))


def test_either_goal_is_read():
    one = SimpleNamespace(command=SimpleNamespace(position=0.5, max_effort=3.0))
    assert begin_grasp(Driver(), 'jaw', one) == (['jaw'], [0.5])
    for names in ([], ['jaw'], ['jaw', 'other']):
        goal = SimpleNamespace(command=JointState(name=names, position=[0.5], velocity=[0.1]))
        assert begin_grasp(Driver(), 'jaw', goal) == (names or ['jaw'], [0.5], [0.1])


@pytest.mark.parametrize('code, stalled, reached', [
    ('SUCCESSFUL', False, True), ('STALLED', True, False), ('INVALID_GOAL', False, False)])
def test_either_is_told_where_it_is_and_how_it_ended(code, stalled, reached):
    for message in (SimpleNamespace(), SimpleNamespace(state=None)):
        said = filled_grasp(message, Driver(), 'jaw', code)
        assert (said.stalled, said.reached_goal) == (stalled, reached)
        position = list(said.state.position) if hasattr(said, 'state') else [said.position]
        assert position == [0.4]
    on_its_way = filled_grasp(SimpleNamespace(), Driver(), 'lost')
    assert isnan(on_its_way.position) and not hasattr(on_its_way, 'stalled')


def test_any_joint_name_makes_a_name_of_ros():
    names = {'left_finger': 'left_finger', '6': 'joint_6', 'a-b__c d': 'a_b_c_d'}
    assert {name: token(name) for name in names} == names


class Gripper:
    """A client of one of the gripper's actions, which asks from the thread that hears."""

    def __init__(self, bench, kind):
        self._bench, self._kind = bench, kind
        self._client = ActionClient(bench.node, kind, 'driver_node/gripper/' + (
            'gripper_cmd' if kind is GripperCommand else 'parallel_gripper_cmd'))
        bench.wait_until(self._client.server_is_ready, 'the action', poll=0.1)
        self.feedback = []

    def _in_thread(self, function, *args):
        asked = self._bench.node.executor.create_task(function, *args)
        self._bench.wait_until(lambda: asked.done() and asked.result().done(), function, poll=0.05)
        return asked.result().result()

    def send(self, *positions):
        goal, single = self._kind.Goal(), self._kind is GripperCommand
        goal.command.position = positions[0] if single else list(positions)
        return self._in_thread(self._client.send_goal_async, goal, self.feedback.append)

    def result(self, handle):
        answer = self._in_thread(handle.get_result_async)
        result = answer.result
        position = result.position if self._kind is GripperCommand else result.state.position[0]
        return answer.status, result.stalled, result.reached_goal, position

    def cancel(self, handle):
        self._in_thread(handle.cancel_goal_async)


@needs_control_msgs
@pytest.mark.parametrize('kind', [GripperCommand, ParallelGripperCommand])
def test_goals_over_dds_reached_refused_cancelled_overtaken_and_stalled(kind):
    with DriverBench('--arm', 'so101') as bench:
        gripper = Gripper(bench.ready(), kind)
        status, stalled, reached, position = gripper.result(gripper.send(1.0))
        assert (status, stalled, reached) == (4, False, True)
        assert position == pytest.approx(1.0, abs=0.02) and gripper.feedback
        for wrong in (nan, 5.0, 1.8):
            assert not gripper.send(wrong).accepted
        if kind is ParallelGripperCommand:
            assert not gripper.send().accepted
        bench.set_parameters(speed=0.1)
        handle = gripper.send(0.0)
        bench.wait_until(lambda: bench.positions['gripper'] < 0.9, 'the gripper on its way')
        gripper.cancel(handle)
        assert gripper.result(handle)[:3] == (5, False, False)
        assert bench.come_to_rest()['gripper'] > 0.5
        handle = gripper.send(0.0)
        bench.command(gripper=0.8)
        assert gripper.result(handle)[:3] == (6, False, False)
        bench.set_parameters(speed=1.0)
        bench.set_parameters(**{'simulated.blocked': 'gripper'})
        assert gripper.result(gripper.send(-0.1))[:3] == (4, True, False)
        assert not gripper.send(-0.15).accepted     # on into what it has hold of
        bench.set_parameters(**{'simulated.blocked': ''})
        assert gripper.result(gripper.send(1.5))[:3] == (4, False, True)
