# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Extra joints in the URDF: schematic fingers at the end of the hand.

The arm's description gives an extra joint's limits and which reading is closed, and not where it
sits. So it is drawn as a finger beside the hand, straight ahead at its ``closed`` reading, that
turns or slides outwards towards ``open``; the first on the left, the next on the right, and so on.
A single finger gets a fixed one on the other side. The reading in the URDF is the configured one.
"""

from .urdf_elements import add_joint, add_link
from .urdf_shapes import ACCENT, box, DARK, PALM, thickness


def add_extra_joints(robot, model, parent, link_names):
    """
    Add the extra joints with their fingers.

    :param robot: the ``robot`` element.
    :param model: the :class:`ArmModel`.
    :param parent: name of the chain's last link.
    :param link_names: link name of each joint.
    """
    for index, joint in enumerate(model.extra_joints):
        side = -1 if index % 2 else 1
        outwards = side if joint.open >= joint.closed else -side
        back = -outwards * joint.closed    # so that the finger is at its root when closed
        x, y, z = _root(model, side)
        if joint.type == 'prismatic':
            axis, xyz, rpy = (0, outwards, 0), (x, y + back, z), (0.0, 0.0, 0.0)
        else:
            axis, xyz, rpy = (0, 0, outwards), (x, y, z), (0.0, 0.0, back)
        add_joint(robot, joint, parent, link_names[joint.name], joint.type, xyz, rpy, axis)
        add_link(robot, link_names[joint.name], [_finger(model, (0.0, 0.0, 0.0), ACCENT)])


def fixed_shapes(model):
    """Return what the chain's last link is drawn with so that a single finger has a partner."""
    return [_finger(model, _root(model, -1), DARK)] if len(model.extra_joints) == 1 else []


def _root(model, side):
    """Return where a finger begins, in the frame of the chain's last link."""
    return (PALM * model.hand, side * 0.15 * thickness(model), 0.0)


def _finger(model, root, colour):
    length, width = (1.0 - PALM) * model.hand, thickness(model)
    return box((length, 0.18 * width, 0.35 * width),
               (root[0] + 0.5 * length, root[1], root[2]), colour)
