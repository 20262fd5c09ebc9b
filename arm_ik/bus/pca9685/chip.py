# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.


"""
A PCA9685 on an I2C bus of Linux: one driver has it to itself.

Its oscillator, divided by ``prescale + 1``, counts from 0 to 4095 and begins anew: that is the
period of every pulse. A channel is high from the count ON to the count OFF; here all go high at
0::

    prescale = round(oscillator / (4096 frequency)) - 1
    one count = (prescale + 1) / oscillator         4.88 us at 50 Hz

Every failure is a :class:`DriverError` in words a user can act on. Other chips on the bus may be
used by others meanwhile.

Source: NXP, PCA9685 product data sheet.
"""

from contextlib import suppress
import errno
import fcntl
from pathlib import Path
import time

from smbus2 import SMBus

from ..backend import no_right
from ...errors import DriverError

_MODE1, _MODE2, _LED0, _ALL_LED, _PRESCALE = 0x00, 0x01, 0x06, 0xFA, 0xFE

#: Bits of MODE1. Without the second, several bytes would go to one register.
_RESTART, _AUTO_INCREMENT, _SLEEP = 0x80, 0x20, 0x10

#: What MODE2 holds after power on: outputs driven high and low, not inverted.
_TOTEM_POLE = 0x04

#: A channel that is low all the time.
_NO_PULSE = bytes((0, 0, 0, 0x10))

#: What PRESCALE takes.
LEAST_PRESCALE, MOST_PRESCALE = 3, 255

COUNTS, CHANNELS = 4096, 16

#: From the end of the chip's sleep until its oscillator runs [s]: 0.5 ms, and some more.
_WAKING = 0.001

#: Motors are noisy neighbours: so often a transfer is tried.
_TRIES = 3

#: What the systems say of an address where nobody answers.
_NOBODY = (errno.EREMOTEIO, errno.ENXIO)


class Chip:
    """
    The chip on an open bus, locked; every method raises a :class:`DriverError` if nobody answers.

    ``found`` are the :meth:`pulses` that it made before.

    :param backend: name of the back end, for messages.
    :param path: the bus, as ``/dev/i2c-1``.
    :param address: of the chip, seven bits.
    :param prescale: what PRESCALE has to hold.
    :raises DriverError: if the bus cannot be opened, or nobody answers.
    """

    def __init__(self, backend, path, address, prescale):
        self._backend, self._path, self._address = backend, path, address
        self._prescale = prescale
        try:
            self._bus = SMBus(path)
        except OSError as error:
            raise DriverError(backend, why_not_opened(error, path)) from None
        try:
            # One byte of the device, the one at the chip's address: the lock is for that chip.
            fcntl.lockf(self._bus.fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, address)
        except OSError:
            self.close()
            raise DriverError(backend, f'{self} is driven by another process; end that first '
                                       f'(fuser -v {path} says which it is)') from None
        try:
            self.found = self.pulses()
        except DriverError:
            self.close()
            raise

    def __str__(self):
        return f'the chip at 0x{self._address:02x} on {self._path}'

    def runs(self):
        """Return whether the chip makes pulses as they are set here."""
        return self._byte(_MODE1) & (_AUTO_INCREMENT | _SLEEP) == _AUTO_INCREMENT \
            and self._byte(_PRESCALE) == self._prescale

    def require_free(self):
        """Refuse a chip of which a channel pulses that was not set so here."""
        # One register at a time: the chip may not count on by itself.
        if not self.runs() and not self._byte(_MODE1) & _SLEEP and any(
                not self._byte(channel_register(number) + 3) & _NO_PULSE[3]
                for number in range(CHANNELS)):
            raise DriverError(self._backend, f'{self} makes pulses for another program, or at '
                              'another frequency: end that, then switch the board off and on')

    def counts(self, channel):
        """Return how many counts a channel's pulses are long; ``None``: it has none."""
        return counts_of(self._read(channel_register(channel), 4))

    def pulses(self):
        """Return how many counts pulses are long, by channel, if they are as set here."""
        counts = {number: self.counts(number) for number in range(CHANNELS)} if self.runs() else {}
        return {number: each for number, each in counts.items() if each is not None}

    def pulse(self, channel, counts):
        """Let a channel pulse."""
        self._write(channel_register(channel), pulse_registers(counts))

    def silence(self, channel):
        """End a channel's pulses."""
        self._write(channel_register(channel), _NO_PULSE)

    def wake(self):
        """Make the chip ready, with no pulses on any channel."""
        # PRESCALE is only taken while the chip sleeps.
        self._write(_MODE1, (_AUTO_INCREMENT | _SLEEP,))
        self._write(_MODE2, (_TOTEM_POLE,))
        self._write(_PRESCALE, (self._prescale,))
        self._write(_ALL_LED, _NO_PULSE)
        self._write(_MODE1, (_AUTO_INCREMENT,))
        time.sleep(_WAKING)
        self._write(_MODE1, (_RESTART | _AUTO_INCREMENT,))

    def close(self):
        """Give the bus back; again does nothing; never raises."""
        with suppress(OSError):     # it was closed already
            self._bus.close()

    def _byte(self, register):
        return self._read(register, 1)[0]

    def _write(self, register, data):
        self._try(self._bus.write_i2c_block_data, register, list(data))

    def _read(self, register, count):
        return bytes(self._try(self._bus.read_i2c_block_data, register, count))

    def _try(self, transfer, *args):
        for _ in range(_TRIES):
            try:
                return transfer(self._address, *args)
            except OSError as error:
                number, words = error.errno, f'{self._path} is missing or has failed ({error})'
        if number in _NOBODY:
            words = (f'nobody answers at 0x{self._address:02x} on {self._path}: has the board '
                     'power, are SDA and SCL wired, is this its address? (i2cdetect -y '
                     f'{self._path.rpartition("-")[2]})')
        elif number == errno.EBUSY:
            words = f'{self} is used by a driver of the system; unload that'
        raise DriverError(self._backend, words)


