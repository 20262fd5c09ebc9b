# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""Whether a servo is the one that the servos file means, by what stands in its EEPROM."""

from . import protocol
from ..frames import signed, word

#: Model numbers; their low byte is the family.
MODELS = {'STS3215': 777, 'STS3250': 2825, 'SM8512BL': 11272, 'SCS0009': 1284}

_SCS_FAMILY = 5


def model_name(eeprom):
    """Return what a servo is called; ``'model 123'`` where that is not known."""
    number = word(eeprom, protocol.MODEL)
    return next((name for name, model in MODELS.items() if model == number), f'model {number}')


def oddities(eeprom):
    """Return in words why a servo cannot be driven as it is set."""
    if eeprom[protocol.MAJOR_MODEL] == _SCS_FAMILY:
        return [f'is an SCS servo ({model_name(eeprom)}); only STS and SMS servos can be driven']
    words = []
    if eeprom[protocol.MODE]:
        words.append(f'runs in mode {eeprom[protocol.MODE]}; needed is 0, position (register '
                     f'{protocol.MODE})')
    if eeprom[protocol.PHASE] & protocol.MANY_TURNS:
        words.append(f'counts turns, so that positions overflow; clear bit 4 of its phase '
                     f'(register {protocol.PHASE}, now {eeprom[protocol.PHASE]})')
    if eeprom[protocol.RESOLUTION] > 1:
        words.append(f'counts in steps of {eeprom[protocol.RESOLUTION]} ticks; needed is 1 '
                     f'(register {protocol.RESOLUTION})')
    return words


def complaints(servo, eeprom):
    """
    Return in words what of a servo is unlike the servos file, or cannot be driven.

    :param servo: the :class:`~arm_ik.drivers.servos_file.ServoJoint`.
    :param eeprom: the servo's registers from 0 on, as bytes.
    """
    number = word(eeprom, protocol.MODEL)
    if eeprom[protocol.MAJOR_MODEL] == _SCS_FAMILY:
        return oddities(eeprom)
    words = []
    if servo.model and MODELS.get(servo.model.upper(), number) != number:
        words.append(f'is a {model_name(eeprom)}; the servos file says {servo.model}')
    words += oddities(eeprom)
    offset = signed(word(eeprom, protocol.HOMING_OFFSET), protocol.OFFSET_SIGN)
    if servo.homing_offset is not None and offset != servo.homing_offset:
        words.append(f'has the homing offset {offset}; the servos file says '
                     f'{servo.homing_offset}: it was calibrated since, by this or another tool; '
                     'calibrate again')
    lower, upper = word(eeprom, protocol.LOWER_LIMIT), word(eeprom, protocol.UPPER_LIMIT)
    first, last = servo.ticks.points[0][0], servo.ticks.points[-1][0]
    if upper and not (lower <= first and last <= upper):
        words.append(f'goes only from tick {lower} to {upper}; the servos file says '
                     f'{first:g} to {last:g}')
    return words


def advice(eeprom):
    """Return in words what of a servo could be better; ``''``: nothing."""
    delay = 2 * eeprom[protocol.RETURN_DELAY]
    return f'waits {delay} us before every answer; 0 would do (register ' \
           f'{protocol.RETURN_DELAY})' if delay else ''
