# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A file of target poses, read and checked as a whole before the arm moves.

docs/targets.md has the format. Positions are of the tip, in ``base_link`` [m]; ``up`` points along
the last link, ``forward`` where ``tool0``'s x axis should point.
"""

from pathlib import Path
from typing import NamedTuple, Optional, Tuple

import numpy as np

from ..description.values import check_keys, mapping_at, number, number_list
from ..description.yaml_reader import read_yaml
from ..errors import InvalidArmError, InvalidInputError
from ..kinematics.target import Target

_DEFAULTS = ('up', 'forward', 'motion', 'speed')
_KINDS = {'position': ('expect', *_DEFAULTS), 'line_to': ('steps', 'expect', *_DEFAULTS),
          'gripper': ()}


class Step(NamedTuple):
    """
    A pose to come to rest at, or an opening of the gripper; ``entry`` counts from 1.

    ``target`` is the pose, ``None`` for the gripper; ``opening`` is 0 closed, 1 open. ``speed`` is
    that of the tip on the path [m/s], ``None``: the joints go there directly. ``wait`` is how
    long to rest there [s].
    """

    entry: int
    name: str
    target: Optional[Target] = None
    opening: float = 0.0
    reachable: bool = True
    speed: Optional[float] = None
    wait: float = 0.0


class TargetFile(NamedTuple):
    """What a file asks for, in the order it asks for it."""

    name: str
    arm: Optional[str]
    steps: Tuple[Step, ...]


def load_targets(path):
    """
    Read a target file.

    :param path: of the YAML file.
    :returns: a :class:`TargetFile`.
    :raises ArmIkError: naming the file, the entry, what was found and what is allowed.
    """
    content = read_yaml(path)
    try:
        check_keys('the file', mapping_at('the file', content),
                   ('name', 'arm', 'defaults', 'targets'))
        arm, entries = content.get('arm'), content.get('targets')
        _require(isinstance(entries, list) and entries, 'targets', entries,
                 'a list with at least one entry')
        defaults = mapping_at('defaults', content.get('defaults') or {})
        check_keys('defaults', defaults, _DEFAULTS)
        _target('defaults', [0.0, 0.0, 0.0], defaults)
        steps = []
        for index, entry in enumerate(entries, start=1):
            steps += _steps(index, entry, defaults, steps)
    except InvalidArmError as error:
        raise error.in_file(str(path)) from None
    return TargetFile(str(content.get('name', Path(path).stem)), arm and str(arm), tuple(steps))


def _steps(index, entry, defaults, before):
    kinds = [kind for kind in _KINDS if isinstance(entry, dict) and kind in entry]
    _require(len(kinds) == 1, f'entry {index}', entry,
             f'a mapping with exactly one of {", ".join(_KINDS)}')
    kind, = kinds
    name = str(entry.get('name', f'{kind.split("_")[0]} {index}'))
    place = f'entry {index} ({name})'
    check_keys(place, entry, (kind, 'name', 'wait', *_KINDS[kind]))
    wait = _between(place, 'wait', entry.get('wait', 0.0), 0.0, 600.0)
    if kind == 'gripper':
        opening = _between(place, 'gripper', entry[kind], 0.0, 1.0)
        return [Step(index, name, opening=opening, wait=wait)]
    asked = {'motion': 'joint', 'speed': 0.1, 'expect': 'reachable', **defaults, **entry}
    for key, allowed in (('motion', ('joint', 'line')), ('expect', ('reachable', 'unreachable'))):
        _require(asked[key] in allowed, f'{place}.{key}', asked[key], ', '.join(allowed))
    is_line, reachable = asked['motion'] == 'line', asked['expect'] == 'reachable'
    speed = _between(place, 'speed', asked['speed'], 1e-4, 10.0)
    _require(is_line or 'speed' not in entry, f'{place}.speed', speed, 'only with motion: line')
    _require(reachable or not is_line, f'{place}.expect', asked['expect'], 'reachable, with '
             'motion: line: the arm starts on a line only if it can follow it to its end')
    end = _target(place, entry[kind], asked)
    points = [end.position]
    if kind == 'line_to':
        points = _line(place, entry.get('steps'), end.position, before)
    steps = [Step(index, name, Target(point, end.up, end.forward), 0.0, reachable,
                  speed if is_line else None) for point in points]
    return [*steps[:-1], steps[-1]._replace(wait=wait)]


def _line(place, count, end, before):
    _require(type(count) is int and 1 <= count <= 1000, f'{place}.steps', count,
             'a whole number from 1 to 1000')
    starts = [step.target.position for step in before if step.target]
    _require(starts, f'{place}.line_to', end, 'a line that has a position before')
    return np.linspace(starts[-1], end, count + 1)[1:].tolist()


def _target(place, position, mapping):
    try:
        # As ROS 2, read_yaml takes null for a word.
        vectors = {key: None if mapping[key] in (None, 'null') else number_list(key, mapping[key])
                   for key in ('up', 'forward') if key in mapping}
        return Target(number_list('position', position), **vectors)
    except (InvalidArmError, InvalidInputError) as error:
        what = getattr(error, 'key', None) or error.what
        raise InvalidArmError(f'{place}: {what}', error.found, error.allowed) from None


def _between(place, name, value, low, high):
    value = number(f'{place}.{name}', value)
    _require(low <= value <= high, f'{place}.{name}', value, f'from {low:g} to {high:g}')
    return value


def _require(holds, key, found, allowed):
    if not holds:
        raise InvalidArmError(key, found, allowed)
