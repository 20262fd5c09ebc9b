# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Read the tree of links and joints that a URDF describes, from a file that nobody has checked.

Document types, and with them entities, are refused: nothing is fetched, and nothing grows. A xacro
file is expanded first, where xacro is installed; a ROS 2 workspace is not needed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import atan2, hypot, inf, pi
from pathlib import Path
import re
from typing import NamedTuple
from xml.etree.ElementTree import Element, fromstring, ParseError, TreeBuilder, XMLParser

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .values import among, NOTHING
from ..errors import InvalidArmError, require
from ..kinematics.model import LARGEST_LENGTH

Matrix = NDArray[np.float64]

#: Of a file [bytes], and of the joints in it: no arm has as many.
LARGEST_FILE, MOST_JOINTS = 10_000_000, 1000

#: Axes by their names, and the smallest turn that brings each onto z, about x and y [rad].
UPRIGHT = {'x': (0.0, -pi / 2, 0.0), 'y': (pi / 2, 0.0, 0.0), 'z': (0.0, 0.0, 0.0),
           '-x': (0.0, pi / 2, 0.0), '-y': (-pi / 2, 0.0, 0.0), '-z': (pi, 0.0, 0.0)}

KINDS = ('revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar')

_FIND = re.compile(r'\$\(find\s+([^\s()]+)\s*\)')
_NUMBER = re.compile(r'[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?')


