# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The few elements of URDF that an arm needs; numbers are written with all their digits."""

from xml.etree.ElementTree import SubElement

#: Effort limit written for every joint [N m, or N]: URDF demands one, the arm's description knows
#: none. It is the order of what hobby servos hold; nothing in this package reads it.
EFFORT_LIMIT = 2.0

FIXED_JOINT_NAME = 'tool0_fixed'


def add_material(robot, name, rgba):
    """Add a colour that shapes refer to by name."""
    SubElement(SubElement(robot, 'material', name=name), 'color', rgba=numbers(rgba))


def add_link(robot, name, shapes=()):
    """
    Add a link.

    :param robot: the ``robot`` element.
    :param name: the link's name.
    :param shapes: the :class:`Shape` s it is drawn with.
    """
    link = SubElement(robot, 'link', name=name)
    for shape in shapes:
        visual = SubElement(link, 'visual')
        SubElement(visual, 'origin', xyz=numbers(shape.xyz), rpy=numbers(shape.rpy))
        SubElement(SubElement(visual, 'geometry'), shape.kind, {
            name: numbers(value) if isinstance(value, tuple) else repr(float(value))
            for name, value in shape.size.items()})
        SubElement(visual, 'material', name=shape.colour)


def add_joint(robot, joint, parent, child, kind, xyz, rpy=(0.0, 0.0, 0.0), axis=None):
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
    SubElement(element, 'origin', xyz=numbers(xyz), rpy=numbers(rpy))
    SubElement(element, 'parent', link=parent)
    SubElement(element, 'child', link=child)
    if joint:
        SubElement(element, 'axis', xyz=numbers(axis))
        SubElement(element, 'limit', lower=repr(float(joint.lower)),
                   upper=repr(float(joint.upper)), velocity=repr(float(joint.max_velocity)),
                   effort=repr(EFFORT_LIMIT))


def numbers(values):
    """Return numbers as text that reads back to the same numbers; no negative zeros."""
    return ' '.join(repr(float(value) + 0.0) for value in values)
