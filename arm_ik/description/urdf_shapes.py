# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Shapes of the links: bars with rounded ends, and servos at the joints; or the arm file's boxes.

Thickness is proportional to the arm's reach. Where the arm file gives boxes of hand, fingers,
upper arm or forearm, drawing, URDF, physics and the collision check all read them here, in the
frames of the links: x along the link, z up. A finger's boxes are in a frame at its root, parallel
to the hand's at its ``closed`` position. Where the file gives no finger, it is beside the hand, as
wide as suits the arm: the first one opens to the left, the next to the right, and so on. A single
one has a fixed one on the other side.
"""

from collections.abc import Iterator
from math import atan2, hypot, pi
from typing import Any, NamedTuple

import numpy as np

from .urdf_tree import Matrix, rotation, rpy_of, vector
from ..kinematics.model import ArmModel, ExtraJoint

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

#: Three numbers.
Vector = tuple[float, ...] | Matrix

#: The directions that a finger opens in, in ``tool0``.
_ALONG = {'x': (1, 0, 0), '-x': (-1, 0, 0), 'y': (0, 1, 0), '-y': (0, -1, 0)}

#: The axes of ``tool0`` in the last link's, by column.
_AXES = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])


class Finger(NamedTuple):
    """
    A finger on the last link, as it is when closed.

    ``root`` [m] is where its frame is; ``boxes`` are in that frame. As its ``joint`` moves by 1
    [rad or m], the finger turns about or slides along ``axis`` by ``ratio`` [rad or m], 0 of one
    that is fixed.
    """

    joint: ExtraJoint
    root: Point
    axis: Point
    ratio: float
    boxes: tuple[Shape, ...]


def thickness(model: ArmModel) -> float:
    """Return the thickness of a strut [m]."""
    return 0.07 * model.reach


def base_shapes(model: ArmModel) -> Iterator[Shape]:
    """Yield a column from the ground to just below the shoulder axis, on a foot."""
    width = thickness(model)
    height = max(model.base_height, 0.0)
    foot = min(0.4 * width, 0.5 * height) or 0.1 * width
    yield cylinder(1.6 * width, foot, (model.base_x, model.base_y, 0.5 * foot), DARK)
    column = height - foot - 0.7 * width
    if column > 0.0:
        centre = (model.base_x, model.base_y, foot + 0.5 * column)
        yield cylinder(width, column, centre, DARK)


def link_shapes(model: ArmModel, role: str) -> Iterator[Shape]:
    """
    Yield the shapes of the link that a joint moves, with the servo of the next one.

    RViz paints a whole link in the colour of its first shape.

    :param model: the :class:`ArmModel`.
    :param role: role of the joint.
    """
    width = thickness(model)
    if role == 'yaw':
        height = -0.45 * width if model.base_height > 0.7 * width else 0.2 * width
        yield cylinder(1.1 * width, 0.5 * width, (0.0, 0.0, height), LIGHT)
    if role == ('roll' if model.has('roll') else 'yaw'):
        x, y = model.shoulder_offset, model.lateral
        if hypot(x, y) >= 0.01 * width:    # a flat bar from the yaw axis to the shoulder axis
            yield Shape('box', {'size': (hypot(x, y), 0.8 * width, 0.4 * width)},
                        (0.5 * x, 0.5 * y, 0.0), (0.0, 0.0, atan2(y, x)), DARK)
        yield servo(width, (x, y, 0.0))
    if role == 'shoulder' and not model.shapes_on('upper_arm'):
        yield from bar(model.upper_arm, 0.75 * width, ACCENT)
        yield servo(width, (model.upper_arm, 0.0, 0.0))
    if role == 'elbow' and not model.shapes_on('forearm'):
        yield from bar(model.forearm, 0.65 * width, LIGHT)
        yield servo(width, (model.forearm, 0.0, 0.0))
    if role == model.hand_role and model.hand and not model.shapes_on('hand'):
        palm = PALM * model.hand
        yield strut(palm, 0.5 * width, ACCENT)
        yield box((0.4 * palm, 1.1 * width, 0.7 * width), (0.8 * palm, 0.0, 0.0), DARK)
        rest = model.hand - palm
        if not model.extra_joints:      # a thin rod to the tip
            yield box((rest, 0.15 * width, 0.15 * width), (palm + 0.5 * rest, 0.0, 0.0), LIGHT)
    if role in ('shoulder', 'elbow', 'wrist'):
        # The servo's horn.
        yield cylinder(0.3 * width, 1.4 * width, (0.0, 0.0, 0.0), LIGHT, pi / 2)


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
            *[cylinder(0.5 * width, width, (x, 0.0, 0.0), colour, pi / 2) for x in (0.0, length)]]


def servo(width: float, axis: Point) -> Shape:
    """Return the body of a servo at the joint axis that it turns."""
    return box((1.2 * width, 1.1 * width, 0.9 * width), axis, DARK)


def links_moved(model: ArmModel, role: str) -> list[str]:
    """Return which links a joint of a role moves, as ``shapes`` of an arm file call them."""
    owners = {'upper_arm': 'shoulder', 'forearm': 'elbow', 'wrist': 'wrist',
              'hand': model.hand_role}
    return [link for link, owner in owners.items() if owner == role]


def opens_along(joint: ExtraJoint, index: int = 0) -> Matrix:
    """Return the direction, in ``tool0``, that the finger of the joint of an index opens in."""
    return np.array(_ALONG[joint.along or ('-y' if index % 2 else 'y')])


def boxes(model: ArmModel, on: str) -> list[Shape]:
    """
    Return the boxes of a link in its frame, of which there may be none.

    :param model: the :class:`ArmModel`.
    :param on: ``'upper_arm'``, ``'forearm'``, ``'wrist'`` or ``'hand'``.
    """
    colour = ACCENT if on == 'upper_arm' else LIGHT     # dark ones are not seen in RViz
    axes, ahead = (_AXES, model.hand) if on == 'hand' else (np.eye(3), 0.0)
    return [_box(shape.size, np.array(shape.position), shape.rpy, colour, axes, (ahead, 0.0, 0.0))
            for shape in model.shapes_on(on)]


def fingers(model: ArmModel) -> list[Finger]:
    """Return the fingers of extra joints, the first and then the second of each joint."""
    others = 'fixed' if len(model.extra_joints) == 1 else 'none'
    return [_finger(model, index, second) for index, joint in enumerate(model.extra_joints)
            for second in ('', joint.second or others) if second != 'none']


def _finger(model: ArmModel, index: int, second: str) -> Finger:
    """Return a finger of an extra joint, or its second one; worked out in ``tool0``."""
    joint, wide = model.extra_joints[index], thickness(model)
    ahead = (1.0 - PALM) * (model.hand or wide)
    along = opens_along(joint, index)
    root = np.array(joint.root or 0.2 * wide * along - (0.0, 0.0, ahead))
    parts = [(shape.size, np.array(shape.position), np.array(shape.rpy))
             for shape in model.shapes_on(joint.name)]
    if joint.length or not parts:
        length = joint.length or ahead
        size = np.where(along, joint.thickness or 0.3 * wide, joint.width or 0.6 * wide)
        lean = (joint.lean or 0.0) * np.cross(along, (0.0, 0.0, 1.0))
        parts.append(((*size[:2], length), root + rotation(lean)[:3, 2] * 0.5 * length, lean))
    if second:    # its mirror image
        mirror = np.eye(3) - 2.0 * np.outer(along, along)
        along, root = mirror @ along, mirror @ root
        parts = [(size, mirror @ xyz, -mirror @ rpy) for size, xyz, rpy in parts]
    axis = along if joint.slides else np.cross((0.0, 0.0, 1.0), along)
    travel, span = joint.travel, joint.open - joint.closed
    return Finger(
        joint, vector(_AXES @ root + (model.hand, 0.0, 0.0)), vector(_AXES @ axis),
        0.0 if second == 'fixed' else travel / span if travel else 1.0 if span >= 0.0 else -1.0,
        tuple(_box(size, xyz - root, rpy, ACCENT, _AXES, np.zeros(3))
              for size, xyz, rpy in parts))


def _box(size: Vector, xyz: Matrix, rpy: Vector, colour: str, axes: Matrix, at: Vector) -> Shape:
    """Return a box that is given in other axes than the link's."""
    turned = np.eye(4)
    turned[:3, :3] = axes @ rotation(rpy)[:3, :3] @ axes.T
    return Shape('box', {'size': vector(abs(axes) @ size)}, vector(axes @ xyz + at),
                 rpy_of(turned), colour)
