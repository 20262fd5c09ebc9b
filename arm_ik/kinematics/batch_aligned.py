# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Planes that pass slightly beside the yaw axis, turned towards where the tip comes to be.

See :func:`arm_ik.kinematics.closest._aligned`, here over columns.
"""

import numpy as np

from .batch_columns import rows_of, sine_and_cosine
from .batch_forward import tool_columns
from .closest import ALIGNMENTS
from .limits import LIMIT_SLACK


def aligned(geometry, sections, targets, rows, q):
    """
    Return poses with the yaw turned until the tip has the target's azimuth.

    :param geometry: of the arm.
    :param sections: its :class:`~arm_ik.kinematics.batch_section.SectionColumns`.
    :param targets: :class:`~arm_ik.kinematics.batch_section.Rows`.
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
