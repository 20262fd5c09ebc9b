# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Which of many optima are sure to be in the present branch: branch hysteresis over columns."""

import numpy as np

from ..branch_hysteresis.hysteresis import LEAST_BEND, NO_JUMP, NO_JUMP_INEXACT, RADII


def are_kept(geometry, q, step, exact, near, has_forward):
    """
    Tell of optima whether they are sure to be the present branch.

    The same as :func:`..branch_hysteresis.hysteresis.is_in_present_branch` says of one.

    :param geometry: of the arm.
    :param q: readings of the optima [rad], a column for each joint.
    :param step: their largest steps from near [rad].
    :param exact: whether they miss by no more than their arm planes do, a column or one for all.
    :param near: readings [rad] the steps are counted from.
    :param has_forward: whether targets have forward vectors.
    :returns: a column of bool; false for a straight elbow too, which is bent a little.
    """
    first, elbow = geometry.first_in_plane, geometry.limits_in_plane[1]
    bend, bent = [np.sin(elbow.canonical(readings[first + 1])) for readings in (q, near)]
    kept = ((bend < 0.0) == (bent < 0.0)) & (
        step <= np.where(exact, NO_JUMP, NO_JUMP_INEXACT))
    if geometry.upright:
        farthest = RADII[-1]
        around = exact & (np.abs(bent) > farthest)
        for limits, at, role in zip(geometry.limits, near, geometry.roles):
            if role != 'wrist_roll' or has_forward:
                around &= (limits.lower + farthest < at) & (at < limits.upper - farthest)
        kept |= around
    return kept & (np.abs(bend) >= LEAST_BEND)
