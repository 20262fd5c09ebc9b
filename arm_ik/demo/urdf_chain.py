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

from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np


class UrdfJoint(NamedTuple):
    """One joint between the base and the tip."""

    name: str
    fixed: bool
    origin: np.ndarray
    axis: np.ndarray


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
        joints, link = [], tip
        while link != base:
            if link not in parents or len(joints) > len(parents):
                raise ValueError(f'no chain of joints from {base!r} to {tip!r} in the URDF')
            joints.append(_read(parents[link]))
            link = parents[link].find('parent').get('link')
        self.joints = tuple(reversed(joints))

    def poses(self, positions):
        """
        Return the pose of every joint's frame and of the tip, base first.

        :param positions: positions by joint name [rad].
        :returns: list of transforms in the base link, shape (4, 4); the last is the tip's.
        """
        pose, poses = np.eye(4), []
        for joint in self.joints:
            pose = pose @ joint.origin
            if not joint.fixed:
                pose = pose @ _turn(joint.axis, positions[joint.name])
            poses.append(pose)
        return poses

    def tip(self, positions):
        """Return the tip's pose in the base link, shape (4, 4), for positions by name [rad]."""
        return self.poses(positions)[-1]

    def points(self, positions):
        """Return where the joints and the tip are [m], shape (n, 3), starting at the base link."""
        return np.array([np.zeros(3)] + [pose[:3, 3] for pose in self.poses(positions)])


def _read(element):
    kind = element.get('type')
    if kind not in ('fixed', 'revolute', 'continuous'):
        raise ValueError(f'joint {element.get("name")!r} is {kind}; only turning joints are '
                         'judged')
    origin, axis = element.find('origin'), element.find('axis')
    xyz = _numbers(origin, 'xyz', (0.0, 0.0, 0.0))
    rpy = _numbers(origin, 'rpy', (0.0, 0.0, 0.0))
    transform = np.eye(4)
    for turn, angle in zip(np.eye(3), rpy):
        transform = _turn(turn, angle) @ transform
    transform[:3, 3] = xyz
    direction = _numbers(axis, 'xyz', (1.0, 0.0, 0.0))
    return UrdfJoint(element.get('name'), kind == 'fixed', transform,
                     direction / np.linalg.norm(direction))


def _numbers(element, key, default):
    text = None if element is None else element.get(key)
    return np.array(default if text is None else [float(part) for part in text.split()])


def _turn(axis, angle):
    """Return the homogeneous rotation about a unit axis, by Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn = np.eye(4)
    turn[:3, :3] += np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return turn
