# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A file of target poses, read and checked as a whole before the arm moves.

The format::

    name: pick and place        # optional; the file's own name otherwise
    arm: so101                  # optional; the arm the numbers are made for
    defaults: {up: [0, 0, -1]}  # optional; for entries that do not say
    targets:
      - {name: above the cube, position: [0.2, 0.1, 0.1], up: [0, 0, -1], forward: [-1, 0, 0]}
      - {name: along the edge, line_to: [0.25, 0.1, 0.1], steps: 8}
      - {name: too far, position: [0.9, 0.0, 0.1], expect: unreachable}
      - {name: grasp, gripper: 0.2, wait: 0.5}          # 0 closed, 1 open; then rest for 0.5 s
      - {name: a stroke, position: [0.2, 0.0, 0.1], motion: line, speed: 0.05}

Positions are of the tip, in ``base_link`` [m]; ``up`` points along the last link, ``forward``
where ``tool0``'s x axis should point. ``line_to`` goes on from the position before it, in equal
steps, and the arm comes to rest at every one of them. With ``motion: line`` the tip goes straight
to the position, at a ``speed`` [m/s].
"""

from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import NamedTuple, Optional, Tuple, Union

import yaml

from ..errors import InvalidInputError
from ..kinematics.target import Target

_FILE_KEYS = ('name', 'arm', 'defaults', 'targets')
_VECTOR_KEYS = ('up', 'forward')
_DEFAULT_KEYS = (*_VECTOR_KEYS, 'motion', 'speed')
_POSE_KEYS = ('name', 'position', 'up', 'forward', 'expect', 'motion', 'speed', 'wait')
_LINE_KEYS = ('name', 'line_to', 'steps', 'up', 'forward', 'expect', 'motion', 'speed', 'wait')
_GRIPPER_KEYS = ('name', 'gripper', 'wait')
_KINDS = {'position': _POSE_KEYS, 'line_to': _LINE_KEYS, 'gripper': _GRIPPER_KEYS}


#: Longest wait [s].
_LONGEST_WAIT = 600.0


class PoseStep(NamedTuple):
    """
    A pose to come to rest at; ``entry`` counts the file's entries from 1.

    ``speed`` is that of the tip on the way there [m/s], ``None``: the joints go there directly.
    ``wait`` is how long to rest there [s].
    """

    entry: int
    name: str
    target: Target
    reachable: bool
    speed: Optional[float] = None
    wait: float = 0.0


class GripperStep(NamedTuple):
    """An opening of the gripper to come to rest at, 0 closed, 1 open; then to wait [s]."""

    entry: int
    name: str
    opening: float
    wait: float = 0.0


Step = Union[PoseStep, GripperStep]


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
    :raises InvalidInputError: naming the file, the entry, what was found and what is allowed.
    """
    path = Path(path)
    try:
        content = yaml.safe_load(path.read_text(encoding='utf-8'))
    except OSError as error:
        raise InvalidInputError(str(path), error.strerror, 'a file that can be read') from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidInputError(str(path), _one_line(error), 'a YAML file') from None
    _check_keys(str(path), content, _FILE_KEYS)
    defaults = content.get('defaults') or {}
    _check_keys(f'{path}: defaults', defaults, _DEFAULT_KEYS)
    for key in _VECTOR_KEYS:
        if defaults.get(key) is not None:
            _vector(f'{path}: defaults: {key}', defaults[key])
    entries = content.get('targets')
    if not isinstance(entries, list) or not entries:
        raise InvalidInputError(f'{path}: targets', entries, 'a list with at least one entry')
    steps = []
    for number, entry in enumerate(entries, start=1):
        steps += _steps(str(path), number, entry, defaults, steps)
    return TargetFile(str(content.get('name', path.stem)), _arm(path, content), tuple(steps))


def _arm(path, content):
    arm = content.get('arm')
    if arm is not None and not isinstance(arm, str):
        raise InvalidInputError(f'{path}: arm', arm, 'the name of an arm')
    return arm


