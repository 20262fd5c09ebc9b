# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Write an arm as URDF, so that RViz, robot_state_publisher and other libraries see the same arm.

Joint positions in the URDF are those of the YAML: ``canonical = sign * position + offset`` is a
turn by ``offset`` in the joint's origin and an axis multiplied by ``sign``, because::

    R(axis, sign * position + offset) = R(axis, offset) R(sign * axis, position)

In the frame of its parent link, each role turns about

=============  ================  ===========================================
role           axis              origin, seen from the joint before
=============  ================  ===========================================
yaw            0 0 1 (up)        (base x, base y, base height)
roll           1 0 0 (forward)   the same point
shoulder       0 -1 0 (raises)   (shoulder_offset, lateral, 0)
elbow          0 -1 0            (upper_arm, 0, 0)
wrist          0 -1 0            (forearm, 0, 0)
wrist_tilt     0 0 1             the same point
wrist_roll     1 0 0             the same point
=============  ================  ===========================================

and ``tool0`` stands at (hand, 0, 0) with ``rpy 0 pi/2 0``: its z axis goes on along the last link.
The links have simple visual shapes. They have no collision shapes and no masses, because the arm's
description has neither.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import pi
from xml.etree.ElementTree import Element, indent, SubElement, tostring

from .urdf_shapes import (
    base_shapes, COLOURS, finger, finger_root, link_shapes, opposite_finger, Point, Shape)
from ..kinematics.model import ArmModel, ExtraJoint, Joint

#: Axis of each role at ``sign`` 1, in the frame of its parent link.
AXES = {
    'yaw': (0, 0, 1), 'roll': (1, 0, 0), 'shoulder': (0, -1, 0), 'elbow': (0, -1, 0),
    'wrist': (0, -1, 0), 'wrist_tilt': (0, 0, 1), 'wrist_roll': (1, 0, 0),
}

BASE_FRAME = 'base_link'
TOOL_FRAME = 'tool0'

#: Effort limit written for every joint [N m, or N]. URDF requires one, and the arm's description
#: has none. The value is typical of hobby servos; nothing in this package reads it.
EFFORT_LIMIT = 2.0

FIXED_JOINT_NAME = 'tool0_fixed'


def to_urdf(model: ArmModel) -> str:
    """
    Return the arm as URDF text.

    :param model: the :class:`ArmModel`.
    :returns: frames ``base_link``, one ``<joint name>_link`` per joint, ``tool0``.
    """
    names = link_names(model)
    robot = Element('robot', name=model.name)
    for colour, rgba in COLOURS.items():
        _add_material(robot, colour, rgba)
    _add_link(robot, BASE_FRAME, base_shapes(model))
    parent = BASE_FRAME
    for joint in model.joints:
        child = names[joint.name]
        _add_joint(robot, joint, parent, child, 'revolute', xyz=_origin(model, joint.role),
                   rpy=tuple(joint.offset * component for component in AXES[joint.role]),
                   axis=tuple(joint.sign * component for component in AXES[joint.role]))
        _add_link(robot, child, link_shapes(model, joint.role)
                  + (opposite_finger(model) if joint is model.joints[-1] else []))
        parent = child
    _add_extra_joints(robot, model, parent, names)
    _add_joint(robot, None, parent, TOOL_FRAME, 'fixed', xyz=(model.hand, 0.0, 0.0),
               rpy=(0.0, pi / 2, 0.0))
    _add_link(robot, TOOL_FRAME)
    indent(robot)
    return '<?xml version="1.0"?>\n' + tostring(robot, encoding='unicode') + '\n'


def link_names(model: ArmModel) -> dict[str, str]:
    """
    Return the name of the link that each joint moves.

    :param model: the :class:`ArmModel`.
    :returns: by joint name, of chain and extra joints.
    """
    names = {}
    taken = {BASE_FRAME, TOOL_FRAME}
    for joint_name in (*model.joint_names, *(joint.name for joint in model.extra_joints)):
        name = f'{joint_name}_link'
        while name in taken:    # a joint called 'base' would claim base_link
            name = f'{name}_'
        taken.add(name)
        names[joint_name] = name
    return names


