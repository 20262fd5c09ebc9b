# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
A serial port that one process has to itself, and what to do when it cannot be had.

Every failure is a :class:`DriverError` in words a user can act on, whatever the system or pyserial
raised: after an unplug one cause shows as OSError, ``termios.error`` and SerialException.
"""

from contextlib import suppress
import errno
import fcntl
import os
from pathlib import Path
import select
import termios
import time

from serial import Serial

from .backend import no_right
from ..errors import DriverError

#: What USB may take to hand a request and its answer on [s]: frames of 1 ms to and fro, and the
#: least time that an adapter keeps an answer.
_PROMPT = 0.003

#: So long after it has left, a servo has taken what was sent [s].
_HEARD = 0.02

#: The major numbers of pseudo-terminals.
_PSEUDO = range(136, 144)

_FAILURES = (OSError, ValueError, termios.error)


class SerialPort:
    """
    An open port, locked.

    ``latency`` [s] is what the adapter may keep an answer for.

    :param backend: name of the back end, for messages.
    :param path: the device, best by its name below ``/dev/serial/by-id``.
    :param baud: bits per second.
    :raises DriverError: if it cannot be opened.
    """

    def __init__(self, backend, path, baud):
        self.backend = backend
        self.path = path
        self.baud = baud
        # Many open ports without a lock, so that to open one proves nothing; nor does it for root.
        users = users_of(path)
        if users:
            raise DriverError(backend, _used(path, users))
        try:
            self._serial = Serial(path, baud, timeout=0.0, write_timeout=0.5, exclusive=True)
        except _FAILURES as error:
            raise DriverError(backend, why_not_opened(error, path, baud)) from None
        try:
            # Also those who ask for no lock are kept out.
            fcntl.ioctl(self._serial.fileno(), termios.TIOCEXCL)
            with suppress(*_FAILURES):  # few adapters have a timer, and know the question
                self._serial.set_low_latency_mode(True)
            self.latency = _PROMPT + 1e-3 * latency_timer(path)
        except _FAILURES as error:
            self.close()
            raise self._failure(error) from None

    def tune(self, baud):
        """Go on at another baud rate, once all has been heard."""
        self._serial.flush()
        time.sleep(_HEARD)
        self._serial.baudrate = self.baud = baud

    def write(self, data):
        """
        Send bytes.

        :raises DriverError: if the port is missing.
        """
        try:
            self._serial.write(data)
        except _FAILURES as error:
            raise self._failure(error) from None

    def read(self, deadline):
        """
        Return what has been received, at once where there is something.

        :param deadline: when to stop waiting, on the monotonic clock [s].
        :returns: bytes; none if nothing has come until then.
        :raises DriverError: if the port is missing.
        """
        try:
            wait = max(0.0, deadline - time.monotonic())
            if not select.select([self._serial.fileno()], [], [], wait)[0]:
                return b''
            return self._serial.read(4096)
        except _FAILURES as error:
            raise self._failure(error) from None

    def discard(self):
        """Forget what was received until now; return it."""
        return b''.join(iter(lambda: self.read(0.0), b''))

    def close(self):
        """Give the port back; again does nothing; never raises."""
        with suppress(*_FAILURES):      # it was closed already
            fcntl.ioctl(self._serial.fileno(), termios.TIOCNXCL)
        with suppress(*_FAILURES):
            self._serial.close()

    def _failure(self, error):
        return DriverError(self.backend, f'{self.path} is missing or has failed ({error}); '
                           'is the adapter plugged in?')


def timer_file(path, devices='/sys/class/tty'):
    """Return the file that an FTDI adapter has for how long a port keeps answers."""
    return Path(devices, Path(os.path.realpath(path)).name, 'device/latency_timer')


def latency_timer(path, devices='/sys/class/tty'):
    """
    Return the time of a port's latency timer [ms]; 0 if nothing waits for it.

    :param path: the port.
    :param devices: where the system keeps what it knows of ports.
    """
    with suppress(*_FAILURES):
        milliseconds = int(timer_file(path, devices).read_text())
        return milliseconds if milliseconds > 1 else 0
    return 0


def why_not_opened(error, path, baud):
    """
    Return in words why a port could not be opened, and what to do.

    :param error: what the system or pyserial raised.
    :param path: the port.
    :param baud: the speed asked for.
    """
    number = getattr(error, 'errno', None)
    if not os.path.exists(path):
        there = ports()
        return f'no port {path}; ' + (f'there are: {", ".join(there)}' if there else
                                      f'there is none: is the adapter plugged in?{_meddlers()}')
    if number in (errno.EACCES, errno.EPERM):
        return no_right(path)
    if number in (errno.EBUSY, errno.EAGAIN) or 'exclusively lock' in str(error):
        return _used(path, users_of(path) or 'another process')
    if isinstance(error, ValueError) or number == errno.EINVAL:
        return f'{path} cannot be set to {baud} baud'
    return f'{path} cannot be opened: {error}{_meddlers()}'


def users_of(path):
    """
    Return the other processes that have a device open, as far as we may know; ``''``: none.

    Who has the master of a pseudo-terminal is at its other end, and no user.
    """
    device, own = _device(path), str(os.getpid())
    found = _processes(lambda process: process.name != own and _uses(process, device))
    return ', '.join(f'{name} (process {process.name})' for process, name in found if device)


def _processes(wanted):
    """Yield the folders and names of the processes that are wanted, as far as we may know them."""
    for process in Path('/proc').glob('[0-9]*'):
        with suppress(OSError):     # not ours, or ended meanwhile
            if wanted(process):
                yield process, (process / 'comm').read_text().strip()


def _uses(process, device):
    devices = {handle.name: _device(handle) for handle in process.glob('fd/*')}
    index = f'tty-index:\t{os.minor(device)}\n'
    return device in devices.values() and not (os.major(device) in _PSEUDO and any(
        index in (process / 'fdinfo' / name).read_text() for name in devices))


def _device(path):
    """Return the number of a device, whatever it is called; 0: none, or closed meanwhile."""
    with suppress(OSError):
        return os.stat(path).st_rdev
    return 0


def _used(path, users):
    return f'{path} is used by {users}; end that first{_meddlers()}'


def ports(devices='/dev'):
    """Return the serial ports there are, by lasting names where they have one."""
    named = sorted(Path(devices, 'serial/by-id').glob('*'))
    known = {port.resolve() for port in named}
    plain = sorted((*Path(devices).glob('ttyUSB*'), *Path(devices).glob('ttyACM*')))
    return [str(port) for port in (*named, *(port for port in plain if port not in known))]


def lasting(path):
    """Return the name of a port that lasts, if it has one: by the adapter's serial number."""
    return next((each for each in ports() if os.path.realpath(each) == os.path.realpath(path)),
                path)


def _meddlers():
    """Return a hint at programs that take serial adapters for something else."""
    running = {name for _, name in _processes(lambda process: True)}
    hints = {'brltty': '. brltty runs and takes some adapters for a braille display: '
                       'sudo apt remove brltty',
             'ModemManager': '. ModemManager runs and tries new ports for a modem: wait half a '
                             'minute, or sudo systemctl stop ModemManager'}
    return ''.join(hint for name, hint in hints.items() if name in running)
