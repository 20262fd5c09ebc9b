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
from functools import partial

from rclpy.duration import Duration
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ...drivers.following import Tolerances
from ...errors import InvalidInputError
from ...motion.trajectory import MOST_POINTS

try:
    from control_msgs.action import FollowJointTrajectory
except ImportError:
    FollowJointTrajectory = None    # pip has no control_msgs


def trajectory_servers(node, driver, serve, attempt):
    """
    Listen to the topic ``~/joint_trajectory``; return the servers of the action, one or none.

    :param node: the rclpy node.
    :param driver: its :class:`~arm_ik.drivers.ServoDriver`.
    :param serve: as :class:`~.actions.GoalServer`, from ``kind`` on.
    :param attempt: function that has an action done, which the driver may refuse.
    """
    node.create_subscription(JointTrajectory, '~/joint_trajectory',
                             partial(attempt, partial(take, driver)), 1)
    return [] if FollowJointTrajectory is None else [
        serve(FollowJointTrajectory, '~/follow_joint_trajectory', partial(begin, node, driver),
              lambda outcome: filled(FollowJointTrajectory.Result(), outcome),
              lambda: filled_feedback(FollowJointTrajectory.Feedback(), driver.progress,
                                      node.get_clock().now().to_msg()))]


def take(driver, message):
    """Follow a trajectory of the topic; one of a single point may be of a stream of them."""
    if len(message.points) == 1:
        point, = message.points
        driver.follow_point(
            message.joint_names, _seconds(point.time_from_start), point.positions,
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
