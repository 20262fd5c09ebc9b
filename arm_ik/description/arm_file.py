# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Between the ``arm`` block of a parameter file and the :class:`ArmModel`, both ways.

This module checks the rules of the *file*: its keys, the type of each value, and that names and
blocks of joints agree. The model checks the rules of the *arm*: ranges, roles and their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import pi
from pathlib import Path
from typing import Any
import warnings

from .parameter_file import nested, ParameterFile
from .ros_text import write, write_key
from .values import (
    check_keys, integer, mapping_at, name_list, NOTHING, number, number_list, one_of, optional,
    required, text, word)
from ..errors import ArmFileWarning, InvalidArmError
from ..kinematics.model import (
    ArmModel, EXTRA_JOINT_TYPES, ExtraJoint, Frame, Joint, KeepOut, LinkRadii, Tip)

_ARM_KEYS = ('name', 'source', 'base', 'links', 'joint_names', 'joints', 'home', 'floor_height',
             'extra_joint_names', 'extra_joints', 'tip_names', 'tips', 'tip', 'frame_names',
             'frames', 'link_radii', 'keep_out_names', 'keep_out')
#: Keys of the block ``base``, and what the model calls them.
_BASE_KEYS = {'x': 'base_x', 'y': 'base_y', 'height': 'base_height',
              'shoulder_offset': 'shoulder_offset', 'lateral': 'lateral'}
_LINK_KEYS = ('upper_arm', 'forearm', 'hand')
_RADII = dict.fromkeys(('base', *_LINK_KEYS), (number, None))

#: Keys of a joint's block: the kind of value, and what stands for it where it may be left out.
_RANGE = {'lower': (number,), 'upper': (number,), 'max_velocity': (number,),
          'max_acceleration': (number, None)}
_JOINT = {'role': (text,), 'sign': (integer, 1), 'offset': (number, 0.0), **_RANGE}
_EXTRA_JOINT = {'type': (text, EXTRA_JOINT_TYPES[0]), **_RANGE,
                'closed': (number, None), 'open': (number, None)}
_PLACE = dict.fromkeys(('x', 'y', 'z'), (number, 0.0))
_TIP = {**_PLACE, 'turn': (number, 0.0)}
_KEEP_OUT = {'kind': (text,), 'size': (number_list, ()),
             **dict.fromkeys(('position', 'rpy'), (number_list, (0.0, 0.0, 0.0)))}
_FRAME = {**_PLACE, **dict.fromkeys(('roll', 'pitch', 'yaw'), (number, 0.0))}

#: Ranges in which an angle [rad] was probably meant in degrees, and a length [m] in centimetres or
#: millimetres: no servo makes two turns, and no servo arm has links of three metres.
_LIKE_DEGREES = (4.0 * pi, 360.0)
_LIKE_MILLIMETRES = (3.0, 10000.0)

#: If the longest link is no longer than this [m], and too long for metres, it is in centimetres.
_LIKE_CENTIMETRES = 50.0


def load_model(path: Path | str, node_name: str = '', namespace: str = '/') -> ArmModel:
    """
    Read the arm that a parameter file describes.

    :param path: the file.
    :param node_name: read the arm from the sections for this node; without it, from those for
        every node.
    :param namespace: the namespace of that node.
    :returns: the :class:`ArmModel`.
    :raises InvalidArmError: naming file, key, what was found and what is allowed.
    """
    file = ParameterFile.read(path)
    arm = nested(file.parameters(node_name, namespace), 'arm', file.source)
    if arm is None:
        arm = _only_arm(file)
    return model_from_parameters(arm, file.source)


def model_from_parameters(arm: dict[str, Any], source: str | None = None) -> ArmModel:
    """
    Return the arm that a nested mapping describes.

    :param arm: the ``arm`` block as nested dicts; integers are taken for floats.
    :param source: where it is from, for messages.
    :returns: the :class:`ArmModel`.
    :raises InvalidArmError: naming key, what was found and what is allowed.

    Angles that look like degrees and lengths that look like centimetres or millimetres cause an
    :class:`ArmFileWarning`.
    """
    try:
        return _model(arm, source)
    except InvalidArmError as error:
        raise error.in_file(source) from None


