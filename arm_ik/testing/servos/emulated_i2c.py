# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
An I2C bus with a PCA9685 on it, below smbus2, in the place of Linux.

The device is a file, which holds the chip's registers: several processes find the same chip there,
and it outlives them, as a real one does. Knows nothing of ``arm_ik``; Adafruit's library judges
it. Transfers take the wire's time, at 100 kHz.

Source: NXP, PCA9685 product data sheet; Linux, i2c-dev.
"""

from contextlib import contextmanager
import errno
import fcntl
import os
from pathlib import Path
import time

_FUNCS, _SLAVE, _SMBUS = 0x0705, 0x0703, 0x0720
_READ, _I2C_BLOCK = 1, 8
_ALL_FUNCS = 0x0EFF0009

MODE1, LED0, ALL_LED, PRESCALE = 0x00, 0x06, 0xFA, 0xFE
RESTART, AUTO_INCREMENT, SLEEP = 0x80, 0x20, 0x10

#: After power on.
DEFAULTS = bytearray(256)
DEFAULTS[0:6] = bytes((0x11, 0x04, 0xE2, 0xE4, 0xE8, 0xE0))
DEFAULTS[LED0:LED0 + 64] = bytes((0, 0, 0, 0x10)) * 16
DEFAULTS[PRESCALE] = 0x1E

# Behind the registers, in the file: what is wrong, and where the chip listens.
_ADDRESS, _POWER, _UNPLUGGED, _NACKS, _TAKEN = range(256, 261)

_BYTE_TIME = 9e-5

#: The address each open file talks to.
_addresses: dict[int, int] = {}


class Chip:
    """
    The handle that tests have on a bus and its chip.

    :param path: of the file that is the bus's device; it is made here.
    :param address: of the chip.
    :param oscillator: what its oscillator really does [Hz].
    """

    def __init__(self, path, address=0x40, oscillator=25e6):
        self.path, self.oscillator = Path(path), oscillator
        self.path.write_bytes(DEFAULTS + bytes((address & 0xFF, 1, 0, 0, 0)))

    @property
    def registers(self):
        """All registers as bytes."""
        return self._content()[:256]

    @property
    def pulses(self):
        """Return the pulse [us] of each channel that has one."""
        content = self._content()
        if not content[_POWER] or content[MODE1] & (SLEEP | RESTART):
            return {}
        pulses = {}
        for number in range(16):
            on_low, on_high, off_low, off_high = content[LED0 + 4 * number:][:4]
            if not (on_high | off_high) & 0x10:
                counts = ((off_high << 8 | off_low) - (on_high << 8 | on_low)) % 4096
                pulses[number] = 1e6 * counts * (content[PRESCALE] + 1) / self.oscillator
        return pulses

    def cut_power(self):
        self._set(_POWER, 0)

    def give_power(self):
        with self._changing() as content:
            content[:256], content[_POWER] = DEFAULTS, 1

    def unplug(self):
        """Take the adapter away, as one on USB."""
        self._set(_UNPLUGGED, 1)
        self.path.rename(self.path.with_suffix('.missing'))

    def plug_in(self):
        self.path.with_suffix('.missing').rename(self.path)
        self._set(_UNPLUGGED, 0)

    def refuse(self, count):
        """Let so many transfers from now on go unanswered."""
        self._set(_NACKS, count)

    def be_taken(self):
        """Belong to a driver of the system."""
        self._set(_TAKEN, 1)

    def write(self, register, *values):
        """Write registers as another program would."""
        with self._changing() as content:
            content[register:register + len(values)] = values

    def _set(self, index, value):
        with self._changing() as content:
            content[index] = value

    def _content(self):
        return self.path.read_bytes()

    @contextmanager
    def _changing(self):
        with open(self.path, 'r+b', buffering=0) as file, _content_of(file.fileno()) as content:
            yield content


@contextmanager
def _content_of(fd):
    """Give what is in the file, to be changed, while nobody else does."""
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        content = bytearray(os.pread(fd, 512, 0))
        yield content
        os.pwrite(fd, content, 0)
    finally:
        fcntl.flock(fd, fcntl.LOCK_UN)


def ioctl(fd, request, argument):
    """Do what Linux does with an I2C bus."""
    content = bytearray(os.pread(fd, 512, 0))
    if len(content) <= _TAKEN:
        raise OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))
    if content[_UNPLUGGED]:
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
    if request == _FUNCS:
        argument.value = _ALL_FUNCS
    elif request == _SLAVE:
        if content[_TAKEN]:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        _addresses[fd] = argument
    elif request == _SMBUS and argument.size == _I2C_BLOCK:
        block = argument.data.contents.block
        count = block[0]
        if argument.read_write == _READ:
            block[1:1 + count] = transfer(fd, _addresses[fd], [argument.command], count)
        else:
            transfer(fd, _addresses[fd], [argument.command, *block[1:1 + count]])
    else:
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))


def transfer(fd, address, data, count=0):
    """
    Send bytes to an address, the first being a register, and return what is read after that.

    :raises OSError: 121 if nobody answers.
    """
    time.sleep((1 + len(data) + (1 + count if count else 0)) * _BYTE_TIME)
    with _content_of(fd) as content:
        refused = content[_NACKS] > 0
        content[_NACKS] -= refused
        if not refused and address == content[_ADDRESS] and content[_POWER]:
            return _serve(content, data, count)
    raise OSError(errno.EREMOTEIO, os.strerror(errno.EREMOTEIO))


def _serve(content, data, count):
    if not data:
        return []
    step = 1 if content[MODE1] & AUTO_INCREMENT else 0
    register = data[0]
    for value in data[1:]:
        _write(content, register, value)
        register += step
    # The four of all channels at once read as 0.
    return [content[register + step * index] * (register < ALL_LED or register == PRESCALE)
            for index in range(count)]


def _write(registers, register, value):
    if register == MODE1:
        _write_mode(registers, value)
    elif register == PRESCALE:
        if registers[MODE1] & SLEEP:
            registers[PRESCALE] = max(value, 3)
    elif ALL_LED <= register < ALL_LED + 4:
        registers[LED0 + register - ALL_LED:LED0 + 64:4] = bytes((value,)) * 16
    elif register < LED0 + 64:
        registers[register] = value


def _write_mode(registers, value):
    was = registers[MODE1]
    restart = was & RESTART
    if value & SLEEP and not was & SLEEP and any(
            not high & 0x10 for high in registers[LED0 + 3:LED0 + 64:4]):
        restart = RESTART       # it was put to sleep while it made pulses
    if value & RESTART and not value & SLEEP:
        restart = 0             # and goes on with them
    registers[MODE1] = value & ~RESTART | restart


def install():
    """Take the place of Linux in this process."""
    import smbus2.smbus2
    smbus2.smbus2.ioctl = ioctl
