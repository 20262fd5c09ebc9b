# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Paths of the joints, of target files; poses as entries of them."""

from math import nan

import numpy as np

from ..drivers.commands import gripper_goals
from ..errors import InvalidArmError
from ..motion.joint_path import joint_path

#: The joint that has the farthest to go runs at this part of its largest velocity on average;
#: then the gripper; and the least that either takes [s].
_PART, _LEAST = 1.0 / 3.0, 0.2

#: How far a position of a file may be past a limit that is meant to be the limit [rad].
_PAST = 0.01


def entry_of(model, positions):
    """
    Return positions by name [rad, m] as an entry of a target file: joints, and the opening.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    """
    entry = {'joints': {name: round(positions[name], 4) for name in model.joint_names}}
    for joint in model.extra_joints[:1]:
        part = (positions[joint.name] - joint.closed) / (joint.open - joint.closed)
        entry['gripper'] = round(min(max(part, 0.0), 1.0), 3)
    return entry


def path_of(arm, steps, measured, speed=1.0):
    """
    Return the :class:`~..motion.joint_path.JointPath` through poses.

    The arm rests at each; the gripper moves when the arm is there.

    :param arm: the :class:`~arm_ik.arm.Arm`.
    :param steps: of a :class:`~..description.target_file.TargetFile`.
    :param measured: where the arm is now, by name [rad, m].
    :param speed: 1: at a third of the largest velocities.
    :raises InvalidArmError: naming the entry that cannot be played.
    """
    model, q = arm.model, [measured[name] for name in arm.joint_names]
    grip = [measured[joint.name] for joint in model.extra_joints]
    now, rows = [nan] * len(grip), []
    for step in steps:
        legs = []
        if step.joints is not None:
            legs = [(0.0, _inside(arm, step))]
        elif step.target and step.reachable:
            legs = _to_target(arm, step, q)
        for seconds, after in legs:
            rows.append((seconds or _duration(model.joints, q, after), after, now))
            q = after
        if step.opening is not None and step.target is None:
            now = list(gripper_goals(model.extra_joints, step.opening).values())
            rows.append((_duration(model.extra_joints, grip, now), q, now))
            grip = now
        rows.append((step.wait + _LEAST, q, now))
    seconds, q, extra = zip(*rows)
    return joint_path(model, np.cumsum(seconds), q, dict(zip(
        [joint.name for joint in model.extra_joints], np.transpose(extra))), speed)


def _to_target(arm, step, q):
    """Return times since the one before [s], 0 where there is none, and positions."""
    if step.speed:
        line = arm.line([step.target], q, tip_speed=step.speed)
        reason, legs = line.reason, list(zip(np.diff(line.times), line.q[1:]))
    else:
        solution = arm.solve(step.target, near=q)
        reason, legs = '' if solution.reached else solution.reason, [(0.0, solution.q)]
    if reason:
        raise InvalidArmError(_place(step), reason, 'a target that can be reached so')
    return legs


def _inside(arm, step):
    if set(step.joints) != set(arm.joint_names):
        raise InvalidArmError(f'{_place(step)}: joints', ', '.join(step.joints),
                              f'exactly {", ".join(arm.joint_names)}')
    q = np.array([step.joints[name] for name in arm.joint_names])
    inside = np.clip(q, arm.lower, arm.upper)
    if np.abs(q - inside).max() > _PAST:
        raise InvalidArmError(f'{_place(step)}: joints', step.joints, 'positions inside limits')
    return inside


def _place(step):
    return f'entry {step.entry} ({step.name})'


def _duration(joints, before, after):
    return max([_LEAST, *(abs(b - a) / (_PART * joint.max_velocity)
                          for joint, a, b in zip(joints, before, after))])
