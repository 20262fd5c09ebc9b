# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""An arm that goes from side to side slowly enough that something can happen on the way."""

from time import time

from arm_ik import Arm

from .odd_messages import pose_at, position_of
from .running_arm import PATIENCE, states_since

#: Speed of the joints [rad/s]: from side to side in 1.7 s.
SPEED = 1.2


def slow(arm):
    """Return the parameters of both nodes that slow an arm's joints down to :data:`SPEED`."""
    return {f'arm.joints.{name}.max_velocity': SPEED for name in Arm.preset(arm).joint_names}


def side(arm, number, random):
    """Return a pose of SO-101 on one side or on the other in turn, somewhat varied."""
    return pose_at(arm.arm, [1.0 if number % 2 else -1.0, *(
        at + random.uniform(-0.15, 0.15) for at in (-0.6, 0.7, 0.6, 0.0))])


class SideToSide:
    """
    Asks for one side and for the other.

    :param arm: a :class:`~.running_arm.RunningArm` whose joints are slow.
    :param random: a :class:`random.Random`.
    """

    def __init__(self, arm, random):
        self._arm, self._random, self._number = arm, random, 0

    def next(self):  # noqa: A003
        """Return the pose of the other side."""
        self._number += 1
        return side(self._arm, self._number, self._random)

    def set_out(self):
        """Have the arm on its way from one side, with more than a second and a half to go."""
        arm = self._arm
        arm.move_to(self.next())
        stamp = arm.send(self.next())
        arm.wait(lambda: (status := arm.status_of(stamp)) and status.state == 'moving',
                 'the arm moves')

    def ask(self, since, from_home=False):
        """
        Send the pose of the other side 20 times a second until the arm moves there.

        :param since: of joint states to look at [s].
        :param from_home: whether the arm was put at home meanwhile: then to stand on that side is
            to have moved there, before it was heard.
        :returns: the stamp of the first joint state that shows it [s].
        """
        arm, message, deadline = self._arm, self.next(), time() + PATIENCE
        # The first joint turns the arm towards +y or -y; which sign that is, forward kinematics
        # says.
        sign = 1.0 if arm.arm.forward([0.1, *arm.arm.home[1:]]).position[1] > 0.0 else -1.0
        to_the_left = position_of(message)[1] > 0.0
        while True:
            states = states_since(arm, since)
            if from_home and states and (sign * states[0][1][0] > 0.1) == to_the_left \
                    and abs(states[0][1][0]) > 0.1:
                return states[0][0]
            for (_, (before, *_)), (stamp, (pan, *_)) in zip(states, states[1:]):
                if pan != before and (sign * (pan - before) > 0.0) == to_the_left:
                    return stamp
            if time() > deadline:
                raise RuntimeError(f'not obeyed in {PATIENCE:g} s; {arm.ended()}')
            arm.send(message)
            arm.spin(0.05)
