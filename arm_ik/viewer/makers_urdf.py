# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The maker's URDF: its links with their meshes, for the picture alone (``--urdf``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
import trimesh   # comes with viser

from ..description.urdf import Link
from ..description.urdf_shapes import LIGHT, Shape
from ..description.urdf_tree import numbers, read_tree
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
    :raises ArmIkError: for a file that is no such URDF.
    :raises MeshError: for a mesh that is not there, or cannot be read.
    """
    tree = read_tree(file)
    if missing := set(joint_names) - {joint.name for joint in tree.joints}:
        raise InvalidInputError('--urdf', file, f'one with the joints {sorted(missing)}')
    links, joints, materials = [
        {element.get('name', ''): element for element in tree.element.findall(tag)}
        for tag in ('link', 'joint', 'material')]
    shapes = {name: tuple(_meshes(link, materials, Path(file))) for name, link in links.items()}
    return [Link(tree.root, shapes=shapes[tree.root]), *[
        Link(joint.child, joint.parent, joint, _KINDS.get(joint.kind, 'fixed'),  # type: ignore
             *_origin(joints[joint.name]), joint.axis, shapes[joint.child])  # type: ignore
        for joint in tree.joints]]


def _meshes(link: Element, materials: dict[str, Element], path: Path) -> list[Shape]:
    shapes = []
    for visual in link.findall('visual'):
        if (mesh := visual.find('geometry/mesh')) is None:
            continue
        size = _triangles(_file(mesh.get('filename', ''), path),
                          numbers(visual, 'geometry/mesh', 'scale', 'a mesh', (1.0, 1.0, 1.0)))
        colours = visual.findall('material/color')
        for material in visual.findall('material'):
            colours += materials.get(material.get('name', ''), material).findall('color')
        shapes.append(Shape('mesh', size, *_origin(visual),
                            colours[0].get('rgba', LIGHT) if colours else LIGHT))
    return shapes


def _triangles(file: str, scale: tuple[float, ...]) -> dict[str, np.ndarray]:
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
    """Return the file of a mesh: next to the URDF, or in its package, above it."""
    package, _, rest = name.rpartition('://')
    if package == 'package':
        rest = rest.partition('/')[2]
    for folder in path.resolve().parents:
        if (folder / rest).is_file():
            return str(folder / rest)
    raise MeshError('mesh', name, f'a file in the folder of {path}, or above it')


def _origin(element: Element) -> tuple[Any, Any]:
    return (numbers(element, 'origin', 'xyz', 'an origin'),
            numbers(element, 'origin', 'rpy', 'an origin'))
