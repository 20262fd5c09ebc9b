# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The boxes that hand, fingers, upper arm and forearm are made of, where the arm file gives them.

Drawing, URDF, physics and the collision check all read them here, in the frames of the links: x
along the link, z up. A finger's boxes are in a frame at its root, parallel to the hand's at its
``closed`` position. Where the file gives no finger, it is beside the hand, as wide as suits the
arm: the first one opens to the left, the next to the right, and so on. A single one has a fixed
one on the other side.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .urdf_shapes import ACCENT, LIGHT, PALM, Point, Shape, thickness
from .urdf_tree import Matrix, rotation, rpy_of, vector
from ..kinematics.model import ArmModel, ExtraJoint

#: Three numbers.
Vector = Sequence[float] | Matrix

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
        parts.append(((size[0], size[1], length),
                      root + rotation(lean)[:3, 2] * 0.5 * length, lean))
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


def _box(size: Vector, xyz: Matrix, rpy: Vector, colour: str, axes: Matrix, origin: Vector
         ) -> Shape:
    """Return a box that is given in other axes than the link's."""
    turned = np.eye(4)
    turned[:3, :3] = axes @ rotation(rpy)[:3, :3] @ axes.T
    return Shape('box', {'size': vector(abs(axes) @ size)}, vector(axes @ xyz + origin),
                 rpy_of(turned), colour)
