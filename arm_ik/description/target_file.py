# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A file of target poses, read and checked as a whole before the arm moves.

docs/targets.md has the format. Positions are of the tip, in ``base_link`` [m]; ``up`` points along
the last link, ``forward`` where ``tool0``'s x axis should point. Poses that an arm was taught are
positions of its ``joints`` [rad], and the opening of its gripper.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .ros_text import write
from .values import among, check_keys, integer, mapping_at, number, number_list, required, within
from .yaml_reader import read_yaml
from ..errors import in_file, InvalidArmError, InvalidInputError, require
from ..kinematics.target import Target

_DEFAULTS = ('up', 'forward', 'motion', 'speed')
_KINDS = {'position': ('expect', *_DEFAULTS), 'line_to': ('steps', 'expect', *_DEFAULTS),
          'joints': ('gripper',), 'gripper': ()}


class Step(NamedTuple):
    """
    A pose to come to rest at, or an opening of the gripper; ``entry`` counts from 1.

    ``target`` is the pose, ``None`` for the gripper; ``opening`` is 0 closed, 1 open. ``speed`` is
    that of the tip on the path [m/s], ``None``: the joints go there directly. ``wait`` is how
    long to rest there [s]. ``joints`` are the positions of a pose by joint name [rad], instead of
    ``target``; then ``opening`` is ``None`` where the gripper stays.
    """

    entry: int
    name: str
    target: Target | None = None
    opening: float | None = 0.0
    reachable: bool = True
    speed: float | None = None
    wait: float = 0.0
    joints: dict[str, float] | None = None


class TargetFile(NamedTuple):
    """What a file asks for, in the order it asks for it."""

    name: str
    arm: str | None
    steps: tuple[Step, ...]


def load_targets(path: Path | str) -> TargetFile:
    """
    Read a target file.

    :param path: of the YAML file.
    :returns: a :class:`TargetFile`.
    :raises ArmIkError: naming the file, the entry, what was found and what is allowed.
    """
    content = read_yaml(path)
    with in_file(str(path)):
        check_keys('the file', mapping_at('the file', content),
                   ('name', 'arm', 'defaults', 'targets'))
        arm, entries = content.get('arm'), content.get('targets')
        require(isinstance(entries, list) and entries, 'targets', entries,
                'a list with at least one entry')
        defaults = mapping_at('defaults', content.get('defaults') or {})
        check_keys('defaults', defaults, _DEFAULTS)
        _target('defaults', [0.0, 0.0, 0.0], defaults)
        steps: list[Step] = []
        for index, entry in enumerate(entries, start=1):
            steps += _steps(index, entry, defaults, steps)
    return TargetFile(str(content.get('name', Path(path).stem)), arm and str(arm), tuple(steps))


def poses_in(path: Path) -> dict[str, Step]:
    """Return the poses of joints in a target file by name; none, if it is missing."""
    steps = load_targets(path).steps if path.exists() else ()
    return {step.name: step for step in steps if step.joints}


def store(path: Path, name: str, entry: dict[str, Any] | None, arm: str = '') -> str:
    """
    Store a pose in a target file under a name, all else as it is; return the name.

    One of that name that was stored before is replaced; a new one comes last.

    :param path: of the file; one that is missing is made.
    :param name: of the entry; empty: the first free of "pose 1" and so on.
    :param entry: a mapping with ``joints``; ``None``: take it out.
    :param arm: the name of the arm that a new file is for.
    :raises ArmIkError: if that would make no target file; then it stays as it was.
    """
    poses = poses_in(path)
    name = name or next(free for number in range(1, len(poses) + 2) if (
        free := f'pose {number}') not in poses)
    lines = path.read_text(encoding='utf-8').splitlines() if path.exists() else [
        f'arm: {write(arm)}', 'targets:']
    at = [index for index, line in enumerate(lines)
          if line.lstrip().startswith(f'- {{name: {write(name)}, joints: ')]
    indent = next((line.partition('-')[0] for line in reversed(lines)
                   if line.lstrip().startswith('- ')), '  ')
    lines[at[0] if at else len(lines):at[0] + 1 if at else None] = [
        f'{indent}- {write({"name": name, **entry})}'] if entry else []
    new = path.with_name(f'{path.name}.new')
    new.write_text('\n'.join([*lines, '']), encoding='utf-8')
    require(len(poses_in(new)) == len({*poses, name}) - (entry is None)
            and (name in poses) == bool(at), 'entry', name, 'one line for each pose of joints')
    new.replace(path)
    return name


def _steps(index: int, entry: Any, defaults: dict[str, Any], before: list[Step]) -> list[Step]:
    kinds = [kind for kind in _KINDS if isinstance(entry, dict) and kind in entry]
    if kinds == ['joints', 'gripper']:
        kinds.pop()
    require(len(kinds) == 1, f'entry {index}', entry,
            f'a mapping with exactly one of {", ".join(_KINDS)}')
    kind, = kinds
    name = str(entry.get('name', f'{kind.split("_")[0]} {index}'))
    place = f'entry {index} ({name})'
    check_keys(place, entry, (kind, 'name', 'wait', *_KINDS[kind]))
    asked = {'motion': 'joint', 'speed': 0.1, 'expect': 'reachable', 'wait': 0.0, **defaults,
             **entry}
    wait = required(place, asked, 'wait', within(0.0, 600.0))
    if kind in ('gripper', 'joints'):
        opening = required(place, entry, 'gripper', within(0, 1)) if 'gripper' in entry else None
        joints = {joint: number(f'{place}.joints.{joint}', at) for joint, at in mapping_at(
            f'{place}.joints', entry[kind]).items()} if kind == 'joints' else None
        return [Step(index, name, opening=opening, wait=wait, joints=joints)]
    is_line = required(place, asked, 'motion', among(('joint', 'line'))) == 'line'
    reachable = required(place, asked, 'expect', among(
        ('reachable', 'unreachable'))) == 'reachable'
    speed = required(place, asked, 'speed', within(1e-4, 10.0))
    require(is_line or 'speed' not in entry, f'{place}.speed', speed, 'only with motion: line')
    require(reachable or not is_line, f'{place}.expect', asked['expect'], 'reachable, with '
            'motion: line: the arm starts on a line only if it can follow it to its end')
    end = _target(place, entry[kind], asked)
    points = [end.position]
    if kind == 'line_to':
        count = required(place, entry, 'steps', within(1, 1000, integer))
        starts = [step.target.position for step in before if step.target]
        require(starts, f'{place}.line_to', end.position, 'a line that has a position before')
        points = np.linspace(starts[-1], end.position, count + 1)[1:].tolist()
    steps = [Step(index, name, Target(point, end.up, end.forward), 0.0, reachable,
                  speed if is_line else None) for point in points]
    return [*steps[:-1], steps[-1]._replace(wait=wait)]


def _target(place: str, position: Any, mapping: dict[str, Any]) -> Target:
    try:
        # As ROS 2, read_yaml takes null for a word.
        vectors = {key: None if mapping[key] in (None, 'null') else number_list(key, mapping[key])
                   for key in ('up', 'forward') if key in mapping}
        return Target(number_list('position', position), **vectors)
    except (InvalidArmError, InvalidInputError) as error:
        raise InvalidArmError(f'{place}: {error.args[0]}', error.found, error.allowed) from None
