# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The arm's geometry in vectors, written down from its conventions alone; a judge for tests.

It imports nothing from the package. The conventions: yaw turns left about base z; roll turns about
forward; the links stand at shoulder, shoulder + elbow, shoulder + elbow + wrist above forward in
the arm plane; wrist_tilt turns the last link left, out of the plane; wrist_roll turns the tool
about the last link; the tool's z goes along the last link, its y to the plane's left normal at
roll zero.
"""

from itertools import product
from math import cos, pi, sin
from random import Random

import numpy as np

#: Every kind of arm: the roles of its joints, base to tip.
KINDS = tuple(tuple(
    role for role in ('yaw', 'roll', 'shoulder', 'elbow', 'wrist', 'wrist_tilt', 'wrist_roll')
    if role in ('yaw', 'shoulder', 'elbow', 'wrist', second, last))
    for second, last in product((None, 'roll', 'wrist_tilt'), (None, 'wrist_roll')))


def random_arm(roles, seed):
    """
    Return the ``arm`` block of an arm with random numbers everywhere.

    :param roles: roles of its joints.
    :param seed: of the random numbers.
    """
    random = Random(f'{roles} {seed}')
    uniform = random.uniform
    joints = {f'joint_{index}': {
        'role': role, 'sign': random.choice((1, -1)), 'offset': uniform(-pi, pi),
        'lower': uniform(-3.0, -1.0), 'upper': uniform(1.0, 3.0),
        'max_velocity': uniform(0.5, 6.0)} for index, role in enumerate(roles)}
    return {
        'name': f'random {seed}',
        'base': {'x': uniform(-0.1, 0.1), 'y': uniform(-0.1, 0.1), 'height': uniform(0.0, 0.2),
                 'shoulder_offset': uniform(-0.05, 0.05),
                 'lateral': 0.0 if 'roll' in roles else uniform(-0.05, 0.05)},
        'links': {name: uniform(0.05, 0.3) for name in ('upper_arm', 'forearm', 'hand')},
        'joint_names': list(joints),
        'joints': joints,
        'home': [uniform(block['lower'], block['upper']) for block in joints.values()],
    }


def random_position(arm, random):
    """Return a joint vector inside the limits, as a dict by joint name."""
    return {name: random.uniform(block['lower'], block['upper'])
            for name, block in arm['joints'].items()}


def tool_pose(arm, position):
    """
    Return where the tool is.

    :param arm: the ``arm`` block.
    :param position: joint positions by name.
    :returns: 4x4 matrix of ``tool0`` in ``base_link``.
    """
    base, links = arm['base'], arm['links']
    angle = dict.fromkeys(('roll', 'wrist_tilt', 'wrist_roll'), 0.0)
    for name, block in arm['joints'].items():
        angle[block['role']] = block['sign'] * position[name] + block['offset']
    yaw, roll, tilt, turn = (angle[role] for role in ('yaw', 'roll', 'wrist_tilt', 'wrist_roll'))
    forward = np.array([cos(yaw), sin(yaw), 0.0])
    left = np.array([-sin(yaw) * cos(roll), cos(yaw) * cos(roll), sin(roll)])
    upward = np.cross(forward, left)

    def direction(elevation):
        return cos(elevation) * forward + sin(elevation) * upward

    point = (np.array([base['x'], base['y'], base['height']])
             + base['shoulder_offset'] * forward + base['lateral'] * left)
    elevation = angle['shoulder']
    point = point + links['upper_arm'] * direction(elevation)
    elevation += angle['elbow']
    point = point + links['forearm'] * direction(elevation)
    elevation += angle['wrist']
    in_plane = direction(elevation)
    up = cos(tilt) * in_plane + sin(tilt) * left
    left_of_hand = cos(tilt) * left - sin(tilt) * in_plane
    tool_y = cos(turn) * left_of_hand + sin(turn) * np.cross(up, left_of_hand)
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([np.cross(tool_y, up), tool_y, up])
    pose[:3, 3] = point + links['hand'] * up
    return pose
