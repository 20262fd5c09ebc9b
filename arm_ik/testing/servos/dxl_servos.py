# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Dynamixel X servos on one bus, protocol 2.0: bytes in, replies out; they move, warm up and fail.

Knows nothing of ``arm_ik``: it is the other side, judged by the vendor's SDK. Registers, defaults
and rules are those of ROBOTIS' e-Manual; where it is silent, the worse is done: a servo whose bus
watchdog is cleared goes on to its old goal, and one whose torque comes on to the goal it has.
"""

import struct

from . import emulated_servos
from .emulated_servos import BROADCAST

PING, READ, WRITE, REG_WRITE, ACTION, REBOOT, STATUS = 1, 2, 3, 4, 5, 8, 0x55
SYNC_READ, SYNC_WRITE = 0x82, 0x83
BAUDS = (9600, 57600, 115200, 1000000, 2000000, 3000000, 4000000, 4500000)

ID, BAUD, RETURN_DELAY, DRIVE_MODE, MODE, SECONDARY_ID, OFFSET = 7, 8, 9, 10, 11, 12, 20
MAX_TEMPERATURE, MAX_VOLTAGE, MIN_VOLTAGE, PWM_LIMIT, CURRENT_LIMIT = 31, 32, 34, 36, 38
VELOCITY_LIMIT, UPPER, LOWER, SHUTDOWN, TORQUE, STATUS_LEVEL = 44, 48, 52, 63, 64, 68
REGISTERED = 69
HARDWARE_ERROR, WATCHDOG, GOAL_PWM, GOAL_CURRENT, GOAL_VELOCITY = 70, 98, 100, 102, 104
ACCELERATION, VELOCITY, GOAL, MOVING, LOAD, SPEED, POSITION = 108, 112, 116, 122, 126, 128, 132
VOLTAGE, TEMPERATURE = 144, 146
EEPROM_END, TABLE_END = 64, 148

#: Size by address, and what each may hold; the rest is undefined.
WRITABLE = {ID: 1, BAUD: 1, RETURN_DELAY: 1, DRIVE_MODE: 1, MODE: 1, SECONDARY_ID: 1, 13: 1,
            OFFSET: 4, 24: 4, MAX_TEMPERATURE: 1, MAX_VOLTAGE: 2, MIN_VOLTAGE: 2, PWM_LIMIT: 2,
            CURRENT_LIMIT: 2, VELOCITY_LIMIT: 4, UPPER: 4, LOWER: 4, 60: 1, SHUTDOWN: 1,
            TORQUE: 1, 65: 1, STATUS_LEVEL: 1, 76: 2, 78: 2, 80: 2, 82: 2, 84: 2, 88: 2, 90: 2,
            WATCHDOG: 1, GOAL_PWM: 2, GOAL_CURRENT: 2, GOAL_VELOCITY: 4, ACCELERATION: 4,
            VELOCITY: 4, GOAL: 4}
READABLE = {0: 2, 2: 4, 6: 1, REGISTERED: 1, HARDWARE_ERROR: 1, 120: 2, MOVING: 1, 123: 1, 124: 2,
            LOAD: 2, SPEED: 4, POSITION: 4, 136: 4, 140: 4, VOLTAGE: 2, TEMPERATURE: 1, 147: 1}
SIGNED = {OFFSET, GOAL_PWM, GOAL_CURRENT, GOAL_VELOCITY, GOAL, LOAD, SPEED, POSITION, WATCHDOG}

#: Model: number, what its defaults are unlike, and whether it measures current.
MODELS = {'XL430-W250': (1060, {MAX_TEMPERATURE: 72, MAX_VOLTAGE: 140, MIN_VOLTAGE: 60,
                                VELOCITY_LIMIT: 265}, False),
          'XM430-W350': (1020, {MAX_TEMPERATURE: 80, MAX_VOLTAGE: 160, MIN_VOLTAGE: 95,
                                VELOCITY_LIMIT: 350, CURRENT_LIMIT: 1193}, True)}

#: Out of the box; the factory has 57600 baud (1) and waits 500 us (250) before each answer.
DEFAULTS = {6: 45, BAUD: 3, RETURN_DELAY: 0, MODE: 3, SECONDARY_ID: 255, 13: 2, 24: 10,
            PWM_LIMIT: 885, UPPER: 4095, SHUTDOWN: 52, STATUS_LEVEL: 2}

RESULT_FAIL, INSTRUCTION, CRC, RANGE, LENGTH, LIMIT, ACCESS, ALERT = 1, 2, 3, 4, 5, 6, 7, 0x80
VOLTAGE_ERROR, OVERHEAT, OVERLOAD = 1, 4, 32

#: Revolutions per minute in one step of a velocity; and the top speed.
RPM, TOP_RPM = 0.229, 46.0

#: Requests that a servo which reboots does not hear.
BOOT = 3


def crc(data):
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ (0x8005 if value & 0x8000 else 0)) & 0xFFFF
    return value


def frame(servo_id, instruction, parameters=b''):
    body = bytearray([instruction])
    for byte in parameters:
        body.append(byte)
        if body[-3:] == b'\xff\xff\xfd':
            body.append(0xFD)
    start = b'\xff\xff\xfd\x00' + struct.pack('<BH', servo_id, len(body) + 2) + body
    return start + struct.pack('<H', crc(start))


def parameters(message):
    """Return what follows the instruction of a request or a reply."""
    return bytes(message[8:-2]).replace(b'\xff\xff\xfd\xfd', b'\xff\xff\xfd')


def addressee(message):
    """Return the id in a request or a reply."""
    return message[4]


def forged(reply):
    """Return a reply with a position that is a quarter of a turn off, and the right CRC."""
    error, low, high, *rest = parameters(reply)
    return frame(reply[4], STATUS, bytes([error, low, high ^ 0x04, *rest]))


def readdressed(reply, servo_id):
    """Return a reply as of another servo."""
    return frame(servo_id, STATUS, parameters(reply))


def written(request):
    """Return what a request writes: address and ``{id: data}``, or ``None``."""
    instruction, data = request[7], parameters(request)
    if instruction == SYNC_WRITE:
        address, length = struct.unpack('<HH', data[:4])
        return address, {data[start]: data[start + 1:start + 1 + length]
                         for start in range(4, len(data), length + 1)}
    if instruction in (WRITE, REG_WRITE):
        return struct.unpack('<H', data[:2])[0], {request[4]: data[2:]}
    return None


def asked(request):
    """Return the ids that a request asks for an answer."""
    return list(parameters(request)[4:]) if request[7] == SYNC_READ else [request[4]]


class Servo(emulated_servos.Walled):
    """
    One servo.

    ``actual`` is its encoder [ticks], before the drive mode and the offset in its EEPROM;
    ``model`` one of :data:`MODELS`. Others are registers by their names here.
    """

    def __init__(self, servo_id, position=2048.0, model='XL430-W250', **registers):
        number, defaults, self.has_current = MODELS[model]
        self.ram = bytearray(TABLE_END)
        self.actual = 0.0
        self.present, self.blocked, self.overloaded = True, False, False
        self.deaf = 0       # sync writes that it will not hear
        self.voltage, self.temperature = 120, 30
        self.booting = 0
        for address, value in {**DEFAULTS, **defaults, 0: number, ID: servo_id}.items():
            self.put(address, value)
        self.start()
        for name, value in registers.items():
            self.assign(globals()[name.upper()], value)
        self.push(position)
        self.put(GOAL, self.reading)

    def push(self, position):
        """Move it by hand to where its position register says that [ticks]."""
        position -= self.get(OFFSET)
        self.actual = float(4096 - position if self.ram[DRIVE_MODE] & 1 else position)
        self.show()

    def start(self):
        """Begin as after the power has come: what is not in the EEPROM is forgotten."""
        self.ram[EEPROM_END:] = bytes(TABLE_END - EEPROM_END)
        self.put(STATUS_LEVEL, 2)
        self.put(GOAL_PWM, self.get(PWM_LIMIT))
        self.put(GOAL_CURRENT, self.get(CURRENT_LIMIT))
        self.overload_since = self.silent_for = 0.0
        self.overloaded = False
        self.error = 0
        self.held = None        # where the watchdog has stopped it
        self.prepared = None
        self.speed = 0.0
        self.actual %= 4096     # turns are not remembered
        self.put(GOAL, self.reading)
        self.show()

    @property
    def id(self):  # noqa: A003
        return self.ram[ID]

    @property
    def reading(self):
        """Return the position it says: turned about in reverse mode, and with the offset added."""
        position = round(self.actual)
        if self.ram[DRIVE_MODE] & 1:
            position = 4096 - position
        return position + self.get(OFFSET)

    def state(self):
        """Return what tests want to know."""
        return {'position': self.reading, 'goal': self.get(GOAL), 'torque': bool(self.ram[TORQUE]),
                'moving': bool(self.ram[MOVING]), 'actual': self.actual,
                'overloaded': self.overloaded, 'watchdog': self.get(WATCHDOG),
                'ram': list(self.ram)}

    def get(self, address):
        size = {**WRITABLE, **READABLE}[address]
        return int.from_bytes(self.ram[address:address + size], 'little',
                              signed=address in SIGNED)

    def put(self, address, value):
        size = {**WRITABLE, **READABLE}[address]
        self.ram[address:address + size] = value.to_bytes(size, 'little', signed=value < 0)

    def assign(self, address, value):
        """Write one register as a tool would, whatever the rules."""
        self.put(address, value)
        self.show()

    def read(self, address, length):
        """Return an error number and data as the bus is given them."""
        defined = {each for table in (WRITABLE, READABLE) for first, size in table.items()
                   for each in range(first, first + size)}
        if not self.has_current:
            defined -= {CURRENT_LIMIT, CURRENT_LIMIT + 1, GOAL_CURRENT, GOAL_CURRENT + 1}
        if not defined.issuperset(range(address, address + length)):
            return ACCESS, b''
        return 0, bytes(self.ram[address:address + length])

    def write(self, address, data):
        """Write registers as the bus does; return an error number."""
        while data:
            size = WRITABLE.get(address)
            if size is None or (address < EEPROM_END and self.ram[TORQUE]) or \
                    (address in (CURRENT_LIMIT, GOAL_CURRENT) and not self.has_current):
                return ACCESS
            if len(data) < size:
                return LENGTH
            error = self._write_one(address, int.from_bytes(data[:size], 'little',
                                                            signed=address in SIGNED))
            if error:
                return error
            address, data = address + size, data[size:]
        self.show()
        return 0

    def _write_one(self, address, value):
        if address in (GOAL_PWM, GOAL_CURRENT, GOAL_VELOCITY, GOAL) and self.held is not None:
            return RANGE        # the watchdog has made goals read-only
        if address == GOAL and self.ram[MODE] == 3 and not \
                self.get(LOWER) <= value <= self.get(UPPER):
            return LIMIT
        if address == GOAL_CURRENT and abs(value) > self.get(CURRENT_LIMIT):
            return LIMIT
        if address == VELOCITY and not 0 <= value <= 32767:
            return RANGE
        if address == WATCHDOG:
            if not 0 <= value <= 127:
                return RANGE
            self.silent_for = 0.0
            if not value:
                self.held = None
        if address == TORQUE:
            if value not in (0, 1):
                return RANGE
            if value and self.error & self.ram[SHUTDOWN]:
                return RESULT_FAIL
            if value and not self.ram[TORQUE] and self.ram[MODE] == 3:
                self.actual %= 4096     # one turn is all there is then
        self.put(address, value)
        return 0

    def hear(self):
        """Take note that there was a request on the bus, for whom ever."""
        self.silent_for = 0.0
        self.booting = max(0, self.booting - 1)

    def advance(self, seconds):
        """Let time pass."""
        before = self.actual
        self.silent_for += seconds
        watchdog = self.get(WATCHDOG)
        if self.ram[TORQUE] and watchdog > 0 and self.silent_for > 0.02 * watchdog:
            self.held = self.actual
            self.put(WATCHDOG, -1)
        if self.ram[TORQUE] and self.ram[MODE] not in (3, 4, 5):
            # By current, velocity or PWM: the worse is done, at once as fast as that says.
            part = {0: self.get(GOAL_CURRENT) / 1193, 16: self.get(GOAL_PWM) / 885}.get(
                self.ram[MODE], self.get(GOAL_VELOCITY) * RPM / TOP_RPM)
            left = part * TOP_RPM * 4096 / 60 * seconds
            self._press(left, abs(left), seconds)
        elif self.ram[TORQUE]:
            goal = self.get(GOAL) - self.get(OFFSET)
            goal = 4096 - goal if self.ram[DRIVE_MODE] & 1 else goal
            left = (goal if self.held is None else self.held) - self.actual
            limit = self.get(VELOCITY) * RPM if not self.ram[DRIVE_MODE] & 4 else 0.0
            reach = min(limit or TOP_RPM, TOP_RPM) * 4096 / 60 * seconds
            self._press(left, reach, seconds)
        self.speed = (self.actual - before) / seconds if seconds else 0.0
        self.show()

    def _press(self, left, reach, seconds):
        # A part of all it can do, in thousandths; or the current, whose limit is that.
        most = self.get(GOAL_CURRENT) if self.ram[MODE] == 5 else \
            self.get(CURRENT_LIMIT) if self.has_current else 1000
        full = 1193 if self.has_current else 1000
        load = self.go(left, reach, most / full)
        self.put(LOAD, round(full * load))
        self.overload_since = self.overload_since + seconds if load > 0.8 else 0.0
        if self.overload_since > 2.0:
            self.overloaded = True

    def show(self):
        """Bring the registers that are read up to date."""
        self.put(POSITION, self.reading)
        self.put(SPEED, round(self.speed * 60 / 4096 / RPM))
        self.put(VOLTAGE, self.voltage)
        self.put(TEMPERATURE, self.temperature)
        self.put(MOVING, int(abs(self.speed) > 1.0))
        too_low = not self.get(MIN_VOLTAGE) <= self.voltage <= self.get(MAX_VOLTAGE)
        self.error |= (VOLTAGE_ERROR * too_low + OVERLOAD * self.overloaded
                       + OVERHEAT * (self.temperature > self.ram[MAX_TEMPERATURE]))
        self.put(HARDWARE_ERROR, self.error)
        if self.error & self.ram[SHUTDOWN]:
            self.ram[TORQUE] = 0


class Bus(emulated_servos.Bus):
    """Servos that hear requests and answer; see :class:`emulated_servos.Bus`."""

    @property
    def baud(self):
        return BAUDS[self.servos[0].ram[BAUD]] if self.servos else BAUDS[3]

    @staticmethod
    def whole_requests(received):
        return emulated_servos.take_frames(
            received, b'\xff\xff\xfd\x00', 7,
            lambda there: there[5] + (there[6] << 8) + 7 if there[5] > 2 or there[6] else 0,
            lambda request: crc(request[:-2]) == struct.unpack('<H', request[-2:])[0])

    def carry_out(self, request):
        for servo in self.servos:
            if servo.present:
                servo.hear()
        servo_id, instruction, data = request[4], request[7], parameters(request)
        if instruction == SYNC_READ:
            address, length = struct.unpack('<HH', data[:4])
            return self._sync_read(address, length, data[4:])
        if instruction == SYNC_WRITE:
            self.write_each(*written(request))
            return []
        replies = []
        for servo in self.at(servo_id):
            own_id = servo.id       # also where that is what is being written
            error, answer = self._answer(servo, instruction, data)
            level = servo.ram[STATUS_LEVEL]
            answers = instruction == PING or servo_id != BROADCAST and servo_id == own_id and (
                level == 2 or level == 1 and instruction == READ)
            if answers:
                replies.append(self._reply(servo, own_id, error, answer))
        if servo_id == BROADCAST or len(replies) < 2:
            return replies      # one after the other
        return [(replies[0][0], [each for _, frames in replies for each in frames])]

    def _sync_read(self, address, length, ids):
        replies = []
        for servo_id in ids:
            servos = [servo for servo in self.at(servo_id)
                      if servo.id == servo_id and servo.ram[STATUS_LEVEL]]
            if not servos and self.silences:
                break       # each waits for the one before it
            together = [self._reply(servo, servo_id, *servo.read(address, length))
                        for servo in servos]
            if together:
                replies.append((together[0][0], [frames[0] for _, frames in together]))
        return replies

    def _reply(self, servo, servo_id, error, answer):
        error |= ALERT if servo.error else 0
        return 2e-6 * servo.ram[RETURN_DELAY], [frame(servo_id, STATUS, bytes([error]) + answer)]

    def _answer(self, servo, instruction, data):
        if instruction == PING:
            return 0, bytes(servo.ram[0:2]) + bytes([servo.ram[6]])
        if instruction == READ:
            return servo.read(*struct.unpack('<HH', data))
        if instruction == WRITE:
            return servo.write(struct.unpack('<H', data[:2])[0], data[2:]), b''
        if instruction == REG_WRITE:
            servo.prepared = data
            return 0, b''
        if instruction == ACTION and servo.prepared:
            data, servo.prepared = servo.prepared, None
            return servo.write(struct.unpack('<H', data[:2])[0], data[2:]), b''
        if instruction == REBOOT:
            servo.start()
            servo.booting = BOOT + 1
            return 0, b''
        return INSTRUCTION, b''

    def at(self, servo_id):
        """Return the servos that a request to an id reaches: one's second id counts too."""
        return [servo for servo in self.servos if servo.present and not servo.booting
                and servo_id in (servo.id, BROADCAST, servo.ram[SECONDARY_ID])]
