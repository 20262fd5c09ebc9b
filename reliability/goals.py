# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Goals of ``driver_node/follow_joint_trajectory``, ended in every way there is, at random moments.

Left alone, cancelled, pre-empted by a goal, by the topic or by a command, held by ``~/stop``,
refused; with a client that is killed on the way; and with a driver that is told to end. Of each
goal the result has to come, and the right one; and the goal after it has to be reached, or, if it
is the next in this list, to end as it should. A driver that is killed by SIGKILL tells nobody.
"""

from math import nan
from random import Random
import signal
import sys
from time import monotonic

import rclpy
from rclpy.action import ActionClient
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from .figures import every, Figure, none_of, NotPossibleHere, within
from .running_arm import DRIVER, RunningArm

try:
    from control_msgs.action import FollowJointTrajectory
except ImportError:
    FollowJointTrajectory = None    # pip has no control_msgs

FULL, SHORT = 500, 16

#: Longest time [s] for an answer that is not that of a motion; of a motion, beside its duration.
_PATIENCE, _LATE = 10.0, 1.0

_ACTION = f'{DRIVER}/follow_joint_trajectory'
_JOINT = 'shoulder_pan'

#: Status codes of action_msgs/GoalStatus, and which one a goal has to have in the end.
_SUCCEEDED, _CANCELED, _ABORTED = 4, 5, 6
_STATUS = {'left alone': _SUCCEEDED, 'cancelled': _CANCELED}


def run(short, seed, say):
    """See the module; return a list of :class:`~.figures.Figure`."""
    if FollowJointTrajectory is None:
        raise NotPossibleHere('control_msgs is not installed')
    with RunningArm('so101') as arm:
        trial = _Trial(arm, Random(seed))
        count = SHORT if short else FULL
        for number in range(count):
            trial.goal(number)
            if number % 50 == 49:
                say(f'{number + 1} goals, {len(trial.hanging)} without a result, '
                    f'{len(trial.wrong)} with a wrong one, {trial.good} followed by a good one')
        ended = arm.ended()
    return [
        _none('goals without a result', trial.hanging, count),
        _none('goals with another result than they should have', trial.wrong, count),
        every('goals that are reached right after', trial.good, count),
        within('a goal that is ended: its result comes after', trial.answers,
               _PATIENCE if short else 0.25, 's'),
        Figure('how often each', '', ', '.join(
            f'{name} {times}' for name, times in sorted(trial.times.items()))),
        Figure('nodes that end by themselves', 'none', ended or 'none', not ended)]


def _none(what, kinds, total):
    """Return the figure of something that must never happen, and to which kinds it did."""
    figure = none_of(what, len(kinds), total)
    return figure._replace(seen=', '.join((figure.seen, *sorted(set(kinds)))))


class _Trial:

    def __init__(self, arm, random):
        self.hanging, self.wrong, self.good = [], [], 0
        self.answers, self.times = [], {}
        self._arm, self._random = arm, random
        self._client = ActionClient(arm.node, FollowJointTrajectory, _ACTION)
        self._topic = arm.node.create_publisher(JointTrajectory, f'{DRIVER}/joint_trajectory', 1)
        self._commands = arm.node.create_publisher(JointState, 'joint_commands', 1)
        self._services = {name: arm.node.create_client(Trigger, f'{DRIVER}/{name}')
                          for name in ('stop', 'reset')}
        self._index = arm.arm.joint_names.index(_JOINT)
        self._ready()
        self._ends = {
            'cancelled': lambda handle: handle.cancel_goal_async(),
            'another goal': lambda _: self._send(0.0, 1.0),
            'topic': lambda _: self._topic.publish(_trajectory(0.0, 1.0)),
            'command': lambda _: self._commands.publish(
                JointState(name=[_JOINT], position=[0.0])),
            'stop': lambda _: self._call('stop'),
            'driver told to end': lambda _: arm.nodes[DRIVER].signal(signal.SIGTERM)}
        self._kinds = ['left alone', 'refused', 'client killed', *self._ends]

    def goal(self, number):
        """Send a goal, end it, and send one that is left alone."""
        kind = self._kinds[number % len(self._kinds)]
        self.times[kind] = self.times.get(kind, 0) + 1
        if kind == 'client killed':
            self._kill_a_client()
        elif kind == 'refused':
            self.wrong += [kind] * self._send(nan, 1.0).accepted
        else:
            self._end(kind)
        handle = self._send(self._random.uniform(-0.5, 0.5), 1.0)
        self.good += handle.accepted and self._status(handle) == _SUCCEEDED

    def _end(self, kind):
        handle = self._send(self._random.choice((-0.8, 0.8)), 1.5)
        future = handle.get_result_async()
        if kind in self._ends:
            self._arm.spin(self._random.uniform(0.0, 1.0))
            start = monotonic()
            self._ends[kind](handle)
        deadline = monotonic() + 1.5 + _PATIENCE
        while not future.done() and monotonic() < deadline:
            self._arm.spin(0.005)
        if not future.done():
            self.hanging.append(kind)
        else:
            self.wrong += [kind] * (future.result().status != _STATUS.get(kind, _ABORTED))
            if kind in self._ends:
                self.answers.append(monotonic() - start)
        if kind == 'stop':
            self._call('reset')
        elif kind == 'driver told to end':
            self._arm.nodes[DRIVER].wait(None)
            self._arm.start(DRIVER)
            self._ready()

    def _kill_a_client(self):
        before = self._arm.states[-1][1][self._index]
        goal = -0.8 if before > 0.0 else 0.8
        client = self._arm.module('client', __name__, str(goal))
        self._arm.wait(lambda: abs(self._arm.states[-1][1][self._index] - before) > 0.05,
                       'an arm on its way')
        client.signal(signal.SIGKILL)
        client.wait(None)

    def _send(self, position, duration):
        future = self._client.send_goal_async(
            FollowJointTrajectory.Goal(trajectory=_trajectory(position, duration)))
        self._arm.wait(future.done, 'an answer to a goal')
        return future.result()

    def _status(self, handle):
        future = handle.get_result_async()
        return future.result().status if self._arm.waited(
            future.done, 1.0 + _LATE + _PATIENCE) else None

    def _call(self, name):
        client = self._services[name]
        self._arm.wait(client.service_is_ready, name)
        future = client.call_async(Trigger.Request())
        self._arm.wait(future.done, f'an answer of {name}')

    def _ready(self):
        self._arm.wait(lambda: self._client.server_is_ready()
                       and self._topic.get_subscription_count()
                       and self._commands.get_subscription_count(), 'the driver')
        heard = len(self._arm.states)
        self._arm.wait(lambda: len(self._arm.states) > heard or len(
            self._arm.states) == self._arm.states.maxlen, 'a state')


def _trajectory(position, duration):
    point = JointTrajectoryPoint(positions=[position])
    point.time_from_start.sec = int(duration)
    point.time_from_start.nanosec = int(duration % 1.0 * 1e9)
    return JointTrajectory(joint_names=[_JOINT], points=[point])


def main():
    """Send a goal and wait to be killed."""
    rclpy.init()
    node = rclpy.create_node('doomed')
    client = ActionClient(node, FollowJointTrajectory, _ACTION)
    client.wait_for_server()
    client.send_goal_async(
        FollowJointTrajectory.Goal(trajectory=_trajectory(float(sys.argv[1]), 2.0)))
    rclpy.spin(node)


if __name__ == '__main__':
    main()
