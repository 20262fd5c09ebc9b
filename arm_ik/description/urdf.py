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
wrist_roll     1 0 0             (0, 0, hand_offset)
=============  ================  ===========================================

Without a wrist, a link that is fixed to the forearm, or that turns against shoulder and elbow,
takes its place. ``tool0`` is at (hand, 0, 0) with ``rpy 0 pi/2 0``: its z axis goes on along the
last link. If a tip is chosen, ``tool0`` is there; the other tips and the frames are links of their
own. The links have simple shapes, and masses by :mod:`.inertia`; the base has none, because KDL
does not allow it.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from math import copysign, pi
from typing import NamedTuple
from xml.etree.ElementTree import Element, indent, SubElement, tostring

import numpy as np

from .collision_shapes import along_links, base_cylinders, Capsule, keep_out_shapes
from .inertia import inertial, servo_of
from .urdf_shapes import (
    base_shapes, boxes, COLOURS, Finger, fingers, link_shapes, links_moved, Point, Shape)
from .urdf_tree import Matrix, moved, rotation, rpy_of, vector
from ..kinematics.model import ArmModel, ExtraJoint, Frame, Joint, Tip

#: Axis of each role at ``sign`` 1, in the frame of its parent link.
AXES = {'yaw': (0, 0, 1), 'roll': (1, 0, 0), 'shoulder': (0, -1, 0), 'elbow': (0, -1, 0),
        'wrist': (0, -1, 0), 'wrist_tilt': (0, 0, 1), 'wrist_roll': (1, 0, 0)}

BASE_FRAME = 'base_link'
TOOL_FRAME = 'tool0'

_origin_of = lru_cache(rotation)    # a viewer asks for the same ones at every state


class Link(NamedTuple):
    """
    One link, and the joint it hangs on.

    ``kind`` is the joint's type: ``'revolute'``, ``'prismatic'`` or ``'fixed'``. ``xyz`` [m] and
    ``rpy`` [rad] are its origin in the parent's frame, ``axis`` what it turns about or slides
    along in its own. ``joint`` is the model's, ``None`` of a fixed one; the base has no parent.
    A finger that follows the joint of another link moves ``follows`` as far, else that is 0.
    """

    name: str
    parent: str = ''
    joint: Joint | ExtraJoint | None = None
    kind: str = 'fixed'
    xyz: Point = (0.0, 0.0, 0.0)
    rpy: Point = (0.0, 0.0, 0.0)
    axis: Point = (0.0, 0.0, 0.0)
    shapes: tuple[Shape, ...] = ()
    collision: tuple[Shape, ...] = ()
    follows: float = 0.0


def to_urdf(model: ArmModel) -> str:
    """
    Return the arm as URDF text.

    :param model: the :class:`ArmModel`.
    :returns: frames ``base_link``, one ``<joint name>_link`` per joint, ``tool0``, and the tips
        that are not chosen and the frames by their names.
    """
    robot = Element('robot', name=model.name)
    for colour, rgba in COLOURS.items():
        _add(_add(robot, 'material', name=colour), 'color', rgba=rgba)
    found = links(model)
    for link in found:
        if link.parent:
            _add_joint(robot, link)
        _add_link(robot, link, [(servo_of(each.joint).mass, each.xyz) for each in found if
                                each.joint and not each.follows and each.parent == link.name])
    indent(robot)
    return '<?xml version="1.0"?>\n' + tostring(robot, encoding='unicode') + '\n'


def links(model: ArmModel) -> list[Link]:
    """Return the links of an arm, each after its parent."""
    names = link_names(model)
    found = [Link(BASE_FRAME, shapes=tuple(base_shapes(model)),
                  collision=tuple(keep_out_shapes(base_cylinders(model), model.reach)))]
    for joint in model.joints:
        axis = AXES[joint.role]
        found.append(_shaped(model, joint.role, Link(
            names[joint.name], found[-1].name, joint, 'revolute', _origin(model, joint.role),
            _scaled(joint.offset, axis), _scaled(joint.sign, axis))))
        if joint.role == 'elbow' and not model.has('wrist'):
            *before, held = _held_hand(model, found[-1].name, names[''])
            found += [*before, _shaped(model, 'wrist', held)]
    hand = found[-1].name
    for extra in model.extra_joints:
        its = [each for each in fingers(model) if each.joint is extra and each.ratio]
        found += _finger_links(its, hand, names[extra.name])
    chosen = model.chosen_tip
    found.append(_on_hand(model, hand, chosen, TOOL_FRAME))
    return found + [_on_hand(model, hand, placed, placed.name)
                    for placed in model.placed if placed is not chosen]


