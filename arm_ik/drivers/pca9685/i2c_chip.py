# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
An I2C bus of Linux, and one chip on it that a driver has to itself.

Every failure is a :class:`DriverError` in words a user can act on. Other chips on the bus may be
used by others meanwhile.
"""

import errno
import fcntl
from pathlib import Path

from smbus2 import SMBus

from ...errors import DriverError

#: Motors are noisy neighbours: so often a transfer is tried.
_TRIES = 3

#: What the systems say of an address where nobody answers.
_NOBODY = (errno.EREMOTEIO, errno.ENXIO)


class I2cChip:
    """
    A chip on an open bus, locked.

    :param backend: name of the back end, for messages.
    :param path: the bus, as ``/dev/i2c-1``.
    :param address: of the chip, seven bits.
    :raises DriverError: if the bus cannot be opened; whether the chip is there, reading tells.
    """

    def __init__(self, backend, path, address):
        self._backend, self._path, self._address = backend, path, address
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

    def __str__(self):
        return f'the chip at 0x{self._address:02x} on {self._path}'

    def write(self, register, data):
        """
        Write registers, one after the other.

        :raises DriverError: if nobody answers or the bus is gone.
        """
        self._try(self._bus.write_i2c_block_data, register, list(data))

    def read(self, register, count):
        """
        Return registers as bytes.

        :raises DriverError: if nobody answers or the bus is gone.
        """
        return bytes(self._try(self._bus.read_i2c_block_data, register, count))

    def close(self):
        """Give the bus back; again does nothing; never raises."""
        try:
            self._bus.close()
        except OSError:
            pass    # it was gone already

    def _try(self, transfer, *args):
        for _ in range(_TRIES):
            try:
                return transfer(self._address, *args)
            except OSError as error:
                failure = error
        raise DriverError(self._backend, self._why(failure))

    def _why(self, error):
        if error.errno in _NOBODY:
            return (f'nobody answers at 0x{self._address:02x} on {self._path}: has the board '
                    f'power, are SDA and SCL wired, is this its address? (i2cdetect -y '
                    f'{self._path.rpartition("-")[2]})')
        if error.errno == errno.EBUSY:
            return f'{self} is used by a driver of the system; unload that'
        return f'{self._path} is missing or has failed ({error})'


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
        group = Path(path).group()
        return (f'no right to {path}, which belongs to the group {group}: '
                f'sudo usermod -a -G {group} $USER, then log out and in again')
    if error.errno == errno.ENOTTY:
        return f'{path} is no I2C bus; there are: {", ".join(buses()) or "none"}'
    return f'{path} cannot be opened: {error}'


def buses(devices='/dev'):
    """Return the I2C buses there are."""
    return sorted(map(str, Path(devices).glob('i2c-*')))
