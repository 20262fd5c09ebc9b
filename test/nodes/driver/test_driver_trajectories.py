# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Trajectories over DDS: the topic everywhere, the action where control_msgs is installed."""

from functools import partial
from math import nan
from signal import SIGTERM
from threading import Thread
from time import monotonic
from types import SimpleNamespace

from arm_ik.description import load_model, preset_path
from arm_ik.drivers.following import Outcome, Progress, Tolerances
from arm_ik.nodes.driver import driver_node
from arm_ik.nodes.driver.actions import end, filled, filled_feedback, tolerances_of
from arm_ik.nodes.ik.parameters import EXECUTORS
from arm_ik.nodes.startup.run import make_executor, spin_until
from arm_ik.testing.processes import own_domain
from bench import made
from diagnostic_msgs.msg import DiagnosticArray
from driver_bench import DriverBench
import pytest
import rclpy
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

pytestmark = pytest.mark.about_time

try:
    from control_msgs.action import FollowJointTrajectory
    from control_msgs.msg import JointTolerance
except ImportError:
    FollowJointTrajectory = None

SIMPLE = load_model(preset_path('simple'))
HOME = dict(zip(SIMPLE.joint_names, SIMPLE.home))

PATIENCE = 60.0
OK, WARN = 0, 1

needs_control_msgs = pytest.mark.skipif(
    FollowJointTrajectory is None, reason='control_msgs is not installed: pip has none')


class Rig:
    """The driver in an executor of a thread of its own, and a node beside it."""

    def __init__(self, context, executor):
        self.states, self.conditions, self.feedback = [], [], []
        self.driver = made(driver_node.DriverNode, driver_node.SPECS, '--arm', 'simple',
                           context=context)
        self._stop = Future()
        # Of rclpy's default context: the events executor knows no other.
        self._driving = make_executor(executor, self.driver.get_logger())
        self._driving.add_node(self.driver)
        self._thread = Thread(target=spin_until, args=(self._driving, self._stop))
        self._thread.start()
        self.node = Node('sender', context=context, use_global_arguments=False)
        self.node.create_subscription(JointState, 'joint_states', self._on_state, 100)
        self.node.create_subscription(DiagnosticArray, '/diagnostics', self._on_array, 100)
        self.topic = self.node.create_publisher(JointTrajectory, 'driver_node/joint_trajectory', 1)
        self.commands = self.node.create_publisher(JointState, 'joint_commands', 1)
        # Holds, too; the events executor awaits no answer of a service, as stop's is.
        self._reset = self.node.create_client(Trigger, 'driver_node/reset')
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self.client = None
        if FollowJointTrajectory is not None:
            self.client = ActionClient(self.node, FollowJointTrajectory,
                                       'driver_node/follow_joint_trajectory')
            self.wait_until(self.client.server_is_ready)
        self.wait_until(lambda: self.states and self.topic.get_subscription_count()
                        and self.commands.get_subscription_count())

    def _on_state(self, state):
        self.states.append(dict(zip(state.name, state.position)))

    def _on_array(self, array):
        self.conditions += [(status.level[0], status.message) for status in array.status
                            if status.name == 'driver_node: servos']

    def wait_until(self, holds):
        deadline = monotonic() + PATIENCE
        while not holds():
            assert monotonic() < deadline, (self.states[-1:], self.conditions[-3:])
            self.executor.spin_once(timeout_sec=0.1)
        return True

    def wait_for_condition(self, level, words):
        self.wait_until(lambda: self.conditions and self.conditions[-1][0] == level
                        and words in self.conditions[-1][1])

    def there(self, **positions):
        self.wait_until(lambda: positions.items() <= self.states[-1].items())

    def reset(self):
        self.wait_until(self._reset.service_is_ready)
        self.wait_until(self._reset.call_async(Trigger.Request()).done)

    def send(self, trajectory, **options):
        """Return the handle of a goal."""
        future = self.client.send_goal_async(
            FollowJointTrajectory.Goal(trajectory=trajectory, **options),
            lambda message: self.feedback.append(message.feedback))
        self.wait_until(future.done)
        return future.result()

    def result(self, handle):
        """Return status and result of a goal."""
        future = handle.get_result_async()
        self.wait_until(future.done)
        return future.result().status, future.result().result

    def close(self):
        self._stop.set_result(None)
        self._driving.create_task(lambda: None)
        self._thread.join()
        self.driver.destroy_node()
        self.node.destroy_node()
        self.executor.shutdown()


@pytest.fixture(scope='module', params=EXECUTORS)
def running(request):
    with own_domain():
        rclpy.init()
        rig = Rig(rclpy.get_default_context(), request.param)
        yield rig
        rig.close()
        rclpy.try_shutdown()