def model_to_mapping(model: ArmModel) -> dict[str, Any]:
    """
    Return the ``arm`` block that describes an arm.

    :param model: the :class:`ArmModel`.
    :returns: nested dicts that :func:`model_from_parameters` turns into an equal model.
    """
    arm = {
        'name': model.name,
        'source': model.source,
        'base': {key: float(getattr(model, field)) for key, field in _BASE_KEYS.items()},
        'links': {key: float(getattr(model, key)) for key in _LINK_KEYS},
        'joint_names': list(model.joint_names),
        'joints': {joint.name: _written(joint, _JOINT) for joint in model.joints},
        'home': [float(position) for position in model.home],
        'floor_height': model.floor_height,
        'extra_joint_names': [joint.name for joint in model.extra_joints],
        'extra_joints': {
            joint.name: _written(joint, _EXTRA_JOINT) for joint in model.extra_joints},
        'tip_names': [tip.name for tip in model.tips],
        'tips': {tip.name: _written(tip, _TIP) for tip in model.tips},
        'tip': model.tip,
        'frame_names': [frame.name for frame in model.frames],
        'frames': {frame.name: _written(frame, _FRAME) for frame in model.frames},
        'link_radii': _written(model.link_radii, _RADII),
        'keep_out_names': [shape.name for shape in model.keep_out],
        'keep_out': {shape.name: {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in _written(shape, _KEEP_OUT).items() if value != ()}
            for shape in model.keep_out},
    }
    return {key: value for key, value in arm.items() if value not in ('', None, [], {})}


def dump(model: ArmModel) -> str:
    """
    Return the text of a parameter file that describes an arm.

    :param model: the :class:`ArmModel`.
    :returns: str; :func:`load_model` reads an equal model from it, and ROS 2 the same numbers.
    """
    lines = ['/**:', '  ros__parameters:', '    arm:']
    for key, value in model_to_mapping(model).items():
        if key in ('joints', 'extra_joints', 'tips', 'frames', 'keep_out'):
            lines.append(f'      {key}:')
            lines += [f'        {write_key(name)}: {write(block)}'
                      for name, block in value.items()]
        else:
            lines.append(f'      {key}: {write(value)}')
    return '\n'.join([*lines, ''])


def _only_arm(file: ParameterFile) -> Any:
    """Return the arm of a file that describes it only in the section of a single node."""
    arms = [(name, arm) for name, parameters in file.sections
            if (arm := nested(parameters, 'arm', file.source)) is not None]
    if len(arms) != 1:
        found = f'arms in {", ".join(name for name, _ in arms)}' if arms else NOTHING
        raise InvalidArmError('arm', found, "one arm, in the section '/**'", file.source)
    (_, arm), = arms
    return arm


def _model(arm: dict[str, Any], source: str | None) -> ArmModel:
    arm = mapping_at('arm', arm)
    check_keys('arm', arm, _ARM_KEYS)
    base = _read('arm.base', arm.get('base', {}), dict.fromkeys(_BASE_KEYS, (number, 0.0)))
    parts: dict[str, Any] = dict(
        name=required('arm', arm, 'name', text),
        source=optional('arm', arm, 'source', text, ''),
        **{field: base[key] for key, field in _BASE_KEYS.items()},
        **_read('arm.links', required('arm', arm, 'links'), dict.fromkeys(_LINK_KEYS, (number,))),
        joints=_joints(arm),
        home=required('arm', arm, 'home', number_list),
        floor_height=optional('arm', arm, 'floor_height', number, None),
        extra_joints=_listed(arm, 'extra_joint', ExtraJoint, _EXTRA_JOINT),
        tips=_listed(arm, 'tip', Tip, _TIP),
        tip=optional('arm', arm, 'tip', word, ''),
        frames=_listed(arm, 'frame', Frame, _FRAME),
        link_radii=LinkRadii(**_read('arm.link_radii', arm.get('link_radii', {}), _RADII)),
        keep_out=_listed(arm, 'keep_out', KeepOut, _KEEP_OUT, ''))
    # Before the model is checked, because wrong units may break its rules too.
    _warn_of_units(parts, source)
    return ArmModel(**parts)


