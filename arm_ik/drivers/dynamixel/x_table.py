# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The registers of Dynamixel X servos, and whether a servo is the one that the servos file means.

Source: the control tables of ROBOTIS' e-Manual.
"""

from typing import NamedTuple, Optional

from .protocol2 import little_number


class Block(NamedTuple):
    """
    Registers that are read together.

    What is read may be longer, ``first`` to ``last``: all of these are defined. A servo refuses to
    tell of registers that are not.
    """

    address: int
    length: int
    first: int
    last: int


class Model(NamedTuple):
    """What differs: the largest current [counts] and its unit [A]; without, it tells its load."""

    name: str
    most_current: int = 0
    amperes: float = 0.0


#: Model numbers.
MODELS = {
    1060: Model('XL430-W250'), 1070: Model('XC430-W150'), 1080: Model('XC430-W240'),
    1090: Model('2XL430-W250'), 1160: Model('2XC430-W250'),
    1020: Model('XM430-W350', 1193, 2.69e-3), 1030: Model('XM430-W210', 1193, 2.69e-3),
    1120: Model('XM540-W270', 2047, 2.69e-3), 1130: Model('XM540-W150', 2047, 2.69e-3),
    1190: Model('XL330-M077', 1750, 1e-3), 1200: Model('XL330-M288', 1750, 1e-3)}

# Blocks in the EEPROM: model to secondary id, homing offset, limits.
IDENTITY, OFFSET, LIMITS = Block(0, 13, 0, 13), Block(20, 4, 20, 27), Block(44, 12, 44, 55)
CURRENT_LIMIT, PWM_LIMIT = Block(38, 2, 36, 39), Block(36, 2, 36, 39)
GOAL_PWM, MOST_PWM = Block(100, 2, 100, 105), 885

# Blocks that are lost with the power. The lengths tell which one an answer is to.
ERRORS, TORQUE = Block(68, 3, 68, 70), Block(64, 2, 64, 65)
POSITION, HEALTH = Block(132, 4, 120, 146), Block(126, 21, 120, 146)

# Registers that are written.
ID, WATCHDOG, GOAL_CURRENT, PROFILE, GOAL = 7, 98, 102, 108, 116

#: Places in the block IDENTITY; and registers, as that begins at 0.
_MODEL, ID, _RETURN_DELAY, _DRIVE_MODE, _MODE, _SECONDARY_ID = 0, 7, 9, 10, 11, 12

#: Bits of the drive mode that do not fit: a profile by time, and torque that comes with a goal.
_BY_TIME, _TORQUE_BY_GOAL = 0x04, 0x08

#: Operating modes.
POSITION_MODE, CURRENT_MODE = 3, 5

#: What the bits of the register of errors mean.
FLAGS = {0x01: 'voltage', 0x04: 'overheat', 0x08: 'encoder', 0x10: 'electrical shock',
         0x20: 'overload'}


class Facts:
    """
    What stands in a servo's EEPROM.

    :param identity: data of the block IDENTITY.
    :param offset: data of the block OFFSET.
    :param limits: data of the block LIMITS.
    """

    def __init__(self, identity, offset, limits):
        self.number = little_number(identity[_MODEL:_MODEL + 2])
        self.mode = identity[_MODE]
        self.drive_mode = identity[_DRIVE_MODE]
        self.secondary_id = identity[_SECONDARY_ID]
        self.delay = 2 * identity[_RETURN_DELAY]
        self.offset = little_number(offset, signed=True)
        self.velocity_limit, self.upper, self.lower = (
            little_number(limits[start:start + 4], signed=True) for start in (0, 4, 8))

    @property
    def model(self) -> Optional[Model]:
        """The :class:`Model`, ``None`` if its registers are not known here."""
        return MODELS.get(self.number)

    @property
    def range(self):  # noqa: A003
        """The least and the greatest tick it takes as a goal."""
        return (self.lower, self.upper) if self.mode == POSITION_MODE else (0, 4095)


def complaints(servo, facts):
    """
    Return in words what of a servo is unlike the servos file, or cannot be driven.

    :param servo: the :class:`~arm_ik.drivers.servos_file.ServoJoint`.
    :param facts: :class:`Facts`.
    """
    words = oddities(facts, CURRENT_MODE if servo.max_force else None)
    if facts.model is None:
        return words
    if servo.max_force and not facts.model.most_current:
        words = [f'is a {facts.model.name} and has no limit of force: take max_force out of the '
                 'servos file']
    if servo.model and not servo.model.upper().startswith(facts.model.name):
        words.append(f'is a {facts.model.name}; the servos file says {servo.model}')
    if servo.drive_mode is not None and (facts.drive_mode ^ servo.drive_mode) & 1:
        words.append(f'has drive mode {facts.drive_mode} (register 10); the servos file says '
                     f'{servo.drive_mode}: it turns in the other direction')
    if servo.homing_offset is not None and facts.offset != servo.homing_offset:
        words.append(f'has the homing offset {facts.offset}; the servos file says '
                     f'{servo.homing_offset}: it was calibrated since, by this or another tool; '
                     'calibrate again')
    lower, upper = facts.range
    first, last = servo.ticks.points[0][0], servo.ticks.points[-1][0]
    if not (lower <= first and last <= upper):
        words.append(f'goes only from tick {lower} to {upper} (registers 52 and 48); the servos '
                     f'file says {first:g} to {last:g}')
    return words


def oddities(facts, mode=None):
    """
    Return in words what keeps a servo from being driven, whatever the servos file says.

    :param facts: :class:`Facts`.
    :param mode: the operating mode it needs; ``None``: one of those by position.
    """
    if facts.model is None:
        return [f'is of model {facts.number}, whose registers are not known here; known are '
                f'{", ".join(model.name for model in MODELS.values())}']
    words = []
    if mode is None and facts.mode not in (POSITION_MODE, CURRENT_MODE):
        words.append(f'runs in mode {facts.mode} (register 11); needed is {POSITION_MODE}, '
                     'position')
    elif mode is not None and facts.mode != mode:
        words.append(f'runs in mode {facts.mode} (register 11); with max_force needed is {mode}, '
                     'position with a limited current')
    if facts.drive_mode & _BY_TIME:
        words.append(f'has drive mode {facts.drive_mode} (register 10), in which a speed is a '
                     f'time; needed is {facts.drive_mode & 1}')
    if facts.drive_mode & _TORQUE_BY_GOAL:
        words.append(f'has drive mode {facts.drive_mode} (register 10), in which a goal brings '
                     f'the torque; needed is {facts.drive_mode & 1}')
    return words


def advice(facts):
    """Return in words what of a servo could be better; ``''``: nothing."""
    return f'waits {facts.delay} us before every answer; 0 would do (register 9)' \
        if facts.delay else ''


def shadow_complaints(facts, shadow_id, shadow, main_id, apart):
    """
    Return in words what is wrong with a servo that has to follow another.

    :param facts: :class:`Facts` of the main servo.
    :param shadow_id: the id of the shadow.
    :param shadow: :class:`Facts` of the shadow.
    :param main_id: the id of the main servo.
    :param apart: ticks from where the main servo stands to where the shadow does.
    """
    words = []
    if shadow.secondary_id != main_id:
        words.append(f'has the secondary id {shadow.secondary_id} (register 12); needed is '
                     f'{main_id}')
    if (shadow.number, shadow.mode) != (facts.number, facts.mode):
        words.append('is of another model, or runs in another mode')
    if (shadow.drive_mode ^ facts.drive_mode) & ~1:
        words.append(f'has drive mode {shadow.drive_mode} (register 10)')
    if abs(apart) > APART:
        words.append(f'stands {abs(apart)} ticks away from it, and would press against it: its '
                     'drive mode (register 10) or its homing offset (register 20) is wrong')
    return [f'has a shadow (id {shadow_id}) that {" and ".join(words)}'] if words else []


#: Ticks that a servo and its shadow may say they stand apart, 5 degrees.
APART = 57


def flags(errors):
    """Return the names of the bits that are set in the register of errors."""
    return tuple(name for bit, name in FLAGS.items() if errors & bit)
