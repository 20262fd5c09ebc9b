# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A simulated SO-101 that goes from side to side slowly: something can happen on the way."""

from time import monotonic

from arm_ik import Arm
from arm_ik.testing import SimulatedArm

#: Speed of the joints [rad/s]: from side to side in 1.7 s.
SPEED = 1.2


class SideToSide(SimulatedArm):
    """
    See the module; its joint states come at 200 Hz.

    :param random: a :class:`random.Random`.
    :param ik_node: parameters of ``ik_node``.
    """

    def __init__(self, random, **ik_node):
        slow = {f'arm.joints.{name}.max_velocity': SPEED
                for name in Arm.preset('so101').joint_names}
        super().__init__('so101', parameters={
            'driver_node': {**slow, 'state_rate': 200.0}, 'ik_node': {**slow, **ik_node}})
        self._random, self._number = random, 0
        self.goal = self.arm.home   # of the last side that was asked for [rad]

    def turn(self):
        """Make the other side the goal, somewhat varied."""
        self._number += 1
        self.goal = (1.0 if self._number % 2 else -1.0, *(
            at + self._random.uniform(-0.15, 0.15) for at in (-0.6, 0.7, 0.6, 0.0)))

    def ask(self):
        """Send the goal; return the target's stamp."""
        return self.send(*pose_of(self.arm, self.goal))

    def left(self, q):
        """Return how far joint positions are from the goal: the largest difference [rad]."""
        return max(abs(a - b) for a, b in zip(q, self.goal))

    def arrive(self):
        """Go to the other side."""
        self.turn()
        self.wait_for_arrival(self.ask())

    def set_out(self):
        """Have the arm on its way to one side from the other, with more than a second to go."""
        self.arrive()
        self.turn()
        stamp = self.ask()
        self.wait_until(lambda: any(status.state == 'moving' for status in self.statuses(stamp)),
                        'the arm moves')

    def watch(self, seconds, holds=lambda states: False, every=lambda: None):
        """
        Listen for some time [s], or until something holds of the states.

        :param holds: function of the states so far.
        :param every: called 20 times a second.
        :returns: list of ``(stamp [s], positions of the chain)``.
        """
        states, end = [], monotonic() + seconds

        def take():
            stamp = self.state_stamp[0] + 1e-9 * self.state_stamp[1]
            if not states or stamp > states[-1][0]:
                states.append((stamp, self.q))
            return holds(states) or monotonic() > until
        while monotonic() < end and not holds(states):
            every()
            until = min(end, monotonic() + 0.05)
            self.wait_until(take, 'joint states', seconds + self.timeout)
        return states


def pose_of(arm, q):
    """Return tip position, up and forward vector of joint positions."""
    pose = arm.forward(q)
    return pose.position, pose.up, pose.rotation[:, 0]


def motions(states, since):
    """Return the stamps [s] at which the arm has moved since the state before, from a time on."""
    states = [state for state in states if state[0] > since]
    return [stamp for (_, before), (stamp, q) in zip(states, states[1:]) if q != before]
