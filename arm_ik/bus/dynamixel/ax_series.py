# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Dynamixel AX servos: AX-12 and AX-18, by protocol 1.0.

An AX servo knows no sync read, so each is read by itself: its position, and with it whether it
holds. A read of two registers could be taken for the answer to itself where the adapter sends it
back: none is that short. A block is its first register and how many, at least; no two are ever
read in the same length. All set-points are written by one request.

A servo that shuts down for an overload or for heat sets its limit of torque to 0: it has lost its
torque then, whatever its switch says.

A goal switches the torque on, a speed does, and perhaps every write to these registers: so speed
and force are limited only after the goal is where the servo is. The e-Manual is silent on that.
Source: what others have seen, in comments of NVIDIA's Isaac SDK (DynamixelDriver.cpp) and of
Georgia Tech's ME 4451, 2012 (dxl_TorqueEnable.m). Of all else: the control table of ROBOTIS'
e-Manual.
"""

from math import ceil

from .. import frames
from ..backend import Facts, Health
from ..families import FAMILIES
from ..frames import frame, little, signed, word
from ..serial_line import delay_advice, flag_names, heard, Question, SerialLine, Setting
from ..serial_maintenance import SerialMaintenance
from ..serial_servos import TorqueByGoal

_READ = 0x02

#: The last register.
_LAST = 49

# In the EEPROM: model, id, return delay, limits, largest torque.
_MODEL, _ID, _BAUD, _RETURN_DELAY, _CW_LIMIT, _CCW_LIMIT, MAX_TORQUE = 0, 3, 4, 5, 6, 8, 14

# Lost with the power; SPEED is before TORQUE_LIMIT.
TORQUE, GOAL, SPEED, TORQUE_LIMIT, POSITION, _VELOCITY, _LOAD, _VOLTAGE, _TEMPERATURE = \
    24, 30, 32, 34, 36, 38, 40, 42, 43

#: What a servo is and how it is.
IDENTITY, STATE = (0, 27), (TORQUE, _TEMPERATURE + 1 - TORQUE)

#: Which bit of the load is its sign.
_LOAD_SIGN = 10

_MODELS = {12: 'AX-12A', 18: 'AX-18A', 300: 'AX-12W'}

#: What the bits of the error byte mean, of those that last.
_FLAGS = {0x01: 'voltage', 0x04: 'overheat', 0x20: 'overload'}

#: The most of a speed and of a torque.
MOST = 1023

_VOLTS = 0.1

#: Ticks per second in one step of a speed, 0.111 revolutions per minute; the bit that says that
#: ticks decrease.
_SPEED_STEP, _SPEED_SIGN = 0.111 * 1023 * 1.2 / 60.0, 10


class AxLine(SerialLine):
    """As :class:`~arm_ik.bus.serial_line.SerialLine`."""

    is_together = False
    position_block = torque_block = presence_block = STATE
    health_blocks = (STATE,)
    torque_register, goal_register, id_register = TORQUE, GOAL, _ID
    settings = {'return delay': Setting(_RETURN_DELAY), 'lower limit': Setting(_CW_LIMIT, 2),
                'upper limit': Setting(_CCW_LIMIT, 2), 'baud': Setting(_BAUD)}

    @staticmethod
    def question(ids, block, turn=0):
        """See :class:`.SerialLine`."""
        address, length = block
        size = length + turn % (_LAST + 2 - address - length)
        return Question(frame(*ids, _READ, bytes((address, size))), size + frames.OVERHEAD, size,
                        slice(length))

    @staticmethod
    def tick(data):
        """See :class:`.SerialLine`."""
        return word(data, POSITION - TORQUE)

    def speed(self, data):
        """See :meth:`.SerialLine.speed`."""
        return _SPEED_STEP * signed(word(data, _VELOCITY - TORQUE), _SPEED_SIGN)

    def is_held(self, data):
        """See :meth:`.SerialLine.is_held`."""
        return bool(data[0] and word(data, TORQUE_LIMIT - TORQUE))

    def is_called(self, model, found):
        """See :meth:`.SerialLine.is_called`."""
        return model.upper().rstrip('A+') == found.rstrip('A')

    def ask_facts(self, servo_id):
        """See :class:`.SerialLine`; ``data`` is the block IDENTITY."""
        identity = self.ask_one(servo_id, IDENTITY).data
        number = word(identity, _MODEL)
        model, odd = _MODELS.get(number, f'model {number}'), ()
        lower, upper = word(identity, _CW_LIMIT), word(identity, _CCW_LIMIT)
        if number not in _MODELS:
            odd = (f'is of {model}, whose registers are not known here; known are '
                   f'{", ".join(_MODELS.values())}',)
        elif lower == upper == 0:
            odd = ('turns without end, as a wheel (registers 6 and 8 are 0)',)
        return Facts(model, lower, upper, None, odd,
                     delay_advice(2 * identity[_RETURN_DELAY], _RETURN_DELAY),
                     number in _MODELS, identity, '', '6 and 8', _SPEED_STEP)

    def health(self, servo_id):
        """See :class:`.SerialLine`."""
        status = self.ask_one(servo_id, STATE)
        at = bytes(TORQUE) + status.data
        load = signed(word(at, _LOAD), _LOAD_SIGN)
        return Health(temperature_c=float(at[_TEMPERATURE]), voltage_v=_VOLTS * at[_VOLTAGE],
                      load=load / MOST, strain=abs(load) / (word(at, TORQUE_LIMIT) or MOST),
                      torque=self.is_held(status.data), flags=flag_names(_FLAGS, status.error))


class AxMaintenance(SerialMaintenance):
    """AX servos without a servos file; see :class:`~.maintenance.Maintenance`."""

    name, holds_its_id = 'dynamixel', True
    family, line_kind = FAMILIES['dynamixel1'], AxLine
    baud_codes = {1000000: 1, 57600: 34, 115200: 16, 500000: 3, 250000: 7, 200000: 9, 400000: 4,
                  9600: 207}
    bauds = tuple(baud_codes)


class AxSeries(TorqueByGoal):
    """One arm's AX servos; as :class:`~arm_ik.bus.serial_servos.SerialServos`."""

    name, line_kind = 'dynamixel', AxLine

    def begin(self):
        """As in :class:`.SerialServos`."""
        super().begin()
        self._cleared = set()   # ids of those whose overload is cleared, as soon as torque comes

    def _send_torque(self, ids, on):
        self._cleared.difference_update(ids if on else ())
        super()._send_torque(ids, on)

    def _ask_health(self, servo_id):
        health = super()._ask_health(servo_id)
        return health._replace(flags=tuple(
            flag for flag in health.flags if flag != 'overload' or servo_id not in self._cleared))

    def _remedy(self, servo_id, flags):
        if heard(self._ask_torque, servo_id) is not False:
            return '; it holds, and forgets that by itself when it is well again'
        # It forgets an overload when its limit of torque comes back, with its torque: that may
        # switch it on.
        self._send_torque([servo_id], False)
        self._cleared.add(servo_id)
        health = heard(self._ask_health, servo_id)
        return '' if health and health.flags else None

    def limits(self, name, facts):
        """As in :class:`.SerialServos`."""
        torque = word(facts.data, MAX_TORQUE)
        if self._drive[name].max_force is not None:
            torque = self._force(name, MOST, torque, f'largest torque (register {MAX_TORQUE}) is '
                                                     f'{100 * torque / MOST:.0f} %')
        yield SPEED, little(min(ceil(self._speed(name, facts.speed_unit)), MOST)) + little(torque)
