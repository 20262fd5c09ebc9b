# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Where a hand can take hold of something: a straight line to it, tilted no more than it must be.

Few arms of four or five axes can keep the hand vertical along a whole line, because the wrist
comes to its limit. So the tilt at the object and the one where the line begins are searched for:
the smallest ones, in steps, with which the line is exact and touches nothing.
"""

from functools import cache
from itertools import product
from math import asin, cos, pi, radians, sin
from typing import NamedTuple

import numpy as np

from .line import Line
from ..description.urdf_shapes import opens_along
from ..kinematics.target import Target

#: Tilts that are tried at the object and before it, the smallest first [rad].
_PAIRS = sorted(product([radians(5.0 * step) for step in range(-12, 13)], repeat=2),
                key=lambda tilts: abs(tilts[0]) + abs(tilts[1]))

#: A roll moves a tip beside its axis, which turns the arm plane, which turns the roll: a tenth of
#: it at most.
_ROUNDS = 3

#: Most lines that are planned, because each takes some milliseconds.
_MOST_LINES = 100


class Approach(NamedTuple):
    """
    A straight line to an object, see :meth:`arm_ik.Arm.approach`.

    It leads from the target ``before`` to the one ``at`` the object, with forward vectors on an
    arm that has a wrist roll; ``line`` begins and ends at their joint positions. If there is none,
    these are ``None``, and ``reason`` says why in words.
    """

    before: Target | None = None
    at: Target | None = None
    line: Line | None = None
    reason: str = ''


def plan(arm, wish, distance, near, scene):
    """
    Return the :class:`Approach` of an arm, see :meth:`arm_ik.Arm.approach`.

    :param arm: the :class:`~arm_ik.Arm`.
    :param wish: the target at the object: its up vector is the direction of the line, its forward
        vector the direction that the gripper opens in, to either side; ``None``: any.
    :param distance: from the object to where the line begins [m].
    :param near: joint positions [rad] that the line is to begin near to.
    :param scene: the :class:`~arm_ik.collision.Scene` that it is to be clear of.
    """
    up = np.array(wish.up)
    positions = wish.position, np.subtract(wish.position, distance * up)
    elevation = asin(min(max(up[2], -1.0), 1.0))

    @cache
    def end(number, tilt, side):
        """Return target and solution of a tilted hand at the object (0) or before it (1)."""
        target = arm.target(positions[number], elevation + tilt, near=near)
        for _ in range(0 if wish.forward is None else _ROUNDS):
            forward = _forward(arm.model, target.up, side * np.array(wish.forward))
            target = arm.target(positions[number], elevation + tilt, forward, near)
        return target, arm.solve(target, near)

    sides = sorted([1.0, -1.0][:1 if wish.forward is None else 2],
                   key=lambda side: end(1, 0.0, side)[1].step_rad)
    reason, farthest, lines = '', -1.0, 0
    for (at_tilt, before_tilt), side in product(_PAIRS, sides):
        (at, there), (before, start) = end(0, at_tilt, side), end(1, before_tilt, side)
        fraction, words = 0.0, there.reason if not there.reached else start.reason
        if there.reached and start.reached:
            line, lines = arm.line([at], start), lines + 1
            fraction, words = line.fraction, line.reason
            if fraction == 1.0:
                distances = scene.distances(line.q)
                pair = int(distances.min(axis=0).argmin())
                if distances[:, pair].min() >= 0.0:
                    before, at = _full(arm, before, line.q[0]), _full(arm, at, line.q[-1])
                    return Approach(before, at, line)
                words = f'the {scene.parts[pair]} would touch the {scene.others[pair]}'
        if fraction > farthest:
            reason, farthest = words, fraction
        if lines == _MOST_LINES:
            break
    return Approach(reason=reason)


def _full(arm, target, q):
    """Return a target with the forward vector that its pose has, if the arm can serve one."""
    return target.replace(
        forward=arm.forward(q).rotation[:, 0] if arm.model.has('wrist_roll') else None)


def _forward(model, up, opening):
    """Return the x axis of a ``tool0`` whose fingers open along a direction."""
    is_aside = not model.extra_joints or opens_along(model.extra_joints[0])[1]
    turn = (0.5 * pi if is_aside else 0.0) - model.chosen_tip.turn
    across = opening - opening @ up * np.array(up)
    return cos(turn) * across - sin(turn) * np.cross(up, across)
