# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Write an arm as URDF, so that RViz, robot_state_publisher and other libraries see the same arm.

Joint readings in the URDF are those of the YAML: ``canonical = sign * reading + offset`` becomes a
turn by ``offset`` in the joint's origin and an axis multiplied by ``sign``, because::

    R(axis, sign * reading + offset) = R(axis, offset) R(sign * axis, reading)

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
The links are drawn simply, for the eye; they carry neither collision shapes nor masses, because
the arm's description knows neither.
"""

from math import pi
from xml.etree import ElementTree

from .urdf_elements import add_joint, add_link, add_material
from .urdf_gripper import add_extra_joints, fixed_shapes
from .urdf_shapes import base_shapes, COLOURS, link_shapes

#: Axis of each role at ``sign`` 1, in the frame of its parent link.
AXES = {
    'yaw': (0, 0, 1), 'roll': (1, 0, 0), 'shoulder': (0, -1, 0), 'elbow': (0, -1, 0),
    'wrist': (0, -1, 0), 'wrist_tilt': (0, 0, 1), 'wrist_roll': (1, 0, 0),
}

BASE_FRAME = 'base_link'
TOOL_FRAME = 'tool0'


def to_urdf(model):
    """
    Return the arm as URDF text.

    :param model: the :class:`ArmModel`.
    :returns: str; frames ``base_link``, one ``<joint name>_link`` per joint, ``tool0``.
    """
    names = link_names(model)
    robot = ElementTree.Element('robot', name=model.name)
    for colour, rgba in COLOURS.items():
        add_material(robot, colour, rgba)
    add_link(robot, BASE_FRAME, base_shapes(model))
    parent = BASE_FRAME
    for joint in model.joints:
        child = names[joint.name]
        add_joint(robot, joint, parent, child, 'revolute', xyz=_origin(model, joint.role),
                  rpy=tuple(joint.offset * component for component in AXES[joint.role]),
                  axis=tuple(joint.sign * component for component in AXES[joint.role]))
        add_link(robot, child, link_shapes(model, joint.role)
                 + (fixed_shapes(model) if joint is model.joints[-1] else []))
        parent = child
    add_extra_joints(robot, model, parent, names)
    add_joint(robot, None, parent, TOOL_FRAME, 'fixed', xyz=(model.hand, 0.0, 0.0),
              rpy=(0.0, pi / 2, 0.0))
    add_link(robot, TOOL_FRAME)
    ElementTree.indent(robot)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(robot, encoding='unicode') + '\n'


def link_names(model):
    """
    Return the name of the link that each joint moves.

    :param model: the :class:`ArmModel`.
    :returns: dict from joint name to link name, chain and extra joints.
    """
    names = {}
    taken = {BASE_FRAME, TOOL_FRAME}
    for joint in (*model.joints, *model.extra_joints):
        name = f'{joint.name}_link'
        while name in taken:    # a joint called 'base' would claim base_link
            name = f'{name}_'
        taken.add(name)
        names[joint.name] = name
    return names


def _origin(model, role):
    return {
        'yaw': (model.base_x, model.base_y, model.base_height),
        'shoulder': (model.shoulder_offset, model.lateral, 0.0),
        'elbow': (model.upper_arm, 0.0, 0.0),
        'wrist': (model.forearm, 0.0, 0.0),
    }.get(role, (0.0, 0.0, 0.0))