def why_not_opened(error, path):
    """
    Return in words why an I2C bus could not be opened, and what to do.

    :param error: the OSError.
    :param path: the bus.
    """
    if error.errno == errno.ENOENT:
        there = ', '.join(buses())
        return f'no bus {path}; ' + (f'there are: {there}' if there else
                                     'there is none: switch I2C on (sudo raspi-config, Interface '
                                     'Options), or sudo modprobe i2c-dev')
    if error.errno in (errno.EACCES, errno.EPERM):
        return no_right(path)
    if error.errno == errno.ENOTTY:
        return f'{path} is no I2C bus; there are: {", ".join(buses()) or "none"}'
    return f'{path} cannot be opened: {error}'


def buses(devices='/dev'):
    """Return the I2C buses there are."""
    return sorted(map(str, Path(devices).glob('i2c-*')))


def prescale_of(oscillator, frequency):
    """
    Return what PRESCALE has to hold, maybe outside of what it takes.

    :param oscillator: of the board [Hz].
    :param frequency: of the pulses [Hz].
    """
    return round(oscillator / (COUNTS * frequency)) - 1


def count_time(oscillator, scale):
    """Return how long a count is [us] with a PRESCALE."""
    return 1e6 * (scale + 1) / oscillator


def channel_register(number):
    """Return the first of the four registers of a channel."""
    return _LED0 + 4 * number


def pulse_registers(counts):
    """
    Return a channel's four registers for a pulse of so many counts.

    :param counts: a number; what the registers cannot hold is clipped.
    """
    counts = min(max(round(counts), 1), COUNTS - 1)
    return bytes((0, 0, counts & 0xFF, counts >> 8))


def counts_of(block):
    """Return how many counts a channel's registers make a pulse; ``None``: they make none."""
    on, off = block[0] | block[1] << 8, block[2] | block[3] << 8
    return None if (on | off) & COUNTS else (off - on) % COUNTS or None
