# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
URDFs of arms that are known beforehand, drawn by chance, and the same arms with a known flaw.

The frames of joints and links are turned and moved by chance where that means nothing: along the
joint's axis, about it, and across fixed joints.
"""

from itertools import count
from math import asin, atan2, cos, pi, radians, sin
import random
from typing import NamedTuple

import numpy as np

#: What each flaw is: the joint that has it, and what its refusal says.
FLAWS = {
    'tilted base': ('j1', r'4\.0 deg off.*vertical'),
    'shoulder not level': ('j2', r'3\.0 deg off.*level'),
    'elbow not parallel': ('j3', r'90\.0 deg off.*elbow'),
    'wrist not parallel': ('j4', r'6\.0 deg off.*wrist'),
    'elbow askew': ('j3', r'0\.50 deg off; the tip misses by \d+\.\d\d mm'),
    'wrist yaw': ('j5', r'\d\d\.\d deg off the last link'),
    'roll askew': ('j5', r'\d+\.\d deg off the last link'),
    'forearm roll': ('j4', r'90\.0 deg off.*wrist\. It fits with --hold j4=0'),
    'a joint behind the roll': ('j6', r'behind the wrist roll.*It fits with --hold j6=0'),
    'no elbow': ('j2', r'no elbow behind it'),
    'sliding wrist': ('j4', r'prismatic'),
    'linkage': ('j3', r'follows j2, a linkage'),
    'no limits': ('j2', r'limits -inf to inf'),
    'tip on the wrist axis': ('j4', r'0\.000 mm to the next axis or the tip'),
}


class MadeUp(NamedTuple):
    """A URDF, and the lengths [m] of its arm: base x, y, height and so on, as in the model."""

    text: str
    lengths: dict


def made_up(seed, flaw=''):
    """
    Return a made-up URDF.

    :param seed: the same seed gives the same arm.
    :param flaw: of :data:`FLAWS`; ``''`` for an arm that fits.
    """
    rng = random.Random(f'{seed} {flaw}')
    rolls = rng.random() < 0.6 or flaw in ('wrist yaw', 'roll askew', 'a joint behind the roll')
    lengths = {
        'base_x': rng.uniform(-0.1, 0.1), 'base_y': rng.uniform(-0.1, 0.1),
        'base_height': rng.uniform(0.03, 0.2), 'shoulder_offset': rng.choice([0.0, 0.03, -0.02]),
        'lateral': rng.choice([0.0, 0.004, -0.012]), 'upper_arm': rng.uniform(0.08, 0.3),
        'forearm': rng.uniform(0.08, 0.3),
        'hand': 0.0 if flaw == 'tip on the wrist axis' else rng.uniform(0.05, 0.2)}
    # Canonical angles at position 0: the reach is ahead, so that forward is plain.
    azimuth = rng.choice([0.0, 0.5 * pi, pi, -0.5 * pi])
    elevations = [rng.uniform(0.2, 1.2), rng.uniform(-0.9, 0.6), rng.uniform(-1.2, 0.8)]
    f = np.array([cos(azimuth), sin(azimuth), 0.0])
    up = np.array([0.0, 0.0, 1.0])
    n = np.cross(up, f)
    # base_link is turned so that forward is x: its lengths are those of the turned frame.
    here = (lengths['base_x'] * f + lengths['base_y'] * n + lengths['base_height'] * up)
    points, axes = [here], [up]
    here = here + lengths['shoulder_offset'] * f + lengths['lateral'] * n
    along = f
    for name, elevation in zip(('upper_arm', 'forearm', 'hand'), elevations):
        points.append(here)
        axes.append(-n)
        along = cos(elevation) * f + sin(elevation) * up
        here = here + lengths[name] * along
    tip = here
    lengths['hand_offset'] = rng.choice([0.0, 0.015, -0.008]) if rolls and not flaw else 0.0
    if rolls:
        tip = tip + lengths['hand_offset'] * np.cross(along, n)
        points.append(tip - 0.5 * lengths['hand'] * along)
        axes.append(along)
        beside = rng.choice([0.0, 0.0, 0.008, 0.03])
        across = _turn(along, rng.uniform(-3.0, 3.0)) @ n
        tip = tip + beside * across
    _flawed(flaw, points, axes, n, along, f)
    signs = [rng.choice([1.0, -1.0]) for _ in axes]
    limits = [(-rng.uniform(0.2, 2.5), rng.uniform(0.2, 2.5)) for _ in axes]
    kinds = ['revolute'] * len(axes)
    if rolls and rng.random() < 0.5:
        kinds[4] = 'continuous'
    if flaw == 'sliding wrist':
        kinds[3] = 'prismatic'
    xml = _Xml(rng)
    xml.pose(up * rng.uniform(0.0, 0.1))    # the root's height above the floor: nothing
    xml.links.append(rng.choice(['base_link', 'world', 'base']))
    xml.here = np.eye(4)
    for index, (point, axis) in enumerate(zip(points, axes)):
        name = f'j{index + 1}'
        mimic = '<mimic joint="j2"/>' if flaw == 'linkage' and name == 'j3' else ''
        limit = '' if flaw == 'no limits' and name == 'j2' else limits[index]
        xml.joint(name, kinds[index], point + rng.uniform(-0.05, 0.05) * axis, axis * signs[index],
                  limit, mimic)
    hand = xml.links[-1], xml.here
    for side in (1.0, -1.0) if rng.random() < 0.5 else ():
        xml.links.append(hand[0])
        xml.here = hand[1]
        xml.joint(f'finger{side:g}', 'prismatic', tip + 0.01 * side * n, n, (0.0, 0.03),
                  '<mimic joint="finger1" multiplier="-1"/>' if side < 0.0 else '')
    xml.links.append(hand[0])
    xml.here = hand[1]
    xml.fixed(tip, 'tip')
    return MadeUp(f'<robot name="made_up">{"".join(xml.parts)}</robot>', lengths)


def _flawed(flaw, points, axes, n, along, f):
    """Give axes a flaw."""
    tilt = {'tilted base': (0, 4.0, f), 'shoulder not level': (1, 3.0, f),
            'elbow not parallel': (2, 90.0, [0.0, 0.0, 1.0]),
            'wrist not parallel': (3, 6.0, [0.0, 0.0, 1.0]),
            'elbow askew': (2, 0.5, [0.0, 0.0, 1.0]),
            'wrist yaw': (4, 90.0, n), 'roll askew': (4, 20.0, np.cross(along, n))}
    if flaw in tilt:
        index, angle, about = tilt[flaw]
        axes[index] = _turn(np.array(about), radians(angle)) @ axes[index]
    if flaw == 'wrist yaw':
        points[4] = points[3] + 0.04 * along
    elif flaw == 'forearm roll':
        forearm = points[3] - points[2]
        points.insert(3, points[2] + 0.3 * forearm)
        axes.insert(3, forearm / np.linalg.norm(forearm))
    elif flaw == 'a joint behind the roll':
        points.append(points[4])
        axes.append(n)
    elif flaw == 'no elbow':
        del points[2:], axes[2:]


class _Xml:
    """Collects joints and links; ``here`` is where the last link's frame is."""

    def __init__(self, rng):
        self.rng, self.parts, self.links, self.here = rng, [], [], np.eye(4)
        self.numbers = count()

    def pose(self, point):
        """Return a frame turned by chance at a point."""
        pose = np.eye(4)
        pose[:3, :3] = _turn(np.array([0.0, 0.0, 1.0]), self.rng.uniform(-3, 3)) @ _turn(
            np.array([0.0, 1.0, 0.0]), self.rng.uniform(-1.5, 1.5)) @ _turn(
            np.array([1.0, 0.0, 0.0]), self.rng.uniform(-3, 3))
        pose[:3, 3] = point
        return pose

    def joint(self, name, kind, point, axis, limits, more=''):
        for _ in range(self.rng.choice([0, 0, 1, 2])):
            self.fixed(self.rng.uniform(-0.1, 0.1) * np.ones(3), f'part{next(self.numbers)}')
        pose = self.pose(point)
        words = ' '.join(repr(float(x)) for x in pose[:3, :3].T @ axis * self.rng.choice([1, 2]))
        limit = '<limit effort="1" velocity="{}" lower="{}" upper="{}"/>'.format(
            self.rng.choice(['0', '1.5', '10']), *limits) if limits else ''
        self._add(name, kind, pose, f'{name}_link', f'<axis xyz="{words}"/>{limit}{more}')

    def fixed(self, point, link):
        self._add(f'{link}_fixed', 'fixed', self.pose(point), link, '')

    def _add(self, name, kind, pose, link, more):
        if not self.parts:
            self.parts.append(f'<link name="{self.links[0]}"/>')
        between = np.linalg.inv(self.here) @ pose
        r = between[:3, :3]
        rpy = atan2(r[2, 1], r[2, 2]), -asin(max(-1.0, min(1.0, r[2, 0]))), atan2(r[1, 0], r[0, 0])
        xyz, rpy = [' '.join(repr(float(x)) for x in each) for each in (between[:3, 3], rpy)]
        self.parts.append(
            f'<link name="{link}"/><joint name="{name}" type="{kind}"><origin xyz="{xyz}" '
            f'rpy="{rpy}"/><parent link="{self.links[-1]}"/><child link="{link}"/>{more}</joint>')
        self.links.append(link)
        self.here = pose


def _turn(axis, angle):
    """Return the rotation about a unit axis (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
