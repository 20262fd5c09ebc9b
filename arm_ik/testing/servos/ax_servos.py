# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Dynamixel AX-12A servos on one bus, protocol 1.0: bytes in, replies out; they move and fail.

Knows nothing of ``arm_ik``: it is the other side, judged by the vendor's SDK. Registers, defaults
and rules are those of ROBOTIS' e-Manual. Frames are those of Feetech's servos. There is no sync
read; a goal brings the torque with it, and a shutdown sets the limit of torque to 0.
"""

from . import emulated_servos
from .sts_servos import (
    ACTION, addressee, asked, BROADCAST, frame, PING, READ, readdressed, REG_WRITE,
    SYNC_WRITE, whole_requests, WRITE, written)

__all__ = ['addressee', 'asked', 'Bus', 'forged', 'readdressed', 'Servo', 'written']

ID, BAUD, RETURN_DELAY, CW, CCW, MAX_TEMPERATURE, MIN_VOLTAGE = 3, 4, 5, 6, 8, 11, 12
MAX_VOLTAGE, MAX_TORQUE, STATUS_LEVEL, SHUTDOWN, TORQUE, GOAL, SPEED = 13, 14, 16, 18, 24, 30, 32
TORQUE_LIMIT, POSITION, VELOCITY, LOAD, VOLTAGE, TEMPERATURE = 34, 36, 38, 40, 42, 43
REGISTERED, MOVING, LOCK, EEPROM_END, TABLE_END = 44, 46, 47, 24, 50
WORDS = {CW, CCW, MAX_TORQUE, GOAL, SPEED, TORQUE_LIMIT, POSITION, VELOCITY, LOAD, 48}
WRITABLE = {*range(ID, 19), *range(TORQUE, 36), REGISTERED, LOCK, 48, 49}

#: Out of the box; the factory waits 500 us (250) before each answer.
DEFAULTS = {0: 12, 2: 24, ID: 1, BAUD: 1, RETURN_DELAY: 0, CCW: 1023, MAX_TEMPERATURE: 70,
            MIN_VOLTAGE: 60, MAX_VOLTAGE: 140, MAX_TORQUE: 1023, STATUS_LEVEL: 2, 17: 36,
            SHUTDOWN: 36}

#: Ticks per second without a limit in SPEED: 59 revolutions per minute; and in a step of it.
TOP_SPEED, STEP = 59 * 1023 * 1.2 / 60, 0.111 * 1023 * 1.2 / 60

VOLTAGE_ERROR, ANGLE_LIMIT, OVERHEAT, RANGE, OVERLOAD, INSTRUCTION = 1, 2, 4, 8, 32, 64


def forged(reply):
    """Return a reply with a position that is a quarter of a turn off, and the right checksum."""
    data = bytearray(reply[5:-1])
    place = POSITION + 1 - TORQUE
    if place < len(data):
        data[place] ^= 0x01
    return frame(reply[2], reply[4], bytes(data))


class Servo(emulated_servos.Walled):
    """One servo; ``actual`` is where it is [ticks]; others are registers by their names."""

    full = 32.0     # its compliance slope

    def __init__(self, servo_id, position=512.0, **registers):
        self.ram = bytearray(TABLE_END)
        self.actual = float(position)
        self.present, self.blocked = True, False
        self.deaf = 0       # sync writes that it will not hear
        self.voltage, self.temperature = 111, 30
        for address, value in {**DEFAULTS, ID: servo_id}.items():
            self.put(address, value)
        self.start()
        for name, value in registers.items():
            self.assign(globals()[name.upper()], value)

    def push(self, position):
        """Move it by hand to where its position register says that [ticks]."""
        self.actual = float(position)
        self.show()

    def start(self):
        """Begin as after the power has come: what is not in the EEPROM is forgotten."""
        self.ram[EEPROM_END:] = bytes(TABLE_END - EEPROM_END)
        self.put(TORQUE_LIMIT, self.word(MAX_TORQUE))
        self.put(48, 32)
        self.prepared = None
        self.overload_since = self.speed = 0.0
        self.overloaded = False
        self.put(GOAL, round(self.actual))
        self.show()

    @property
    def id(self):  # noqa: A003
        return self.ram[ID]

    def state(self):
        """Return what tests want to know."""
        return {'position': self.word(POSITION), 'goal': self.word(GOAL),
                'torque': bool(self.ram[TORQUE] and self.word(TORQUE_LIMIT)),
                'moving': bool(self.ram[MOVING]), 'actual': self.actual,
                'overloaded': self.overloaded, 'ram': list(self.ram)}

    def word(self, address):
        return self.ram[address] | self.ram[address + 1] << 8

    def put(self, address, value):
        self.ram[address] = value & 0xFF
        if address in WORDS:
            self.ram[address + 1] = value >> 8

    def assign(self, address, value):
        """Write one register as a tool would, whatever the rules."""
        self.put(address, value)
        self.show()

    def write(self, address, data):
        """Write registers as the bus does; return the bits of an error."""
        table = bytearray(self.ram)
        for register, value in enumerate(data, address):
            if register not in WRITABLE or (register < EEPROM_END and self.ram[LOCK]):
                return RANGE
            table[register] = value
        goal = table[GOAL] | table[GOAL + 1] << 8
        if address <= GOAL < address + len(data):
            if not self.word(CW) <= goal <= self.word(CCW):
                return ANGLE_LIMIT
        if address <= TORQUE_LIMIT and address + len(data) > GOAL:
            table[TORQUE] = 1   # what brings it, the maker does not say: as bad as can be
        self.ram[:] = table
        if address <= TORQUE_LIMIT < address + len(data) and self.word(TORQUE_LIMIT):
            self.overloaded = False
        self.show()
        return 0

    def advance(self, seconds):
        """Let time pass."""
        before = self.actual
        if self.ram[TORQUE] and self.word(TORQUE_LIMIT):
            left = self.word(GOAL) - self.actual
            reach = (STEP * self.word(SPEED) or TOP_SPEED) * seconds
            if not self.word(CW) and not self.word(CCW):    # as a wheel, bit 10 is the direction
                reach = STEP * (self.word(SPEED) & 0x3FF) * seconds
                left = -reach if self.word(SPEED) & 0x400 else reach
            self.put(LOAD, round(1023 * self.go(left, reach, self.word(TORQUE_LIMIT) / 1023)))
            self.overload_since = self.overload_since + seconds if \
                self.word(LOAD) > 800 else 0.0
            self.overloaded = self.overloaded or self.overload_since > 2.0
        self.speed = (self.actual - before) / seconds if seconds else 0.0
        self.show()

    @property
    def error(self):
        too_low = not self.ram[MIN_VOLTAGE] <= self.voltage <= self.ram[MAX_VOLTAGE]
        return (VOLTAGE_ERROR * too_low + OVERLOAD * self.overloaded
                + OVERHEAT * (self.temperature > self.ram[MAX_TEMPERATURE]))

    def show(self):
        """Bring the registers that are read up to date."""
        self.put(POSITION, round(self.actual) & 0x3FF)
        speed = round(abs(self.speed) / STEP)
        self.put(VELOCITY, min(speed, 1023) | (0x400 if self.speed < 0 else 0))
        self.ram[VOLTAGE], self.ram[TEMPERATURE] = self.voltage, self.temperature
        self.ram[MOVING] = int(abs(self.speed) > 1.0)
        if self.error & self.ram[SHUTDOWN]:
            self.put(TORQUE_LIMIT, 0)


class Bus(emulated_servos.Bus):
    """Servos that hear requests and answer; see :class:`emulated_servos.Bus`."""

    whole_requests = staticmethod(whole_requests)

    @property
    def baud(self):
        return round(2000000 / (self.servos[0].ram[BAUD] + 1)) if self.servos else 1000000

    def carry_out(self, request):
        servo_id, instruction, data = request[2], request[4], request[5:-1]
        if instruction == SYNC_WRITE:
            self.write_each(*written(request))
            return []
        frames, delay = [], 0.0
        for servo in self.at(servo_id):
            own_id, level = servo.id, servo.ram[STATUS_LEVEL]
            error, answer = self._answer(servo, instruction, data)
            if instruction == PING or servo_id != BROADCAST and (
                    level == 2 or level == 1 and instruction == READ):
                frames.append(frame(own_id, servo.error | error, answer))
                delay = 2e-6 * servo.ram[RETURN_DELAY]
        return [(delay, frames)] if frames else []

    def _answer(self, servo, instruction, data):
        if instruction == PING:
            return 0, b''
        if instruction == READ:
            address, length = data
            if address + length > TABLE_END:
                return RANGE, b''
            return 0, bytes(servo.ram[address:address + length])
        if instruction == WRITE:
            return servo.write(data[0], data[1:]), b''
        if instruction == REG_WRITE:
            servo.prepared = data
            return 0, b''
        if instruction == ACTION and servo.prepared:
            data, servo.prepared = servo.prepared, None
            return servo.write(data[0], data[1:]), b''
        return INSTRUCTION, b''
