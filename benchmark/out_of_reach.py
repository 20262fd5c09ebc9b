# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Targets that no pose inside the limits meets, one kind after the other."""

from dataclasses import replace

from arm_ik import Arm, Joint, Target
from contest import reachable, reachable_targets
import numpy as np

#: Tries per target: poses are drawn until enough of a kind are out of reach.
TRIES = 4


def kinds(model, count):
    """
    Yield the kinds of targets out of reach of an arm whose base only yaws.

    :param model: of the arm.
    :param count: targets of each kind.
    :returns: ``(name, arm, targets, near)``; where the arm itself has no such targets, it is one
        with other numbers.
    """
    arm, total = Arm(model), TRIES * count
    _, near, poses = reachable(arm, total, 3)
    near = [tuple(row) for row in near.tolist()]
    shoulder = np.array([model.base_x, model.base_y, model.base_height])
    way = poses.position - shoulder
    way /= np.linalg.norm(way, axis=1)[:, None]
    reach = model.upper_arm + model.forearm + model.hand + abs(model.shoulder_offset)
    left = np.cross([0.0, 0.0, 1.0], way)
    left /= np.linalg.norm(left, axis=1)[:, None]
    below = poses.position.copy()
    below[:, 2] = model.base_height - 0.02 - abs(below[:, 2] - model.base_height)
    stiff = _stiff(model)
    for name, at, positions, ups in (
            ('too far', arm, shoulder + 1.3 * reach * way, poses.up),
            ('too close', Arm(replace(model, forearm=0.5 * model.forearm, hand=0.02)),
             shoulder + 0.02 * way, poses.up),
            ('up vector out of the arm plane', arm, poses.position, poses.up + 0.3 * left),
            ('up vector turned round', arm, poses.position, -poses.up),
            ('below the floor', Arm(replace(model, floor_height=model.base_height)),
             below, poses.up)):
        yield name, at, *_unreached(at, list(map(Target, positions, ups)), near, count)
    yield 'joint limits in the way', stiff, *_unreached(
        stiff, *reachable_targets(arm, total, 4), count)


def with_joint(model, role):
    """Return an arm with a rolling base or a tilting wrist, one joint more than the model has."""
    at = 1 if role == 'roll' else 4
    joints, home = list(model.joints), list(model.home)
    joints.insert(at, Joint(role, role, -1.0, 1.0, 3.0))
    home.insert(at, 0.0)
    return Arm(replace(model, joints=joints, home=home))


def of_kind(model, role, count):
    """Return an arm with one joint more, targets too far or beyond its limits, and near."""
    arm = with_joint(model, role)
    targets, near = reachable_targets(arm, TRIES * count, 5)
    positions = np.array([target.position for target in targets])
    far = [Target(1.5 * position, target.up) for position, target in zip(positions, targets)]
    stiff = _stiff(arm.model)
    return stiff, *_unreached(stiff, far, near, count)


def _stiff(model):
    """Return the arm with three fifths of the range of every joint but the yaw."""
    joints, home = [], []
    for joint, at in zip(model.joints, model.home):
        if joint.role != 'yaw':
            margin = 0.2 * (joint.upper - joint.lower)
            joint = replace(joint, lower=joint.lower + margin, upper=joint.upper - margin)
        joints.append(joint)
        home.append(min(max(at, joint.lower), joint.upper))
    return Arm(replace(model, joints=joints, home=home))


def _unreached(arm, targets, near, count):
    """Return those an arm does not reach, no more than ``count``, each with its near."""
    found = []
    for target, at in zip(targets, near):
        if len(found) < count and not arm.solve(target, at).reached:
            found.append((target, at))
    return [list(column) for column in zip(*found)]
