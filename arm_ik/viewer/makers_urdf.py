# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""The maker's URDF: its links with their meshes, for the picture alone (``--urdf``)."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
import trimesh   # comes with viser

from ..arm import Arm
from ..description.urdf import Link, link_frames, links
from ..description.urdf_fit import frames
from ..description.urdf_reader import chains
from ..description.urdf_shapes import LIGHT, Shape
from ..description.urdf_tree import numbers, read_tree, rotation, rpy_of, vector
from ..errors import InvalidInputError

#: An axis so near [m] is where the maker has it.
NEAR = 1e-3


def makers_links(file: str, arm: Arm) -> list[Link]:
    """
    Read the links of a URDF as they are in ``base_link``, those that hang on others after them.

    Boxes, cylinders and spheres are left out, and joints that mimic others stay at 0.

    :param file: path of the URDF.
    :param arm: its joints, and the ``urdf_frame`` of its model, have to be in the URDF.
    :raises ArmIkError: for a file that is no such URDF, or a mesh that cannot be read.
    """
    tree = read_tree(file)
    to_frames = {tree.root: [], **chains(tree, tree.root, {})}
    base = arm.model.urdf_frame or tree.root
    if missing := {*arm.joint_names, base} - {*to_frames, *(each.name for each in tree.joints)}:
        raise InvalidInputError('--urdf', file, f'one with {", ".join(sorted(missing))}')
    at_zero = frames(to_frames[base], np.zeros(len(to_frames[base])))[-1]
    root = rotation(arm.model.urdf_rpy or (0.0, 0.0, 0.0)) @ np.linalg.inv(at_zero)
    links, materials = [{element.get('name', ''): element for element in tree.element.findall(tag)}
                        for tag in ('link', 'material')]
    shapes = {name: tuple(_meshes(link, materials, Path(file))) for name, link in links.items()}
    return [Link(tree.root, xyz=tuple(root[:3, 3]), rpy=rpy_of(root), shapes=shapes[tree.root]), *[
        Link(joint.child, joint.parent, joint, joint.kind,  # type: ignore[arg-type]
             vector(joint.origin[:3, 3]), rpy_of(joint.origin), vector(joint.axis),
             shapes[joint.child])
        for joint in tree.joints]]


def disagreement(theirs: Sequence[Link], arm: Arm) -> str:
    """
    Return in words where the maker's arm is at home, if not where the arm is; else ``''``.

    Looked at are two points of each of the arm's axes. How far are they from the maker's axis?

    :param theirs: of :func:`makers_links`.
    """
    ours, others = [_axes(each, arm.model.all_home) for each in (links(arm.model), theirs)]
    misses = {}
    for name in arm.joint_names:
        (a, b), (c, d) = ours[name], others[name]
        points = a + np.outer((0.0, arm.model.hand), b - a)
        misses[name] = np.linalg.norm(np.cross(points - c, d - c), axis=-1).max()
    return ', '.join([f'{name} {1e3 * off:.1f} mm' for name, off in misses.items() if off > NEAR])


def _axes(links: Sequence[Link], home: Mapping[str, float]) -> dict[str, np.ndarray]:
    """Return of each joint, by its name, two points of its axis, 1 m from each other (2, 3)."""
    frames = link_frames(links, home)
    return {link.joint.name: np.stack([(0.0, 0.0, 0.0, 1.0), (*link.axis, 1.0)]) @ frames[
        link.name][:3].T for link in links if link.joint}


def _meshes(link: Element, materials: dict[str, Element], path: Path) -> Iterator[Shape]:
    for visual in link.findall('visual'):
        if (mesh := visual.find('geometry/mesh')) is None:
            continue
        size = _triangles(_file(mesh.get('filename', ''), path),
                          numbers(visual, 'geometry/mesh', 'scale', 'a mesh', (1.0, 1.0, 1.0)))
        colours = visual.findall('material/color')
        for material in visual.findall('material'):
            colours += materials.get(material.get('name', ''), material).findall('color')
        xyz, rpy = (numbers(visual, 'origin', name, 'an origin') for name in ('xyz', 'rpy'))
        yield Shape('mesh', size, xyz, rpy,  # type: ignore[arg-type]
                    colours[0].get('rgba', LIGHT) if colours else LIGHT)


def _triangles(file: str, scale: tuple[float, ...]) -> dict[str, np.ndarray]:
    try:
        mesh: Any = trimesh.load(file, force='mesh')
        if mesh.units:   # of Collada; RViz, too, does not look at its up_axis
            mesh.convert_units('meters')
        if not len(mesh.faces):
            raise ValueError('no triangles')
    except Exception as error:  # noqa: BLE001, of the library of each format
        raise InvalidInputError('mesh', file, f'one that can be read: {error}') from error
    return {'vertices': np.array(mesh.vertices * scale, 'f4'), 'faces': np.array(mesh.faces, 'u4')}


def _file(name: str, path: Path) -> str:
    """Return the file of a mesh: next to the URDF, or in its package, above it."""
    package, _, rest = name.rpartition('://')
    if package == 'package':
        rest = rest.partition('/')[2]
    for folder in path.resolve().parents:
        if (folder / rest).is_file():
            return str(folder / rest)
    raise InvalidInputError('mesh', name, f'a file in the folder of {path}, or above it')
