# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Import-lerobot: a servos file from what LeRobot's calibration has found.

What LeRobot wrote, into its file and into the servos::

    present = actual - homing_offset        (register 31; the ticks that are read are present ones)
    degrees = (tick - (range_min + range_max) / 2) * 360 / 4095

So its zero is the middle of the range, and its degrees are 1/4096 too large: a turn has 4096
ticks. ``wrist_roll`` has the whole turn as range, and as its middle the pose it was held in. The
gripper goes from 0 to 100 percent, closed to open; ``drive_mode`` 1 turns that round, and has no
effect on degrees.

What is assumed: the middle of LeRobot's range is the middle of the arm file's limits, and ticks
grow with the position. The maker's URDF of the SO-101 says so ("new calibration": zero in the
middle of every joint's range). ``arm_ik servos verify`` finds out whether it holds.
"""

import json
from math import degrees, pi
from pathlib import Path

from .arguments import checked_joints, new_file, write_new
from .terminal import table
from ..arm import arm_of
from ..description.values import pairs
from ..errors import DriverError, InvalidInputError

_LAST_TICK = 4095
_RADIANS_PER_TICK = 2.0 * pi / 4096

#: What a range recorded by hand may be, as parts of the arm file's.
_LEAST, _MOST = 0.5, 1.3

#: What the file has for a motor: whole numbers, the least and the greatest.
_KEYS = {'id': (0, 252), 'drive_mode': (0, 1), 'homing_offset': (-2047, 2047),
         'range_min': (0, _LAST_TICK - 1), 'range_max': (1, _LAST_TICK)}


def degrees_at(tick, motor):
    """Return what LeRobot calls a joint's degrees, without rounding."""
    return (tick - 0.5 * (motor['range_min'] + motor['range_max'])) * 360.0 / _LAST_TICK


def tick_at(shown, motor):
    """Return the tick of a joint at what LeRobot calls its degrees, a float."""
    return shown * _LAST_TICK / 360.0 + 0.5 * (motor['range_min'] + motor['range_max'])


def run(options, terminal):
    """Write a servos file from LeRobot's numbers; return the exit code."""
    motors = read_json(Path(options.file), arm_of(options.arm).model.all_joints, options.prefix,
                       pairs('--names', options.names, '='))
    new = new_file(options, terminal)
    if new.kind.name != 'feetech':
        raise InvalidInputError('--arm', new.arm.name, 'an arm with Feetech servos, as the so101')
    joints = new.arm.model.all_joints
    wrong = [f'{name} {words}' for name, joint in joints.items()
             if (words := _doubt(joint, motors[name]))]
    if wrong:
        raise DriverError(new.kind.name, '. '.join(wrong))
    found, rows, notes = {}, [], []
    for joint in joints.values():
        motor, take = motors[joint.name], _joint if joint in new.arm.model.joints else _gripper
        ticks, how = take(joint, motor, notes)
        found[joint.name] = {**ticks, 'id': motor['id'], 'homing_offset': motor['homing_offset']}
        rows.append((joint.name, motor['id'], f'{motor["range_min"]}..{motor["range_max"]}',
                     motor['homing_offset'], how))
    terminal.say(*table(('joint', 'id', "LeRobot's range", 'homing', 'taken as'), rows), *notes,
                 'Assumed: ticks grow with the position, and the middle of the range is that of '
                 'the arm file. Nobody has verified it yet.')
    write_new(terminal, new, checked_joints(new, found),
              f'as arm_ik servos import-lerobot has them from {Path(options.file).name}')
    return 0


