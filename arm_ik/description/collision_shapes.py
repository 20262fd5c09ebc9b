# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Collision shapes of the links: capsules along them, and cylinders for the base.

Where the arm file has no ``link_radii`` they are as thick as what :mod:`.urdf_shapes` draws. The
gripper's fingers always are. The last ball of hand and fingers ends at the tip.
"""

from math import cos, hypot, sin
from typing import Any, Iterable, Mapping, NamedTuple

from .urdf_shapes import base_shapes, finger_root, PALM, Point, Shape, thickness
from ..kinematics.model import ArmModel, ExtraJoint, KeepOut

#: Radius of the links in thicknesses, half of the servos drawn on them.
_RADIUS = 0.55

#: Radius of a finger in thicknesses: to the corners of the box that is drawn.
_FINGER = 0.5 * hypot(0.3, 0.6)

#: Edges of the plate that a half-space is drawn as, in reaches, and its thickness [m].
_PLATE, _THIN = 2.6, 0.001


class Capsule(NamedTuple):
    """What is no farther than ``radius`` from a segment, in the frame of a link [m]."""

    part: str
    begin: Point
    end: Point
    radius: float


def radius_of(model: ArmModel, link: str) -> float:
    """Return the radius of a link [m]: ``'upper_arm'``, ``'forearm'`` or ``'hand'``."""
    given = getattr(model.link_radii, link)
    return _RADIUS * thickness(model) if given is None else given


def base_cylinders(model: ArmModel) -> list[tuple[float, float, float]]:
    """Return radius, bottom and top [m] of the upright cylinders that the base is drawn as."""
    radius = model.link_radii.base
    return [(shape.size['radius'] if radius is None else radius,
             shape.xyz[2] - 0.5 * shape.size['length'], shape.xyz[2] + 0.5 * shape.size['length'])
            for shape in base_shapes(model)]


def link_capsules(model: ArmModel, role: str) -> list[Capsule]:
    """Return the capsules of the link that a joint of a role moves; of fingers only fixed ones."""
    found = []
    for link, owner in (('upper_arm', 'shoulder'), ('forearm', 'elbow')):
        if role == owner:
            found.append(Capsule(link.replace('_', ' '), (0.0, 0.0, 0.0),
                                 (getattr(model, link), 0.0, 0.0), radius_of(model, link)))
    if role == model.roles[-1]:
        radius, palm = radius_of(model, 'hand'), PALM * model.hand
        end = max(0.0, min(palm, model.hand - radius))
        found.append(Capsule('hand', (0.0, 0.0, 0.0), (end, 0.0, 0.0), radius))
        if not model.extra_joints:
            found.append(finger(model, (palm, 0.0, 0.0), 'tip'))
        elif len(model.extra_joints) == 1:
            found.append(finger(model, finger_root(model, -1), 'fixed finger'))
    return found


def finger(model: ArmModel, root: Point, part: str, turn: float = 0.0) -> Capsule:
    """Return the capsule of a finger that begins at a point and is turned about its z [rad]."""
    x, y, z = root
    radius = _FINGER * thickness(model)
    length = max(0.0, (1.0 - PALM) * model.hand - radius)
    return Capsule(part, root, (x + length * cos(turn), y + length * sin(turn), z), radius)


def fingers(model: ArmModel, positions: Mapping[str, float] = {}) -> list[Capsule]:
    """
    Return the capsules of the fingers that extra joints move, in the frame of the last link.

    :param model: the :class:`ArmModel`.
    :param positions: of the extra joints by name [rad or m]; the others are ``closed``.
    """
    found = []
    for index, joint in enumerate(model.extra_joints):
        side = -1 if index % 2 else 1
        x, y, z = finger_root(model, side)
        out = finger_side(joint, side) * (positions.get(joint.name, joint.closed) - joint.closed)
        slides = joint.type == 'prismatic'
        found.append(finger(model, (x, y + out * slides, z), joint.name, out * (not slides)))
    return found


def finger_side(joint: ExtraJoint, side: int) -> int:
    """Return the sign of an opening finger's motion to the left, of one on a side, 1 or -1."""
    return side if joint.open >= joint.closed else -side


def keep_out_shapes(shapes: Iterable[KeepOut], reach: float) -> list[Shape]:
    """Return shapes to stay out of as they are drawn around an arm of a reach [m]."""
    found = []
    for shape in shapes:
        (x, y, z), (roll, pitch, yaw) = shape.position, shape.rpy
        size: dict[str, Any] = {'size': shape.size or (_PLATE * reach, _PLATE * reach, _THIN)}
        if shape.kind == 'cylinder':
            size = dict(zip(('radius', 'length'), shape.size))
        found.append(Shape('cylinder' if shape.kind == 'cylinder' else 'box', size, (x, y, z),
                           (roll, pitch, yaw), ''))
    return found