def _origin(model: ArmModel, role: str) -> Point:
    return {
        'yaw': (model.base_x, model.base_y, model.base_height),
        'shoulder': (model.shoulder_offset, model.lateral, 0.0),
        'elbow': (model.upper_arm, 0.0, 0.0),
        'wrist': (model.forearm, 0.0, 0.0),
    }.get(role, (0.0, 0.0, 0.0))


def _add_extra_joints(robot: Element, model: ArmModel, parent: str,
                      link_names: dict[str, str]) -> None:
    """Add the extra joints, each with its finger, to the chain's last link."""
    for index, joint in enumerate(model.extra_joints):
        side = -1 if index % 2 else 1
        outwards = side if joint.open >= joint.closed else -side
        back = -outwards * joint.closed    # so that the finger is at its root when closed
        x, y, z = finger_root(model, side)
        if joint.type == 'prismatic':
            axis, xyz, rpy = (0, outwards, 0), (x, y + back, z), (0.0, 0.0, 0.0)
        else:
            axis, xyz, rpy = (0, 0, outwards), (x, y, z), (0.0, 0.0, back)
        _add_joint(robot, joint, parent, link_names[joint.name], joint.type, xyz, rpy, axis)
        _add_link(robot, link_names[joint.name], [finger(model, (0.0, 0.0, 0.0))])


def _add_material(robot: Element, name: str, rgba: Iterable[float]) -> None:
    """Add a colour that shapes refer to by name."""
    SubElement(SubElement(robot, 'material', name=name), 'color', rgba=_numbers(rgba))


def _add_link(robot: Element, name: str, shapes: Iterable[Shape] = ()) -> None:
    """
    Add a link.

    :param robot: the ``robot`` element.
    :param name: the link's name.
    :param shapes: the :class:`Shape` s it is drawn with.
    """
    link = SubElement(robot, 'link', name=name)
    for shape in shapes:
        visual = SubElement(link, 'visual')
        SubElement(visual, 'origin', xyz=_numbers(shape.xyz), rpy=_numbers(shape.rpy))
        SubElement(SubElement(visual, 'geometry'), shape.kind, {
            name: _numbers(value) if isinstance(value, tuple) else repr(float(value))
            for name, value in shape.size.items()})
        SubElement(visual, 'material', name=shape.colour)


def _add_joint(robot: Element, joint: Joint | ExtraJoint | None, parent: str, child: str,
               kind: str, xyz: Iterable[float], rpy: Iterable[float] = (0.0, 0.0, 0.0),
               axis: Iterable[float] = ()) -> None:
    """
    Add a joint between two links.

    :param robot: the ``robot`` element.
    :param joint: the model's joint with name and limits; ``None`` for the fixed one at the tool.
    :param parent: name of the link it hangs on.
    :param child: name of the link it moves.
    :param kind: ``'revolute'``, ``'prismatic'`` or ``'fixed'``.
    :param xyz: origin in the parent's frame [m].
    :param rpy: turn of the origin [rad].
    :param axis: what it turns about or slides along, in its own frame.
    """
    element = SubElement(robot, 'joint', name=joint.name if joint else FIXED_JOINT_NAME, type=kind)
    SubElement(element, 'origin', xyz=_numbers(xyz), rpy=_numbers(rpy))
    SubElement(element, 'parent', link=parent)
    SubElement(element, 'child', link=child)
    if joint:
        SubElement(element, 'axis', xyz=_numbers(axis))
        SubElement(element, 'limit', lower=repr(float(joint.lower)),
                   upper=repr(float(joint.upper)), velocity=repr(float(joint.max_velocity)),
                   effort=repr(EFFORT_LIMIT))


def _numbers(values: Iterable[float]) -> str:
    """Return numbers as text that reads back to the same numbers; no negative zeros."""
    return ' '.join(repr(float(value) + 0.0) for value in values)