def _steps(path, number, entry, defaults, before):
    where = f'{path}: entry {number}'
    if not isinstance(entry, dict):
        raise InvalidInputError(where, entry, 'a map such as {position: [0.2, 0.0, 0.1]}')
    kinds = [kind for kind in _KINDS if kind in entry]
    if len(kinds) != 1:
        raise InvalidInputError(where, entry, 'exactly one of position, line_to, gripper')
    name = str(entry.get('name', f'{kinds[0].split("_")[0]} {number}'))
    where = f'{where} ({name})' if 'name' in entry else where
    _check_keys(where, entry, _KINDS[kinds[0]])
    wait = _in_range(f'{where}: wait', entry.get('wait', 0.0), 0.0, _LONGEST_WAIT)
    if kinds[0] == 'gripper':
        opening = _in_range(f'{where}: gripper', entry['gripper'], 0.0, 1.0)
        return [GripperStep(number, name, opening, wait)]
    speed = _speed(where, entry, defaults)
    end = _vector(f'{where}: {kinds[0]}', entry[kinds[0]])
    points = [end] if kinds[0] == 'position' else _line(where, entry, end, before)
    expect = entry.get('expect', 'reachable')
    if expect not in ('reachable', 'unreachable'):
        raise InvalidInputError(f'{where}: expect', expect, 'reachable, unreachable')
    if expect == 'unreachable' and speed is not None:
        raise InvalidInputError(f'{where}: expect', expect, 'reachable, with motion: line: a line '
                                'is only begun if it can be gone to its end')
    up, forward = (
        None if value is None else _vector(f'{where}: {key}', value)
        for key, value in ((key, entry.get(key, defaults.get(key))) for key in _VECTOR_KEYS))
    targets = [_target(where, point, up, forward) for point in points]
    return [PoseStep(number, name, target, expect == 'reachable', speed,
                     wait if target is targets[-1] else 0.0) for target in targets]


def _speed(where, entry, defaults):
    """Return the speed of the tip [m/s], ``None`` where the joints go directly."""
    motion = entry.get('motion', defaults.get('motion', 'joint'))
    if motion not in ('joint', 'line'):
        raise InvalidInputError(f'{where}: motion', motion, 'joint, line')
    speed = entry.get('speed', defaults.get('speed', 0.1))
    speed = _in_range(f'{where}: speed', speed, 1e-4, 10.0)
    if motion == 'line':
        return speed
    if 'speed' in entry:
        raise InvalidInputError(f'{where}: speed', speed, 'a speed only with motion: line')
    return None


def _target(where, position, up, forward):
    try:
        return Target(position, up, forward)
    except InvalidInputError as error:
        raise InvalidInputError(f'{where}: {error.what}', error.found, error.allowed) from None


def _line(where, entry, end, before):
    steps = entry.get('steps')
    if not isinstance(steps, int) or isinstance(steps, bool) or not 1 <= steps <= 1000:
        raise InvalidInputError(f'{where}: steps', steps, 'a whole number from 1 to 1000')
    poses = [step for step in before if isinstance(step, PoseStep)]
    if not poses:
        raise InvalidInputError(f'{where}: line_to', list(end),
                                'a line that has a position before')
    start = poses[-1].target.position
    return [tuple(a + (b - a) * (i / steps) for a, b in zip(start, end))
            for i in range(1, steps)] + [end]


def _vector(where, values):
    allowed = 'three finite numbers, such as [0.2, 0.0, 0.1]'
    if not isinstance(values, list) or len(values) != 3:
        raise InvalidInputError(where, values, allowed)
    return tuple(_number(where, value, allowed) for value in values)


def _number(where, value, allowed):
    # YAML 1.1 reads 1e-3 as text, although its author meant the number.
    try:
        number = float('nan') if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = float('nan')
    if not isfinite(number):
        raise InvalidInputError(where, value, allowed)
    return number


def _in_range(where, value, low, high):
    allowed = f'a number from {low:g} to {high:g}'
    number = _number(where, value, allowed)
    if not low <= number <= high:
        raise InvalidInputError(where, number, allowed)
    return number


def _check_keys(where, found, allowed):
    if not isinstance(found, dict):
        raise InvalidInputError(where, found, f'a map with the keys {", ".join(allowed)}')
    for key in found:
        if key not in allowed:
            near = get_close_matches(str(key), allowed, n=1)
            hint = f' (did you mean {near[0]}?)' if near else ''
            raise InvalidInputError(f'{where}: key', key, ', '.join(allowed) + hint)


def _one_line(error):
    return ' '.join(str(error).split())