def _warn_of_units(parts: dict[str, Any], source: str | None) -> None:
    """Warn of angles and lengths that look as if they were in another unit."""
    angles: dict[str, float] = {}
    lengths = {'arm.floor_height': parts['floor_height'] or 0.0}
    for joint in parts['joints']:
        for key in ('offset', 'lower', 'upper'):
            angles[f'arm.joints.{joint.name}.{key}'] = getattr(joint, key)
    for joint, position in zip(parts['joints'], parts['home']):
        angles[f'arm.home[{joint.name}]'] = position
    for joint in parts['extra_joints']:
        for key in ('lower', 'upper'):
            (lengths if joint.type == 'prismatic' else angles)[
                f'arm.extra_joints.{joint.name}.{key}'] = getattr(joint, key)
    lengths.update({f'arm.base.{key}': parts[field] for key, field in _BASE_KEYS.items()})
    lengths.update({f'arm.links.{key}': parts[key] for key in _LINK_KEYS})
    for kind in ('tips', 'frames'):
        for placed in parts[kind]:
            for key, value in vars(placed).items():
                if key != 'name':
                    (lengths if key in _PLACE else angles)[
                        f'arm.{kind}.{placed.name}.{key}'] = value
    unit = 'centimetres' if _LIKE_MILLIMETRES[0] < max(
        parts[key] for key in _LINK_KEYS) <= _LIKE_CENTIMETRES else 'millimetres'
    for values, (least, most), words in (
            (angles, _LIKE_DEGREES, 'look like degrees; angles are in radians'),
            (lengths, _LIKE_MILLIMETRES, f'look like {unit}; lengths are in metres')):
        found = [f'{key} {value:g}' for key, value in values.items()
                 if least < abs(value) <= most]
        if found:
            where = f'{source}: ' if source else ''
            warnings.warn(f'{where}{", ".join(found)}: {words}', ArmFileWarning)


def _joints(arm: dict[str, Any]) -> tuple[Joint, ...]:
    names = required('arm', arm, 'joint_names', name_list)
    blocks = mapping_at('arm.joints', required('arm', arm, 'joints'))
    _agree('arm.joint_names', names, 'arm.joints', blocks)
    return tuple(Joint(name, **_read(f'arm.joints.{name}', blocks[name], _JOINT))
                 for name in names)


def _listed(arm: dict[str, Any], kind: str, made: Callable[..., Any],
            table: Mapping[str, tuple[Any, ...]], plural: str = 's') -> tuple[Any, ...]:
    """Return what a list of names and a block for each of them describe; both may be missing."""
    names = optional('arm', arm, f'{kind}_names', name_list, ())
    key = f'{kind}{plural}'
    blocks = mapping_at(f'arm.{key}', arm.get(key, {}))
    _agree(f'arm.{kind}_names', names, f'arm.{key}', blocks)
    if kind == 'tip':
        for name in names:
            for key in {'roll', 'pitch', 'yaw'}.intersection(mapping_at('', blocks[name])):
                raise InvalidArmError(
                    f'arm.tips.{name}.{key}', blocks[name][key], 'x, y, z and turn: z of a tip '
                    'stays along the last link; a camera at an angle is one of arm.frames')
    return tuple(made(name, **_read(f'arm.{key}.{name}', blocks[name], table))
                 for name in names)


def _read(key: str, block: Any, table: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Return the values of a block, each checked as its table says."""
    check_keys(key, mapping_at(key, block), table)
    return {name: optional(key, block, name, kind, *default) if default
            else required(key, block, name, kind) for name, (kind, *default) in table.items()}


def _agree(names_key: str, names: tuple[str, ...], blocks_key: str, blocks: Iterable[str]) -> None:
    """Require that every name has a block and every block a name."""
    for name in names:
        if name not in blocks:
            others = [other for other in blocks if other not in names]
            raise InvalidArmError(f'{blocks_key}.{name}', NOTHING,
                                  f'a block for this name of {names_key}'
                                  + (f'; not in the list: {", ".join(others)}' if others else ''))
    for name in blocks:
        if name not in names:
            raise InvalidArmError(f'{blocks_key}.{name}', 'a name that is not listed',
                                  f'{one_of(name, names)}, as in {names_key}' if names
                                  else f'only names listed in {names_key}')


def _written(joint: Joint | ExtraJoint | Tip | Frame | LinkRadii | KeepOut,
             table: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Return the block that a table reads a joint, a tip and the like from."""
    return {key: kind(key, value) for key, (kind, *_) in table.items()
            if (value := getattr(joint, key)) is not None}
