# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
EAIK, a closed-form solver in C++, set up to answer the targets of an arm whose base only yaws.

EAIK takes a whole pose, position and rotation. Given the four axes of such an arm it answers
wrongly where yaw and shoulder axis meet, so the arm is embedded in five: a roll about the last
link is added, and the target is the pose with that roll at zero. No joint limits, no choice
between the branches, no check of the answer: less than what a user needs, and so a fair mark to be
measured by.
"""

import numpy as np

try:
    from eaik.IK_HP import HPRobot
except ImportError:
    HPRobot = None

#: An answer farther than this from its target [m, and entries of the rotation] is wrong.
RIGHT = 1e-6


class Peer:
    """
    EAIK's robot for an arm of four joints whose readings are the canonical angles.

    :param model: :class:`arm_ik.ArmModel` without lateral offset.
    :param five_axes: add the roll about the last link.
    """

    def __init__(self, model, five_axes=True):
        assert model.roles == ('yaw', 'shoulder', 'elbow', 'wrist') and model.lateral == 0.0
        assert all(joint.sign == 1 and joint.offset == 0.0 for joint in model.joints)
        axes = [(0, 0, 1), (0, -1, 0), (0, -1, 0), (0, -1, 0)]
        offsets = [(model.base_x, model.base_y, model.base_height), (model.shoulder_offset, 0, 0),
                   (model.upper_arm, 0, 0), (model.forearm, 0, 0), (model.hand, 0, 0)]
        if five_axes:
            axes.append((1, 0, 0))
            offsets.append((0, 0, 0))
        self._extra = len(axes) - 4
        self.robot = HPRobot(np.array(axes, dtype=float), np.array(offsets, dtype=float))
        #: The bare call: a pose in, every branch out.
        self.solve = self.robot._robot.calculate_IK
        #: The same for a list of poses and a number of threads.
        self.solve_batch = self.robot._robot.calculate_IK_batched

    def pose(self, q):
        """Return EAIK's own forward kinematics of four readings, laid out as it likes best."""
        return np.asfortranarray(self.robot.fwdKin(np.append(q, np.zeros(self._extra))))

    def is_right(self, pose, answer):
        """Tell whether one of the branches of an answer takes the tool to a pose."""
        return any(np.abs(self.robot.fwdKin(q) - pose).max() < RIGHT for q in answer.Q)
