# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The maker's URDF: its links with their meshes, for the picture alone (``--urdf``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import trimesh   # comes with viser

from ..description.urdf import Link
from ..description.urdf_shapes import LIGHT, Point, Shape
from ..errors import InvalidInputError

_KINDS = {'revolute': 'revolute', 'continuous': 'revolute', 'prismatic': 'prismatic'}


class MeshError(InvalidInputError):
    """A mesh is not there, or cannot be read."""


def makers_links(file: str, joint_names: Sequence[str]) -> list[Link]:
    """
    Read the links of a URDF, those that hang on others after them.

    Boxes, cylinders and spheres are left out, and joints that mimic others stay at 0.

    :param file: path of the URDF.
    :param joint_names: of the arm: all have to be in the URDF.
    :raises InvalidInputError: for a file that is no such URDF.
    :raises MeshError: for a mesh that is not there, or cannot be read.
    """
    path = Path(file)
    try:
        robot = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise InvalidInputError('--urdf', file, f'a URDF: {error}') from error
    materials = {material.get('name'): material.find('color')
                 for material in robot.findall('material')}
    shapes = {link.get('name', ''): tuple(_meshes(link, materials, path))
              for link in robot.findall('link')}
    joints = {_link(joint, 'child'): joint for joint in robot.findall('joint')}
    missing = set(joint_names) - {joint.get('name') for joint in joints.values()}
    if missing:
        raise InvalidInputError('--urdf', file, f'one with the joints {sorted(missing)}')
    roots = [name for name in shapes if name not in joints]
    found = [Link(name, shapes=shapes[name]) for name in roots]
    for parent in found:   # grows meanwhile
        for child, joint in joints.items():
            if _link(joint, 'parent') == parent.name:
                axis = joint.find('axis')
                found.append(Link(
                    child, parent.name, SimpleNamespace(name=joint.get('name')),  # type: ignore
                    _KINDS.get(joint.get('type', ''), 'fixed'), *_origin(joint),
                    _point(axis, 'xyz', (1.0, 0.0, 0.0)), shapes.get(child, ())))
    return found


def _meshes(link: Element, materials: dict[Any, Element | None], path: Path) -> list[Shape]:
    shapes = []
    for visual in link.findall('visual'):
        mesh, material = visual.find('geometry/mesh'), visual.find('material')
        if mesh is None:
            continue
        colour = None if material is None else material.find('color')
        if colour is None and material is not None:
            colour = materials.get(material.get('name'))
        size = _triangles(_file(mesh.get('filename', ''), path),
                          _point(mesh, 'scale', (1.0, 1.0, 1.0)))
        shapes.append(Shape('mesh', size, *_origin(visual),
                            LIGHT if colour is None else colour.get('rgba', LIGHT)))
    return shapes


def _triangles(file: str, scale: Point) -> dict[str, np.ndarray]:
    try:
        mesh: Any = trimesh.load(file, force='mesh')
        if mesh.units:   # of Collada; RViz, too, does not look at its up_axis
            mesh.convert_units('meters')
        if not len(mesh.faces):
            raise ValueError('no triangles')
    except Exception as error:  # noqa: BLE001, of the library of each format
        raise MeshError('mesh', file, f'one that can be read: {error}') from error
    return {'vertices': np.array(mesh.vertices * scale, 'f4'), 'faces': np.array(mesh.faces, 'u4')}


def _file(name: str, path: Path) -> str:
    """Return the file of a mesh: beside the URDF, or in its package, above it."""
    package, _, rest = name.rpartition('://')
    if package == 'package':
        rest = rest.partition('/')[2]
    for folder in path.resolve().parents:
        if (folder / rest).is_file():
            return str(folder / rest)
    raise MeshError('mesh', name, f'a file in the folder of {path}, or above it')


def _origin(element: Element) -> tuple[Point, Point]:
    origin = element.find('origin')
    return _point(origin, 'xyz', (0.0, 0.0, 0.0)), _point(origin, 'rpy', (0.0, 0.0, 0.0))


def _point(element: Element | None, name: str, default: Point) -> Point:
    text = None if element is None else element.get(name)
    if text is None:
        return default
    x, y, z = map(float, text.split())
    return x, y, z


def _link(joint: Element, end: str) -> str:
    found = joint.find(end)
    return '' if found is None else found.get('link', '')
