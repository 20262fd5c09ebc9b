# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""
Hobby servos on a PCA9685 without a servos file: channels and pulses [us].

Nothing is measured. A channel without pulses starts with the pulse that was written to it before.
"""

from . import chip
from ..families import FAMILIES
from ..maintenance import FoundServo, Maintenance
from ...errors import DriverError


class Pca9685Maintenance(Maintenance):
    """The channels of a PCA9685; see :class:`Maintenance`."""

    name, address, has_feedback = 'pca9685', 'channel', False
    family, ids = FAMILIES['pca9685'], range(chip.CHANNELS)

    def __init__(self, port, baud=None, address=0x40, frequency=50.0, oscillator=25e6, **_):
        prescale = chip.prescale_of(oscillator, frequency)
        self._count = chip.count_time(oscillator, prescale)
        self._chip = chip.Chip(self.name, port, address, prescale)
        self._pulses = {}   # written, maybe not sent yet
        self._on = set()
        try:
            if self._chip.runs():
                for channel in self.ids:
                    counts = self._chip.counts(channel)
                    if counts is not None:
                        self._pulses[channel] = counts * self._count
                        self._on.add(channel)
        except DriverError:
            self.close()
            raise

    def find(self, servo_id):
        """See :meth:`Maintenance.find`; whether a servo is plugged in, nobody can tell."""
        pulses = servo_id in self._on
        return FoundServo(servo_id, tick=round(self._pulses[servo_id]) if pulses else None,
                          torque=pulses)

    def read(self, ids):
        """See :meth:`Maintenance.read`."""
        return {channel: self._pulses[channel] for channel in ids if channel in self._pulses}

    def write(self, ticks):
        """See :meth:`Maintenance.write`."""
        self._pulses.update(ticks)
        for channel in ticks:
            if channel in self._on:
                self._send(channel)

    def set_torque(self, on, ids):
        """
        Let channels pulse, or end their pulses.

        :raises DriverError: to start a channel that no pulse was written to, and the first one
            while the chip makes pulses for another program.
        """
        for channel in ids:
            if not on:
                self._chip.silence(channel)
                self._on.discard(channel)
                continue
            if channel not in self._pulses:
                raise DriverError(self.name, f'no pulse was written to channel {channel}')
            if not self._chip.runs():
                self._wake()
            self._on.add(channel)
            self._send(channel)

    def close(self):
        """See :meth:`Maintenance.close`."""
        self._chip.close()

    def _send(self, channel):
        self._chip.pulse(channel, self._pulses[channel] / self._count)

    def _wake(self):
        if self._chip.is_used():
            raise DriverError(self.name, f'{self._chip} makes pulses for another program: end '
                                         'that, then switch the power of the board off and on')
        self._chip.wake()