class UrdfJoint(NamedTuple):
    """
    A joint as the file has it.

    ``origin`` (4, 4) is its frame in the parent link's [m], ``axis`` (3,) a unit vector in it.
    ``lower`` and ``upper`` [rad, m] are infinite where the file has no limits, a whole turn of a
    continuous joint. ``velocity`` [rad/s, m/s] is 0 where the file has none. ``mimic`` is the
    joint that it follows, or ``''``: its position is ``multiplier`` times that one's, and
    ``shift`` [rad, m].
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: Matrix
    axis: Matrix
    lower: float
    upper: float
    velocity: float
    mimic: str
    multiplier: float = 1.0
    shift: float = 0.0

    @property
    def home(self) -> float:
        """Zero, or the limit [rad, m] that is nearest to it."""
        return min(max(0.0, self.lower), self.upper)

    def held(self, position: float) -> 'UrdfJoint':
        """Return a fixed joint that is where this one is at a position [rad, m]."""
        return self._replace(kind='fixed', origin=self.origin @ moved(
            self.axis, position, self.kind == 'prismatic'))


class UrdfTree(NamedTuple):
    """
    A robot: the root among its links, and the joints, those of a parent before its child's.

    ``element`` is what all that was read from.
    """

    name: str
    source: str
    root: str
    joints: list[UrdfJoint]
    element: Element


def read_tree(path: Path | str, xacro_args: Mapping[str, object] | None = None) -> UrdfTree:
    """
    Read a URDF, or a xacro file where xacro is installed.

    :param path: the file.
    :param xacro_args: values of a xacro file's arguments, by name.
    :returns: the :class:`UrdfTree`.
    :raises InvalidArmError: naming the place, if it cannot be read or is not a tree of joints.
    """
    source = str(path)
    try:
        with open(path, 'rb') as file:
            robot = _parsed(file.read(LARGEST_FILE + 1))
        if source.endswith('.xacro'):
            robot = _parsed(_expanded(path, xacro_args or {}))
            require(robot.find('joint') is not None, 'the file', 'macros only, and no joints',
                    'the file that includes this one and calls its macros')
        elif xacro_args or any(
                '/xacro}' in element.tag and not element.tag.endswith('}property')
                or '${' in ' '.join(element.attrib.values()) for element in robot.iter()):
            raise InvalidArmError('the file', 'xacro that is not expanded, or arguments for it',
                                  'an expanded file, or one whose name ends in .xacro')
        return _tree(robot, source)
    except InvalidArmError as error:
        raise InvalidArmError(error.key, error.found, error.allowed, source) from None
    except (OSError, ValueError, LookupError, ParseError) as error:
        raise InvalidArmError('the file', getattr(error, 'strerror', None) or str(error),
                              'a URDF file that can be read', source) from None


class _Builder(TreeBuilder):
    """Builds the tree of a document without a document type."""

    def doctype(self, *_: object) -> None:
        """Refuse it."""
        raise InvalidArmError('the file', 'a document type', 'a URDF without entities')


def _parsed(text: bytes) -> Element:
    require(len(text) <= LARGEST_FILE, 'the file', f'more than {LARGEST_FILE} bytes',
            'a URDF of one arm')
    return fromstring(text, XMLParser(target=_Builder()))


class _Arguments(dict[str, str]):
    """Values by name; one that is missing is refused by its name."""

    def __missing__(self, name: str) -> str:
        raise InvalidArmError('the file', f'its argument {name} without a value',
                              f'{name}:=VALUE behind the name of the file')


def _expanded(path: Path | str, given: Mapping[str, object]) -> bytes:
    """
    Return the XML that a xacro file expands to.

    ``$(find PKG)`` is looked up in the ROS 2 environment, then above the file.

    :param path: the file.
    :param given: values of its arguments, by name.
    :raises InvalidArmError: if it cannot be expanded.
    """
    try:
        from xacro import process_file, substitution_args
    except ImportError:
        raise InvalidArmError('the file', 'a xacro file, but xacro is not installed',
                              'it once xacro is there: pip install xacro') from None
    resolve = substitution_args.resolve_args

    def find(match: re.Match[str]) -> str:
        try:
            return str(resolve(match[0]))
        except (ImportError, LookupError, OSError, ValueError):
            return _above(Path(path).resolve(), match[1])

    arguments = _Arguments({name: str(value) for name, value in given.items()})
    substitution_args.resolve_args = lambda text, *more, **named: resolve(
        _FIND.sub(find, text), *more, **named)
    try:
        return process_file(str(path), mappings=arguments).toxml().encode()
    except Exception as error:  # noqa: BLE001, whatever the file's own expressions raise
        cause: object = error
        while cause and not isinstance(cause, InvalidArmError):
            cause = getattr(cause, 'exc', None)    # in which xacro wraps what has been raised
        if cause:
            raise cause from None    # type: ignore[misc]
        raise InvalidArmError('the file', f'{type(error).__name__}: {error}',
                              'what xacro can expand') from None
    finally:
        substitution_args.resolve_args = resolve


def _above(file: Path, package: str) -> str:
    """Return the folder of a package: above a file, or beside a folder above it."""
    for folder in file.parents:
        for place in (folder, folder / package):
            described = place / 'package.xml'
            if place.name == package and place.is_dir() or described.is_file() and \
                    f'<name>{package}</name>' in described.read_text('utf-8', 'replace'):
                return str(place)
    raise InvalidArmError('the file', f'$(find {package}), and no such package above the file',
                          'the file in its package, or a sourced workspace that has it')


def _tree(robot: Element, source: str) -> UrdfTree:
    elements = robot.findall('joint')
    require(robot.tag == 'robot' and 0 < len(elements) <= MOST_JOINTS, 'the file',
            f'<{robot.tag}> with {len(elements)} joints', f'<robot> with 1 to {MOST_JOINTS}')
    links = [_attribute(link, 'name', 'a link') for link in robot.findall('link')]
    joints = [_joint(element) for element in elements]
    for what, names in (('link', links), ('joint', [joint.name for joint in joints]),
                        ('joint of link', [joint.child for joint in joints])):
        (name, count), *_ = Counter([*names, '']).most_common(1)
        require(count == 1, f'{what} {name}', f'{count} of them', 'one')
    above = {joint.child: joint for joint in joints}
    for joint in joints:
        for link in (joint.parent, joint.child):
            require(link in links, f'joint {joint.name}', link, 'a link of this file')
    roots = [link for link in links if link not in above]
    reached = roots[:]
    for link in reached:
        reached += [joint.child for joint in joints if joint.parent == link]
    require(len(roots) == 1 and len(reached) == len(links), 'the links',
            'a cycle' if len(roots) == 1 else f'{len(roots)} roots', 'one tree')
    return UrdfTree(robot.get('name', '').strip() or Path(source).stem, source, roots[0],
                    [above[link] for link in reached[1:]], robot)


def _joint(element: Element) -> UrdfJoint:
    name = _attribute(element, 'name', 'a joint')
    key = f'joint {name}'
    kind = among(KINDS)(f'{key}, type', element.get('type', NOTHING))
    absent = (1.0, 0.0, 0.0) if element.find('axis') is None else (0.0, 0.0, 0.0)
    axis = np.array(numbers(element, 'axis', 'xyz', key, absent))
    length = float(np.linalg.norm(axis))
    require(length >= 1e-6 or kind == 'fixed', f'{key}, axis', axis.tolist(), 'a direction')
    origin = rotation(*[numbers(element, 'origin', name, key) for name in ('rpy', 'xyz')])
    limit = [numbers(element, 'limit', word, key, (0.0,))[0]
             for word in ('lower', 'upper', 'velocity')]
    if kind == 'continuous' or element.find('limit') is None:
        limit[:2] = (-pi, pi) if kind == 'continuous' else (-inf, inf)
    parent, child = [_attribute(_child(element, tag), 'link', f'{key}, {tag}')
                     for tag in ('parent', 'child')]
    return UrdfJoint(name, kind, parent, child, origin, axis / (length or 1.0),
                     limit[0], limit[1], limit[2], _child(element, 'mimic').get('joint', ''),
                     numbers(element, 'mimic', 'multiplier', key, (1.0,))[0],
                     numbers(element, 'mimic', 'offset', key, (0.0,))[0])


def _child(element: Element, tag: str) -> Element:
    found = element.find(tag)
    return Element(tag) if found is None else found


def _attribute(element: Element, name: str, key: str) -> str:
    require(element.get(name, '').strip(), key, NOTHING, f'{name}="..."')
    return element.attrib[name]


def numbers(element: Element, tag: str, name: str, key: str,
            default: tuple[float, ...] = (0.0, 0.0, 0.0)) -> tuple[float, ...]:
    """
    Return as many numbers as ``default`` has, or it where the file has none.

    :param element: a joint, or what else has a child ``tag``.
    :param name: of the child's attribute.
    :param key: what an error calls the element.
    :raises InvalidArmError: for others, or not as many.
    """
    text = _child(element, tag).get(name)
    if text is None:
        return default
    values = [float(word) if _NUMBER.fullmatch(word) else inf for word in text.split()]
    require(len(values) == len(default) and all(abs(each) <= LARGEST_LENGTH for each in values),
            f'{key}, {tag} {name}', text, f'{len(default)} finite numbers')
    return tuple(values)


def turned(axis: ArrayLike, angle: ArrayLike) -> Matrix:
    """Return turns about a unit axis by angles [rad] of shape (...), as frames (..., 4, 4)."""
    x, y, z = np.asarray(axis)
    cross = np.array([[0.0, -z, y, 0.0], [z, 0.0, -x, 0.0], [-y, x, 0.0, 0.0], [0.0] * 4])
    angle = np.asarray(angle)[..., None, None]
    return np.eye(4) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)


def moved(axis: ArrayLike, by: float, slides: bool, at: ArrayLike = (0.0, 0.0, 0.0)) -> Matrix:
    """Return the frame (4, 4) at a place [m], turned about a unit axis, or slid [rad, m]."""
    frame = turned(axis, 0.0 if slides else by)
    frame[:3, 3] = np.add(at, np.multiply(by * slides, axis))
    return frame


def rotation(rpy: Iterable[float], at: ArrayLike = (0.0, 0.0, 0.0)) -> Matrix:
    """Return the frame (4, 4) at a place [m], turned about the fixed x, y and z in this order."""
    x, y, z = [turned(axis, angle) for axis, angle in zip(np.eye(3), rpy)]
    frame = z @ y @ x
    frame[:3, 3] = at
    return frame


def vector(numbers: Matrix) -> tuple[float, float, float]:
    """Return three numbers of an array as floats."""
    x, y, z = numbers.tolist()
    return x, y, z


def rpy_of(frame: Matrix) -> tuple[float, float, float]:
    """Return the turns about the fixed axes x, y, z [rad] that make a frame's rotation."""
    (a, b, _), (c, d, _), (e, f, g) = frame[:3, :3].round(15).tolist()
    if hypot(a, c) > 1e-9:
        return atan2(f, g), atan2(-e, hypot(a, c)), atan2(c, a)
    return 0.0, atan2(-e, 0.0), atan2(-b, d)
