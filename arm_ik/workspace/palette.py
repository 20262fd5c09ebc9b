# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Colours and words of the causes.

What is reached is dark, whatever stops the arm is pale: they are told apart by lightness alone.
The pale ones are from Paul Tol's scheme "light", made for all kinds of colour vision.
"""

from math import atan2, degrees

import numpy as np

from .cause import CLOSE, FAR, FIRST_JOINT, FLOOR, REACHED, UP
from .room import EDGES

INK, FAINT, WHITE = '#1f2933', '#7b8794', '#ffffff'

_COLOURS = {REACHED: '#2166ac', FAR: '#eceef1', CLOSE: '#c3c9d1', UP: '#c7b6e0', FLOOR: '#c9b49a'}
_OF_ROLES = {'yaw': '#bbcc33', 'roll': '#44bb99', 'shoulder': '#ee8866', 'elbow': '#eedd88',
             'wrist': '#ffaabb', 'wrist_tilt': '#44bb99', 'wrist_roll': '#99ddff'}

#: Of what is reached with any up vector, by the room the up vector has.
_SHADES = ('#b3d3ea', '#82b5d8', '#4d8fc4', '#1d4f91', '#0b2a5b')

_WORDS = {REACHED: 'reached', FAR: 'too far', CLOSE: 'too close',
          UP: 'up vector out of the arm plane', FLOOR: 'floor'}


def shades(region):
    """
    Return what to paint: the cause of each cell, or its room.

    :returns: array of int (rows, columns): causes, or below zero for the steps of the room.
    """
    if region.room is None:
        return region.cause
    return np.where(region.reached, -1 - region.room, region.cause)


def colour(model, shade):
    """Return the colour of a cause, or of a step of the room."""
    if shade < 0:
        return _SHADES[-1 - shade]
    if shade >= FIRST_JOINT:
        return _OF_ROLES[model.roles[shade - FIRST_JOINT]]
    return _COLOURS[shade]


def words(model, shade):
    """Return what a cause, or a step of the room, is called."""
    if shade < 0:
        return f'reached, hand free {_step(-1 - shade)}'
    if shade >= FIRST_JOINT:
        return f'limit of {model.joint_names[shade - FIRST_JOINT]}'
    return _WORDS[shade]


def _step(step):
    if step == 0:
        return f'< {EDGES[0]:g}°'
    if step == len(EDGES):
        return f'> {EDGES[-1]:g}°'
    return f'{EDGES[step - 1]:g} to {EDGES[step]:g}°'


def name_of_up(up):
    """Return what an up vector (along r, left of the slice, up) is called; ``None``: any."""
    if up is None:
        return 'any up vector'
    along, aside, above = up
    way = ''
    if along == aside == 0.0:
        way = 'straight up ' if above > 0.0 else 'straight down '
    elif aside == 0.0:
        way = f'at {degrees(atan2(above, along)):.3g} deg '
    return f'up vector {way}({", ".join(f"{value:.3g}" for value in up)})'
