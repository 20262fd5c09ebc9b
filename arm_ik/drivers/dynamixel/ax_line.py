# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Dynamixel AX servos on a port, one after the other: their registers.

An AX servo knows no sync read, so each is read by itself. A read of two registers could be taken
for the answer to itself where the adapter sends it back: none is that short. A block is its first
register and how many, at least; no two are ever read in the same length.

A servo that shuts down for an overload or for heat sets its limit of torque to 0: it has lost its
torque then, whatever its switch says.

Source: the control table of ROBOTIS' e-Manual.
"""

from functools import partial

from .. import frames
from ..backend import Health
from ..families import FAMILIES
from ..frames import frame, signed, word
from ..serial_line import delay_advice, Facts, flag_names, Question, SerialLine
from ..serial_maintenance import SerialMaintenance

_READ = 0x02

#: The last register.
_LAST = 49

# In the EEPROM: model, id, return delay, limits, largest torque.
_MODEL, _ID, _RETURN_DELAY, _CW_LIMIT, _CCW_LIMIT, MAX_TORQUE = 0, 3, 5, 6, 8, 14

# Lost with the power; SPEED stands before TORQUE_LIMIT.
TORQUE, GOAL, SPEED, TORQUE_LIMIT, POSITION, _LOAD, _VOLTAGE, _TEMPERATURE = \
    24, 30, 32, 34, 36, 40, 42, 43

#: What a servo is and how it is.
IDENTITY, STATE = (0, 27), (TORQUE, _TEMPERATURE + 1 - TORQUE)

#: Which bit of the load tells its sign.
_LOAD_SIGN = 10

_MODELS = {12: 'AX-12A', 18: 'AX-18A'}

#: What the bits of the error byte mean, of those that last.
_FLAGS = {0x01: 'voltage', 0x04: 'overheat', 0x20: 'overload'}

#: The most of a speed and of a torque.
MOST = 1023

_VOLTS = 0.1


class AxLine(SerialLine):
    """As :class:`~arm_ik.drivers.serial_line.SerialLine`."""

    is_together = False
    position_block = torque_block = presence_block = STATE
    health_blocks = (STATE,)
    torque_register, goal_register, id_register = TORQUE, GOAL, _ID
    limit_registers = '6 and 8'

    @staticmethod
    def question(ids, block, turn=0):
        """See :class:`.SerialLine`."""
        address, length = block
        size = length + turn % (_LAST + 2 - address - length)
        return Question(frame(*ids, _READ, bytes((address, size))), size + frames.OVERHEAD,
                        partial(frames.take_answers, length=size), slice(length))

    @staticmethod
    def tick(data):
        """See :class:`.SerialLine`."""
        return word(data, POSITION - TORQUE)

    @staticmethod
    def is_held(data):
        """See :meth:`.SerialLine.is_held`."""
        return bool(data[0] and word(data, TORQUE_LIMIT - TORQUE))

    @staticmethod
    def is_called(model, found):
        """See :meth:`.SerialLine.is_called`."""
        return model.upper().rstrip('A+') == found.rstrip('A')

    def facts(self, servo_id):
        """See :class:`.SerialLine`; ``data`` is the block IDENTITY."""
        status, reason = self.ask_one(servo_id, IDENTITY)
        return (None if status is None else _facts(status.data)), reason

    def health(self, servo_id):
        """See :class:`.SerialLine`."""
        status, _ = self.ask_one(servo_id, STATE)
        if status is None:
            return None
        at = bytes(TORQUE) + status.data
        return Health(temperature_c=float(at[_TEMPERATURE]), voltage_v=_VOLTS * at[_VOLTAGE],
                      load=signed(word(at, _LOAD), _LOAD_SIGN) / MOST,
                      torque=self.is_held(status.data), flags=flag_names(_FLAGS, status.error))


def _facts(identity):
    number = word(identity, _MODEL)
    model, odd = _MODELS.get(number, f'model {number}'), ()
    lower, upper = word(identity, _CW_LIMIT), word(identity, _CCW_LIMIT)
    if number not in _MODELS:
        odd = (f'is of {model}, whose registers are not known here; known are '
               f'{", ".join(_MODELS.values())}',)
    elif lower == upper == 0:
        odd = ('turns without end, as a wheel (registers 6 and 8 are 0)',)
    return Facts(
        model, lower, upper, None, odd,
        delay_advice(2 * identity[_RETURN_DELAY], _RETURN_DELAY), number in _MODELS, identity)


class AxMaintenance(SerialMaintenance):
    """AX servos without a servos file; see :class:`~.maintenance.Maintenance`."""

    name, holds_its_id = 'dynamixel', True
    family, line_kind = FAMILIES['dynamixel1'], AxLine
    bauds = (1000000, 57600, 115200, 500000, 250000, 200000, 400000, 9600)