def read_json(path, names, prefix='', renamed=None):
    """
    Return LeRobot's numbers by joint name.

    :param path: of its calibration file.
    :param names: the joints wanted.
    :param prefix: of the motors of this arm, in a file of several.
    :param renamed: dict from the file's names, without the prefix, to those of joints.
    :raises InvalidInputError: naming what is wrong.
    """
    where = f"LeRobot's file {path}"
    try:
        motors = json.loads(path.read_text(encoding='utf-8'))
    except OSError as error:
        raise InvalidInputError(where, error.strerror, 'a file that can be read; LeRobot keeps it '
                                'below ~/.cache/huggingface/lerobot/calibration/robots') from None
    except ValueError as error:
        raise InvalidInputError(where, str(error), 'JSON') from None
    if isinstance(motors, dict) and 'motor_names' in motors:
        raise InvalidInputError(where, "in LeRobot's old format, of lists", 'one block a motor: '
                                'calibrate with a newer LeRobot, or by arm_ik servos calibrate')
    if not isinstance(motors, dict):
        raise InvalidInputError(where, motors, 'motors by name')
    known = ', '.join(motors) or 'none'
    motors = {(renamed or {}).get(name := each.removeprefix(prefix), name): motor
              for each, motor in motors.items() if each.startswith(prefix)}
    for name in names:
        motor = motors.get(name)
        if not isinstance(motor, dict):
            raise InvalidInputError(f'{where}: {name}', motor, 'a motor for each joint (prefix '
                                    f'and names say what they are called); it has {known}')
        _check(motor, f'{where}: {name}')
    return motors


def _check(motor, where):
    for key, (least, most) in _KEYS.items():
        if type(motor.get(key)) is not int or not least <= motor[key] <= most:
            raise InvalidInputError(f'{where}.{key}', motor.get(key),
                                    f'a whole number from {least} to {most}')
    if motor['range_min'] >= motor['range_max']:
        raise InvalidInputError(f'{where}.range_min', motor['range_min'], 'less than range_max')


def _doubt(joint, motor):
    """Return in words why a range cannot be that of an arm's joint; ``''``: it can."""
    lower, upper = motor['range_min'], motor['range_max']
    span, whole = degrees((upper - lower) * _RADIANS_PER_TICK), degrees(joint.upper - joint.lower)
    if getattr(joint, 'role', '') == 'wrist_roll' and upper - lower == _LAST_TICK \
            or _LEAST * whole <= span <= _MOST * whole:
        return ''
    return (f'({lower}..{upper}): {span:.0f} of {whole:.0f} deg recorded: the ticks passed the '
            "encoder's wrap-around, or the joint was not swept: calibrate again")


def _joint(joint, motor, notes):
    """Return ticks of a joint of the chain for the servos file, and how they are taken."""
    lower, upper = motor['range_min'], motor['range_max']
    middle = 0.5 * (joint.lower + joint.upper)
    if motor['drive_mode']:
        notes.append(f'{joint.name}: drive_mode {motor["drive_mode"]} has no effect on LeRobot\'s '
                     'degrees, and has none here')
    if (lower, upper) == (0, _LAST_TICK):
        half = 0.5 * (joint.upper - joint.lower) / _RADIANS_PER_TICK
        zero = 2047 - middle / _RADIANS_PER_TICK
        lower, upper = round(max(2047 - half, 0)), round(min(2047 + half, _LAST_TICK))
        how = f'tick 2047, the pose it was held in, is {degrees(middle):.1f} deg'
        notes.append(f'{joint.name}: LeRobot records no range of it. The pose it was held in is '
                     f"taken for the middle of the arm file's limits, {degrees(middle):.1f} deg; "
                     'if it was held straight, verify finds it off by that')
    else:
        zero = 0.5 * (lower + upper) - middle / _RADIANS_PER_TICK
        how = f'tick {0.5 * (lower + upper):g}, the middle, is {degrees(middle):.1f} deg'
        span = degrees((upper - lower) * _RADIANS_PER_TICK)
        limits = degrees(joint.upper - joint.lower)
        if span < 0.7 * limits:
            notes.append(f'{joint.name}: only {span:.0f} of {limits:.0f} deg were recorded; if '
                         'one end was missed, the middle is not the middle')
    return {'zero': round(zero, 1), 'direction': 1, 'lower_tick': lower, 'upper_tick': upper}, how


def _gripper(joint, motor, _):
    ticks = [motor['range_min'], motor['range_max']]
    if motor['drive_mode']:
        ticks.reverse()
    return {'ticks': ticks, 'positions': [float(joint.closed), float(joint.open)]}, \
        f'tick {ticks[0]} is closed, {ticks[1]} open'
