# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Actions where control_msgs is installed, and trajectories of the topic.

The driver has futures for goals, of an :class:`~arm_ik.drivers.following.Outcome` each. Names and
behaviour are those of ros2_control: of a ``joint_trajectory_controller`` of this node's name, and
of the gripper controllers, two for each gripper joint, of the name ``NODE/JOINT``,
``allow_stalling`` true: who stalls has got hold of something. Which goals are followed, and how,
is decided by :class:`~arm_ik.drivers.ServoDriver`.
"""

from contextlib import suppress
from functools import partial
from math import nan
import re
from time import monotonic, sleep

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.duration import Duration
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectoryPoint

from ...drivers.following import Tolerances
from ...errors import InvalidInputError
from ...motion.trajectory import MOST_POINTS

try:
    from control_msgs.action import FollowJointTrajectory, GripperCommand, ParallelGripperCommand
except ImportError:
    FollowJointTrajectory = None    # pip has no control_msgs

#: Longest time that results take to be sent at the end, and then until they are there [s].
_LAST_WORDS, _DELIVERY = 0.5, 0.2


class GoalServer:
    """
    An action of a node; ``goals`` has the outcomes of those it carries out, by handle.

    :param node: the rclpy node.
    :param driver: its :class:`~arm_ik.drivers.ServoDriver`.
    :param end_of: function of a :class:`concurrent.futures.Future` that returns a future of rclpy,
        which is done when that is.
    :param changed: function to call when the driver's condition may have changed.
    :param kind: the action's type.
    :param name: the action's name.
    :param begin: function of a goal that returns the future of its
        :class:`~arm_ik.drivers.following.Outcome`.
    :param result_of: function of an outcome that returns a result.
    :param feedback_of: function that returns feedback, or ``None``.
    """

    def __init__(self, node, driver, end_of, changed, kind, name, begin, result_of, feedback_of):
        self._node, self._driver, self._end_of, self._changed = node, driver, end_of, changed
        self._begin, self._result_of, self._feedback_of = begin, result_of, feedback_of
        self._outcome = None        # of the goal that has just been accepted
        self.goals = {}             # until their results have been sent
        self._server = ActionServer(
            node, kind, name, self._execute, goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted, cancel_callback=self._on_cancel)

    def publish_feedback(self):
        """Report to whoever sent a goal how far it is."""
        handles = [handle for handle, outcome in self.goals.items() if not outcome.done()]
        feedback = self._feedback_of() if handles else None
        if feedback is not None:
            for handle in handles:
                handle.publish_feedback(feedback)

    def destroy(self):
        """End the action."""
        self._server.destroy()

    def _on_goal(self, goal):
        try:
            self._outcome = self._begin(goal)
        except InvalidInputError:
            return GoalResponse.REJECT
        finally:
            self._changed()
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle):
        self.goals[handle] = self._outcome
        handle.execute()

    async def _execute(self, handle):
        outcome = self.goals[handle]
        await self._end_of(outcome)
        self._node.executor.create_task(self.goals.pop, handle)  # when all has been sent
        self._changed()
        end(handle, outcome.result().code)
        return self._result_of(outcome.result())

    def _on_cancel(self, handle):
        if handle in self.goals:
            self._driver.cancel(self.goals[handle])
        return CancelResponse.ACCEPT


def end_all(servers, executor):
    """Report how goals ended, now that the driver has, and end the actions."""
    if executor is not None and any(server.goals for server in servers):
        deadline = monotonic() + _LAST_WORDS
        while any(server.goals for server in servers) and monotonic() < deadline:
            executor.spin_once(timeout_sec=0.01)
        sleep(_DELIVERY)  # the middleware drops what a client has not taken by then
    for server in servers:
        server.destroy()


def end(handle, code):
    """Let a goal end as the code of an :class:`~arm_ik.drivers.following.Outcome` says."""
    ends = {'CANCELED': handle.canceled, 'SUCCESSFUL': handle.succeed, 'STALLED': handle.succeed}
    ends.get(code, handle.abort)()


def action_servers(node, driver, serve, gripper_joints):
    """
    Return the servers of all actions, none without control_msgs.

    :param node: the rclpy node.
    :param driver: its :class:`~arm_ik.drivers.ServoDriver`.
    :param serve: as :class:`GoalServer`, from ``kind`` on.
    :param gripper_joints: their names.
    """
    if FollowJointTrajectory is None:
        return []

    def gripper(name, kind, topic):
        return serve(kind, f'~/{token(name)}/{topic}', partial(begin_grasp, driver, name),
                     lambda outcome: filled_grasp(kind.Result(), driver, name, outcome.code),
                     lambda: filled_grasp(kind.Feedback(), driver, name))
    return [
        serve(FollowJointTrajectory, '~/follow_joint_trajectory', partial(begin, node, driver),
              lambda outcome: filled(FollowJointTrajectory.Result(), outcome),
              lambda: filled_feedback(FollowJointTrajectory.Feedback(), driver.progress,
                                      node.get_clock().now().to_msg())),
        *(gripper(name, kind, topic) for name in gripper_joints
          for kind, topic in ((GripperCommand, 'gripper_cmd'),
                              (ParallelGripperCommand, 'parallel_gripper_cmd')))]


def take_trajectory(driver, message):
    """Follow a trajectory of the topic; one of a single point may be of a stream of them."""
    if len(message.points) == 1:
        point, = message.points
        driver.follow_point(message.joint_names, _seconds(point.time_from_start), point.positions,
                            point.velocities, _seconds(message.header.stamp))
    else:
        _follow(driver, message)


def begin(node, driver, goal):
    """Begin with a goal of the action; return the future of its outcome."""
    if not goal.trajectory.points:  # on the topic it holds the arm
        node.get_logger().warning('refused: a goal whose trajectory is empty')
        raise InvalidInputError('trajectory', 'an empty one', 'one with points')
    return _follow(driver, goal.trajectory, tolerances_of(goal))


def _follow(driver, message, tolerances=Tolerances()):
    points = message.points[:MOST_POINTS + 1]  # enough to be refused for
    return driver.follow(
        message.joint_names, [_seconds(point.time_from_start) for point in points],
        [point.positions for point in points], [point.velocities for point in points],
        _seconds(message.header.stamp), tolerances)


def filled(result, outcome):
    """Let a result say what an :class:`~arm_ik.drivers.following.Outcome` does; return it."""
    if outcome.code != 'CANCELED':
        result.error_code = getattr(type(result), outcome.code)
    result.error_string = outcome.words
    return result


def filled_feedback(feedback, progress, stamp):
    """Let feedback say what a :class:`~arm_ik.drivers.following.Progress` does; return it."""
    if progress is None:
        return None
    feedback.header.stamp = stamp
    names = [name for name in progress.desired if name in progress.actual]
    feedback.joint_names = names
    with suppress(AttributeError):  # control_msgs 5, of Jazzy, has none
        feedback.index = progress.point
    feedback.desired = JointTrajectoryPoint(
        positions=[progress.desired[name][0] for name in names],
        velocities=[progress.desired[name][1] for name in names])
    feedback.actual = JointTrajectoryPoint(positions=[progress.actual[name] for name in names])
    feedback.error = JointTrajectoryPoint(
        positions=[progress.desired[name][0] - progress.actual[name] for name in names])
    for point in (feedback.desired, feedback.actual, feedback.error):
        point.time_from_start = Duration(seconds=max(0.0, progress.time)).to_msg()
    return feedback


def tolerances_of(goal):
    """Return a goal's :class:`Tolerances`; only those of positions count, as in the driver."""
    path, end = ({each.name: each.position for each in given if each.position}
                 for given in (goal.path_tolerance, goal.goal_tolerance))
    return Tolerances(path, end, _seconds(goal.goal_time_tolerance) or None)


def _seconds(time):
    return time.sec + time.nanosec * 1e-9


def token(name):
    """Return a joint's name as a part of a ROS name: ``joint_6`` for ``6``."""
    return re.sub(r'^(?=\d)', 'joint_', re.sub('[^A-Za-z0-9]+', '_', name))


def begin_grasp(driver, name, goal):
    """Begin with a goal of either action for a joint; return the future of its outcome."""
    command = goal.command
    if hasattr(command, 'max_effort'):
        return driver.grasp(name, [name], [command.position])
    return driver.grasp(name, command.name or [name], command.position, command.velocity)


def filled_grasp(message, driver, name, code=''):
    """Return a result or feedback of either action that says where a joint is, and the code."""
    position = driver.snapshot.positions.get(name, nan) if driver.snapshot else nan
    if hasattr(message, 'state'):
        message.state = JointState(name=[name], position=[position])
    else:
        message.position, message.effort = position, nan
    if code:
        message.stalled, message.reached_goal = code == 'STALLED', code == 'SUCCESSFUL'
    return message
