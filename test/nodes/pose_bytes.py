# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Serialized poses along a path, for tests that hand them in without a topic."""

from random import Random

from arm_ik.nodes.common.pose_message import pose_message
import numpy as np
from rclpy.serialization import serialize_message
from tip_targets import HABITS


def pose_bytes(tip, up_axis='z', sec=1_700_000_000, nanosec=1, frame='base_link'):
    """Return the bytes of a pose that asks for a tip pose."""
    rotation = np.array(tip.rotation) @ np.array(HABITS[up_axis])
    return bytes(serialize_message(pose_message(tip.position, rotation, frame, (sec, nanosec))))


def path(arm, count, step, seed, up_axis='z'):
    """Return messages along a random path inside the limits; they are numbered by nanoseconds."""
    rng, q, found = Random(seed), list(arm.home), []
    for number in range(count):
        q = [min(max(reading + rng.uniform(-step, step), low), high)
             for reading, low, high in zip(q, arm.lower, arm.upper)]
        found.append(pose_bytes(arm.forward(q), up_axis, nanosec=number))
    return found
