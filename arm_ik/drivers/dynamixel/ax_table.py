# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The registers of Dynamixel AX servos, and whether a servo is the one that the servos file means.

An AX servo knows no sync read, so each is read by itself. A read of two registers could be taken
for the answer to itself where the adapter sends it back: none is that short.

Source: the control table of ROBOTIS' e-Manual.
"""

from ..frames import frame, word

READ = 0x02

#: The last register.
LAST = 49

# In the EEPROM: model, id, return delay, limits, largest torque.
_MODEL, ID, _RETURN_DELAY, _CW_LIMIT, _CCW_LIMIT, MAX_TORQUE = 0, 3, 5, 6, 8, 14

# Lost with the power; SPEED stands before TORQUE_LIMIT.
TORQUE, GOAL, SPEED, TORQUE_LIMIT, POSITION, LOAD, VOLTAGE, TEMPERATURE = \
    24, 30, 32, 34, 36, 40, 42, 43

# The two blocks that are read, as first register and length, at least: what a servo is and how it
# is. They are never read in the same length.
IDENTITY, STATE = (0, 27), (TORQUE, TEMPERATURE + 1 - TORQUE)

#: Which bit of the load tells its sign.
LOAD_SIGN = 10

#: Model numbers.
MODELS = {12: 'AX-12A', 18: 'AX-18A'}

#: What the bits of the error byte mean, of those that last.
FLAGS = {0x01: 'voltage', 0x04: 'overheat', 0x20: 'overload'}


def read(servo_id, address, length):
    """Return the request for a block of registers of one servo."""
    return frame(servo_id, READ, bytes((address, length)))


def limits(identity):
    """Return the least and the greatest tick a servo takes as a goal."""
    return word(identity, _CW_LIMIT), word(identity, _CCW_LIMIT)


def complaints(servo, identity):
    """
    Return in words what of a servo is unlike the servos file, or cannot be driven.

    :param servo: the :class:`~arm_ik.drivers.servos_file.ServoJoint`.
    :param identity: the servo's registers from 0 on, as bytes.
    """
    words, found = oddities(identity), model_name(identity)
    if words:
        return words
    if servo.model and servo.model.upper().rstrip('A+') != found.rstrip('A'):
        words.append(f'is a {found}; the servos file says {servo.model}')
    lower, upper = limits(identity)
    first, last = servo.ticks.points[0][0], servo.ticks.points[-1][0]
    if not (lower <= first and last <= upper):
        words.append(f'goes only from tick {lower} to {upper} (registers 6 and 8); the servos '
                     f'file says {first:g} to {last:g}')
    return words


def model_name(identity):
    """Return the name of a servo's model, or its number in words."""
    number = word(identity, _MODEL)
    return MODELS.get(number, f'model {number}')


def oddities(identity):
    """Return in words what keeps a servo from being driven, whatever the servos file says."""
    if word(identity, _MODEL) not in MODELS:
        return [f'is of {model_name(identity)}, whose registers are not known here; known are '
                f'{", ".join(MODELS.values())}']
    return ['turns without end, as a wheel (registers 6 and 8 are 0)'] \
        if limits(identity) == (0, 0) else []


def advice(identity):
    """Return in words what of a servo could be better; ``''``: nothing."""
    delay = 2 * identity[_RETURN_DELAY]
    return f'waits {delay} us before every answer; 0 would do (register {_RETURN_DELAY})' \
        if delay else ''


def flags(error):
    """Return the names of the bits that are set in an error byte."""
    return tuple(name for bit, name in FLAGS.items() if error & bit)
