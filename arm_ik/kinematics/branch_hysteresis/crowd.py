# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Poses along a path of positions, where the roll may have to turn for the arm to get along it.

A crowd of poses goes from position to position. Each takes the least step that meets the next one
(Newton's method, inside the limits) and, as far as that leaves it free, one towards a pose drawn
at random. Poses that cannot, or would step too far, begin anew where others are. It is a search,
and may lose a narrow passage.
"""

import numpy as np

from ..chain import jacobian
from ..pose import forward
from ..tolerances import ROUNDING, TIE

#: How many poses, and how far they go towards those drawn, from target to target at most [rad].
CROWD, PULL = 160, 0.2

#: Most steps of Newton's method to a position, the largest of a joint [rad], and the damping.
STEPS, LARGEST, DAMPING = 8, 0.3, 1e-9


def crowds(geometry, targets, start, bounds):
    """
    Yield for each target poses that meet its position, and continue some of those before.

    :param geometry: of the arm.
    :param start: joint positions [rad].
    :param bounds: for each target the largest step to it [rad].
    :returns: arrays (n, joints), n may be 0. The next one continues what is sent back.
    """
    ends = np.transpose([(limits.lower, limits.upper) for limits in geometry.limits])
    random, q, aims = np.random.default_rng(0), np.clip([start], *ends), np.empty((0, len(start)))
    pull = np.linspace(0.0, PULL, CROWD)[:, None]
    for target, bound in zip(targets, bounds):
        q = np.resize(q, (CROWD, len(start)))
        aims = np.concatenate([aims, random.uniform(*ends, q.shape)])[:CROWD]
        off = aims - q
        wish = off * np.minimum(1.0, pull / np.abs(off).max(axis=1, keepdims=True))
        moved = _at_position(geometry, q, wish, np.array(target.position), *ends)
        missed = np.linalg.norm(forward(geometry, moved).position - target.position, axis=1)
        alive = (missed <= TIE) & (np.abs(moved - q).max(axis=1) <= bound)
        q, aims = (yield moved[alive]), aims[alive]


def _at_position(geometry, q, wish, position, lower, upper):
    """Return poses with the tip at a position, by small steps, and the wish if it is free."""
    for _ in range(STEPS):
        off, free = position - forward(geometry, q).position, np.ones(q.shape, dtype=bool)
        if not wish.any() and np.abs(off).max() < ROUNDING:
            break
        moves = jacobian(geometry, q)[:, :3]
        for _ in range(3):
            some = moves * free[:, None]
            square = some @ some.swapaxes(1, 2) + DAMPING * np.eye(3)
            wish = wish * free
            left = off[..., None] - some @ wish[..., None]
            step = wish + (some.swapaxes(1, 2) @ np.linalg.solve(square, left))[..., 0]
            # A joint at a limit that would go past it stays there, and the others step again.
            free &= ~((q <= lower) & (step < 0.0) | (q >= upper) & (step > 0.0))
        q = np.clip(q + np.clip(step, -LARGEST, LARGEST), lower, upper)
        wish = np.zeros_like(q)
    return q
