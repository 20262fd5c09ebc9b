# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The same arm with limits put out."""

from dataclasses import replace

from arm_ik import Arm


def widened(arm, by):
    """
    Return an arm with wider limits.

    :param by: by joint name ``('lower' or 'upper', how far to put it out [rad])``.
    """
    joints = []
    for joint in arm.model.joints:
        side, amount = by.get(joint.name, ('upper', 0.0))
        reading = getattr(joint, side) + (amount if side == 'upper' else -amount)
        joints.append(replace(joint, **{side: reading}))
    return Arm(replace(arm.model, joints=joints))
