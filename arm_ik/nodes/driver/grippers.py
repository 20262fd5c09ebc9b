# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The actions of grippers, two for each gripper joint, where control_msgs is installed.

Names and behaviour are those of the gripper controllers of ros2_control, for a controller of the
name ``NODE/JOINT``, ``allow_stalling`` true: who stalls has got hold of something.
"""

from functools import partial
from math import nan
import re

from sensor_msgs.msg import JointState

try:
    from control_msgs.action import GripperCommand, ParallelGripperCommand
except ImportError:
    GripperCommand = None   # pip has no control_msgs


def gripper_servers(joint_names, driver, serve):
    """
    Return the action servers of gripper joints.

    :param driver: the :class:`~arm_ik.drivers.ServoDriver`.
    :param serve: as :class:`~.actions.GoalServer`, from ``kind`` on.
    """
    if GripperCommand is None:
        return []

    def server(name, kind, topic):
        return serve(kind, f'~/{token(name)}/{topic}', partial(begin, driver, name),
                     lambda outcome: filled(kind.Result(), driver, name, outcome.code),
                     lambda: filled(kind.Feedback(), driver, name))
    return [server(name, kind, topic) for name in joint_names
            for kind, topic in ((GripperCommand, 'gripper_cmd'),
                                (ParallelGripperCommand, 'parallel_gripper_cmd'))]


def token(name):
    """Return a joint's name as a part of a ROS name: ``joint_6`` for ``6``."""
    return re.sub(r'^(?=\d)', 'joint_', re.sub('[^A-Za-z0-9]+', '_', name))


def begin(driver, name, goal):
    """Begin with a goal of either action for a joint; return the future of its outcome."""
    command = goal.command
    if hasattr(command, 'max_effort'):
        return driver.grasp(name, [name], [command.position])
    return driver.grasp(name, command.name or [name], command.position, command.velocity)


def filled(message, driver, name, code=''):
    """Return a result or feedback of either action that says where a joint is, and the code."""
    position = driver.snapshot.positions.get(name, nan) if driver.snapshot else nan
    if hasattr(message, 'state'):
        message.state = JointState(name=[name], position=[position])
    else:
        message.position, message.effort = position, nan
    if code:
        message.stalled, message.reached_goal = code == 'STALLED', code == 'SUCCESSFUL'
    return message
