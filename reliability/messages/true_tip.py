# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Where an arm's tip is, many readings at once, by nothing but the URDF.

Each joint is the fixed transform that :class:`~arm_ik.demo.urdf_chain.UrdfChain` reads off the
text, followed by a turn about its axis, by Rodrigues' formula::

    R = I + sin(q) K + (1 - cos(q)) K K,   K v = axis × v
"""

from arm_ik.demo.urdf_chain import UrdfChain
import numpy as np


class TrueTip:
    """
    The judge of an arm's answers.

    :param arm: the :class:`~arm_ik.Arm`; only the text of its URDF is used.
    """

    def __init__(self, arm):
        self._joints = UrdfChain(arm.to_urdf()).joints
        self._names = arm.joint_names

    def poses(self, readings):
        """
        Return the poses of ``tool0`` in ``base_link``.

        :param readings: of the chain, base to tip [rad], shape ``(n, joints)``.
        :returns: position [m], shape ``(n, 3)``, and rotation, shape ``(n, 3, 3)``.
        """
        readings = np.asarray(readings, float)
        position, rotation = np.zeros((len(readings), 3)), np.eye(3)[None]
        for joint in self._joints:
            position = position + rotation @ joint.origin[:3, 3]
            rotation = rotation @ joint.origin[:3, :3]
            if not joint.fixed:
                rotation = rotation @ _turns(
                    joint.axis, readings[:, self._names.index(joint.name)])
        return position, rotation


def angles(a, b):
    """Return the angles between two arrays of vectors [rad], shape ``(n, 3)`` each."""
    return np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1))


def tool_axes(quaternions):
    """
    Return the x and z axes of the frames that quaternions turn to.

    :param quaternions: (x, y, z, w), shape ``(n, 4)``, any length but zero.
    :returns: two arrays, shape ``(n, 3)``.
    """
    quaternions = quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True)
    x, y, z, w = quaternions.T
    return (np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)], -1),
            np.stack([2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)], -1))


def _turns(axis, angle):
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sin, cos = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + sin * cross + (1.0 - cos) * (cross @ cross)
