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

from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import NamedTuple, Optional, Tuple

from ..description.yaml_reader import read_yaml
from ..errors import did_you_mean, InvalidInputError
from ..kinematics.target import Target

_DEFAULTS = ('up', 'forward', 'motion', 'speed')
_KINDS = {'position': ('expect', *_DEFAULTS), 'line_to': ('steps', 'expect', *_DEFAULTS),
          'gripper': ()}


class Step(NamedTuple):
    """
    A pose to come to rest at, or an opening of the gripper; ``entry`` counts from 1.

    ``target`` is the pose, ``None`` for the gripper; ``opening`` is 0 closed, 1 open. ``speed`` is
    that of the tip on the way there [m/s], ``None``: the joints go there directly. ``wait`` is how
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
    with _named(path):
        _check_keys('the file', content, ('name', 'arm', 'defaults', 'targets'))
        arm, entries = content.get('arm'), content.get('targets')
        if not (arm is None or isinstance(arm, str)):
            raise InvalidInputError('arm', arm, 'the name of an arm')
        if not (isinstance(entries, list) and entries):
            raise InvalidInputError('targets', entries, 'a list with at least one entry')
        with _named('defaults'):
            defaults = content.get('defaults') or {}
            _check_keys('it', defaults, _DEFAULTS)
            _directions(defaults)
        steps = []
        for number, entry in enumerate(entries, start=1):
            called = isinstance(entry, dict) and 'name' in entry
            with _named(f'entry {number} ({entry["name"]})' if called else f'entry {number}'):
                steps += _steps(number, entry, defaults, steps)
    return TargetFile(str(content.get('name', Path(path).stem)), arm, tuple(steps))


def _steps(number, entry, defaults, before):
    kinds = [kind for kind in _KINDS if isinstance(entry, dict) and kind in entry]
    if len(kinds) != 1:
        raise InvalidInputError('it', entry, f'a map with exactly one of {", ".join(_KINDS)}')
    kind, = kinds
    _check_keys('it', entry, (kind, 'name', 'wait', *_KINDS[kind]))
    name = str(entry.get('name', f'{kind.split("_")[0]} {number}'))
    wait = _number('wait', entry.get('wait', 0.0), 0.0, 600.0)
    if kind == 'gripper':
        opening = _number('gripper', entry[kind], 0.0, 1.0)
        return [Step(number, name, opening=opening, wait=wait)]
    points = [_vector(kind, entry[kind])]
    if kind == 'line_to':
        points = _line(entry.get('steps'), points[0], before)
    asked = {'motion': 'joint', 'speed': 0.1, 'expect': 'reachable', **defaults, **entry}
    for key, allowed in (('motion', ('joint', 'line')), ('expect', ('reachable', 'unreachable'))):
        if asked[key] not in allowed:
            raise InvalidInputError(key, asked[key], ', '.join(allowed))
    speed, is_line = _number('speed', asked['speed'], 1e-4, 10.0), asked['motion'] == 'line'
    if 'speed' in entry and not is_line:
        raise InvalidInputError('speed', speed, 'a speed only with motion: line')
    if is_line and asked['expect'] == 'unreachable':
        raise InvalidInputError('expect', asked['expect'], 'reachable, with motion: line: the arm '
                                'starts on a line only if it can follow it to its end')
    steps = [Step(number, name, Target(point, **_directions(asked)), 0.0,
                  asked['expect'] == 'reachable', speed if is_line else None) for point in points]
    return [*steps[:-1], steps[-1]._replace(wait=wait)]


def _line(count, end, before):
    if not (type(count) is int and 1 <= count <= 1000):
        raise InvalidInputError('steps', count, 'a whole number from 1 to 1000')
    starts = [step.target.position for step in before if step.target]
    if not starts:
        raise InvalidInputError('line_to', end, 'a line that has a position before')
    return [tuple(a + (b - a) * (i / count) for a, b in zip(starts[-1], end))
            for i in range(1, count)] + [end]


def _directions(mapping):
    # As ROS 2, read_yaml takes null for a word.
    return {key: None if mapping[key] in (None, 'null') else _vector(key, mapping[key])
            for key in ('up', 'forward') if key in mapping}


def _vector(what, values):
    if not (isinstance(values, list) and len(values) == 3 and all(map(_is_number, values))):
        raise InvalidInputError(what, values, 'three finite numbers, such as [0.2, 0.0, 0.1]')
    return tuple(map(float, values))


def _number(what, value, low, high):
    if not (_is_number(value) and low <= value <= high):
        raise InvalidInputError(what, value, f'a number from {low:g} to {high:g}')
    return float(value)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def _check_keys(what, found, allowed):
    if not isinstance(found, dict):
        raise InvalidInputError(what, found, f'a map with the keys {", ".join(allowed)}')
    for key in found:
        if key not in allowed:
            raise InvalidInputError('key', key, did_you_mean(key, allowed) + ', '.join(allowed))


@contextmanager
def _named(where):
    """Name the place in the errors of a block."""
    try:
        yield
    except InvalidInputError as error:
        raise InvalidInputError(f'{where}: {error.what}', error.found, error.allowed) from None
