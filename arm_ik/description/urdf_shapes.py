# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Visual shapes of the links: bars with rounded ends, and servos at the joints.

Thickness is proportional to the arm's reach. A link that the arm file gives shapes of is made of
them instead, by :mod:`.link_boxes`.
"""

from math import atan2, hypot, pi
from typing import Any, NamedTuple

from ..kinematics.model import ArmModel

#: A place [m], a direction, or turns about x, y and z [rad].
Point = tuple[float, float, float]


class Shape(NamedTuple):
    """A box (``size``) or cylinder (``radius``, ``length``) at a place in its link."""

    kind: str
    size: dict[str, Any]
    xyz: Point
    rpy: Point = (0.0, 0.0, 0.0)
    colour: str = ''


#: Colours by name, red, green, blue, opacity.
COLOURS = {'arm_ik_dark': (0.30, 0.33, 0.38, 1.0), 'arm_ik_light': (0.86, 0.87, 0.89, 1.0),
           'arm_ik_accent': (0.95, 0.52, 0.13, 1.0)}
DARK, LIGHT, ACCENT = COLOURS

#: Part of the hand's length that the palm takes; fingers take the rest.
PALM = 0.45


def thickness(model: ArmModel) -> float:
    """Return the thickness of a strut [m]."""
    return 0.07 * model.reach


def base_shapes(model: ArmModel) -> list[Shape]:
    """Return a column from the ground to just below the shoulder axis, on a foot."""
    width = thickness(model)
    height = max(model.base_height, 0.0)
    foot = min(0.4 * width, 0.5 * height) or 0.1 * width
    shapes = [cylinder(1.6 * width, foot, (model.base_x, model.base_y, 0.5 * foot), DARK)]
    column = height - foot - 0.7 * width
    if column > 0.0:
        centre = (model.base_x, model.base_y, foot + 0.5 * column)
        shapes.append(cylinder(width, column, centre, DARK))
    return shapes


def link_shapes(model: ArmModel, role: str) -> list[Shape]:
    """
    Return the shapes of the link that a joint moves, with the servo of the next one.

    RViz paints a whole link in the colour of its first shape.

    :param model: the :class:`ArmModel`.
    :param role: role of the joint.
    """
    width = thickness(model)
    shapes = []
    if role == 'yaw':
        height = -0.45 * width if model.base_height > 0.7 * width else 0.2 * width
        shapes.append(cylinder(1.1 * width, 0.5 * width, (0.0, 0.0, height), LIGHT))
    if role == ('roll' if model.has('roll') else 'yaw'):
        shapes += [*_shoulder_mount(model, width),
                   servo(width, (model.shoulder_offset, model.lateral, 0.0))]
    if role == 'shoulder' and not model.shapes_on('upper_arm'):
        shapes += [*bar(model.upper_arm, 0.75 * width, ACCENT),
                   servo(width, (model.upper_arm, 0.0, 0.0))]
    if role == 'elbow' and not model.shapes_on('forearm'):
        shapes += [*bar(model.forearm, 0.65 * width, LIGHT),
                   servo(width, (model.forearm, 0.0, 0.0))]
    if role == model.hand_role and model.hand and not model.shapes_on('hand'):
        palm = PALM * model.hand
        shapes += [strut(palm, 0.5 * width, ACCENT),
                   box((0.4 * palm, 1.1 * width, 0.7 * width), (0.8 * palm, 0.0, 0.0), DARK)]
        rest = model.hand - palm
        if not model.extra_joints:      # a thin rod to the tip
            shapes.append(box((rest, 0.15 * width, 0.15 * width), (palm + 0.5 * rest, 0.0, 0.0),
                              LIGHT))
    if role in ('shoulder', 'elbow', 'wrist'):
        shapes.append(cylinder(    # the servo's horn
            0.3 * width, 1.4 * width, (0.0, 0.0, 0.0), LIGHT, pi / 2))
    return shapes


def box(size: Point, xyz: Point, colour: str) -> Shape:
    """Return a box with its centre at ``xyz`` and edges along the link's axes."""
    return Shape('box', {'size': size}, xyz, colour=colour)


def cylinder(radius: float, length: float, xyz: Point, colour: str, roll: float = 0.0) -> Shape:
    """Return a cylinder, upright or, with a roll of pi / 2, around an axis that goes left."""
    return Shape('cylinder', {'radius': radius, 'length': length}, xyz, (roll, 0.0, 0.0), colour)


def strut(length: float, width: float, colour: str) -> Shape:
    """Return a square bar from the link's origin forward."""
    return box((length, width, width), (0.5 * length, 0.0, 0.0), colour)


def bar(length: float, width: float, colour: str) -> list[Shape]:
    """Return a square bar with rounded ends, from one joint axis to the next."""
    return [strut(length, width, colour),
            *[cylinder(0.5 * width, width, (x, 0.0, 0.0), colour, pi / 2)
              for x in (0.0, length)]]


def servo(width: float, axis: Point) -> Shape:
    """Return the body of a servo at the joint axis that it turns."""
    return box((1.2 * width, 1.1 * width, 0.9 * width), axis, DARK)


def _shoulder_mount(model: ArmModel, width: float) -> list[Shape]:
    """Return a flat bar from the yaw axis to the shoulder axis, where they are apart."""
    apart = hypot(model.shoulder_offset, model.lateral)
    if apart < 0.01 * width:
        return []
    return [Shape('box', {'size': (apart, 0.8 * width, 0.4 * width)},
                  (0.5 * model.shoulder_offset, 0.5 * model.lateral, 0.0),
                  (0.0, 0.0, atan2(model.lateral, model.shoulder_offset)), DARK)]
