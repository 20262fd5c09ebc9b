# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Trajectories in: a topic, and an action where control_msgs is installed.

Names and behaviour are those of a ``joint_trajectory_controller`` of this node's name. Which
trajectories are followed, and how, is decided by :class:`~arm_ik.drivers.ServoDriver`.
"""

from contextlib import suppress
from time import monotonic, sleep

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ...drivers.following import Tolerances
from ...errors import InvalidInputError
from ...motion.trajectory import MOST_POINTS

try:
    from control_msgs.action import FollowJointTrajectory
except ImportError:
    FollowJointTrajectory = None    # pip has no control_msgs


#: Longest time that results take to be sent at the end, and then until they are there [s].
_LAST_WORDS, _DELIVERY = 0.5, 0.2


class Trajectories:
    """
    The topic ``~/joint_trajectory`` and the action ``~/follow_joint_trajectory`` of a node.

    :param node: the rclpy node.
    :param driver: its :class:`~arm_ik.drivers.ServoDriver`.
    :param end_of: function of a :class:`concurrent.futures.Future` that returns a future of rclpy,
        which is done when that is.
    :param changed: function to call when the driver's condition may have changed.
    """

    def __init__(self, node, driver, end_of, changed):
        self._node, self._driver = node, driver
        self._end_of, self._changed = end_of, changed
        self._outcome = None        # of the goal that has just been accepted
        self._goals = {}            # handle and outcome by id, of those on their way
        node.create_subscription(JointTrajectory, '~/joint_trajectory', self._on_trajectory, 1)
        self._server = None if FollowJointTrajectory is None else ActionServer(
            node, FollowJointTrajectory, '~/follow_joint_trajectory', self._execute,
            goal_callback=self._on_goal, handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel)

    def publish_feedback(self):
        """Tell whoever sent the goal that is on its way how far it is."""
        progress = self._driver.progress if self._goals else None
        if progress is not None:
            for handle, outcome in self._goals.values():
                if not outcome.done():
                    feedback = FollowJointTrajectory.Feedback()
                    feedback.header.stamp = self._node.get_clock().now().to_msg()
                    fill_feedback(feedback, progress)
                    handle.publish_feedback(feedback)

    def end(self):
        """Tell how goals ended, now that the driver has, and end the action."""
        executor, deadline = self._node.executor, monotonic() + _LAST_WORDS
        if self._goals and executor is not None:
            while self._goals and monotonic() < deadline:
                executor.spin_once(timeout_sec=0.01)
            sleep(_DELIVERY)  # the middleware drops what a client has not taken by then
        if self._server is not None:
            self._server.destroy()

    def _on_trajectory(self, message):
        try:
            if len(message.points) == 1:
                point, = message.points
                self._driver.follow_point(
                    message.joint_names, _seconds(point.time_from_start), point.positions,
                    point.velocities, _seconds(message.header.stamp))
            else:
                self._follow(message)
        except InvalidInputError:
            pass  # as the driver's condition says
        self._changed()

    def _follow(self, message, tolerances=Tolerances()):
        points = message.points[:MOST_POINTS + 1]  # enough to be refused for
        return self._driver.follow(
            message.joint_names, [_seconds(point.time_from_start) for point in points],
            [point.positions for point in points], [point.velocities for point in points],
            _seconds(message.header.stamp), tolerances)

    def _on_goal(self, goal):
        if not goal.trajectory.points:  # on the topic it holds the arm
            self._node.get_logger().warning('refused: a goal whose trajectory is empty')
            return GoalResponse.REJECT
        try:
            self._outcome = self._follow(goal.trajectory, tolerances_of(goal))
        except InvalidInputError:
            return GoalResponse.REJECT
        finally:
            self._changed()
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle):
        self._goals[_id(handle)] = handle, self._outcome
        handle.execute()

    async def _execute(self, handle):
        outcome = self._goals[_id(handle)][1]
        await self._end_of(outcome)
        code, words = outcome.result()
        self._node.executor.create_task(self._goals.pop, _id(handle))  # when all has been sent
        self._changed()
        return end(handle, FollowJointTrajectory.Result(error_string=words), code)

    def _on_cancel(self, handle):
        if _id(handle) in self._goals:
            self._driver.cancel(self._goals[_id(handle)][1])
        return CancelResponse.ACCEPT


def end(handle, result, code):
    """Let a goal end as the code of an :class:`~arm_ik.drivers.following.Outcome` says."""
    if code == 'CANCELED':
        handle.canceled()
        return result
    result.error_code = getattr(type(result), code)
    if code == 'SUCCESSFUL':
        handle.succeed()
    else:
        handle.abort()
    return result


def fill_feedback(feedback, progress):
    """Let feedback say what a :class:`~arm_ik.drivers.following.Progress` does."""
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
        time = max(0.0, progress.time)
        point.time_from_start.sec = int(time)
        point.time_from_start.nanosec = int(time % 1.0 * 1e9)


def tolerances_of(goal):
    """Return a goal's :class:`Tolerances`; only those of positions count, as in the driver."""
    path, end = ({each.name: each.position for each in given if each.position}
                 for given in (goal.path_tolerance, goal.goal_tolerance))
    return Tolerances(path, end, _seconds(goal.goal_time_tolerance) or None)


def _id(handle):
    return bytes(handle.goal_id.uuid)


def _seconds(time):
    return time.sec + time.nanosec * 1e-9