@pytest.fixture
def rig(running):
    """Return a rig whose arm stands at home."""
    running.reset()

    def go_home():
        running.commands.publish(JointState(name=list(HOME), position=list(HOME.values())))
        running.executor.spin_once(timeout_sec=0.02)
        return running.states[-1] == HOME
    running.wait_until(go_home)
    running.wait_for_condition(OK, 'ready')
    running.feedback.clear()
    return running


def trajectory(*points, names=('yaw',), stamp=None):
    """Return a trajectory through ``(time, position, ...)``."""
    message = JointTrajectory(joint_names=list(names))
    for time, *positions in points:
        point = JointTrajectoryPoint(positions=[float(position) for position in positions])
        point.time_from_start.sec = int(time // 1)
        point.time_from_start.nanosec = int(time % 1 * 1e9)
        message.points.append(point)
    if stamp is not None:
        message.header.stamp = stamp
    return message


def test_a_trajectory_on_the_topic_is_followed(rig):
    start = rig.states[-1]
    rig.topic.publish(trajectory((0.5, 0.4, 0.2), (1.0, 0.2, 0.4), names=('yaw', 'wrist')))
    rig.there(yaw=0.2, wrist=0.4)
    assert rig.states[-1] == {**start, 'yaw': 0.2, 'wrist': 0.4}
    assert max(state['yaw'] for state in rig.states) > 0.35


def test_a_bad_one_is_refused_with_its_reason_and_the_next_good_one_followed(rig):
    there = rig.states[-1]
    rig.topic.publish(trajectory((1.0, nan)))
    rig.wait_for_condition(WARN, 'finite')
    assert rig.states[-1] == there
    rig.topic.publish(trajectory((0.3, 0.1)))
    rig.there(yaw=0.1)
    rig.wait_for_condition(OK, 'ready')


def test_an_empty_one_holds(rig):
    rig.topic.publish(trajectory((2.0, 1.0)))
    rig.wait_until(lambda: rig.states[-1]['yaw'] > 0.1)
    rig.topic.publish(trajectory())
    rig.wait_until(lambda: len(rig.states) > 5 and rig.states[-1] == rig.states[-5])
    assert rig.states[-1]['yaw'] < 0.9


# What a goal says, and what is said of it, without the messages that pip has not

def tolerance(name, position):
    return SimpleNamespace(name=name, position=position, velocity=9.0, acceleration=9.0)


def test_tolerances_are_those_of_the_goal_each_in_its_place():
    goal = SimpleNamespace(
        path_tolerance=[tolerance('yaw', 0.1), tolerance('wrist', -1.0), tolerance('elbow', 0.0)],
        goal_tolerance=[tolerance('yaw', 0.02)],
        goal_time_tolerance=SimpleNamespace(sec=1, nanosec=500_000_000))
    assert tolerances_of(goal) == Tolerances({'yaw': 0.1, 'wrist': -1.0}, {'yaw': 0.02}, 1.5)
    nothing = SimpleNamespace(path_tolerance=[], goal_tolerance=[],
                              goal_time_tolerance=SimpleNamespace(sec=0, nanosec=0))
    assert tolerances_of(nothing) == Tolerances({}, {}, None)


def test_feedback_says_where_joints_should_be_are_and_the_difference():
    feedback = filled_feedback(SimpleNamespace(header=SimpleNamespace()), Progress(
        2.25, 3, {'yaw': (0.5, 0.1), 'gone': (1.0, 0.0), 'wrist': (-0.2, 0.3)},
        {'wrist': -0.25, 'yaw': 0.4, 'gripper': 0.0}), 'now')
    assert feedback.header.stamp == 'now' and filled_feedback(feedback, None, 'now') is None
    assert (feedback.joint_names, feedback.index) == (['yaw', 'wrist'], 3)
    assert list(feedback.desired.positions) == [0.5, -0.2]
    assert list(feedback.desired.velocities) == [0.1, 0.3]
    assert list(feedback.actual.positions) == [0.4, -0.25]
    assert list(feedback.error.positions) == pytest.approx([0.1, 0.05])
    for point in (feedback.desired, feedback.actual, feedback.error):
        assert (point.time_from_start.sec, point.time_from_start.nanosec) == (2, 250_000_000)
    filled_feedback(feedback, Progress(-0.5, 0, {}, {}), 'now')
    assert feedback.desired.time_from_start.sec == feedback.desired.time_from_start.nanosec == 0


class Result:
    SUCCESSFUL, INVALID_GOAL, PATH_TOLERANCE_VIOLATED, GOAL_TOLERANCE_VIOLATED = 0, -1, -4, -5
    error_code = None


@pytest.mark.parametrize('code, call, number', [
    ('SUCCESSFUL', 'succeed', 0), ('CANCELED', 'canceled', None), ('INVALID_GOAL', 'abort', -1),
    ('PATH_TOLERANCE_VIOLATED', 'abort', -4), ('GOAL_TOLERANCE_VIOLATED', 'abort', -5)])
def test_a_goal_ends_as_its_outcome_says(code, call, number):
    calls = []
    handle = SimpleNamespace(**{name: partial(calls.append, name)
                                for name in ('succeed', 'canceled', 'abort')})
    end(handle, code)
    assert calls == [call]
    result = filled(Result(), Outcome(code, 'words'))
    assert (result.error_code, result.error_string) == (number, 'words')


@needs_control_msgs
def test_a_goal_is_reached_and_told_of_on_the_way(rig):
    handle = rig.send(trajectory((0.5, 0.4), (1.0, 0.2)))
    status, result = rig.result(handle)
    assert handle.accepted and status == 4 and result.error_code == result.SUCCESSFUL
    rig.there(yaw=0.2)
    assert len(rig.feedback) > 20
    middle = rig.feedback[len(rig.feedback) // 4]
    assert middle.joint_names == ['yaw'] and getattr(middle, 'index', 0) == 0
    error = middle.desired.positions[0] - middle.actual.positions[0]
    assert middle.error.positions[0] == error and 0.0 < middle.actual.positions[0] < 0.4
    assert 0.0 < middle.desired.time_from_start.nanosec * 1e-9 < 0.6
    assert getattr(rig.feedback[-1], 'index', 1) == 1


@needs_control_msgs
def test_a_bad_goal_is_rejected(rig):
    there = rig.states[-1]
    assert not rig.send(trajectory((1.0, nan))).accepted
    rig.wait_for_condition(WARN, 'finite')
    tolerance = JointTolerance(name='knee', position=0.1)
    assert not rig.send(trajectory((1.0, 0.1)), path_tolerance=[tolerance]).accepted
    assert rig.states[-1] == there
    assert rig.result(rig.send(trajectory((0.3, 0.1))))[0] == 4


@needs_control_msgs
def test_an_empty_goal_is_refused_and_the_one_on_its_way_goes_on(rig):
    first = rig.send(trajectory((0.5, 0.4)))
    assert not rig.send(trajectory()).accepted
    assert rig.result(first)[0] == 4


@needs_control_msgs
def test_a_cancelled_goal_holds_the_arm(rig):
    handle = rig.send(trajectory((2.0, 1.0)))
    rig.wait_until(lambda: rig.states[-1]['yaw'] > 0.1)
    rig.wait_until(handle.cancel_goal_async().done)
    assert rig.result(handle)[0] == 5
    rig.wait_until(lambda: rig.states[-1] == rig.states[-5])
    assert rig.states[-1]['yaw'] < 0.9


@needs_control_msgs
@pytest.mark.parametrize('take_away, words', [
    (lambda rig: rig.send(trajectory((0.5, 0.1))), 'another trajectory'),
    (Rig.reset, 'held')], ids=['goal', 'reset'])
def test_whatever_takes_the_arm_away_aborts_a_goal(rig, take_away, words):
    handle = rig.send(trajectory((2.0, 1.0)))
    rig.wait_until(lambda: rig.states[-1]['yaw'] > 0.1)
    take_away(rig)
    status, result = rig.result(handle)
    assert (status, result.error_code) == (6, result.INVALID_GOAL)
    assert words in result.error_string


@needs_control_msgs
def test_a_driver_that_is_told_to_end_aborts_its_goal_first():
    with DriverBench('--arm', 'simple') as bench:
        client = ActionClient(bench.ready().node, FollowJointTrajectory,
                              'driver_node/follow_joint_trajectory')
        bench.wait_until(client.server_is_ready, 'the action')
        # In the thread that hears answers: to rclpy's action client one may come too early.
        in_thread = bench.node.executor.create_task
        sent = in_thread(client.send_goal_async, FollowJointTrajectory.Goal(
            trajectory=trajectory((5.0, 1.0))))
        bench.wait_until(lambda: sent.done() and sent.result().done(), 'an accepted goal')
        asked = in_thread(sent.result().result().get_result_async)
        bench.wait_until(asked.done, 'somebody who waits for the result')
        result = asked.result()
        bench.wait_until(lambda: bench.positions['yaw'] > 0.01, 'the arm on its way')
        bench.process.signal(SIGTERM)
        assert bench.thread.wait_until(result.done, PATIENCE, poll=0.1) is None
        assert result.result().status == 6
        assert 'held' in result.result().result.error_string
        assert bench.process.wait(PATIENCE) == 0
