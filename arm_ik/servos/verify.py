# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Verify: hold the arm in three drawn poses, and compare what its servos file makes of the readings.

That finds a sign that is wrong, servos taken for each other, and a horn that sits one tooth of its
spline aside: 25 teeth, so 14.4 degrees. Where all poses are off by the same, the zero may be moved
by that. Only then ``verified`` is written into the file.
"""

from functools import partial
from math import radians
from pathlib import Path

from .given import address, load, require_all, unit_of
from .named_poses import named_poses
from .posing import ByHand, ByKeys, reach_pose
from .terminal import table
from .writing import joint_names, write_verified, write_zeros
from ..drivers.servos_file import load_servos

#: Farther from a drawn pose nobody holds an arm [rad]; on a slide, this part of its range.
TOLERANCE, PART_OF_SLIDE = radians(10.0), 0.15

#: One tooth of a servo's spline, and how near to it an error has to be [rad].
_TOOTH, _NEAR_TOOTH = radians(360.0 / 25.0), radians(4.0)

#: Steps of the keys: degrees, and mm on a slide.
_STEPS = {'deg': (1.0, 5.0), 'mm': (0.5, 2.0)}


def run(options, terminal):
    """Verify a servos file; return the exit code."""
    arm, servos, backend = load(options)
    path, within = Path(options.servos), radians(options.within)
    if servos.is_verified:
        terminal.say(f'{path} was verified before, and no joint has changed since.')
    with backend:
        require_all(backend)
        terminal.say(f'{arm.name}: every servo on {servos.port} is the one the file means.')
        poser = _poser(terminal, backend, arm.model)
        poses = named_poses(arm.model)
        readings = [reach_pose(terminal, arm.model, poser, pose, number,
                               partial(_compared, backend.joints, pose, within))
                    for number, pose in enumerate(poses, start=1)]
    drawn = [pose.positions for pose in poses]
    errors = errors_of(arm.model, servos, drawn, readings)
    terminal.say('', *table(('joint', 'mean', 'worst', ''), [
        (joint.name, f'{sum(errors[joint.name]) / 3.0 * scale:+.1f}',
         f'{max(errors[joint.name], key=abs) * scale:+.1f}', unit)
        for joint in backend.joints.values() if joint.name in errors
        for scale, unit in [unit_of(joint)]]))
    wrong = complaints(arm.model, servos, drawn, readings, within)
    if wrong:
        terminal.say('', f'Not verified. Farther than {options.within:g} degrees from the '
                     'drawings:', *(f'- {each}' for each in wrong), 'If the arm was held '
                     'otherwise than drawn, try again; or --within 5 if nobody holds it better.')
        zeros = {joint.name: sum(errors[joint.name]) / 3.0 for joint in arm.model.joints
                 if _is_zero(errors.get(joint.name, ()), within, _tolerance(joint))}
        if not zeros or options.dry_run or not terminal.choose(
                f'Move the zeros by that? {", ".join(zeros)}.'):
            terminal.say(f'{path} is as it was.')
            return 1
        write_zeros(path, {name: servos.joints[name].ticks.tick(mean)
                           - servos.joints[name].ticks.tick(0.0) for name, mean in zeros.items()})
        terminal.say(f'written: zeros of {", ".join(zeros)} in {path}')
        servos = load_servos(path, joint_names(arm))
        readings = [{name: at - zeros.get(name, 0.0) for name, at in reading.items()}
                    for reading in readings]
        wrong = complaints(arm.model, servos, drawn, readings, within)
        if wrong:
            terminal.say('Not verified yet:', *(f'- {each}' for each in wrong))
            return 1
    terminal.say('', 'All joints agree with the drawings.')
    if options.dry_run:
        terminal.say(f"Dry run. To be written into {path}: verified: '{servos.fingerprint}'")
        return 0
    write_verified(path, servos.fingerprint, joint_names(arm))
    terminal.say(f'written: verified in {path}; all else in it is as it was',
                 f'next: driver_node --arm {options.arm or arm.name} --servos {path}')
    return 0


def errors_of(model, servos, wanted, readings):
    """Return how far joints were off in each pose [rad, m], by name; as :func:`complaints`."""
    return {joint.name: [reading[joint.name] - pose[joint.name]
                         for pose, reading in zip(wanted, readings)]
            for joint in (*model.joints, *model.extra_joints)
            if not servos.joints[joint.name].same_as}


def complaints(model, servos, wanted, readings, within=TOLERANCE):
    """
    Return in words which joints are not where they were held, and why perhaps.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param servos: the :class:`~arm_ik.drivers.servos_file.ServosFile`.
    :param wanted: positions by name, for each pose.
    :param readings: the same as measured.
    :param within: how far joints of the chain may be off [rad].
    """
    joints = [joint for joint in (*model.joints, *model.extra_joints)
              if not servos.joints[joint.name].same_as]
    errors = errors_of(model, servos, wanted, readings)
    words = []
    for joint in joints:
        limit = within if joint in model.joints else _tolerance(joint)
        if max(map(abs, errors[joint.name])) > limit:
            scale, unit = unit_of(joint)
            off = ', '.join(f'{error * scale:+.0f}' for error in errors[joint.name])
            words.append(f'{joint.name} ({address(servos, joint.name)}): off by {off} {unit} in '
                         f'poses 1, 2, 3: {_cause(joint, joints, servos, wanted, readings)}')
    return words


def _is_zero(errors, within, tolerance):
    """Tell whether a joint is off, and by about the same in all poses."""
    mean = sum(errors) / 3.0
    return max(map(abs, errors), default=0.0) > within \
        and max(abs(error - mean) for error in errors) <= tolerance


def _cause(joint, joints, servos, wanted, readings):
    name, tolerance = joint.name, _tolerance(joint)
    mine = [reading[name] for reading in readings]
    poses = [pose[name] for pose in wanted]
    if _fits([-at for at in mine], poses, tolerance):
        return 'its direction is the wrong one'
    for other in joints:
        if other is not joint and unit_of(other) == unit_of(joint):
            # What the servo of the other one says, seen as this joint.
            for sign in (1.0, -1.0):
                theirs = [sign * reading[other.name] for reading in readings]
                if _fits(theirs, poses, tolerance):
                    return (f'it is the servo of {other.name} ({address(servos, other.name)}) '
                            "that moved so: have they each other's ids?")
    errors = [at - pose for at, pose in zip(mine, poses)]
    mean = sum(errors) / len(errors)
    if max(abs(error - mean) for error in errors) <= tolerance:
        ticks = servos.joints[name].ticks
        moved = ticks.tick(mean) - ticks.tick(0.0)
        teeth = ' (one tooth of its horn is 14.4 deg)' if unit_of(joint)[1] == 'deg' \
            and min(abs(abs(mean) - count * _TOOTH) for count in (1, 2)) <= _NEAR_TOOTH else ''
        return f'the same in all poses, so its zero{teeth}: {moved:+.0f} ticks'
    if _fits([-(at - mine[0]) for at in mine], [pose - poses[0] for pose in poses], tolerance):
        return 'its direction is the wrong one, and its zero is off, too'
    if max(mine) - min(mine) < tolerance:
        return 'it moved very little: is this id the servo of another joint?'
    return "held otherwise than drawn, or the id is that of another joint's servo"


def _fits(positions, poses, tolerance):
    return all(abs(at - pose) <= tolerance for at, pose in zip(positions, poses))


def _tolerance(joint):
    return TOLERANCE if unit_of(joint)[1] == 'deg' else \
        PART_OF_SLIDE * (joint.upper - joint.lower)


def _poser(terminal, backend, model):
    if backend.has_feedback:
        return ByHand(terminal, list(backend.joints),
                      lambda: backend.read().positions, lambda: backend.set_torque(False))
    steps = {}
    for name, joint in backend.joints.items():
        scale, unit = unit_of(joint)
        steps[name] = [step / scale for step in _STEPS[unit]]
    return ByKeys(terminal, backend.write, steps, {
        name: (joint.lower, joint.upper) for name, joint in backend.joints.items()}).begin(
            model, lambda name: backend.engage([name])[name])


def _compared(joints, pose, within, at):
    """Return lines on where the joints are beside the drawing."""
    rows = []
    for name, joint in joints.items():
        scale, unit = unit_of(joint)
        wanted = pose.positions[name]
        if name not in at:
            rows.append((name, 'no answer', f'{wanted * scale:.1f}', '', unit, ''))
            continue
        off = at[name] - wanted
        rows.append((name, f'{at[name] * scale:.1f}', f'{wanted * scale:.1f}',
                     f'{off * scale:+.1f}', unit,
                     'too far' if abs(off) > (within if unit == 'deg' else _tolerance(joint))
                     else 'ok'))
    return table(('joint', 'reads', 'drawn', 'off', '', ''), rows)
