# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Between the ``arm`` block of a parameter file and the :class:`ArmModel`, in both directions.

This module checks the rules of the *file*: its keys, the type of each value, and that names and
blocks of joints agree. The model checks the rules of the *arm*: ranges, roles and their order. Its
dataclasses say which keys a block has, of which type, and which may be left out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import Field, fields
from math import pi
from pathlib import Path
from typing import Any
import warnings

from .inertia import servo_of
from .parameter_file import nested, ParameterFile
from .ros_text import parameter_file
from .values import check_keys, given, kind_of, mapping_at, name_list, NOTHING, required
from .yaml_reader import read_yaml
from ..errors import ArmFileWarning, did_you_mean, in_file, InvalidArmError
from ..kinematics.model import (ArmModel, check_keep_out, ExtraJoint, Frame, Joint, KeepOut,
                                LinkRadii, LinkShape, SceneObject, Tip)

#: The keys of an arm, in the order in which they are written.
_ARM_KEYS = ('name', 'source', 'base', 'links', 'joint_names', 'joints', 'home', 'floor_height',
             'extra_joint_names', 'extra_joints', 'tip_names', 'tips', 'tip', 'frame_names',
             'frames', 'link_radii', 'shape_names', 'shapes', 'keep_out_names', 'keep_out')

#: Blocks of the model's own numbers, and what the model calls these.
_BLOCKS = {'base': {'x': 'base_x', 'y': 'base_y', 'height': 'base_height',
                    'shoulder_offset': 'shoulder_offset', 'lateral': 'lateral',
                    'urdf_frame': 'urdf_frame', 'urdf_rpy': 'urdf_rpy'},
           'links': {key: key for key in (
               'upper_arm', 'forearm', 'hand', 'hand_offset', 'hand_elevation')}}

#: What else is the model's own, by the same names.
_OWN = {key: key for key in ('name', 'source', 'home', 'floor_height', 'tip')}

#: Lists of names that have a block each.
_LISTED = {'joints': ('joint_names', Joint), 'extra_joints': ('extra_joint_names', ExtraJoint),
           'tips': ('tip_names', Tip), 'frames': ('frame_names', Frame),
           'shapes': ('shape_names', LinkShape), 'keep_out': ('keep_out_names', KeepOut)}

#: Which numbers of a block are angles [rad], of what turns, and lengths [m].
_ANGLES, _PLACE = ('offset', 'lower', 'upper', 'turn', 'roll', 'pitch', 'yaw'), ('x', 'y', 'z')

#: Ranges in which an angle [rad] was probably meant in degrees, and a length [m] in centimetres or
#: millimetres: no servo makes two turns, and no servo arm has links of three metres.
_LIKE_DEGREES = (4.0 * pi, 360.0)
_LIKE_MILLIMETRES = (3.0, 10000.0)


def load_model(path: Path | str) -> ArmModel:
    """
    Read the arm that a parameter file describes.

    :param path: the file.
    :returns: the :class:`ArmModel` of the sections for every node, or the only one of the file.
    :raises InvalidArmError: naming file, key, what was found and what is allowed.
    """
    file = ParameterFile(path)
    arm = file.block('arm')
    if arm is None:     # it may be only in the section of a single node
        arms = [(name, arm) for name, parameters in file.sections
                if (arm := nested(parameters, 'arm', file.source)) is not None]
        if len(arms) != 1:
            found = f'arms in {", ".join(name for name, _ in arms)}' if arms else NOTHING
            raise InvalidArmError('arm', found, "one arm, in the section '/**'", file.source)
        (_, arm), = arms
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
    with in_file(source):
        check_keys('arm', mapping_at('arm', arm), _ARM_KEYS)
        parts = given('arm', arm, _table(ArmModel, _OWN))
        parts.update({block: _listed(arm, block) for block in _LISTED})
        for block, names in _BLOCKS.items():
            lengths = mapping_at(f'arm.{block}', arm.get(block, {}))
            if block == 'links' and all(joint.role != 'wrist' for joint in parts['joints']):
                lengths = {'hand': 0.0, **lengths}    # the forearm ends at the tip
            parts.update(_read(f'arm.{block}', lengths, _table(ArmModel, names)))
        parts['link_radii'] = LinkRadii(**_read(
            'arm.link_radii', arm.get('link_radii', {}), _table(LinkRadii)))
        # Before the model is checked, because wrong units may break its rules too.
        for words in unlikely_units(parts):
            warnings.warn(f'{source}: {words}' if source else words, ArmFileWarning)
        for joint in (*parts['joints'], *parts['extra_joints']):
            servo_of(joint)     # or it is refused
        return ArmModel(**parts)


def load_objects(path: Path | str) -> tuple[SceneObject, ...]:
    """
    Read the objects beside an arm from a YAML file, of which the key ``objects`` has all by name.

    :param path: the file.
    :raises InvalidArmError: naming file, key, what was found and what is allowed.
    """
    with in_file(str(path)):
        check_keys('the file', content := mapping_at('the file', read_yaml(path)), ('objects',))
        found = tuple(SceneObject(name, **_read(f'objects.{name}', block, _table(SceneObject)))
                      for name, block in required('', content, 'objects', mapping_at).items())
        for each in found:
            check_keep_out(each)
        return found


