# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Targets that make finding the closest pose hard: a function of arm and ``Random`` each."""

from math import pi

from arm_ik import Target
from judged_arms import Judge, random_readings
import numpy as np


def _direction(random):
    """Return an up vector; none, along an axis and level ones among them."""
    vector = [random.gauss(0.0, 1.0) for _ in range(3)]
    return random.choice((None, vector, vector, vector, vector, (0, 0, 1), (0, 0, -1), (1, 0, 0),
                          (vector[0], vector[1], 0)))


def _shoulder(arm):
    return np.array([arm.model.base_x, arm.model.base_y, arm.model.base_height])


def _at(arm, random, low, high):
    """Return a target so many reaches away from the shoulder's height on the yaw axis."""
    away = np.array([random.gauss(0.0, 1.0) for _ in range(3)])
    away *= random.uniform(low, high) * arm.model.reach / np.linalg.norm(away)
    return Target(_shoulder(arm) + away, _direction(random))


def _far(arm, random):
    return _at(arm, random, 1.2, 4.0)


def _around(arm, random):
    return _at(arm, random, 0.2, 1.1)


def _too_close(arm, random):
    return _at(arm, random, 0.0, 0.3)


def _past_limits(arm, random):
    """Return a pose a little beyond the limits of one or two joints."""
    q = list(random_readings(arm, random))
    for i in random.sample(range(len(q)), random.choice((1, 2))):
        past = random.choice((1e-6, 1e-3, 0.05, 0.3))
        q[i] = random.choice((arm.lower[i] - past, arm.upper[i] + past))
    return Judge(arm, thorough=False).target(q)


def _at_limits(arm, random):
    """Return a pose with several joints at limits, or the tip a little away from one."""
    q = [random.choice((low, high, reading)) for low, high, reading in zip(
        arm.lower, arm.upper, random_readings(arm, random))]
    target = Judge(arm, thorough=False).target(q)
    away = random.choice((0.0, 1e-7, 1e-4, 0.01))
    return Target([value + random.uniform(-away, away) for value in target.position], target.up)


def _stretched(arm, random):
    """Return a target at the edge of reach: pointing straight away from the shoulder, or past."""
    q = list(random_readings(arm, random))
    for joint in arm.model.joints:
        if joint.role in ('elbow', 'wrist', 'wrist_tilt'):
            straight = joint.position(random.choice((0.0, 0.0, pi)))
            q[arm.joint_names.index(joint.name)] = straight
    target = Judge(arm, thorough=False).target(q)
    scale = random.choice((1.0, 1.0 - 1e-7, 1.0 + 1e-7, 1.001))
    return Target(_shoulder(arm) + scale * (np.array(target.position) - _shoulder(arm)),
                  random.choice((target.up, _direction(random))))


def _other_up(arm, random):
    """Return a position the arm reaches, with any up vector."""
    return Target(Judge(arm, thorough=False).target(random_readings(arm, random)).position,
                  [random.gauss(0.0, 1.0) for _ in range(3)])


def _tilted_up(arm, random):
    """Return a position the arm reaches, with an up vector a little off one it has there."""
    target = Judge(arm, thorough=False).target(random_readings(arm, random))
    off = random.choice((1e-4, 0.05, 0.5))
    return Target(target.position, [value + random.gauss(0.0, off) for value in target.up])


def _on_the_axis(arm, random):
    """Return a target on the yaw axis."""
    height = random.choice((0.0, random.uniform(-1.2, 1.2) * arm.model.reach))
    return Target(_shoulder(arm) + (0.0, 0.0, height), _direction(random))


def _above_a_reached_one(arm, random):
    """Return a position the arm reaches with the up vector straight up, down or level."""
    return Target(Judge(arm, thorough=False).target(random_readings(arm, random)).position,
                  random.choice(((0, 0, 1), (0, 0, -1), (1, 0, 0), (0, -1, 0))))


def _reached(arm, random):
    """Return a pose the arm reaches."""
    return Judge(arm, thorough=False).target(random_readings(arm, random))


#: Sorts of targets.
TARGETS = {
    'far': _far, 'past the limits': _past_limits, 'other up': _other_up, 'around': _around,
    'at the limits': _at_limits, 'tilted up': _tilted_up, 'stretched': _stretched,
    'too close': _too_close, 'up along an axis': _above_a_reached_one,
    'on the yaw axis': _on_the_axis, 'reached': _reached}
