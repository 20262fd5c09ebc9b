# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Forward kinematics from a URDF, as a judge that is independent of the solver.

It uses nothing of ``arm_ik.kinematics``, only the text of the URDF. Every joint is the fixed
transform ``xyz, rpy`` followed by a turn about ``axis``, as in the URDF specification.
"""

from xml.etree import ElementTree

import numpy as np


class UrdfChain:
    """
    The joints between two links of a URDF.

    :param urdf: the robot description.
    :param base: link the poses are given in.
    :param tip: link whose pose is asked for.
    :raises ValueError: if no chain of joints leads from base to tip.
    """

    def __init__(self, urdf, base='base_link', tip='tool0'):
        parents = {joint.find('child').get('link'): joint
                   for joint in ElementTree.fromstring(urdf).iter('joint')
                   if joint.find('child') is not None}
        self.joints, link = [], tip
        while link != base:
            if link not in parents or len(self.joints) > len(parents):
                raise ValueError(f'no chain of joints from {base!r} to {tip!r} in the URDF')
            self.joints.insert(0, _read(parents[link]))
            link = parents[link].find('parent').get('link')

    def poses(self, positions):
        """
        Return the pose of every joint's frame and of the tip, base first.

        :param positions: positions by joint name [rad].
        :returns: list of transforms in the base link, shape (4, 4); the last is the tip's.
        """
        pose, poses = np.eye(4), []
        for name, origin, axis in self.joints:
            pose = pose @ origin
            if axis is not None:
                pose = pose @ _turn(axis, positions[name])
            poses.append(pose)
        return poses

    def tip(self, positions):
        """Return the tip's pose in the base link, shape (4, 4), for positions by name [rad]."""
        return self.poses(positions)[-1]

    def points(self, positions):
        """Return where the joints and the tip are [m], shape (n, 3), starting at the base link."""
        return np.array([np.zeros(3)] + [pose[:3, 3] for pose in self.poses(positions)])


def _read(element):
    """Return a joint's name, its fixed transform, and its unit axis, ``None`` if it is fixed."""
    name, kind = element.get('name'), element.get('type')
    if kind not in ('fixed', 'revolute', 'continuous'):
        raise ValueError(f'joint {name!r} is {kind}; only turning joints are judged')
    origin = np.eye(4)
    for unit, angle in zip(np.eye(3), _numbers(element, 'origin', 'rpy', '0 0 0')):
        origin = _turn(unit, angle) @ origin
    origin[:3, 3] = _numbers(element, 'origin', 'xyz', '0 0 0')
    axis = _numbers(element, 'axis', 'xyz', '1 0 0')
    return name, origin, None if kind == 'fixed' else axis / np.linalg.norm(axis)


def _numbers(element, tag, key, default):
    found = element.find(tag)
    return np.array((default if found is None else found.get(key, default)).split(), float)


def _turn(axis, angle):
    """Return the homogeneous rotation about a unit axis, by Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn = np.eye(4)
    turn[:3, :3] += np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return turn
