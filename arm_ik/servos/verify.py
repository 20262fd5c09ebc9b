# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Verify: hold the arm in three drawn poses, and compare what its servos file makes of the readings.

That finds a sign that is wrong, servos taken for each other, and a horn that sits one tooth of its
spline aside: 25 teeth, so 14.4 degrees. Where all poses are off by the same, it says by how many
ticks the zero is. Only if nothing is off, ``verified`` is written into the file.
"""

from math import radians
from pathlib import Path

from .arguments import address, load, require_all, unit_of, write_verified
from .named_poses import named_poses
from .posing import ByHand, ByKeys, NO_ANSWER, reach_pose, STILL, TOO_FAR
from .terminal import table

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
    with backend:
        require_all(backend)
        terminal.say(f'{arm.name}: every servo on {servos.port} is the one the file means.')
        poser = _poser(terminal, backend, arm.model)
        poses = named_poses(arm.model)
        readings = [reach_pose(terminal, arm.model, poser, pose, number,
                               lambda at: compared(arm.model, pose, within, at))
                    for number, pose in enumerate(poses, start=1)]
    found = judged(arm.model, servos, poses, readings, within)
    terminal.say('', *table(('joint', 'mean', 'worst', ''), [
        (each.joint.name, f'{each.mean * each.scale:+.1f}',
         f'{max(each.errors, key=abs) * each.scale:+.1f}', each.unit) for each in found]))
    wrong = complaints(found, servos)
    if wrong:
        terminal.say('', f'Not verified. Farther than {options.within:g} degrees from the '
                     'drawings:', *(f'- {each}' for each in wrong), 'If the arm was held '
                     'otherwise than drawn, try again; or --within 5 if nobody holds it better. '
                     'If a zero is off, add that to it in the file, or calibrate.',
                     f'{path} stays as it is.')
        return 1
    write_verified(path, servos.fingerprint, arm.model.all_joints)
    terminal.say('', 'All joints agree with the drawings.',
                 f'written: verified in {path}; all else in it is as it was',
                 f'next: driver_node --arm {options.arm or arm.name} --servos {path}')
    return 0


class Judged:
    """
    One joint, where it was drawn and where it was measured in poses [rad, m].

    ``is_off``: farther than it may be; ``is_alike``: by about the same in all poses.

    :param within: how far it may be off [rad]; ``None``: as far as nobody holds an arm worse.
    """

    def __init__(self, joint, drawn, measured, within):
        self.joint, self.drawn, self.measured = joint, drawn, measured
        self.scale, self.unit = unit_of(joint)
        self.tolerance = TOLERANCE if self.unit == 'deg' else \
            PART_OF_SLIDE * (joint.upper - joint.lower)
        self.errors = [at - pose for at, pose in zip(measured, drawn)]
        self.mean = sum(self.errors) / len(self.errors)
        self.is_off = max(map(abs, self.errors)) > (within or self.tolerance)
        self.is_alike = self.fits([at - self.mean for at in measured])

    def fits(self, measured):
        """Return whether the joint would be where it was drawn, had it been measured so."""
        return all(abs(at - pose) <= self.tolerance for at, pose in zip(measured, self.drawn))


def judged(model, servos, poses, readings, within):
    """
    Return each joint that has a servo of its own beside the drawings, as :class:`Judged`.

    :param model: the :class:`~arm_ik.kinematics.model.ArmModel`.
    :param servos: the :class:`~arm_ik.drivers.servos_file.ServosFile`.
    :param poses: in which the arm was held.
    :param readings: positions by name, for each pose.
    :param within: how far joints of the chain may be off [rad].
    """
    return [Judged(joint, [pose.positions[name] for pose in poses],
                   [reading[name] for reading in readings],
                   within if joint in model.joints else None)
            for name, joint in model.all_joints.items() if not servos.joints[name].same_as]


def complaints(found, servos):
    """
    Return in words which joints are not where they were held, and why perhaps.

    :param found: as of :func:`judged`.
    :param servos: the :class:`~arm_ik.drivers.servos_file.ServosFile`.
    """
    return [f'{each.joint.name} ({address(servos, each.joint.name)}): off by '
            f'{", ".join(f"{error * each.scale:+.0f}" for error in each.errors)} {each.unit} in '
            f'poses 1, 2, 3: {_cause(each, found, servos)}' for each in found if each.is_off]


def _cause(mine, found, servos):
    if mine.fits([-at for at in mine.measured]):
        return 'its direction is the wrong one'
    for other in found:
        # What the servo of the other one says, seen as this joint.
        if other is not mine and other.unit == mine.unit and any(
                mine.fits([sign * at for at in other.measured]) for sign in (1.0, -1.0)):
            name = other.joint.name
            return (f'it is the servo of {name} ({address(servos, name)}) that moved so: have '
                    "they each other's ids?")
    if mine.is_alike:
        servo = servos.joints[mine.joint.name]
        # A servo that turns the sum of two joints is off by what both are.
        off = sum(each.mean for each in found if each.joint.name in (servo.name, servo.plus))
        teeth = ' (one tooth of its horn is 14.4 deg)' if mine.unit == 'deg' and min(
            abs(abs(mine.mean) - count * _TOOTH) for count in (1, 2)) <= _NEAR_TOOTH else ''
        return (f'the same in all poses, so its zero{teeth}: '
                f'{servo.ticks.tick(off) - servo.ticks.tick(0.0):+.0f} ticks')
    first = mine.measured[0]
    if mine.fits([mine.drawn[0] + first - at for at in mine.measured]):
        return 'its direction is the wrong one, and its zero is off, too'
    if max(mine.measured) - min(mine.measured) < mine.tolerance:
        return 'it moved very little: is this id the servo of another joint?'
    return "held otherwise than drawn, or the id is that of another joint's servo"


def _poser(terminal, backend, model):
    if backend.has_feedback:
        return ByHand(terminal, list(backend.joints),
                      lambda: backend.read().positions, lambda: backend.set_torque(False), STILL)
    units = {name: unit_of(joint) for name, joint in backend.joints.items()}
    steps = {name: [step / scale for step in _STEPS[unit]]
             for name, (scale, unit) in units.items()}
    return ByKeys(terminal, model, lambda name: backend.engage([name])[name], backend.write, steps,
                  {name: (joint.lower, joint.upper) for name, joint in backend.joints.items()})


def compared(model, pose, within, at):
    """Return lines on where the joints are beside the drawing."""
    rows = []
    for joint in model.all_joints.values():
        drawn = pose.positions[joint.name]
        each = Judged(joint, [drawn], [at.get(joint.name, drawn)],
                      within if joint in model.joints else None)
        rows.append((joint.name, f'{each.measured[0] * each.scale:.1f}' if joint.name in at else
                     NO_ANSWER, f'{drawn * each.scale:.1f}', f'{each.mean * each.scale:+.1f}',
                     each.unit, TOO_FAR if each.is_off else 'ok' if joint.name in at else ''))
    return table(('joint', 'reads', 'drawn', 'off', '', ''), rows)
