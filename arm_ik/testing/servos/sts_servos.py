# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Feetech STS3215 servos on one bus: bytes in, replies out; they move, warm up and fail.

Knows nothing of ``arm_ik``: it is the other side, judged by the vendor's SDK. Numbers of registers
and defaults are those of Feetech's memory table; two-byte values have the low byte first.

A goal is clamped to the limits in the EEPROM, and one that is not where the servo is then switches
its torque on (huggingface/lerobot#3585 and others); with ``any_goal``, the worse case, every goal
does. In mode 1 it turns at its speed, in mode 2 at its PWM, in mode 3 a goal is a step from here.
"""

from . import emulated_servos
from .emulated_servos import BROADCAST, checksum

PING, READ, WRITE, REG_WRITE, ACTION, SYNC_READ, SYNC_WRITE = 1, 2, 3, 4, 5, 0x82, 0x83
BAUDS = (1000000, 500000, 250000, 128000, 115200, 76800, 57600, 38400)

ID, BAUD, RETURN_DELAY, STATUS_LEVEL, LOWER, UPPER, MAX_TEMPERATURE = 5, 6, 7, 8, 9, 11, 13
MAX_VOLTAGE, MIN_VOLTAGE, MAX_TORQUE, PHASE, UNLOADING, OFFSET, MODE = 14, 15, 16, 18, 19, 31, 33
HOLDING_TORQUE, PROTECTION_TIME, OVERLOAD_TORQUE, TORQUE, GOAL = 34, 35, 36, 40, 42
GOAL_TIME, SPEED = 44, 46
TORQUE_LIMIT, LOCK, POSITION, VELOCITY, LOAD, VOLTAGE, TEMPERATURE = 48, 55, 56, 58, 60, 62, 63
STATUS, MOVING, CURRENT = 65, 66, 69
EEPROM_END, TABLE_END = 40, 128
WRITABLE = {*range(ID, 50), LOCK}

#: Out of the box, by register; the rest is 0. Return delay in 2 us, phase: single turn.
DEFAULTS = {0: 3, 1: 10, 3: 9, 4: 3, BAUD: 0, RETURN_DELAY: 0, STATUS_LEVEL: 1, UPPER: 0xFF,
            UPPER + 1: 0x0F, MAX_TEMPERATURE: 70, MAX_VOLTAGE: 80, MIN_VOLTAGE: 40,
            MAX_TORQUE: 1000 & 0xFF, MAX_TORQUE + 1: 1000 >> 8, PHASE: 12, UNLOADING: 44, 20: 47,
            21: 32, 22: 32, 24: 16, 26: 1, 27: 1, 28: 500 & 0xFF, 29: 500 >> 8, 30: 1,
            HOLDING_TORQUE: 20, PROTECTION_TIME: 200, OVERLOAD_TORQUE: 80, 37: 10, 38: 200, 39: 10}

#: Ticks per second without a limit in SPEED: 45 revolutions per minute.
TOP_SPEED = 3400.0

VOLTAGE_ERROR, OVERHEAT, OVERLOAD = 1, 4, 32


def frame(servo_id, code, data=b''):
    body = bytes([servo_id, len(data) + 2, code, *data])
    return b'\xff\xff' + body + bytes([checksum(body)])


def addressee(message):
    """Return the id in a request or a reply."""
    return message[2]


def forged(reply):
    """Return a reply with a position that is a quarter of a turn off, and the right checksum."""
    place = 5 + POSITION + 1 - TORQUE
    return frame(reply[2], reply[4], bytes([*reply[5:place], reply[place] ^ 0x04,
                                            *reply[place + 1:-1]]))


def readdressed(reply, servo_id):
    """Return a reply as of another servo."""
    return frame(servo_id, reply[4], reply[5:-1])


def written(request):
    """Return what a request writes: address and ``{id: data}``, or ``None``."""
    servo_id, instruction, data = request[2], request[4], request[5:-1]
    if instruction == SYNC_WRITE:
        size = data[1] + 1
        return data[0], {data[start]: data[start + 1:start + size]
                         for start in range(2, len(data), size)}
    return (data[0], {servo_id: data[1:]}) if instruction in (WRITE, REG_WRITE) else None


def asked(request):
    """Return the ids that a request asks for an answer."""
    return list(request[7:-1]) if request[4] == SYNC_READ else [request[2]]


def whole_requests(received):
    """Take whole requests out of a ``bytearray``; return them."""
    return emulated_servos.take_frames(
        received, b'\xff\xff', 4,
        lambda there: there[3] + 4 if there[2] != 0xFF and there[3] > 1 else 0,
        lambda request: checksum(request[2:-1]) == request[-1])


def sign_magnitude(value, bit):
    return abs(value) | (1 << bit if value < 0 else 0)


def from_sign_magnitude(value, bit):
    return -(value & ~(1 << bit)) if value >> bit & 1 else value


class Servo(emulated_servos.Walled):
    """One servo; ``actual`` is its encoder [ticks], before the offset in its EEPROM."""

    def __init__(self, servo_id, position=2048.0, **registers):
        self.eeprom = bytearray(EEPROM_END)
        for address, value in DEFAULTS.items():
            self.eeprom[address] = value
        self.eeprom[ID] = servo_id
        self.actual = 0.0
        self.present = True
        self.blocked = False
        self.any_goal = False   # whether every goal switches torque on
        self.deaf = 0       # sync writes that it will not hear
        self.voltage, self.temperature = 74, 30
        self.prepared = None
        self.start()
        for name, value in registers.items():
            self.assign(globals()[name.upper()], value)
        self.eeprom[:] = self.ram[:EEPROM_END]
        self.push(position)
        self.put(GOAL, sign_magnitude(self.reading, 15))

    def push(self, position):
        """Move it by hand to where its position register says that [ticks]."""
        self.actual = float(position + self.offset)
        self.show()

    def start(self):
        """Begin as after the power has come: what is not in the EEPROM is forgotten."""
        self.ram = bytearray(TABLE_END)
        self.ram[:EEPROM_END] = self.eeprom
        self.ram[LOCK] = 1
        self.put(TORQUE_LIMIT, self.word(MAX_TORQUE))
        self.overload_since = self.steps = 0.0
        self.overloaded = False
        self.speed = 0.0
        self.show()

    @property
    def id(self):  # noqa: A003
        return self.ram[ID]

    def state(self):
        """Return what tests want to know."""
        return {'position': self.reading, 'goal': from_sign_magnitude(self.word(GOAL), 15),
                'torque': bool(self.ram[TORQUE]), 'moving': bool(self.ram[MOVING]),
                'actual': self.actual, 'overloaded': self.overloaded,
                'ram': list(self.ram), 'eeprom': list(self.eeprom)}

    def word(self, address):
        return self.ram[address] | self.ram[address + 1] << 8

    def put(self, address, value):
        self.ram[address:address + 2] = bytes([value & 0xFF, value >> 8])

    def assign(self, address, value):
        """Write one register as a tool would, one or two bytes."""
        if address in (LOWER, UPPER, MAX_TORQUE, OFFSET, GOAL, GOAL_TIME, SPEED, TORQUE_LIMIT):
            self.put(address, value)
        else:
            self.ram[address] = value
        self.show()

    @property
    def offset(self):
        return from_sign_magnitude(self.word(OFFSET), 11)

    @property
    def goal(self):
        """Where it goes: its goal, clamped to the limits in its EEPROM, if there are any."""
        goal, upper = from_sign_magnitude(self.word(GOAL), 15), self.word(UPPER)
        return min(max(goal, self.word(LOWER)), upper) if upper else goal

    @property
    def reading(self):
        position = round(self.actual) - self.offset
        return position if self.ram[PHASE] & 0x10 else position % 4096

    def write(self, address, data):
        """Write registers as the bus does; the EEPROM keeps them only while unlocked."""
        for register, value in enumerate(data, address):
            if register in WRITABLE:
                self.ram[register] = value
        if address <= GOAL < address + len(data):
            self.steps += from_sign_magnitude(self.word(GOAL), 15)
            if self.any_goal or self.goal != self.reading:
                self.ram[TORQUE] = 1
        if not self.ram[LOCK]:
            self.eeprom[:] = self.ram[:EEPROM_END]
        if address <= TORQUE < address + len(data) and self.ram[TORQUE] == 128:
            self.put(OFFSET, sign_magnitude(round(self.actual) - 2048, 11))
            self.ram[TORQUE] = 0
        self.show()

    def advance(self, seconds):
        """Let time pass."""
        mode, before = self.ram[MODE], self.actual
        if self.ram[TORQUE] and not self.overloaded:
            speed = from_sign_magnitude(self.word(SPEED), 15)
            if mode == 2:
                speed = 1e-3 * TOP_SPEED * from_sign_magnitude(self.word(GOAL_TIME), 10)
            left = self.goal - self.reading + round(self.actual) - self.actual if mode == 0 \
                else self.steps if mode == 3 else speed * seconds
            reach = (abs(speed) or TOP_SPEED) * seconds
            self._press(self.go(left, reach, 1e-3 * self.word(TORQUE_LIMIT)), seconds)
            self.steps -= self.actual - before
        self.speed = (self.actual - before) / seconds if seconds else 0.0
        self.show()

    def _press(self, pressing, seconds):
        # The load is the share of the full torque that is put out.
        self.put(LOAD, round(1000 * pressing))
        if self.word(LOAD) > 10 * self.ram[OVERLOAD_TORQUE]:
            self.overload_since += seconds
        else:
            self.overload_since = 0.0
        if self.overload_since > 0.01 * self.ram[PROTECTION_TIME]:
            self.overloaded = True

    def show(self):
        """Bring the registers that are read up to date."""
        self.put(POSITION, sign_magnitude(self.reading, 15))
        self.put(VELOCITY, sign_magnitude(round(self.speed), 15))
        self.ram[VOLTAGE], self.ram[TEMPERATURE] = self.voltage, self.temperature
        self.ram[MOVING] = int(abs(self.speed) > 1.0)
        self.put(CURRENT, self.word(LOAD) * 2 // 5)
        too_low = not self.ram[MIN_VOLTAGE] <= self.voltage <= self.ram[MAX_VOLTAGE]
        too_hot = self.temperature > self.ram[MAX_TEMPERATURE]
        self.ram[STATUS] = (VOLTAGE_ERROR * too_low + OVERHEAT * too_hot
                            + OVERLOAD * self.overloaded)
        if self.ram[STATUS] & self.ram[UNLOADING] & OVERHEAT:
            self.ram[TORQUE] = 0


class Bus(emulated_servos.Bus):
    """Servos that hear requests and answer; see :class:`emulated_servos.Bus`."""

    whole_requests = staticmethod(whole_requests)

    @property
    def baud(self):
        return BAUDS[self.servos[0].ram[BAUD]] if self.servos else BAUDS[0]

    def carry_out(self, request):
        servo_id, instruction, parameters = request[2], request[4], request[5:-1]
        if instruction == SYNC_READ:
            return self._sync_read(parameters[0], parameters[1], parameters[2:])
        if instruction == SYNC_WRITE:
            self.write_each(*written(request))
            return []
        frames, delay = [], 0.0
        for servo in self.at(servo_id):
            own_id = servo.ram[ID]      # also where that is what is being written
            answer = self._answer(servo, instruction, parameters)
            level = servo.ram[STATUS_LEVEL]
            if answer is None or (servo_id == BROADCAST and instruction != PING) \
                    or (not level and instruction not in (PING, READ)):
                continue
            frames.append(frame(own_id, servo.ram[STATUS], answer))
            delay = 2e-6 * servo.ram[RETURN_DELAY]
        return [(delay, frames)] if frames else []

    def _sync_read(self, address, length, ids):
        replies = []
        for servo_id in ids:
            servos = self.at(servo_id)
            if not servos and self.silences:
                break       # each waits for the one before it
            if servos:
                replies.append((2e-6 * servos[0].ram[RETURN_DELAY], [
                    frame(servo_id, servo.ram[STATUS], servo.ram[address:address + length])
                    for servo in servos]))
        return replies

    def _answer(self, servo, instruction, parameters):
        if instruction == PING:
            return b''
        if instruction == READ:
            return bytes(servo.ram[parameters[0]:parameters[0] + parameters[1]])
        if instruction == WRITE:
            servo.write(parameters[0], parameters[1:])
            return b''
        if instruction == REG_WRITE:
            servo.prepared = parameters
            return b''
        if instruction == ACTION:
            if servo.prepared:
                servo.write(servo.prepared[0], servo.prepared[1:])
                servo.prepared = None
            return b''
        return None
