# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Servos files as text: a new one, and what is changed in one whose rest stays as it is."""

from datetime import date
import re

from ..description.parameter_file import ParameterFile
from ..description.presets import config_directory
from ..description.ros_text import parameter_file
from ..drivers.servos_file import load_servos, servos_from_parameters
from ..errors import InvalidArmError, InvalidInputError

#: Keys of a joint that are not the same for all arms of a kind.
_OF_ONE_ARM = ('zero', 'direction', 'lower_tick', 'upper_tick', 'ticks', 'positions',
               'homing_offset')


def bus_of(arm, like=None):
    """
    Return what is the same for all arms of a kind: the ``servos`` block of an example.

    :param arm: the :class:`~arm_ik.arm.Arm`.
    :param like: path of a servos file; ``None``: the example that comes with the package.
    :returns: the block, and what it says as :class:`~arm_ik.drivers.servos_file.ServosFile`.
    """
    folder = config_directory()
    if like is None:
        examples = sorted((folder / 'servos').glob('*.yaml')) if folder else []
        like = next((path for path in examples if path.stem == arm.name), None)
        if like is None:
            raise InvalidInputError(
                '--like', None, f'a servos file with the ids of a {arm.name}; examples come with '
                f'the package for {", ".join(path.stem for path in examples)}')
    block = ParameterFile(like).block('servos')
    return block, servos_from_parameters(block, arm.model.all_joints, str(like))


def checked_joints(new, found):
    """
    Return the ``joints`` block of a new servos file, once it has passed.

    :param new: the :class:`~.arguments.NewFile`.
    :param found: by joint name, what is not as in the example.
    :raises InvalidArmError: if that makes no servos file, naming the joint.
    """
    names = new.arm.model.all_joints
    joints = {name: {**{key: value for key, value in new.block['joints'][name].items()
                        if key not in _OF_ONE_ARM}, **found.get(name, {})} for name in names}
    servos_from_parameters({**new.block, 'joints': joints}, names, 'what was found')
    return joints


def write_new(terminal, new, joints, how):
    """
    Write a new servos file; say what comes next.

    :param new: the :class:`~.arguments.NewFile`.
    :param joints: as of :func:`checked_joints`.
    :param how: how this was found, for the comment.
    """
    block = {key: value for key, value in new.block.items() if key not in ('joints', 'verified')}
    new.path.write_text(
        f'# The servos of one {new.arm.name}, {how}\n# on {date.today().isoformat()}. Before the '
        'first motion: arm_ik servos verify, with this file.\n'
        + parameter_file('servos', {**block, 'joints': joints}, ('joints',)), encoding='utf-8')
    terminal.say('', f'written: {new.path}', f'next: arm_ik servos verify {new.path}')


def write_verified(path, fingerprint, names):
    """
    Write ``verified`` into a servos file, all else byte for byte as it is.

    :raises InvalidArmError: if it does not count there; then the file stays as it was.
    """
    before, line = path.read_bytes(), f"verified: '{fingerprint}'".encode()
    in_servos, newline = rb'(?ms)(^ *servos:.*?^)( *)', b'\r\n' if b'\r\n' in before else b'\n'
    after, found = re.subn(in_servos + rb'verified: *[^\s#]+', rb'\1\2' + line, before, count=1)
    path.write_bytes(after if found else re.sub(
        in_servos + rb'joints:', rb'\1\2' + line + newline + rb'\2joints:', before, count=1))
    try:
        if not load_servos(path, names).is_verified:
            raise InvalidArmError('servos', 'a file in which a line "verified" does not count',
                                  f"a line verified: '{fingerprint}' above joints, by hand",
                                  str(path))
    except InvalidArmError:
        path.write_bytes(before)
        raise
