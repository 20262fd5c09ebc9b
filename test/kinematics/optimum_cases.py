# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Arms that make finding the closest pose hard, each with a target, by kind and seed.

A case is the same on every machine: ``case('roll', 12)`` says all there is to say.
"""

from dataclasses import replace
from math import pi
from random import Random
from typing import NamedTuple

from arm_ik import Arm, Target
from arm_ik.kinematics.forward import heights
from judged_arms import ExactArm, KINDS, make_arm, random_arm, random_readings
from optimum_targets import TARGETS


class Case(NamedTuple):
    """An arm, what is asked of it, where it is [rad], and words for what is special."""

    arm: Arm
    target: Target
    near: tuple
    words: str

    def __str__(self):
        limits = ', '.join([f'{joint.name} {joint.lower:.4f}..{joint.upper:.4f} * {joint.sign} + '
                            f'{joint.offset:.4f}' for joint in self.arm.model.joints])
        return f'{self.words}; {self.target}, near {self.near}; limits {limits}'


def case(kind, seed, floor=False):
    """
    Return a case.

    :param kind: key of ``KINDS``.
    :param seed: any number; arms and targets of all sorts take turns.
    :param floor: whether the arm has a floor.
    """
    random = Random(f'optimum {kind} {seed} {floor}')
    of_arms, of_targets = random.choice(list(ARMS)), list(TARGETS)[seed % len(TARGETS)]
    arm = ARMS[of_arms](kind, seed, random, floor)
    target = TARGETS[of_targets](arm, random)
    return Case(arm, target, random_readings(arm, random), f'{of_arms}, {of_targets}')


def _any(kind, seed, random, floor):
    """Ranges of half a radian to a turn and a half."""
    arm = random_arm(kind, seed)
    return _changed(arm, {}, random, floor)


def _excluding_zero(kind, seed, random, floor):
    """Ranges that lie to one side of where the joint is straight, one of them long."""
    arm, limits = random_arm(kind, seed), {}
    for joint in arm.model.joints:
        middle, width = random.choice((-1, 1)) * random.uniform(0.4, 2.5), random.uniform(0.1, 0.7)
        limits[joint.role] = sorted(
            joint.position(middle + side * width / 2) for side in (-1, 1))
    role = random.choice(KINDS[kind])
    limits[role] = (limits[role][0], limits[role][0] + random.uniform(0.5, 3.0))
    return _changed(arm, limits, random, floor)


def _past_a_turn(kind, seed, random, floor):
    """Ranges of more than a turn everywhere but in one joint."""
    arm, limits = random_arm(kind, seed), {}
    for joint in arm.model.joints:
        low = random.uniform(-7.0, -3.0)
        limits[joint.role] = (low, low + random.uniform(2 * pi, 12.0))
    role = random.choice(KINDS[kind])
    limits[role] = (-random.uniform(0.0, 1.0), random.uniform(0.0, 1.0))
    return _changed(arm, limits, random, floor)


def _bolted(kind, seed, random, floor):
    """One to three joints that cannot move."""
    arm, limits = random_arm(kind, seed), {}
    for role in random.sample(KINDS[kind], random.choice((1, 1, 2, 3))):
        limits[role] = 2 * (random.choice((0.0, random.uniform(-pi, pi))),)
    return _changed(arm, limits, random, floor)


def _plain(kind, seed, random, floor):
    """No offsets, round numbers, equal links: where ties abound."""
    return make_arm(kind, everywhere=random.choice(((-3.2, 3.2), (-1.5, 1.5), (-0.5, 2.0))),
                    links=random.choice(((0.12, 0.12, 0.08), (0.3, 0.1, 0.08), (0.1, 0.1, 0.2))),
                    shoulder_offset=random.choice((0.0, 0.03)),
                    floor_height=random.choice((-0.1, 0.0)) if floor else None)


#: Sorts of arms by what is special about them.
ARMS = {'any limits': _any, 'limits excluding zero': _excluding_zero,
        'limits past a turn': _past_a_turn, 'bolted joints': _bolted, 'plain': _plain}


def _changed(arm, limits, random, floor):
    """Return the arm with other limits, its home anywhere inside them."""
    model = arm.model
    limits = {joint.role: limits.get(joint.role, (joint.lower, joint.upper))
              for joint in model.joints}
    names = ('base_x', 'base_y', 'base_height', 'shoulder_offset', 'lateral', 'hand_offset')
    changed = make_arm(
        model_kind(model), links=(model.upper_arm, model.forearm, model.hand),
        home=[random.uniform(*limits[joint.role]) for joint in model.joints],
        signs={joint.role: joint.sign for joint in model.joints},
        offsets={joint.role: joint.offset for joint in model.joints},
        **{name: getattr(model, name) for name in names}, **limits)
    if not floor:
        return changed
    lowest = min(heights(changed.solver.geometry, changed.home))
    return ExactArm(replace(changed.model, floor_height=min(random.uniform(-0.3, 0.1), lowest)))


def model_kind(model):
    """Return the key of ``KINDS`` that a model's roles are."""
    return 'bent_wrist_roll' if model.hand_offset else next(
        kind for kind, roles in KINDS.items() if roles == model.roles)
