# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Judge a command before anything moves: refused as a whole, or goals inside the limits.

A command is what a ``JointState`` says: names, a position for each, and a velocity for each or
none. Parts of an arm may be commanded by themselves; names that are not joints of this arm are
ignored.
"""

from math import isfinite
from typing import Dict, NamedTuple, Tuple

from ..errors import InvalidInputError


class Command(NamedTuple):
    """
    A command that may be carried out.

    ``goals`` maps joint names to positions inside the limits; ``clamped`` says in words which of
    them were brought there. ``velocities`` is empty if the command gave none.
    """

    goals: Dict[str, float]
    clamped: Tuple[str, ...] = ()
    velocities: Dict[str, float] = {}


def filter_command(joints, names, positions, velocities=()):
    """
    Return what a command asks of an arm's joints.

    :param joints: mapping from names to joints with ``lower`` and ``upper``.
    :param names: joint names; those not in ``joints`` are passed over.
    :param positions: a position for each.
    :param velocities: a velocity for each, or none at all.
    :returns: the :class:`Command`; without goals if it names none of the joints.
    :raises InvalidInputError: if lengths differ, a name stands twice or a number is not finite, no
        matter whose.
    """
    if len(names) != len(positions):
        raise InvalidInputError('command', f'{len(names)} names with {len(positions)} positions',
                                'a position for each name')
    if len(velocities) not in (0, len(names)):
        raise InvalidInputError('command', f'{len(names)} names with {len(velocities)} velocities',
                                'a velocity for each name, or none')
    for name, velocity in zip(names, velocities):
        if not isfinite(velocity):
            raise InvalidInputError(f'velocity for {name}', velocity, 'a finite one')
    goals, clamped = {}, []
    seen = set()
    for name, position in zip(names, positions):
        if not isfinite(position):
            raise InvalidInputError(f'command for {name}', position, 'a finite position')
        if name in seen:
            raise InvalidInputError('command', f'{name} twice', 'each joint once')
        seen.add(name)
        if name in joints:
            goals[name] = goal = _inside(joints[name], position)
            if goal != position:
                clamped.append(f'{name} was asked to go past its limit {goal:g}')
    return Command(goals, tuple(clamped), dict(zip(names, velocities)))


def gripper_goals(extra_joints, opening):
    """
    Return the goals that open or close a gripper.

    :param extra_joints: joints with ``closed`` and ``open`` positions.
    :param opening: from 0, closed, to 1, open.
    :returns: dict from joint names to positions.
    :raises InvalidInputError: if the opening is none, or there is nothing to open.
    """
    if not 0.0 <= opening <= 1.0:  # NaN is not, either
        raise InvalidInputError('gripper command', opening, 'a number from 0, closed, to 1, open')
    if not extra_joints:
        raise InvalidInputError('gripper command', opening, 'nothing: this arm has no gripper')
    # Written so that both ends come out exactly.
    return {joint.name: _inside(joint, (1.0 - opening) * joint.closed + opening * joint.open)
            for joint in extra_joints}


def _inside(joint, position):
    return min(max(float(position), joint.lower), joint.upper)
