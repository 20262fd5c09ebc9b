# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Distances by coal, of the collision shapes in a URDF and of shapes to stay out of; a judge.

It shares no code with the package: joints by :mod:`urdf_judge`, shapes from the XML. A box of the
arm counts as the capsule around it.
"""

from xml.etree import ElementTree

import coal
import numpy as np
from urdf_judge import UrdfJudge

#: Halves of what has no end [m].
FAR = 10.0

#: How far the corners of a box are out of the capsule around it, at most [m].
CORNER = 0.004


class CoalJudge:
    """
    An arm's collision shapes among others.

    :param urdf_text: the URDF.
    :param keep_out: :class:`~arm_ik.kinematics.model.KeepOut`, in the root link's frame.
    :param floor: height of a floor [m], or ``None``.
    """

    def __init__(self, urdf_text, keep_out=(), floor=None):
        self._joints = UrdfJudge(urdf_text)
        robot = ElementTree.fromstring(urdf_text)
        self.links = {}
        for link in robot.iter('link'):
            shapes = [_shape(element) for element in link.findall('collision')]
            if shapes:
                self.links[link.get('name')] = shapes
        self.fixed = {shape.name: [_keep_out(shape)] for shape in keep_out}
        if floor is not None:
            self.fixed['floor'] = [(coal.Box(2 * FAR, 2 * FAR, 2 * FAR),
                                    _at((0.0, 0.0, floor - FAR)))]

    def distance(self, q_by_name, one, other):
        """Return the distance of a link from another, or from a fixed shape [m]; < 0: overlap."""
        return min(_distance(a, b) for a in self._placed(q_by_name, one)
                   for b in self._placed(q_by_name, other))

    def _placed(self, q_by_name, name):
        if name in self.fixed:
            return self.fixed[name]
        pose = self._joints.pose(q_by_name, name)
        return [(shape, pose @ place) for shape, place in self.links[name]]


def _distance(a, b):
    found = coal.DistanceResult()
    coal.distance(a[0], _transform(a[1]), b[0], _transform(b[1]), coal.DistanceRequest(), found)
    return found.min_distance


def _transform(pose):
    return coal.Transform3s(np.array(pose[:3, :3]), np.array(pose[:3, 3]))


def _at(xyz, rpy=(0.0, 0.0, 0.0)):
    pose = np.eye(4)
    roll, pitch, yaw = rpy
    for axis, angle in ((2, yaw), (1, pitch), (0, roll)):
        turn = np.eye(4)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        turn[i, i] = turn[j, j] = np.cos(angle)
        turn[j, i], turn[i, j] = np.sin(angle), -np.sin(angle)
        pose = pose @ turn
    pose[:3, 3] = xyz
    return pose


def _shape(element):
    origin, (kind,) = element.find('origin'), element.find('geometry')
    numbers = {name: [float(word) for word in value.split()] for name, value in kind.items()}
    shape = {'sphere': lambda: coal.Sphere(*numbers['radius']),
             'cylinder': lambda: coal.Cylinder(*numbers['radius'], *numbers['length']),
             'box': lambda: coal.Capsule(0.0, 0.0)}[kind.tag]()
    place = _at(*([float(word) for word in origin.get(name).split()] for name in ('xyz', 'rpy')))
    if kind.tag != 'box':
        return shape, place
    *short, long = sorted(numbers['size'])
    radius = np.linalg.norm(short) / 2
    out = min(radius, np.sqrt((radius + CORNER) ** 2 - radius ** 2))
    shape = coal.Capsule(radius, max(0.0, long - 2 * out))
    turn = {0: (0.0, np.pi / 2, 0.0), 1: (np.pi / 2, 0.0, 0.0), 2: (0.0, 0.0, 0.0)}
    return shape, place @ _at((0.0, 0.0, 0.0), turn[int(np.argmax(numbers['size']))])


def _keep_out(shape):
    pose = _at(shape.position, shape.rpy)
    if shape.kind == 'half_space':
        return coal.Box(2 * FAR, 2 * FAR, 2 * FAR), pose @ _at((0.0, 0.0, -FAR))
    return (coal.Box if shape.kind == 'box' else coal.Cylinder)(*shape.size), pose
