# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Targets along a path that never ends: serialized poses that an arm can follow at some rate."""

from math import floor, pi, sin

from arm_ik.nodes.common.pose_message import pose_message
from rclpy.serialization import serialize_message

#: How long one round of the path takes [s].
ROUND_S = 8.0

#: What part of its range a joint uses at most, and what part of its max_velocity [1].
PART_OF_RANGE, PART_OF_VELOCITY = 0.6, 0.5

#: How much farther from the base's origin than the path targets out of reach are [1], and how high
#: above it [m].
_TOO_FAR = 3.0


def path(arm, rate, rng, stretch=1.0):
    """
    Return the targets of one round, which ends where it begins.

    :param arm: the :class:`~arm_ik.Arm`.
    :param rate: targets per second.
    :param rng: a :class:`random.Random`, which decides on the joints' phases.
    :param stretch: how much farther from the base's origin the targets are than the path.
    :returns: list of PoseStamped, serialized, in the base frame and with the stamp zero.
    """
    phases = [rng.uniform(0.0, 2.0 * pi) for _ in arm.joint_names]
    return [_pose(arm, _readings(arm, phases, number / rate), stretch)
            for number in range(floor(rate * ROUND_S))]


def out_of_reach(arm, rng):
    """
    Return targets out of reach, as :func:`path` does, every other one above the yaw axis.

    Near the axis of an arm whose plane passes beside it, the closest pose takes another search.
    """
    far = path(arm, 10.0, rng, _TOO_FAR)
    above = _message((arm.model.base_x + 1e-3, arm.model.base_y, _TOO_FAR),
                     arm.forward(arm.home).rotation)
    return [target for pair in zip(far, [above] * len(far)) for target in pair]


def _readings(arm, phases, time):
    turn = 2.0 * pi / ROUND_S
    readings = []
    for low, high, joint, phase in zip(arm.lower, arm.upper, arm.model.joints, phases):
        amplitude = min(PART_OF_RANGE * (high - low) / 2.0,
                        PART_OF_VELOCITY * joint.max_velocity / turn)
        readings.append((low + high) / 2.0 + amplitude * sin(turn * time + phase))
    return readings


def _pose(arm, readings, stretch):
    tip = arm.forward(readings)
    return _message([stretch * float(along) for along in tip.position], tip.rotation)


def _message(position, rotation):
    return bytes(serialize_message(pose_message(position, rotation, 'base_link', (0, 0))))
