# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Closest poses where the arm plane passes beside the yaw axis, many at once.

Slightly beside, the yaw is turned towards where the tip comes to be, see
:func:`arm_ik.kinematics.closest.general._aligned`; far beside, :mod:`..closest.beside_axis`
searches all yaws.
"""

import numpy as np

from .columns import rows_of, sine_and_cosine
from .forward import tool_columns
from ..closest.candidates import ALIGNMENTS
from ..limits import LIMIT_SLACK

#: Targets searched for at once: a thousand cells each to begin with.
SEARCHED = 16


def aligned(geometry, sections, targets, rows, q):
    """
    Return poses with the yaw turned until the tip has the target's azimuth.

    :param geometry: of the arm.
    :param sections: its :class:`~arm_ik.kinematics.batch.section.SectionColumns`.
    :param targets: :class:`~arm_ik.kinematics.batch.section.Rows`.
    :param rows: of the poses of each plane, a list of columns.
    :param q: readings [rad], the same way.
    :returns: ``(rows, q, sure)``, the same way; sure is false where rounding decides.
    """
    joint, parts = sections.joints[0], np.cumsum([len(part) for part in rows])[:-1]
    there = np.concatenate(rows)
    q = [np.concatenate(columns) for columns in zip(*q)]
    active, sure = np.arange(len(there)), np.ones(len(there), dtype=bool)
    for _ in range(ALIGNMENTS):
        if not len(active):
            break
        at, yaw = targets.at(there[active]), q[0][active]
        s, c = sine_and_cosine(joint.angle(yaw))
        tip = tool_columns(geometry, rows_of(q, active), with_forward=False).tip
        along = (tip[0] - geometry.base_x) * c + (tip[1] - geometry.base_y) * s
        angle = np.arctan2(at.e[1], at.e[0]) - np.arctan2(geometry.lateral, along)
        reading, excess = joint.fitted(angle, at.near[0], principal=False)
        reading = joint.clamped(reading)
        moves = np.flatnonzero((excess <= LIMIT_SLACK) & (np.abs(reading - yaw) >= 1e-12))
        turned, surely, found = sections.best_at(at.at(moves), reading[moves])
        sure[active[moves[~surely]]] = False
        active = active[moves[found]]
        for held, column in zip(q, turned):
            held[active] = column[found]
    return rows, list(zip(*[np.split(column, parts) for column in q])), np.split(sure, parts)


def searched(solver, sections, targets, nearest, rows):
    """
    Yield the poses nearest to targets, at any yaw inside the limits.

    :param solver: of the arm.
    :param sections: its :class:`~arm_ik.kinematics.batch.section.SectionColumns`.
    :param targets: :class:`~arm_ik.kinematics.batch.section.Rows`.
    :param nearest: distances already found [m], for all of the targets.
    :param rows: numbers of the targets to search for.
    :returns: ``(rows, q)``, a row at most once in each: numbers of the targets, readings [rad].
    """
    for start in range(0, len(rows), SEARCHED):
        part = rows[start:start + SEARCHED]
        row, yaw, poses = solver.spatial.beside_axis(
            np.array(rows_of(targets.e, part)), nearest[part])
        # The first of each target, then the second of those that have one, ...
        number = np.arange(len(row)) - np.searchsorted(row, row)
        for i in range(number.max(initial=-1) + 1):
            its = np.flatnonzero(number == i)
            yield _fitting(sections, targets, part[row[its]], [yaw[its], *rows_of(poses, its)])


def _fitting(sections, targets, rows, angles):
    """Return canonical angles [rad] of rows as readings, as far as they are inside the limits."""
    there = targets.at(rows)
    q, excess = zip(*[joint.fitted(angle, near, principal=False) for joint, angle, near
                      in zip(sections.joints, angles, there.near)])
    some = np.flatnonzero(np.max(excess, axis=0) <= LIMIT_SLACK)
    there, angles = there.at(some), rows_of(angles, some)
    q = [joint.clamped(reading[some]) for joint, reading in zip(sections.joints, q)]
    return rows[some], q + sections.roll(there, angles[0], sum(angles[1:]))
