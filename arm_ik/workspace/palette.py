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

from .cause import CLOSE, FAR, FIRST_JOINT, FLOOR, REACHED, UP

INK, FAINT, WHITE = '#1f2933', '#7b8794', '#ffffff'

_COLOURS = {REACHED: '#2166ac', FAR: '#eceef1', CLOSE: '#c3c9d1', UP: '#c7b6e0', FLOOR: '#c9b49a'}
_OF_ROLES = {'yaw': '#bbcc33', 'roll': '#44bb99', 'shoulder': '#ee8866', 'elbow': '#eedd88',
             'wrist': '#ffaabb', 'wrist_tilt': '#44bb99', 'wrist_roll': '#99ddff'}

_WORDS = {FAR: 'too far', CLOSE: 'too close', UP: 'up vector out of the arm plane',
          FLOOR: 'floor'}


def colour(model, cause):
    """Return the colour of a cause."""
    if cause >= FIRST_JOINT:
        return _OF_ROLES[model.roles[cause - FIRST_JOINT]]
    return _COLOURS[cause]


def words(model, cause):
    """Return what a cause other than ``REACHED`` is called."""
    if cause >= FIRST_JOINT:
        return f'limit of {model.joint_names[cause - FIRST_JOINT]}'
    return _WORDS[cause]


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
