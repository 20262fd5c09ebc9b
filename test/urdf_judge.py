# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Forward kinematics of a URDF, from the XML and nothing else; a judge for tests.

It shares no code with the package: a wrong URDF cannot agree with it by accident.
"""

from xml.etree import ElementTree

import numpy as np


class UrdfJudge:
    """
    A URDF's joints.

    :param urdf_text: the URDF.
    """

    def __init__(self, urdf_text):
        robot = ElementTree.fromstring(urdf_text)
        self.links = [link.get('name') for link in robot.iter('link')]
        self.joints = {joint.get('name'): joint for joint in robot.findall('joint')}
        self.joint_above = {
            joint.find('child').get('link'): joint for joint in self.joints.values()}

    def pose(self, q_by_name, frame='tool0'):
        """
        Return where a link is.

        :param q_by_name: dict from joint name to position [rad or m]; joints left out are at zero.
        :param frame: the link.
        :returns: 4x4 matrix, in the root link's frame.
        """
        joint = self.joint_above.get(frame)
        if joint is None:
            return np.eye(4)
        above, mimic = self.pose(q_by_name, joint.find('parent').get('link')), joint.find('mimic')
        position = q_by_name.get(joint.get('name') if mimic is None else mimic.get('joint'), 0.0)
        if mimic is not None:
            position *= float(mimic.get('multiplier', '1'))
        return above @ _origin(joint) @ _motion(joint, position)


def _origin(joint):
    element = joint.find('origin')
    if element is None:
        return np.eye(4)
    roll, pitch, yaw = _floats(element.get('rpy', '0 0 0'))
    pose = np.eye(4)
    pose[:3, :3] = (_turn((0, 0, 1), yaw) @ _turn((0, 1, 0), pitch) @ _turn((1, 0, 0), roll))
    pose[:3, 3] = _floats(element.get('xyz', '0 0 0'))
    return pose


def _motion(joint, position):
    pose = np.eye(4)
    if joint.get('type') == 'fixed':
        return pose
    axis = joint.find('axis')
    axis = _floats('1 0 0' if axis is None else axis.get('xyz'))
    if joint.get('type') == 'prismatic':
        pose[:3, 3] = axis * position
    else:
        pose[:3, :3] = _turn(axis / np.linalg.norm(axis), position)
    return pose


def _turn(axis, angle):
    """Return the rotation matrix about a unit axis (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


def _floats(text):
    return np.array([float(word) for word in text.split()])