def _shaped(model: ArmModel, role: str, link: Link) -> Link:
    """Return a link with the shapes of the one that a joint of a role moves."""
    given = [box for name in links_moved(model, role) for box in boxes(model, name)]
    if role == model.hand_role:
        given += [box._replace(xyz=vector(np.add(box.xyz, finger.root)))
                  for finger in fingers(model) if not finger.ratio for box in finger.boxes]
    return link._replace(shapes=(*link_shapes(model, role), *given),
                         collision=(*_pieces(along_links(model, role)), *given))


def _held_hand(model: ArmModel, forearm: str, name: str) -> list[Link]:
    """Return the links of a hand without a wrist, which may turn back what two joints turn."""
    at, level = (model.forearm, 0.0, 0.0), model.hand_elevation
    if level is None:
        return [Link(name, forearm, xyz=at)]
    shoulder, elbow = (model.joints[model.roles.index(role)] for role in ('shoulder', 'elbow'))
    axis = AXES['wrist']
    return [Link(f'{name}_1', forearm, shoulder, 'revolute', at, _scaled(-shoulder.offset, axis),
                 _scaled(-shoulder.sign, axis), follows=1.0),
            Link(name, f'{name}_1', elbow, 'revolute', (0.0, 0.0, 0.0),
                 _scaled(level - elbow.offset, axis), _scaled(-elbow.sign, axis), follows=1.0)]


def _on_hand(model: ArmModel, hand: str, placed: Tip | Frame, name: str) -> Link:
    """Return the link of a tip or a frame, which are given in ``tool0`` at the last link's end."""
    rpy = (0.0, 0.0, placed.turn) if isinstance(placed, Tip) else (
        placed.roll, placed.pitch, placed.yaw)
    # In the hand's axes, which are tool0's z, y and -x.
    return Link(name, hand, xyz=(model.hand + placed.z, placed.y, -placed.x),
                rpy=rpy_of(rotation((0.0, pi / 2, 0.0)) @ rotation(rpy)))


def link_names(model: ArmModel) -> dict[str, str]:
    """
    Return the name of the link that each joint moves.

    :param model: the :class:`ArmModel`.
    :returns: by joint name, of chain and extra joints; ``''`` is the hand of an arm without a
        wrist.
    """
    names: dict[str, str] = {}
    taken = [BASE_FRAME, TOOL_FRAME, *(placed.name for placed in model.placed)]
    for joint_name in (*model.all_joints, *([] if model.has('wrist') else [''])):
        name = f'{joint_name or "hand"}_link'
        while name in (*taken, *names.values()):    # a joint called 'base' would claim base_link
            name = f'{name}_'
        names[joint_name] = name
    return names


def link_frames(links: Iterable[Link], positions: Mapping[str, float]) -> dict[str, Matrix]:
    """
    Return where each link is, for programs that draw the arm without robot_state_publisher.

    :param links: from :func:`links`.
    :param positions: of joints by name [rad, m]; the others are at 0.
    :returns: by link name, its frame in ``base_link`` [m] (4, 4).
    """
    frames = {'': np.eye(4)}
    for link in links:
        position = positions.get(link.joint.name, 0.0) if link.joint else 0.0
        frames[link.name] = frames[link.parent] @ _origin_of(link.rpy, link.xyz) @ moved(
            link.axis, position * (link.follows or 1.0), link.kind == 'prismatic')
    del frames['']
    return frames


def _origin(model: ArmModel, role: str) -> Point:
    return {'yaw': (model.base_x, model.base_y, model.base_height),
            'shoulder': (model.shoulder_offset, model.lateral, 0.0),
            'elbow': (model.upper_arm, 0.0, 0.0), 'wrist': (model.forearm, 0.0, 0.0),
            'wrist_roll': (0.0, 0.0, model.hand_offset)}.get(role, (0.0, 0.0, 0.0))


