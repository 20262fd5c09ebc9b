# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
The registers of Feetech's STS and SMS servos, and the request to read them.

Two instructions drive servos. *Sync read* asks servos for a block of registers, and each answers
in turn; *sync write* (:func:`arm_ik.drivers.frames.sync_write`) gives each servo a block of its
own, and none answers.

Source: Feetech's protocol manual and memory table of the SMS/STS series.
"""

from ..frames import BROADCAST, frame

PING = 0x01
SYNC_READ = 0x82

# Registers in the EEPROM.
MAJOR_MODEL, MODEL, ID, RETURN_DELAY, LOWER_LIMIT, UPPER_LIMIT, PHASE = 3, 3, 5, 7, 9, 11, 18
RESOLUTION, HOMING_OFFSET, MODE, OVERLOAD_TORQUE, EEPROM_END = 30, 31, 33, 36, 40
# Registers that are lost with the power; the speed stands after GOAL_TIME.
TORQUE, GOAL, GOAL_TIME, TORQUE_LIMIT, LOCK, POSITION, LOAD = 40, 42, 44, 48, 55, 56, 60
VOLTAGE, TEMPERATURE, STATUS, CURRENT, TABLE_END = 62, 63, 65, 69, 71

#: Bits of PHASE.
FINE_SPEED, MANY_TURNS = 0x04, 0x10

#: Which bit of a register tells the sign; the others are the magnitude.
POSITION_SIGN, LOAD_SIGN, OFFSET_SIGN = 15, 10, 11

#: What the bits of the error byte and of STATUS mean.
FLAGS = {0x01: 'voltage', 0x02: 'encoder', 0x04: 'overheat', 0x08: 'overcurrent',
         0x20: 'overload'}


def ping():
    """Return the request that every servo answers, whoever it is."""
    return frame(BROADCAST, PING)


def sync_read(ids, address, length):
    """
    Return the request for a block of registers.

    :param ids: the servos, in the order in which they answer.
    :param address: the first register.
    :param length: how many.
    """
    return frame(BROADCAST, SYNC_READ, bytes((address, length, *ids)))


def flags(error):
    """Return the names of the bits that are set in an error byte."""
    return tuple(name for bit, name in FLAGS.items() if error & bit)
