# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Poses along a path of positions, where the roll may have to turn for the arm to get along it.

A crowd of poses goes from position to position. Each goes towards a pose drawn at random, and from
there by least steps to the next position (Newton's method, inside the limits). Poses that do not
meet it, or have moved too far, begin anew where others are. It is a search, and may lose a narrow
passage.
"""

from typing import NamedTuple, Tuple

import numpy as np

from ..pose import forward, jacobian
from ..tolerances import ROUNDING, TIE

#: How many poses, and how far they go towards those drawn, from target to target at most [rad].
CROWD, PULL = 160, 0.2

#: Most steps of Newton's method to a position, the largest of a joint [rad], and the damping.
STEPS, LARGEST, DAMPING = 8, 0.3, 1e-9


class AllowedPose(NamedTuple):
    """Joint positions [rad] for a target, and what they miss beyond the best, in tolerances."""

    q: Tuple[float, ...]
    excess: float


def crowded(geometry, targets, start, bounds, others, is_allowed):
    """
    Return for each target poses that meet its position, and continue some of those before.

    :param geometry: of the arm.
    :param start: joint positions [rad].
    :param bounds: for each target the largest step to it [rad].
    :param others: for each target the poses to begin anew with where none is left.
    :param is_allowed: function of joint positions [rad].
    :returns: list of lists of :class:`AllowedPose`.
    """
    random, q, found = np.random.default_rng(0), np.array([geometry.clamped(start)]), []
    ends = _ends(geometry)
    aims, pull = q[:0], np.linspace(0.0, PULL, CROWD)[:, None]
    for target, bound, anew in zip(targets, bounds, others):
        q = np.resize(q, (CROWD, len(start)))
        aims = np.concatenate([aims, random.uniform(*ends, q.shape)])[:CROWD]
        off = aims - q
        wish = off * np.minimum(1.0, pull / np.abs(off).max(axis=1, keepdims=True))
        moved = at_position(geometry, q + wish, target.position)
        missed = np.linalg.norm(forward(geometry, moved).position - target.position, axis=1)
        alive = (missed <= TIE) & (np.abs(moved - q).max(axis=1) <= bound)
        alive &= [is_allowed(at) for at in moved]
        found.append([AllowedPose(tuple(at), 0.0) for at in moved[alive].tolist()] or anew)
        q, aims = np.array([pose.q for pose in found[-1]]), aims[alive]
    return found


def at_position(geometry, q, position):
    """Return poses (n, joints) that go from others by least steps until the tip is there [m]."""
    lower, upper = _ends(geometry)
    for _ in range(STEPS):
        off, free = position - forward(geometry, q).position, np.ones(q.shape, dtype=bool)
        if np.abs(off).max() < ROUNDING:
            break
        moves = jacobian(geometry, q)[:, :3]
        for _ in range(3):
            some = moves * free[:, None]
            square = some @ some.swapaxes(1, 2) + DAMPING * np.eye(3)
            step = (some.swapaxes(1, 2) @ np.linalg.solve(square, off[..., None]))[..., 0]
            # A joint at a limit that would go past it stays there, and the others step again.
            free &= ~((q <= lower) & (step < 0.0) | (q >= upper) & (step > 0.0))
        q = np.clip(q + np.clip(step, -LARGEST, LARGEST), lower, upper)
    return q


def _ends(geometry):
    return np.transpose([(limits.lower, limits.upper) for limits in geometry.limits])
