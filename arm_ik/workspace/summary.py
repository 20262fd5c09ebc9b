# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""What a region comes to in figures, and in lines of text."""

from typing import Dict, NamedTuple

import numpy as np

from .cause import REACHED
from .palette import name_of_up, words


class Figures(NamedTuple):
    """
    The figures of a region.

    ``shares``: by cause, of the area that is no farther from the shoulder than the links are long;
    ``area``: of what is reached [m2]; ``farthest``: from the yaw axis, ``highest`` and ``lowest``
    above ``base_link`` [m], all of the middles of reached cells, NaN where there are none.
    """

    shares: Dict[int, float]
    area: float
    farthest: float
    highest: float
    lowest: float


def figures_of(region):
    """Return the :class:`Figures` of a :class:`~arm_ik.workspace.region.Region`."""
    cells = region.slice
    r, z = cells.grid
    causes, counts = np.unique(region.cause[~cells.beyond_links(r, z)], return_counts=True)
    shares = dict(zip(causes.tolist(), (counts / counts.sum()).tolist()))
    reached = region.reached
    area = float(reached.sum()) * cells.cell ** 2
    if not reached.any():
        return Figures(shares, area, *[float('nan')] * 3)
    return Figures(shares, area, float(np.abs(r[reached]).max()), float(z[reached].max()),
                   float(z[reached].min()))


def lines_of(model, region):
    """Return what to print of a region."""
    figures = figures_of(region)
    shares = {cause: share for cause, share in figures.shares.items() if cause != REACHED}
    reached = figures.shares.get(REACHED, 0.0)
    lines = [f'{model.name}, {name_of_up(region.up)}: reached {reached:.1%} of what is within the '
             f"links' length, {figures.area:.4f} m2"]
    if reached:
        lines.append(f'  out to {figures.farthest:.3f} m from the yaw axis, z from '
                     f'{figures.lowest:.3f} to {figures.highest:.3f} m')
    parts = [f'{words(model, cause)} {share:.1%}'
             for cause, share in sorted(shares.items(), key=lambda item: -item[1])]
    if parts:
        lines.append(f'  not reached: {", ".join(parts)}')
    return lines
