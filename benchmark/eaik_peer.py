# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
EAIK, a closed-form solver in C++, set up to answer the targets of an arm whose base only yaws.

EAIK takes a whole pose, position and rotation, and the axes of five joints: yaw, shoulder, elbow,
wrist and a roll about the last link, which is added where an arm has none (given the four axes
alone it answers wrongly where yaw and shoulder axis meet). It has no joint limits, no choice
between the branches and no check of the answer. It does less than a user needs, so it is a strict
reference for speed.
"""

import numpy as np

try:
    from eaik.pybindings.EAIK import Robot
except ImportError:
    Robot = None

#: An answer farther than this from its target [m, and entries of the rotation] is wrong.
RIGHT = 1e-6


class Peer:
    """
    EAIK's robot for an arm whose base only yaws; its joint angles are the canonical ones.

    :param model: :class:`arm_ik.ArmModel`.
    """

    def __init__(self, model):
        self._model = model
        axes = [(0, 0, 1), (0, -1, 0), (0, -1, 0), (0, -1, 0), (1, 0, 0)]
        offsets = [(model.base_x, model.base_y, model.base_height),
                   (model.shoulder_offset, model.lateral, 0), (model.upper_arm, 0, 0),
                   (model.forearm, 0, 0), (model.hand, 0, 0), (0, 0, 0)]
        self._robot = Robot(np.array(axes, dtype=float).T, np.array(offsets, dtype=float).T,
                            np.eye(3), [], True)
        #: The bare call: a pose in, every branch out.
        self.solve = self._robot.calculate_IK
        #: The same for a list of poses and a number of threads.
        self.solve_batch = self._robot.calculate_IK_batched

    def pose(self, q):
        """Return EAIK's own forward kinematics of positions, laid out as it likes best."""
        angles = [joint.canonical(position) for joint, position in zip(self._model.joints, q)]
        return np.asfortranarray(self._robot.fwdkin(np.array((angles + [0.0])[:5])))

    def is_right(self, pose, answer):
        """Tell whether one of the branches of an answer takes the tool to a pose."""
        return any(np.abs(self._robot.fwdkin(q) - pose).max() < RIGHT for q in answer.Q)