def model_to_mapping(model: ArmModel) -> dict[str, Any]:
    """
    Return the ``arm`` block that describes an arm.

    :param model: the :class:`ArmModel`.
    :returns: nested dicts that :func:`model_from_parameters` turns into an equal model.
    """
    arm = _written(model, _table(ArmModel, _OWN))
    arm['link_radii'] = _written(model.link_radii, _table(LinkRadii))
    for block, names in _BLOCKS.items():
        arm[block] = _written(model, _table(ArmModel, names))
    for key in ('hand', 'hand_offset'):
        if arm['links'][key] == 0.0:
            del arm['links'][key]
    for block, (names_key, made) in _LISTED.items():
        listed = getattr(model, block)
        arm[names_key] = [each.name for each in listed]
        arm[block] = {each.name: _written(each, _table(made)) for each in listed}
    return {key: arm[key] for key in _ARM_KEYS if arm.get(key) not in ('', None, [], {})}


def dump(model: ArmModel) -> str:
    """
    Return the text of a parameter file that describes an arm.

    :param model: the :class:`ArmModel`.
    :returns: str; :func:`load_model` reads an equal model from it, and ROS 2 the same numbers.
    """
    return parameter_file('arm', model_to_mapping(model), _LISTED)


def _table(made: type, names: Mapping[str, str] | None = None) -> dict[str, Field[Any]]:
    """Return the fields of a dataclass by their keys; without names all but its own name."""
    found = {field.name: field for field in fields(made)}
    return {key: found[name] for key, name in names.items()} if names else {
        name: field for name, field in found.items() if name != 'name'}


def _read(key: str, block: Any, table: Mapping[str, Field[Any]]) -> dict[str, Any]:
    """Return what a block has for the fields of a table, and nothing else may it have."""
    check_keys(key, mapping_at(key, block), table)
    return given(key, block, table)


def _written(part: object, table: Mapping[str, Field[Any]]) -> dict[str, Any]:
    """Return the block that a table reads a part of an arm from."""
    found = {key: kind_of(field)(key, value) for key, field in table.items()
             if (value := getattr(part, field.name)) not in (None, (), '')}
    return {key: list(item) if isinstance(item, tuple) else item for key, item in found.items()}


def unlikely_units(parts: Mapping[str, Any]) -> Iterator[str]:
    """Return in words which of a model's angles and lengths look as if in another unit."""
    lengths = {'arm.floor_height': parts['floor_height'] or 0.0}
    for block, names in _BLOCKS.items():
        lengths.update({f'arm.{block}.{key}': parts[name] for key, name in names.items()
                        if isinstance(parts[name], float)})
    angles = {f'arm.home[{joint.name}]': position
              for joint, position in zip(parts['joints'], parts['home'])}
    for block in _LISTED:
        for part in parts[block]:
            slides = getattr(part, 'type', '') == 'prismatic'
            for key, value in vars(part).items():
                if key in _PLACE or key in _ANGLES:
                    kind = lengths if slides or key in _PLACE else angles
                    kind[f'arm.{block}.{part.name}.{key}'] = value
    for values, (least, most), words in (
            (angles, _LIKE_DEGREES, 'look like degrees; angles are in radians'),
            (lengths, _LIKE_MILLIMETRES,
             'look like millimetres or centimetres; lengths are in metres')):
        found = [f'{key} {value:g}' for key, value in values.items() if least < abs(value) <= most]
        if found:
            yield f'{", ".join(found)}: {words}'


def _listed(arm: dict[str, Any], block: str) -> tuple[Any, ...]:
    """Return what a list of names and a block for each of them describe; both may be missing."""
    names_key, made = _LISTED[block]
    names = name_list(f'arm.{names_key}', arm.get(names_key, []))
    blocks = mapping_at(f'arm.{block}', arm.get(block, {}))
    unlisted = [name for name in blocks if name not in names]
    for name in [*(name for name in names if name not in blocks), *unlisted]:
        raise InvalidArmError(
            f'arm.{block}.{name}', 'a name that is not listed' if name in blocks else NOTHING,
            did_you_mean(name, names if name in blocks else unlisted)
            + f'a block for each of arm.{names_key}, which are {", ".join(names) or "none"}'
            + (f'; not in the list: {", ".join(unlisted)}' if unlisted else ''))
    for name in names if made is Tip else ():
        for key in {'roll', 'pitch', 'yaw'}.intersection(mapping_at('', blocks[name])):
            raise InvalidArmError(
                f'arm.tips.{name}.{key}', blocks[name][key], 'x, y, z and turn: z of a tip '
                'stays along the last link; a camera at an angle is one of arm.frames')
    return tuple(made(name, **_read(f'arm.{block}.{name}', blocks[name], _table(made)))
                 for name in names)
