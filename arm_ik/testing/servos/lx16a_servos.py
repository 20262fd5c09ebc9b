# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
LX-16A servos on one bus: bytes in, replies out; they move in the time they are given, and fail.

Knows nothing of ``arm_ik``: it is the other side, judged by other people's clients. What is kept
in a servo is in ``ram`` at the number of the command that writes it. Where the maker is silent
they are as bad as can be: a move gives torque to a servo that has none, and torque that comes back
goes on to the old goal.

Source: LewanSoul, bus servo communication protocol.
"""

from . import emulated_servos
from .emulated_servos import checksum

MOVE, MOVE_READ, MOVE_WAIT, MOVE_WAIT_READ, START, STOP, SET_ID, ID = 1, 2, 7, 8, 11, 12, 13, 14
OFFSET, OFFSET_SAVE, OFFSET_READ, LIMITS, LIMITS_READ, VOLTAGES, VOLTAGES_READ = range(17, 24)
HOTTEST, HOTTEST_READ, TEMPERATURE, VOLTAGE, POSITION, MODE, MODE_READ, LOAD, LOAD_READ, LED, \
    LED_READ, ALARMS, ALARMS_READ = range(24, 37)

#: What is written, the command that reads it, and how many bytes it is.
READS = {MOVE_READ: (MOVE, 4), MOVE_WAIT_READ: (MOVE_WAIT, 4), ID: (SET_ID, 1),
         OFFSET_READ: (OFFSET, 1), LIMITS_READ: (LIMITS, 4), VOLTAGES_READ: (VOLTAGES, 4),
         HOTTEST_READ: (HOTTEST, 1), MODE_READ: (MODE, 4), LOAD_READ: (LOAD, 1),
         LED_READ: (LED, 1), ALARMS_READ: (ALARMS, 1)}

#: What is kept without power, as it comes out of the box.
KEPT = {OFFSET: 0, LIMITS: 0 | 1000 << 16, VOLTAGES: 4500 | 12000 << 16, HOTTEST: 85, MODE: 0,
        LED: 0, ALARMS: 7}

#: Ticks per second at the most: 0.16 s for 60 degrees.
TOP_SPEED = 1560.0


def frame(servo_id, command, data=b''):
    body = bytes([servo_id, len(data) + 3, command, *data])
    return b'\x55\x55' + body + bytes([checksum(body)])


def addressee(message):
    """Return the id in a request or a reply."""
    return message[2]


def forged(reply):
    """Return a reply with another position and the right checksum."""
    if reply[4] != POSITION:
        return reply
    return frame(reply[2], POSITION, bytes((reply[5], reply[6] ^ 1)))


def readdressed(reply, servo_id):
    """Return a reply as if another servo had sent it."""
    return frame(servo_id, reply[4], reply[5:-1])


def written(request):
    """Return what a request writes: command and ``{id: data}``, or ``None``."""
    is_write = len(request) > 6 or request[4] in (START, STOP, OFFSET_SAVE)
    return (request[4], {request[2]: request[5:-1]}) if is_write else None


def asked(request):
    """Return the ids that a request asks for an answer."""
    return [request[2]]


class Servo(emulated_servos.Walled):
    """One servo; ``actual`` is where it is [ticks], its offset included."""

    full = 42.0     # 10 degrees; the maker does not say

    def __init__(self, servo_id, position=500.0):
        self.ram = [0] * 40
        for command, value in {**KEPT, SET_ID: servo_id}.items():
            self.ram[command] = value
        self.push(position)
        self.present = True
        self.blocked = False
        self.deaf = 0       # requests to write that it will not hear
        self.voltage, self.temperature = 74, 30     # in tenths of a volt
        self.start()

    def push(self, position):
        """Move it by hand [ticks]."""
        self.actual = float(position)

    def start(self):
        """Begin as after the power has come: what is not kept is forgotten."""
        for command in (MOVE, MOVE_WAIT, LOAD):
            self.ram[command] = 0
        self.waits = False      # with a move until the start
        self.goal, self.speed, self.pressed = self.actual, 0.0, 0.0
        self.show()

    @property
    def id(self):  # noqa: A003
        return self.ram[SET_ID]

    @property
    def reading(self):
        return round(self.actual)

    def state(self):
        """Return what tests want to know."""
        return {'position': self.reading, 'goal': self.goal, 'torque': bool(self.ram[LOAD]),
                'moving': bool(self.ram[LOAD] and not self.blocked and self.actual != self.goal),
                'actual': self.actual, 'ram': list(self.ram)}

    def assign(self, command, value):
        """Write something as a tool would."""
        self.ram[command] = value
        self.show()

    def answer(self, command):
        """Return the data of the answer to a command, ``None`` if it has none."""
        if command == POSITION:
            return (self.reading & 0xFFFF).to_bytes(2, 'little')
        if command == VOLTAGE:
            return (100 * self.voltage).to_bytes(2, 'little')
        if command == TEMPERATURE:
            return bytes((self.temperature,))
        if command in READS:
            register, size = READS[command]
            return (self.ram[register] & (1 << 8 * size) - 1).to_bytes(size, 'little')
        return None

    def write(self, command, data):
        """Do what a request says that nobody answers."""
        if self.deaf:
            self.deaf -= 1
        elif command == START:
            if self.waits:
                self.write(MOVE, self.ram[MOVE_WAIT].to_bytes(4, 'little'))
            self.waits = False
        elif command == STOP:
            self.goal = self.actual
        elif len(data) == next((size for to, size in READS.values() if to == command), None):
            self.ram[command] = int.from_bytes(data, 'little')
            self.waits = self.waits or command == MOVE_WAIT
            if command == MOVE and not self.ram[MODE] & 1:
                self._move(int.from_bytes(data[:2], 'little'), int.from_bytes(data[2:], 'little'))
        self.show()

    def _move(self, tick, milliseconds):
        lower, upper = self.ram[LIMITS] & 0xFFFF, self.ram[LIMITS] >> 16
        self.goal = min(max(tick, lower), upper)
        self.speed = min(TOP_SPEED, abs(self.goal - self.actual) / max(1e-3 * milliseconds, 1e-3))
        self.ram[LOAD] = 1

    def advance(self, seconds):
        """Let time pass."""
        if self.ram[LOAD]:
            left, reach = self.goal - self.actual, self.speed * seconds
            if self.ram[MODE] & 1:      # as a motor, at a signed speed
                speed = (self.ram[MODE] >> 16 ^ 0x8000) - 0x8000
                left, reach = 1e-3 * speed * TOP_SPEED * seconds, TOP_SPEED * seconds
            # It releases when it has been stuck for long.
            self.pressed = self.pressed + seconds if self.go(left, reach) > 0.8 else 0.0
            if self.pressed > 2.0:
                self.ram[LOAD] = 0
        self.show()

    def show(self):
        """Release if it is too hot."""
        if self.temperature > self.ram[HOTTEST]:
            self.ram[LOAD] = 0


class Bus(emulated_servos.Bus):
    """Servos that hear requests and answer, each for itself; see its base class."""

    baud = 115200

    @staticmethod
    def whole_requests(received):
        return emulated_servos.take_frames(
            received, b'\x55\x55', 4,
            lambda there: there[3] + 3 if there[2] != 0x55 and 3 <= there[3] <= 7 else 0,
            lambda request: checksum(request[2:-1]) == request[-1])

    def carry_out(self, request):
        servo_id, command, data = request[2], request[4], request[5:-1]
        there = self.at(servo_id)
        if written(request):
            for servo in there:
                servo.write(command, data)
            return []
        frames = [frame(servo.id, command, servo.answer(command)) for servo in there
                  if servo.answer(command) is not None]
        return [(0.0005, frames)] if frames else []
