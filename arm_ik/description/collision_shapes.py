# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Collision shapes of the links: capsules around them, and cylinders for the base.

A box of :mod:`.urdf_shapes` has a capsule around it, but for 4 mm at its corners; in an arm file
without shapes, that of a finger ends with its box. A link without shapes, or with a radius in
``link_radii``, has a capsule along it, by default as thick as what :mod:`.urdf_shapes` draws.
"""

from math import hypot, inf, sqrt
from typing import Any, Iterable, Iterator, Mapping, NamedTuple

import numpy as np

from .urdf_shapes import base_shapes, boxes, fingers, links_moved, PALM, Point, Shape, thickness
from .urdf_tree import Matrix, moved, rotation
from ..kinematics.model import ArmModel, KeepOut

#: Radius of the links in thicknesses, half of the servos drawn on them.
_RADIUS = 0.55

#: Radius of the rod to the tip of an arm without a gripper, in thicknesses.
_ROD = 0.5 * hypot(0.3, 0.6)

#: How far the corners of a box may be out of the capsule around it [m].
_CORNER = 0.004

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


def base_cylinders(model: ArmModel) -> list[KeepOut]:
    """Return the upright cylinders that the base is drawn as."""
    return [KeepOut('base', 'cylinder', (
        model.link_radii.base or shape.size['radius'], shape.size['length']), shape.xyz)
        for shape in base_shapes(model)]


def along_links(model: ArmModel, role: str) -> Iterator[Capsule]:
    """Yield the capsules along the link that a joint of a role moves, which are no box's."""
    radii = model.link_radii
    for link in {'upper_arm', 'forearm'}.intersection(links_moved(model, role)):
        if not (model.shapes_on(link) and getattr(radii, link) is None):
            yield Capsule(link.replace('_', ' '), (0.0, 0.0, 0.0),
                          (getattr(model, link), 0.0, 0.0), radius_of(model, link))
    if role == model.hand_role and model.hand and not (
            model.shapes_on('hand') and radii.hand is None):
        radius, palm = radius_of(model, 'hand'), PALM * model.hand
        end = max(0.0, min(palm, model.hand - radius))
        yield Capsule('hand', (0.0, 0.0, 0.0), (end, 0.0, 0.0), radius)
        if not model.extra_joints and not model.shapes_on('hand'):
            radius = _ROD * thickness(model)
            end = max(palm, model.hand - radius)
            yield Capsule('tip', (palm, 0.0, 0.0), (end, 0.0, 0.0), radius)


def link_capsules(model: ArmModel, role: str, positions: Mapping[str, float]) -> list[Capsule]:
    """
    Return what is checked of the link that a joint of a role moves, in its frame.

    The last one has the fingers, too, which are where the extra joints are.

    :param model: the :class:`ArmModel`.
    :param positions: of the extra joints by name [rad or m]; the others are ``closed``.
    """
    found, corner = [*along_links(model, role)], _CORNER if model.shapes else inf
    found += [_around(link.replace('_', ' '), box)
              for link in links_moved(model, role) for box in boxes(model, link)]
    if role == model.hand_role:
        for joint, root, axis, ratio, finger_boxes in fingers(model):
            by = ratio * (positions.get(joint.name, joint.closed) - joint.closed)
            frame = moved(axis, by, joint.slides, root)
            found += [_around(joint.name if ratio else 'fixed finger', box, corner, frame)
                      for box in finger_boxes]
    return found


def _around(part: str, box: Shape, corner: float = _CORNER, frame: Matrix = np.eye(4)) -> Capsule:
    """Return the capsule around a box in a frame; its corners may be so far out of it."""
    *edges, longest = np.argsort(box.size['size'])
    length, radius = box.size['size'][longest], 0.5 * hypot(*[box.size['size'][i] for i in edges])
    half = max(0.0, 0.5 * length - min(radius, sqrt(corner * (2.0 * radius + corner))))
    middle = frame @ (*box.xyz, 1.0)
    along = half * (frame @ rotation(box.rpy))[:, longest]
    begin, end = ((middle + side * along)[:3].tolist() for side in (-1.0, 1.0))
    return Capsule(part, tuple(begin), tuple(end), radius)


def keep_out_shapes(shapes: Iterable[KeepOut], reach: float) -> Iterator[Shape]:
    """Yield shapes to stay out of as they are drawn around an arm of a reach [m]."""
    for shape in shapes:
        (x, y, z), (roll, pitch, yaw) = shape.position, shape.rpy
        size: dict[str, Any] = {'size': shape.size or (_PLATE * reach, _PLATE * reach, _THIN)}
        if shape.kind == 'cylinder':
            size = dict(zip(('radius', 'length'), shape.size))
        kind = 'cylinder' if shape.kind == 'cylinder' else 'box'
        yield Shape(kind, size, (x, y, z), (roll, pitch, yaw))
