# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Servos files as text: a new one, and ``verified`` in one whose rest stays as it is."""

from datetime import date
import re

import yaml

from ..description.parameter_file import nested, ParameterFile
from ..description.presets import config_directory
from ..description.yaml_reader import parse_yaml
from ..drivers.servos_file import load_servos, servos_from_parameters
from ..errors import InvalidArmError, InvalidInputError

_WIDTH = 99

#: Text that YAML might take for something else than text.
_NEEDS_QUOTES = re.compile(r'^[^/A-Za-z]|: | #|[\[\]{},]|^(y|n|yes|no|on|off|true|false|null)$',
                           re.IGNORECASE)


def bus_of(arm, like=None):
    """
    Return what is the same for all arms of a kind: the ``servos`` block of an example.

    :param arm: the :class:`~arm_ik.arm.Arm`.
    :param like: path of a servos file; ``None``: the example that comes with the package.
    :returns: the block, what it says as :class:`~arm_ik.drivers.servos_file.ServosFile`, and what
        it is taken from.
    """
    folder = config_directory()
    if like is None:
        examples = sorted((folder / 'servos').glob('*.yaml')) if folder else []
        like = next((path for path in examples if path.stem == arm.name), None)
        if like is None:
            raise InvalidInputError(
                '--like', None, f'a servos file with the ids of a {arm.name}; examples come with '
                f'the package for {", ".join(path.stem for path in examples)}')
    file = ParameterFile.read(like)
    block = nested(file.parameters(), 'servos', file.source)
    return block, servos_from_parameters(block, joint_names(arm), file.source), file.source


def joint_names(arm):
    """Return the names of all joints of an arm, extra ones last."""
    return (*arm.joint_names, *(joint.name for joint in arm.model.extra_joints))


def servos_text(arm, bus, joints, how):
    """
    Return a servos file.

    :param arm: the :class:`~arm_ik.arm.Arm`.
    :param bus: the block as of :func:`bus_of`; its joints are not used.
    :param joints: mapping from joint names to what stands there.
    :param how: how this was found, for the comment.
    :raises InvalidArmError: if that makes no servos file, naming the joint.
    """
    lines = [f'# The servos of one {arm.name}, {how}', f'# on {date.today().isoformat()}. Before '
             'the first motion: arm_ik servos verify, with this file.',
             '/**:', '  ros__parameters:', '    servos:']
    lines += [f'      {key}: {_plain(value)}' for key, value in bus.items()
              if key not in ('joints', 'verified')]
    lines.append('      joints:')
    for name in joint_names(arm):
        pairs = [f'{key}: {_plain(value)}' for key, value in joints[name].items()]
        lines += [f'        {name}:', *_wrapped(pairs)]
    text = '\n'.join(lines) + '\n'
    block = parse_yaml(text, 'what was found')['/**']['ros__parameters']['servos']
    servos_from_parameters(block, joint_names(arm), 'what was found')
    return text


def write_new(terminal, path, text, dry_run):
    """Write a new servos file, or show it; say what comes next."""
    if dry_run:
        terminal.say('', f'Dry run. {path} would be:', '', text)
    else:
        path.write_text(text, encoding='utf-8')
        terminal.say('', f'written: {path}', f'next: arm_ik servos verify {path}')


def with_verified(text, fingerprint, source):
    """
    Return the text of a servos file with ``verified``, all else byte for byte as it is.

    :param text: of the file.
    :param fingerprint: of its joints.
    :param source: the file, for messages.
    :raises InvalidArmError: if there is no block ``servos`` in levels.
    """
    value = block_of(text, 'servos', 'joints').get('verified')
    if value:
        return f"{text[:value.start_mark.index]}'{fingerprint}'{text[value.end_mark.index:]}"
    return above_key(text, 'servos', 'joints', f"verified: '{fingerprint}'", source)


def above_key(text, block, key, line, source):
    """
    Return the text of a YAML file with a line above a key, all else byte for byte as it is.

    :param block: name of the mapping that has the key.
    :param source: the file, for messages.
    :raises InvalidArmError: if there is no such block in levels.
    """
    node = _node(yaml.compose(text, Loader=yaml.SafeLoader), block, key)
    if node is None or node.flow_style:
        raise InvalidArmError(block, f'no block with a line "{key}:"', 'one, so that a line can '
                              f'be put above it: {line}', source)
    start = next(each.start_mark for each, _ in node.value if each.value == key)
    newline = '\r\n' if '\r\n' in text else '\n'
    return f"{text[:start.index]}{line}{newline}{' ' * start.column}{text[start.index:]}"


def write_verified(path, fingerprint, names):
    """Write ``verified`` into a servos file, and make sure that it counts."""
    before = path.read_bytes()
    path.write_bytes(with_verified(before.decode(), fingerprint, str(path)).encode())
    if not load_servos(path, names).is_verified:
        path.write_bytes(before)
        raise InvalidArmError('servos', 'a file in which a line "verified" does not count',
                              f"a line verified: '{fingerprint}' beside joints, by hand",
                              str(path))


def write_zeros(path, moves):
    """Move the zeros in a servos file, all else byte for byte as it is; ``moves`` in ticks."""
    text, edits = path.read_bytes().decode(), []
    for name, block in block_of(text, 'servos', 'joints')['joints'].value:
        for key, value in block.value if name.value in moves else ():
            if key.value in ('zero', 'ticks'):
                edits += [(each.start_mark.index, each.end_mark.index,
                           f'{round(float(each.value) + moves[name.value], 1):g}')
                          for each in (value.value if key.value == 'ticks' else [value])]
    for start, end, number in sorted(edits, reverse=True):
        text = text[:start] + number + text[end:]
    path.write_bytes(text.encode())


def block_of(text, name, key):
    """Return the nodes in a block, by key; none if there is no such block."""
    node = _node(yaml.compose(text, Loader=yaml.SafeLoader), name, key)
    return {each.value: value for each, value in node.value} if node else {}


def _node(node, block, key):
    """Return the first mapping of a name that has a key, at any level; ``None``: there is none."""
    for each, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if each.value == block and isinstance(value, yaml.MappingNode) \
                and any(inner.value == key for inner, _ in value.value):
            return value
        found = _node(value, block, key)
        if found is not None:
            return found
    return None


def _plain(value):
    if isinstance(value, float):
        text = f'{value:.6f}'.rstrip('0')
        return text + '0' if text.endswith('.') else text
    if isinstance(value, (list, tuple)):
        return f'[{", ".join(_plain(each) for each in value)}]'
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'" if _NEEDS_QUOTES.search(value) else value
    return str(value)


def _wrapped(pairs):
    lines, line = [], '          {' + pairs[0]
    for pair in pairs[1:]:
        if len(line) + len(pair) + 3 > _WIDTH:
            lines.append(line + ',')
            line = '           ' + pair
        else:
            line += ', ' + pair
    return [*lines, line + '}']
