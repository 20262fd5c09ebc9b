# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A region in colours, in figures and in words.

What is reached is dark, every cause is pale, so that lightness alone tells them apart. The pale
ones are from Paul Tol's scheme "light", made for all kinds of colour vision.
"""

from math import atan2, degrees
from typing import NamedTuple

import numpy as np

from .cause import CLOSE, FAR, FIRST_JOINT, FLOOR, REACHED, UP
from .region import EDGES, Region, Up
from ..kinematics.model import ArmModel

INK, FAINT, WHITE = '#1f2933', '#7b8794', '#ffffff'

_COLOURS = {REACHED: '#2166ac', FAR: '#eceef1', CLOSE: '#c3c9d1', UP: '#c7b6e0', FLOOR: '#c9b49a'}
_OF_ROLES = {'yaw': '#bbcc33', 'roll': '#44bb99', 'shoulder': '#ee8866', 'elbow': '#eedd88',
             'wrist': '#ffaabb', 'wrist_tilt': '#44bb99', 'wrist_roll': '#99ddff'}

#: Colours of what is reached with any up vector, by the room of the up vector.
_SHADES = ('#b3d3ea', '#82b5d8', '#4d8fc4', '#1d4f91', '#0b2a5b')

_WORDS = {REACHED: 'reached', FAR: 'too far', CLOSE: 'too close',
          UP: 'up vector out of the arm plane', FLOOR: 'floor'}


def shades(region: Region) -> np.ndarray:
    """
    Return what to paint: the cause of each cell, or its room.

    :returns: array of int (rows, columns): causes, or below zero for the steps of the room.
    """
    if region.room is None:
        return region.cause
    return np.where(region.reached, -1 - region.room, region.cause)


def colour(model: ArmModel, shade: int) -> str:
    """Return the colour of a cause, or of a step of the room."""
    if shade < 0:
        return _SHADES[-1 - shade]
    if shade >= FIRST_JOINT:
        return _OF_ROLES[model.roles[shade - FIRST_JOINT]]
    return _COLOURS[shade]


def words(model: ArmModel, shade: int) -> str:
    """Return what a cause, or a step of the room, is called."""
    if shade < 0:
        return f'reached, hand free {_step(-1 - shade)}'
    if shade >= FIRST_JOINT:
        return f'limit of {model.joint_names[shade - FIRST_JOINT]}'
    return _WORDS[shade]


def _step(step: int) -> str:
    if step == 0:
        return f'< {EDGES[0]:g}°'
    if step == len(EDGES):
        return f'> {EDGES[-1]:g}°'
    return f'{EDGES[step - 1]:g} to {EDGES[step]:g}°'


def name_of_up(up: Up) -> str:
    """Return the name of an up vector (along r, left of the slice, up); ``None``: any."""
    if up is None:
        return 'any up vector'
    along, aside, above = up
    direction = ''
    if along == aside == 0.0:
        direction = 'straight up ' if above > 0.0 else 'straight down '
    elif aside == 0.0:
        direction = f'at {degrees(atan2(above, along)):.3g} deg '
    return f'up vector {direction}({", ".join(f"{value:.3g}" for value in up)})'


class Figures(NamedTuple):
    """
    The figures of a region.

    ``shares``: by cause, of the area that is no farther from the shoulder than the links are long;
    ``area``: of what is reached [m2]; ``farthest``: from the yaw axis, ``highest`` and ``lowest``
    above ``base_link`` [m], all of the middles of reached cells, NaN where there are none.
    """

    shares: dict[int, float]
    area: float
    farthest: float
    highest: float
    lowest: float


def figures_of(region: Region) -> Figures:
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


def lines_of(model: ArmModel, region: Region) -> list[str]:
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
