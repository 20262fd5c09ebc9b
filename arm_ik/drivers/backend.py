# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What moves joints and reads them: the interface that every servo bus, simulated or real, fulfils.

Positions are those of ``joint_states``: rad, or m on a prismatic extra joint, by joint name. The
promises below hold for every back end; ``test/drivers/backend_contract.py`` runs them over each.
"""

from abc import ABC, abstractmethod
from math import isfinite

from ..errors import DriverError


class Backend(ABC):
    """
    One arm's servos.

    - Nothing moves before the first goal, and no joint past its limits or faster than its
      ``max_velocity``.
    - A goal lasts until the next one for that joint. One that has been reached is reached exactly,
      as far as the servos can tell.
    - Every verb but :meth:`connect` and :meth:`close` raises :class:`DriverError` unless
      connected.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`; its chain's joints, then its
        extra joints, are the joints of the back end.
    """

    #: Name in the registry and in messages.
    name = 'unnamed'

    def __init__(self, model):
        self.joints = {joint.name: joint for joint in (*model.joints, *model.extra_joints)}

    @abstractmethod
    def connect(self):
        """
        Open the bus, with the torque on and every joint held where it is; again does nothing.

        :raises DriverError: if it cannot be opened or a servo does not answer.
        """

    @abstractmethod
    def read(self):
        """
        Return where the joints really are.

        :returns: dict from the name of every joint, in order, to its measured position.
        :raises DriverError: if a servo does not answer; never a guess instead.
        """

    @abstractmethod
    def write(self, goals):
        """
        Send joints towards goals; the others keep theirs. Ignored while the torque is off.

        :param goals: mapping from joint names to positions; past a limit, the limit is taken.
        :raises DriverError: for an unknown joint or a goal that is not finite, before any joint
            has been told anything; or if the bus fails.
        """

    @abstractmethod
    def set_torque(self, on):
        """
        Switch all servos on, held where they are then, or off: a real arm falls.

        :param on: whether the servos hold.
        :raises DriverError: if the bus fails.
        """

    @abstractmethod
    def close(self):
        """Give the bus back; every joint keeps its torque. Again does nothing; never raises."""

    def clamped(self, goals):
        """
        Return goals inside the limits.

        :param goals: mapping from joint names to positions.
        :raises DriverError: for an unknown joint or a goal that is not finite.
        """
        inside = {}
        for name, goal in goals.items():
            joint = self.joints.get(name)
            if joint is None:
                raise DriverError(self.name, f'no joint {name!r}; there are: '
                                             f'{", ".join(self.joints)}')
            if not isfinite(goal):
                raise DriverError(self.name, f'goal {goal} for {name}; allowed: a finite position')
            inside[name] = min(max(float(goal), joint.lower), joint.upper)
        return inside

    def __enter__(self):
        self.connect()
        return self

    def __exit__(self, *_):
        self.close()
