# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A servo bus behind a pseudo-terminal, in this process: takes the wire's time and has its faults.

``python -m arm_ik.testing.servos.emulator LINK CONFIG``: LINK is what the port is called (a
symbolic link, as below /dev/serial/by-id), CONFIG is JSON. Its ``kind`` names the module of the
servos, which knows their registers and frames: see ``sts_servos``. Commands come in and answers go
out as lines of JSON; the class ``EmulatedBus`` speaks them.

A reply comes when its last byte would: ten bits a byte, after the servo's return delay. Faults are
done to replies: ``{"kind": "lost", "ids": [3], "count": 2}``; without ids to all, without a count
until they are cleared. Kinds: lost, corrupted, forged (wrong data, right checksum), truncated,
late (``seconds``), wrong_id, stray; and echoed and noise, which are done to requests. An adapter
that is slow (``hold`` [s] in CONFIG) hands on what it has only so often, halves of replies, too.
"""

import fcntl
import heapq
from importlib import import_module
import json
from math import ceil
import os
from random import Random
import select
import sys
import time
import tty

#: Bus time passes in steps of at most this [s].
_STEP = 0.01

#: Linux's request for a line's settings, of any speed.
_TCGETS2 = 0x802C542A

#: So long a pseudo-terminal may take to hand bytes on [s].
_HAND_ON = 0.003


class Line:
    """The pseudo-terminal and the link to it."""

    def __init__(self, link):
        self.link = link
        self.master = self.slave = None
        self.device = None

    def plug(self, elsewhere=False):
        before = self.device
        self._open()
        if elsewhere and self.device == before:
            self._open()    # while the first keeps that name
        os.symlink(self.device, self.link)
        return self.device

    def _open(self):
        self.master, self.slave = os.openpty()
        self.device = os.ttyname(self.slave)
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)

    def unplug(self):
        os.unlink(self.link)
        os.close(self.master)
        os.close(self.slave)
        self.master = self.slave = None

    @property
    def is_plugged(self):
        return self.master is not None

    @property
    def baud(self):
        settings = fcntl.ioctl(self.slave, _TCGETS2, bytes(44))
        return int.from_bytes(settings[40:44], 'little')     # ospeed, any number

    def read(self):
        try:
            return os.read(self.master, 4096)
        except BlockingIOError:
            return b''

    def write(self, data):
        try:
            return os.write(self.master, data)
        except BlockingIOError:
            return 0    # nobody reads: a line loses bytes, too


class Emulator:
    """One bus, one line, its faults and its time."""

    def __init__(self, link, config):
        self.line = Line(link)
        self._config = config
        self.kind = import_module(f'.{config.get("kind", "sts_servos")}', __package__)
        self.do_reset()

    def do_reset(self):
        """Begin anew, on the same line."""
        config = self._config
        servos = [self.kind.Servo(**servo) for servo in config['servos']]
        self.bus = self.kind.Bus(servos, config.get('silences', True))
        self.manual = config.get('manual_time', False)
        self.random = Random(config.get('seed', 1))
        self.faults = []
        self.received = bytearray()
        self.requests = []
        self._due = []
        self._number = 0
        self._writes_left = 0
        self._now, self._heard, self._sent = None, 0, 0
        self._free_at = self._shown_at = self.now()
        if not self.line.is_plugged:
            self.line.plug()

    def now(self):
        """Return the time of the line [s]."""
        return time.monotonic() if self._now is None else self._now

    def run(self):
        print(json.dumps(os.path.realpath(self.line.link)), flush=True)
        commands = sys.stdin.fileno()
        while True:
            self._send_due()
            wait = max(0.0, self._due[0][0] - self.now()) if self._due else None
            waited_for = [commands] + [self.line.master] * self.line.is_plugged
            ready = select.select(waited_for, [], [], wait)[0]
            if self.line.master in ready:
                self._hear()
            if commands in ready:
                line = sys.stdin.readline()
                if not line:
                    return
                command = json.loads(line)
                self._hear_all(command.pop('written', None))
                print(json.dumps(getattr(self, 'do_' + command.pop('do'))(**command)), flush=True)

    # What commands do.

    def do_fault(self, **fault):
        self.faults.append(fault)

    def do_clear(self):
        self.faults.clear()

    def do_advance(self, seconds):
        while seconds > 0.0:
            self.bus.advance(min(seconds, _STEP))
            seconds -= _STEP

    def do_expire(self, deadline=0.0):
        """
        Have the time of the line be when its next bytes are due, or a deadline before that [s].

        From the first time on, it passes by this command alone.

        :returns: how many bytes were sent since the last request, and the time [s].
        """
        self._now = max(self.now(), min([deadline, *(at for at, _, _ in self._due[:1])]))
        self._send_due()
        return self._sent, self._now

    def do_servo(self, servo_id, **attributes):
        for servo in self._servos(servo_id):
            for name, value in attributes.items():
                setattr(servo, name, value)
            servo.show()

    def do_push(self, servo_id, position):
        for servo in self._servos(servo_id):
            servo.push(position)

    def do_add(self, **servo):
        self.bus.servos.append(self.kind.Servo(**servo))

    def do_remove(self, servo_id):
        for servo in self._servos(servo_id):
            self.bus.servos.remove(servo)

    def do_state(self, servo_id):
        servo = self._servos(servo_id)[0]
        return {'force': servo.force, **servo.state()}

    def do_write(self, servo_id, address, value):
        for servo in self._servos(servo_id):
            servo.assign(address, value)

    def do_power_cycle(self, servo_id=None):
        for servo in self._servos(servo_id):
            servo.present = True
            servo.start()

    def do_cut(self, writes):
        """Have the power fail with the last of so many writes; it comes by ``power_cycle``."""
        self._writes_left = writes

    def do_requests(self):
        heard, self.requests = [request.hex() for request in self.requests], []
        return heard

    def do_unplug(self):
        self.line.unplug()
        self.received.clear()
        self._due.clear()

    def do_plug(self, elsewhere=False):
        return self.line.plug(elsewhere)

    def _servos(self, servo_id):
        return [servo for servo in self.bus.servos
                if servo_id in (None, servo.id)]

    # The line.

    def _hear_all(self, written):
        """Hear so many bytes since the last reset; ``None``: all that are there."""
        wait = _HAND_ON if written is None else 60.0
        while self.line.is_plugged and (written is None or self._heard < written) \
                and select.select([self.line.master], [], [], wait)[0]:
            self._hear()

    def _hear(self):
        heard = self.line.read()
        self._heard, self._sent = self._heard + len(heard), 0
        self.received += heard
        now = self.now()
        if not self.manual:
            self.do_advance(now - self._shown_at)
        self._shown_at = now
        baud, everybody = self.line.baud, self.bus.servos
        self.bus.servos = [servo for servo in everybody
                           if type(self.bus)([servo]).baud == baud]
        if not self.bus.servos:
            self.received.clear()
        taken = self.bus.take(self.received)
        self.bus.servos = everybody
        for request, replies in taken:
            self.requests.append(request)
            if self.kind.written(request) and self._writes_left:
                self._writes_left -= 1
                if not self._writes_left:
                    for servo in self.bus.servos:
                        servo.present = False
                    replies = []
            byte_time = 10.0 / baud
            end = max(now, self._free_at) + len(request) * byte_time
            if self._strikes('echoed', self.kind.addressee(request)):
                self._send(end, request)
            if self._strikes('noise', self.kind.addressee(request)):
                self._send(end, self.random.randbytes(self.random.randrange(1, 9)))
            for delay, frames in replies:
                reply = self._together(frames)
                end += delay + len(reply) * byte_time
                self._reply(end, reply)
            self._free_at = end

    def _together(self, frames):
        # A line is high at rest, and low wherever one of them pulls it down.
        size = max(map(len, frames))
        together = [0xFF] * size
        for frame in frames:
            together = [a & b for a, b in zip(together, frame.ljust(size, b'\xff'))]
        return bytes(together)

    def _reply(self, at, reply):
        servo_id, data = self.kind.addressee(reply), bytearray(reply)
        if self._strikes('lost', servo_id):
            return
        if self._strikes('corrupted', servo_id):
            data[self.random.randrange(len(data))] ^= 1 << self.random.randrange(8)
        if self._strikes('forged', servo_id):
            data = bytearray(self.kind.forged(data))
        if self._strikes('wrong_id', servo_id):
            data = bytearray(self.kind.readdressed(data, servo_id + 10))
        if self._strikes('truncated', servo_id):
            del data[self.random.randrange(1, len(data)):]
        if self._strikes('stray', servo_id):
            data[:0] = self.random.randbytes(self.random.randrange(1, 5))
        late = self._strikes('late', servo_id)
        self._send(at + (late['seconds'] if late else 0.0), bytes(data))

    def _strikes(self, kind, servo_id):
        for fault in self.faults:
            if fault['kind'] == kind and servo_id in fault.get('ids', [servo_id]):
                if self.random.random() < fault.get('p', 1.0) and fault.get('count', 1) > 0:
                    if 'count' in fault:
                        fault['count'] -= 1
                    return fault
        return None

    def _send(self, at, data):
        parts, hold = {at: data}, self._config.get('hold')
        if hold:
            parts = {}
            for place, byte in enumerate(data, 1 - len(data)):
                there = at + place * 10.0 / self.bus.baud
                parts.setdefault(hold * ceil(there / hold), bytearray()).append(byte)
        for at, part in parts.items():
            self._number += 1
            heapq.heappush(self._due, (at, self._number, bytes(part)))

    def _send_due(self):
        while self._due and self._due[0][0] <= self.now():
            self._sent += self.line.write(heapq.heappop(self._due)[2])


if __name__ == '__main__':
    Emulator(sys.argv[1], json.loads(sys.argv[2])).run()
