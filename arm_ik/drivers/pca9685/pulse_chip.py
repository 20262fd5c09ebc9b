# Copyright 2026 The arm_ik authors
#
# Use of this source code is governed by an MIT-style
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

"""A PCA9685 on its bus: whether it makes pulses, and on which channels."""

import time

from . import registers
from .i2c_chip import I2cChip

#: From the end of the chip's sleep until its oscillator runs [s]: 0.5 ms, and some more.
_WAKING = 0.001


class PulseChip(I2cChip):
    """
    The chip on an open bus, locked; every method raises as :class:`.I2cChip` does.

    :param backend: name of the back end, for messages.
    :param path: the bus, as ``/dev/i2c-1``.
    :param address: of the chip, seven bits.
    :param prescale: what PRESCALE has to hold.
    """

    def __init__(self, backend, path, address, prescale):
        super().__init__(backend, path, address)
        self._prescale = prescale

    def runs(self):
        """Tell whether the chip makes pulses as it is told here."""
        mode = registers.AUTO_INCREMENT | registers.SLEEP
        return self._mode() & mode == registers.AUTO_INCREMENT and \
            self.prescale() == self._prescale

    def is_used(self):
        """Tell whether any channel pulses, however the chip was told to."""
        # One register at a time: the chip may not count on by itself.
        return not self._mode() & registers.SLEEP and any(
            not self.read(registers.channel(number) + 3, 1)[0] & registers.NO_PULSE[3]
            for number in range(registers.CHANNELS))

    def prescale(self):
        """Return what PRESCALE holds."""
        return self.read(registers.PRESCALE, 1)[0]

    def counts(self, channel):
        """Return how many counts a channel's pulses are long; ``None``: it has none."""
        return registers.counts_of(self.read(registers.channel(channel), 4))

    def pulse(self, channel, counts):
        """Let a channel pulse."""
        self.write(registers.channel(channel), registers.pulse(counts))

    def silence(self, channel):
        """End a channel's pulses."""
        self.write(registers.channel(channel), registers.NO_PULSE)

    def wake(self):
        """Make the chip ready, with no pulses on any channel."""
        # PRESCALE is only taken while the chip sleeps.
        for register, value in ((registers.MODE1, registers.AUTO_INCREMENT | registers.SLEEP),
                                (registers.MODE2, registers.TOTEM_POLE),
                                (registers.PRESCALE, self._prescale)):
            self.write(register, (value,))
        self.write(registers.ALL_LED, registers.NO_PULSE)
        self.write(registers.MODE1, (registers.AUTO_INCREMENT,))
        time.sleep(_WAKING)
        self.write(registers.MODE1, (registers.RESTART | registers.AUTO_INCREMENT,))

    def _mode(self):
        return self.read(registers.MODE1, 1)[0]
