# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
What the core claims of its answers, against forward kinematics read off the URDF.

Answers are rows ``(class, Asked, up vector stored for points or None, Solution)``.
"""

import numpy as np

from .true_tip import angles, tool_axes, TrueTip


def errors(arm, answers):
    """
    Return how far the answers really are from what was asked, and how far they claim to be.

    :returns: dict of arrays, one value per answer: ``position`` and ``claimed_position`` [m],
        ``up`` and ``claimed_up`` [rad], NaN where no up vector was asked for, ``forward`` [rad]
        for poses, and ``scale`` [m], how far away the target is, at least 1.
    """
    tips, rotations = TrueTip(arm).poses([solution.q for *_, solution in answers])
    asked = np.array([asked.position for _, asked, _, _ in answers])
    forwards, ups = tool_axes(np.array([asked.orientation for _, asked, _, _ in answers]))
    for row, (_, one, stored_up, _) in enumerate(answers):
        if one.topic == 'target_point':
            ups[row] = np.nan if stored_up is None else stored_up
    return {
        'position': np.linalg.norm(tips - asked, axis=-1),
        'claimed_position': np.array([solution.position_error_m for *_, solution in answers]),
        'up': angles(rotations[:, :, 2], ups),
        'claimed_up': np.array([solution.up_error_rad for *_, solution in answers]),
        'forward': angles(rotations[:, :, 0], forwards),
        'scale': np.maximum(1.0, np.abs(asked).max(axis=-1)),
    }


def worst_difference(arm, answers):
    """
    Return how far claims are from the truth at worst.

    :returns: position [m per m of distance, from 1 m on: there a float's digits end sooner] and
        up vector [rad].
    """
    if not answers:
        return 0.0, 0.0
    found = errors(arm, answers)
    position = np.abs(found['position'] - found['claimed_position']) / found['scale']
    up = np.abs(found['up'] - found['claimed_up'])
    # What is not a number, though it was asked for, must not get lost.
    asked_up = [one.topic == 'target_pose' or stored is not None for _, one, stored, _ in answers]
    return float(position.max()), float(np.max(up[asked_up], initial=0.0))


def misses(arm, answers):
    """Return each answer's real errors: tip [m], and the larger of up and forward vector [rad]."""
    if not answers:
        return np.zeros(0), np.zeros(0)
    found = errors(arm, answers)
    forward = found['forward'] if arm.model.has('wrist_roll') else 0.0
    return found['position'], np.maximum(found['up'], forward)