def _finger_links(fingers: list[Finger], parent: str, name: str) -> list[Link]:
    """Return the link that an extra joint moves, and those of fingers that follow it."""
    found = []
    if fingers[0].joint.travel:    # it does not move as the joint itself does
        joint, root, axis, ratio, *_ = fingers[0]
        axis = _scaled(copysign(1.0, ratio), axis)
        found.append(Link(name, parent, joint, joint.type, root, axis=axis))
    for joint, root, axis, ratio, shapes in fingers:
        back = _scaled(-ratio * joint.closed, axis)     # so that it is at its root when closed
        xyz, rpy = (vector(np.add(root, back)), (0.0, 0.0, 0.0)) if joint.slides else (root, back)
        follows = abs(ratio) if found else 0.0
        found.append(Link(f'{name}_{len(found) + 1}' if found else name, parent, joint,
                          'prismatic' if joint.slides else 'revolute', xyz, rpy,
                          _scaled(copysign(1.0, ratio), axis), shapes, shapes, follows))
    return found


def _pieces(capsules: Iterable[Capsule]) -> Iterator[Shape]:
    """Yield the cylinder and the two balls that make each of some capsules along x."""
    for _, begin, end, radius in capsules:
        middle, length = [0.5 * (a + b) for a, b in zip(begin, end)], end[0] - begin[0]
        if length > 0.0:
            yield Shape('cylinder', {'radius': radius, 'length': length},
                        (middle[0], middle[1], middle[2]), (0.0, pi / 2, 0.0))
        yield from (Shape('sphere', {'radius': radius}, at) for at in (begin, end))


def _scaled(factor: float, axis: Point) -> Point:
    return vector(np.multiply(factor, axis))


def _add_link(robot: Element, link: Link, carried: list[tuple[float, Point]]) -> None:
    """Add a link with its shapes, and masses of servos that it carries, each at a place."""
    element = _add(robot, 'link', name=link.name)
    for tag, shapes in (('visual', link.shapes), ('collision', link.collision)):
        for shape in shapes:
            drawn = _add(element, tag)
            _add(drawn, 'origin', xyz=shape.xyz, rpy=shape.rpy)
            _add(_add(drawn, 'geometry'), shape.kind, **shape.size)
            if tag == 'visual':
                _add(drawn, 'material', name=shape.colour)
    if link.parent and (link.joint or link.shapes):
        mass, centre, inertia = inertial(link.joint, link.shapes, carried, not link.follows)
        element = _add(element, 'inertial')
        _add(element, 'origin', xyz=tuple(centre), rpy=(0.0, 0.0, 0.0))
        _add(element, 'mass', value=mass)
        _add(element, 'inertia', **{f'i{"xyz"[i]}{"xyz"[j]}': float(inertia[i, j])
                                    for i in range(3) for j in range(i, 3)})


def _add_joint(robot: Element, link: Link) -> None:
    """Add the joint that a link hangs on."""
    joint = link.joint
    own, by = f'{link.name}_joint' if joint else f'{link.name}_fixed', link.follows or 1.0
    element = _add(robot, 'joint', name=joint.name if joint and not link.follows else own,
                   type=link.kind)
    _add(element, 'origin', xyz=link.xyz, rpy=link.rpy)
    _add(element, 'parent', link=link.parent)
    _add(element, 'child', link=link.name)
    if joint:
        _add(element, 'axis', xyz=link.axis)
        _add(element, 'limit', lower=by * joint.lower, upper=by * joint.upper,
             velocity=by * joint.max_velocity, effort=servo_of(joint).torque)
    if joint and link.follows:
        _add(element, 'mimic', joint=joint.name, multiplier=by)


def _add(parent: Element, tag: str, **values: str | float | tuple[float, ...]) -> Element:
    """Add an element; its numbers read back to the same numbers, without negative zeros."""
    return SubElement(parent, tag, {name: value if isinstance(value, str) else ' '.join(
        repr(float(number) + 0.0) for number in (value if isinstance(value, tuple) else [value]))
        for name, value in values.items()})
